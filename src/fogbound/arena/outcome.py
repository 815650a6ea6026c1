"""What comes of a match, known exactly: returns, who wins, how play ends."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any

from fogbound.arena.sure import Cycle
from fogbound.arena.winning import Best
from fogbound.core.errors import SpecError

VARIES = "varies"


@dataclass(frozen=True)
class Exact:
    """What comes of a match; None stands for what is not known exactly, never for an estimate."""

    players: int
    returns: tuple[float, ...] | None  # expected; None where some play of several never ends, which has no value
    best: Best | None  # the seats that share the highest return, and how likely they do
    steps: float | None  # expected; until the first situation comes back where play cycles
    ended: str  # over, cycle, faded (discounted to nothing), or varies
    cycle: Cycle | None = None  # where one play decides, and it cycles
    one_play: bool = False  # nothing is drawn: playing more games would show the same
    lost: tuple[bool, ...] = ()  # who met something that its controller was not made for, where one play decides

    @property
    def winner(self) -> int | None:
        """The seat that surely has the highest return, alone."""
        sole = self.best.support() if self.best is not None else ()
        return sole[0][0] if len(sole) == 1 and len(sole[0]) == 1 else None

    @property
    def tied(self) -> float | None:
        """How likely several share the highest return."""
        return None if self.best is None else fsum(p for seats, p in self.best if len(seats) > 1)

    def wins(self, ties: str = "split") -> tuple[float, ...] | None:
        """How likely each player wins; a tie is shared (split), or goes to the lowest seat (first)."""
        if ties not in ("split", "first"):
            raise SpecError(f"exact: ties is {ties!r}, expected split or first")
        if self.best is None:
            return None
        won = [0.0] * self.players
        for seats, p in self.best:
            for i in seats if ties == "split" else seats[:1]:
                won[i] += p / (len(seats) if ties == "split" else 1)
        return tuple(won)

    def plain(self) -> dict[str, Any]:
        """Lists, numbers and words alone, for JSON."""
        best = None if self.best is None else [{"seats": list(seats), "chance": p} for seats, p in self.best]
        return {
            "returns": None if self.returns is None else list(self.returns),
            "winner": self.winner,
            "best": best,
            "ended": self.ended,
            "cycle": None if self.cycle is None else self.cycle._asdict(),
            "steps": self.steps,
            "one_play": self.one_play,
        }
