"""The vectors that the blind player may promise, in every partition of its game."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fogbound.forms.arrays import Floats
from fogbound.forms.one_sided.form import OneSided
from fogbound.policies.stored import StoredBounds
from fogbound.solvers.one_sided.kernels.model import GameArrays
from fogbound.solvers.one_sided.play.stored import checked_vectors
from fogbound.solvers.one_sided.shaping import ShapedGame, largest_value, shaped_game


@dataclass(frozen=True, eq=False)
class KnownVectors:
    """Stored vectors on their game.

    In a partition without any, there is one that promises the least that could ever happen: whatever is done keeps it,
    so play goes on wherever it gets to. For the same reason no vector promises less.
    """

    stored: StoredBounds = field(repr=False)
    scaled: ShapedGame = field(repr=False)
    by_part: tuple[Floats, ...] = field(repr=False)  # [P] of [n, states], in the kernels' units

    @classmethod
    def on(cls, stored: StoredBounds, form: OneSided, scaled: ShapedGame | None = None) -> KnownVectors:
        """PolicyError where they do not fit the game, or are damaged."""
        sizes = checked_vectors(stored, form)
        scaled = scaled or shaped_game(form)
        rows: list[list[Floats]] = [[] for _ in range(len(form.state_start) - 1)]
        at, most = 0, largest_value(form)
        for part, size in zip(stored.arrays["node_part"].tolist(), sizes, strict=True):
            promised = stored.arrays["node_value"][at : at + size] - scaled.least[form.states_of(part)]
            rows[part].append(np.clip(promised / scaled.scale, 0.0, most))
            at += size
        wide = np.diff(form.state_start).tolist()
        return cls(stored, scaled, tuple(np.array(own or [np.zeros(size)]) for own, size in zip(rows, wide)))

    @property
    def form(self) -> OneSided:
        return self.scaled.form

    @property
    def game(self) -> GameArrays:
        """The game for kernels, whose units promises are in."""
        return self.scaled.game

    def of(self, partition: int) -> Floats:
        """[n, states] the vectors of a partition, in the kernels' units."""
        return self.by_part[partition]
