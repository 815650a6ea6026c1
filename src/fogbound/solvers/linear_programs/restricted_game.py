"""A game in which the opponent is believed in part: fixed with some probability, free to hurt us otherwise.

Johanson, Zinkevich and Bowling, "Computing robust counter-strategies" (2007): the restricted game lies between
the POMDP against a fixed opponent and the game against anyone. How much the fixed policy is trusted is the
solver's parameter, so one form serves the whole curve from safe to greedy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError, many
from fogbound.evaluation.exploitability import behaviour
from fogbound.forms.arrays import Floats
from fogbound.forms.protocol import OTHERS, Described, Question
from fogbound.forms.sequence import SequenceForm

SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class RestrictedGame(Described):
    """A two-player game from `player`, with how the other player is believed to play.

    Parameters
    ----------
    sequence
        The game.
    player
        Whose restricted Nash response is asked for.
    fixed : [sequences of the other]
        The probabilities of the other's moves; entry 0 is unused.
    """

    kind: ClassVar[str] = "restricted"
    made_from: ClassVar[str] = "sequence"
    against: ClassVar[str] = OTHERS
    certified_as: ClassVar[str] = "restricted"

    sequence: SequenceForm = field(repr=False)
    player: int
    fixed: Floats = field(repr=False)  # [sequences of the other]

    def __post_init__(self) -> None:
        if len(self.sequence.plexes) != 2 or self.player not in (0, 1):
            players = len(self.sequence.plexes)
            raise FormError(f"{self.spec}: player {self.player} of {players}, expected one of two players")
        plex = self.sequence.plexes[self.other]
        played = self.fixed[1:]
        fits = self.fixed.shape == (plex.sequences,) and bool((played >= 0).all())
        sums = np.add.reduceat(played, plex.first - 1) if fits and len(plex.first) else np.ones(1)
        if not fits or np.abs(sums - 1).max() > SUM_TOLERANCE:
            name = self.sequence.players[self.other]
            raise FormError(f"{self.spec}: what is believed of {name} is no distribution at each information set")

    @property
    def spec(self) -> str:
        return self.sequence.spec

    @property
    def origin(self) -> SequenceForm:
        return self.sequence

    @property
    def players(self) -> tuple[str, ...]:
        return self.sequence.players

    @property
    def size(self) -> int:
        return self.sequence.size

    @property
    def constant_sum(self) -> float | None:
        return self.sequence.constant_sum

    @property
    def largest(self) -> float:
        return self.sequence.largest

    def describe(self) -> str:
        return f"{self.sequence.describe()}, the other believed in part"

    @classmethod
    def derive(cls, source: SequenceForm, question: Question) -> RestrictedGame:
        if len(source.players) != 2:
            raise FormError(f"{source.spec}: {many(len(source.players), 'player')}, expected 2 for a restricted game")
        other = 1 - question.player
        return restricted_game(source, question.player, behaviour(source, other, question.others[other]))

    @property
    def other(self) -> int:
        return 1 - self.player

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The tree's arrays, who is advised, and what is believed of the other."""
        own = {"player": np.array([self.player], "<i8"), "fixed": self.fixed.astype("<f8")}
        return {**self.sequence.arrays(), **own}


def restricted_game(sequence: SequenceForm, player: int, fixed: Floats) -> RestrictedGame:
    """The restricted game of `player`, when the other is believed to play the behaviour `fixed`."""
    return RestrictedGame(sequence, player, fixed)
