"""The least that could ever happen in a one-sided game, state by state, and rewards with it taken off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.kernels.bundle import Bundle
from fogbound.kernels.kernel import kernel


@dataclass(frozen=True, eq=False)
class Steps(Bundle):
    """The arrays of a one-sided form of the same names."""

    first: np.ndarray
    row: np.ndarray
    slot: np.ndarray
    branch: np.ndarray
    entry: np.ndarray
    source: np.ndarray
    to: np.ndarray
    prob: np.ndarray
    pay: np.ndarray
    reward: np.ndarray


@dataclass(frozen=True, eq=False)
class Least(Bundle):
    """What is found."""

    values: np.ndarray  # [S] what follows
    found: np.ndarray  # [S] the worst that can happen in a step from each state
    reward: np.ndarray  # [cells] what a step pays when `values` have been taken off what states are worth
    ahead: np.ndarray  # [rows of a partition] a slot's rewards, and the discounted values of what follows each row


@kernel
def worth(steps, least, slot, base, discount):
    """Look ahead from a slot's rows."""
    low, many, ahead = steps.pay[slot], steps.pay[slot + 1] - steps.pay[slot], least.ahead
    for k in range(many):
        ahead[k] = 0.0
    for e in range(steps.entry[steps.branch[slot]], steps.entry[steps.branch[slot + 1]]):
        ahead[steps.source[e] - base] += steps.prob[e] * least.values[steps.to[e]]
    for k in range(many):
        ahead[k] = steps.reward[low + k] + discount * ahead[k]


@kernel
def least_sweep(steps, least, partitions, discount):
    """The worst that can happen in a step, and what steps pay when values are taken off: `found` and `reward`."""
    found, values, ahead = least.found, least.values, least.ahead
    for p in range(partitions):
        base = steps.row[steps.first[p]]
        for s in range(steps.first[p], steps.first[p + 1]):
            found[s] = np.inf
        for j in range(steps.slot[p], steps.slot[p + 1]):
            worth(steps, least, j, base, discount)
            for s in range(steps.first[p], steps.first[p + 1]):
                for k in range(steps.row[s], steps.row[s + 1]):
                    found[s] = min(found[s], ahead[k - base])
                    least.reward[steps.pay[j] + k - base] = ahead[k - base] - values[s]
