"""The positions of document 004's appendix A, from which its figures 4.1 to 4.12 start their searches.

They were generated, not all reached by play: in 4.1 and 4.4 more pieces are gone than cards were spent, and in 4.9
four stand on a level of three (A, which has no level there, counts as off the board). Whose turn it is the document
says of 4.5 to 4.8 only, player 2's, which cannot hold for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from fogbound.core import GameGroup, GameRecord, SpecError
from fogbound.core.errors import brief
from fogbound.games.king_up.game import OFF, SEATS, KingUp, Lists, Numbers, State

FIGURES = {  # figure -> (lists, rejection cards, levels)
    "4.1": ("DEFG ABFG BCDE", "110", "D3 E2 G3"),
    "4.2": ("ABFG BCDE ABCG", "100", "A0 B0 D4 E4 F3"),
    "4.3": ("AEFG BCDE ABCD", "101", "A0 B0 D4 E4 F3"),
    "4.4": ("DEFG AEFG BCDE", "111", "A3 B0 D4 E4 G2"),
    "4.5": ("ABCG DEFG ABCD", "101", "A2 B2 D0 E4 F4"),
    "4.6": ("ABCG DEFG ABCD", "100", "A3 B3 D0 E4"),
    "4.7": ("ABCG DEFG ABCD", "000", "A3 B3 D0"),
    "4.8": ("ABCG DEFG ABCD", "000", "A3 B4 D0"),
    "4.9": ("ABFG BCDE AEFG", "000", "B2 C3 D3 E3 G3"),
    "4.10": ("DEFG BCDE ABFG", "111", "A4 B4 D3 E4 F2 G2"),
    "4.11": ("ABFG ABCD BCDE", "001", "A4 B0 C3 E0 G2"),
    "4.12": ("ABCD ABFG BCDE", "111", "A0 B0 C1 E0 G1"),
}


def position(game: KingUp, figure: str, mover: int) -> State:
    """A figure's position with `mover` to push, for `transforms.start_at`: all cards as the appendix has them."""
    lists, cards, places = FIGURES[figure]
    levels = {place[0]: int(place[1]) for place in places.split()}
    on = tuple(levels.get(letter, OFF) for letter in game.letters)
    return tuple(lists.split()), on, tuple(map(int, cards)), mover, 0


@dataclass(frozen=True)
class KingUpFigure(KingUp):
    """King Up from the position of figure 4.`figure`, as the one sees it who is to push.

    Its list is the figure's. Those of the others it has not seen: they are dealt anew from the lists that are left.
    """

    name = "king-up-figure"
    record = GameRecord("King-up, a position in play", GameGroup.CARDS)

    figure: int = 8
    mover: Literal["first", "second", "third"] = "second"

    def __post_init__(self) -> None:
        super().__post_init__()
        if f"4.{self.figure}" not in FIGURES:
            raise SpecError(f"king-up-figure: figure is {brief(self.figure)}, expected 1 to {len(FIGURES)}")
        if self.mover not in SEATS[:3]:
            raise SpecError(f"king-up-figure: mover is {brief(self.mover)}, expected {', '.join(SEATS[:3])}")
        small = KingUp()
        for name in ("seats", "pieces", "targets", "height", "lists"):
            found, expected = getattr(self, name), getattr(small, name)
            if found != expected:
                raise SpecError(f"king-up-figure: {name} is {found}, expected {expected} as in the document's figures")

    @cached_property
    def _position(self) -> State:
        return position(self, f"4.{self.figure}", SEATS.index(self.mover))

    @cached_property
    def _board_at_first(self) -> tuple[Numbers, Numbers, int, int]:
        return self._position[1:]

    def may_be_dealt(self, lists: Lists) -> bool:
        mover = SEATS.index(self.mover)
        return lists[mover] == self._position[0][mover]
