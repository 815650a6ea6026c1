"""What came of a tournament, for a page: standings as dots and intervals, pairs in words; and as CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fogbound.core.numerals import number

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
    pairs
        (first, second, verdict, who it favours: ``gain`` for the first, ``loss`` for the second, ``soft`` for neither).
    seatings
        (who sat where, wins of each seat).
    """

    game: str
    said: str
    fair: float
    places: list[Place]
    pairs: list[tuple[str, str, str, str]]
    seatings: list[tuple[str, str]]


def standings(path: Path) -> Standings | None:
    """What a command printed; None where there is nothing, or the file is none of ours."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        return _read(json.loads(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None


def _read(held: dict[str, Any]) -> Standings:
    exact, seats = bool(held["exact"]), len(held["rows"][0]["players"])
    places = [
        Place(
            str(one["name"]),
            float(one["wins"]),
            max(0.0, float(one["wins_interval"][0])),
            min(1.0, float(one["wins_interval"][1])),
            _around(float(one["score"]), one["score_interval"], exact),
            "–" if one["strength"] is None else f"{round(float(one['strength'])):+d}".replace("-", "−"),
        )
        for one in sorted(held["entrants"], key=lambda one: -float(one["score"]))
    ]
    names = [str(one["name"]) for one in held["entrants"]]
    ties = "a tie is shared" if held["ties"] == "split" else "a tie goes to the first seat"
    deals, rows = int(held["games"]), held["rows"]
    played = (
        f"{deals:,} deals, each in {len(rows)} seatings" if not exact else "Exact: outcomes are computed, not sampled"
    )
    stopped = {"seconds": "; stopped when the time was up", "interrupted": "; stopped"}.get(str(held["stopped"]), "")
    return Standings(
        str(held["game"]),
        f"{played}; {ties}{stopped}.",
        1 / seats,
        places,
        [_pair(one, names, exact) for one in held["pairs"]],
        [_seating(row) for row in rows],
    )


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


def _around(mean: float, interval: list[float], exact: bool) -> str:
    half = (float(interval[1]) - float(interval[0])) / 2
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
