"""A game in normal form: everybody chooses once, at the same time, and is paid."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, SpecError
from fogbound.games.matrices import MATRICES, PayoffMatrix

SEATS = ("first", "second", "third", "fourth", "fifth", "sixth")
OWN = "own"  # what a table of one's own is called
State = tuple[str, ...]  # what everybody did; () before


@dataclass(frozen=True)
class MatrixGame(Game[State, str]):
    """One simultaneous choice of two to six players, by a table of payoffs.

    Parameters
    ----------
    matrix
        Which of the classical ones: prisoners-dilemma, battle-of-the-sexes, stag-hunt, chicken, aumann, …
    payoffs
        A table of one's own instead: ``payoffs[a][b]…`` lists what the players get when they do a, b, …; actions are
        then called 1, 2, …

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.forms.normal(fb.game("matrix-game(payoffs=[[[1, 2], [0, 0]], [[0, 0], [2, 1]]])")).payoff[..., 0].tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    name = "matrix-game"
    record = GameRecord("Matrix game", GameGroup.TEXTBOOK)

    matrix: str = "battle-of-the-sexes"
    payoffs: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if not self.payoffs and self.matrix not in MATRICES:
            raise SpecError(f"matrix-game: matrix is {self.matrix!r}, expected one of {', '.join(MATRICES)}")
        if self.payoffs:  # a table of one's own is not called by another's name
            object.__setattr__(self, "matrix", OWN)
        object.__setattr__(self, "players", SEATS[: len(self.table.actions)])

    @cached_property
    def table(self) -> PayoffMatrix:
        """The actions and what they pay."""
        return _own(self.payoffs) if self.payoffs else MATRICES[self.matrix]

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome(()))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state else tuple(range(len(self.players)))

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return self.table.actions[player]

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:  # noqa: ARG002
        paid, actions = self.table.payoffs, self.table.actions
        for player, action in enumerate(joint):
            paid = paid[actions[player].index(action)]
        return Dist.sure(Outcome(joint, tuple(float(part) for part in paid), public=joint))

    def describe_state(self, state: State) -> str:
        return self.describe_public(state) if state else "all choose at once"

    def describe_public(self, seen: Hashable) -> str:
        return ", ".join(f"{name} plays {action}" for name, action in zip(self.players, cast(State, seen)))

    def board(self, state: State, player: int | None = None) -> Board:  # noqa: ARG002
        return Board.of_text(" and ".join(state) + "." if state else "All choose at once.")


def _own(payoffs: Any) -> PayoffMatrix:
    """A table that somebody wrote down, with its actions numbered; SpecError where it is none."""
    shape, part = [], payoffs
    while isinstance(part, tuple | list):
        shape.append(len(part))
        part = part[0] if part else None
    *widths, players = shape if len(shape) > 1 else (0, 0)
    if len(widths) != players or not 2 <= players <= len(SEATS) or not _even(payoffs, shape):
        raise SpecError(
            "matrix-game: payoffs need a list for each action of each of 2 to 6 players, and in the innermost a number "
            "for each player, such as [[[3, 3], [0, 5]], [[5, 0], [1, 1]]]"
        )
    return PayoffMatrix(tuple(tuple(str(k + 1) for k in range(wide)) for wide in widths), payoffs)


def _even(part: Any, shape: list[int]) -> bool:
    """Whether nested lists have these lengths throughout, and numbers inside."""
    if not shape:
        return isinstance(part, int | float) and not isinstance(part, bool)
    return isinstance(part, tuple | list) and len(part) == shape[0] and all(_even(one, shape[1:]) for one in part)
