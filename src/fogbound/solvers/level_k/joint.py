"""The FSCs of all players of a table, playing it against each other: what may happen, and what kinds earn.

`ManyPlayerModel` is for any number of players what `induced` is, compiled, for two: one player against all nodes of the
others, the process that every level's problem starts in.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.dist import Dist
from fogbound.core.simulator import Branch, Seen
from fogbound.evaluation.chain import values_and_steps
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.induced import LOOK_UP, FixedPlayer, InducedGame, Memory, Point
from fogbound.forms.kernels.induced import MIXED, next_node
from fogbound.forms.player_view import PlayerView
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import WAIT, TableSimulator
from fogbound.solvers.level_k.reply import KindOdds, ReplyModel
from fogbound.solvers.pomdp.belief_graph.fsc import FSCUnion
from fogbound.solvers.pomdp.belief_graph.graph import Problem, Process

Line = tuple[int, int, int]  # node, own action and what is observed; or node, legal actions and action


class ViewSimulator(TableSimulator):
    """A table in the numbers that FSCs are written in: a player observes what it sees with its legal actions then.

    Events are the table's outcomes, and labels are the numbers themselves.
    """

    def __init__(self, table: Table, views: Sequence[PlayerView]) -> None:
        super().__init__(table)
        self.views = [view.obs.tolist() for view in views]

    def _branches(self, row: int) -> list[Branch]:
        outcomes = range(self._out[row], self._out[row + 1])
        branches = self._rows[row] = [(self._next[o], o, self._prob[o]) for o in outcomes]
        return branches

    def observed(self, event: int, player: int) -> int:
        number: int = self.views[player][event]
        return number

    def paid(self, event: int) -> list[float]:
        return super().paid(self._event[event])

    def legal_labels(self, legal: int) -> tuple[int, ...]:
        return self.actions(legal)

    def action_label(self, action: int) -> int:
        return action

    def observation_label(self, player: int, seen: int) -> Any:  # noqa: ARG002
        return seen


@dataclass(frozen=True, eq=False)
class FSCPolicy:
    """One kind of a union of FSCs as a policy of a `ViewSimulator`; memory is a node of the union."""

    union: FSCUnion
    kind: int

    def begin(self, observation: Any) -> int:
        return int(self.union.kinds[self.kind][observation])

    def update(self, memory: int, action: Any, observation: Any) -> int:
        return int(next_node(self.union.nodes, memory, (action + 1) * len(self.union.view.observations) + observation))

    def act(self, memory: int, actions: Sequence[Any]) -> Dist[Any]:
        nodes, label = self.union.nodes, int(self.union.nodes.label[memory])
        if label >= 0:
            return Dist.sure(label)
        if label != MIXED:
            return Dist.uniform(actions)
        part = slice(nodes.choice[memory], nodes.choice[memory + 1])
        chosen = zip(nodes.choice_action[part].tolist(), nodes.choice_prob[part].tolist())
        return Dist(tuple((action, p) for action, p in chosen if action in actions))


@dataclass(frozen=True, eq=False)
class InducedChain:
    """The Markov chain of one kind of each player, with the value of each of its points to all of them."""

    point: Longs  # [P, 1+n]
    value: Floats  # [P, n]
    steps: Floats  # [P] expected to remain


class JointAutomata:
    """A table with the union of FSCs of each player; it keeps the arrows and choices that were asked for."""

    def __init__(self, table: Table, automata: Sequence[FSCUnion]) -> None:
        self.table, self.automata = table, automata
        self.arrows: list[dict[Line, int]] = [{} for _ in automata]  # that were followed
        self.choices: list[dict[Line, float]] = [{} for _ in automata]  # that were made

    @cached_property
    def simulator(self) -> ViewSimulator:
        return ViewSimulator(self.table, [own.view for own in self.automata])

    @cached_property
    def observed(self) -> list[Longs]:
        """[player][O] what a player observes of an outcome, as the checker numbers it: what it sees and may do."""
        width = len(self.table.legal_size) + 2
        seen = self.table.seen[self.table.event].astype(np.int64)
        return [seen[:, s] * width + own.view.legal[self.table.next] + 2 for s, own in enumerate(self.automata)]

    def keep(self, player: int, fixed: FixedPlayer) -> None:
        """Note what a fixed player was asked about."""
        own = self.automata[player]
        observed = np.zeros(len(own.view.observations), np.int64)
        observed[own.view.obs] = self.observed[player]
        for memory in fixed.memories:
            for (action, seen), after in memory.after.items():
                self.arrows[player][memory.value, action, int(observed[seen])] = after.value
            if own.nodes.label[memory.value] >= 0 or own.nodes.label[memory.value] == MIXED:
                for legal, choice in memory.choices.items():
                    labels = self.simulator.actions(legal)
                    made = zip(choice.places, choice.probs)
                    self.choices[player].update({(memory.value, legal, labels[k]): p for k, p in made})

    def match(self, *kinds: int) -> InducedChain:
        """Play between one kind of each player, evaluated by one linear system."""
        from scipy.sparse import csr_matrix

        policies = {player: FSCPolicy(*own) for player, own in enumerate(zip(self.automata, kinds))}
        game = InducedGame(self.simulator, policies, sys.maxsize)
        entries, reward = list[tuple[int, int, float]](), list[list[float]]()
        list(game.start())  # the first points
        for point in game.points:  # grows while it is walked
            check()
            paid = [0.0] * len(kinds)
            for after, event, p in game.after(point, WAIT):
                entries.append((point.number, after.number, p))
                paid = [total + p * amount for total, amount in zip(paid, self.simulator.paid(event))]
            reward.append(paid)
        for player, fixed in game.fixed.items():
            self.keep(player, fixed)
        live = [point for point in game.points if point.actors]
        numbers = [point.number for point in live]
        rows, columns, chances = zip(*entries) if entries else ((), (), ())
        moves = csr_matrix((chances, (rows, columns)), shape=(len(reward), len(reward)))[numbers][:, numbers]
        value, steps = values_and_steps(self.table.spec, self.table.discount, moves, np.array(reward)[numbers])
        points = [(point.state, *(memory.value for memory in point.memories)) for point in live]
        return InducedChain(np.array(points, np.int64).reshape(-1, 1 + len(self.automata)), value, steps)


MOST_MET = 500_000  # points: each is an object here


class KindsPlayer(FixedPlayer):
    """A player of one of several kinds: all that it remembers is a node, whichever kinds share it."""

    def __init__(self, simulator: ViewSimulator, own: FSCUnion) -> None:
        super().__init__(simulator, own.view.player, FSCPolicy(own, 0))
        self.own = own
        self.odds: KindOdds = {}  # of the problem that is being opened

    def begin(self, observation: Seen) -> list[tuple[Memory, float]]:
        return [(self.memory(0, int(self.own.kinds[kind][observation])), p) for kind, p in self.odds.items()]


class ManyPlayerModel(ReplyModel):
    """Everything that `mine.player` has found out against the nodes of the others."""

    def __init__(self, table: Table, mine: PlayerView, automata: Sequence[FSCUnion]) -> None:
        super().__init__(table, mine)
        self.simulator = ViewSimulator(table, [own.view for own in automata])
        others = [own for own in automata if own.view.player != mine.player]
        self.fixed = {own.view.player: KindsPlayer(self.simulator, own) for own in others}
        self.game = InducedGame(self.simulator, self.fixed, MOST_MET)
        self.row, self.out, self.action, self.reward = [0], [0], list[int](), list[float]()
        self.arrivals: list[tuple[int, int, float]] = []  # where to, what is observed, its probability

    def problem(self, odds: Mapping[int, KindOdds], root: int | None = None) -> Problem:
        for player, kinds in odds.items():
            self.fixed[player].odds = kinds
        begun = [(point.number, event, p) for point, event, p in self.game.start() if p > 0]
        self._explore()
        numbers, events, chances = zip(*begun)
        seen = [self.simulator.observed(event, self.mine.player) for event in events]
        paid = sum(p * self.simulator.paid(event)[self.mine.player] for event, p in zip(events, chances))
        return self.belief_graph.open(np.array(numbers), np.array(seen), np.array(chances), float(paid), root)

    @property
    def labels(self) -> Longs:
        return np.array(self.action, np.int64)

    def points(self, kept: Longs) -> Longs:
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
