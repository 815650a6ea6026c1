"""The pieces of a `.pomdpx` document as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from fogbound.files.ranges import Indices
from fogbound.forms.table import Floats

Triples = tuple[Indices, Indices, Floats]  # row, column, probability
DENSE = 6  # a row with at least every sixth number not zero is written whole


def values(names: Sequence[str]) -> str:
    return f"<ValueEnum>{' '.join(names)}</ValueEnum>"


def part(tag: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"<{tag}>"
    yield from lines
    yield f"</{tag}>"


def function(name: str, parents: str, entries: Sequence[str], tag: str = "CondProb") -> Iterator[str]:
    yield f"<{tag}><Var>{name}</Var><Parent>{parents}</Parent><Parameter type='TBL'>"
    yield from entries
    yield f"</Parameter></{tag}>"


def entry(instance: str, told: str, tag: str = "ProbTable") -> str:
    return f"<Entry><Instance>{instance}</Instance><{tag}>{told}</{tag}></Entry>"


def numbers(given: Floats) -> str:
    return " ".join(repr(p) if p else "0" for p in given.tolist())


def added(index: Indices, weights: Floats, size: int) -> Floats:
    """[size] the weights of each index, added up."""
    total = np.zeros(size)
    np.add.at(total, index, weights)
    return total


def rows(cells: Triples, prefix: Callable[[int], str], names: Sequence[str], cover: int | None = None) -> list[str]:
    """Entries for rows of cells; `cover` is a value that an earlier entry made sure, to be overridden."""
    row, column, prob = cells
    order = np.lexsort((column, row))
    row, column, prob = row[order], column[order], prob[order]
    ends = np.flatnonzero(np.append(np.diff(row) != 0, True)) + 1 if len(row) else np.zeros(0, np.int64)
    entries: list[str] = []
    begin = 0
    for end in ends.tolist():
        words, columns, chances = prefix(int(row[begin])), column[begin:end], prob[begin:end]
        if DENSE * len(columns) >= len(names):
            entries.append(entry(f"{words} -", numbers(added(columns, chances, len(names)))))
        else:
            if cover is not None and cover not in columns:
                entries.append(entry(f"{words} {names[cover]}", "0"))
            entries += [entry(f"{words} {names[c]}", repr(p)) for c, p in zip(columns.tolist(), chances.tolist())]
        begin = end
    return entries
