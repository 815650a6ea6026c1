"""After a game: the whole truth as a film strip, what each could know, and what each move cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fogbound.core.drawing import Drawing
from fogbound.core.errors import one_line
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.inference.online.own_belief import ReviewedMove
from fogbound.web.table.pictures import Pictures
from fogbound.web.table.sitting import Sitting

MOST_PICTURES = 200  # a longer game shows those around the step that is looked at


@dataclass(frozen=True)
class Frame:
    """One step as it really was.

    Attributes
    ----------
    number
        Which step; 0 is the start.
    did
        What everybody did.
    saw
        What each player saw of it, by name.
    picture
        The state after it, with nothing hidden.
    verdict
        What the seat's own move was worth: best, or its cost; empty where it made none or that is not known.
    cost
        At least so much was given away.
    mine
        Whether the seat moved.
    """

    number: int
    did: str
    saw: tuple[tuple[str, str], ...]
    picture: Drawing | None
    verdict: str
    cost: float
    mine: bool


@dataclass(frozen=True)
class Tally:
    """A seat's play in one game: moves that were best, of how many, and the value given away, at least and at most."""

    best: int
    moves: int
    low: float
    high: float

    @property
    def given_away(self) -> str:
        """The value given away, in words."""
        low, high = number(self.low, 4), number(self.high, 4)
        return low if self.high - self.low < 1e-7 else f"{low} to {high}"


def frames(
    sitting: Sitting, player: int, reviewed: Sequence[ReviewedMove] | None, pictures: Pictures, around: int = 0
) -> tuple[Frame, ...]:
    """Every step of a game that is over.

    Parameters
    ----------
    sitting
        The game.
    player
        Whose seat looks back.
    reviewed
        What its moves cost, in order, where that is known.
    pictures
        Boards that were drawn before.
    around
        The step that is looked at.
    """
    game, listed = sitting.game, []
    judged = list(reviewed or ())
    own = 0
    for k, step in enumerate(sitting.steps):
        moves = [] if step.joint is None else list(zip(game.actors(step.before), step.joint))
        mine = any(mover == player for mover, _ in moves)
        verdict, cost = ("", 0.0)
        if mine and own < len(judged):
            verdict, cost = _verdict(game, judged[own])
        own += mine
        near = len(sitting.steps) <= MOST_PICTURES or abs(k - around) <= MOST_PICTURES // 2
        listed.append(
            Frame(
                k,
                _did(game, player, moves) if moves else "Start",
                _saw(game, step.outcome),
                pictures.drawn(game, step.outcome.state, None) if near else None,
                verdict,
                cost,
                mine,
            )
        )
    return tuple(listed)


def tally(reviewed: Sequence[ReviewedMove]) -> Tally:
    """How well a seat was played."""
    costs = [move.cost for move in reviewed]
    best = sum(high <= 1e-9 for _, high in costs)
    return Tally(best, len(costs), sum(low for low, _ in costs), sum(high for _, high in costs))


def outcome_heading(sitting: Sitting, player: int) -> str:
    """How a game ended for a player, as a heading."""
    assert sitting.result is not None
    returns = sitting.result.returns
    own, most = returns[player], max(returns)
    said = number(own, 6, sign=own != 0)
    if max(returns) == min(returns) or sitting.result.ended == "cut":  # alone, a team, a tie, or broken off
        return f"The game is over: you got {said}"
    if own < most:
        return f"You lost, {said}"
    return f"You won, {said}" if returns.count(most) == 1 else f"A tie, {said}"


def _did(game: AnyGame, player: int, moves: Sequence[tuple[int, Any]]) -> str:
    """What everybody did: you first."""
    ordered = sorted(moves, key=lambda move: move[0] != player)
    said = [f"{'You' if mover == player else game.players[mover]}: {game.describe(done)}" for mover, done in ordered]
    return one_line(", ".join(said), 160)


def _saw(game: AnyGame, seen: Any) -> tuple[tuple[str, str], ...]:
    """What each saw: all of it once where nobody saw more than others."""
    if not seen.private:
        return (("all saw", one_line(game.describe_public(seen.public), 120)),) if seen.public is not None else ()
    return tuple(
        (f"{name} saw", one_line(game.describe_observation(seen.observation(i), i), 120))
        for i, name in enumerate(game.players)
    )


def _verdict(game: AnyGame, move: ReviewedMove) -> tuple[str, float]:
    """What a move was worth when it was made."""
    low, high = move.cost
    value = number(move.value.lower, 4, sign=True)
    if high <= 1e-9:
        return f"best, {value}" if move.value.exact else f"best, at least {value}", 0.0
    cost = number(low, 4) if high - low < 1e-7 else f"{number(low, 4)} to {number(high, 4)}"
    best = " or ".join(one_line(game.describe(one.action), 60) for one in move.best[:3])
    return f"cost {cost}; best was {best}", max(low, high if low == 0 else low)
