"""Phantom tic-tac-toe as compiled rules: the words for its codes and states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from fogbound.compiled.rules import CompiledRules
from fogbound.core import Observation
from fogbound.games.phantom_tic_tac_toe import kernels
from fogbound.games.phantom_tic_tac_toe.kernels import FOUND, MOVER
from fogbound.games.tic_tac_toe import MARKS, SQUARES

State = tuple[tuple[str, ...], int]  # as `game` has it, which makes its compiled rules here
HEARD = {
    None: kernels.NOTHING,
    "placed": kernels.PLACED,
    "taken": kernels.TAKEN,
    "a draw": kernels.DRAWN,
    "crosses win": kernels.WON,
    "noughts win": kernels.WON + 1,
}


def compiled_rules(game: Any) -> CompiledRules:
    """The compiled rules of `PhantomTicTacToe`."""
    return CompiledRules.of(
        game, vars(kernels), PhantomWords(), width=MOVER + 1, most_actions=len(SQUARES), integers=[game.abrupt]
    )


class PhantomWords:
    """What the numbers of a game's compiled rules stand for."""

    def action(self, code: int) -> str:
        return SQUARES[code]

    def action_code(self, action: Hashable) -> int:
        return SQUARES.index(str(action))

    def observation_code(self, _player: int, seen: Observation) -> int:
        return HEARD.get(seen.public if seen.private is None else seen.private, -1)  # type: ignore[call-overload, no-any-return]

    def state(self, row: Sequence[int]) -> State:
        squares = [""] * len(SQUARES)
        for at in range(len(squares)):
            for player, mark in enumerate(MARKS):
                if row[player] >> at & 1:
                    squares[at] = mark.upper() if row[FOUND] >> at & 1 else mark
        return tuple(squares), int(row[MOVER])

    def state_row(self, state: State) -> list[int]:
        squares, mover = state
        sets = [sum((mark.lower() == own) << at for at, mark in enumerate(squares)) for own in MARKS]
        return [*sets, sum(mark.isupper() << at for at, mark in enumerate(squares)), mover]
