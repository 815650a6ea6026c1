"""Figures 5.1 to 5.6 of document 002: the bounds at the start over the portion of actions, one call each."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

from fogbound import archive, draw
from fogbound.core.errors import SpecError
from fogbound.reproduce.d002_hunts import PORTIONS, Run, at, best, chains
from fogbound.reproduce.d002_speed import DRAWS

MAPS = (12, 18, 24)
FEWER = {12: DRAWS, 18: DRAWS, 24: 2}  # draws; on map 24 each takes long
NAMES = {"lower": "what the cops can guarantee", "upper": "what they cannot exceed"}


def draw_all(folder: Path) -> list[Path]:
    """All six."""
    return [figure(number, folder) for number in range(1, 2 * len(MAPS) + 1)]


def figure(number: int, folder: Path, draws: int = 0) -> Path:
    """Draw Figure 5.`number`: ISG where it is odd, else its heuristic variant; `draws=0`: as many as usual."""
    if not 1 <= number <= 2 * len(MAPS):
        raise SpecError(f"document 002 has no figure 5.{number}, expected 5.1 to 5.{2 * len(MAPS)}")
    hunted, heuristic = MAPS[(number - 1) // 2], number % 2 == 0
    count = draws or FEWER[hunted]
    runs = chains(hunted, count)
    words = f"grown from the best of {count}" if heuristic else f"mean, least and most of {count} draws"
    title = f"{'Heuristic ISG' if heuristic else 'ISG'}-PG-HSVI, a map like #{hunted}: {words}"
    picture = draw.sweep(
        rows([best(runs)] if heuristic else runs),
        *("portion", "mean", "bound", "least", "most"),
        names=NAMES,
        title=title,
        words=("per cent of the cops' actions", "bounds on the value"),
    )
    path = folder / f"002-figure-5.{number}.svg"
    archive.write(path, draw.plain(picture).encode())
    return path


def rows(runs: list[list[Run]]) -> list[dict[str, Any]]:
    """For each portion and bound the mean over the draws, the least and the most."""
    found = []
    for bound in NAMES:
        for portion in PORTIONS:
            values = [getattr(run, bound) for run in at(runs, portion)]
            spread = {"mean": mean(values), "least": min(values), "most": max(values)}
            found.append({"bound": bound, "portion": portion, **spread})
    return found
