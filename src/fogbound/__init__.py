"""Fogbound: solve and play games whose players cannot see everything.

>>> import fogbound as fb
>>> from fogbound.driver.solve import solve
>>> game = fb.game("card-poker(ranks=3)")
>>> answer = solve(fb.solver("sequence-lp"), fb.forms.sequence(game))
>>> round(answer.value, 6)
-0.055556

Everything is imported only when it is first used, so that `import fogbound` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_PLACES = {
    "Dist": "fogbound.core",
    "Game": "fogbound.core",
    "Outcome": "fogbound.core",
    "Policy": "fogbound.core",
    "Observation": "fogbound.core",
    "Board": "fogbound.core",
    "Tile": "fogbound.core",
    "FogboundError": "fogbound.core",
    "Until": "fogbound.driver.solve",
    "Progress": "fogbound.driver.solve",
    "Solution": "fogbound.driver.solve",
    "match": "fogbound.arena",
    "save": "fogbound.files",
    "load": "fogbound.files",
}
_RENAMED = {"game": ("fogbound.games", "make"), "solver": ("fogbound.solvers", "make")}
_MODULES = (
    "arena",
    "core",
    "draw",
    "evaluate",
    "files",
    "forms",
    "games",
    "inference",
    "policies",
    "solvers",
    "transforms",
)

__all__ = [*_PLACES, *_RENAMED, *_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(importlib.import_module(_PLACES[name]), name)
    if name in _RENAMED:
        module, attribute = _RENAMED[name]
        return getattr(importlib.import_module(module), attribute)
    if name in _MODULES:
        return importlib.import_module(f"fogbound.{name}")
    raise AttributeError(f"module 'fogbound' has no attribute {name!r}")
