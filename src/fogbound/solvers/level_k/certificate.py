"""The proof of a hierarchy: every level's value from below and from above, chained to the levels it stands on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fogbound.verify as checker
from fogbound.archive import canonical
from fogbound.core.cancel import check
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError
from fogbound.core.simulator import Branch, legal_for, successors
from fogbound.driver.protocol import Evidence
from fogbound.evaluate.chain import values_and_steps
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.induced import FixedPlayer, InducedGame
from fogbound.forms.kernels.induced import MIXED, POINTS, next_node
from fogbound.forms.player_view import PlayerView
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import WAIT, TableSimulator
from fogbound.solvers.level_k.hierarchy import LevelSolution, SolvedHierarchy
from fogbound.solvers.level_k.induced import reachable_pairs
from fogbound.solvers.level_k.reply import TwoPlayerReply
from fogbound.solvers.pomdp.belief_graph.fsc import FSCUnion
from fogbound.solvers.pomdp.belief_graph.upper_evidence import upper_evidence

# Two players' FSCs playing a table against each other: what may happen, and what each pair of kinds earns.


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
    """The Markov chain of two kinds, with the value of each of its points to both players."""

    point: Longs  # [P, 3]
    value: Floats  # [P, 2]
    steps: Floats  # [P] expected to remain


@dataclass(frozen=True, eq=False)
class JointAutomata:
    """A table of two with the union of FSCs of each player; it keeps the arrows and choices that were asked for."""

    table: Table
    automata: list[FSCUnion]
    arrows: tuple[dict[Line, int], dict[Line, int]] = field(default_factory=lambda: ({}, {}))  # that were followed
    choices: tuple[dict[Line, float], dict[Line, float]] = field(default_factory=lambda: ({}, {}))  # that were made

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

    def match(self, first: int, second: int) -> InducedChain:
        """Play between a kind of player 0 and a kind of player 1, evaluated by one linear system."""
        from scipy.sparse import csr_matrix

        kinds = enumerate(zip(self.automata, (first, second)))
        game = InducedGame(self.simulator, {player: FSCPolicy(*kind) for player, kind in kinds}, sys.maxsize)
        entries, reward = list[tuple[int, int, float]](), list[list[float]]()
        list(game.start())  # the first points
        for point in game.points:  # grows while it is walked
            check()
            paid = [0.0, 0.0]
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
        return InducedChain(np.array(points, np.int64).reshape(-1, 3), value, steps)


Arrays = dict[str, NDArray[Any]]
MOST_LEVELS = 60  # a chain of more takes longer to prove than to find
SLACK = 1e-9  # of a claim that the checker has not seen yet, as a share of the largest value; paid for in every step


def evidence(hierarchy: SolvedHierarchy, top: LevelSolution) -> Evidence:
    """What the checker needs to certify all levels up to that of `top`; nothing where there is no such proof."""
    figures = (top.value, top.upper)
    if not all(isinstance(side, TwoPlayerReply) for side in hierarchy.sides):
        return Evidence.missing("levels are certified between two players only", *figures)
    if top.level > MOST_LEVELS:
        return Evidence.missing(f"{top.level} levels are more than the {MOST_LEVELS} that are certified", *figures)
    solutions = [solution for solution in hierarchy.solutions if solution.level <= top.level]
    arrays: Arrays = {
        "levels": np.array([(r.level, r.player, r.kind) for r in solutions], np.int64),
        "prior": np.array([(*hierarchy.weights(k), *(0.0,) * (top.level - k)) for k in range(1, top.level + 1)]),
    }
    joint = JointAutomata(hierarchy.table, hierarchy.automata)
    try:
        arrays |= _pairs(hierarchy, joint, solutions)
    except FormError:
        return Evidence({}, *figures)
    for player in (0, 1):
        arrays |= _automaton(hierarchy, joint, player, top.level)
    uppers = {}
    for solution in solutions:
        check()
        proof = _above(hierarchy, solution)
        if proof is None:
            return Evidence({}, *figures)
        arrays |= proof[0]
        uppers[solution.level, solution.player] = proof[1]
    for solution in solutions:
        name = f"u{solution.level}_{solution.player}_link"
        arrays[name] = np.frombuffer(checker.link(_plain(arrays), solution.level, solution.player), np.uint8)
    return Evidence(arrays, top.value, max(uppers[top.level, top.player], top.value))


def _automaton(hierarchy: SolvedHierarchy, joint: JointAutomata, player: int, level: int) -> Arrays:
    """Where each kind of a player begins, and all that its nodes can be made to do in the processes and pairs."""
    own, observed = hierarchy.automata[player], joint.observed[player]
    first = int(hierarchy.table.out[1])
    arrays: Arrays = {}
    for kind in sorted(set(hierarchy.kinds[player][: level + 1])):
        begins = {int(observed[o]): int(own.kinds[kind][own.view.obs[o]]) for o in range(first)}
        arrays[f"b{player}_{kind}"] = np.array(sorted(begins.items()), np.int64).reshape(-1, 2)
    side, simulator = hierarchy.sides[1 - player], joint.simulator
    fixed = FixedPlayer(simulator, player, FSCPolicy(own, 0))
    pairs, count = side.induced.pairs, int(side.induced.count[POINTS])  # type: ignore[union-attr]
    for state, node in zip(pairs.state[:count].tolist(), pairs.node[:count].tolist()):
        memory, legal = fixed.memory(0, node), legal_for(simulator, state, player)
        acted = [None] if legal is None else [simulator.actions(legal)[k] for k in fixed.act(memory, legal).places]
        for action in acted:
            for after, event, _ in successors(simulator, (state,), player, action):
                if simulator.actors(after):
                    seen = simulator.observed(event, player)
                    fixed.update(memory, WAIT if action is None else action, seen)
    joint.keep(player, fixed)
    arrows, choices = joint.arrows[player], joint.choices[player]
    keys = sorted(arrows)
    arrays[f"a{player}_arrow"] = np.array([(*key, arrows[key]) for key in keys], np.int64).reshape(-1, 4)
    arrays[f"a{player}_choice_key"] = np.array(sorted(choices), np.int64).reshape(-1, 3)
    arrays[f"a{player}_choice_weight"] = np.array([choices[key] for key in sorted(choices)], np.float64)
    return arrays


def _pairs(hierarchy: SolvedHierarchy, joint: JointAutomata, solutions: list[LevelSolution]) -> Arrays:
    """The value of every kind against every kind that it believes in, each pair once."""
    wanted = dict[tuple[int, int], None]()
    for solution in solutions:
        for kind, weight in zip(hierarchy.kinds[1 - solution.player], hierarchy.weights(solution.level)):
            if weight > 0:
                wanted.setdefault((solution.kind, kind) if solution.player == 0 else (kind, solution.kind))
    arrays: Arrays = {"pairs": np.array(list(wanted), np.int64).reshape(-1, 2)}
    for number, kinds in enumerate(wanted):
        match = joint.match(*kinds)
        arrays |= {f"w{number}_point": match.point, f"w{number}_value": match.value, f"w{number}_steps": match.steps}
    return arrays


def _above(hierarchy: SolvedHierarchy, solution: LevelSolution) -> tuple[Arrays, float] | None:
    """What no reply of a level exceeds, over the states of its problem in which play goes on."""
    side, reply = hierarchy.sides[solution.player], hierarchy.reply(solution)
    if not isinstance(side, TwoPlayerReply):
        return None
    pairs, over = side.induced.pairs, hierarchy.table.actor_set == 0
    met = reachable_pairs(side.induced, reply.asked.problem)
    kept = met[~over[pairs.state[met]]]
    proof = upper_evidence(reply.asked.belief_graph, reply.asked.problem, kept)
    if proof is None:
        return None
    arrays, upper = proof
    name = f"u{solution.level}_{solution.player}_"
    discount = reply.asked.belief_graph.discount
    slack = SLACK * reply.asked.belief_graph.scale / (1 - discount if discount < 1 else 1)
    arrays["point"] = np.stack([pairs.state[kept], pairs.node[kept]], axis=1)
    arrays["claim"] = np.array([solution.value - slack, max(upper, solution.value) + slack])
    return {name + part: array for part, array in arrays.items()}, upper


def _plain(arrays: Arrays) -> dict[str, checker.Array]:
    kept = {name: canonical(array) for name, array in arrays.items()}
    return {name: checker.Array(a.dtype.str, a.shape, a.tobytes()) for name, a in kept.items()}
