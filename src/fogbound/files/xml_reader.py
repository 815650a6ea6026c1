"""XML read with suspicion: elements that know their line, and nothing that a model file does not need.

A document type is where entities are declared, so every one is refused: then nothing expands, and nothing is
fetched. Size, number of elements and depth are bounded before anything is built from them.

An element that the format does not know may be a note of another program: it is passed over with a warning. One that
is nearly a word of the format is a slip, and refused.
"""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from xml.parsers import expat

import numpy as np

from fogbound.core.bounded import read_bytes
from fogbound.core.cancel import check
from fogbound.core.errors import FileError, one_line
from fogbound.files.reading import fault_at, finite_number, hint
from fogbound.forms.arrays import Floats


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
        value = finite_number(word)
        if value is None:
            raise self.wrong(f"{word!r} in <{self.tag}>", "a finite number")
        return value


MOST_BYTES = 1 << 27
MOST_ELEMENTS = 1_500_000
MOST_DEPTH = 64
MOST_STRANGE = 1_000  # elements that the format does not know
NEAR = 0.8  # how alike a word that is a slip and the word that was meant are, of 1
LOOK_UP = 4096  # elements between two looks at whether to stop
NONE: dict[str, str] = {}  # the attributes of most elements


def parse_xml(path: str | os.PathLike[str], root: str, tags: Collection[str]) -> Element:
    """The document at `path`, whose outermost element must be `root`; below it stand `tags`, and others are no news."""
    reader = _Reader(str(path), tags)
    element = reader.read(read_bytes(path, MOST_BYTES))
    if element.tag != root:
        raise element.wrong(f"<{element.tag}>", f"<{root}> outermost")
    if reader.strange:
        line, tag = reader.strange[0]
        more = len(reader.strange) - 1
        others = f" (and {more:,} more such element{'s' * (more > 1)})" if more else ""
        where = f"{one_line(reader.path, 200)}:{line}"
        warnings.warn(f"{where}: <{one_line(tag, 80)}> is no part of the format: passed over{others}", stacklevel=3)
    return element


class _Reader:
    """Collects the elements as the parser meets them; the stack holds those still open."""

    def __init__(self, path: str, tags: Collection[str]) -> None:
        self.path, self.tags, self.met = path, frozenset(tags), 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._open
        self.parser.EndElementHandler = self._close
        self.parser.CharacterDataHandler = self._say
        self.stack: list[Element] = []
        self.below: list[list[Element]] = []  # the children so far of each
        self.pieces: list[str] = []
        self.inside = 0  # elements open from one that the format does not know on
        self.strange: list[tuple[int, str]] = []  # such elements: line and tag
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
        if len(self.stack) + self.inside >= MOST_DEPTH:
            raise fault_at(self.path, line, f"elements nested over {MOST_DEPTH} deep", "fewer levels")
        if self.met > MOST_ELEMENTS:
            raise fault_at(self.path, line, f"over {MOST_ELEMENTS:,} elements", "a smaller document")
        if self.inside or (self.stack and tag not in self.tags):
            self._pass_over(tag, line)
            return
        made = Element(self.path, line, tag, attributes or NONE)
        if self.stack:
            self.below[-1].append(made)
        else:
            self.root = made
        self.stack.append(made)
        self.below.append([])
        self.pieces.clear()

    def _pass_over(self, tag: str, line: int) -> None:
        if not self.inside:
            words = {word.lower(): word for word in self.tags}
            if len(tag) <= 80 and (near := difflib.get_close_matches(tag.lower(), words, 1, NEAR)):
                expected = f"an element of the format; did you mean {words[near[0]]!r}?"
                raise fault_at(self.path, line, f"<{tag}>", expected)
            self.strange.append((line, tag))
            if len(self.strange) > MOST_STRANGE:
                found = f"over {MOST_STRANGE:,} elements that the format does not know"
                raise fault_at(self.path, line, found, "those of the format")
        self.inside += 1

    def _close(self, _: str) -> None:
        if self.inside:
            self.inside -= 1
            return
        made, below = self.stack.pop(), self.below.pop()
        if below:
            made.children = below
        else:
            made.text = "".join(self.pieces)
        self.pieces.clear()

    def _say(self, text: str) -> None:
        if not self.inside:
            self.pieces.append(text)
