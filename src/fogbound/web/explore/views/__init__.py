"""The views of an answer: what a page shows of it, as plain values and pictures."""

from __future__ import annotations

from collections.abc import Callable

from fogbound.api.looking import Look
from fogbound.core.numerals import number
from fogbound.driver.solution import column
from fogbound.web.explore.address import Address
from fogbound.web.explore.views import beliefs, controller, strategy, tree
from fogbound.web.explore.views.shown import View, which_equilibrium

MOST = 40  # moments that are listed


def _bounds(look: Look, player: int, asked: Address) -> View:  # noqa: ARG001, bounds are of the answer's player
    """The bounds over time, as steps and never smoothed."""
    low, high = look.solution.words
    trace = look.solution.trace
    shown = trace if len(trace) <= MOST else [trace[k * (len(trace) - 1) // (MOST - 1)] for k in range(MOST)]
    rows = [("seconds", "step", low, high)]
    rows += [(number(m.seconds, 3), f"{m.iteration:,}", column(m.lower, 8), column(m.upper, 8)) for m in shown]
    return View(look.bounds(), "A bound holds from the moment it was found.", python="bounds()", rows=rows)


def _matrix(look: Look, player: int, asked: Address) -> View:  # noqa: ARG001, a matrix is of both players
    """The payoffs of a game for two by pure strategies, with how likely each is played."""
    return View(look.matrix(), which_equilibrium(look), python="matrix()")


VIEWS: dict[str, tuple[str, Callable[[Look, int, Address], View]]] = {
    "strategy": ("Strategy", strategy.view),
    "controller": ("Controller", controller.view),
    "tree": ("Tree", tree.view),
    "beliefs": ("Beliefs", beliefs.view),
    "matrix": ("Matrix", _matrix),
    "bounds": ("Bounds", _bounds),
}
