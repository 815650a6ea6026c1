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

from fogbound.driver.kept import Kept
from fogbound.forms.arrays import Ints
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.bounds import OneSidedBounds

Mask = NDArray[np.bool_]


def random_order(form: OneSided, rng: np.random.Generator) -> Ints:
    """[J] all actions in random order, but one of each partition before all others.

    Subsets taken from its front are nested, and leave the blind player something to do wherever play goes.

    Parameters
    ----------
    form : OneSided
        The game.
    rng : numpy.random.Generator
        Where the order comes from.
    """
    order = rng.permutation(len(form.action_label))
    leaders = np.unique(form.part_of_action[order], return_index=True)[1]
    behind = np.ones(len(order), bool)
    behind[leaders] = False
    return np.concatenate([order[leaders], order[behind]])


def declare_order(form: OneSided, kept: Kept) -> None:
    """Declare the order that a checkpoint holds."""
    many, parts = len(form.action_label), len(form.action_start) - 1
    order = kept.integers("order", (many,), high=many - 1)
    kept.equals("order", np.sort(order), np.arange(many))
    leaders = np.sort(form.part_of_action[order[:parts]])
    kept.require("order", leaders == np.arange(parts), "an action of each partition first")


def front(form: OneSided, order: Ints, percent: float) -> Mask:
    """[J] the first so many per cent of an order, and never fewer than one action of each partition."""
    mask = np.zeros(len(order), bool)
    mask[order[: max(len(form.action_start) - 1, round(len(order) * percent / 100))]] = True
    return mask


def enlarged(form: OneSided, mask: Mask, arrays: MutableMapping[str, Any]) -> OneSidedBounds:
    """Bounds of a game with the actions of `mask`; if `arrays` holds those of fewer actions, their vectors are kept.

    How values are scaled hangs on no actions.
    """
    for name in ("corner", "vertex", "facets", "free_facets", "points", "touched", "trials", "mark"):
        arrays.pop(name, None)
    return OneSidedBounds(form, mask, arrays)
