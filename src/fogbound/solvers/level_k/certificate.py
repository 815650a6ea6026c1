"""The proof of a hierarchy: every level's value from below and from above, chained to the levels it stands on."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fogbound.certificates.certificate import Arrays, plain
from fogbound.core.cancel import check
from fogbound.core.errors import FormError
from fogbound.core.simulator import legal_for, successors
from fogbound.driver.protocol import Evidence
from fogbound.forms.induced import FixedPlayer
from fogbound.forms.kernels.induced import POINTS
from fogbound.forms.table_simulator import WAIT
from fogbound.solvers.level_k.hierarchy import LevelSolution, SolvedHierarchy
from fogbound.solvers.level_k.induced import TwoPlayerModel, reachable_states
from fogbound.solvers.level_k.joint import FSCPolicy, JointAutomata, ManyPlayerModel
from fogbound.solvers.pomdp.belief_graph.upper_evidence import claim_evidence
from fogbound.verify.levels.form import Links

MOST_WORK = 3_000_000  # rows of all processes and points of all matches: minutes for the checker, and for us
MOST_ARRAYS = 16_000  # of a file that has room for 30,000 (`verify.npz`), with links and policies ...
MOST_MATCHES = MOST_ARRAYS // 4  # ... and three of them show what a combination of kinds earns
SLACK = 1e-9  # of a claim that the checker has not seen yet, as a share of the largest value; in every step


class _Unproven(Exception):
    """There is no proof, or none of an affordable size; why, for people."""


@dataclass
class _Work:
    """What the checker will have to do, counted on the way."""

    level: int
    done: int = 0

    def add(self, many: int) -> None:
        check()
        self.done += many
        if self.done > MOST_WORK:
            raise _Unproven(f"the proof of {self.level} levels has more rows than the {MOST_WORK:,} that are certified")


def hierarchy_evidence(hierarchy: SolvedHierarchy, top: LevelSolution) -> Evidence:
    """What the checker needs to certify all levels up to that of `top`; nothing where there is no such proof."""
    try:
        arrays, upper = _Proof(hierarchy, top.level).made(top.player)
    except _Unproven as why:
        return Evidence.missing(str(why), top.value, top.upper)
    return Evidence(arrays, top.value, max(upper, top.value))


@dataclass(frozen=True, eq=False)
class _Proof:
    """All levels of all players up to one."""

    hierarchy: SolvedHierarchy
    level: int

    @cached_property
    def work(self) -> _Work:
        return _Work(self.level)

    @property
    def solutions(self) -> list[LevelSolution]:
        return [solution for solution in self.hierarchy.solutions if solution.level <= self.level]

    def made(self, player: int) -> tuple[Arrays, float]:
        """The arrays, and what they prove of a player's highest level from above, in floats."""
        hierarchy, solutions = self.hierarchy, self.solutions
        padded = [(*hierarchy.weights(k), *(0.0,) * (self.level - k)) for k in range(1, self.level + 1)]
        levels = np.array([(own.level, own.player, own.kind) for own in solutions], np.int64)
        joint = JointAutomata(hierarchy.table, hierarchy.automata)
        arrays: Arrays = {"levels": levels, "prior": np.array(padded)} | self._matches(joint)
        for owner in hierarchy.players:
            arrays |= _automaton(hierarchy, joint, owner, self.level)
        above = _Above(hierarchy, self.work)
        for solution in solutions:
            arrays |= above.shown(solution)
            if len(arrays) > MOST_ARRAYS:
                raise _Unproven(f"the proof of {self.level} levels has more arrays than the {MOST_ARRAYS:,} of a file")
        links = Links(plain(arrays))
        for solution in solutions:
            check()
            link = links.of(solution.level, solution.player)
            arrays[f"u{solution.level}_{solution.player}_link"] = np.frombuffer(link, np.uint8)
        return arrays, above.upper[self.level, player]

    def _matches(self, joint: JointAutomata) -> Arrays:
        """The value of every kind against all kinds that it believes in, each combination once."""
        wanted = self._met()
        arrays: Arrays = {"pairs": np.array(list(wanted), np.int64).reshape(-1, len(joint.automata))}
        for number, kinds in enumerate(wanted):
            try:
                match = joint.match(*kinds)
            except FormError as fault:
                raise _Unproven(str(fault)) from fault
            self.work.add(len(match.point))
            parts = {"point": match.point, "value": match.value, "steps": match.steps}
            arrays |= {f"w{number}_{part}": array for part, array in parts.items()}
        return arrays

    def _met(self) -> dict[tuple[int, ...], None]:
        """Which kinds of all players meet, each combination once."""
        wanted = dict[tuple[int, ...], None]()
        for solution in self.solutions:
            believed = {other: tuple(odds) for other, odds in _believed(self.hierarchy, solution).items()}
            everyone = (believed.get(player, (solution.kind,)) for player in self.hierarchy.players)
            for kinds in itertools.product(*everyone):
                wanted.setdefault(kinds)
                if len(wanted) > MOST_MATCHES:
                    many = f"{MOST_MATCHES:,} combinations of levels"
                    raise _Unproven(f"in {self.level} levels more than the {many} that are certified meet")
        return wanted


KindShares = dict[int, Fraction]


def _believed(hierarchy: SolvedHierarchy, solution: LevelSolution) -> dict[int, KindShares]:
    """What a level believes of each other player, exactly, as the checker will: the share of each kind."""
    weights = [(level, Fraction(w)) for level, w in enumerate(hierarchy.weights(solution.level)) if w > 0]
    total = sum((w for _, w in weights), Fraction(0))
    believed: dict[int, KindShares] = {}
    for other in hierarchy.players:
        if other != solution.player:
            shares = believed[other] = KindShares()
            for level, weight in weights:
                kind = hierarchy.kinds[other][level]
                shares[kind] = shares.get(kind, Fraction(0)) + weight / total
    return believed


class _Above:
    """What no reply of a level exceeds; levels of a player that believe the same share what shows it."""

    def __init__(self, hierarchy: SolvedHierarchy, work: _Work) -> None:
        self.hierarchy, self.work = hierarchy, work
        self.upper: dict[tuple[int, int], float] = {}  # by level and player
        self.first: dict[str, int] = {}  # the first level of a player that believes so

    def shown(self, solution: LevelSolution) -> Arrays:
        """The arrays of a level."""
        level, player = solution.level, solution.player
        shares = {other: sorted(own.items()) for other, own in _believed(self.hierarchy, solution).items()}
        first = self.first.setdefault(str((player, shares)), level)
        if first == level:
            arrays, self.upper[level, player] = self._evidence(solution)
        else:
            arrays, self.upper[level, player] = {"same": np.array([first], np.int64)}, self.upper[first, player]
        upper = max(self.upper[level, player], solution.value)
        graph = self.hierarchy.reply(solution).asked.belief_graph
        slack = SLACK * graph.scale / (1 - graph.discount if graph.discount < 1 else 1)
        arrays["claim"] = np.array([solution.value - slack, upper + slack])
        return {f"u{level}_{player}_{part}": array for part, array in arrays.items()}

    def _evidence(self, solution: LevelSolution) -> tuple[Arrays, float]:
        """Over the states of the level's process in which play goes on."""
        side, asked = self.hierarchy.sides[solution.player], self.hierarchy.reply(solution).asked
        process = asked.belief_graph.process
        met = reachable_states(process, asked.problem)
        kept = met[process.row[met] < process.row[met + 1]]
        proof = claim_evidence(asked.belief_graph, asked.problem, kept)
        if proof is None:
            name = self.hierarchy.table.players[solution.player]
            raise _Unproven(f"the upper bound of level {solution.level} of {name} has no proof of an affordable size")
        arrays, upper = proof
        self.work.add(len(arrays["fib"]))
        return {**arrays, "point": side.points(kept)}, upper


def _automaton(hierarchy: SolvedHierarchy, joint: JointAutomata, player: int, level: int) -> Arrays:
    own, observed = hierarchy.automata[player], joint.observed[player]
    first = int(hierarchy.table.out[1])
    arrays: Arrays = {}
    for kind in sorted(set(hierarchy.kinds[player][: level + 1])):
        begins = {int(observed[o]): int(own.kinds[kind][own.view.obs[o]]) for o in range(first)}
        arrays[f"b{player}_{kind}"] = np.array(sorted(begins.items()), np.int64).reshape(-1, 2)
    for other, side in enumerate(hierarchy.sides):
        if other != player:
            fixed = side.fixed[player] if isinstance(side, ManyPlayerModel) else _met_by(joint, side)
            joint.keep(player, fixed)
    arrows, choices = joint.arrows[player], joint.choices[player]
    keys = sorted(arrows)
    arrays[f"a{player}_arrow"] = np.array([(*key, arrows[key]) for key in keys], np.int64).reshape(-1, 4)
    arrays[f"a{player}_choice_key"] = np.array(sorted(choices), np.int64).reshape(-1, 3)
    arrays[f"a{player}_choice_weight"] = np.array([choices[key] for key in sorted(choices)], np.float64)
    return arrays


def _met_by(joint: JointAutomata, model: TwoPlayerModel) -> FixedPlayer:
    """The other of two players, asked for all that it does in the process of the first."""
    simulator, player = joint.simulator, model.other.view.player
    fixed = FixedPlayer(simulator, player, FSCPolicy(model.other, 0))
    pairs, count = model.pairs, int(model.count[POINTS])
    for state, node in zip(pairs.state[:count].tolist(), pairs.node[:count].tolist()):
        memory, legal = fixed.memory(0, node), legal_for(simulator, state, player)
        acted = [None] if legal is None else [simulator.actions(legal)[k] for k in fixed.act(memory, legal).places]
        for action in acted:
            for after, event, _ in successors(simulator, (state,), player, action):
                if simulator.actors(after):
                    fixed.update(memory, WAIT if action is None else action, simulator.observed(event, player))
    return fixed
