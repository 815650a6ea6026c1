"""One player of a table of two against all nodes of the other player, compiled.

Where good play needs more beliefs than can be stored one by one, SARSOP replies: its alpha vectors speak for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fogbound.core.errors import FormError, LimitError, brief
from fogbound.core.policy import AnyPolicy
from fogbound.driver.checkpoint_schema import Entries, Schema
from fogbound.driver.protocol import Context
from fogbound.evaluation.chain import value
from fogbound.forms.arrays import Longs
from fogbound.forms.kernels import induced as kernels
from fogbound.forms.kernels.induced import POINTS
from fogbound.forms.player_view import PlayerView
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import START, Table
from fogbound.solvers.growing_pools import GrowingPools
from fogbound.solvers.level_k.reply import KindOdds, LevelReply, Replying, ReplyModel
from fogbound.solvers.pomdp.belief_graph.fsc import FSCUnion, controller_of_kind, fsc_of
from fogbound.solvers.pomdp.belief_graph.graph import Problem, Process
from fogbound.solvers.pomdp.belief_graph.search import SearchLimits, first_values
from fogbound.solvers.pomdp.hsvi.sarsop import SARSOP

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
# SARSOP: a share of the largest value at which it is good enough; answers to wait for at most.
SARSOP_CLOSE, SARSOP_ANSWERS = 1e-6, 200


class TwoPlayerModel(ReplyModel):
    """Everything that `mine.player` has found out against the nodes of `other`."""

    def __init__(self, table: Table, mine: PlayerView, other: FSCUnion) -> None:
        super().__init__(table, mine)
        self.other, yours = other, other.view
        self.play = kernels.TableArrays(
            *(table.row, table.out, table.next, table.prob),
            np.ascontiguousarray(table.reward[table.event, mine.player]),
            *(table.legal_size, table.legal_actions),
            *(mine.legal, mine.obs, yours.legal, yours.obs),
            len(yours.observations),
            mine.player < yours.player,
        )
        self.pools = GrowingPools(POOLS, SCHEMA, {})
        self.pools.begin(ROOM * SHARES, {}, counters=1)
        self.pairs, self.count = self.pools.bundle(kernels.InducedArrays, SCHEMA), self.pools.arrays["used"]

    @property
    def labels(self) -> Longs:
        return self.pairs.action

    def points(self, kept: Longs) -> Longs:
        return np.stack([self.pairs.state[kept], self.pairs.node[kept]], axis=1)

    def replying(self, odds: Mapping[int, KindOdds], precision: float, limits: SearchLimits) -> Replying:
        """The reply with its value against each kind; SARSOP's where search does not come to an end."""
        reply = yield from super().replying(odds, precision, limits)
        problem, kinds, solved = reply.asked.problem, odds[self.other.view.player], reply.solved
        values = first_values(self.belief_graph, problem, solved.plan, solved.value).reshape(len(kinds), -1)
        chance = self.table.prob[: values.shape[1]]
        against = {kind: float(problem.paid + values[k] @ chance) for k, kind in enumerate(kinds)}
        exact = replace(reply, against=against)
        wanted = not reply.converged and np.isinf(precision) and self.table.discount < 1 and not limits.stopping()
        return by_sarsop(self, exact, kinds, limits) if wanted else exact

    def problem(self, odds: Mapping[int, KindOdds], root: int | None = None) -> Problem:
        kinds = odds[self.other.view.player]
        first = int(self.table.out[START + 1])
        starts = np.zeros((len(kinds), first), np.int64)
        for k, kind in enumerate(kinds):
            begin = self.other.kinds[kind]
            while not kernels.find_starts(self.play, self.pairs, self.count, begin, first, starts[k]):
                self._grow()
        self._explore()
        chance = self.table.prob[:first]
        paid = float(chance @ self.play.reward[:first])
        seen = np.tile(self.mine.obs[:first].astype(np.int64), len(kinds))
        begins = np.outer(list(kinds.values()), chance).ravel()
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
        if size > MOST_PAIRS:
            raise LimitError(
                f"{self.table.spec}: more than {MOST_PAIRS:,} pairs of a state and a node of the other's controllers. "
                "Ask for fewer levels, or make the game smaller"
            )
        self.pools.double()
        self.pairs = self.pools.bundle(kernels.InducedArrays, SCHEMA)
        self.pairs.slot[:] = -1
        kernels.rehash_points(self.pairs, size)

    def pomdp(self, problem: Problem) -> POMDP:
        """The POMDP that `problem` poses, with the states it can reach; `names` are (state of the game, node)."""
        pairs, table = self.pairs, self.table
        kept = reachable_states(self.belief_graph.process, problem)
        number = np.full(int(self.count[POINTS]), -1, np.int64)
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
            observations=self.mine.observations,
            legal_sets=tuple(table.legal_labels(m) for m in range(len(table.legal_size))),
            player=self.mine.player,
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


def by_sarsop(
    model: TwoPlayerModel, searched: LevelReply, kinds: Mapping[int, float], limits: SearchLimits
) -> LevelReply:
    """SARSOP's reply where it earns more than the one that was searched for; the better of both upper bounds."""
    form = model.pomdp(searched.asked.problem)
    close = SARSOP_CLOSE * model.belief_graph.scale
    progress = None
    for number, progress in enumerate(SARSOP().run(form, Context(np.random.default_rng(0), stopping=limits.stopping))):
        if progress.upper - progress.lower <= close or number >= SARSOP_ANSWERS or limits.stopping():
            break
    if progress is None:
        return searched
    shown = progress.evidence()
    lower = progress.lower if shown.lower is None else shown.lower
    upper = min(searched.upper, progress.upper if shown.upper is None else shown.upper)
    if lower <= searched.value:
        return replace(searched, upper=max(upper, searched.value))
    policy = progress.profile()[form.player]
    return replace(
        searched,
        fsc=fsc_of(model.table, model.mine, policy),
        value=lower,
        upper=max(upper, lower),
        converged=upper - lower <= close,
        against={kind: _value_against(model, policy, kind) for kind in kinds},  # type: ignore[arg-type]
        by="sarsop",
    )


def _value_against(model: TwoPlayerModel, policy: AnyPolicy, kind: int) -> float:
    """What a policy earns against one kind of the other."""
    player = model.mine.player
    other = controller_of_kind(model.other, kind, model.table.actions)
    return value(model.table, {player: policy, 1 - player: other})[player]
