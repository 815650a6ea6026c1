"""Tables 5.2 to 5.11 of document 002 with our times and bounds beside its seconds.

What document 002 prints: the seconds of Tables 5.2 to 5.11, and the few values of Figures 5.1 to 5.6 in its text.

Figures 5.1 to 5.6 of document 002: the bounds at the start over the portion of actions, one call each.

What document 002 says of its own tables and algorithms: sentences held against what it prints itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from fogbound import draw
from fogbound.core.errors import SpecError
from fogbound_papers.claim import Claim, unchecked_claim, verdict
from fogbound_papers.d002.hunts import SEQUENCES, WIDTHS, Chain, Run, Study
from fogbound_papers.reproduction import Cell, ResultTable

MAPS = (12, 18, 24)


def result_tables(study: Study) -> Iterator[ResultTable]:
    """One after the other, as they are done."""
    for published in TABLES:
        yield timed(study, published)
    yield tried_subsets(study, MAPS)


def timed(study: Study, published: Published) -> ResultTable:
    """One of the document's tables, turned so that a portion of the actions is a row."""
    number, algorithm = published.number, published.algorithm
    chains = _chains(study, published)
    runs = [mean_run([chain[k] for chain in chains]) for k in range(len(published.portions))]
    original = ORIGINAL.get(number, published)
    ratios = study.plain(number).start, original.start[0]
    widths = [width for width in WIDTHS if width in original.below or width == min(WIDTHS)]
    rows = [_row(f"{run.portion} %", run, k, published, widths, ratios) for k, run in enumerate(runs)]
    if len(runs) > 1:
        rows.append(_summed(rows, ratios))
    title = f"Table {published.name}: {algorithm} on #{number}"
    title += f", starting with {published.first} % of the actions" if len(runs) > 1 else ""
    return ResultTable(published.name, title, rows, _note(study, published, chains))


def _chains(study: Study, published: Published) -> Sequence[Chain]:
    if published.algorithm == ISG:
        return study.drawn(published.number, published.first)
    if published.algorithm == HISG:
        return [study.grown(published.number, published.first)]
    return [(study.plain(published.number),)]


def mean_run(runs: Sequence[Run]) -> Run:
    """The average of several draws; a width that one of them did not reach has no time."""
    totals = [_added([run.below[k] for run in runs]) for k in range(len(WIDTHS))]
    return Run(
        portion=runs[0].portion,
        lower=mean(run.lower for run in runs),
        upper=mean(run.upper for run in runs),
        start=mean(run.start for run in runs),
        seconds=mean(run.seconds for run in runs),
        trials=round(mean(run.trials for run in runs)),
        moves=runs[0].moves,
        below=tuple(None if total is None else total / len(runs) for total in totals),
    )


def _row(
    words: str, run: Run, place: int, published: Published, widths: Sequence[int], ratios: tuple[float, int | None]
) -> dict[str, Cell]:
    """Ours beside the document's; a ratio is to the start of the original algorithm on the same map."""
    row: dict[str, Cell] = {"actions": words, "joint moves": run.moves, "lower": run.lower, "upper": run.upper}
    row |= {"trials": run.trials, "start (s)": run.start, "published start (s)": _at(published.start, place)}
    row |= _ratios(run.start, _at(published.start, place), ratios)
    for width in widths:
        row[f"width < {width} (s)"] = run.below[WIDTHS.index(width)]
        if width in published.below:
            row[f"published < {width} (s)"] = _at(published.below[width], place)
    return row


def _ratios(ours: float, published: float | None, original: tuple[float, int | None]) -> dict[str, Cell]:
    theirs = published / original[1] if published is not None and original[1] else None
    return {"start / original": ours / original[0], "published start / original": theirs}


def _summed(rows: Sequence[dict[str, Cell]], ratios: tuple[float, int | None]) -> dict[str, Cell]:
    """What the whole sequence took: the sum that the document holds against the original algorithm."""
    total: dict[str, Cell] = dict.fromkeys(rows[0])
    for column in rows[0]:
        if column.endswith("(s)"):
            total[column] = _added([row[column] for row in rows])
    ours, theirs = (_added([row[column] for row in rows]) for column in ("start (s)", "published start (s)"))
    return total | {"actions": "in all"} | _ratios(ours or 0.0, theirs, ratios)


def _note(study: Study, published: Published, chains: Sequence[Chain]) -> str:
    number, first = published.number, published.first
    if published.algorithm == ISG:
        lower = [chain[0].lower for chain in chains]
        spread = f"with {first} % their lower bounds are {min(lower):.2f} to {max(lower):.2f}"
        return f"Mean of {len(chains)} random beginnings; {spread}." if len(chains) > 1 else "One random beginning."
    if published.algorithm == HISG:
        subsets = study.tried(number, first)
        spent = sum(subset.seconds for subset in subsets)
        return (
            f"Grown from the best of {len(subsets)} random subsets; trying them took {spent:.2f} s, not counted above."
        )
    made = study.hunt(number).seconds
    return f"Making the game from its rules took {made:.2f} s more, once for all tables of #{number}."


def tried_subsets(study: Study, maps: Sequence[int]) -> ResultTable:
    """What the heuristic chose from: how far random subsets of one size lie apart."""
    rows: list[dict[str, Cell]] = []
    for number in maps:
        for first in SEQUENCES:
            lower = [subset.lower for subset in study.tried(number, first)]
            row: dict[str, Cell] = {"map": f"#{number}", "actions": f"{first} %", "subsets": len(lower)}
            row |= {"least": min(lower), "mean": mean(lower), "best": max(lower)}
            full = study.plain(number)
            row |= {"all actions, lower": full.lower, "all actions, upper": full.upper}
            rows.append(row | {"seconds": sum(subset.seconds for subset in study.tried(number, first))})
    trials = ", ".join(f"{study.effort.subset_trials[number]} on #{number}" for number in maps)
    note = f"Lower bounds at the start after a short look: at most so many trials each: {trials}."
    return ResultTable("subsets", "Random subsets that HISG tried", rows, note)


def _at(values: Times, place: int) -> int | None:
    return values[place] if values else None


def _added(values: Sequence[Cell]) -> float | int | None:
    numbers = [value for value in values if isinstance(value, (int, float))]
    return sum(numbers) if len(numbers) == len(values) else None


Times = tuple[int | None, ...]


@dataclass(frozen=True)
class Published:
    """One of its tables: an algorithm on a map, in seconds, a column for each portion of the actions."""

    name: str
    number: int
    algorithm: str
    first: int  # per cent; 100: the original algorithm
    start: Times
    below: Mapping[int, Times] = field(default_factory=dict)  # by the width of the gap; None: not within two hours

    @property
    def portions(self) -> tuple[int, ...]:
        return SEQUENCES.get(self.first, (100,))


PLAIN, ISG, HISG = "PG-HSVI", "ISG-PG-HSVI", "HISG-PG-HSVI"
TABLES = (
    Published("5.2", 18, PLAIN, 100, (519,), {1: (535,)}),
    Published("5.3", 18, ISG, 30, (178, 229, 301, 436), {1: (182, 251, 320, 450)}),
    Published("5.4", 18, HISG, 30, (140, 178, 268, 397), {1: (145, 182, 275, 405)}),
    Published("5.5", 18, ISG, 60, (339, 415, 527), {1: (371, 439, 540)}),
    Published("5.6", 18, HISG, 60, (252, 324, 363), {1: (261, 327, 370)}),
    Published("5.7", 24, PLAIN, 100, (5154,), {10: (5205,), 6: (5239,)}),
    Published(
        *("5.8", 24, ISG, 30, (2338, 2953, 3596, 5241)),
        {10: (2338, None, None, 5320), 6: (2338, None, None, None)},
    ),
    Published(
        *("5.9", 24, HISG, 30, (1732, 2533, 3602, 5636)),
        {10: (None, 2918, 4190, 5752), 6: (None, None, None, None)},
    ),
    Published("5.10", 24, ISG, 60, (3429, 4143, 4888), {10: (None, 4331, 4897), 6: (None, None, 4920)}),
    Published("5.11", 24, HISG, 60, (3544, 4572, 5626), {10: (3713, 4572, 5626), 6: (3804, 4653, 5675)}),
)
ORIGINAL = {table.number: table for table in TABLES if table.algorithm == PLAIN}

# by figure and per cent of the actions: the lower bound and, where the text has one, the upper bound
FIGURES: dict[int, dict[int, tuple[float, float | None]]] = {
    1: {64: (40.8, None), 100: (67.24, None)},
    2: {64: (62.0, None), 100: (67.24, None)},
    3: {30: (70.2, None), 100: (79.33, None)},
    4: {100: (79.33, None)},
    5: {80: (60.9, None), 100: (70.3, 75.1)},
    6: {44: (63.4, 72.9), 100: (70.3, 75.1)},
}


AT_ONCE, PUBLISHED = "all actions at once", "published, another map"


def draw_all(folder: Path, study: Study) -> list[Path]:
    """All six."""
    return [draw_figure(number, folder, study) for number in FIGURES]


def draw_figure(number: int, folder: Path, study: Study) -> Path:
    """Draw Figure 5.`number`: ISG where it is odd, else its heuristic variant."""
    if number not in FIGURES:
        raise SpecError(f"document 002 has no figure 5.{number}, expected 5.1 to 5.{len(FIGURES)}")
    hunted, heuristic = MAPS[(number - 1) // 2], number % 2 == 0
    series = rows(AT_ONCE, [(study.plain(hunted),)])
    for first in SEQUENCES:
        chains = [study.grown(hunted, first)] if heuristic else study.drawn(hunted, first)
        series += rows(f"from {first} % on", chains)
    series += published_points(FIGURES[number])
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


def published_points(values: dict[int, tuple[float, float | None]]) -> list[dict[str, Any]]:
    """What the document's text has: lower bounds, up to the upper one where it is stated; no line joins them."""
    series: list[dict[str, Any]] = []
    for portion, (lower, upper) in values.items():
        place = {"series": PUBLISHED, "portion": portion}
        series.append({**place, "lower": lower, "upper": lower if upper is None else upper})
        series.append({**place, "lower": None, "upper": None})
    return series


SECONDS = {table.name: table for table in TABLES}


def claims(study: Study) -> Iterator[Claim]:
    said = sentences()
    right = [words for words, holds in said.items() if holds]
    wrong = [words for words, holds in said.items() if not holds]
    words = "; ".join(right) + (f"; not: {'; '.join(wrong)}" if wrong else "")
    ours = f"{len(right)} of {len(said)} agree"
    yield Claim("what the text says of its own tables", "§ 5.2", "the tables", ours, verdict(not wrong), words)
    start, whole = (_printed(times)[0] for times in (SECONDS["5.2"].start, SECONDS["5.2"].below[1]))
    words = f"{start} of {whole} s in its own Table 5.2"
    statement, ours = "initialising takes an imperceptible time", f"{start / whole:.0%}"
    yield Claim(statement, "§ 2.2.2", "should", ours, verdict(start / whole < 0.1), words)
    yield _one_game_each()
    yield _nodes(study)
    yield unchecked_claim(
        "#18's shape gives the cops a big advantage", "§ 5.2.2", "a guess at a cause; its map is not printed"
    )
    yield unchecked_claim(
        "there is a big potential in choosing actions", "§ 5.2.3, ch. 6", "a judgement; see what follows"
    )


def sentences() -> dict[str, bool]:
    """Sentences of section 5.2 and chapter 6, and whether the tables have it so."""
    isg, hisg, isg_60, hisg_60 = (SECONDS[name] for name in ("5.3", "5.4", "5.5", "5.6"))
    plain, large = SECONDS["5.2"], SECONDS["5.7"]
    (alone,), (begin,), (first,) = map(_printed, (plain.below[1], plain.start, large.start))
    last = [_printed(table.start)[-1] for table in (isg, hisg, isg_60, hisg_60)]
    grown, full = _printed(SECONDS["5.9"].below[10][1:])[0], _printed(large.below[6])[0]
    slower = [_printed(table.below[1]) for table in (isg, isg_60)]
    faster = [_printed(table.below[1]) for table in (hisg, hisg_60)]
    return {
        "three of four last games begin faster than 519 s": sum(seconds < begin for seconds in last) == 3,
        "ISG takes 1,203 s": sum(slower[0]) == 1203 > alone,
        "60 % take 371 s": slower[1][0] == 371,
        "30 % save 73 %": round(100 * (1 - faster[0][0] / alone)) == 73,
        "#24 begins 10 times as slowly": round(first / begin) == 10,
        "44 % of #24 take about 50 minutes, all 87": abs(grown / 60 - 50) < 2 and round(full / 60) == 87,
        "HISG is faster than ISG on #18, column by column": all(
            better < worse for pair in zip(faster, slower) for better, worse in zip(*pair)
        ),
        "44 % of #24 lie 7 points below all": round(70.3 - 63.4) == 7,
        "80 % of #24 lie within 10 points on average": 70.3 - 60.9 < 10,
        "30 % of #18 lie within 10 points on average": 79.33 - 70.2 < 10,
    }


def _printed(times: Times) -> list[int]:
    """Seconds, without the dashes of what was not reached."""
    return [seconds for seconds in times if seconds is not None]


def _one_game_each() -> Claim:
    """Algorithms 6 and 7 as printed: a game before the loop, and one for every i from 0 to |P| - 1."""
    portions = 4
    games = 1 + len(range(portions))
    words = "as printed, one game before the loop and |P| in it; from 1 to |P| − 1 is meant, and built"
    statement, ours = "ISG solves a game for each of four portions", f"{games} games"
    return Claim(statement, "Alg. 6, 7", f"{portions} portions", ours, verdict(games == portions), words)


def _nodes(study: Study) -> Claim:
    states = study.hunt(18).form.size
    words = "a slip of the pen: 18 nodes, as section 5.1.1 has it, and the 12,000 states of the same sentence"
    ours = f"{states:,} states"
    return Claim("#18 is a game with 18 states", "§ 4.1", "18 states", ours, verdict(states == 18), words)
