"""One player of a table against all nodes of several others: the process that every level's problem starts in.

It is for any number of players what `induced` is, compiled, for two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import brief
from fogbound.core.simulator import Seen
from fogbound.forms.arrays import Longs
from fogbound.forms.induced import LOOK_UP, FixedPlayer, InducedGame, Memory, Point
from fogbound.forms.player_view import PlayerView
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import WAIT
from fogbound.solvers.level_k.joint import FSCPolicy, ViewSimulator
from fogbound.solvers.pomdp.belief_graph.fsc import FSCUnion
from fogbound.solvers.pomdp.belief_graph.graph import BeliefGraph, Problem, Process

MOST_MET = 500_000  # points: each is an object here
KindOdds = Mapping[int, float]  # of kinds


class KindsPlayer(FixedPlayer):
    """A player of one of several kinds: all that it remembers is a node, whichever kinds share it."""

    def __init__(self, simulator: ViewSimulator, own: FSCUnion) -> None:
        super().__init__(simulator, own.view.player, FSCPolicy(own, 0))
        self.own = own
        self.odds: KindOdds = {}  # of the problem that is being opened

    def begin(self, observation: Seen) -> list[tuple[Memory, float]]:
        return [(self.memory(0, int(self.own.kinds[kind][observation])), p) for kind, p in self.odds.items()]


class ManyPlayerModel:
    """Everything that `mine.player` has found out against the nodes of the others."""

    def __init__(self, table: Table, mine: PlayerView, automata: Sequence[FSCUnion], limit: int = MOST_MET) -> None:
        self.table, self.mine = table, mine
        self.simulator = ViewSimulator(table, [own.view for own in automata])
        others = [own for own in automata if own.view.player != mine.player]
        self.fixed = {own.view.player: KindsPlayer(self.simulator, own) for own in others}
        self.game = InducedGame(self.simulator, self.fixed, limit)
        self.belief_graph = BeliefGraph(table.spec, table.discount, mine.observations, self._describe)
        self.row, self.out, self.action, self.reward = [0], [0], list[int](), list[float]()
        self.arrivals: list[tuple[int, int, float]] = []  # where to, what is observed, its probability

    def problem(self, odds: Mapping[int, KindOdds], root: int | None = None) -> Problem:
        """The start in which each other player is of each of its kinds with the given odds, independently.

        With a `root` it was posed before, and the graph of beliefs that knows it is still to be taken up again.
        """
        for player, kinds in odds.items():
            self.fixed[player].odds = kinds
        begun = [(point.number, event, p) for point, event, p in self.game.start() if p > 0]
        self._explore()
        numbers, events, chances = zip(*begun)
        seen = [self.simulator.observed(event, self.mine.player) for event in events]
        paid = sum(p * self.simulator.paid(event)[self.mine.player] for event, p in zip(events, chances))
        return self.belief_graph.open(np.array(numbers), np.array(seen), np.array(chances), float(paid), root)

    def points(self, kept: Longs) -> Longs:
        """[K, n] the state and the others' nodes at some points in which play goes on."""
        met = [self.game.points[number] for number in kept.tolist()]
        lines = [(point.state, *(memory.value for memory in point.memories)) for point in met]
        return np.array(lines, np.int64).reshape(-1, 1 + len(self.fixed))

    def _explore(self) -> None:
        """Work out the points that are new, and those that they lead to."""
        done = len(self.row) - 1
        while done < len(self.game.points):
            if done % LOOK_UP == 0:
                check()
            self._expand(self.game.points[done])
            done += 1
        to, seen, prob = zip(*self.arrivals) if self.arrivals else ((), (), ())
        process = Process(
            np.array(self.row, np.int64),
            np.array(self.out, np.int64),
            np.array(to, np.int64),
            np.array(seen, np.int64),
            np.array(prob, np.float64),
            np.array(self.reward, np.float64),
        )
        self.belief_graph.extend(process, done)

    def _expand(self, point: Point) -> None:
        """One row for each own action, or one in which the player waits; none where play is over."""
        asked = self.simulator.actions(point.legal) if point.place >= 0 else (WAIT,) if point.actors else ()
        for place, label in enumerate(asked):
            merged, reward = dict[tuple[int, int], float](), 0.0
            for after, event, p in self.game.after(point, place):
                if p > 0:
                    key = after.number, self.simulator.observed(event, self.mine.player)
                    merged[key] = merged.get(key, 0.0) + p
                    reward += p * self.simulator.paid(event)[self.mine.player]
            self.arrivals += [(*key, p) for key, p in merged.items()]
            self.action.append(label)
            self.reward.append(reward)
            self.out.append(len(self.arrivals))
        self.row.append(len(self.action))

    def _describe(self, number: int) -> str:
        return brief(self.table.states[self.game.points[number].state])
