"""A small game with all that environments trip over, and chance by coins alone, so that all of it can be played.

It pays at the start, the second player moves before the first and may end it there, then they alternate, move at once,
and alternate again; every step counts half of the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fogbound.core import Dist, Game, Outcome

TURNS = ((1,), (0,), (1,), (0, 1), (1,), (0,))


@dataclass(frozen=True)
class Relay(Game):
    discount: float = 0.5
    players = ("one", "two")

    def start(self):
        return Dist.uniform(
            [
                Outcome((0, 0), (3.0, -1.0), private=("low", None)),
                Outcome((0, 1), (0.0, 2.0), private=("high", None)),
            ]
        )

    def actors(self, state):
        return TURNS[state[0]] if state[0] < len(TURNS) else ()

    def actions(self, state, player):
        return ("go", "stop") if state[0] == 0 else ("left", "right")

    def step(self, state, joint):
        turn, coin = state
        if joint == ("stop",):
            return Dist.sure(Outcome((len(TURNS), 0), (8.0, -8.0), public="stopped"))
        won = joint.count("left") + coin
        paid = (float(won * (turn + 1)), float(turn - 2 * won))
        if turn in (1, 3):
            return Dist.uniform([Outcome((turn + 1, c), paid, private=(None, c)) for c in (0, 1)])
        return Dist.sure(Outcome((turn + 1, coin), paid, public=joint[0]))


class Coins:
    """A generator whose draws are coins that are written down: what is not written yet comes up heads."""

    def __init__(self, flips: list[int]) -> None:
        self.flips, self.drawn = flips, 0

    def random(self) -> float:
        if self.drawn == len(self.flips):
            self.flips.append(0)
        self.drawn += 1
        return 0.25 + 0.5 * self.flips[self.drawn - 1]


def expected(play: Callable[[Coins], Any]) -> Any:
    """The mean of what `play` returns over all courses of its coins."""
    return sum(result * 0.5**count for result, count in courses(play))


def courses(play: Callable[[Coins], Any]) -> Iterator[tuple[Any, int]]:
    flips: list[int] = []
    while True:
        coins = Coins(flips)
        result = play(coins)
        assert coins.drawn == len(flips)
        yield result, len(flips)
        while flips and flips[-1] == 1:
            flips.pop()
        if not flips:
            return
        flips[-1] = 1
