"""What a game offers beside its rules: a title for people, the group that it is listed in, its known values.

`fogbound games`, the pages of the documentation and of the web app, and the tests of known values are made of this.
Players' names and sentences for actions, states and observations are the game's own (`Game.players`, `Game.describe`,
`describe_state`, `describe_public`, `describe_private`), since they depend on its parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

NOTHING = "·"


class GameGroup(StrEnum):
    """What games are about, in the order in which they are listed."""

    CARDS = "Heaps, cards and dice"
    BOARDS = "Boards"
    HUNTS = "Hunters and hunted"
    ALONE = "Alone against chance"
    TEAMS = "Together, without a word"
    RIVALS = "Against each other, in the fog"
    TEXTBOOK = "Tables and trees"
    MORE = "More"


class KnownValue(NamedTuple):
    """A value for player 0 that is published or known exactly.

    Parameters
    ----------
    game
        The spec that it is the value of.
    value
        What player 0 gets.
    source
        Where it comes from.
    solver
        What finds it again, within the tolerance; empty: a linear program on the sequence form.
    tolerance
        Of the value.
    """

    game: str
    value: float
    source: str
    solver: str = ""
    tolerance: float = 1e-12


@dataclass(frozen=True)
class GameRecord:
    """What a game's author tells of it: the class attribute `record` of a `Game`.

    Parameters
    ----------
    title
        What people call it; ``{ranks}`` stands for the game's parameter of that name. Its name in specs unless given.
    group
        Where it is listed.
    known
        Values that tests find again.

    Examples
    --------
    >>> GameRecord("{ranks}-card poker", GameGroup.CARDS).group.value
    'Heaps, cards and dice'
    """

    title: str = ""
    group: GameGroup = GameGroup.MORE
    known: tuple[KnownValue, ...] = ()

    def titled(self, parameters: Mapping[str, Any]) -> str:
        """The title with the game's parameters in their places; empty where there is none or a parameter is missing.

        Examples
        --------
        >>> GameRecord("{ranks}-card poker").titled({"ranks": 8})
        '8-card poker'
        """
        try:
            return self.title.format_map(parameters)
        except (KeyError, AttributeError):
            return ""


def plain_words(value: object) -> str:
    """A value as text; the parts of a tuple stand beside each other, without None.

    Examples
    --------
    >>> plain_words(("raise", (1, None))), plain_words(())
    ('raise 1', '·')
    """
    if isinstance(value, tuple):
        return " ".join(plain_words(part) for part in value if part is not None) or NOTHING
    return str(value)


def listed(parts: Iterable[object], none: str = "none") -> str:
    """Parts of a sentence with commas and a last `and`.

    Parameters
    ----------
    parts
        What is listed.
    none
        The word for an empty list.

    Examples
    --------
    >>> listed([3, 4, 5]), listed(["ace"]), listed([])
    ('3, 4 and 5', 'ace', 'none')
    """
    *most, last = [str(part) for part in parts] or [none]
    return f"{', '.join(most)} and {last}" if most else last
