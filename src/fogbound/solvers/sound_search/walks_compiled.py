"""Online outcome sampling over compiled rules: what the compiled walks are handed, and what is read from them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fogbound.compiled.rules import CompiledRules
from fogbound.core.cancel import check
from fogbound.core.errors import LimitError
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats
from fogbound.solvers.search.enumerated_belief import trial_of
from fogbound.solvers.search.history import ActionObservationHistory
from fogbound.solvers.search.kernels import pool as pools
from fogbound.solvers.search.kernels.pool import Pool
from fogbound.solvers.search.kernels.simulation import mark, node_key
from fogbound.solvers.search.tree_search import REGRETS, enlarged_pool, pool_room
from fogbound.solvers.sound_search.kernels import hashed_sampling as kernels
from fogbound.solvers.sound_search.kernels.hashed_sampling import Beginnings, WalkRoom, WalkTarget
from fogbound.solvers.sound_search.walks_by_rules import (
    MOST_CHOICES,
    WalkSettings,
    require_constant_sum,
    unended,
    unlike_actions,
)

PIECE = 50_000  # walks between two looks at whether to stop
FIRST_SETS, FIRST_CHOICES = 1 << 10, 1 << 6
MEGABYTES = 2048  # that information sets may take


@dataclass(frozen=True, eq=False)
class HashedStatistics:
    """What walks have left at the information sets that they came to, and how many walks there were."""

    pool: Pool = field(repr=False)
    walks: int

    @property
    def sets(self) -> int:
        """How many information sets are kept."""
        return int(self.pool.used[0])


class CompiledWalks:
    """Outcome sampling walks of both players, compiled.

    Parameters
    ----------
    game
        The game's compiled rules.
    settings
        How walks are drawn.
    """

    def __init__(self, game: CompiledRules, settings: WalkSettings) -> None:
        self.game, self.settings = game, settings
        self._here, self._ahead = trial_of(game), trial_of(game)
        self._room = self._walk_room(FIRST_CHOICES)
        rows, marks = np.zeros((game.beginnings, game.width), np.int64), np.zeros((game.beginnings, 2), np.int64)
        weight, seen = np.zeros(game.beginnings), np.zeros(2, np.int64)
        for k in range(game.beginnings):
            weight[k] = game.begin(game.rules, k, rows[k], seen)
            marks[k] = [mark(np.int64(0), np.int64(-1), code) for code in seen]
        self._root = Beginnings(rows, marks, weight, np.cumsum(weight))

    def nothing(self) -> HashedStatistics:
        """Before the first walk."""
        return HashedStatistics(pool_room(FIRST_SETS, FIRST_SETS * self.game.most_actions, REGRETS), 0)

    def walked(
        self, known: HashedStatistics, player: int, history: ActionObservationHistory, seed: int
    ) -> HashedStatistics:
        """What is known after the walks for one decision; what was known before is left as it is.

        Parameters
        ----------
        known
            What walks for earlier decisions have left.
        player
            Who decides.
        history
            What it did and saw.
        seed
            Of these walks.
        """
        game, target = self.game, self._target(player, history)
        pool, random = enlarged_pool(known.pool, len(known.pool.first), len(known.pool.code)), np.array([seed])
        done = 0
        while done < self.settings.walks:
            check()
            many = min(PIECE, self.settings.walks - done)
            position = (self._here, self._ahead, self._room, random, known.walks + done, many)
            made, why = kernels.hashed_walks(*game.functions[:4], game.rules, self._root, target, pool, *position)
            done += made
            require_constant_sum(game.spec, *self._room.paid.tolist())
            if why == kernels.CLASH:
                raise unlike_actions(game.spec)
            if why == kernels.NO_ROOM:
                pool = self._more_room(pool)
        return HashedStatistics(pool, known.walks + done)

    def average(
        self, known: HashedStatistics, player: int, history: ActionObservationHistory, actions: Sequence[Hashable]
    ) -> Floats:
        """The average strategy at a decision; every move alike where it was never met.

        Parameters
        ----------
        known
            What walks have left.
        player
            Who decides.
        history
            What it did and saw.
        actions
            What it may do.
        """
        word = np.int64(0)
        for action, seen in history.steps():
            word = mark(word, *self._codes(player, action, seen))
        node = int(pools.lookup_node(known.pool, node_key(word, player)))
        if node < 0:
            return np.full(len(actions), 1 / len(actions))
        first, size = int(known.pool.first[node]), int(known.pool.size[node])
        if known.pool.code[first : first + size].tolist() != [self.game.action_code(action) for action in actions]:
            raise unlike_actions(self.game.spec)
        parts = known.pool.average[first : first + size]
        return parts / parts.sum() if parts.any() else np.full(size, 1 / size)

    def _codes(self, player: int, action: Hashable | None, seen: Observation) -> tuple[np.int64, np.int64]:
        code = -1 if action is None else self.game.action_code(action)
        return np.int64(code), np.int64(self.game.observation_code(player, seen))

    def _target(self, player: int, history: ActionObservationHistory) -> WalkTarget:
        (_, first), *steps = history.steps()
        codes = np.array([self._codes(player, *step) for step in steps], np.int64).reshape(-1, 2)
        known = mark(np.int64(0), *self._codes(player, None, first))
        begins = np.flatnonzero((self._root.marks[:, player] == known) & (self._root.weight > 0))
        weight, share = self._root.weight[begins], np.zeros(len(self._root.weight))
        upto = np.cumsum(weight / weight.sum())
        share[begins] = np.diff(upto, prepend=0.0)
        numbers = np.array([self.settings.targeted, self.settings.explore, self.game.discount])
        columns = codes[:, 0].copy(), codes[:, 1].copy(), begins, upto, share
        return WalkTarget(np.array([player]), *columns, numbers)

    def _more_room(self, pool: Pool) -> Pool:
        """Twice the room of what is short; LimitError where that is more than allowed."""
        nodes, edges = len(pool.first), len(pool.code)
        full, narrow = pool.used[0] == nodes, pool.used[1] + self.game.most_actions > edges
        if not full and not narrow:
            choices = 2 * len(self._room.node)
            if choices > MOST_CHOICES:
                raise unended(self.game.spec)
            self._room = self._walk_room(choices)
            return pool
        nodes *= 2 if full else 1
        edges *= 2 if narrow else 1
        if (nodes * 10 + edges * 6) * 8 > MEGABYTES * 2**20:
            raise LimitError(
                f"{self.game.spec}: the information sets of {self.settings.walks:,} walks a decision need over "
                f"{MEGABYTES:,} MB; take fewer walks"
            )
        return enlarged_pool(pool, nodes, edges)

    def _walk_room(self, choices: int) -> WalkRoom:
        most = max(self.game.most_actions, self.game.most_outcomes)
        whole = {name: np.zeros(choices, np.int64) for name in ("node", "mover", "taken")}
        reals = {name: np.zeros(choices) for name in ("others", "sampled", "likely")}
        return WalkRoom(
            **whole,
            **reals,
            strategy=np.zeros(most),
            chances=np.zeros(most),
            moves=np.zeros(most, np.bool_),
            fits=np.zeros(most, np.bool_),
            paid=np.array([np.inf, -np.inf]),
            way=np.zeros(3),
        )
