"""Strategies of both players of a one-sided game, from the bounds on it, that keep what the bounds say.

The blind player keeps its promises (`partially_informed`), the other its opponent's beliefs
(`fully_informed`). Against any opponent the first has at least the lower bound, the second gives away at most the
upper one, but for rounding. Horak, Bosansky, Kovarik and Kiekintveld (2023).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError, PolicyError
from fogbound.core.policy import Strategy
from fogbound.forms.one_sided.form import OneSided
from fogbound.policies.stored_bounds import ARRAYS, StoredBounds
from fogbound.solvers.one_sided.bounds import KEPT, OneSidedBounds, make_lists
from fogbound.solvers.one_sided.play.fully_informed import FullyInformedPolicy
from fogbound.solvers.one_sided.play.partially_informed import PartiallyInformedPolicy

# Strategies of a one-sided game from bounds that were saved.


NOISE = 1e-9  # what rounding may leave below 0


def stored_strategy(stored: StoredBounds, form: OneSided) -> Strategy:
    """The policy that stored bounds stand for, in their game.

    Parameters
    ----------
    stored : StoredBounds
        As a file holds them.
    form : OneSided
        The game for which they were found.

    Returns
    -------
    Strategy
        Of the player who saved them.

    Raises
    ------
    PolicyError
        When they do not fit the game, or are damaged.
    """
    bounds = restored_bounds(stored, form)
    return PartiallyInformedPolicy(bounds) if stored.partially_informed else FullyInformedPolicy(bounds)


def restored_bounds(stored: StoredBounds, form: OneSided) -> OneSidedBounds:
    """Stored bounds on their game."""
    _check(stored, form)
    arrays = {name: np.array(stored.arrays[name]) for name in ARRAYS if name != "mask"}
    arrays["used"], arrays["derivation"] = np.append(arrays["used"], 0), np.full(len(arrays["older"]), -1)
    arrays["touched"], arrays["trials"] = np.zeros(len(form.action_label), bool), np.zeros(1, np.int64)
    make_lists(arrays, len(form.state_start) - 1, form.size)
    return OneSidedBounds(form, stored.arrays["mask"].astype(bool), arrays)


def _check(stored: StoredBounds, form: OneSided) -> None:
    """Compiled loops follow these numbers, so none may lead astray."""
    a = stored.arrays
    if not (_shapes_fit(a, form) and _lists_fit(a, form) and _records_fit(a, form)):
        raise PolicyError(f"the stored bounds do not fit {form.spec}, or are damaged")


def _shapes_fit(a: dict[str, NDArray[Any]], form: OneSided) -> bool:
    """Whether all arrays are as long as they must be, and of the right kind; corners are shifted to be at least 0."""
    parts, records = len(form.state_start) - 1, len(a["older"])
    sizes = {
        "corner": form.size,
        "mask": len(form.action_label),
        "at": records,
        "used": 2,
        **dict.fromkeys(KEPT, parts),
    }
    real = ("value", "corner")
    kinds = all(array.ndim == 1 and array.dtype.kind == ("f" if name in real else "i") for name, array in a.items())
    fits = kinds and all(len(a[name]) == size for name, size in sizes.items())
    fits = fits and a["used"].tolist() == [records, len(a["value"])]
    return fits and all(bool(np.isfinite(a[name]).all()) for name in real) and bool((a["corner"] >= -NOISE).all())


def _lists_fit(a: dict[str, NDArray[Any]], form: OneSided) -> bool:
    """Whether lists lead from newer to older records; wherever play goes, there is a vector, a facet and an action."""
    older, at, mask = a["older"], a["at"], a["mask"]
    fits = bool((older < np.arange(len(older))).all() and (older >= -1).all())
    fits = fits and all(bool((a[name] >= -(name == "points")).all() and (a[name] < len(older)).all()) for name in KEPT)
    fits = fits and bool((at >= 0).all() and (at <= len(a["value"])).all() and (np.diff(at) >= 0).all())
    fits = fits and bool(((mask == 0) | (mask == 1)).all())
    return fits and bool((np.add.reduceat(mask, form.action_start[:-1]) > 0).all())


def _records_fit(a: dict[str, NDArray[Any]], form: OneSided) -> bool:
    """Whether every record of a partition's lists lies within the pool."""
    for name, more in KEPT.items():
        for p, record in enumerate(a[name].tolist()):
            size = int(form.state_start[p + 1] - form.state_start[p]) + more
            while record >= 0:
                if a["at"][record] + size > len(a["value"]):
                    return False
                record = int(a["older"][record])
    return True


def profile(bounds: OneSidedBounds) -> dict[int, Strategy]:
    """Both players' strategies; the blind one's alone where the game shows the other less than the form grants it."""
    bounds, player = _snapshot(bounds), bounds.form.player
    players: dict[int, Strategy] = {player: PartiallyInformedPolicy(bounds)}
    if not bounds.form.relaxed:
        players[1 - player] = FullyInformedPolicy(bounds)
    return players


def partially_informed_policy(bounds: OneSidedBounds) -> PartiallyInformedPolicy:
    """The blind player's strategy: at least the lower bound, whatever the other does."""
    return PartiallyInformedPolicy(_snapshot(bounds))


def fully_informed_policy(bounds: OneSidedBounds) -> FullyInformedPolicy:
    """The other player's strategy: at most the upper bound. FormError where the game does not let it see enough."""
    form = bounds.form
    if form.relaxed:
        raise FormError(
            f"{form.spec}: {form.relaxed}; a strategy that uses this cannot be played, the other player's can"
        )
    return FullyInformedPolicy(_snapshot(bounds))


def _snapshot(bounds: OneSidedBounds) -> OneSidedBounds:
    """A copy that later exploration leaves alone: a policy must answer the same whenever it is asked."""
    arrays = {name: array.copy() for name, array in bounds.arrays.items()}
    return OneSidedBounds(bounds.form, bounds.mask.copy(), arrays)
