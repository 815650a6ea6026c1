"""Who beats whom: the games between all levels of both players (document 000, section IV)."""

from __future__ import annotations

from collections.abc import Iterator

from fogbound_papers.claim import Claim
from fogbound_papers.d000.nim import TOP, NimLevels, name, nim

Pair = tuple[int, int]  # the level of the first player, that of the second


def claims() -> Iterator[Claim]:
    yield _higher_wins(nim())
    yield _endless(nim())


def lower_pairs() -> list[tuple[int, Pair]]:
    """(The higher one's player, both levels) of all games between levels of which one is higher, level 0 left out."""
    pairs = [(high, low) for high in range(2, TOP + 1) for low in range(1, high)]
    return [(0, pair) for pair in pairs] + [(1, (low, high)) for high, low in pairs]


def unbeaten(own: NimLevels) -> list[str]:
    """The games that the higher level does not win."""
    lost = []
    for player, (first, second) in lower_pairs():
        if own.pairs.outcomes[first][second].winner != player:
            high, low = (first, second) if player == 0 else (second, first)
            lost.append(f"{name(high, player)} against {name(low, 1 - player)}")
    return lost


def _higher_wins(own: NimLevels) -> Claim:
    lost, games = unbeaten(own), len(lower_pairs())
    ours = f"{games - len(lost)} of {games}"
    words = f"all but {', '.join(lost)}" if lost else "all"
    return Claim("r_u = −1: the higher of two levels wins", "–", "–", ours, "not stated", words, figure="000-pairs")


def _endless(own: NimLevels) -> Claim:
    """Levels of the same number may meet too."""
    endless = [
        f"{name(first, 0)} against {name(second, 1)}"
        for first in range(1, TOP + 1)
        for second in range(1, TOP + 1)
        if own.pairs.outcomes[first][second].ended == "cycle"
    ]
    words = f"{', '.join(endless)}; it must be broken off, or scored as a tie"
    ours = f"{len(endless)} of {TOP * TOP}"
    return Claim("r_u = −1: games that never end", "–", "–", ours, "not stated", words)
