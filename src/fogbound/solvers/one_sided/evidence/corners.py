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
    form, game, work = scaled.form, scaled.game, scaled.work()
    sweep, seen = scaled.sweep(), np.zeros(len(form.seeing))
    sweep.values[:] = seeing_all(scaled)
    for p in range(len(form.first) - 1):
        slots, first = stage_start.payoffs(game, sweep, p), int(game.first[p])
        base = int(game.row[first])
        for s in range(first, int(game.first[p + 1])):
            low, high = int(game.row[s]), int(game.row[s + 1])
            stage_start.matrix_value(game, work, sweep, p, s, slots)
            seen[low:high] = np.maximum(work.y[low - base : high - base], 0.0)
    return sweep.values, seen
