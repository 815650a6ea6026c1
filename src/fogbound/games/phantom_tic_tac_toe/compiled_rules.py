"""Phantom tic-tac-toe as compiled rules: the words for its codes and states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from fogbound.compiled.rules import CompiledRules, Rules, functions_in
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
    return CompiledRules(
        spec=str(game),
        players=game.players,
        discount=game.discount,
        rules=Rules(np.array([game.abrupt], np.int64), np.zeros(1)),
        width=MOVER + 1,
        beginnings=1,
        most_actions=len(SQUARES),
        most_outcomes=1,
        **functions_in(kernels),
        action=SQUARES.__getitem__,
        action_code=_action_code,
        observation_code=_observation_code,
        state=_state,
        state_row=_state_row,
    )


def _action_code(action: Hashable) -> int:
    return SQUARES.index(str(action))


def _observation_code(_player: int, seen: Observation) -> int:
    return HEARD.get(seen.public if seen.private is None else seen.private, -1)  # type: ignore[call-overload, no-any-return]


def _state(row: Sequence[int]) -> State:
    squares = [""] * len(SQUARES)
    for at in range(len(squares)):
        for player, mark in enumerate(MARKS):
            if row[player] >> at & 1:
                squares[at] = mark.upper() if row[FOUND] >> at & 1 else mark
    return tuple(squares), int(row[MOVER])


def _state_row(state: State) -> list[int]:
    squares, mover = state
    sets = [sum((mark.lower() == own) << at for at, mark in enumerate(squares)) for own in MARKS]
    return [*sets, sum(mark.isupper() << at for at, mark in enumerate(squares)), mover]
