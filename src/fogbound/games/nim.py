"""Nim: heaps in the open, and whoever takes the last object wins, or loses.

In turn a player takes one or more objects from one heap. In normal play whoever takes the last object wins; in misère
play whoever must take it loses, which is the goal of document 000's section I: leave exactly one. Nothing is hidden:
what `po-nim` is without its fog.

Bouton, "Nim, a game with a complete mathematical theory" (1901): whoever moves wins exactly where the nim-sum, the
exclusive or of the heaps, is not 0. Misère play goes alike as long as a heap of two or more is left; where all heaps
are of one, whoever meets an even number of them wins.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import cast

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, KnownValue, Outcome, SpecError, Tile
from fogbound.core.record import listed

State = tuple[tuple[int, ...], int]  # (the heaps, who moves next)
Action = tuple[int, int]  # (which heap, counted from 1, how many)
MOST_HEAPS, MOST_OBJECTS = 10, 100


@dataclass(frozen=True)
class Nim(Game[State, Action]):
    """Heaps of objects, all in sight; the last object wins, or loses where play is misère.

    Parameters
    ----------
    heaps
        How many objects each heap has at the start.
    misere
        Whether taking the last object loses.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.solve("nim(heaps=[3, 4, 5])").value, fb.solve("nim(heaps=[1, 2, 3])").value
    (1.0, -1.0)
    """

    name = "nim"
    record = GameRecord(
        "Nim",
        GameGroup.CARDS,
        (
            KnownValue("nim(heaps=[1, 2, 3])", -1.0, "Bouton 1901: nim-sum 0"),
            KnownValue("nim(heaps=[2, 1], misere=true)", 1.0, "Bouton 1901: leave one"),
        ),
    )

    heaps: tuple[int, ...] = (3, 3)
    misere: bool = False
    players = ("first", "second")

    def __post_init__(self) -> None:
        heaps = tuple(self.heaps)
        if not 1 <= len(heaps) <= MOST_HEAPS:
            raise SpecError(f"nim: {len(heaps)} heaps, expected 1 to {MOST_HEAPS}")
        for heap in heaps:
            if not isinstance(heap, int) or isinstance(heap, bool) or not 1 <= heap <= MOST_OBJECTS:
                raise SpecError(f"nim: a heap is {heap!r}, expected a whole number of 1 to {MOST_OBJECTS}")
        object.__setattr__(self, "heaps", heaps)

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome((self.heaps, 0)))

    def actors(self, state: State) -> tuple[int, ...]:
        heaps, mover = state
        return (mover,) if any(heaps) else ()

    def actions(self, state: State, player: int) -> list[Action]:  # noqa: ARG002
        return [(at + 1, taken) for at, heap in enumerate(state[0]) for taken in range(1, heap + 1)]

    def step(self, state: State, joint: tuple[Action, ...]) -> Dist[Outcome[State]]:
        heaps, mover = state
        ((heap, taken),) = joint
        left = tuple([have - taken if at + 1 == heap else have for at, have in enumerate(heaps)])
        rewards: tuple[int, ...] = ()
        if not any(left):
            rewards = (1, -1) if (mover == 0) != self.misere else (-1, 1)
        return Dist.sure(Outcome((left, 1 - mover), rewards, joint[0]))

    def describe(self, action: Action) -> str:
        heap, taken = action
        return f"take {taken} from heap {heap}"

    def describe_state(self, state: State) -> str:
        heaps, _ = state
        return f"heaps of {listed(heaps)}; {self._caption(state)}"

    def describe_public(self, seen: Hashable) -> str:
        heap, taken = cast(Action, seen)
        return f"{taken} taken from heap {heap}"

    def _caption(self, state: State) -> str:
        heaps, mover = state
        winner = self.players[mover if self.misere else 1 - mover]
        return f"{self.players[mover]} to move" if any(heaps) else f"{winner} has won"

    def board(self, state: State, player: int | None = None) -> Board:  # noqa: ARG002
        heaps, _ = state
        wide = max(self.heaps)
        rows = [[Tile("●")] * heap + [Tile()] * (wide - heap) for heap in heaps]
        return Board.grid(rows, self._caption(state), [str(at + 1) for at in range(len(heaps))])


def nim_sum(heaps: Sequence[int]) -> int:
    """The exclusive or of the heaps.

    Examples
    --------
    >>> nim_sum([3, 4, 5])
    2
    """
    return reduce(xor, heaps, 0)


def mover_wins(heaps: Sequence[int], misere: bool = False) -> bool:
    """Bouton's theorem: whether whoever moves now can win.

    Examples
    --------
    >>> mover_wins([3, 3]), mover_wins([1, 1]), mover_wins([1, 1], misere=True)
    (False, False, True)
    """
    if misere and max(heaps, default=0) <= 1:
        return nim_sum(heaps) == 0
    return nim_sum(heaps) != 0
