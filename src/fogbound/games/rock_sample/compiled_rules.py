"""RockSample as compiled rules: its map as numbers, and the words for its codes and states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from fogbound.compiled.rules import CompiledRules
from fogbound.core import Observation
from fogbound.games.rock_sample import kernels

State = tuple[int, int, tuple[int, ...]]  # as `game` has it, which makes its compiled rules here
MOST_VALUES = 1 << 24  # cells times sets of good rocks, up to which it is computed what a tour is worth
SEEN = {None: kernels.NOTHING, "good": kernels.SEEN_GOOD, "bad": kernels.SEEN_BAD}


class RockSampleWords:
    """What the numbers of a game's compiled rules stand for."""

    def __init__(self, game: Any) -> None:
        self.size, self.rocks, self.legal = game.size, game.rocks, game.legal
        self.codes = {action: code for code, action in enumerate(game.legal)}

    def action(self, code: int) -> str:
        name: str = self.legal[code]
        return name

    def action_code(self, action: Hashable) -> int:
        return self.codes[str(action)]

    def observation_code(self, _player: int, seen: Observation) -> int:
        return SEEN.get(seen.public, -1)  # type: ignore[call-overload, no-any-return]

    def state(self, row: Sequence[int]) -> State:
        cell, good = (int(word) for word in row)
        if cell < 0:
            return -1, -1, ()
        x, y = divmod(cell, self.size)
        return x, y, tuple((good >> rock) & 1 for rock in range(self.rocks))

    def state_row(self, state: State) -> list[int]:
        x, y, rocks = state
        return [x * self.size + y, sum(good << rock for rock, good in enumerate(rocks))] if rocks else [-1, 0]


def compiled_rules(game: Any) -> CompiledRules:
    """The compiled rules of `RockSample`; with worths where cells times sets of rocks are not too many."""
    size, rocks, words = game.size, game.rocks, RockSampleWords(game)
    places, _ = game.site
    cells = [x * size + y for x, y in places]
    rock_at = np.full(size * size, -1, np.int64)
    rock_at[cells] = range(rocks)
    truth = [game.truth(divmod(cell, size), rock) for cell in range(size * size) for rock in range(rocks)]
    known = size * size << rocks <= MOST_VALUES
    values = tour_values(size, game.discount, cells) if known else np.zeros(0)
    found = CompiledRules.of(
        game,
        vars(kernels),
        words,
        width=2,
        beginnings=1 << rocks,
        most_actions=len(game.legal),
        most_outcomes=2,
        integers=[size, rocks, size // 2, *rock_at],
        numbers=np.concatenate([[game.discount], truth, values]),
    )
    return found if known else found.without_worths()


def tour_values(size: int, discount: float, cells: Sequence[int]) -> np.ndarray[Any, Any]:
    """[cell * sets + set] what the best tour is worth when all rocks are known, by cell and set of good rocks."""
    sets = 1 << len(cells)
    values, at_rock = np.zeros(size * size * sets), np.zeros((sets, len(cells)))
    kernels.fill_tour_values(
        size, discount, np.array(cells, np.int64), discount ** np.arange(2.0 * size), at_rock, values
    )
    return values
