"""Document 002: incremental strategy generation for one-sided games (PG-HSVI, ISG-PG-HSVI) on Scotland Yard.

The question that document 002 leaves open: which actions to give the player who does not see.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d002 import TITLE, result_tables, sizes, speed
from fogbound_papers.d002.hunts import FULL, QUICK, Run, Study, Watch, unwatched
from fogbound_papers.reproduction import ResultTable, write_page

PARTS = (sizes, speed, result_tables)
MAP, FEW = 18, 30
ALL, ORACLE, AS_MANY, LARGER = "all", "mixed by the oracle", "random, as many", f"random, {FEW} %"
PREFACE = """\
Our figures beside the published ones, in seconds of processor time. The document describes its maps but does not print
them: ours are of the same making and size, so that counts can be compared, values cannot, and times only as ratios.
Bounds are those of the cops' guarantee at the start. A ratio is to the start of the original algorithm on the same map.
A dash is a width that was not reached within the limit, or something that the document does not give."""


def claims(folder: Path | None = None) -> Iterator[Claim]:
    """The claims of all chapters and the question they leave open; figures and tables go into `folder`."""
    return (result for result in results(folder, tables=folder is not None) if isinstance(result, Claim))


def results(
    folder: Path | None = None, full: bool = False, watch: Watch = unwatched, tables: bool = True
) -> Iterator[Claim | ResultTable]:
    """Claims, then tables, as they are found; `full` runs as much as the document did.

    What there is goes into `folder` also when the run is stopped.
    """
    study = Study(FULL if full else QUICK, watch)
    for part in PARTS:
        yield from part.claims(study)
    parts = compared_subsets(study)
    yield from open_claims(parts)
    if not tables:
        return
    done: list[ResultTable] = []
    answer = open_table(parts, gap=study.effort.open_gap)
    try:
        yield answer
        for table in result_tables.result_tables(study):
            done.append(table)
            yield table
        if folder is not None:
            result_tables.draw_all(folder, study)
    finally:
        if folder is not None:
            write_page(folder, TITLE, PREFACE, [*done, answer])


@dataclass(frozen=True)
class Part:
    """The game with a subset of the actions, and the bounds of what is lost without the others."""

    chosen: str
    run: Run
    share: float  # of all actions
    least_lost: float
    most_lost: float


def compared_subsets(study: Study, number: int = MAP) -> list[Part]:
    """All actions; those that the oracle named while solving with all; as many random ones; and random 30 %."""
    effort, own = study.effort, study.hunt(number)
    limits = effort.open_gap, effort.trials[number]
    study.watch(f"#{number}: all actions, to a gap of {effort.open_gap:g}")
    bounds, whole = own.solve(100, own.everything, *limits)
    oracle = own.mixed(bounds)
    size = 100 * own.count(oracle) / whole.moves
    masks = [(ORACLE, oracle)]
    for words, percent in ((AS_MANY, size), (LARGER, FEW)):
        seeds = range(effort.open_draws)
        masks += [(words, own.subsets(np.random.default_rng(seed), (percent,))[0]) for seed in seeds]
    parts = [Part(ALL, whole, 1.0, 0.0, 0.0)]
    for place, (words, mask) in enumerate(masks):
        study.watch(f"#{number}: subset {place + 1} of {len(masks)}, {words}")
        run = own.solve(round(100 * own.count(mask) / whole.moves), mask, *limits)[1]
        lost = max(0.0, whole.lower - run.upper), max(0.0, whole.upper - run.lower)
        parts.append(Part(words, run, run.moves / whole.moves, *lost))
    return parts


def open_table(parts: list[Part], number: int = MAP, gap: float = 0.1) -> ResultTable:
    """One row a subset."""
    rows = [
        {
            "subset": part.chosen,
            "joint moves": part.run.moves,
            "share (%)": 100 * part.share,
            "lower": part.run.lower,
            "upper": part.run.upper,
            "at least lost": part.least_lost,
            "at most lost": part.most_lost,
            "trials": part.run.trials,
            "seconds": part.run.seconds,
        }
        for part in parts
    ]
    note = (
        f"Shares are of the document's joint moves. Each game is solved to a gap of {gap:g} or as many trials as are "
        "allowed, so a loss is known no closer. The oracle's subset has every move that a stage of the full game's "
        "search mixed, and one move wherever the cops stand and none was mixed. It is known only after that search."
    )
    return ResultTable("open", f"Which actions to give the cops on #{number} (the question of § 5.2.3)", rows, note)  # type: ignore[arg-type]


def open_claims(parts: list[Part], number: int = MAP) -> Iterator[Claim]:
    """What the comparison says: first of a sentence of section 4.1, then of what is left open."""
    yield fewer_but_better(parts, number)
    oracle = next(part for part in parts if part.chosen == ORACLE)
    as_many, larger = ([part for part in parts if part.chosen == words] for words in (AS_MANY, LARGER))
    words = f"#{number}, {oracle.share:.0%} of the joint moves: what the double oracle mixed, one where it mixed none"
    ours = f"at most {oracle.most_lost:.2f} lost"
    yield Claim("some small subset loses little", "§ 5.2.3", "–", ours, "not stated", words)
    least = min(part.least_lost for part in as_many)
    ours = f"{least:.1f} to {max(part.most_lost for part in as_many):.1f} lost"
    words = (
        f"{len(as_many)} draws of as many actions, hardly more than one a position, so that cops can be foreseen; the "
        "document compares the best of many random subsets with their mean, see #12"
    )
    yield Claim("… and as many random ones", "§ 5.2.3", "–", ours, "not stated", words)
    ours = f"{sum(oracle.run.lower > part.run.upper for part in larger)} of {len(larger)}"
    words = f"random subsets of {FEW} % surely worse than the oracle's; but it names those only in the whole game"
    yield Claim("… and larger random ones", "§ 5.2.3", "–", ours, "not stated", words)
    seconds = oracle.run.seconds / parts[0].run.seconds
    begun = oracle.run.start / oracle.run.seconds
    words = f"processor time of the oracle's sub-game over that of the whole; {begun:.0%} of it in the first bounds"
    yield Claim("… and faster to solve", "§ 5.2.3", "–", f"{seconds:.1f} times", "not stated", words)


def fewer_but_better(parts: list[Part], number: int = MAP) -> Claim:
    """Section 4.1, why subsets must be nested: fewer actions may be the better ones, and the value then falls."""
    oracle = next(part for part in parts if part.chosen == ORACLE)
    worse = [part for part in parts if part.chosen == LARGER and part.run.upper < oracle.run.lower]
    words = (
        f"#{number}: random subsets of {FEW} % surely worth less than {oracle.share:.0%} that the double oracle mixed"
    )
    ours = f"{len(worse)} of {sum(part.chosen == LARGER for part in parts)}"
    said = verdict(bool(worse), "not reproduced")
    return Claim("fewer actions may be worth more than other ones", "§ 4.1", "may", ours, said, words)
