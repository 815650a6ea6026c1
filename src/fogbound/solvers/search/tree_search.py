"""The compiled search from one decision: room for its tree, simulations in lots, and what came of them.

Lots are short, so that a deadline or a wish to stop is heard within milliseconds; the tree grows between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fogbound.compiled.twin import Twin
from fogbound.compiled.twin import knows as no_knowledge
from fogbound.compiled.twin import play_out as no_play_out
from fogbound.compiled.twin import worths as no_worths
from fogbound.core.errors import LimitError, SpecError
from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.search.kernels import choice, pool, simulation
from fogbound.solvers.search.kernels.simulation import Root

RULES = {"ucb": choice.UCB, "rm": choice.MATCHING, "regret": choice.REGRET}
OBSERVERS = {"multiple": simulation.OWN, "single": simulation.OBSERVER, "alone": simulation.ALONE}
LOT = 256  # simulations between two looks at the clock
FIRST_NODES = 1 << 9
NODE_BYTES, EDGE_BYTES = 8 * (6 + 4), 8 * 8  # with the hash table's part


@dataclass(frozen=True)
class SearchWay:
    """How to search: what the fields of planners come to."""

    rule: str = "ucb"
    observer: str = "multiple"
    exploration: float = 1.4
    spread: float = 0.0
    depth: int = 200
    floor: float = 0.01
    share: float = 0.02
    prior: float = 5.0
    cap: int = 128
    megabytes: float = 1024.0

    def __post_init__(self) -> None:
        if (self.rule, self.observer) == ("regret", "single"):
            raise SpecError(
                "rule=regret with observer=single: a pooled node offers other actions each time, expected "
                "observer=multiple, where regrets compare the same ones"
            )

    def arrays(self, twin: Twin, me: int) -> simulation.Way:
        """The way as kernels take it, for what this game offers."""
        plays_out, knows, worths = (
            function is not nothing
            for function, nothing in (
                (twin.play_out, no_play_out),
                (twin.knows, no_knowledge),
                (twin.worths, no_worths),
            )
        )
        choices = (RULES[self.rule], OBSERVERS[self.observer], me, self.depth, plays_out, knows, worths, self.cap)
        numbers = (self.exploration, self.spread, twin.discount, self.floor, self.share, self.prior)
        return simulation.Way(np.array(choices, np.int64), np.array(numbers))


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

    def __init__(self, twin: Twin, way: SearchWay, root: Root, me: int, seed: int) -> None:
        self.twin, self.way, self.root, self.me = twin, way, root, me
        self._way = way.arrays(twin, me)
        self._pool = _pool(FIRST_NODES, FIRST_NODES * twin.most_actions + self._slack())
        self.walk = _walk(twin, way.depth)
        self.again(root, seed)

    def again(self, root: Root, seed: int) -> None:
        """Begin anew at another root, in the same room."""
        self.root, self.done, walk = root, 0, self.walk
        self._pool.used.fill(0)
        self._pool.slot_node.fill(-1)
        walk.random[0] = np.uint64(seed).astype(np.int64)
        walk.sums.fill(0.0)
        walk.squares.fill(0.0)
        walk.low.fill(np.inf)
        walk.high.fill(-np.inf)

    def run(self, simulations: int, stopping: Callable[[], bool] = lambda: False) -> int:
        """So many simulations more, fewer where `stopping` says so; how many there are in all."""
        goal = self.done + simulations
        while self.done < goal:
            lot = min(LOT, goal - self.done)
            made = simulation.simulate(
                *self.twin.functions, self.twin.rules, self.root, self._pool, self.walk, self._way, lot
            )
            self.done += made
            if made < lot:
                self._grow()
            if stopping():
                break
        return self.done

    def decision(self, legal: list[int]) -> Decision:
        """What was found at the root, whose actions have these codes."""
        tree, size = self._pool, len(legal)
        node = pool.find(tree, self.key(self.root.rows[0], self.root.marks[0], self.me))
        codes, policy = np.array(legal, np.int64), np.full(size, 1 / size)
        visits, totals, average = np.zeros(size, np.int64), np.zeros(size), np.zeros(size)
        if node >= 0:
            edges = [int(pool.edge_of(tree, node, place, code)) for place, code in enumerate(legal)]
            visits, totals, average = tree.tried[edges], tree.total[edges], tree.average[edges]
            if self.way.rule == "rm":
                choice.match(tree, node, codes, size, self.way.floor, policy)
            elif self.way.rule == "regret":
                choice.strategy(tree, node, codes, size, policy)
        with np.errstate(invalid="ignore"):
            means = totals / visits
        shares = average if average.any() else visits.astype(np.float64)
        return Decision(
            visits,
            means,
            policy,
            shares / shares.sum() if shares.any() else np.full(size, 1 / size),
            *self.returns(),
            self.done,
            int(tree.used[0]),
        )

    def returns(self) -> tuple[Floats, Floats]:
        """[player] mean return of all simulations, and its standard error."""
        n = max(self.done, 1)
        values = self.walk.sums / n
        return values, np.sqrt(np.maximum(self.walk.squares / n - values**2, 0.0) / n)

    def key(self, state: Longs, marks: Longs, player: int) -> Any:
        """The key of the node by which a player decides in a state, as the kernels mix it."""
        owner = self.me if self.way.observer == "single" else player
        known = marks[owner]
        if self._way.choices[simulation.KNOWS]:
            known = np.int64(self.twin.knows(self.twin.rules, state, owner))
        with np.errstate(over="ignore"):
            return known ^ (np.int64(player + 1) * simulation.PLAYER_KEY)

    def _slack(self) -> int:
        """Edges that one simulation may need."""
        met = self.way.depth if self.way.observer == "single" else 0  # where other actions may be legal than before
        return (len(self.twin.players) + met) * self.twin.most_actions

    def _grow(self) -> None:
        """Twice the room; LimitError where that is more than allowed."""
        old = self._pool
        nodes, edges = 2 * len(old.first), 2 * len(old.code) + self._slack()
        if nodes * NODE_BYTES + edges * EDGE_BYTES > self.way.megabytes * 2**20:
            raise LimitError(
                f"{self.twin.spec}: a search of {self.done:,} simulations needs over {self.way.megabytes:g} MB: "
                "fewer simulations, or more megabytes"
            )
        new = _pool(nodes, edges)
        for name in vars(old):
            if not name.startswith(("_", "slot")):
                column = getattr(old, name)
                getattr(new, name)[: len(column)] = column
        pool.refile(new)
        self._pool = new

    @property
    def tree(self) -> pool.Pool:
        return self._pool


def _pool(nodes: int, edges: int) -> pool.Pool:
    """Room for so many."""
    slots = 1 << (2 * nodes).bit_length()
    by_node = {name: np.zeros(nodes, np.int64) for name in ("first", "size", "more", "visits", "arrived", "key")}
    whole = {name: np.zeros(edges, np.int64) for name in ("code", "next", "tried", "open")}
    reals = {name: np.zeros(edges) for name in ("total", "regret", "average", "prior")}
    return pool.Pool(
        np.zeros(2, np.int64), np.zeros(slots, np.int64), np.full(slots, -1, np.int64), **by_node, **whole, **reals
    )


def _walk(twin: Twin, depth: int) -> simulation.Walk:
    players, most = len(twin.players), twin.most_actions
    moves = {name: np.zeros(depth * players, np.int64) for name in ("node", "edge", "step", "player")}
    by_player = {name: np.zeros(players, np.int64) for name in ("marks", "actors", "joint", "places", "seen")}
    reals = {name: np.zeros(players) for name in ("rewards", "gain", "sums", "squares", "low", "high")}
    return simulation.Walk(
        random=np.zeros(1, np.int64),
        state=np.zeros(twin.width, np.int64),
        legal=np.zeros((players, most), np.int64),
        weights=np.zeros(twin.most_outcomes),
        policy=np.zeros(most),
        worths=np.zeros(most),
        paid=np.zeros((depth, players)),
        **moves,
        **by_player,
        **reals,
    )


def with_worths(twin: Twin, worths: bool) -> Twin:
    """The twin, with what it knows about worths or without."""
    return twin if worths else replace(twin, worths=no_worths)
