"""The compiled search from one decision: room for its tree, simulations in lots, and what came of them.

Lots are short, so that a deadline or a wish to stop is heard within milliseconds; the tree grows between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import log, sqrt
from typing import Any

import numpy as np

from fogbound.compiled.draws import mixed
from fogbound.compiled.rules import CompiledRules
from fogbound.compiled.rules import knows as no_knowledge
from fogbound.compiled.rules import play_out as no_play_out
from fogbound.compiled.rules import worths as no_worths
from fogbound.core.cancel import check
from fogbound.core.errors import LimitError, SpecError
from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.search.budget import UNLIMITED
from fogbound.solvers.search.history import Steps
from fogbound.solvers.search.hook_tables import HookTables
from fogbound.solvers.search.kernels import choice, information_sets, pomcp, pool, simulation
from fogbound.solvers.search.kernels.simulation import SearchRoot

RULES = {"ucb": choice.UCB, "rm": choice.MATCHING, "regret": choice.REGRET}
SEARCHES = {  # by whose statistics a decision is made
    "multiple": information_sets.simulate_information_sets,
    "single": information_sets.simulate_information_sets,
    "alone": pomcp.simulate_pomcp,
}
EXPLORED, EXPLORED_INFORMED = (
    1.0,
    0.3,
)  # UCB1's constant where none is given: best minus worst return; of worths' spread
LOT = 256  # simulations between two looks at the clock
TABLE = 4096  # counts whose roots and logarithms are looked up
FIRST_NODES, MOST_FIRST_NODES = 1 << 9, 1 << 15
NODE_COLUMNS = ("first", "size", "more", "visits", "arrived", "key")
INTEGERS, REALS = ("code", "next", "tried", "open", "preferred"), ("total", "regret", "average", "prior")  # by edge
REGRETS = ("regret", "average")
EXTRA = ("open", "preferred", *REGRETS, "prior")  # that only some searches need
NODE_BYTES, EDGE_BYTES = 8 * (6 + 4), 8 * 8  # with the hash table's part
NO_TABLES = HookTables()


@dataclass(frozen=True)
class SearchWay:
    """How to search: what the fields of planners come to."""

    rule: str = "ucb"
    observer: str = "multiple"
    exploration: float | None = 1.4
    spread: float = 0.0
    depth: int = 200
    floor: float = 0.01
    share: float = 0.02
    prior: float = 5.0
    cap: int = 128
    megabytes: float = 1024.0

    def __post_init__(self) -> None:
        if self.rule != "ucb" and self.observer != "multiple":
            raise SpecError(
                f"rule={self.rule} with observer={self.observer}, expected observer=multiple: regrets compare the "
                "same actions of every player"
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """Of edges, beside those that every search needs."""
        if self.rule == "regret":
            return REGRETS
        return {"single": ("open",), "alone": ("prior",), "multiple": ()}[self.observer]

    def explored(self, informed: bool) -> float:
        """UCB1's constant, in units of the spread."""
        return (EXPLORED_INFORMED if informed else EXPLORED) if self.exploration is None else self.exploration

    def arrays(self, me: int, compiled: CompiledRules | None = None, tables: HookTables = NO_TABLES) -> choice.Way:
        """The way as kernels take it, for what this game offers beside the bare rules; None: a tree, which is bare."""
        plays_out = knows = worths = False
        if compiled is not None:
            plays_out, knows = compiled.play_out is not no_play_out, compiled.knows is not no_knowledge
            worths = self.observer == "alone" and compiled.worths is not no_worths
        initial = choice.BY_TABLE if len(tables.initial) else choice.BY_RULES if worths else 0
        leaf = choice.BY_STATE if len(tables.value) else choice.BY_PRIOR if worths else 0
        discount, prior = 1.0 if compiled is None else compiled.discount, self.prior if initial else 0.0
        choices = (RULES[self.rule], me, self.depth, plays_out, knows, initial, self.cap, self.observer == "single")
        hooks = (len(tables.chance) > 0, leaf, len(tables.preferred) > 0)
        numbers = (self.explored(worths), self.spread, discount, self.floor, self.share, prior, self.prior)
        asked = (tables.entry, tables.chance, tables.initial, tables.preferred, tables.value)
        return choice.Way(np.array(choices + hooks, np.int64), np.array(numbers), *_looked_up(prior), *asked)


@dataclass(frozen=True, eq=False)
class Decision:
    """What a search found at its root, by the places of the legal actions."""

    visits: Longs  # [action]
    means: Floats  # [action] what they brought; nan where never tried
    policy: Floats  # [action] what the rule would draw from
    average: Floats  # [action] the average of the strategies (rule=regret), else the shares of visits
    values: Floats  # [player] mean return of all simulations
    errors: Floats  # [player] its standard error
    simulations: int
    nodes: int


def favourite(found: Decision, by: str = "visits") -> int:
    """The place of the action tried most, of equals the better; or (by="value") of the highest mean."""
    means = np.where(found.visits > 0, np.nan_to_num(found.means, nan=-np.inf), -np.inf)
    keys = (found.visits, means) if by == "visits" else (means, found.visits)
    return max(range(len(means)), key=lambda k: (keys[0][k], keys[1][k], -k))


class TreeSearch:
    """A search tree that grows as long as it is told to."""

    def __init__(
        self,
        compiled: CompiledRules,
        way: SearchWay,
        root: SearchRoot,
        me: int,
        seed: int,
        tables: HookTables = NO_TABLES,
    ) -> None:
        self.compiled, self.way, self.me = compiled, way, me
        self._way = way.arrays(me, compiled, tables)
        hooked = [name for name, used in (("prior", tables.initial), ("preferred", tables.preferred)) if len(used)]
        self._columns = (*way.columns, *hooked)
        self.tree = self._room(FIRST_NODES)
        self.walk = walk_room(
            len(compiled.players), compiled.most_actions, way.depth, compiled.width, compiled.most_outcomes
        )
        self.restart(root, seed)

    def restart(self, root: SearchRoot, seed: int) -> None:
        """Forget everything, and search from another root: as a new search would, in the room that is there."""
        self._begin(root, seed, empty=True)

    def _begin(self, root: SearchRoot, seed: int, empty: bool) -> None:
        self.root, self.done = root, 0
        if empty:
            pool.empty(self.tree)
        restart_walk(self.walk, seed)
        if not self.way.spread and self._way.choices[choice.LEAF] == choice.BY_PRIOR:
            self._way.numbers[choice.SPREAD] = simulation.spread_of_worths(
                self.compiled.worths, self.compiled.rules, root, self.walk, self.me, simulation.ROOT_DRAWS
            )

    def reuse(self, steps: Steps, root: SearchRoot, seed: int) -> None:  # noqa: ARG002  keys are whole histories
        """Go on with all nodes that are there: the subtree below the new root is found by its keys.

        What lies beside it is never met again. Where the nodes take half of the room that is allowed, all are
        forgotten.
        """
        spread = self.walk.low.copy(), self.walk.high.copy()
        used = self._megabytes(int(self.tree.used[0]))
        self._begin(root, seed, empty=used > self.way.megabytes / 2)
        self.walk.low[:], self.walk.high[:] = spread

    def run(self, simulations: int, stopping: Callable[[], bool] | None = None) -> int:
        """Run further simulations, fewer where `stopping` says so; the number of simulations in all.

        They are made in lots, so that a signal or a token around this call (`core.cancel`) ends the search soon.
        """
        goal = self.done + simulations
        if not self.done and not self.tree.used[0]:
            self._make_room(min(simulations, MOST_FIRST_NODES))
        while self.done < goal:
            check()
            lot = min(LOT, goal - self.done)
            made = SEARCHES[self.way.observer](
                *self.compiled.functions, self.compiled.rules, self.root, self.tree, self.walk, self._way, lot
            )
            self.done += made
            if made < lot and not self._grow(required=simulations < UNLIMITED):
                break
            if stopping is not None and stopping():
                break
        return self.done

    def decision(self, legal: Sequence[int]) -> Decision:
        """What was found at the root, whose actions have these codes."""
        node = pool.lookup_node(self.tree, self.key(self.root.rows[0], self.root.marks[0], self.me))
        return decided(self.tree, int(node), np.array(legal, np.int64), self.way, self.walk, self.done)

    def returns(self) -> tuple[Floats, Floats]:
        """[player] mean return of all simulations, and its standard error."""
        return mean_returns(self.walk, self.done)

    def key(self, state: Longs, marks: Longs, player: int) -> Any:
        """The key of the node by which a player decides in a state, as the kernels mix it."""
        owner = self.me if self.way.observer == "single" else player
        known = marks[owner]
        if self._way.choices[choice.KNOWS]:
            known = mixed(np.int64(self.compiled.knows(self.compiled.rules, state, owner)))
        return simulation.node_key(known, player)

    def _slack(self) -> int:
        """Edges that one simulation may need."""
        met = self.way.depth if self.way.observer == "single" else 0  # where other actions may be legal than before
        return (len(self.compiled.players) + met) * self.compiled.most_actions

    def _make_room(self, simulations: int) -> None:
        """Room for an empty tree of this number of simulations, as far as that is allowed."""
        nodes = len(self.tree.first)
        while nodes < simulations * len(self.compiled.players) and self._megabytes(2 * nodes) <= self.way.megabytes:
            nodes *= 2
        if nodes > len(self.tree.first):
            self.tree = self._room(nodes)

    def _grow(self, required: bool) -> bool:
        """Twice the room, where that is allowed; LimitError where it is not, and required."""
        old, nodes = self.tree, 2 * len(self.tree.first)
        if self._megabytes(nodes) > self.way.megabytes:
            if not required:
                return False
            raise LimitError(
                f"{self.compiled.spec}: a search of {self.done:,} simulations needs over {self.way.megabytes:g} MB: "
                "fewer simulations, or more megabytes"
            )
        self.tree = enlarged_pool(old, nodes, self._edges(nodes))
        return True

    def _room(self, nodes: int) -> pool.Pool:
        return pool_room(nodes, self._edges(nodes), self._columns)

    def _edges(self, nodes: int) -> int:
        return nodes * self.compiled.most_actions + self._slack()

    def _megabytes(self, nodes: int) -> float:
        return (nodes * NODE_BYTES + self._edges(nodes) * EDGE_BYTES) / 2**20


@cache
def _looked_up(prior: float) -> tuple[Floats, Floats, Floats]:
    """What UCB1 asks for most, by how often something was tried; a first try without a prior is never asked for."""
    counts = np.arange(TABLE) + prior
    share = np.divide(1.0, counts, out=np.zeros(TABLE), where=counts > 0)
    return share, np.sqrt(share), np.array([sqrt(log(max(count, 1.0))) for count in counts.tolist()])


def decided(
    tree: pool.Pool, node: int, codes: Longs, way: SearchWay, walk: simulation.SearchWalk, done: int
) -> Decision:
    """What was found in a node, -1 where it was never met, by the codes of its legal actions."""
    size = len(codes)
    policy = np.full(size, 1 / size)
    visits, totals, average = np.zeros(size, np.int64), np.zeros(size), np.zeros(size)
    if node >= 0:
        edges = [int(pool.edge_of(tree, node, place, code)) for place, code in enumerate(codes)]
        visits, totals = tree.tried[edges], tree.total[edges]
        if way.rule == "rm":
            choice.match_means(tree, node, way.floor, policy)
        elif way.rule == "regret":
            average = tree.average[edges]
            choice.strategy(tree, node, policy)
    found = decision_of(visits, totals, mean_returns(walk, done), done, int(tree.used[0]), average)
    return replace(found, policy=policy)


def decision_of(
    visits: Longs,
    totals: Floats,
    returns: tuple[Floats, Floats],
    done: int,
    nodes: int,
    average: Floats | None = None,
) -> Decision:
    """What the tries of each action come to; without an average strategy the shares of visits stand for it."""
    size = len(visits)
    with np.errstate(invalid="ignore"):
        means = totals / visits
    shares = average if average is not None and average.any() else visits.astype(np.float64)
    share = shares / shares.sum() if shares.any() else np.full(size, 1 / size)
    return Decision(visits, means, np.full(size, 1 / size), share, *returns, done, nodes)


def mean_returns(walk: simulation.SearchWalk, done: int) -> tuple[Floats, Floats]:
    """[player] mean return of the simulations, and its standard error."""
    n = max(done, 1)
    values = walk.sums / n
    return values, np.sqrt(np.maximum(walk.squares / n - values**2, 0.0) / n)


def pool_room(nodes: int, edges: int, extra: Sequence[str] = (), looked_up: bool = True) -> pool.Pool:
    """Room for nodes, with these columns beside those that every search needs."""
    slots = 1 << (2 * nodes - 1).bit_length() if looked_up else 0
    room = {name: edges if name in extra or name not in EXTRA else 0 for name in INTEGERS + REALS}
    return pool.Pool(
        np.zeros(2, np.int64),
        np.full((slots, 2), -1, np.int64),
        **{name: np.zeros(nodes, np.int64) for name in NODE_COLUMNS},
        **{name: np.zeros(room[name], np.int64) for name in INTEGERS},
        **{name: np.zeros(room[name]) for name in REALS},
    )


def enlarged_pool(old: pool.Pool, nodes: int, edges: int) -> pool.Pool:
    """The same nodes in a room of their own for so many."""
    extra = [name for name in EXTRA if len(getattr(old, name))]
    new, (kept, ends) = pool_room(nodes, edges, extra), old.used.tolist()
    new.used[:] = old.used
    for names, many in ((NODE_COLUMNS, kept), (INTEGERS + REALS, ends)):
        for name in names:
            column = getattr(old, name)[:many]
            getattr(new, name)[: len(column)] = column
    pool.refile(new)
    return new


def walk_room(players: int, actions: int, depth: int, width: int = 1, outcomes: int = 1) -> simulation.SearchWalk:
    """Room for one simulation of a game of such sizes."""
    moves = {name: np.zeros(depth * players, np.int64) for name in ("node", "edge", "step", "player")}
    by_player = {name: np.zeros(players, np.int64) for name in ("marks", "actors", "joint", "places", "seen")}
    reals = {name: np.zeros(players) for name in ("rewards", "gain", "sums", "squares", "low", "high")}
    return simulation.SearchWalk(
        random=np.zeros(1, np.int64),
        state=np.zeros(width, np.int64),
        legal=np.zeros((players, actions), np.int64),
        weights=np.zeros(outcomes),
        policy=np.zeros(actions),
        worths=np.zeros(actions),
        paid=np.zeros((depth, players)),
        **moves,
        **by_player,
        **reals,
    )


def restart_walk(walk: simulation.SearchWalk, seed: int) -> None:
    """As before the first simulation."""
    walk.random[:] = np.array([seed], np.uint64).astype(np.int64)
    walk.sums[:] = walk.squares[:] = 0.0
    walk.low[:], walk.high[:] = np.inf, -np.inf
