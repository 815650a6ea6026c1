"""DESPOT on compiled rules, of a game's own or of its POMDP: the tree in arrays, searched inside a kernel.

`despot.py` reads like the paper and searches any generative model; `kernels/despot.py` is the same algorithm step by
step. The upper bound of a belief is QMDP's: the best mean, over its scenarios, of what compiled rules or the fast
informed bound of the POMDP say of an action. The lower bound is that of the best action to repeat: in a POMDP of every
belief, by values of states (Hauskrecht 2000); otherwise of one action, the best one at the start of the game, played in
the scenarios.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import nan
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.sparse import csr_matrix

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, LimitError
from fogbound.core.game import AnyGame
from fogbound.forms.arrays import Floats
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table_simulator import WAIT
from fogbound.solvers.search.belief import ParticleBelief
from fogbound.solvers.search.enumerated_belief import EnumeratedTracker
from fogbound.solvers.search.history import Steps
from fogbound.solvers.search.hooks import INFORMED
from fogbound.solvers.search.kernels import despot as kernels
from fogbound.solvers.search.kernels.despot import DespotTree, DespotWalk
from fogbound.solvers.search.kernels.simulation import SearchRoot
from fogbound.solvers.search.simulator import CompiledSimulator, modelled_simulator
from fogbound.solvers.search.tree_search import Decision, SearchWay, decision_of

LOT = 2  # trials between two looks at the clock
STARTS = 32  # initial states in which actions to repeat are compared
FIRST_PARTICLES, MEGABYTES = 1 << 16, 1024
MEMO = 1 << 16  # states whose default policy's value is remembered
MOST_SWEEPS, SETTLED = 1000, 1e-6  # of the values of an action that is repeated


class DespotParameters(Protocol):
    """What the search is told, by the paper's names."""

    @property
    def scenarios(self) -> int: ...

    @property
    def regularisation(self) -> float: ...

    @property
    def depth(self) -> int: ...

    @property
    def xi(self) -> float: ...

    @property
    def epsilon(self) -> float: ...


class CompiledDespot:
    """The search from one decision.

    Parameters
    ----------
    found
        The compiled rules, with worths.
    way
        The parameters.
    root
        The belief.
    seed
        What is drawn depends on it.
    """

    def __init__(self, found: CompiledSimulator, way: DespotParameters, root: SearchRoot, seed: int) -> None:
        self.found, self.way = found, way
        self.walk = self._walk()
        self.tree = self._room(FIRST_PARTICLES)
        if not len(self.walk.blind):
            self._choose_default()
        self.restart(root, seed)

    def restart(self, root: SearchRoot, seed: int) -> None:
        """Forget everything, and search from another belief."""
        self.done, rng = 0, np.random.default_rng(seed)
        self.walk.draws[:] = rng.random(self.walk.draws.shape)
        kernels.begin_despot(self.tree, self.walk, root.rows, root.upto, rng.random())
        kernels.set_bounds(*self._called, self.tree, self.walk, 0)

    def reuse(self, steps: Steps, root: SearchRoot, seed: int) -> None:  # noqa: ARG002
        """Begin anew: scenarios are drawn from the belief of each decision."""
        self.restart(root, seed)

    @property
    def _called(self) -> tuple[Any, ...]:
        compiled = self.found.compiled
        rules = compiled.actors, compiled.legal, compiled.chances, compiled.follow
        return (*rules, compiled.worths, compiled.rules)

    def _choose_default(self) -> None:
        """The best action to repeat from states in which the game may begin."""
        compiled, walk = self.found.compiled, self.walk
        rules = compiled.actors, compiled.legal, compiled.chances, compiled.follow, compiled.rules
        count, seen = min(STARTS, self.way.scenarios), np.zeros(len(compiled.players), np.int64)
        walk.draws[:] = np.random.default_rng(0).random(walk.draws.shape)
        for k, start in enumerate(np.linspace(0, compiled.beginnings - 1, count).astype(int)):
            compiled.begin(compiled.rules, int(start), self.tree.state[k], seen)
        legal, values = np.zeros(compiled.most_actions, np.int64), {}
        for code in legal[: compiled.legal(compiled.rules, self.tree.state[0], 0, legal)].tolist():
            walk.choices[kernels.ACTION] = code
            values[code] = kernels.blind_value(*rules, self.tree, walk, count)
        walk.choices[kernels.ACTION] = max(values, key=lambda code: values[code])
        kernels.blind_value(*rules, self.tree, walk, count)  # what is remembered is of this action

    @property
    def nodes(self) -> int:
        """Beliefs of the tree."""
        return int(self.tree.used[kernels.NODES])

    @property
    def steps(self) -> int:
        """How often a scenario was stepped, by the tree or the default policy."""
        return int(self.tree.used[kernels.STEPS])

    @property
    def gap(self) -> float:
        """How far the root's bounds lie apart."""
        return float(kernels.bound_gap(self.tree))

    def run(self, simulations: int, stopping: Callable[[], bool] | None = None) -> int:
        """Run further trials until `stopping` says so, the bounds have met or memory is full; how many in all."""
        goal = self.done + simulations
        while self.done < goal:
            check()
            lot = min(LOT, goal - self.done)
            made = kernels.build_despot(*self._called, self.tree, self.walk, lot)
            self.done += made
            if (made < lot and not (self.tree.used[kernels.FULL] and self._grow())) or (stopping and stopping()):
                break
        return self.done

    def decision(self, legal: Sequence[int]) -> Decision:
        """The root's actions, given by their codes, by their lower bounds in the scenarios."""
        if self.tree.node[0, kernels.BRANCH] < 0:
            kernels.expand_scenarios(*self._called, self.tree, self.walk, 0)
        codes, compiled = np.zeros(self.found.compiled.most_actions, np.int64), self.found.compiled
        size = int(compiled.legal(compiled.rules, self.tree.state[0], 0, codes))
        place = {code: k for k, code in enumerate(codes[:size].tolist())}
        branches = [int(self.tree.node[0, kernels.BRANCH]) + place[code] for code in legal]
        lower = np.array([kernels.branch_bound(self.tree, branch, kernels.LOWER) for branch in branches])
        tries = np.maximum(self.tree.branch[branches, kernels.TRIES], 1).astype(np.int64)
        values = np.array([self.tree.bounds[0, kernels.LOWER]]), np.array([nan])
        return decision_of(tries, tries * lower, values, self.done, self.nodes)

    def _walk(self) -> DespotWalk:
        way, compiled = self.way, self.found.compiled
        count, depth, width, actions = way.scenarios, way.depth, compiled.width, compiled.most_actions
        words = {name: np.zeros(count, np.int64) for name in ("shown", "group", "keys", "sizes")}
        return DespotWalk(
            choices=np.array([count, depth, -1], np.int64),
            numbers=np.array([way.regularisation, way.xi, way.epsilon, compiled.discount]),
            draws=np.zeros((count, depth)),
            fades=compiled.discount ** np.arange(depth + 1.0),
            blind=np.zeros((0, 1)) if self.found.form is None else blind_values(self.found.form),
            row=np.zeros(width, np.int64),
            actors=np.zeros(1, np.int64),
            legal=np.zeros(actions, np.int64),
            joint=np.zeros(1, np.int64),
            places=np.zeros(1, np.int64),
            weights=np.zeros(compiled.most_outcomes),
            rewards=np.zeros(1),
            seen=np.zeros(1, np.int64),
            worths=np.zeros(actions),
            sums=np.zeros(actions),
            offered=np.zeros(actions, np.int64),
            stepped=np.zeros((count, width), np.int64),
            slots=np.full(1 << (2 * count - 1).bit_length(), -1, np.int64),
            memo=np.zeros((MEMO, width), np.int64),
            known=np.zeros(MEMO, np.int64),
            worth=np.zeros(MEMO),
            path=np.zeros((depth, width), np.int64),
            paid=np.zeros(depth),
            **words,
        )

    def _room(self, particles: int) -> DespotTree:
        """Room for this many scenarios in nodes, and for as many nodes and branches as these may have."""
        compiled = self.found.compiled
        particles = max(particles, self.way.scenarios * (compiled.most_actions + 1))
        nodes, branches = particles, particles + compiled.most_actions
        return DespotTree(
            used=np.zeros(5, np.int64),
            node=np.zeros((nodes, 6), np.int32),
            bounds=np.zeros((nodes, 4)),
            branch=np.zeros((branches, 3), np.int32),
            reward=np.zeros(branches),
            scenario=np.zeros(particles, np.int32),
            state=np.zeros((particles, compiled.width), np.int64),
        )

    def _grow(self) -> bool:
        """Twice the room; False where that is more memory than allowed."""
        old = self.tree
        if 2 * sum(getattr(old, part.name).nbytes for part in fields(old)) > MEGABYTES * 2**20:
            return False
        new = self._room(2 * len(old.scenario))
        for part in fields(old):
            column = getattr(old, part.name)
            getattr(new, part.name)[: len(column)] = column
        new.used[kernels.FULL] = 0
        self.tree = new
        return True


def blind_values(form: POMDP) -> Floats:
    """[action, state] Blind-policy lower bounds (Hauskrecht 2000); where an action is not legal, the first one."""
    first, ends = form.row[:-1], form.row[:-1] == form.row[1:]
    owner = np.repeat(np.arange(form.size), np.diff(form.row))
    lead = np.repeat(np.arange(len(form.action)), np.diff(form.out))
    moves = csr_matrix((form.prob, (lead, form.next)), shape=(len(form.action), form.size))
    values = []
    for action in range(len(form.actions)):
        chosen = np.where(ends, 0, first)
        has = np.flatnonzero(form.action[first[0] :] == action) + first[0]
        chosen[owner[has - first[0]]] = has
        step, reward = moves[chosen], np.where(ends, 0.0, form.reward[chosen])
        value = np.zeros(form.size)
        for _ in range(MOST_SWEEPS):
            check()
            later = np.where(ends, 0.0, reward + form.discount * (step @ value))
            change, value = np.abs(later - value).max(initial=0.0), later
            if change < SETTLED:
                break
        values.append(value)
    return np.array(values)


@dataclass(frozen=True, eq=False)
class DespotSimulator:
    """Compiled rules as DESPOT searches them.

    Parameters
    ----------
    found
        The compiled rules, with worths.
    parameters
        What the search is told.
    """

    found: CompiledSimulator = field(repr=False)
    parameters: DespotParameters

    leaf: ClassVar[str] = "bounds"
    why: ClassVar[str] = ""

    def codes(self, actions: Sequence[Hashable]) -> list[int]:
        return self.found.codes(actions)

    def offered(self, believed: ParticleBelief) -> Sequence[Hashable]:
        return self.found.offered(believed)

    def tracker(self, way: SearchWay, seed: int, particles: int) -> EnumeratedTracker:
        return self.found.tracker(replace(way, observer="alone"), seed, particles)

    def search(self, way: SearchWay, root: SearchRoot, seed: int) -> CompiledDespot:  # noqa: ARG002
        return CompiledDespot(self.found, self.parameters, root, seed)

    def shares(self, root: SearchRoot) -> Mapping[Any, float]:
        return self.found.shares(root)


def compiled_despot(game: AnyGame, parameters: DespotParameters) -> DespotSimulator | None:
    """A game of one player as compiled rules with bounds; None where it has none."""
    try:
        found = modelled_simulator(game, 0, {})
    except (FormError, LimitError):
        return None
    waits = found.form is not None and bool((found.form.action[1:] == WAIT).any())
    return None if found.leaf != INFORMED or waits else DespotSimulator(found, parameters)
