"""Corners: what the blind player could have if it saw the state, with the other's mixture in every state."""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.kernels import stage_start
from fogbound.kernels.stage_columns import MOST_COLUMNS
from fogbound.kernels.stage_master import new_master
from fogbound.solvers.one_sided.first import first_bounds
from fogbound.solvers.one_sided.shifted import Shifted


def seeing_all(scaled: Shifted) -> Floats:
    """[S] what the blind player could have at most if it saw the state, with all its actions."""
    corner, _ = first_bounds(scaled, np.ones(len(scaled.form.action), bool))
    return corner


def corner_mixtures(scaled: Shifted) -> tuple[Floats, Floats]:
    """([S] values, shifted and scaled, [K] shares of rows) that hold together, whatever points know better."""
    form, game, mask = scaled.form, scaled.game, np.ones(len(scaled.form.action), bool)
    corner = seeing_all(scaled)
    seen = np.zeros(len(form.seeing))
    table = np.zeros((scaled.slots, scaled.rows))
    belief, y, shares = np.zeros(scaled.wide), np.zeros(scaled.rows), np.zeros(MOST_COLUMNS)
    for p in range(len(form.first) - 1):
        slots, first = stage_start.payoffs(game, corner, p, mask, table), int(game.first[p])
        base = int(game.row[first])
        master = new_master(1, int(game.row[game.first[p + 1]]) - base)
        for s in range(first, int(game.first[p + 1])):
            low, high = int(game.row[s]) - base, int(game.row[s + 1]) - base
            belief[:] = 0.0
            belief[s - first] = 1.0
            stage_start.matrix_value(game, p, master, table, slots, low, high, belief, y, shares)
            seen[base + low : base + high] = np.maximum(y[low:high], 0.0)
    return corner, seen
