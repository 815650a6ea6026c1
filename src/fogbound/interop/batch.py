"""Many games of one kind, stepped at once by compiled code, as plain arrays: the player to move decides in each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fogbound.arena.episode import MOST_STEPS
from fogbound.compiled.draws import mixed
from fogbound.core.errors import PolicyError, SpecError, brief
from fogbound.forms.arrays import Floats, Longs
from fogbound.interop.batch_encoding import batch_model
from fogbound.interop.kernels.batches import Turns, begin_turns, step_turns
from fogbound.interop.learner_view import LearnerView
from fogbound.interop.views import MOST_STATES, over_at_start
from fogbound.naming.games import GameLike
from fogbound.naming.games import game as game_named

Bytes = NDArray[np.int8]


class GameBatch:
    """Many games of one kind, stepped at once; a game that is over begins anew in the same step.

    A step is one decision in every game, by the player to move: who moves simultaneously decides one after the other
    and sees nothing of it. Game i draws from the stream of `seed` + i, whatever is played beside it.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes.
    count
        How many games.
    observing
        What the player to move is shown: ``"observation"``, ``"history"`` or ``"information-set"``, as in `SeatEnv`.
    actions
        All that may ever be done, in a game with compiled rules that is too large to be enumerated: it is played by
        those rules, and what is shown of an observation is its code there.
    most_steps
        After how many steps a game is cut.
    limit
        How many states the game may have.
    seed
        Where the random numbers begin.

    Attributes
    ----------
    player
        [count] Who is to move, by index.
    observations
        [count, numbers] What this player is shown, rows of different players padded with 0; [count] where it is one
        number, of an information set.
    mask
        [count, actions] 1 where the action of `views[player].actions` at this place is legal.
    done, cut
        [count] Whether a game ended in the last step; whether that was because of `most_steps`.
    returns
        [count, players] The discounted return of the last game that ended.
    time
        [count] How many steps were played in this game.
    views
        By name of the player, its actions by number and what it is shown; `fogbound.interop.agent` reads them here.

    Examples
    --------
    >>> import numpy as np
    >>> batch = GameBatch("kuhn", 4, observing="information-set", seed=1)
    >>> batch.player.tolist(), batch.mask.tolist()[0]
    ([0, 0, 0, 0], [1, 1, 0, 0])
    >>> observations, rewards, done, mask = batch.step(batch.mask.argmax(axis=1))
    >>> observations, rewards, done, mask = batch.step(batch.mask.argmax(axis=1))
    >>> done.all(), sorted(set(map(tuple, rewards.tolist())))
    (np.True_, [(-1.0, 1.0), (1.0, -1.0)])
    """

    def __init__(
        self,
        game: GameLike,
        count: int,
        *,
        observing: str = "history",
        actions: Sequence[Hashable] | None = None,
        most_steps: int = MOST_STEPS,
        limit: int = MOST_STATES,
        seed: int | None = None,
    ) -> None:
        self.count = game_count(count)
        self.game, self.most_steps = game_named(game), most_steps
        self._model = model = batch_model(self.game, observing, actions, most_steps, limit)
        self.views: dict[str, LearnerView] = {view.name: view for view in model.views}
        players = len(model.views)
        self._plays = model.plays(self.count)
        self._turns = Turns(
            player=np.zeros(count, np.int64),
            observation=np.zeros((count, model.numbers(range(players))), np.int64),
            mask=np.zeros((count, max(view.size for view in model.views)), np.int8),
            rewards=np.zeros((count, players)),
            done=np.zeros(count, np.bool_),
            cut=np.zeros(count, np.bool_),
            returns=np.zeros((count, players)),
            total=np.zeros((count, players)),
            scale=np.ones(count),
            due=np.zeros((count, players)),
        )
        self._rows = np.arange(count)
        self.reset(fresh_seed() if seed is None else seed)

    def reset(self, seed: int | Sequence[int] | None = None) -> tuple[Longs, Bytes]:
        """Begin every game anew.

        Parameters
        ----------
        seed
            Where random numbers begin: game i has `seed` + i, or the i-th of several. None: they go on.

        Returns
        -------
        tuple
            Observations and mask.
        """
        model, turns = self._model, self._turns
        if seed is not None:
            self._plays.random[:, 0] = random_streams(seed, self.count)
        begin, actors, legal, *_ = model.functions
        rules = model.compiled.rules, model.encoding, self._plays, turns
        if begin_turns(begin, actors, legal, *rules, model.kind) >= 0:
            raise over_at_start(str(self.game))
        model.require_listed(self._plays)
        turns.done[:], turns.cut[:], turns.rewards[:] = False, False, 0.0
        return self.observations, self.mask

    def step(self, actions: ArrayLike) -> tuple[Longs, Floats, NDArray[np.bool_], Bytes]:
        """One decision in every game.

        Parameters
        ----------
        actions : [count]
            The number of an action of each game's player to move.

        Returns
        -------
        tuple
            Observations, rewards [count, players], done [count] and mask. Rewards are those of this step of the game,
            0 while simultaneous movers still decide; what the start pays is part of the first step's.

        Raises
        ------
        PolicyError
            An action is not legal; nothing was played.
        """
        model, turns = self._model, self._turns
        chosen = action_numbers(actions, self.count)
        self._require_legal(chosen)
        rules = model.compiled.rules, model.encoding, self._plays, turns
        sizes = model.kind, self.most_steps, model.compiled.discount
        if step_turns(*model.functions, *rules, chosen, *sizes) >= 0:
            raise over_at_start(str(self.game))
        model.require_listed(self._plays)
        return self.observations, turns.rewards.copy(), turns.done.copy(), self.mask

    @property
    def player(self) -> Longs:
        return self._turns.player.copy()

    @property
    def observations(self) -> Longs:
        shown = self._turns.observation
        return (shown[:, 0] if self._model.scalar else shown).copy()

    @property
    def mask(self) -> Bytes:
        return self._turns.mask.copy()

    @property
    def done(self) -> NDArray[np.bool_]:
        return self._turns.done.copy()

    @property
    def cut(self) -> NDArray[np.bool_]:
        return self._turns.cut.copy()

    @property
    def returns(self) -> Floats:
        return self._turns.returns.copy()

    @property
    def time(self) -> Longs:
        return self._plays.time.copy()

    def state(self, number: int) -> Hashable:
        """The state of one game, as the author wrote it."""
        return self._model.compiled.state(self._plays.state[number].tolist())

    def _require_legal(self, chosen: Longs) -> None:
        turns = self._turns
        inside = (chosen >= 0) & (chosen < turns.mask.shape[1])
        legal = inside & (turns.mask[self._rows, np.where(inside, chosen, 0)] > 0)
        if legal.all():
            return
        game = int(np.argmin(legal))
        view = self._model.views[turns.player[game]]
        may = tuple(view.actions[number] for number in np.flatnonzero(turns.mask[game]).tolist())
        view.chosen(int(chosen[game]), may)  # raises where it is no number of an action
        raise PolicyError(f"game {game}: {view.refused(int(chosen[game]), may)}")


def game_count(count: int) -> int:
    """How many games a batch has; SpecError where that is no number of games."""
    if not isinstance(count, int | np.integer) or count < 1:
        raise SpecError(f"count is {brief(count)}, expected how many games are played side by side, 1 or more")
    return int(count)


def action_numbers(actions: ArrayLike, count: int) -> Longs:
    """Actions as an array that kernels take; PolicyError where it is none."""
    chosen = np.asarray(actions)
    if chosen.shape != (count,) or chosen.dtype.kind not in "iu":
        raise PolicyError(
            f"actions are {brief(actions)} (shape {chosen.shape}, {chosen.dtype}), expected {count} whole numbers"
        )
    return np.ascontiguousarray(chosen, np.int64)


def fresh_seed() -> int:
    """A seed that nobody knows beforehand."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))


def random_streams(seed: int | Sequence[int], count: int) -> Longs:
    """[count] Where the random numbers of each game begin: seed, seed + 1, …, or one seed each."""
    if isinstance(seed, int | np.integer):
        seeds = [(int(seed) + game) % 2**64 for game in range(count)]
    else:
        seeds = [int(each) % 2**64 for each in seed]
        if len(seeds) != count:
            raise SpecError(f"{len(seeds)} seeds are given, expected {count}, one for each game")
    words = np.array(seeds, np.uint64).view(np.int64)
    return np.array([mixed(word) for word in words], np.int64)
