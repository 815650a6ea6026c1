"""What a player may see and do in the game that its policy was made for: whatever else it is told is a mistake.

A policy that meets an observation which it has no answer to may still play on; one that is told something that its game
never shows was asked in the wrong words, and playing on, at random, would hide that.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fogbound.core.errors import PolicyError, brief
from fogbound.core.game import Observation
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import Table

MOST_LISTED = 8


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The observations of one player, and the actions of its game.

    Parameters
    ----------
    observations
        Everything that the player may be shown.
    actions
        Everything that may be done.

    Examples
    --------
    >>> from fogbound import Observation
    >>> from fogbound.policies.vocabulary import Vocabulary
    >>> words = Vocabulary((Observation(None, "growl-left"), Observation(None, "growl-right")), ("listen",))
    >>> words.observation("growl-left")  # plainly, where that can mean one thing only
    Observation(public=None, private='growl-left')
    """

    observations: tuple[Observation, ...] = field(repr=False)
    actions: tuple[Hashable, ...] = field(repr=False)

    @classmethod
    def of(cls, form: Table | POMDP, player: int) -> Vocabulary:
        """That of a game, or of a model; against fixed opponents too it is all that the game can show."""
        if isinstance(form, POMDP):
            if form.product is None:
                return cls(tuple(dict.fromkeys(seen for seen, _ in form.observations)), tuple(form.actions))
            form = form.product.table
        return cls(tuple(form.observations[player]), tuple(form.actions))

    @cached_property
    def _known(self) -> frozenset[Observation]:
        return frozenset(self.observations)

    @cached_property
    def _by_parts(self) -> dict[tuple[Hashable, ...], list[Observation]]:
        """The observations by what is seen of them, publicly or privately."""
        listed: dict[tuple[Hashable, ...], list[Observation]] = {}
        for seen in self.observations:
            listed.setdefault(_parts(seen), []).append(seen)
        return listed

    def observation(self, told: Any) -> Observation:
        """The observation that is meant; PolicyError where the game never shows it, or where it may be several."""
        if isinstance(told, Observation) and told in self._known:
            return told
        meant = self._by_parts.get(_parts(told), [])
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise PolicyError(f"observation {brief(told)} may be {', '.join(map(brief, meant))}: say which")
        raise PolicyError(f"observation {brief(told)} is none of this game's, which are {_listed(self.observations)}")

    def action(self, told: Hashable | None) -> Hashable | None:
        """The action as it was told (None: no own action); PolicyError where the game has no such one."""
        if told is None or told in self.actions:
            return told
        raise PolicyError(f"action {brief(told)} is none of this game's, which are {_listed(self.actions)}")


def _parts(seen: Any) -> tuple[Hashable, ...]:
    """What is seen, whoever else sees it; a plain value is an observation of that and nothing else."""
    whole = seen if isinstance(seen, Observation) else (seen,)
    return tuple(part for part in whole if part is not None)


def _listed(words: Sequence[Any] | Iterable[Any]) -> str:
    known = list(words)
    more = f" and {len(known) - MOST_LISTED:,} more" if len(known) > MOST_LISTED else ""
    return ", ".join(_plain(word) for word in known[:MOST_LISTED]) + more


def _plain(word: Any) -> str:
    """A word as it is told: an observation by what is seen of it."""
    parts = _parts(word)
    return " and ".join(map(brief, parts)) if parts else "nothing"
