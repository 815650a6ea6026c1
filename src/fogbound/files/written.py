"""What is a strategy that is written down: a table or JSON by its ending, or a dict of words."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

ENDINGS = (".csv", ".json")


def is_written(source: object) -> bool:
    """Whether this is a strategy that was written down: a file of one by its ending, or a dict of words."""
    if isinstance(source, str | os.PathLike):
        return Path(source).suffix in ENDINGS
    return isinstance(source, Mapping)


def is_strategy(source: object) -> bool:
    """Whether a dict is one player's strategy, {what is known: {action: probability}}; others are by player."""
    return (
        isinstance(source, Mapping)
        and len(source) > 0
        and all(
            isinstance(one, Mapping) and all(isinstance(p, int | float) for p in one.values())
            for one in source.values()
        )
    )
