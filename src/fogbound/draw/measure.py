"""Parts of a list set in lines, by how much room words take (`core.measure`)."""

from __future__ import annotations

from collections.abc import Sequence

from fogbound.core.measure import SIZE, clip, width_of

__all__ = ["SIZE", "clip", "width_of", "wrap"]


def wrap(parts: Sequence[str], room: float, size: float = SIZE, between: str = ", ", most: int = 99) -> list[str]:
    """Parts set in lines no wider than `room`; past `most` lines the last says how many parts are missing."""
    lines: list[list[str]] = []
    for part in (clip(p, room - width_of(between, size), size) for p in parts):
        if lines and width_of(between.join([*lines[-1], part]) + between, size) <= room:
            lines[-1].append(part)
        else:
            lines.append([part])
    if len(lines) > most:
        missing = sum(map(len, lines[most - 1 :]))
        return [between.join(row) + between.rstrip() for row in lines[: most - 1]] + [f"… {missing} more"]
    return [between.join(row) + (between.rstrip() if row is not lines[-1] else "") for row in lines]
