"""Explore: a solution as strategy, controller, tree, beliefs, matrix or bounds; everything selected has an address."""

from fogbound.web.explore.routes import router

__all__ = ["router"]
