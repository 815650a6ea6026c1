"""Position so far: what was still to come for a player, at each of its moves and now, as far as it could know then.

It is worked out from the player's own history, as all of the panel is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogbound.core.numerals import number
from fogbound.inference.fog import Worth
from fogbound.inference.online.own_belief import ReviewedMove

WIDE, HIGH, EDGE, ABOVE = 320.0, 110.0, 12.0, 26.0  # of the picture; what stays free beside and above its points
FEW_NAMED = 4  # points that all have their figures beside them; of more, the first and the last
FEW = 2  # points that make a line


@dataclass(frozen=True)
class PositionPoint:
    """One decision: its number, what the best move was worth, where that is drawn and from where to where it may be.

    `named` says whether its figure has room beside it.
    """

    number: int
    figure: str
    x: float
    y: float
    top: float
    bottom: float
    named: bool


@dataclass(frozen=True)
class PositionSoFar:
    """A line through what the best move was worth at each decision.

    Attributes
    ----------
    points
        The decisions, the present one last.
    zero
        Where zero is drawn.
    label
        A sentence for those who do not see it.
    """

    points: tuple[PositionPoint, ...]
    zero: float
    label: str

    @property
    def line(self) -> str:
        """The points, as SVG has them."""
        return " ".join(f"{point.x},{point.y}" for point in self.points)


def position(reviewed: Sequence[ReviewedMove], now: Sequence[Worth]) -> PositionSoFar | None:
    """The position after each own move; None where there is no line yet.

    Parameters
    ----------
    reviewed
        The moves that were made.
    now
        What each move is worth now.
    """
    best = [worth for worth in now if worth.best]
    bounds = [(move.best[0].lower, move.best[0].upper) for move in reviewed if move.best]
    bounds += [(best[0].lower, best[0].upper)] if best else []
    if len(bounds) < FEW:
        return None
    low, high = min(0.0, *(one for one, _ in bounds)), max(0.0, *(one for _, one in bounds))
    scale = (HIGH - EDGE - ABOVE) / ((high - low) or 1.0)
    apart = (WIDE - 2 * EDGE) / (len(bounds) - 1)

    def y(value: float) -> float:
        return round(ABOVE + (high - value) * scale, 2)

    points = tuple(
        PositionPoint(
            k + 1,
            _figure(*ends),
            round(EDGE + k * apart, 2),
            y(sum(ends) / 2),
            y(ends[1]),
            y(ends[0]),
            len(bounds) <= FEW_NAMED or k in (0, len(bounds) - 1),
        )
        for k, ends in enumerate(bounds)
    )
    first, last = points[0].figure, points[-1].figure
    return PositionSoFar(points, y(0.0), f"What is still to come: {first} at your first move, {last} now.")


def _figure(lower: float, upper: float) -> str:
    low, high = (number(bound, 4, sign=True) for bound in (lower, upper))
    return low if low == high else f"{low} to {high}"
