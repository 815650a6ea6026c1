"""POMDPs in the text format of Cassandra's pomdp-solve, `.pomdp`: what most published models come in.

The grammar is that of http://www.pomdp.org/code/pomdp-file-grammar.html, with what is seen in the wild: one
reward may stand for a whole row or matrix of them. A reward that depends on what comes next becomes its
expectation, which is all that a plan can depend on.
"""

from __future__ import annotations

import os

import numpy as np

from fogbound.core.errors import LimitError, one_line
from fogbound.files.cassandra_checks import Sums
from fogbound.files.cassandra_entries import Shape, entry, quick
from fogbound.files.cassandra_names import ANY
from fogbound.files.cassandra_preamble import Preamble
from fogbound.files.cassandra_resolve import Sparse, resolve, spread
from fogbound.files.cassandra_rewards import Rewards, expected
from fogbound.files.cassandra_rows import Rows
from fogbound.files.cassandra_start import starting
from fogbound.files.cassandra_text import MOST_BYTES, Source, source
from fogbound.files.cassandra_write import write_pomdp
from fogbound.forms.flat import flat
from fogbound.forms.pomdp import POMDP

LIMIT = 20_000_000  # rows (state, action), and outcomes of them


def read_pomdp(path: str | os.PathLike[str], limit: int = LIMIT, largest: int = MOST_BYTES) -> POMDP:
    """The POMDP in a `.pomdp` file; FileError, with file and line, for what is none.

    Rows that sum to 1 within 1e-4 are set right, with a warning where they are off by more than 1e-6. `limit`
    bounds the rows (state, action) and their outcomes, `largest` the bytes that are read at all.
    """
    text = source(path, largest)
    try:
        return _Reading(text, limit).form()
    except LimitError as error:
        raise LimitError(f"{one_line(text.path, 200)}: {error}") from None


class _Reading:
    """One file being read: its preamble, then its entries, then the form they make."""

    def __init__(self, text: Source, limit: int) -> None:
        self.source, self.limit = text, limit
        self.preamble = Preamble(text, limit)
        self._entries()
        self.preamble.check_complete()

    def _entries(self) -> None:
        shapes: dict[str, Shape] = {}
        text, tables = self.source.text, None
        for keyword, begin, end in self.source.sections():
            if keyword not in ("T", "O", "R"):
                self.preamble.take(keyword, begin, end)
                continue
            if tables is None:
                shapes, tables = self.preamble.shapes(keyword, begin), self._tables()
            shape = shapes[keyword]
            plain = quick(text[begin:end], shape)
            if keyword == "R":
                self._reward(shape, plain, begin, end)
                continue
            rows = tables[keyword]
            if plain:
                rows.place(begin, end)
                rows.cell(*plain[0], plain[1])
            else:
                self._rows(shape, rows, begin, end)
        if tables is None:
            self.preamble.check_complete()
            self._tables()
