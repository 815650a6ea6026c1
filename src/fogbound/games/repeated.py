"""A matrix game of two, played again and again: prisoner's dilemma, matching pennies and their kin.

Every round both choose at once and are paid; round t counts discount**t. With `memory` the state is what both did in
the last round, so that a Markov policy can answer to it (tit for tat, grim trigger); without, there is one state, and
the only Markov equilibria are those of the matrix, played for ever.

The payoffs are those of `matrix-game` (`games/matrices.py`). In matching pennies the matcher wins 1 from the
other; one state [[3, 0], [0, 1]] ("uneven") with discount 0.9 is worth 7.5 to its first player.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import cast

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, KnownValue, Outcome, SpecError
from fogbound.games.matrices import MATRICES

TWO = tuple(name for name, matrix in MATRICES.items() if len(matrix.actions) == 2)
State = tuple[str, ...]  # what both did last, where that is remembered


@dataclass(frozen=True)
class Repeated(Game[State, str]):
    """A matrix game repeated for ever, with discount.

    Parameters
    ----------
    matrix
        Which: prisoners-dilemma, matching-pennies, uneven, battle-of-the-sexes, stag-hunt, chicken, …
    memory
        Whether the state is what both did in the last round.
    discount
        Round t counts discount**t; below 1.
    """

    name = "repeated"
    record = GameRecord(
        "Repeated matrix game",
        GameGroup.TEXTBOOK,
        (
            KnownValue(
                "repeated(matrix=uneven)", 7.5, "one state [[3, 0], [0, 1]]: 3/4 of a unit, ten times", "shapley", 1e-9
            ),
            KnownValue("repeated(matrix=matching-pennies)", 0.0, "symmetric", "shapley", 1e-9),
        ),
    )

    matrix: str = "prisoners-dilemma"
    memory: bool = False
    discount: float = 0.9
    players = ("first", "second")

    def __post_init__(self) -> None:
        if self.matrix not in TWO:
            raise SpecError(f"repeated: matrix is {self.matrix!r}, expected one of {', '.join(TWO)}")
        if not 0 < self.discount < 1:
            raise SpecError(f"repeated: discount is {self.discount}, expected above 0 and below 1")

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome(()))

    def actors(self, state: State) -> tuple[int, ...]:  # noqa: ARG002
        return (0, 1)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return MATRICES[self.matrix].actions[player]

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:  # noqa: ARG002
        (rows, columns), payoffs = MATRICES[self.matrix]
        mine, theirs = payoffs[rows.index(joint[0])][columns.index(joint[1])]
        return Dist.sure(Outcome(joint if self.memory else (), (float(mine), float(theirs)), public=joint))

    def describe_state(self, state: State) -> str:
        return f"the last round: {self.describe_public(state)}" if state else "a round begins"

    def describe_public(self, seen: Hashable) -> str:
        return ", ".join(f"{name} plays {action}" for name, action in zip(self.players, cast(State, seen)))

    def board(self, state: State, player: int | None = None) -> Board:  # noqa: ARG002
        return Board.of_text(f"The last round: {' and '.join(state)}." if state else "A round begins.")
