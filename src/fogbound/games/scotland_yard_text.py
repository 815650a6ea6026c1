"""Towns for Scotland Yard as text: what the generator of document 002, section 3.2, takes.

A `#` begins a comment, empty lines do not count, and seven lines are left, in this order: how many nodes there are
(they are numbered from 0); the taxi, the bus and the underground edges, which run both ways, as in `0 1, 0 2` (`-`
where there are none); how many cops there are; where they start, the thief last; the discount. The document shows
one example and says no more than that; the `-` is ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fogbound.core import FileError
from fogbound.core.errors import brief, one_line
from fogbound.games.scotland_yard_town import TRANSPORTS, Edge, Town

LINES = ("the number of nodes", *(f"the {by} edges" for by in TRANSPORTS))
LINES += ("the number of cops", "where the cops and, last, the thief start", "the discount")
MOST_NODES, MOST_BYTES = 200, 100_000


def contents(path: str) -> str:
    """The text of a map's file."""
    where = one_line(path, 200)
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise FileError(f"{where}:1: found more than {MOST_BYTES:,} bytes, expected a map's file")
        return data.decode()
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError, and so is what is no text
        reason = getattr(error, "strerror", None) or "not a text"
        raise FileError(f"{where}: cannot be read: {reason}; expected a map's name or a map's file") from error


def read(text: str, where: str) -> Town:
    """The town that a text describes; FileError with the line, what was found there and what was expected."""
    lines = [(at, line.partition("#")[0].strip()) for at, line in enumerate(text.splitlines(), start=1)]
    given = [Line(where, at, words) for at, words in lines if words]
    if len(given) < len(LINES):
        raise Line(where, len(lines) or 1, "the end").fault(LINES[len(given)])
    if len(given) > len(LINES):
        raise given[len(LINES)].fault("the end")
    size, *edges, count, places, discount = given
    nodes = size.whole(2, MOST_NODES)
    cops = count.whole(1, nodes - 1)
    *starts, thief = places.places(nodes, cops + 1)
    return Town(nodes, tuple(tuple(line.edges(nodes)) for line in edges), tuple(starts), thief, discount.share())


@dataclass(frozen=True)
class Line:
    """One line of a map's file that says something, and where it stands."""

    where: str
    at: int
    words: str

    def fault(self, expected: str) -> FileError:
        return FileError(f"{self.where}:{self.at}: found {brief(self.words)}, expected {expected}")

    def whole(self, low: int, high: int) -> int:
        return self._number(self.words, low, high, f"a number from {low} to {high}")

    def places(self, nodes: int, count: int) -> list[int]:
        wanted = f"{count} different nodes from 0 to {nodes - 1}, the thief's last"
        found = [self._number(word, 0, nodes - 1, wanted) for word in self.words.split()]
        if not count == len(found) == len(set(found)):
            raise self.fault(wanted)
        return found

    def edges(self, nodes: int) -> Iterator[Edge]:
        wanted, met = f"edges such as '0 1, 0 2', each once, of two nodes from 0 to {nodes - 1}, or -", set[Edge]()
        for words in () if self.words == "-" else self.words.split(","):
            ends = sorted(self._number(word, 0, nodes - 1, wanted) for word in words.split())
            if len(ends) != 2 or ends[0] == ends[1] or (ends[0], ends[1]) in met:
                raise self.fault(wanted)
            met.add((ends[0], ends[1]))
            yield ends[0], ends[1]

    def share(self) -> float:
        wanted = "a discount above 0 and below 1"
        try:
            found = float(self.words)
        except ValueError:
            raise self.fault(wanted) from None
        if not 0 < found < 1:
            raise self.fault(wanted)
        return found

    def _number(self, word: str, low: int, high: int, wanted: str) -> int:
        if not (word.isascii() and word.isdigit() and len(word) < 10 and low <= int(word) <= high):
            raise self.fault(wanted)
        return int(word)
