"""What the independent checker, or a replay, says about a solution."""

from __future__ import annotations

from dataclasses import dataclass, field

from fogbound.certificates.kinds import KINDS
from fogbound.certificates.statistical import STATISTICAL
from fogbound.certificates.wording import Wording
from fogbound.core.numerals import number


@dataclass(frozen=True)
class Verification:
    """What the independent checker says about a solution.

    Attributes
    ----------
    game
        The game that the solution was held against.
    players
        The names of its players.
    kind
        The kind of certificate; ``"statistical"`` for an answer from samples, which is only played again.
    player
        Whose value the interval is about.
    lower, upper
        The certified interval.
    refuted
        The first claim of the solution that does not hold, or None.
    regret
        What no player can gain more than by deviating, where the certificate is about a profile.
    levels
        (level, player, lower, upper) for each level, where it is about a hierarchy.
    proves
        ``"both"`` bounds, or the ``"lower"`` one: then the upper one that the solution reports is only claimed.
    against
        (player, how it plays) for each opponent that the answer is against, read off the stored policies.
    statistical, interval
        What an answer from samples is, and its interval, from the replay.
    claimed
        What the file says of itself that was not checked, in words.
    """

    game: str
    players: tuple[str, ...]
    kind: str
    player: int
    lower: float
    upper: float
    refuted: str | None = None
    regret: float | None = None
    levels: tuple[tuple[int, int, float, float], ...] = ()
    proves: str = "both"
    against: tuple[tuple[int, str], ...] = ()
    statistical: str = ""
    interval: tuple[float, float] | None = None
    claimed: tuple[str, ...] = field(default=(), repr=False)

    @property
    def holds(self) -> bool:
        return self.refuted is None

    def __bool__(self) -> bool:
        return self.holds

    @property
    def name(self) -> str:
        """The player whom it is about."""
        return self.players[self.player]

    @property
    def wording(self) -> Wording:
        """The words for this kind of proof."""
        return KINDS[self.kind].wording

    @property
    def status(self) -> str:
        """Who confirms it, or does not, in a sentence."""
        return self.wording.status(self.holds)

    @property
    def words(self) -> tuple[str, ...]:
        """What was found, in sentences: the same for terminals, Python and pages."""
        if self.refuted is not None:
            return (f"Refuted: {self.refuted}.",)
        low, high = (self.lower, self.upper) if self.interval is None else self.interval
        said = [self.wording.told(self.name, number(low, 12), number(high, 12))]
        said += [self.wording.limits] if self.wording.limits else []
        said += [f"It is an answer to {how} of {self.players[player]}, as stored." for player, how in self.against]
        if self.regret is not None and not self.against:
            said.append(f"No player gains more than {number(self.regret, 6)} by deviating alone.")
        if self.kind == STATISTICAL:
            said.append(f"The estimate {number(self.lower, 12)} is the {self.statistical}.")
        said.append(f"This was established {self.wording.method}, from the game and the file alone.")
        said.append(f"Claimed by the file, not checked: {', '.join(self.claimed)}.")
        return tuple(said)

    def __str__(self) -> str:
        return " ".join(self.words)
