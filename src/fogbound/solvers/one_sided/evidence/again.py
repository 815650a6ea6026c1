"""How a vector is guaranteed, found again: for those that came from a linear program, which kept only their values.

A linear program against today's vectors, which are nowhere worse than those of the time.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from fogbound.forms.table import Floats
from fogbound.solvers.lp import maximise
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.evidence.stage import Stage, stage

TINY = 1e-11  # shares below this are noise
Follow = list[tuple[int, float]]  # records of vectors, with weights


class Again:
    """Stages of the lower bound, solved for vectors that are known."""

    def __init__(self, known: Bounded) -> None:
        self.known = known
        self.stage = cache(lambda partition: stage(known.scaled, partition))
        self.vectors = cache(self._vectors)
        self.columns = cache(lambda partition: _columns(self.stage(partition), self.vectors, known.form.discount))

    def _vectors(self, partition: int) -> Floats:
        form, scaled = self.known.form, self.known.scaled
        own = slice(int(form.first[partition]), int(form.first[partition + 1]))
        found: Floats = (self.known.vectors(partition) - scaled.least[own]) / scaled.scale
        return found

    def solve(self, partition: int, vector: Floats) -> tuple[Floats, Floats, list[Follow]]:
        """(what is guaranteed, shares of slots, what follows each branch): as far above a vector as can be."""
        own, form = self.stage(partition), self.known.form
        payoff, matrix, counts = self.columns(partition)
        slots, wide = len(own.pay), payoff.shape[1]
        zeros = np.zeros(len(counts))
        most = np.full(wide + 1, np.inf)
        most[:slots][~self.known.mask[form.slot[partition] : form.slot[partition + 1]]] = 0.0
        found = maximise(
            np.append(np.zeros(wide), 1.0),
            np.append(np.zeros(wide), -np.inf),
            most,
            matrix,
            np.concatenate([vector[own.state], zeros, [1.0]]),
            np.concatenate([np.full(own.rows, np.inf), zeros, [1.0]]),
        )
        value, share, follows = _read(own, payoff, np.maximum(found.primal[:-1], 0.0), counts)
        records = [self.known.records("vectors", q) for q in own.target]
        return value, share, [[(own[i], w) for i, w in one] for own, one in zip(records, follows, strict=True)]


def _columns(own: Stage, vectors: Any, discount: float) -> tuple[Floats, Any, list[int]]:
    """([rows, columns] what slots pay and (branch, vector) add, the program's matrix, [branches] vectors).

    Rows of the program: what is had in each row less the margin; shares of a branch = shares of its slot; all shares.
    """
    later = [discount * step @ vectors(after).T for step, after in zip(own.step, own.target)]
    counts = [block.shape[1] for block in later]
    slots, branches, wide = len(own.pay), len(counts), sum(counts)
    branch = np.repeat(np.arange(branches), counts)
    payoff = np.hstack([own.pay.T, *later])
    had = np.hstack([payoff, -np.ones((own.rows, 1))])
    balance = np.zeros((branches + 1, slots + wide + 1))
    balance[np.arange(branches), own.slot] = -1.0
    balance[branch, slots + np.arange(wide)] = 1.0
    balance[branches, :slots] = 1.0
    return payoff, sparse.csc_matrix(np.vstack([had, balance])), counts


def _read(own: Stage, payoff: Floats, primal: Floats, counts: list[int]) -> tuple[Floats, Floats, list[Follow]]:
    """Cut off noise, make shares add up, and measure what is left."""
    share = np.where(primal[: len(own.pay)] > TINY, primal[: len(own.pay)], 0.0)
    share /= share.sum()
    follows: list[Follow] = []
    kept, at = [share], len(share)
    for slot, count in zip(own.slot.tolist(), counts):
        weights = np.where(primal[at : at + count] > TINY * share[slot], primal[at : at + count], 0.0)
        if share[slot] > 0 and weights.sum() == 0:
            weights[0] = 1.0
        weights *= share[slot] / weights.sum() if share[slot] > 0 else 0.0
        follows.append([(int(i), float(weights[i] / share[slot])) for i in np.flatnonzero(weights)])
        kept.append(weights)
        at += count
    had = payoff @ np.concatenate(kept)
    value = np.full(int(own.state[-1]) + 1, np.inf)
    np.minimum.at(value, own.state, had)
    return value, share, follows
