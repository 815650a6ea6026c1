"""What walks without a tree share, whoever makes them: how they are drawn, and which games they cannot be made in."""

from __future__ import annotations

from typing import Protocol

from fogbound.core.errors import FormError, GameError, LimitError

MOST_CHOICES = 1 << 16  # of one walk
CONSTANT = 1e-9  # relative


class WalkSettings(Protocol):
    """How walks are drawn: the fields of `OOS`."""

    @property
    def walks(self) -> int: ...

    @property
    def targeted(self) -> float: ...

    @property
    def explore(self) -> float: ...


def require_constant_sum(spec: str, low: float, high: float) -> None:
    """Refuse a game in which two walks paid both players together differently."""
    if high - low > CONSTANT * max(1.0, abs(low), abs(high)):
        raise FormError(
            f"{spec}: one play pays both players {low:g} together and another {high:g}, and oos is for games of a "
            "constant sum; use is-mcts, which searches for any"
        )


def clash(spec: str) -> GameError:
    """Two lists of legal actions where a player knows the same."""
    return GameError(
        f"{spec}: a player is offered other actions although it did and saw the same, so what is legal tells it more; "
        "fogbound check names the states"
    )


def endless(spec: str) -> LimitError:
    """A play that does not end."""
    return LimitError(
        f"{spec}: a play of {MOST_CHOICES:,} choices has not ended, and oos learns from whole plays; cut it with "
        "horizon()"
    )
