"""The others as a search meets them: which policy each turned out to be, what it remembers, and what it then does."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import accumulate
from typing import Any, NamedTuple

from fogbound.core.errors import PolicyError, brief
from fogbound.core.game import Seen
from fogbound.core.policy import AnyPolicy

Menu = tuple[Hashable, ...]


class Odds(NamedTuple):
    """A distribution to draw places from: a running sum without its last entry, which is the rest."""

    upto: list[float]
    places: list[int]
    weights: list[float]


SURE = Odds([], [0], [1.0])


class Mind:
    """One of the others: which policy it turned out to be, and what it remembers."""

    __slots__ = ("acts", "after", "memory", "policy", "seat")

    def __init__(self, seat: int, policy: AnyPolicy, memory: Any) -> None:
        self.seat, self.policy, self.memory = seat, policy, memory
        self.acts: dict[Menu, Odds] = {}
        self.after: dict[tuple[Hashable | None, Seen], Mind] = {}


def acts(mind: Mind, menu: Menu) -> Odds:
    """What a mind does when offered `menu`; asked once, and checked to be a distribution over it."""
    found = mind.acts.get(menu)
    if found is None:
        dist, name = mind.policy.act(mind.memory, menu), type(mind.policy).__name__
        fault = dist.fault()
        if fault:
            raise PolicyError(f"{name}: found {fault}, when asked to choose from {brief(menu)}")
        place = {action: k for k, action in enumerate(menu)}
        stray = [action for action, p in dist if p > 0 and action not in place]
        if stray:
            raise PolicyError(f"{name} plays {brief(stray[0])}, expected one of {brief(menu)}")
        likely = [(place[action], p) for action, p in dist if p > 0]
        found = mind.acts[menu] = odds_of([p for _, p in likely], [k for k, _ in likely])
    return found


def odds_of(weights: list[float], places: list[int] | None = None) -> Odds:
    """Odds of `places` (0, 1, …), which need weights that sum to 1."""
    return Odds(list(accumulate(weights[:-1])), list(range(len(weights))) if places is None else places, weights)
