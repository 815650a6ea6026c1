"""One line of the list of runs, made from the files of its run."""

from __future__ import annotations

from typing import NamedTuple

from fogbound.web.runs.folder import QUEUED, RunFolder


class RunRow(NamedTuple):
    """One run in the list."""

    id: str
    made: float
    state: str
    game: str
    solver: str
    lower: float | None
    upper: float | None
    gap: float | None
    seconds: float | None
    why: str


def row_of(folder: RunFolder) -> RunRow | None:
    """What the files of a run say of it; None where they are none of a run's."""
    asked, about, over = folder.asked(), folder.about(), folder.over()
    if asked is None:
        return None
    lower, upper, gap, seconds = (_figure(over.get(name)) for name in ("lower", "upper", "gap", "seconds"))
    return RunRow(
        folder.id,
        asked.made,
        str(over.get("state", QUEUED)),
        str(about.get("game") or asked.game),
        str(about.get("solver") or asked.solver),
        lower,
        upper,
        gap,
        seconds,
        str(over.get("why", "")),
    )


def _figure(found: object) -> float | None:
    return float(found) if isinstance(found, int | float) else None
