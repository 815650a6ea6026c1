"""A POMDP from a model file: numbered states, actions and observations, every action legal everywhere."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.core.game import Seen
from fogbound.forms.pomdp import OVER, POMDP, WAIT
from fogbound.forms.table import Floats, Ints

Outcomes = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Floats]
MOST_OUTCOMES = 50_000_000  # what readers of large models may ask for
MENU = 0  # the one menu of such a model: all its actions


def flat(
    spec: str,
    discount: float,
    states: Sequence[Hashable],
    actions: Sequence[Hashable],
    observations: Sequence[Hashable],
    start: Floats,  # [S]
    outcomes: Outcomes,
    reward: Floats,  # [S, A] expected
    first: tuple[Sequence[Hashable], NDArray[np.int64]] | None = None,
) -> POMDP:
    """The form of a model given as lists.

    `outcomes` are columns (state, action, next state, observation, probability of both), in any order; equal
    ones are added up, impossible ones dropped. `first` is what is seen before the first action, where that is
    anything: the sights, and which of them each state shows.
    """
    size, wide = len(states), len(actions)
    row, next_, obs, prob = _rows(wide, len(observations), outcomes)
    begun = np.flatnonzero(start > 0)
    sights = [Seen(None, label) for label in observations]
    shown = first[0] if first else [None]
    opening = first[1][begun] if first else np.zeros(len(begun), np.int64)
    sights += [Seen(None, label) for label in shown]
    counts = np.bincount(row, minlength=size * wide)
    if not counts.all() or not len(begun):
        missing = int(np.argmin(counts))
        where = f"state {states[missing // wide]!r}, action {actions[missing % wide]!r}" if len(begun) else "the start"
        raise FormError(f"{spec}: nothing follows {where}")
    out = np.concatenate([[0, len(begun)], len(begun) + np.cumsum(counts)])
    form = POMDP(
        spec=spec,
        discount=discount,
        row=(1 + wide * np.arange(size + 1)).astype(np.int32),
        action=np.concatenate([[WAIT], np.tile(np.arange(wide), size)]).astype(np.int32),
        out=out.astype(np.int32),
        next=np.concatenate([begun, next_]).astype(np.int32),
        obs=np.concatenate([len(observations) + opening, obs]).astype(np.int32),
        prob=np.concatenate([start[begun], prob]),
        reward=np.concatenate([[0.0], np.asarray(reward, np.float64).ravel()]),
        actions=list(actions),
        observations=[(sight, MENU) for sight in sights],
        menus=(tuple(actions),),
        names=tuple(states),
    )
    return _ended(form) if discount == 1 else form


def _ended(form: POMDP) -> POMDP:
    """An undiscounted model whose states that lead nowhere and pay nothing are ends, which is what they stand for.

    Formats without a word for the end write it so. With a discount it makes no difference, and the model is left
    alone; without one, play that never ends has no value, so the end must be known as one.
    """
    owner = np.concatenate([[-1], np.repeat(np.arange(form.size), np.diff(form.row))])  # [R]
    source = np.repeat(owner, np.diff(form.out))  # [O]
    moving = np.zeros(form.size, bool)
    moving[source[(source >= 0) & (form.next != source)]] = True
    moving[owner[1:][form.reward[1:] != 0]] = True
    if moving.all():
        return form
    stay = np.append(True, moving[owner[1:]])  # [R] rows that remain
    kept = np.repeat(stay, np.diff(form.out))
    over = ~moving[form.next[kept]]
    obs, sights = form.obs[kept].astype(np.int64), len(form.observations)
    ends = np.unique(obs[over])
    obs[over] = sights + np.searchsorted(ends, obs[over])
    return replace(
        form,
        row=np.concatenate([[1], 1 + np.cumsum(np.where(moving, np.diff(form.row), 0))]).astype(np.int32),
        action=form.action[stay],
        out=np.concatenate([[0], np.cumsum(np.diff(form.out)[stay])]).astype(np.int32),
        next=form.next[kept],
        obs=obs.astype(np.int32),
        prob=form.prob[kept],
        reward=form.reward[stay],
        observations=form.observations + [(form.observations[z][0], OVER) for z in ends],
    )


def _rows(wide: int, sights: int, outcomes: Outcomes) -> tuple[Ints, Ints, Ints, Floats]:
    """Outcomes in the order of (state, action, next, observation), equal ones added, none impossible."""
    state, action, after, seen, prob = outcomes
    keep = prob > 0
    row = state[keep].astype(np.int64) * wide + action[keep]
    tail = after[keep].astype(np.int64) * sights + seen[keep]
    order = np.lexsort((tail, row))
    row, tail, prob = row[order], tail[order], prob[keep][order]
    fresh = np.ones(len(row), bool)
    fresh[1:] = (row[1:] != row[:-1]) | (tail[1:] != tail[:-1])
    group = np.cumsum(fresh) - 1
    total = np.bincount(group, weights=prob).astype(np.float64)
    row, tail = row[fresh], tail[fresh]
    return row, tail // sights, tail % sights, total
