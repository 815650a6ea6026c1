"""The FSCs of all players of a table, playing it against each other: what may happen, and what kinds earn."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.dist import Dist
from fogbound.core.simulator import Branch
from fogbound.evaluation.chain import values_and_steps
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.induced import FixedPlayer, InducedGame
from fogbound.forms.kernels.induced import MIXED, next_node
from fogbound.forms.player_view import PlayerView
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import WAIT, TableSimulator
from fogbound.solvers.pomdp.belief_graph.fsc import FSCUnion

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
