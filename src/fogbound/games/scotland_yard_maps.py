"""The maps of Scotland Yard: three by name, others drawn from a seed or read from a file.

Document 002, section 5.1.1, describes its games #12, #18 and #24 but does not print their maps: the named ones here
are of the same making and size.
"""

from __future__ import annotations

from random import Random

from fogbound.core import SpecError
from fogbound.core.errors import one_line
from fogbound.games.scotland_yard_text import MOST_NODES, contents, read
from fogbound.games.scotland_yard_town import Town

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
    return read(NAMED[name], name) if name in NAMED else read(contents(name), one_line(name, 200))


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
