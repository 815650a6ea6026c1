"""Towns for Scotland Yard as text: what the generator of document 002, section 3.2, takes.

A `#` begins a comment, empty lines do not count, and seven lines are left, in this order: how many nodes there are
(they are numbered from 0); the taxi, the bus and the underground edges, which run both ways, as in `0 1, 0 2` (`-`
where there are none); how many cops there are; where they start, the thief last; the discount. The document shows
one example and says no more than that; the `-` is ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from fogbound.core import FileError, SpecError
from fogbound.core.bounded import read_bytes
from fogbound.core.errors import brief, one_line
from fogbound.games.scotland_yard.town import TRANSPORTS, Edge, Town

LINES = ("the number of nodes", *(f"the {by} edges" for by in TRANSPORTS))
LINES += ("the number of cops", "where the cops and, last, the thief start", "the discount")
MOST_NODES, MOST_BYTES = 200, 100_000


def contents(path: str) -> str:
    """The text of a map's file."""
    where = one_line(path, 200)
    try:
        return read_bytes(path, MOST_BYTES, "a map's file").decode()
    except FileError as error:
        raise FileError(f"{error}; expected a map's name or a map's file") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{where}: cannot be read: not a text; expected a map's name or a map's file") from error


def read_town(text: str, where: str) -> Town:
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
        listed = [self._number(word, 0, nodes - 1, wanted) for word in self.words.split()]
        if not count == len(listed) == len(set(listed)):
            raise self.fault(wanted)
        return listed

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
            probability = float(self.words)
        except ValueError:
            raise self.fault(wanted) from None
        if not 0 < probability < 1:
            raise self.fault(wanted)
        return probability

    def _number(self, word: str, low: int, high: int, wanted: str) -> int:
        if not (word.isascii() and word.isdigit() and len(word) < 10 and low <= int(word) <= high):
            raise self.fault(wanted)
        return int(word)


RING = 6  # nodes
NAMED = {
    "12": """12
        0 1, 1 2, 2 3, 4 5, 5 6, 6 7, 8 9, 9 10, 10 11, 0 4, 1 5, 2 6, 3 7, 4 8, 5 9, 6 10, 7 11
        0 2, 4 7, 9 11
        0 11
        2
        0 3 9
        0.95""",
    "18": """18
        12 13, 13 14, 14 15, 15 16, 16 17, 17 12
        0 1, 1 2, 2 3, 3 4, 4 5, 5 0, 6 7, 7 8, 8 9, 9 10, 10 11, 11 6
        1 14, 4 11, 6 14, 8 15, 10 13
        3
        0 6 12 3
        0.95""",
    "24": """24
        0 1, 1 2, 2 3, 3 4, 4 5, 5 0, 6 7, 7 8, 8 9, 9 10, 10 11, 11 6
        12 13, 13 14, 14 15, 15 16, 16 17, 17 12, 18 19, 19 20, 20 21, 21 22, 22 23, 23 18
        2 15, 3 8, 6 23, 7 18, 8 18, 9 20, 13 22, 17 22
        3
        0 6 12 21
        0.95""",
}


def town(name: str, nodes: int, seed: int) -> Town:
    """The map of this name, one drawn at random, or the one in the file of this name."""
    if name == "random":
        return rings(nodes or 3 * RING, seed)
    if nodes or seed:
        raise SpecError(f"scotland-yard: nodes and seed are given with map={name}, expected them with map=random only")
    return read_town(NAMED[name], name) if name in NAMED else read_town(contents(name), one_line(name, 200))


def rings(nodes: int, seed: int) -> Town:
    """Rings of six nodes, by taxi and by bus in turn, which random underground edges join into one town.

    As many of these as in games #18 and #24 of document 002. A cop starts on each of the first three rings.
    """
    if nodes % RING or not 2 * RING <= nodes <= MOST_NODES or seed < 0:
        expected = f"a multiple of {RING} from {2 * RING} to {MOST_NODES} and a seed of at least 0"
        raise SpecError(f"scotland-yard: nodes is {nodes} and seed {seed}, expected {expected}")
    rng, many = Random(seed), nodes // RING
    joined = dict.fromkeys((rng.randrange(RING * ring), rng.randrange(RING) + RING * ring) for ring in range(1, many))
    while len(joined) < 3 * many - 4:
        one, other = sorted(rng.sample(range(nodes), 2))
        if one // RING != other // RING:
            joined[one, other] = None
    around = [
        [(at, at + 1) for at in range(low, low + RING - 1)] + [(low, low + RING - 1)] for low in range(0, nodes, RING)
    ]
    taxi, bus = (tuple(edge for ring in around[kind::2] for edge in ring) for kind in (0, 1))
    cops = tuple(range(0, nodes, RING))[:3]
    thief = rng.choice([node for node in range(nodes) if node not in cops])
    return Town(nodes, (taxi, bus, tuple(joined)), cops, thief)
