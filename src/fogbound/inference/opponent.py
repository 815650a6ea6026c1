"""Who sits opposite a player, by name and by policy: what beliefs and values are computed against."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fogbound.core.policy import Strategy
from fogbound.core.record import listed

PERSON = "a person"


@dataclass(frozen=True)
class Opponent:
    """One of the other players at a table.

    Parameters
    ----------
    name
        What it is called in a sentence.
    policy
        The policy that it plays; None for a person, whose policy nobody knows.
    spec
        What identifies the policy among all of one game; two opponents with one spec play alike. The name unless given.
    levels
        Of a policy that is drawn from levels of reasoning: the level of each member of the mixture, in order.
    """

    name: str = PERSON
    policy: Strategy | None = field(default=None, compare=False, repr=False)
    spec: str = ""
    levels: tuple[int, ...] = ()


def opponent_names(opponents: Iterable[Opponent]) -> str:
    """Opponents in a sentence, each name once.

    Examples
    --------
    >>> opponent_names([Opponent("random play"), Opponent("level 2"), Opponent("random play")])
    'random play and level 2'
    """
    return listed(dict.fromkeys(opponent.name for opponent in opponents))
