"""The rows of a sweep, read strictly from its journal: each is that of its cell, with numbers where they belong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from fogbound.core.contract import MOST_REWARD
from fogbound.core.errors import brief
from fogbound.experiments.sweeps.plan import SweepCell, SweepPlan
from fogbound.parallel.journal import CheckRow, Row

KIND = "sweep"
NUMBER = (int, float, type(None))
WANTED: dict[str, tuple[type, ...]] = {  # what a solved cell says beside its curve
    **dict.fromkeys(("value", "lower", "upper", "gap", "seconds"), NUMBER),
    "iterations": (int,),
    **dict.fromkeys(("form", "form_sha256", "stopped", "certified", "claimed"), (str,)),
    **dict.fromkeys(("curve_claimed", "samples"), (bool,)),
}
SLACK = 1e-6  # of the largest figure: bounds are rounded outwards, values are not
NAMED = (*SweepCell._fields, "versions", "failed")


class RunPoint(NamedTuple):
    """The gap of a run at an iteration, and after how many seconds that was; None where times are left out."""

    iteration: int
    seconds: float | None
    gap: float


@dataclass(frozen=True)
class SweepRow:
    """What one cell came to.

    Attributes
    ----------
    number
        Of the cell in its sweep.
    game, solver, until, seed
        The cell.
    failed
        Why there is no answer; empty where there is one.
    value, lower, upper, gap, iterations, seconds, stopped, certified
        As a solution has them; None where there is no such number.
    claimed
        Which of value, lower and upper are the solver's word alone, by name.
    curve_claimed
        Whether the gaps of the curve are the solver's word, its last one apart.
    samples
        Whether an iteration is one sampled trajectory instead of a pass over the game.
    curve
        The gap as it closed; the last one is `gap`, recomputed from the profile.
    versions
        What computed it.
    """

    number: int
    game: str
    solver: str
    until: str
    seed: int
    failed: str
    value: float | None
    lower: float | None
    upper: float | None
    gap: float | None
    iterations: int | None
    seconds: float | None
    stopped: str
    certified: str
    claimed: str
    curve_claimed: bool
    samples: bool
    curve: tuple[RunPoint, ...]
    versions: Mapping[str, str]


def read_row(number: int, row: Row) -> SweepRow:
    """A row that was checked."""
    named: dict[str, Any] = {name: row[name] for name in (*SweepCell._fields, "failed", "versions")}
    figures: dict[str, Any] = {
        name: row.get(name) for name in ("value", "lower", "upper", "gap", "iterations", "seconds")
    }
    words: dict[str, Any] = {name: row.get(name, "") for name in ("stopped", "certified", "claimed")}
    words |= {name: bool(row.get(name)) for name in ("curve_claimed", "samples")}
    return SweepRow(number, **named, **figures, **words, curve=tuple(RunPoint(*p) for p in row.get("curve", ())))


def check_rows(about: Mapping[str, Any]) -> CheckRow:
    """What holds every row against the plan of its sweep; ValueError where `about` tells of none."""
    plan = SweepPlan.from_about(about)
    cells = plan.cells

    def check(number: int, row: Row) -> None:
        if number >= len(cells):
            raise ValueError(f"cell {number}, expected one of {len(cells)}")
        missing = [name for name in NAMED if name not in row]
        if missing:
            raise ValueError(f"cell {number} says nothing of {missing[0]}")
        found = tuple(row[name] for name in SweepCell._fields)
        if found != cells[number] or type(row["seed"]) is not int:
            raise ValueError(f"cell {number} is {brief(found)}, expected {brief(tuple(cells[number]))}")
        _check_words(number, row)
        if not row["failed"]:
            _check_figures(number, row)
            _check_curve(number, row["curve"], plan.times)

    return check


def _check_words(number: int, row: Row) -> None:
    versions = row["versions"]
    if not isinstance(row["failed"], str):
        raise ValueError(f"cell {number}: failed is {brief(row['failed'])}, expected a reason or nothing")
    if not isinstance(versions, dict) or not all(isinstance(text, str) for text in versions.values()):
        raise ValueError(f"cell {number}: versions is {brief(versions)}, expected texts by name")
    wanted = {*NAMED, *(() if row["failed"] else (*WANTED, "curve"))}
    if set(row) != wanted:
        strange = sorted(set(row) ^ wanted)
        raise ValueError(f"cell {number}: {strange[0]} is missing, or is not expected")


def _check_figures(number: int, row: Row) -> None:
    for name, types in WANTED.items():
        value = row[name]
        if type(value) not in types or (isinstance(value, float) and not abs(value) <= MOST_REWARD):
            raise ValueError(f"cell {number}: {name} is {brief(value)}")
    for name in ("gap", "seconds", "iterations"):
        if row[name] is not None and row[name] < -SLACK:
            raise ValueError(f"cell {number}: {name} is {brief(row[name])}, expected 0 or more")
    if fault := contradiction(row):
        raise ValueError(f"cell {number}: {fault}")


def contradiction(row: Mapping[str, Any]) -> str:
    """How the figures of an answer contradict each other, in words; empty where they do not.

    Examples
    --------
    >>> contradiction({"value": 123, "lower": -0.51, "upper": -0.49, "gap": 0.02})
    'value 123 is not between lower -0.51 and upper -0.49'
    """
    value, lower, upper, gap = (row[name] for name in ("value", "lower", "upper", "gap"))
    slack = SLACK * max([1.0, *(abs(one) for one in (value, lower, upper) if one is not None)])
    low, high = -math.inf if lower is None else lower - slack, math.inf if upper is None else upper + slack
    if low > high:
        return f"lower {lower:g} is above upper {upper:g}"
    if value is not None and not low <= value <= high:
        between = [f"{name} {one:g}" for name, one in (("lower", lower), ("upper", upper)) if one is not None]
        return f"value {value:g} is not between {' and '.join(between)}"
    if gap is not None and lower is not None and upper is not None and upper - lower > gap + slack:
        return f"gap {gap:g} is less than from lower {lower:g} to upper {upper:g}"
    return ""


def _check_curve(number: int, curve: Any, times: bool) -> None:
    if not isinstance(curve, list):
        raise ValueError(f"cell {number}: the curve is {brief(curve)}, expected a list of points")
    for point in curve:
        fits = isinstance(point, list) and len(point) == 3 and type(point[0]) is int and point[0] >= 0
        if not fits or not _figure(point[2]) or not (_figure(point[1]) if times else point[1] is None):
            raise ValueError(f"cell {number}: a point is {brief(point)}, expected iteration, seconds and gap")
    if any(one[0] > other[0] or (times and one[1] > other[1]) for one, other in pairwise(curve)):
        raise ValueError(f"cell {number}: the curve goes back in time")


def _figure(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0
