"""One seat of a game as a Gymnasium environment: the others, whose policies are given, are part of the world.

Needs the extra `fogbound[environments]`. Also known to `gymnasium.make` as ``fogbound/Seat-v0``, once this module is
imported: ``gymnasium.make("fogbound.interop.gymnasium:fogbound/Seat-v0", game="kuhn", against="uniform")``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.arena.episode import MOST_STEPS
from fogbound.core.dist import Rng
from fogbound.core.errors import PolicyError
from fogbound.core.policy import AnyPolicy, Mixed, drawn
from fogbound.forms.induced import moves
from fogbound.interop.course import Course, Ledger
from fogbound.interop.extra import environments_extra
from fogbound.interop.learner_view import Shown, price_of
from fogbound.interop.rendering import MODES, rendered, require_mode
from fogbound.interop.vector import SeatVectorEnv
from fogbound.interop.views import (
    MOST_STATES,
    Observing,
    Others,
    enumerate_game,
    may_end_unasked,
    strategies_of,
    view_of,
)
from fogbound.naming.games import GameLike, player_index
from fogbound.naming.games import game as game_named

with environments_extra():
    import gymnasium

NAME = "fogbound/Seat-v0"


class SeatEnv(gymnasium.Env):
    """One player against given policies.

    An episode is a game. Every step is one decision of the player: what the others do until it is asked again is part
    of the step, its reward is what was paid meanwhile, and ``info["discount"]`` says how much all that follows counts
    (1 unless the game discounts). The first reward holds what was paid before the first decision.

    At the end of an episode the mask allows every action: Gymnasium's vector environments ask for one more action there
    (`AutoresetMode.NEXT_STEP`, their default), which they ignore.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes.
    player
        Whose seat it is, by index or name.
    against
        How the others play: a policy for all of them, whatever `fogbound.policy` takes, or a dict by player.
    observing
        What is shown: ``"observation"``, ``"history"``, ``"information-set"``, ``"belief"`` (as against these others),
        or a function from the player's index to an encoder.
    forfeit
        What an illegal action is paid, which ends the game; None: it is an error.
    actions
        All that may ever be done, in a game too large to be enumerated (with an encoder of one's own).
    most_steps
        After how many steps of the game an episode is truncated.
    limit
        How many states the game may have.
    render_mode
        ``"ansi"``, ``"rgb_array"`` (needs `fogbound[pictures]`) or ``"svg"``: what the player sees.

    Examples
    --------
    >>> env = SeatEnv("kuhn", against="uniform", observing="information-set")
    >>> shown, info = env.reset(seed=1)
    >>> shown["action_mask"].tolist(), [env.view.actions[a] for a in np.flatnonzero(env.action_masks())]
    ([1, 1, 0, 0], ['check', 'bet'])
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(MODES), "render_fps": 2}

    def __init__(
        self,
        game: GameLike,
        player: int | str = 0,
        against: Others | None = None,
        *,
        observing: Observing = "history",
        forfeit: float | None = None,
        actions: Sequence[Hashable] | None = None,
        most_steps: int = MOST_STEPS,
        limit: int = MOST_STATES,
        render_mode: str | None = None,
    ) -> None:
        require_mode(render_mode)
        self.game, self.render_mode, self.forfeit, self.most_steps = game_named(game), render_mode, forfeit, most_steps
        self.player = player_index(player, self.game)
        self.others = strategies_of(self.game, against, [self.player])
        form = enumerate_game(self.game, observing, actions, limit)
        waits = may_end_unasked(form, self.player)
        self.view = view_of(self.game, form, self.player, observing, self.others, actions, waits, most_steps)
        self.views = {self.view.name: self.view}
        self.observation_space, self.action_space = self.view.space, self.view.action_space
        self._course = Course(self.game if form is None else form)
        self._ledger = Ledger(self.game.discount, told_at_first=False)
        self._mixed = any(isinstance(policy, Mixed) for policy in self.others.values())  # then one is drawn each game
        self._policies: dict[int, AnyPolicy] = {} if self._mixed else dict(self.others)
        self._memories: dict[int, Any] = {}
        self._memory: Any = None
        self._done = True

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[Shown, dict[str, Any]]:
        """Deal, and play until the player is asked; no options are known."""
        super().reset(seed=seed)
        course, rng = self._course, self._rng
        if self._mixed:
            self._policies = dict(zip(self.others, drawn(list(self.others.values()), [rng] * len(self.others))))
        self._done = False
        course.begin(rng)
        self._memories = {i: policy.begin(course.seen(i)) for i, policy in self._policies.items()}
        self._memory = self.view.begin(course.seen(self.player))
        self._ledger.begin(course.rewards[self.player])
        self._until_asked()
        return self._shown(), {"discount": 1.0}

    def step(self, action: Any) -> tuple[Shown, float, bool, bool, dict[str, Any]]:
        """Decide, and play until the player is asked again or it is over."""
        if self._done:
            raise PolicyError(f"{self.game}: the game is over, or was not begun: reset() first")
        course, legal = self._course, self._course.legal_of(self.player)
        place = self.view.chosen(action, legal)
        if place is None:
            return self._forfeited(int(action), legal)
        self._ledger.decide()
        if legal:
            self._turn(place)
            self._until_asked()
        terminated = course.over
        self._done = terminated or self._cut
        info = {"discount": self._ledger.factor}
        return self._shown(), self._ledger.collect(), terminated, self._done and not terminated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, for learners that ask the environment for it."""
        return self._mask().astype(bool)

    def render(self) -> Any:
        """What the player sees, as `render_mode` says; None without one."""
        if self.render_mode is None:
            return None
        return rendered(self.game, self._course.label, self.player, self.render_mode)

    @property
    def _rng(self) -> Rng:
        rng: Rng = self.np_random
        return rng

    @property
    def _cut(self) -> bool:
        return self._course.time >= self.most_steps

    def _shown(self) -> Shown:
        asked = bool(self._course.legal_of(self.player))
        return {"observation": self.view.encoder.encode(self._memory, asked), "action_mask": self._mask()}

    def _mask(self) -> NDArray[np.int8]:
        """[size] 1 for legal actions; at the end for all of them, since none has an effect."""
        if self._done:
            return np.ones(self.view.size, np.int8)
        return self.view.mask(self._course.legal_of(self.player))

    def _until_asked(self) -> None:
        while not self._course.over and self.player not in self._course.actors and not self._cut:
            self._turn(None)

    def _turn(self, own: int | None) -> None:
        """One step of the game, in which the player does what stands at place `own`, if it is asked."""
        course, rng = self._course, self._rng
        joint, did = [], dict[int, Hashable]()
        for i, legal in zip(course.actors, course.legal):
            place = own if i == self.player else self._chosen(i, legal, rng)
            assert place is not None
            joint.append(place)
            did[i] = legal[place]
        course.step(joint, rng)
        self._ledger.step(course.rewards[self.player])
        self._memory = self.view.update(self._memory, did.get(self.player), course.seen(self.player))
        for i, policy in self._policies.items():
            self._memories[i] = policy.update(self._memories[i], did.get(i), course.seen(i))

    def _chosen(self, player: int, legal: tuple[Hashable, ...], rng: Rng) -> int:
        chosen = moves(self._policies[player], self._memories[player], legal)
        point = rng.random() if len(chosen) > 1 else -1.0
        for place, p in chosen:
            point -= p
            if point < 0:
                return place
        return chosen[-1][0]

    def _forfeited(self, number: int, legal: tuple[Hashable, ...]) -> tuple[Shown, float, bool, bool, dict[str, Any]]:
        """An illegal action: an error, or the end of the game at a price, as was asked for."""
        why = self.view.refused(number, legal)
        price = price_of(why, self.forfeit)
        self._ledger.decide()
        self._ledger.step(price)
        self._done = True
        return self._shown(), self._ledger.collect(), True, False, {"discount": self._ledger.factor, "illegal": why}


env, vector_env = SeatEnv, SeatVectorEnv  # the names that users of environments look for

if NAME not in gymnasium.registry:
    gymnasium.register(NAME, entry_point=SeatEnv, vector_entry_point=SeatVectorEnv, order_enforce=False)
