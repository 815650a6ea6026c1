"""One seat in many games at once, as a Gymnasium vector environment that compiled code steps.

Needs the extra `fogbound[environments]`. ``gymnasium.make_vec("fogbound.interop.gymnasium:fogbound/Seat-v0",
num_envs=1024, vectorization_mode="vector_entry_point", game="leduc", against="uniform")`` makes one, too.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fogbound.arena.episode import MOST_STEPS
from fogbound.core.errors import PolicyError, SpecError, brief
from fogbound.forms.arrays import Floats
from fogbound.interop.batch import action_numbers, fresh_seed, game_count, random_streams
from fogbound.interop.batch_encoding import batch_model
from fogbound.interop.extra import environments_extra
from fogbound.interop.kernels.batches import DISABLED, NEXT_STEP, SAME_STEP, Seats, reset_seats, step_seats
from fogbound.interop.learner_view import Shown, price_of
from fogbound.interop.views import MOST_STATES, Others, strategies_of
from fogbound.naming.games import GameLike, player_index
from fogbound.naming.games import game as game_named

with environments_extra():
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

AGAIN = {
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.DISABLED: DISABLED,
}
METADATA: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}


class SeatVectorEnv(VectorEnv):
    """One player against given policies, in many games at once: `SeatEnv` for all of them, by compiled code.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes.
    num_envs
        How many games.
    player
        Whose seat it is, by index or name.
    against
        How the others play: a policy for all of them, or a dict by player. Policies other than ``"uniform"`` need a
        game with information sets, by which they are tabulated.
    observing
        What is shown: ``"observation"``, ``"history"`` or ``"information-set"``, as in `SeatEnv`.
    forfeit
        What an illegal action is paid, which ends the game; None: it is an error.
    actions
        All that may ever be done, in a game with compiled rules that is too large to be enumerated: it is played by
        those rules, and what is shown of an observation is its code there.
    most_steps
        After how many steps of the game an episode is truncated.
    limit
        How many states the game may have.
    autoreset_mode
        When a game that is over begins anew, as Gymnasium means it: with the next step, in the same, or never.

    Examples
    --------
    >>> import numpy as np
    >>> games = SeatVectorEnv("kuhn", 3, against="uniform", observing="information-set")
    >>> shown, infos = games.reset(seed=1)
    >>> shown["observation"].shape, shown["action_mask"].tolist()[0]
    ((3,), [1, 1, 0, 0])
    >>> shown, rewards, ended, cut, infos = games.step(shown["action_mask"].argmax(axis=1))
    """

    metadata: dict[str, Any] = METADATA

    def __init__(
        self,
        game: GameLike,
        num_envs: int = 1,
        player: int | str = 0,
        against: Others | None = None,
        *,
        observing: str = "history",
        forfeit: float | None = None,
        actions: Sequence[Hashable] | None = None,
        most_steps: int = MOST_STEPS,
        limit: int = MOST_STATES,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        super().__init__()
        self.num_envs = game_count(num_envs)
        self.game, self.forfeit, self.most_steps = game_named(game), forfeit, most_steps
        self.player = player_index(player, self.game)
        self.others = strategies_of(self.game, against, [self.player])
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {**METADATA, "autoreset_mode": self.autoreset_mode}
        model = batch_model(self.game, observing, actions, most_steps, limit, self.player, self.others)
        self._model, self._plays = model, model.plays(self.num_envs)
        self.view = model.views[self.player]
        self.views = {self.view.name: self.view}
        self.single_observation_space, self.single_action_space = self.view.space, self.view.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._seats = _room(self.num_envs, model.numbers([self.player]), self.view.size)
        self._begun = self._seeded = False

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Shown, dict[str, Any]]:
        """Deal, and play until the player is asked, in all games or in those of ``options["reset_mask"]``.

        Game i draws from the stream of `seed` + i, or of the i-th of several seeds; without one its numbers go on.
        """
        chosen = np.ones(self.num_envs, np.bool_) if not options else self._asked_for(options)
        if seed is None and not self._seeded:
            seed = fresh_seed()
        if seed is not None:
            self._plays.random[chosen, 0] = random_streams(seed, self.num_envs)[chosen]
            self._seeded = True
        model, self._begun = self._model, True
        rules = model.compiled.rules, model.encoding, self._plays, self._seats
        reset_seats(*model.functions, *rules, chosen, *self._sizes)
        model.require_listed(self._plays)
        return self._shown(), _told("discount", np.where(chosen, 1.0, 0.0), chosen)

    def step(self, actions: ArrayLike) -> tuple[Shown, Floats, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Decide in every game, and play until the player is asked again or it is over."""
        model, seats = self._model, self._seats
        chosen = action_numbers(actions, self.num_envs)
        waiting = seats.over & (self.autoreset_mode == AutoresetMode.NEXT_STEP)
        if not self._begun or (seats.over & ~waiting).any():
            raise PolicyError(f"{self.game}: a game is over, or was not begun: reset() first")
        illegal = self._illegal(chosen)
        rules = model.compiled.rules, model.encoding, self._plays, seats
        price = 0.0 if self.forfeit is None else self.forfeit
        step_seats(*model.functions, *rules, chosen, *self._sizes, price, AGAIN[self.autoreset_mode])
        model.require_listed(self._plays)
        ended, cut = seats.terminated.copy(), seats.truncated.copy()
        return self._shown(), seats.reward.copy(), ended, cut, self._infos(ended | cut, illegal)

    def action_masks(self) -> NDArray[np.bool_]:
        """[num_envs, actions] Which actions are legal now."""
        return self._seats.mask.astype(bool)

    @property
    def _sizes(self) -> tuple[Any, ...]:
        return self.player, self._model.kind, self.most_steps, self._model.compiled.discount

    def _shown(self) -> Shown:
        return {"observation": self._one(self._seats.observation).copy(), "action_mask": self._seats.mask.copy()}

    def _one(self, shown: NDArray[np.int64]) -> NDArray[np.int64]:
        return shown[..., 0] if self._model.scalar else shown

    def _asked_for(self, options: dict[str, Any]) -> NDArray[np.bool_]:
        """The games that are to begin anew."""
        unknown = [name for name in options if name != "reset_mask"]
        if unknown:
            raise SpecError(f"reset: option {unknown[0]!r} is not known, expected reset_mask")
        mask = options["reset_mask"]
        fits = isinstance(mask, np.ndarray) and mask.shape == (self.num_envs,) and mask.dtype == np.bool_
        if not fits or not mask.any():
            raise SpecError(
                f"reset_mask is {brief(mask)}, expected {self.num_envs} booleans, at least one of them true"
            )
        if not self._begun:
            raise PolicyError(f"{self.game}: no game was begun: reset() all of them first")
        return np.ascontiguousarray(mask)

    def _illegal(self, chosen: NDArray[np.int64]) -> dict[int, str]:
        """The complaint about each illegal action, by game; PolicyError where such an action has no price."""
        view, seats = self.view, self._seats
        inside = (chosen >= 0) & (chosen < view.size)
        if not inside.all():
            view.chosen(int(chosen[np.argmin(inside)]), ())  # raises: no number of an action
        found = {}
        for game in np.flatnonzero(seats.mask[np.arange(self.num_envs), chosen] == 0).tolist():
            legal = np.flatnonzero(seats.mask[game, : len(view.actions)]).tolist()
            why = view.refused(int(chosen[game]), tuple(view.actions[number] for number in legal))
            price_of(f"game {game}: {why}" if self.forfeit is None else why, self.forfeit)
            found[game] = why
        return found

    def _infos(self, over: NDArray[np.bool_], illegal: dict[int, str]) -> dict[str, Any]:
        """What Gymnasium's own vector environments say beside, in their way: each entry with a mask."""
        seats, everywhere = self._seats, np.ones(self.num_envs, np.bool_)
        same = self.autoreset_mode == AutoresetMode.SAME_STEP
        infos = _told("discount", np.where(seats.dealt, 1.0, seats.discount), everywhere)
        complaints = _told("illegal", _objects(self.num_envs, illegal), _flags(self.num_envs, illegal))
        if not (same and over.any()):
            return infos | (complaints if illegal else {})
        last = np.flatnonzero(over).tolist()
        shown = {
            game: {
                "observation": self._one(seats.final_observation[game]).copy(),
                "action_mask": seats.final_mask[game].copy(),
            }
            for game in last
        }
        final = _told("discount", np.where(over, seats.final_discount, 0.0), over) | (complaints if illegal else {})
        return infos | _told("final_obs", _objects(self.num_envs, shown), over) | _told("final_info", final, over)


def _mode(given: str | AutoresetMode) -> AutoresetMode:
    try:
        return AutoresetMode(given)
    except ValueError:
        modes = ", ".join(mode.value for mode in AutoresetMode)
        raise SpecError(f"autoreset_mode is {brief(given)}, expected one of Gymnasium's: {modes}") from None


def _room(count: int, numbers: int, actions: int) -> Seats:
    floats = {name: np.zeros(count) for name in ("reward", "discount", "due", "final_discount")}
    flags = {name: np.zeros(count, np.bool_) for name in ("terminated", "truncated", "over", "counts", "dealt")}
    shown = {name: np.zeros((count, numbers), np.int64) for name in ("observation", "final_observation")}
    masks = {name: np.zeros((count, actions), np.int8) for name in ("mask", "final_mask")}
    return Seats(**floats, **flags, **shown, **masks)


def _told(name: str, value: Any, where: NDArray[np.bool_]) -> dict[str, Any]:
    return {name: value, f"_{name}": where.copy()}


def _objects(count: int, found: dict[int, Any]) -> NDArray[Any]:
    listed = np.full(count, None, dtype=object)
    for game, value in found.items():
        listed[game] = value
    return listed


def _flags(count: int, found: dict[int, Any]) -> NDArray[np.bool_]:
    flags = np.zeros(count, np.bool_)
    flags[list(found)] = True
    return flags
