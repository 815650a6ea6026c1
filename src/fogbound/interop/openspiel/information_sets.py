"""A tree of ours beside a game of OpenSpiel's, information set by information set, by histories and never by strings.

Each of our information sets leads to one state of OpenSpiel's, by replaying the history of one of its nodes. So a
profile of ours becomes a table by OpenSpiel's strings, and any policy of OpenSpiel's a behaviour of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from fogbound.core.errors import FormError, PolicyError, brief
from fogbound.core.profile import Profile
from fogbound.evaluation.exploitability import behaviours
from fogbound.forms.sequence import sequence
from fogbound.forms.tree import Tree
from fogbound.interop.openspiel.library import library
from fogbound.policies.tabular import Tabular

SAME = 1e-12  # probabilities that one string may stand for at once


class Counterpart(NamedTuple):
    """OpenSpiel's side of one of our information sets: a state of it, and its numbers of our moves, in their order."""

    at: Any
    numbers: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Passage:
    """The same game on both sides.

    Parameters
    ----------
    tree
        Our side.
    source
        OpenSpiel's game.
    counterpart
        From an information set of ours and one of its nodes to OpenSpiel's side; None where our player only waits.
    """

    tree: Tree
    source: Any = field(repr=False)
    counterpart: Callable[[int, int], Counterpart | None] = field(repr=False)

    @cached_property
    def counterparts(self) -> dict[int, Counterpart]:
        """OpenSpiel's side of each information set at which there is something to decide."""
        first: dict[int, int] = {}
        for node, h in enumerate(self.tree.infoset.tolist()):
            first.setdefault(h, node)
        found = {h: self.counterpart(h, node) for h, node in sorted(first.items()) if h >= 0}
        return {h: counterpart for h, counterpart in found.items() if counterpart is not None}

    def table(self, profile: Profile) -> dict[str, list[tuple[int, float]]]:
        """By OpenSpiel's string, the probability of every legal action, zeros too.

        Parameters
        ----------
        profile
            How every player plays: a solution, a dict by player, a list.

        Raises
        ------
        FormError
            One string stands for two information sets at which the profile does not do the same.
        """
        played = behaviours(self.tree, profile)
        found: dict[str, list[tuple[int, float]]] = {}
        for h, counterpart in self.counterparts.items():
            player, first = int(self.tree.set_owner[h]), int(self.tree.set_first[h])
            chances = played[player][first : first + len(counterpart.numbers)].tolist()
            row = sorted(zip(counterpart.numbers, chances))
            string = counterpart.at.information_state_string(player)
            before = found.setdefault(string, row)
            if any(abs(p - q) > SAME for (_, p), (_, q) in zip(before, row)):
                raise FormError(
                    f"{self.tree.spec}: OpenSpiel says {brief(string)} at two information sets where this profile does "
                    "not do the same, so no table by strings can hold it: use ReplayingPolicy, which replays histories"
                )
        return found

    def policy(self, profile: Profile) -> Any:
        """A profile of ours as OpenSpiel's `pyspiel.TabularPolicy`.

        Parameters
        ----------
        profile
            How every player plays.
        """
        return library().TabularPolicy(self.table(profile))

    def profile(self, policy: Any) -> dict[int, Tabular]:
        """A policy of OpenSpiel's, asked at a state of each information set, as strategies of ours.

        Parameters
        ----------
        policy
            Anything with `action_probabilities(state, player)`, or `action_probabilities(state)`.
        """
        form = sequence(self.tree)
        played = [plex.uniform.copy() for plex in form.plexes]
        for h, counterpart in self.counterparts.items():
            player, first = int(self.tree.set_owner[h]), int(self.tree.set_first[h])
            chances = chances_of(policy, counterpart.at, player)
            played[player][first : first + len(counterpart.numbers)] = [
                chances.get(n, 0.0) for n in counterpart.numbers
            ]
        return {player: Tabular(self.tree, player, one) for player, one in enumerate(played)}


def chances_of(policy: Any, at: Any, player: int) -> Mapping[int, float]:
    """What a policy of OpenSpiel's does at a state: one in Python is told the player, one in C++ sees whose turn."""
    if isinstance(policy, library().Policy):
        found = policy.action_probabilities(at.information_state_string(player) if at.is_simultaneous_node() else at)
    else:
        found = policy.action_probabilities(at, player)
    total = sum(found.values())
    if not found or any(p < 0 for p in found.values()) or abs(total - 1) > 1e-6:
        raise PolicyError(f"a policy of OpenSpiel's answers {brief(dict(found))} at {brief(str(at))}, expected chances")
    return {int(number): p / total for number, p in found.items()}
