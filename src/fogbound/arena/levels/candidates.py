"""Who an opponent may be: the levels of one seat, how likely each is beforehand, and which of them are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fogbound.arena.levels.classes import classes
from fogbound.core.errors import FormError, SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.core.policy import Player
from fogbound.forms.table import Floats, Table
from fogbound.forms.table import table as enumerate_game


@dataclass(frozen=True, eq=False)
class Candidates:
    """L policies of one seat in C classes. Members of a class choose alike and may differ only after a slip.

    A log of players whose hands never slip cannot tell the members of a class apart. One with slips sometimes can,
    so likelihoods are computed for each level, and a class is what its members are together.
    """

    table: Table = field(repr=False)
    seat: int
    policies: tuple[Player, ...] = field(repr=False)
    prior: Floats  # [L]
    classes: tuple[tuple[int, ...], ...]  # levels by class

    @cached_property
    def class_prior(self) -> Floats:
        """[C] the prior of each class: that of its members together."""
        return np.array([self.prior[list(members)].sum() for members in self.classes])

    @cached_property
    def twins(self) -> list[tuple[int, ...]]:
        """Levels that are alike even after slips: one computation serves them all."""
        return classes(self.policies, slips=True)

    def by_class(self, levels: Floats) -> Floats:
        """[..., C] log likelihoods of classes from those of levels: members in proportion to their prior."""
        weighted = levels + np.log(self.prior)
        joined = [np.logaddexp.reduce(weighted[..., list(members)], axis=-1) for members in self.classes]
        found: Floats = np.stack(joined, axis=-1) - np.log(self.class_prior)
        return found


def candidates(
    game: AnyGame | Table, seat: int, policies: Sequence[Player], prior: Sequence[float] | None = None
) -> Candidates:
    """The policies that `seat` may be playing, level by level; all equally likely when no prior is given."""
    table = game if isinstance(game, Table) else enumerate_game(game)
    if not 0 <= seat < len(table.players):
        raise FormError(f"{table.spec}: player {seat}, expected a seat from 0 to {len(table.players) - 1}")
    weights = np.full(len(policies), 1.0) if prior is None else np.array(prior, np.float64)
    if not len(policies) or weights.shape != (len(policies),) or not (np.isfinite(weights) & (weights > 0)).all():
        raise SpecError(
            f"candidates: prior {brief(prior)} for {len(policies)} policies, expected a number above 0 each"
        )
    table = game if isinstance(game, Table) else enumerate_game(game)
    return Candidates(table, seat, tuple(policies), weights / weights.sum(), tuple(classes(policies)))
