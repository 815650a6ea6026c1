"""The views of an answer, one file each: what a page shows of it, as plain values and pictures."""

from __future__ import annotations

from collections.abc import Callable

from fogbound.api.looking import Look
from fogbound.web.explore.address import Address
from fogbound.web.explore.views import beliefs, bounds, controller, matrix, strategy, tree
from fogbound.web.explore.views.shown import View

VIEWS: dict[str, tuple[str, Callable[[Look, int, Address], View]]] = {
    "strategy": ("Strategy", strategy.view),
    "controller": ("Controller", controller.view),
    "tree": ("Tree", tree.view),
    "beliefs": ("Beliefs", beliefs.view),
    "matrix": ("Matrix", matrix.view),
    "bounds": ("Bounds", bounds.view),
}
