"""Corners: what the blind player could have if it saw the state, with the other's mixture in every state."""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.kernels import stage_start
from fogbound.solvers.one_sided.first import first_bounds
from fogbound.solvers.one_sided.shifted import Shifted


def seeing_all(scaled: Shifted) -> Floats:
    """[S] what the blind player could have at most if it saw the state, with all its actions."""
    corner, _ = first_bounds(scaled, scaled.game)
    return corner


def corner_mixtures(scaled: Shifted) -> tuple[Floats, Floats]:
    """([S] values, shifted and scaled, [K] shares of rows) that hold together, whatever points know better."""
    sweep = scaled.sweep()
    sweep.values[:] = seeing_all(scaled)
    stage_start.seen_sweep(scaled.game, scaled.work(), sweep, len(scaled.game.first) - 1)
    return sweep.values, np.maximum(sweep.mixture, 0.0)
