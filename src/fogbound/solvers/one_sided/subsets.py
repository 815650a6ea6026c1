"""One-sided games in which the blind player has only some of its actions: which, what carries over, what is lost.

Document 002, chapter 4. What a strategy guarantees with some actions it guarantees with more, so vectors found in a
smaller game hold in every larger one. Points do not: with more actions the blind player may have more than they say.
The player who sees keeps all actions, since without them vectors would promise too much.
"""

from __future__ import annotations

import time
from collections.abc import MutableMapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.one_sided import OneSided
from fogbound.forms.table import Ints
from fogbound.solvers.one_sided.approach import approach
from fogbound.solvers.one_sided.bounded import Bounded

Mask = NDArray[np.bool_]
MOST_WALKS = 1_000


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


def oracle_subset(known: Bounded) -> Mask:
    """[J] the slots that the double oracle ever mixed, and the first slot of each partition in which it mixed none.

    The document asks which actions to give the blind player first: the search in the full game names these.
    """
    mask = known.touched.copy()
    first = known.form.slot[:-1]
    mask[first[~np.logical_or.reduceat(mask, first)]] = True
    return mask


def enlarged(form: OneSided, mask: Mask, arrays: MutableMapping[str, Any]) -> Bounded:
    """Bounds of a game with the slots of `mask`; if `arrays` holds those of fewer slots, their vectors are kept.

    How values are scaled hangs on no slots.
    """
    for name in ("corner", "crown", "facets", "spare", "points", "touched", "walks"):
        arrays.pop(name, None)
    return Bounded(form, mask, arrays)


@dataclass(frozen=True)
class Subgame:
    """What the blind player has with some of its actions, and what it lost with the others: between two bounds each."""

    chosen: str  # all, oracle or random
    actions: int
    lower: float
    upper: float
    seconds: float  # of processor time
    least_lost: float = 0.0
    most_lost: float = 0.0


def compare_subsets(
    form: OneSided, gap: float, runs: int, rng: np.random.Generator, walks: int = MOST_WALKS
) -> list[Subgame]:
    """The game with all actions, with those that the oracle named while solving it, and with as many random ones.

    Each is solved until its bounds are `gap` apart or `walks` were made: a small game can be the harder one to close.
    """
    Bounded(form).explore(gap)  # kernels are loaded before the clock runs
    everything = np.ones(len(form.action), bool)
    whole, known = _solved("all", form, everything, gap, walks)
    oracle = oracle_subset(known)
    masks = [("oracle", oracle)]
    for _ in range(runs):
        order = random_order(form, rng)
        masks.append(("random", front(form, order, 100 * int(oracle.sum()) / len(order))))
    found = [whole]
    for chosen, mask in masks:
        part, _ = _solved(chosen, form, mask, gap, walks)
        lost = max(0.0, whole.lower - part.upper), max(0.0, whole.upper - part.lower)
        found.append(Subgame(chosen, part.actions, part.lower, part.upper, part.seconds, *lost))
    return found


def _solved(chosen: str, form: OneSided, mask: Mask, gap: float, walks: int) -> tuple[Subgame, Bounded]:
    began = time.process_time()
    known = Bounded(form, mask)
    *_, (lower, upper) = islice(approach(known, gap), walks + 1)
    return Subgame(chosen, int(mask.sum()), lower, upper, time.process_time() - began), known
