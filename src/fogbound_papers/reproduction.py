"""What the documents claim and what we get, as values: a command line prints them, a page shows them.

The documents are packages found by the entry point `fogbound.papers`; nothing here knows them.

Tables for a page, for spreadsheets and for JSON alike.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from fogbound import archive
from fogbound_papers.claim import VERDICTS, Claim


@dataclass(frozen=True)
class PaperFigure:
    """A picture that a document drew: the name of its file without the ending, and the SVG or the text in it."""

    name: str
    content: str
    is_svg: bool


@dataclass(frozen=True)
class Reproduction:
    """One document's claims, tables and figures, as far as they were found.

    Parameters
    ----------
    number
        The document's name on the command line, such as ``000``.
    title
        Its number, author and title.
    results
        Claims and tables in the order in which they were found.
    figures
        What was drawn.
    seconds
        How long it took.
    full
        Whether as much was run as the document did.
    stopped
        Whether somebody stopped it before its end.

    Examples
    --------
    >>> from fogbound_papers.reproduction import Reproduction
    >>> Reproduction("000", "000  A title").command
    'fogbound reproduce 000'
    """

    number: str
    title: str
    results: tuple[Claim | ResultTable, ...] = ()
    figures: tuple[PaperFigure, ...] = ()
    seconds: float = 0.0
    full: bool = False
    stopped: bool = False

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What is claimed, with a verdict each."""
        return tuple(result for result in self.results if isinstance(result, Claim))

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        """The document's tables, ours beside them."""
        return tuple(result for result in self.results if isinstance(result, ResultTable))

    @property
    def command(self) -> str:
        """What repeats all of it."""
        return f"fogbound reproduce {self.number}" + (" --full" if self.full else "")

    def counts(self) -> dict[str, int]:
        """How many claims have each verdict."""
        return {verdict: sum(claim.verdict == verdict for claim in self.claims) for verdict in VERDICTS}


def papers() -> dict[str, EntryPoint]:
    """The documents that are installed beside the library, by name: packages that offer `fogbound.papers`."""
    return {paper.name: paper for paper in sorted(entry_points(group="fogbound.papers"), key=lambda p: p.name)}


def paper_title(paper: EntryPoint) -> str:
    """A document's number, author and title: from its package, since the document itself imports all solvers."""
    return str(import_module(paper.module.rpartition(".")[0]).TITLE)


def results(
    document: ModuleType, folder: Path | None, full: bool, watch: Callable[[str], None], tables: bool
) -> Iterator[Claim | ResultTable]:
    """Claims, and tables where a document has them and somebody wants them, as they are found.

    Parameters
    ----------
    document
        What the entry point loads.
    folder
        Where its figures go, if anywhere.
    full
        Run as much as the document did.
    watch
        Told what is being done.
    tables
        Whether somebody wants them: they may need runs of their own.
    """
    if hasattr(document, "results"):
        return iter(document.results(folder, full, watch, tables=tables))
    return iter(document.claims(folder))


def figures(folder: Path, number: str) -> tuple[PaperFigure, ...]:
    """What a document drew into a folder, in the order of their names, numbers counted as numbers."""
    found = [
        PaperFigure(path.stem, path.read_text(encoding="utf-8"), path.suffix == ".svg")
        for path in folder.iterdir()
        if path.suffix in (".svg", ".txt") and path.name.startswith(f"{number}-")
    ]
    drawn = {figure.name for figure in found if figure.is_svg}
    return tuple(sorted((f for f in found if f.is_svg or f.name not in drawn), key=lambda figure: _order(figure.name)))


def _order(name: str) -> list[tuple[bool, int, str]]:
    """Words as they are, numbers by size."""
    parts = name.replace(".", "-").split("-")
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


Cell = str | int | float | None


@dataclass(frozen=True)
class ResultTable:
    """Named rows with the same columns; None is what was not reached, or not published."""

    name: str
    title: str
    rows: list[dict[str, Cell]]
    note: str = ""

    @property
    def columns(self) -> list[str]:
        return list(self.rows[0]) if self.rows else []


def as_markdown(table: ResultTable) -> str:
    """A heading, the table with its numbers to the right, the note below it."""
    right = [all(not isinstance(row[column], str) for row in table.rows) for column in table.columns]
    lines = [table.columns, ["---:" if numbers else ":---" for numbers in right]]
    lines += [[_said(cell) for cell in row.values()] for row in table.rows]
    parts = [f"## {table.title}", "\n".join(f"| {' | '.join(cells)} |" for cells in lines)]
    return "\n\n".join([*parts, table.note] if table.note else parts) + "\n"


def as_page(title: str, preface: str, tables: Sequence[ResultTable]) -> str:
    """All of them on one page."""
    return "\n".join([f"# {title}\n", f"{preface}\n", *(as_markdown(table) for table in tables)])


def write_page(folder: Path, title: str, preface: str, tables: Sequence[ResultTable]) -> None:
    """One page to read, and a file each for spreadsheets; the first word of the title is the document's number."""
    number = title.split()[0]
    archive.write(folder / f"tables-{number}.md", as_page(f"Tables of document {title}", preface, tables).encode())
    for table in tables:
        archive.write(folder / f"{number}-table-{table.name}.csv", table_csv(table).encode())


def table_csv(table: ResultTable) -> str:
    """All digits, and nothing where there is no figure."""
    text = io.StringIO()
    writer = csv.DictWriter(text, table.columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.rows)
    return text.getvalue()


def _said(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.2f}"
    return f"{cell:,}" if isinstance(cell, int) else cell.replace("|", "\\|")
