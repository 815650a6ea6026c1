"""Outcomes split into where a step leads and what is then seen, as model files want them: T and O.

A file's observation depends on the action and the state arrived at, not on the state left. Where a POMDP's
does depend on that, the state arrived at is written once for each observation it may be reached with; its
copies go on alike, so no value changes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fogbound.files.ranges import Indices, spread
from fogbound.files.writing.complete import UNSEEN, Complete
from fogbound.forms.table import Floats

ALIKE = 1e-12  # chances of an observation that differ by less are one chance, computed twice


@dataclass(frozen=True)
class MovesAndSights:
    """T and O of a model, cells that are not zero."""

    move: tuple[Indices, Indices, Floats]  # row `state * actions + action`, next state, probability
    sight: tuple[Indices, Indices, Floats]  # row `next state * actions + action`, observation, probability


@dataclass(frozen=True)
class _Groups:
    """Outcomes that share row and next state; groups that share action and next state form a class."""

    first: Indices  # [groups] its first outcome
    size: Indices  # [groups]
    model: Indices  # [groups] the group that stands for the class
    of: Indices  # [outcomes]


def split(full: Complete) -> tuple[Complete, Indices, Indices]:
    """The model in which T and O exist, and for its states which state and which observation each stands for."""
    divided = _dependent(full)
    if not divided.any():
        return full, np.arange(full.states), np.full(full.states, UNSEEN)
    known = divided[full.next] & (full.obs != UNSEEN)
    wide = len(full.observations)
    keys = np.unique(np.concatenate([full.next[known] * wide + full.obs[known], np.flatnonzero(~divided) * wide]))
    state, sight = keys // wide, np.where(divided[keys // wide], keys % wide, UNSEEN)
    base = np.searchsorted(state, np.arange(full.states))
    return _copied(full, divided, keys, state, sight, base), state, sight


def _copied(
    full: Complete, divided: NDArray[np.bool_], keys: Indices, state: Indices, sight: Indices, base: Indices
) -> Complete:
    """Each state's rows for each of its copies; outcomes lead to the copy for what they show."""
    wide, width = len(full.observations), len(full.actions)
    rows = (state[:, None] * width + np.arange(width)).ravel()
    first = np.searchsorted(full.row, np.arange(full.states * width + 1))
    count = np.diff(first)[rows]
    inside = spread(first[:-1][rows], count)
    row, after, seen = np.repeat(np.arange(len(rows)), count), full.next[inside], full.obs[inside]
    copy = np.searchsorted(keys, after * wide + np.where(divided[after], seen, 0))
    over = seen == UNSEEN  # a game that is over stays where it is
    start = np.zeros(len(state))
    start[base] = full.start
    return replace(
        full,
        states=len(state),
        start=start,
        row=row,
        next=np.where(over, row // width, copy),
        obs=np.where(over, sight[row // width], seen),
        prob=full.prob[inside],
        reward=full.reward[rows],
    )


def _dependent(full: Complete) -> NDArray[np.bool_]:
    """[states] whether what is seen on arrival depends on where one came from."""
    groups = _groups(full)
    total = np.add.reduceat(full.prob, groups.first)
    model = groups.model[groups.of]
    inside = np.arange(len(full.row)) - groups.first[groups.of]
    same = groups.size[groups.of] == groups.size[model]
    twin = np.where(same, groups.first[model] + inside, groups.first[model])
    chance, other = full.prob / total[groups.of], full.prob[twin] / total[model]
    same &= (full.obs == full.obs[twin]) & (np.abs(chance - other) <= ALIKE)
    found = np.zeros(full.states, bool)
    found[full.next[~same & (full.obs != UNSEEN)]] = True
    return found


def _groups(full: Complete) -> _Groups:
    fresh = np.ones(len(full.row), bool)
    fresh[1:] = (np.diff(full.row) != 0) | (np.diff(full.next) != 0)
    first = np.flatnonzero(fresh)
    width = len(full.actions)
    unseen = full.obs[first] == UNSEEN  # such a group has no say in its class, unless alone
    key = full.next[first] * width + full.row[first] % width
    order = np.lexsort((unseen, key))
    lead = np.ones(len(order), bool)
    lead[1:] = np.diff(key[order]) != 0
    model = np.empty(len(first), np.int64)
    model[order] = order[lead][np.cumsum(lead) - 1]
    return _Groups(first, np.diff(np.append(first, len(full.row))), model, np.cumsum(fresh) - 1)


def factored(full: Complete) -> MovesAndSights:
    """T and O, chosen so that their product gives the outcomes back to the last bit where that can be."""
    groups = _groups(full)
    width = len(full.actions)
    lead = np.unique(groups.model)
    cells = spread(groups.first[lead], groups.size[lead])
    move, chance = _products(full, groups, lead, cells)
    row = np.repeat(full.next[groups.first[lead]] * width + full.row[groups.first[lead]] % width, groups.size[lead])
    return MovesAndSights(
        (full.row[groups.first], full.next[groups.first], move), (row, np.maximum(full.obs[cells], 0), chance)
    )


def _products(full: Complete, groups: _Groups, lead: Indices, cells: Indices) -> tuple[Floats, Floats]:
    """Factors of every outcome: candidates are tried, those a few ulps or a few decimals around the quotient."""
    kin = np.searchsorted(lead, groups.model)  # [groups] the class
    class_first = np.cumsum(groups.size[lead]) - groups.size[lead]
    inside = np.arange(len(full.row)) - groups.first[groups.of]
    sure = full.obs == UNSEEN
    cell = class_first[kin[groups.of]] + np.where(sure, 0, inside)
    total = np.add.reduceat(full.prob, groups.first)
    share = full.prob[cells] / np.repeat(total[lead], groups.size[lead])
    move, chance = total.copy(), share.copy()
    open_ = np.ones(len(lead), bool)
    for part in _near(share):
        for whole in _near(total):
            wrong = (whole[groups.of] * part[cell] != full.prob) & ~sure
            good = open_ & (np.bincount(kin[groups.of], weights=wrong, minlength=len(lead)) == 0)
            move = np.where(good[kin], whole, move)
            chance = np.where(np.repeat(good, groups.size[lead]), part, chance)
            open_ &= ~good
            if not open_.any():
                return move, chance
    return move, chance


def _near(value: Floats) -> list[Floats]:
    """The value, and what it may have been before it was multiplied and divided."""
    return [value, *(np.round(value, digits) for digits in (15, 12)), np.nextafter(value, 0), np.nextafter(value, 2)]
