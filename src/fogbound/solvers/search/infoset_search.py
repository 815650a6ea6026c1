"""The compiled search on a game tree that is there: what is learnt lies at its information sets.

As `TreeSearch` on the same tree, visit for visit, and several times as fast, where each actor decides by what it knows.
"""

from __future__ import annotations

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.compiled_rules import movers_at_once
from fogbound.forms.tree import Tree
from fogbound.solvers.search.kernels import on_tree
from fogbound.solvers.search.kernels.simulation import SearchRoot
from fogbound.solvers.search.tree_search import (
    Decision,
    SearchWay,
    decided,
    lots,
    mean_returns,
    pool_room,
    restart_walk,
    walk_room,
)


class InfosetSearch:
    """A search for one player of a tree, from one of its information sets after another.

    Parameters
    ----------
    tree
        The game tree.
    way
        How to search: each player by what it knows.
    me
        Who searches.
    """

    def __init__(self, tree: Tree, way: SearchWay, me: int) -> None:
        if way.observer != "multiple":
            raise SpecError(f"observer={way.observer}: its nodes are no information sets, expected multiple")
        self.tree, self.way, self.me, self.done = tree, way, me, 0
        self._way, most = way.plain_arrays(me), int(tree.set_size.max(initial=1))
        self._arrays = _arrays(tree)
        self._pool = pool_room(len(tree.set_size), int(tree.set_size.sum()), way.columns, looked_up=False)
        self._pool.size[:] = tree.set_size
        self._pool.first[:] = np.cumsum(tree.set_size) - tree.set_size
        self._pool.more[:] = -1
        self._pool.code[:] = np.concatenate([np.arange(size) for size in tree.set_size])
        self.walk = walk_room(len(tree.players), most, way.depth)
        self.walk.legal[:] = np.arange(most)
        self.restart(SearchRoot(np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64), np.ones(1)), 0)

    def restart(self, root: SearchRoot, seed: int) -> None:
        """Forget everything, and search from other nodes."""
        self.root, self.done = root, 0
        on_tree.forget(self._pool)
        restart_walk(self.walk, seed)

    def run(self, simulations: int) -> int:
        """So many simulations more; how many there are in all."""
        for lot in lots(simulations):
            on_tree.simulate_on_tree(self._arrays, self.root, self._pool, self.walk, self._way, lot)
            self.done += lot
        return self.done

    def decision(self, infoset: int) -> Decision:
        """What was found at an information set."""
        met = infoset if self._pool.visits[infoset] else -1
        codes = np.arange(self.tree.set_size[infoset])
        return decided(self._pool, met, codes, self.way, self.returns(), self.done)

    @property
    def visits(self) -> Longs:
        """[information set] how often it was met."""
        return self._pool.visits

    def returns(self) -> tuple[Floats, Floats]:
        """[player] mean return of all simulations, and its standard error."""
        return mean_returns(self.walk, self.done)


def _arrays(tree: Tree) -> on_tree.TreeArrays:
    rows = np.zeros((tree.size + 1, 4), np.int32)
    for place, column in enumerate((tree.mover, tree.child, tree.infoset, movers_at_once(tree))):
        rows[: len(column), place] = column
    return on_tree.TreeArrays(rows, tree.prob, np.ascontiguousarray(tree.payoff))
