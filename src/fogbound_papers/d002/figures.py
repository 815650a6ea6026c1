"""Figures 5.1 to 5.6 of document 002: the bounds at the start over the portion of actions, one call each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fogbound import draw
from fogbound.core.errors import SpecError
from fogbound_papers.d002.hunts import Chain
from fogbound_papers.d002.published import FIGURES
from fogbound_papers.d002.result_tables import mean_run
from fogbound_papers.d002.study import SEQUENCES, Study

MAPS = (12, 18, 24)
AT_ONCE, PUBLISHED = "all actions at once", "published, another map"


def draw_all(folder: Path, study: Study) -> list[Path]:
    """All six."""
    return [figure(number, folder, study) for number in FIGURES]


def figure(number: int, folder: Path, study: Study) -> Path:
    """Draw Figure 5.`number`: ISG where it is odd, else its heuristic variant."""
    if number not in FIGURES:
        raise SpecError(f"document 002 has no figure 5.{number}, expected 5.1 to 5.{len(FIGURES)}")
    hunted, heuristic = MAPS[(number - 1) // 2], number % 2 == 0
    series = rows(AT_ONCE, [(study.plain(hunted),)])
    for first in SEQUENCES:
        chains = [study.grown(hunted, first)] if heuristic else study.drawn(hunted, first)
        series += rows(f"from {first} % on", chains)
    series += published(FIGURES[number])
    picture = draw.sweep(
        series,
        x="portion",
        y="lower",
        by="series",
        lower="lower",
        upper="upper",
        names={row["series"]: row["series"] for row in series},
        title=_title(study, hunted, heuristic),
        words=("per cent of the cops' actions", "lower bound on the value (whiskers: up to the upper bound)"),
    )
    path = folder / f"002-figure-5.{number}.svg"
    picture.save(path)
    return path


def _title(study: Study, hunted: int, heuristic: bool) -> str:
    if heuristic:
        counts = " and ".join(str(count) for count in study.effort.subsets[hunted])
        return f"Heuristic ISG-PG-HSVI, a map like #{hunted}: grown from the best of {counts} subsets"
    draws = study.effort.draws[hunted]
    return f"ISG-PG-HSVI, a map like #{hunted}: " + (f"mean of {draws} draws" if draws > 1 else "one draw")


def rows(series: str, chains: Sequence[Chain]) -> list[dict[str, Any]]:
    """For each portion the mean bounds over the chains."""
    runs = [mean_run(each) for each in zip(*chains)]
    return [{"series": series, "portion": run.portion, "lower": run.lower, "upper": run.upper} for run in runs]


def published(values: dict[int, tuple[float, float | None]]) -> list[dict[str, Any]]:
    """What the document's text has: lower bounds, up to the upper one where it is stated; no line joins them."""
    series: list[dict[str, Any]] = []
    for portion, (lower, upper) in values.items():
        place = {"series": PUBLISHED, "portion": portion}
        series.append({**place, "lower": lower, "upper": lower if upper is None else upper})
        series.append({**place, "lower": None, "upper": None})
    return series
