"""Tables for a page, for spreadsheets and for JSON alike."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fogbound import archive

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
        archive.write(folder / f"{number}-table-{table.name}.csv", as_csv(table).encode())


def as_csv(table: ResultTable) -> str:
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
