"""The proof of a hierarchy: every level's value from below and from above, chained to the levels it stands on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fogbound.verify as checker
from fogbound.archive import canonical
from fogbound.core.cancel import check
from fogbound.core.errors import FormError
from fogbound.driver.protocol import Evidence
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.kernels.induced import MIXED, POINTS, WAITS, next_node
from fogbound.forms.player_view import OVER
from fogbound.forms.table import START, Table
from fogbound.solvers.level_k.hierarchy import LevelSolution, SolvedHierarchy
from fogbound.solvers.level_k.induced import reachable_pairs
from fogbound.solvers.level_k.reply import TwoPlayerReply
from fogbound.solvers.pomdp.belief_graph.fsc import FSCUnion
from fogbound.solvers.pomdp.belief_graph.upper_evidence import upper_evidence

# Two automata playing a table against each other: what may happen, and what each pair of kinds is worth.


Point = tuple[int, int, int]  # state, node of player 0, node of player 1
NodeAct = tuple[int, int, float]  # place in the menu, label, probability
Line = tuple[int, int, int]  # node, own action and what is told; or node, menu and action


@dataclass(frozen=True, eq=False)
class InducedChain:
    """The Markov chain of two kinds, with what each of its points is still worth to both players."""

    point: Longs  # [P, 3]
    value: Floats  # [P, 2]
    steps: Floats  # [P] expected to remain


@dataclass(frozen=True, eq=False)
class JointAutomata:
    """A table of two with the automaton of each player; it remembers the arrows and the choices it was asked about."""

    table: Table
    automata: list[FSCUnion]
    arrows: tuple[dict[Line, int], dict[Line, int]] = field(default_factory=lambda: ({}, {}))  # that were followed
    choices: tuple[dict[Line, float], dict[Line, float]] = field(default_factory=lambda: ({}, {}))  # that were made

    @cached_property
    def told(self) -> list[Longs]:
        """[player][O] what a player is told of an outcome, as the checker numbers it: its sight, and its menu then."""
        spread = len(self.table.legal_size) + 2
        seen = self.table.seen[self.table.event].astype(np.int64)
        return [seen[:, s] * spread + own.view.legal[self.table.next] + 2 for s, own in enumerate(self.automata)]

    def acts(self, player: int, node: int, state: int) -> list[NodeAct]:
        """What a node may do in a state; one act of waiting where it is not asked."""
        table, nodes = self.table, self.automata[player].nodes
        legal = int(self.automata[player].view.legal[state])
        if legal < 0:
            return [(0, WAITS, 1.0)]
        labels = table.legal_actions[legal, : table.legal_size[legal]].tolist()
        own = int(nodes.label[node])
        if own < 0 and own != MIXED:
            return [(place, label, 1.0 / len(labels)) for place, label in enumerate(labels)]
        parts = range(nodes.choice[node], nodes.choice[node + 1])
        chances = {int(nodes.choice_action[k]): float(nodes.choice_prob[k]) for k in parts} if own < 0 else {own: 1.0}
        found = [(place, label, chances[label]) for place, label in enumerate(labels) if chances.get(label, 0.0) > 0]
        self.choices[player].update({(node, legal, label): p for _, label, p in found})
        return found

    def after(self, player: int, node: int, label: int, outcome: int) -> int:
        """The node after an own act and an outcome; 0 once play is over."""
        own = self.automata[player]
        if own.view.legal[self.table.next[outcome]] == OVER:
            return 0
        key = (label + 1) * len(own.view.observations) + int(own.view.obs[outcome])
        found = int(next_node(own.nodes, node, key))
        self.arrows[player][node, label, int(self.told[player][outcome])] = found
        return found

    def step(self, point: Point) -> Iterator[tuple[float, int, Point]]:
        """(probability, outcome, point that follows) of all that may happen."""
        table, (state, *nodes) = self.table, point
        second = self.automata[1].view.legal[state]
        wide = int(table.legal_size[second]) if second >= 0 else 1
        for one, mine, p in self.acts(0, nodes[0], state):
            for two, yours, q in self.acts(1, nodes[1], state):
                row = int(table.row[state]) + one * wide + two
                for o in range(table.out[row], table.out[row + 1]):
                    after = (self.after(0, nodes[0], mine, o), self.after(1, nodes[1], yours, o))
                    yield p * q * float(table.prob[o]), o, (int(table.next[o]), *after)

    def match(self, first: int, second: int) -> InducedChain:
        """Play between a kind of player 0 and a kind of player 1, evaluated by one linear system."""
        from scipy.sparse import csr_matrix, eye
        from scipy.sparse.linalg import splu

        table, found = self.table, dict[Point, int]()
        over, begins = table.actor_set == 0, [own.kinds[k] for own, k in zip(self.automata, (first, second))]
        for o in range(table.out[START], table.out[START + 1]):
            if not over[table.next[o]]:
                nodes = [int(begin[own.view.obs[o]]) for begin, own in zip(begins, self.automata)]
                found.setdefault((int(table.next[o]), nodes[0], nodes[1]), len(found))
        queue, entries = list(found), list[tuple[int, int, float]]()
        pay = []
        for source, point in enumerate(queue):  # grows while it is walked
            check()
            paid = np.zeros(2)
            for p, o, after in self.step(point):
                paid += p * table.pay[table.event[o]]
                if not over[after[0]]:
                    if after not in found:
                        found[after] = len(found)
                        queue.append(after)
                    entries.append((source, found[after], p))
            pay.append(paid)
        size = len(queue)
        rows, columns, chances = zip(*entries) if entries else ((), (), ())
        inner = csr_matrix((chances, (rows, columns)), shape=(size, size))
        try:
            solver = splu((eye(size, format="csr") - table.discount * inner).tocsc())
            value, steps = solver.solve(np.array(pay)), solver.solve(np.ones(size))
        except RuntimeError as error:
            raise FormError(f"{table.spec}: these two never end their game ({error})") from error
        return InducedChain(np.array(queue, np.int64), value, steps)


Arrays = dict[str, NDArray[Any]]
MOST_LEVELS = 60  # a chain of more takes longer to prove than to find
SLACK = 1e-9  # of a claim that the checker has not seen yet, as a share of its size


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
    own, told = hierarchy.automata[player], joint.told[player]
    first = int(hierarchy.table.out[1])
    arrays: Arrays = {}
    for kind in sorted(set(hierarchy.kinds[player][: level + 1])):
        begins = {int(told[o]): int(own.kinds[kind][own.view.obs[o]]) for o in range(first)}
        arrays[f"b{player}_{kind}"] = np.array(sorted(begins.items()), np.int64).reshape(-1, 2)
    side = hierarchy.sides[1 - player]
    pairs, count = side.induced.pairs, int(side.induced.count[POINTS])  # type: ignore[union-attr]
    for state, node in zip(pairs.state[:count].tolist(), pairs.node[:count].tolist()):
        if own.view.legal[state] != OVER:
            for _, label, _ in joint.acts(player, node, state):
                for o in _outcomes(hierarchy, player, state, label):
                    joint.after(player, node, label, o)
    arrows, choices = joint.arrows[player], joint.choices[player]
    keys = sorted(arrows)
    arrays[f"a{player}_arrow"] = np.array([(*key, arrows[key]) for key in keys], np.int64).reshape(-1, 4)
    arrays[f"a{player}_choice_key"] = np.array(sorted(choices), np.int64).reshape(-1, 3)
    arrays[f"a{player}_choice_weight"] = np.array([choices[key] for key in sorted(choices)], np.float64)
    return arrays


def _outcomes(hierarchy: SolvedHierarchy, player: int, state: int, label: int) -> list[int]:
    """The outcomes of a state in which a player does `label` (or waits) and the other anything."""
    table, legal_sets = hierarchy.table, [int(own.view.legal[state]) for own in hierarchy.automata]
    sizes = [int(table.legal_size[m]) if m >= 0 else 1 for m in legal_sets]
    found: list[int] = []
    for place in range(sizes[0] * sizes[1]):
        mine = (place // sizes[1], place % sizes[1])[player]
        if legal_sets[player] < 0 or table.legal_actions[legal_sets[player], mine] == label:
            row = int(table.row[state]) + place
            found += range(table.out[row], table.out[row + 1])
    return found


def _pairs(hierarchy: SolvedHierarchy, joint: JointAutomata, solutions: list[LevelSolution]) -> Arrays:
    """The worth of every kind against every kind that it believes in, each pair once."""
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
    proof = upper_evidence(reply.asked.survey, reply.asked.problem, kept)
    if proof is None:
        return None
    arrays, upper = proof
    name = f"u{solution.level}_{solution.player}_"
    slack = SLACK * max(1.0, abs(solution.value), abs(upper))
    arrays["point"] = np.stack([pairs.state[kept], pairs.node[kept]], axis=1)
    arrays["claim"] = np.array([solution.value - slack, max(upper, solution.value) + slack])
    return {name + part: array for part, array in arrays.items()}, upper


def _plain(arrays: Arrays) -> dict[str, checker.Array]:
    kept = {name: canonical(array) for name, array in arrays.items()}
    return {name: checker.Array(a.dtype.str, a.shape, a.tobytes()) for name, a in kept.items()}
