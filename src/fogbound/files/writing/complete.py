"""A POMDP in which every action is legal in every state, as model files need it, of the same value.

An action that a state does not offer does there what the first one offered does: a copy of a choice that is
there anyway adds nothing. A state in which the game is over leads to itself and pays nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.core.errors import FormError
from fogbound.files.ranges import Indices, spread
from fogbound.forms.pomdp import POMDP, WAIT
from fogbound.forms.table import Floats

UNSEEN = -1  # the observation of a step after the game: any will do


@dataclass(frozen=True)
class Complete:
    """Outcomes of all (state, action), sorted by row `state * actions + action`, next state, observation."""

    states: int
    actions: tuple[int, ...]  # the form's numbers; WAIT last, where it is needed
    observations: tuple[int, ...]  # the form's numbers
    start: Floats  # [states]
    row: Indices
    next: Indices
    obs: Indices
    prob: Floats
    reward: Floats  # [states * actions]
    copied: int  # rows that stand for an action that is not offered there


def complete(form: POMDP) -> Complete:
    """Fill the table of (state, action)."""
    actions = tuple(sorted({*form.action[1:].tolist()} - {WAIT})) + ((WAIT,) if (form.action[1:] == WAIT).any() else ())
    offered = (form.row[1:] - form.row[:-1]).astype(np.int64)
    taken = np.where(offered > 0, form.row[:-1], 0)[:, None].repeat(max(len(actions), 1), axis=1).astype(np.int64)
    number = {action: k for k, action in enumerate(actions)}
    own = np.repeat(np.arange(form.size), offered)
    which = np.array([number[action] for action in form.action[1:].tolist()], np.int64)
    taken[own, which] = np.arange(1, len(form.action))
    rows = taken.ravel()
    out = form.out.astype(np.int64)
    count = np.where(rows > 0, out[rows + 1] - out[rows], 0)
    inside = spread(out[rows], count)
    over = np.flatnonzero(rows == 0)
    kept, number_of = _observations(form)
    row = np.concatenate([np.repeat(np.arange(len(rows)), count), over])
    after = np.concatenate([form.next[inside], over // taken.shape[1]]).astype(np.int64)
    seen = np.concatenate([number_of[form.obs[inside]], np.full(len(over), UNSEEN)])
    merged = _merged(row, after, seen, np.concatenate([form.prob[inside], np.ones(len(over))]))
    start = np.bincount(form.next[: out[1]], weights=form.prob[: out[1]], minlength=form.size)
    reward = np.where(rows > 0, form.reward[rows], 0.0)
    copied = int((rows > 0).sum()) - len(form.action) + 1
    return Complete(form.size, actions or (WAIT,), kept, start.astype(np.float64), *merged, reward, copied)


def refuse_early_pay(form: POMDP) -> None:
    """FormError for what is paid before the first step, which no model file can say."""
    if form.reward[0] != 0:
        raise FormError(f"{form.spec}: {form.reward[0]:g} is paid before the first step; a model file cannot say so")


def _observations(form: POMDP) -> tuple[tuple[int, ...], Indices]:
    """The observations a file lists, all but one that is only shown at the start, and their numbers there."""
    listed = np.ones(len(form.observations), bool)
    listed[form.obs[: form.out[1]]] = False
    listed[form.obs[form.out[1] :]] = True
    if not listed.any():
        listed[0] = True
    return tuple(np.flatnonzero(listed).tolist()), np.cumsum(listed) - 1


def _merged(row: Indices, after: Indices, seen: Indices, prob: Floats) -> tuple[Indices, Indices, Indices, Floats]:
    """Sorted, equal outcomes added up."""
    order = np.lexsort((seen, after, row))
    row, after, seen, prob = row[order], after[order], seen[order], prob[order]
    fresh = np.ones(len(row), bool)
    fresh[1:] = (np.diff(row) != 0) | (np.diff(after) != 0) | (np.diff(seen) != 0)
    total = np.bincount(np.cumsum(fresh) - 1, weights=prob).astype(np.float64)
    return row[fresh], after[fresh], seen[fresh], total
