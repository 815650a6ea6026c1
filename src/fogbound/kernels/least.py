"""The least that could ever happen in a one-sided game, state by state, and rewards with it taken off."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit


class Steps(NamedTuple):
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
    discount: float


@njit(cache=True)
def worth(steps, slot, base, values, ahead):
    """ahead [rows from `base`]: a slot's rewards, and the discounted values of what follows each row."""
    low, many = steps.pay[slot], steps.pay[slot + 1] - steps.pay[slot]
    for k in range(many):
        ahead[k] = 0.0
    for e in range(steps.entry[steps.branch[slot]], steps.entry[steps.branch[slot + 1]]):
        ahead[steps.source[e] - base] += steps.prob[e] * values[steps.to[e]]
    for k in range(many):
        ahead[k] = steps.reward[low + k] + steps.discount * ahead[k]


@njit(cache=True)
def least_sweep(steps, values, found):
    """found [S]: the worst that can happen in a step from each state when `values` are what follows."""
    ahead = np.empty(steps.row[-1])
    for s in range(len(found)):
        found[s] = np.inf
    for p in range(len(steps.first) - 1):
        base = steps.row[steps.first[p]]
        for j in range(steps.slot[p], steps.slot[p + 1]):
            worth(steps, j, base, values, ahead)
            for s in range(steps.first[p], steps.first[p + 1]):
                for k in range(steps.row[s], steps.row[s + 1]):
                    found[s] = min(found[s], ahead[k - base])


@njit(cache=True)
def take_off(steps, values, reward):
    """reward [cells]: what a step pays when `values` have been taken off what states are worth."""
    ahead = np.empty(steps.row[-1])
    for p in range(len(steps.first) - 1):
        base = steps.row[steps.first[p]]
        for j in range(steps.slot[p], steps.slot[p + 1]):
            worth(steps, j, base, values, ahead)
            for s in range(steps.first[p], steps.first[p + 1]):
                for k in range(steps.row[s], steps.row[s + 1]):
                    reward[steps.pay[j] + k - base] = ahead[k - base] - values[s]
