"""Boards that were drawn once: many pages show the same one, and drawing is most of what a page costs.

A picture is found by the rules, the state that is shown and whose eyes see it. What a seat is shown is the state of a
representative (`view.py`), which follows from what the seat was told: so which pictures are at hand, and how soon a
page comes, follows from that as well. Pictures with beliefs in them are drawn each time.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

from fogbound.core.drawing import Drawing
from fogbound.core.game import AnyGame

MOST_CHARACTERS = 32_000_000  # of all pictures that are kept


class Pictures:
    """The pictures that were looked at last.

    Parameters
    ----------
    most
        Characters that all of them may have.
    """

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self.most = most
        self._kept: OrderedDict[tuple[int, Any, int | None], tuple[AnyGame, Drawing]] = OrderedDict()
        self._characters = 0
        self._lock = Lock()

    def drawn(self, game: AnyGame, state: Any, player: int | None) -> Drawing:
        """A state as a player sees it, or everything where that is None."""
        key = (id(game), state, player)
        with self._lock:
            found = self._kept.get(key)
            if found is not None and found[0] is game:  # and not another that took its place in memory
                self._kept.move_to_end(key)
                return found[1]
        drawing = game.draw(state, player)
        with self._lock:
            self._characters += len(drawing.svg) - len(self._kept[key][1].svg if key in self._kept else "")
            self._kept[key] = (game, drawing)
            self._kept.move_to_end(key)
            while self._characters > self.most:
                _, (_, old) = self._kept.popitem(last=False)
                self._characters -= len(old.svg)
        return drawing

    def __len__(self) -> int:
        return len(self._kept)
