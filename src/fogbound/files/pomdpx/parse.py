"""XML read with suspicion: elements that know their line, and nothing that a model file does not need.

A document type is where entities are declared, so every one is refused: then nothing expands, and nothing is
fetched. Size, number of elements and depth are bounded before anything is built from them.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from xml.parsers import expat

from fogbound.core.errors import one_line
from fogbound.files.contents import contents
from fogbound.files.numbers import place
from fogbound.files.pomdpx.elements import Element

MOST_BYTES = 1 << 27
MOST_ELEMENTS = 1_500_000
MOST_DEPTH = 64
NONE: dict[str, str] = {}  # the attributes of most elements


def parse(path: str | os.PathLike[str], root: str) -> Element:
    """The document at `path`, whose outermost element must be `root`."""
    reader = _Reader(str(path))
    found = reader.read(contents(path, MOST_BYTES))
    if found.tag != root:
        raise found.wrong(f"<{found.tag}>", f"<{root}> outermost")
    return found


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector from walking millions of small live objects again and again while they are made."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class _Reader:
    """Collects the elements as the parser meets them; the stack holds those still open."""

    def __init__(self, path: str) -> None:
        self.path, self.met = path, 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._open
        self.parser.EndElementHandler = self._close
        self.parser.CharacterDataHandler = self._say
        self.stack: list[Element] = []
        self.below: list[list[Element]] = []  # the children so far of each
        self.pieces: list[str] = []
        self.root: Element | None = None

    def read(self, data: bytes) -> Element:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise place(self.path, error.lineno, f"broken XML ({reason})", "a well-formed document") from None
        except (LookupError, ValueError) as error:
            found = f"an unreadable encoding ({one_line(str(error), 80)})"
            raise place(self.path, 1, found, "UTF-8 or ISO-8859-1") from None
        if self.root is None:
            raise place(self.path, 1, "no element", "a document")
        return self.root

    def _refuse(self, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        raise place(self.path, line, "a DOCTYPE", "none: entities are not read; delete the declaration")

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        line, self.met = self.parser.CurrentLineNumber, self.met + 1
        if len(self.stack) >= MOST_DEPTH:
            raise place(self.path, line, f"elements nested over {MOST_DEPTH} deep", "fewer levels")
        if self.met > MOST_ELEMENTS:
            raise place(self.path, line, f"over {MOST_ELEMENTS:,} elements", "a smaller document")
        made = Element(self.path, line, tag, attributes or NONE)
        if self.stack:
            self.below[-1].append(made)
        else:
            self.root = made
        self.stack.append(made)
        self.below.append([])
        self.pieces.clear()

    def _close(self, _: str) -> None:
        made, below = self.stack.pop(), self.below.pop()
        if below:
            made.children = below
        else:
            made.text = "".join(self.pieces)
        self.pieces.clear()

    def _say(self, text: str) -> None:
        self.pieces.append(text)
