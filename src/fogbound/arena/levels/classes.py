"""Levels that behave alike are one class: no log can tell them apart, so nobody should be asked to."""

from __future__ import annotations

from collections.abc import Sequence

from fogbound.core.policy import Player
from fogbound.policies.alike import alike


def classes(policies: Sequence[Player], slips: bool = False) -> list[tuple[int, ...]]:
    """The places of policies that do the same, class by class, in the order of their first members.

    With `slips` they must also go on alike after actions that they would not choose themselves.
    """
    found: list[list[int]] = []
    for place, policy in enumerate(policies):
        home = next((members for members in found if alike(policies[members[0]], policy, slips)), None)
        if home is None:
            found.append([place])
        else:
            home.append(place)
    return [tuple(members) for members in found]
