"""Searches on compiled simulators: `pomcpow`, `pft-dpw` and `pomcp` with every simulation inside one kernel.

They do what the searches in Python do (`pomcpow`, `pft_dpw`, `generative_search`), simulation by simulation, with
random numbers of their own. A tree that has filled its memory is searched no further.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import ceil, log, sqrt

import numpy as np

from fogbound.compiled.sampled_rules import SampledRules
from fogbound.core.cancel import check
from fogbound.core.errors import GameError, brief
from fogbound.core.game import AnyGame
from fogbound.simulators.game import SimulatedGame
from fogbound.solvers.search.belief import ParticleBelief
from fogbound.solvers.search.generative_search import FADED, GenerativeWay
from fogbound.solvers.search.history import Steps
from fogbound.solvers.search.hooks import INFORMED
from fogbound.solvers.search.kernels import widening
from fogbound.solvers.search.kernels.pft_dpw import simulate_pft_dpw
from fogbound.solvers.search.kernels.pomcpow import simulate_pomcpow, simulate_rows
from fogbound.solvers.search.kernels.widening import RowRoot, RowTree, RowWalk, RowWay
from fogbound.solvers.search.tree_search import Decision, decision_of

FIRST_LOT, LOT = 32, 512  # simulations between two looks at the clock: at first, and at most
FIRST_NODES, MEGABYTES = 1 << 10, 1024
TABLE = 4096  # visits for which k N^alpha is looked up
KERNELS = {"pomcpow": simulate_pomcpow, "pft-dpw": simulate_pft_dpw, "pomcp": simulate_rows}
FAULTS = {
    widening.NO_NUMBER: "step wrote a reward that is no finite number after {action}, expected one",
    widening.IMPOSSIBLE: "observation_density is 0 for what step showed after {action}; expected a positive number",
}


def sampled_rules(game: AnyGame) -> SampledRules | None:
    """The compiled rules of a simulator; None where it has none, or is no simulator."""
    return game.simulator.compiled_rules() if isinstance(game, SimulatedGame) else None


class RowSearch:
    """The search from one decision.

    Parameters
    ----------
    compiled
        The simulator.
    who
        The algorithm: pomcpow, pft-dpw or pomcp.
    way
        How it searches.
    root
        The belief at the decision.
    seed
        What is drawn depends on it.
    particles
        Of a belief in the tree (pft-dpw).
    """

    def __init__(
        self, compiled: SampledRules, who: str, way: GenerativeWay, root: ParticleBelief, seed: int, particles: int = 0
    ) -> None:
        self.compiled, self.who, self.way, self.particles = compiled, who, way, particles
        self._way = self._row_way()
        self.tree = self._room(FIRST_NODES)
        self.walk = self._walk()
        self.restart(root, seed)

    def _row_way(self) -> RowWay:
        way, compiled = self.way, self.compiled
        faded = ceil(log(FADED) / log(compiled.discount)) if compiled.discount < 1 else way.depth
        informed = compiled.has("value") and way.leaf in ("auto", INFORMED)
        choices = min(way.depth, faded), informed, compiled.has("rollout"), self.particles, compiled.has_density
        widths = way.k_action, way.alpha_action, way.k_observation, way.alpha_observation
        counts = np.arange(TABLE, dtype=np.float64)
        allowed, least = way.k_observation * counts**way.alpha_observation, np.maximum(counts, 1.0)
        numbers = way.exploration, way.spread, compiled.discount, *widths
        tables = allowed, np.sqrt(1.0 / least), np.sqrt(np.log(least))
        return RowWay(np.array(choices, np.int64), np.array(numbers), *tables)

    def _walk(self) -> RowWalk:
        width, seen, depth, m = self.compiled.width, self.compiled.seen, int(self._way.choices[0]), self.particles
        return RowWalk(
            random=np.zeros(1, np.int64),
            before=np.zeros(width),
            state=np.zeros(width),
            seen=np.zeros(seen),
            rewards=np.zeros(1),
            decision=np.zeros(depth, np.int64),
            place=np.zeros(depth, np.int64),
            paid=np.zeros(depth),
            returns=np.zeros(4),
            fault=np.zeros(2, np.int64),
            particles=np.zeros((max(m, 1), width)),
            stepped=np.zeros((max(m, 1), width)),
            shown=np.zeros((1, seen)),
            weights=np.zeros(max(m, 1)),
        )

    def restart(self, root: ParticleBelief, seed: int) -> None:
        """Forget everything, and search from another belief."""
        rows = np.ascontiguousarray(root.states, np.float64).reshape(-1, self.compiled.width)
        self.root, self.done = RowRoot(rows, np.cumsum(root.weights)), 0
        self.tree.used[:] = 0
        self.tree.slots[:] = -1
        self.walk.random[0], self.walk.fault[:] = seed, 0
        self.walk.returns[:] = np.inf, -np.inf, 0.0, 0.0
        widening.decision_of_node(self.tree, self.walk, widening.add_history(self.tree, -1))

    def reuse(self, steps: Steps, root: ParticleBelief, seed: int) -> None:  # noqa: ARG002
        """Begin anew: the tree of a compiled simulator is not carried over to the next decision."""
        self.restart(root, seed)

    @property
    def nodes(self) -> int:
        """Nodes of the tree."""
        return int(self.tree.used[widening.NODES])

    @property
    def steps(self) -> int:
        """How often the simulator was stepped, rollouts among it."""
        return int(self.tree.used[widening.CALLS])

    def run(self, simulations: int, stopping: Callable[[], bool] | None = None) -> int:
        """Run further simulations, fewer where `stopping` says so or memory is full; how many in all."""
        goal, functions = self.done + simulations, self.compiled.functions
        called = [functions[name] for name in ("step", "observation_density", "value", "rollout")]
        most = FIRST_LOT
        while self.done < goal:
            check()
            lot, most = min(most, goal - self.done), min(2 * most, LOT)
            made = KERNELS[self.who](*called, self.compiled.rules, self.root, self.tree, self.walk, self._way, lot)
            self.done += made
            self._refuse_faults()
            if (made < lot and not self._grow()) or (stopping is not None and stopping()):
                break
        return self.done

    def _refuse_faults(self) -> None:
        kind, place = self.walk.fault.tolist()
        if kind:
            action = brief(self.compiled.actions[place])
            raise GameError(f"{self.compiled.spec}: {FAULTS[kind].format(action=action)}")

    def decision(self, legal: Sequence[Hashable]) -> Decision:
        """What was found at the root, by the places of `legal`."""
        places = [self.compiled.actions.index(action) for action in legal]
        n, (_, _, total, squares) = max(self.done, 1), self.walk.returns.tolist()
        mean = total / n
        error = sqrt(max(squares / n - mean**2, 0.0) / n)
        returns = np.array([mean]), np.array([error])
        tried, totals = self.tree.counts[0, widening.ACTIONS :].reshape(-1, 2)[places].T
        return decision_of(tried.astype(np.int64), totals, returns, self.done, self.nodes)

    def _room(self, nodes: int) -> RowTree:
        """Room for this many nodes, with the cells that they are likely to need."""
        actions, cells = len(self.compiled.actions), self._cells(nodes)
        return RowTree(
            used=np.zeros(6, np.int64),
            slots=np.full(1 << (2 * nodes - 1).bit_length(), -1, np.int32),
            node=np.zeros((nodes, widening.NODE_WIDTH), np.int32),
            counts=np.zeros((nodes, 2 + 2 * actions)),
            edge=np.zeros((nodes * actions, 4), np.int32),
            child=np.zeros((4 * nodes, 2), np.int32),
            order=np.zeros((nodes if self.way.k_action else 1, actions), np.int32),
            seen=np.zeros((nodes, self.compiled.seen)),
            paid=np.zeros(nodes),
            back=np.zeros(cells, np.int32),
            upto=np.zeros(cells),
            cell=np.zeros((cells, 1 + self.compiled.width)),
        )

    def _cells(self, nodes: int) -> int:
        """Cells for the particles of this many nodes."""
        if self.who == "pomcp":
            return 4 * nodes
        if self.who == "pft-dpw":
            return (2 * self.particles + 4) * (nodes + 1)
        return 16 * nodes + 4 * int(self._way.choices[0])

    def _grow(self) -> bool:
        """Twice the room; False where that is more memory than allowed."""
        old, actions = self.tree, len(self.compiled.actions)
        if 2 * _megabytes(old) > MEGABYTES:
            return False
        new = self._room(2 * len(old.node))
        nodes, cells, _, _, listed, decisions = (int(one) for one in old.used)
        by_node, by_decision = (
            dict.fromkeys(("node", "seen", "paid"), nodes),
            dict.fromkeys(("counts", "order"), decisions),
        )
        by_cell = dict.fromkeys(("back", "upto", "cell"), cells)
        sizes = {**by_node, **by_decision, **by_cell, "child": listed, "edge": decisions * actions}
        for name, size in sizes.items():
            column = getattr(old, name)[:size]
            getattr(new, name)[: len(column)] = column
        new.used[:] = old.used
        if self.who != "pft-dpw":
            widening.refile_rows(new)
        self.tree = new
        return True


def _megabytes(tree: RowTree) -> float:
    """The memory of a tree."""
    return sum(column.nbytes for column in vars(tree).values() if isinstance(column, np.ndarray)) / 2**20
