"""One element of a document, with its line: what every part of a model is read from, and complains through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from fogbound.core.errors import FileError
from fogbound.files.numbers import number, place
from fogbound.forms.table import Floats


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
        return place(self.path, self.line, found, expected)

    def all(self, *tags: str) -> Sequence[Element]:
        """The children, every one of which must be one of `tags`."""
        for child in self.children:
            if child.tag not in tags:
                raise child.wrong(f"<{child.tag}>" + hint(child.tag, tags), _either(tags) + f" in <{self.tag}>")
        return self.children

    def maybe(self, tag: str) -> Element | None:
        """The child with this tag, if there is one; never two."""
        found = [child for child in self.children if child.tag == tag]
        if len(found) > 1:
            raise found[1].wrong(f"a second <{tag}>", f"one in <{self.tag}>")
        return found[0] if found else None

    def one(self, tag: str) -> Element:
        """The one child with this tag."""
        found = self.maybe(tag)
        if found is None:
            raise self.wrong(f"no <{tag}> in <{self.tag}>", "one")
        return found

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


def hint(word: str, known: tuple[str, ...] | list[str]) -> str:
    """What the writer may have meant, to stand behind a word that means nothing."""
    near = get_close_matches(word[:100], known[:1000], 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _either(tags: tuple[str, ...]) -> str:
    return " or ".join(f"<{tag}>" for tag in tags)
