"""Tables 5.2 to 5.11 of document 002 with our times and bounds beside its seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean

from fogbound_papers.d002.hunts import WIDTHS, Chain, Run
from fogbound_papers.d002.published import HISG, ISG, ORIGINAL, TABLES, Published, Times
from fogbound_papers.d002.study import SEQUENCES, Study
from fogbound_papers.page import Cell, ResultTable

MAPS = (12, 18, 24)


def tables(study: Study) -> Iterator[ResultTable]:
    """One after the other, as they are done."""
    for published in TABLES:
        yield timed(study, published)
    yield tried(study, MAPS)


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


def tried(study: Study, maps: Sequence[int]) -> ResultTable:
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
