"""A generative model with hooks: its rollout policy and its estimates are those that a planner was given."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from numpy.random import Generator

from fogbound.core.game import AnyGame
from fogbound.solvers.search.generative import GenerativeModel
from fogbound.solvers.search.hooks import GameHooks, Hooks, drawn_action


class HookedModel:
    """A generative model whose rollout policy or estimate is a hook; all else is asked of the model.

    Parameters
    ----------
    model
        The model.
    hooks
        The hooks in its game.
    """

    def __init__(self, model: GenerativeModel, hooks: GameHooks) -> None:
        self.model, self.hooks = model, hooks
        self.initial, self.legal, self.step, self.density = model.initial, model.legal, model.step, model.density
        self.upper, self.lower = model.upper, model.lower
        self.remembered, self.observed = model.remembered, model.observed

    @property
    def spec(self) -> str:
        return self.model.spec

    @property
    def discount(self) -> float:
        return self.model.discount

    @property
    def has_density(self) -> bool:
        return self.model.has_density

    @property
    def has_value(self) -> bool:
        return self.hooks.value is not None or (self.hooks.rollout is None and self.model.has_value)

    @property
    def has_upper(self) -> bool:
        return self.model.has_upper

    @property
    def has_lower(self) -> bool:
        """A rollout policy is the default policy: it is valued by playing."""
        return self.hooks.rollout is None and self.model.has_lower

    @property
    def has_rollout(self) -> bool:
        return self.hooks.rollout is not None or self.model.has_rollout

    def estimate(self, state: Any) -> float:
        leaf = self.hooks.value
        return self.model.estimate(state) if leaf is None else float(leaf(state, 0))

    def rollout(self, state: Any, rng: Generator) -> Hashable:
        hook = self.hooks.rollout
        if hook is None:
            return self.model.rollout(state, rng)
        return drawn_action(hook(state, 0, self.model.legal(state)), rng)


def hooked_model(model: GenerativeModel, game: AnyGame, hooks: Hooks) -> tuple[GenerativeModel, GameHooks]:
    """A model with the hooks of a planner, and these in its game.

    Parameters
    ----------
    model
        The model of the game.
    game
        The game, of one player.
    hooks
        The hooks as they were given.

    Returns
    -------
    (GenerativeModel, GameHooks)

    Raises
    ------
    SpecError
        A name means no policy here, or one that plays by what was seen.
    """
    if not hooks.any:
        return model, GameHooks()
    found = hooks.on(game, (0,))
    if found.followed is not None:
        found.followed.refuse()
    return (HookedModel(model, found) if found.rollout or found.value else model), found
