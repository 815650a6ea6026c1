"""Bounds: how the answer closed in, as steps and never smoothed."""

from __future__ import annotations

from fogbound.api.looking import Look
from fogbound.core.numerals import number
from fogbound.driver.solution import column
from fogbound.web.explore.address import Address
from fogbound.web.explore.views.shown import View

MOST = 40  # moments that are listed


def view(look: Look, player: int, asked: Address) -> View:  # noqa: ARG001, bounds are of the answer's player
    """The bounds over time."""
    low, high = look.solution.words
    trace = look.solution.trace
    shown = trace if len(trace) <= MOST else [trace[k * (len(trace) - 1) // (MOST - 1)] for k in range(MOST)]
    rows = [("seconds", "step", low, high)]
    rows += [(number(m.seconds, 3), f"{m.iteration:,}", column(m.lower, 8), column(m.upper, 8)) for m in shown]
    return View(look.bounds(), "A bound holds from the moment it was found.", python="bounds()", rows=rows)
