"""Graphs for pursuit and evasion as text.

A `#` begins a comment. Every line is an edge between two places by name, as in `gate yard`, which is passed both ways,
or says who starts where: `pursuers: gate tower`, one name each, and `evader: yard`. Each of these two stands once.
"""

from __future__ import annotations

from dataclasses import dataclass

from fogbound.core import FileError
from fogbound.core.bounded import read_bytes
from fogbound.core.errors import brief, one_line

MOST_PLACES, MOST_BYTES = 1_000, 100_000
STARTS = ("pursuers", "evader")
EXPECTED = "two different places, 'pursuers: PLACE …' or 'evader: PLACE'"


@dataclass(frozen=True)
class Graph:
    """Places by name in the order of the file, the neighbours of each, and where the players start."""

    names: tuple[str, ...]
    near: tuple[tuple[int, ...], ...]
    pursuers: tuple[int, ...]
    evader: int


def read_graph(path: str) -> Graph:
    """The graph in a file; FileError with the line, what was found there and what was expected."""
    where = one_line(path, 200)
    try:
        lines = read_bytes(path, MOST_BYTES, "a graph's file").decode().splitlines()
    except UnicodeDecodeError as error:
        raise FileError(f"{where}: cannot be read: not a text; expected a graph's file") from error
    near: dict[str, list[str]] = {}
    starts: dict[str, tuple[int, list[str]]] = {}
    for at, line in enumerate(lines, start=1):
        words = line.partition("#")[0].strip()
        who, colon, names = words.partition(":")
        if colon and who.strip() in STARTS and who.strip() not in starts:
            starts[who.strip()] = at, names.split()
        elif words:
            _add_edge(near, words.split(), f"{where}:{at}: found {brief(words)}, expected")
    return _graph(near, starts, where, len(lines) or 1)


def _add_edge(near: dict[str, list[str]], ends: list[str], fault: str) -> None:
    if len(ends) != 2 or ends[0] == ends[1] or any("-" in name or ":" in name for name in ends):
        raise FileError(f"{fault} {EXPECTED}; names have no - and no :")
    one, other = ends
    if other in near.get(one, ()):
        raise FileError(f"{fault} every edge once")
    near.setdefault(one, []).append(other)
    near.setdefault(other, []).append(one)
    if len(near) > MOST_PLACES:
        raise FileError(f"{fault} at most {MOST_PLACES:,} places")


def _graph(near: dict[str, list[str]], starts: dict[str, tuple[int, list[str]]], where: str, end: int) -> Graph:
    number, standing = {name: k for k, name in enumerate(near)}, {}
    for who in STARTS:
        at, names = starts.get(who, (end, []))
        wanted = "1 place" if who == "evader" else f"1 to {max(1, len(near) - 1)} places"
        unknown = [name for name in names if name not in number]
        if who not in starts or not names or unknown or len(names) > (1 if who == "evader" else max(1, len(near) - 1)):
            found = brief(unknown[0]) if unknown else f"{len(names)} places" if who in starts else "the end"
            raise FileError(f"{where}:{at}: found {found}, expected '{who}:' and {wanted} of an edge")
        standing[who] = [number[name] for name in names]
    if standing["evader"][0] in standing["pursuers"]:
        raise FileError(
            f"{where}:{starts['evader'][0]}: the evader starts where a pursuer does, expected another place"
        )
    edges = tuple(tuple(number[name] for name in names) for names in near.values())
    return Graph(tuple(near), edges, tuple(sorted(standing["pursuers"])), standing["evader"][0])
