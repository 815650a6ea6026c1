"""The slides' tree: max picks one of three branches, then min, who has seen it, one of three leaves.

Document 003 ("tree backup example") and Russell and Norvig (third edition, 2010), figure 5.2, from where the
names of the moves come. The leaves are 3 12 8, 2 4 6 and 19 5 2; printed versions differ in the seventh (14 in the
book), which is a parameter because it changes nothing: min's best replies are 3, 2, 2, so the tree is worth 3. From
left to right alpha-beta looks at seven of the nine leaves: after the 2 of the second branch, 4 and 6 cannot matter.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, SpecError, Tile

State = tuple[str, ...]  # the moves made so far
REPLIES = {"a1": ("b1", "b2", "b3"), "a2": ("c1", "c2", "c3"), "a3": ("d1", "d2", "d3")}
BRANCHES = tuple(REPLIES)
LEAVES = (3.0, 12.0, 8.0, 2.0, 4.0, 6.0, 19.0, 5.0, 2.0)
SEVENTH = 6  # its place


@dataclass(frozen=True)
class SlideTree(Game[State, str]):
    """Max picks a branch (a1 to a3), min one of its three leaves; max gains the leaf, min loses it."""

    name = "slide-tree"
    record = GameRecord("A tree of three by three", GameGroup.TEXTBOOK)

    seventh: float = 19.0
    players = ("max", "min")

    def __post_init__(self) -> None:
        if not math.isfinite(self.seventh):
            raise SpecError(f"slide-tree: seventh is {self.seventh}, expected a finite number")

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome(()))

    def actors(self, state: State) -> tuple[int, ...]:
        return (len(state),) if len(state) < 2 else ()

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return REPLIES[state[0]] if state else BRANCHES

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        (move,) = joint
        after = (*state, move)
        if len(after) < 2:
            return Dist.sure(Outcome(after, public=move))
        leaf = self.leaf(*after)
        return Dist.sure(Outcome(after, (leaf, 0.0 - leaf), move))

    def leaf(self, branch: str, reply: str) -> float:
        """What max gains at the end of a branch."""
        place = 3 * BRANCHES.index(branch) + REPLIES[branch].index(reply)
        return self.seventh if place == SEVENTH else LEAVES[place]

    def describe_state(self, state: State) -> str:
        taken = ", ".join(f"{name} took {move}" for name, move in zip(self.players, state))
        caption = f"{self.players[len(state)]} to move" if len(state) < 2 else f"max gains {self.leaf(*state):g}"
        return f"{taken}; {caption}" if taken else caption

    def describe_public(self, seen: Hashable) -> str:
        return f"the move {seen}"

    def board(self, state: State, player: int | None = None) -> Board:  # noqa: ARG002
        rows = [[self._tile(state, branch, reply) for reply in REPLIES[branch]] for branch in BRANCHES]
        caption = f"{self.players[len(state)]} to move" if len(state) < 2 else f"max gains {self.leaf(*state):g}"
        return Board.grid(rows, caption, BRANCHES)

    def _tile(self, state: State, branch: str, reply: str) -> Tile:
        possible = state == (branch, reply)[: len(state)]
        tone = "blank" if not possible else "lamp" if len(state) == 2 else "plain"
        return Tile(f"{self.leaf(branch, reply):g}", tone)
