"""One player of a table of two against all nodes of the other player: the process that every level's problem starts
in.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fogbound.core.errors import FormError, LimitError, brief
from fogbound.driver.checkpoint_schema import Entries, Schema
from fogbound.forms.kernels import induced as kernels
from fogbound.forms.kernels.induced import POINTS
from fogbound.forms.player_view import PlayerView
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import START, Table
from fogbound.solvers.growing_pools import GrowingPools
from fogbound.solvers.pomdp.belief_graph.fsc import FSCUnion
from fogbound.solvers.pomdp.belief_graph.graph import BeliefGraph, Problem, Process

ROOM = 1_024  # points at first ...
SHARES = np.array([1, 4, 16])  # ... and rows and outcomes for each
POOLS = ("points", "rows", "outs")
SCHEMA = Schema(
    {name: Entries("points") for name in ("state", "node")}
    | {"row": Entries("points", begins="rows", extra=1), "action": Entries("rows"), "reward": Entries("rows", float)}
    | {"out": Entries("rows", begins="outs", extra=1), "next": Entries("outs"), "obs": Entries("outs")}
    | {"prob": Entries("outs", float), "slot": Entries("points", slots=True)}
)
MOST_PAIRS = 5_000_000


class IncrementalInducedModel:
    """Everything that `mine.player` has found out against the nodes of `other`."""

    def __init__(
        self, table: Table, mine: PlayerView, yours: PlayerView, other: FSCUnion, limit: int = MOST_PAIRS
    ) -> None:
        self.table, self.mine, self.other, self.limit = table, mine, other, limit
        self.play = kernels.TableArrays(
            *(table.row, table.out, table.next, table.prob),
            np.ascontiguousarray(table.reward[table.event, mine.player]),
            *(table.legal_size, table.legal_actions),
            *(mine.legal, mine.obs, yours.legal, yours.obs),
            len(yours.observations),
            mine.player < yours.player,
        )
        self.belief_graph = BeliefGraph(table.spec, table.discount, mine.observations, self._describe)
        self.pools = GrowingPools(POOLS, SCHEMA, {})
        self.pools.begin(ROOM * SHARES, {}, counters=1)
        self.pairs, self.count = self.pools.bundle(kernels.InducedArrays, SCHEMA), self.pools.arrays["used"]

    def problem(self, odds: Mapping[int, float], root: int | None = None) -> Problem:
        """The start in which the other is of each kind with the given odds: kinds one after the other.

        With a `root` it was posed before, and the graph of beliefs that knows it is still to be taken up again.
        """
        first = int(self.table.out[START + 1])
        starts = np.zeros((len(odds), first), np.int64)
        for k, kind in enumerate(odds):
            begin = self.other.kinds[kind]
            while not kernels.find_starts(self.play, self.pairs, self.count, begin, first, starts[k]):
                self._grow()
        self._explore()
        chance = self.table.prob[:first]
        paid = float(chance @ self.play.reward[:first])
        seen = np.tile(self.mine.obs[:first].astype(np.int64), len(odds))
        begins = np.outer(list(odds.values()), chance).ravel()
        return self.belief_graph.open(starts.ravel(), seen, begins, paid, root)

    def _explore(self) -> None:
        while True:
            status = kernels.explore(self.play, self.other.nodes, self.pairs, self.count)
            if status == kernels.DONE:
                break
            if status == kernels.WRONG:
                state = self.table.states[int(self.pairs.state[self.count[kernels.EXPANDED]])]
                raise FormError(f"{self.table.spec}: a policy plays what is not legal in {brief(state)}")
            self._grow()
        p = self.pairs
        self.belief_graph.extend(
            Process(p.row, p.out, p.next, p.obs, p.prob, p.reward), int(self.count[kernels.POINTS])
        )

    def _grow(self) -> None:
        size = int(self.count[kernels.POINTS])
        if size > self.limit:
            raise LimitError(
                f"{self.table.spec}: more than {self.limit:,} pairs of a state and a node of the other's controllers. "
                "Raise limit=, ask for fewer levels, or make the game smaller"
            )
        self.pools.double()
        self.pairs = self.pools.bundle(kernels.InducedArrays, SCHEMA)
        self.pairs.slot[:] = -1
        kernels.rehash_points(self.pairs, size)

    def _describe(self, point: int) -> str:
        return brief(self.table.states[int(self.pairs.state[point])])


def induced_pomdp(induced: IncrementalInducedModel, problem: Problem) -> POMDP:
    """The POMDP that `problem` poses, with the states it can reach; `names` are (state of the game, node)."""
    pairs, table = induced.pairs, induced.table
    kept = reachable_states(induced.belief_graph.process, problem)
    number = np.full(int(induced.count[POINTS]), -1, np.int64)
    number[kept] = np.arange(len(kept))
    rows = np.concatenate([np.arange(pairs.row[p], pairs.row[p + 1]) for p in kept.tolist()])
    outs = np.concatenate([np.arange(pairs.out[r], pairs.out[r + 1]) for r in rows.tolist()])
    begun = len(problem.state)
    wide = pairs.out[rows + 1] - pairs.out[rows]
    return POMDP(
        spec=table.spec,
        discount=table.discount,
        row=np.concatenate([[1], 1 + np.cumsum(pairs.row[kept + 1] - pairs.row[kept])]).astype(np.int32),
        action=np.concatenate([[-1], pairs.action[rows]]).astype(np.int32),
        out=np.concatenate([[0, begun], begun + np.cumsum(wide)]).astype(np.int32),
        next=number[np.concatenate([problem.state, pairs.next[outs]])].astype(np.int32),
        obs=np.concatenate([problem.seen, pairs.obs[outs]]).astype(np.int32),
        prob=np.concatenate([problem.chance, pairs.prob[outs]]),
        reward=np.concatenate([[problem.paid], pairs.reward[rows]]),
        actions=table.actions,
        observations=induced.mine.observations,
        legal_sets=tuple(table.legal_labels(m) for m in range(len(table.legal_size))),
        player=induced.mine.player,
        names=tuple((table.states[int(pairs.state[p])], int(pairs.node[p])) for p in kept.tolist()),
    )


def reachable_states(process: Process, problem: Problem) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The states that a problem can lead to, in the order in which they are met."""
    reached = dict.fromkeys(problem.state.tolist())
    queue = list(reached)
    for state in queue:  # grows while it is walked
        for after in process.next[process.out[process.row[state]] : process.out[process.row[state + 1]]].tolist():
            if after not in reached:
                reached[after] = None
                queue.append(after)
    return np.array(queue, np.int64)
