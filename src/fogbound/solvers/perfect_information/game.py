"""What the solvers of perfect information share: the table as plain lists, after checking that nothing is hidden.

Zermelo's argument (1913) needs it: only where whoever moves knows the state does a state have a value of its own,
whatever happened before. It is checked on the sets of states that a player cannot tell apart, never assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, LimitError, brief, many
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Progress
from fogbound.driver.solver import Solver
from fogbound.forms.knowledge import knowledge
from fogbound.forms.recurrence import topological_order
from fogbound.forms.table import START, Table
from fogbound.forms.tree import SUM_TOLERANCE, tree_size
from fogbound.policies.perfect_information import StatePolicy

OVER = -1
DEEPEST = 150  # steps that a recursive search follows, at most five of Python's thousand frames each
SETS_PER_STATE, MORE_SETS = 4, 1_000  # how many sets of like states are looked at before giving up
ELSE = "For an equilibrium use sequence-lp or cfr-plus; against given opponents, belief-mdp"

Outcomes = list[tuple[float, int, tuple[float, ...]]]  # (probability, next state, what each player is paid)


@dataclass(frozen=True, eq=False)
class PerfectInformation:
    """A table of perfect information as plain lists, which Python walks faster than arrays."""

    table: Table = field(repr=False)
    nodes: float  # of the whole tree
    depth: int
    mover: list[int] = field(repr=False)  # [S] whose turn it is, or OVER
    start: Outcomes = field(repr=False)
    moves: list[list[Outcomes]] = field(repr=False)  # [S][move]

    @cached_property
    def order(self) -> list[int]:
        """The states, each after all that may follow it."""
        listed: list[int] = topological_order(self.table)[0].tolist()
        return listed

    @cached_property
    def constant_sum(self) -> float | None:
        """What all players' rewards add up to in every play, or None where it varies (constant-sum is zero-sum)."""
        if not self.table.reward.sum(axis=1).any():
            return 0.0
        discount, rest = self.table.discount, [0.0] * len(self.mover)
        slack = SUM_TOLERANCE * float(np.abs(self.table.reward).max()) * (self.depth + 1)
        for state in self.order:
            sums = [sum(reward) + discount * rest[after] for row in self.moves[state] for _, after, reward in row]
            rest[state] = sums[0] if sums else 0.0
            if sums and max(sums) - min(sums) > slack:
                return None
        sums = [sum(reward) + rest[after] for _, after, reward in self.start]
        return sums[0] if max(sums) - min(sums) <= slack else None

    def action(self, state: int, move: int) -> Dist[object]:
        """A move by its place, as the action that the author wrote."""
        return Dist.sure(self.table.legal_labels(int(self.table.legal[state, 0]))[move])

    def profile(self, choices: Sequence[int]) -> dict[int, Strategy]:
        """Policies that play the move `choices[state]` at each state."""
        return {
            player: StatePolicy(self.table, player, lambda state, _: self.action(state, choices[state]))
            for player in range(len(self.table.players))
        }

    def answer(self, values: Sequence[float], profile: dict[int, Strategy], counts: dict[str, int]) -> Progress:
        """An exact answer: each player's value is both bounds, and nobody gains by deviating."""
        exact = tuple(float(v) + 0.0 for v in values)
        details = {**counts, "values": list(exact)}
        return Progress(exact[0], exact[0], exact[0], lambda: profile, details, gap=0.0, values=exact, best=exact)


def perfect_information(table: Table, who: str, deepest: float = DEEPEST) -> PerfectInformation:
    """The game of `table`, for the solver called `who`; FormError where something is hidden or play can recur."""
    require_perfect_information(table, who)
    nodes, depth = tree_size(table)
    if depth > deepest:
        raise LimitError(
            f"{who}: a play of {table.spec} can take {depth:,} steps, over the {deepest:,} that a depth-first search "
            "follows. Use backward-induction, which has no such limit"
        )
    rewards = [tuple(reward) for reward in table.reward.tolist()]
    events = zip(table.prob.tolist(), table.next.tolist(), table.event.tolist())
    outcomes = [(p, after, rewards[event]) for p, after, event in events]
    out, row = table.out.tolist(), table.row.tolist()
    rows = [outcomes[a:b] for a, b in pairwise(out)]
    moves = [rows[a:b] for a, b in pairwise(row)]
    seats = table.actor_set_players[:, 0]
    mover = np.where(table.actor_set_size[table.actor_set] > 0, seats[table.actor_set], OVER).tolist()
    return PerfectInformation(table, nodes, depth, mover, rows[START], moves)


def require_perfect_information(table: Table, who: str) -> None:
    """Refuse a game in which somebody who is asked to move does not know the state."""
    several = np.flatnonzero(table.actor_set_size[table.actor_set] > 1)
    if len(several):
        actor_set = table.actor_set[several[0]]
        names = " and ".join(
            table.players[i] for i in table.actor_set_players[actor_set, : table.actor_set_size[actor_set]]
        )
        raise FormError(
            f"{who}: in {table.spec} {names} move at once at state {brief(table.states[several[0]])}, so neither sees "
            f"what the other does, and perfect information is needed. {ELSE}"
        )
    turn = table.actor_set_players[table.actor_set, 0].tolist()
    for player, name in enumerate(table.players):
        known = knowledge(table, player, SETS_PER_STATE * table.size + MORE_SETS)
        for states in known.sets:
            asked = [s for s in states if turn[s] == player]
            if len(asked) > 1:
                one, other = (brief(table.states[s]) for s in asked[:2])
                raise FormError(
                    f"{who}: {table.spec} hides something: {name} cannot tell state {one} from {other} when asked to "
                    f"move, and perfect information is needed. {ELSE}"
                )
        if not known.complete:
            raise FormError(f"{who}: {table.spec} leaves {name} too much to guess to have perfect information. {ELSE}")


class PerfectInformationSolver(Solver[Table]):
    """A solver of games in which the player to move knows the state."""

    form: ClassVar[type[Table]] = Table
    requires = staticmethod(require_perfect_information)
    finds: ClassVar[str] = "equilibrium"


def constant_total(game: PerfectInformation, who: str) -> float:
    """What two players' rewards always add up to; FormError where one's gain is not the other's loss."""
    players, spec = len(game.table.players), game.table.spec
    if players != 2:
        other = "expectimax" if players == 1 else "backward-induction"
        raise FormError(f"{who}: {spec} has {many(players, 'player')}, expected 2; use {other}")
    if game.constant_sum is None:
        raise FormError(
            f"{who}: {spec} is not zero-sum: what the players get adds up to different totals; use backward-induction"
        )
    return game.constant_sum
