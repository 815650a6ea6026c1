"""XML read with suspicion: elements that know their line, and nothing that a model file does not need.

A document type is where entities are declared, so every one is refused: then nothing expands, and nothing is
fetched. Size, number of elements and depth are bounded before anything is built from them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from xml.parsers import expat

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FileError, one_line
from fogbound.files.reading import fault_at, hint, number, read_bytes
from fogbound.forms.arrays import Floats

# One element of a document, with its line: what every part of a model is read from, and complains through.


@dataclass(slots=True, eq=False)
class Element:
    """One element, with the line it begins in, so that every complaint can name it."""

    path: str
    line: int
    tag: str
    attributes: dict[str, str]
    children: Sequence[Element] = ()
    text: str = ""

    def wrong(self, found: str, expected: str) -> FileError:
        return fault_at(self.path, self.line, found, expected)

    def all(self, *tags: str) -> Sequence[Element]:
        """The children, every one of which must be one of `tags`."""
        for child in self.children:
            if child.tag not in tags:
                expected = " or ".join(f"<{tag}>" for tag in tags)
                raise child.wrong(f"<{child.tag}>", f"{expected} in <{self.tag}>{hint(child.tag, tags)}")
        return self.children

    def maybe(self, tag: str) -> Element | None:
        """The child with this tag, if there is one; never two."""
        alike = [child for child in self.children if child.tag == tag]
        if len(alike) > 1:
            raise alike[1].wrong(f"a second <{tag}>", f"one in <{self.tag}>")
        return alike[0] if alike else None

    def one(self, tag: str) -> Element:
        """The one child with this tag."""
        child = self.maybe(tag)
        if child is None:
            raise self.wrong(f"no <{tag}> in <{self.tag}>", "one")
        return child

    def attribute(self, name: str) -> str:
        if name not in self.attributes:
            raise self.wrong(f"<{self.tag}> without {name}", f'{name}="…"')
        return self.attributes[name]

    def words(self) -> list[str]:
        return self.text.split()

    def numbers(self) -> Floats:
        """The text as numbers, every one of them finite."""
        return np.array([self.number(word) for word in self.words()], np.float64)

    def number(self, word: str) -> float:
        value = number(word)
        if value is None:
            raise self.wrong(f"{word!r} in <{self.tag}>", "a finite number")
        return value


MOST_BYTES = 1 << 27
MOST_ELEMENTS = 1_500_000
MOST_DEPTH = 64
LOOK_UP = 4096  # elements between two looks at whether to stop
NONE: dict[str, str] = {}  # the attributes of most elements


def parse_xml(path: str | os.PathLike[str], root: str) -> Element:
    """The document at `path`, whose outermost element must be `root`."""
    reader = _Reader(str(path))
    element = reader.read(read_bytes(path, MOST_BYTES))
    if element.tag != root:
        raise element.wrong(f"<{element.tag}>", f"<{root}> outermost")
    return element


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
            raise fault_at(self.path, error.lineno, f"broken XML ({reason})", "a well-formed document") from None
        except (LookupError, ValueError) as error:
            found = f"an unreadable encoding ({one_line(str(error), 80)})"
            raise fault_at(self.path, 1, found, "UTF-8 or ISO-8859-1") from None
        if self.root is None:
            raise fault_at(self.path, 1, "no element", "a document")
        return self.root

    def _refuse(self, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        raise fault_at(self.path, line, "a DOCTYPE", "none: entities are not read; delete the declaration")

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        line, self.met = self.parser.CurrentLineNumber, self.met + 1
        if not self.met % LOOK_UP:
            check()
        if len(self.stack) >= MOST_DEPTH:
            raise fault_at(self.path, line, f"elements nested over {MOST_DEPTH} deep", "fewer levels")
        if self.met > MOST_ELEMENTS:
            raise fault_at(self.path, line, f"over {MOST_ELEMENTS:,} elements", "a smaller document")
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
