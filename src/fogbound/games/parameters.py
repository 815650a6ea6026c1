"""Refusals of parameters that no game could be played with, in one line each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from fogbound.core.contract import require_discount
from fogbound.core.errors import SpecError, brief
from fogbound.core.game import AnyGame


def require_ranges(game: AnyGame, **ranges: tuple[float, float]) -> None:
    """Refuse a parameter outside its range (least, most), where `math.inf` is no bound; and what is no discount."""
    for name, (least, most) in ranges.items():
        found = vars(game)[name]
        if not least <= found <= most:
            wanted = f"{least} to {most}" if most < math.inf else f"at least {least}"
            raise SpecError(f"{game.name}: {name} is {found}, expected {wanted}")
    require_discount(game.name, game.discount, SpecError)


def require_parameters(game: str, found: Mapping[str, Any], expected: Mapping[str, tuple[bool, str]]) -> None:
    """Refuse the first parameter that is not as expected: by name, whether it is, and how it should be."""
    for name, (holds, wanted) in expected.items():
        if not holds:
            raise SpecError(f"{game}: {name} is {brief(found[name])}, expected {wanted}")
