"""What came of a tournament, for a page: standings as dots and intervals, pairs in words; and as CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fogbound.core.bounded import read_bytes
from fogbound.core.errors import FileError
from fogbound.core.numerals import number
from fogbound.experiments.tournaments.strength import points_text

MOST_BYTES = 16_000_000
_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\^{}"}


@dataclass(frozen=True)
class Place:
    """One entrant: its wins between the ends of their interval, from 0 to 1, its score and its strength in words."""

    name: str
    wins: float
    low: float
    high: float
    score: str
    strength: str


@dataclass(frozen=True)
class Standings:
    """A tournament that was played, as far as it went.

    Attributes
    ----------
    game
        The spec.
    said
        How much was played, and how ties count.
    fair
        The fair share of wins.
    places
        Who scores most first.
    cross
        By row and column, how far the first is ahead of the second: (share of wins, points more, ``gain``, ``loss`` or
        ``soft`` as that is decided); None of oneself and of those who never met.
    pairs
        (first, second, verdict, who it favours: ``gain`` for the first, ``loss`` for the second, ``soft`` for neither).
    seatings
        (who sat where, wins of each seat).
    """

    game: str
    said: str
    fair: float
    places: list[Place]
    cross: list[tuple[str, list[tuple[str, str, str] | None]]]
    pairs: list[tuple[str, str, str, str]]
    seatings: list[tuple[str, str]]


def read_standings(path: Path) -> Standings | None:
    """What a command printed; None where there is nothing of ours."""
    try:
        return _read(json.loads(read_bytes(path, MOST_BYTES, "standings")))
    except (FileError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None


def _read(held: dict[str, Any]) -> Standings:
    exact, seats = bool(held["exact"]), len(held["rows"][0]["players"])
    places = [
        Place(
            str(one["name"]),
            float(one["wins"]),
            max(0.0, _bound(one["wins_interval"][0], -math.inf)),
            min(1.0, _bound(one["wins_interval"][1], math.inf)),
            _around(float(one["score"]), one["score_interval"], exact),
            "–" if one["strength"] is None else points_text(float(one["strength"]), "+"),
        )
        for one in sorted(held["entrants"], key=lambda one: -float(one["score"]))
    ]
    names = [str(one["name"]) for one in held["entrants"]]
    ties = "a tie is shared" if held["ties"] == "split" else "a tie goes to the first seat"
    deals, rows = int(held["games"]), held["rows"]
    going = " so far" if not held["stopped"] else ""
    played = f"{deals:,} deals{going}, each in {len(rows)} seatings"
    if exact:
        played = "Exact: outcomes are computed, not sampled"
    stopped = {"seconds": "; stopped when the time was up", "interrupted": "; stopped"}.get(str(held["stopped"]), "")
    return Standings(
        str(held["game"]),
        f"{played}; {ties}{stopped}.",
        1 / seats,
        places,
        _cross(held["pairs"], names, [place.name for place in places]),
        [_pair(one, names, exact) for one in held["pairs"]],
        [_seating(row) for row in rows],
    )


def _cross(
    pairs: list[dict[str, Any]], names: list[str], order: list[str]
) -> list[tuple[str, list[tuple[str, str, str] | None]]]:
    """Everybody against everybody, in the order of the standings."""
    met: dict[tuple[str, str], tuple[str, str, str]] = {}
    for one in pairs:
        first, second = names[one["first"]], names[one["second"]]
        ahead, more, scorer = float(one["ahead"]), float(one["difference"]), one["scorer"]
        tone = "soft" if scorer is None else "gain" if scorer == one["first"] else "loss"
        other = {"gain": "loss", "loss": "gain"}.get(tone, tone)
        met[first, second] = f"{ahead:.3f}", number(more, 3, sign=True), tone
        met[second, first] = f"{1 - ahead:.3f}", number(0.0 - more, 3, sign=True), other
    return [(row, [met.get((row, column)) for column in order]) for row in order]


def _bound(value: float | None, unknown: float) -> float:
    """The end of an interval; files hold no infinities."""
    return unknown if value is None else float(value)


def _pair(one: dict[str, Any], names: list[str], exact: bool) -> tuple[str, str, str, str]:
    """Who is ahead of whom by points, where that is decided."""
    first, second, scorer = names[one["first"]], names[one["second"]], one["scorer"]
    if scorer is None:
        return first, second, "equal" if exact else "no difference seen", "soft"
    ahead = scorer == one["first"]
    more = number(abs(float(one["difference"])), 3)
    return first, second, f"{'first' if ahead else 'second'} is stronger, by {more}", "gain" if ahead else "loss"


def _seating(row: dict[str, Any]) -> tuple[str, str]:
    return (
        ", ".join(str(one["policy"]) for one in row["players"]),
        ", ".join(f"{float(one['wins']):.3f}" for one in row["players"]),
    )


def _around(mean: float, interval: list[float | None], exact: bool) -> str:
    half = (_bound(interval[1], math.inf) - _bound(interval[0], -math.inf)) / 2
    return number(mean, 4) + ("" if exact or not math.isfinite(half) else f" ± {number(half, 2)}")


def as_csv(found: Standings) -> str:
    """The standings for spreadsheets."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("entrant", "wins", "wins_low", "wins_high", "score", "strength"))
    writer.writerows((p.name, repr(p.wins), repr(p.low), repr(p.high), p.score, p.strength) for p in found.places)
    return text.getvalue()


def as_latex(found: Standings) -> str:
    """The standings as a table of a paper, with booktabs."""
    rows = [
        f"{_escaped(p.name)} & ${p.wins:.3f} \\pm {(p.high - p.low) / 2:.3f}$ & "
        f"{_escaped(p.score)} & {_escaped(p.strength)} \\\\"
        for p in found.places
    ]
    head = "\\begin{tabular}{lrrr}\n\\toprule\nEntrant & Wins & Score & Strength \\\\\n\\midrule\n"
    return f"% {found.game}: {found.said}\n{head}" + "\n".join(rows) + "\n\\bottomrule\n\\end{tabular}\n"


def _escaped(words: str) -> str:
    plain = "".join(_LATEX.get(c, c) for c in words)
    return plain.replace("−", "$-$").replace("±", "$\\pm$").replace("–", "--")
