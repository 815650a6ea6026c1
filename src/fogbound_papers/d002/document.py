"""Document 002: incremental strategy generation for one-sided games (PG-HSVI, ISG-PG-HSVI) on Scotland Yard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fogbound_papers.claim import Claim
from fogbound_papers.d002 import (
    TITLE,
    choices,
    domain,
    examples,
    heuristic,
    open_question,
    own_words,
    result_tables,
    sizes,
    speed,
    subsets,
)
from fogbound_papers.d002.figures import draw_all
from fogbound_papers.d002.study import FULL, QUICK, Study, Watch, unwatched
from fogbound_papers.page import ResultTable, write_page

PARTS = (examples, domain, sizes, speed, subsets, heuristic, choices, own_words)
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
    parts = open_question.compared(study)
    yield from open_question.claims(parts)
    if not tables:
        return
    done: list[ResultTable] = []
    answer = open_question.table(parts, gap=study.effort.open_gap)
    try:
        yield answer
        for table in result_tables.tables(study):
            done.append(table)
            yield table
        if folder is not None:
            draw_all(folder, study)
    finally:
        if folder is not None:
            write_page(folder, TITLE, PREFACE, [*done, answer])
