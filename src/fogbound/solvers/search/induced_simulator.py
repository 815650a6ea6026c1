"""The induced model explored only where samples go: states together with what the fixed others are and remember.

Its points (`forms.induced.Point`) are the interactive states of I-POMDPs (Gmytrasiewicz and Doshi 2005). Each knows
those that it has led to, so a step taken before costs a few dictionary look-ups and asks neither the rules nor the
others again. What was met is forgotten all at once when there is too much of it, between searches.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple

from fogbound.core.contract import require_players
from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import Strategy
from fogbound.core.simulator import Action, Branch, RuleSimulator
from fogbound.forms.induced import MOST_POINTS, InducedGame, Point, weighed

Legal = tuple[Hashable, ...]
InteractiveState = Point
Draw = Callable[[], float]  # the `random` of a generator


class Transition(NamedTuple):
    """Where one outcome leads, my reward and what I see of it."""

    point: Point
    reward: float
    seen: Observation


class JointMove:
    """The outcomes of one joint move, with links made when they are first drawn."""

    __slots__ = ("branches", "links", "own", "upto")

    def __init__(self, own: list[Action], branches: Sequence[Branch]) -> None:
        self.own, self.branches = own, branches
        self.upto = list(accumulate([p for _, _, p in branches[:-1]])) if len(branches) > 1 else []
        self.links: list[Transition | None] = [None] * len(branches)


class InducedSimulator(InducedGame):
    """A game seen from `player`, the others being played by `others`; steps are drawn, or all of them listed."""

    def __init__(self, game: AnyGame, player: int, others: Mapping[int, Strategy], most: int = MOST_POINTS) -> None:
        require_players(game)
        wanted = [other for other in range(len(game.players)) if other != player]
        if not 0 <= player < len(game.players) or sorted(others) != wanted:
            raise FormError(
                f"{game}: player {player} with policies for players {sorted(others)}, expected one of "
                f"{len(game.players)} players and a policy for each of the others"
            )
        super().__init__(RuleSimulator(game), others, sys.maxsize)
        self.game, self.player, self.most = game, player, most

    def trim(self) -> None:
        """Forget what was met when it is too much."""
        if len(self.points) + sum(len(fixed.memories) for fixed in self.fixed.values()) > self.most:
            self.forget()

    def begin(self, observation: Observation | None = None) -> Iterator[tuple[Point, float]]:
        """The points at which the game may begin when it shows `seen` (None: anything), with their probabilities."""
        return ((point, p) for point, _, p in self.start(observation))

    def step(self, point: Point, move: int, draw: Draw) -> Transition:
        """One step drawn, in which I play `move` of my legal actions (or anything, where I do not move)."""
        choices = point.choices or self.choices(point)
        joint: Any
        if len(choices) == 1:
            only = choices[0]
            if only is None:
                joint = move
            else:
                joint = only.places[bisect_right(only.upto, draw())] if only.upto else only.places[0]
        else:
            joint = tuple([move if c is None else c.places[bisect_right(c.upto, draw())] for c in choices])
        return self._led(point, joint, draw)

    def stray(self, point: Point, move: int, draw: Draw) -> Transition:
        """One step in which the others are not asked: they do anything legal, and remember that they did."""
        joint: Any = tuple(
            [move if k == point.place else int(draw() * len(legal)) for k, legal in enumerate(point.legal_sets)]
        )
        return self._led(point, joint if len(joint) > 1 else joint[0], draw)

    def branches(self, point: Point, move: int, slips: bool = False) -> Iterator[tuple[Transition, float]]:
        """Every step that may follow, with its probability. Where hands slip, the others do anything legal."""
        for joint, chance in self._slipping(point, move) if slips else self.joint_moves(point, move):
            key: Any = joint if len(joint) > 1 else joint[0]
            row = point.rows.get(key) or self._row(point, key)
            for k, (_, _, p) in enumerate(row.branches):
                yield row.links[k] or self._link(point, row, k), chance * p

    def width(self, point: Point) -> int:
        """How many things the others may do here."""
        return prod(len(choice.places) for choice in self.choices(point) if choice)

    def _slipping(self, point: Point, move: int) -> Iterator[tuple[tuple[int, ...], float]]:
        lists = enumerate(point.legal_sets)
        return weighed(
            [
                [(move, 1.0)] if k == point.place else [(m, 1 / len(legal)) for m in range(len(legal))]
                for k, legal in lists
            ]
        )

    def _led(self, point: Point, joint: Any, draw: Draw) -> Transition:
        """What follows a joint move: one place, or a tuple of them."""
        row: JointMove = point.rows.get(joint) or self._row(point, joint)
        k = bisect_right(row.upto, draw()) if row.upto else 0
        return row.links[k] or self._link(point, row, k)

    def _row(self, point: Point, joint: Any) -> JointMove:
        """Ask the rules what a joint move (one place, or a tuple of them) leads to."""
        places = joint if isinstance(joint, tuple) else (joint,)
        branches = self.simulator.step(point.state, point.legal_sets, places)
        row = point.rows[joint] = JointMove(self._own(point, places), branches)
        return row

    def _link(self, point: Point, row: JointMove, k: int) -> Transition:
        state, event, _ = row.branches[k]
        reward, seen = float(self.simulator.paid(event)[self.player]), self.simulator.observed(event, self.player)
        link = row.links[k] = Transition(self._arrive(point, row.own, state, event), reward, seen)
        return link
