"""One-sided games in which the blind player has only some of its actions: which, what carries over, what is lost.

Document 002, chapter 4. What a strategy guarantees with some actions it guarantees with more, so vectors found in a
smaller game hold in every larger one. Points do not: with more actions the blind player may have more than they say.
The player who sees keeps all actions, since without them vectors would promise too much.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.arrays import Ints
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.bounds import OneSidedBounds

Mask = NDArray[np.bool_]


def random_order(form: OneSided, rng: np.random.Generator) -> Ints:
    """[J] all slots in random order, but one of each partition before all others.

    Subsets taken from its front are nested, and leave the blind player something to do wherever play goes.
    """
    order = rng.permutation(len(form.action))
    leaders = np.unique(form.part_of_slot[order], return_index=True)[1]
    behind = np.ones(len(order), bool)
    behind[leaders] = False
    return np.concatenate([order[leaders], order[behind]])


def front(form: OneSided, order: Ints, percent: float) -> Mask:
    """[J] the first so many per cent of an order, and never fewer than one slot of each partition."""
    mask = np.zeros(len(order), bool)
    mask[order[: max(len(form.slot) - 1, round(len(order) * percent / 100))]] = True
    return mask


def oracle_subset(known: OneSidedBounds) -> Mask:
    """[J] the slots that the double oracle ever mixed, and the first slot of each partition in which it mixed none.

    The document asks which actions to give the blind player first: the search in the full game names these.
    """
    mask = known.touched.copy()
    first = known.form.slot[:-1]
    mask[first[~np.logical_or.reduceat(mask, first)]] = True
    return mask


def enlarged(form: OneSided, mask: Mask, arrays: MutableMapping[str, Any]) -> OneSidedBounds:
    """Bounds of a game with the slots of `mask`; if `arrays` holds those of fewer slots, their vectors are kept.

    How values are scaled hangs on no slots.
    """
    for name in ("corner", "crown", "facets", "spare", "points", "touched", "walks"):
        arrays.pop(name, None)
    return OneSidedBounds(form, mask, arrays)
