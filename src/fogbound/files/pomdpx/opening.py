"""What is seen before the first action, as a fully observed state variable: the only way the format can say it.

Such a variable is seen at every step, so it must never tell more than is known. Where later sights always tell
which opening's states one is among, it says just that, and a state is (it, the rest). Where they do not, it
says for ever what was seen at first: who remembers that learns nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fogbound.core.errors import FormError
from fogbound.files.ranges import Indices
from fogbound.files.writing.complete import UNSEEN, Complete, complete, refuse_early_pay
from fogbound.files.writing.factor import split
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import Floats

MOST_STATES = 1_000_000


@dataclass(frozen=True, eq=False)
class Opened:
    """A model ready to be written, with its openings."""

    full: Complete
    label: Indices  # [states] which state of the form; -1: none, it only fills up a block
    copy: Indices  # [states] and after which observation, where states are told apart by that; UNSEEN
    sights: Indices  # [X] the form's numbers of what may be seen at first; one alone tells nothing
    split: bool  # whether the states are X blocks of equal size, one for each sight
    start: tuple[Indices, Indices, Floats]  # sight, state, probability


def opened(form: POMDP) -> Opened:
    """Fill up and divide the states as needed; FormError for what no file can say."""
    refuse_early_pay(form)
    begun = slice(0, int(form.out[1]))
    blind = form.obs.copy()
    blind[begun] = blind[0]
    full, state, copy = split(complete(replace(form, obs=blind)))
    sights, sight = np.unique(form.obs[begun], return_inverse=True)
    start = (sight.astype(np.int64), np.searchsorted(state, form.next[begun]), form.prob[begun])
    plain = Opened(full, state, copy, sights.astype(np.int64), False, start)
    if len(sights) == 1:
        return plain
    block = _blocks(plain)
    return plain if block is None else _in_blocks(plain, block)


def _blocks(plain: Opened) -> Indices | None:
    """[states] the opening whose states each belongs to, if every later sight tells that too."""
    full, (sight, state, _) = plain.full, plain.start
    told = full.obs != UNSEEN
    here = np.concatenate([full.next[told], state])
    there = np.concatenate([full.obs[told], len(full.observations) + sight]) + full.states
    size = full.states + len(full.observations) + len(plain.sights)
    graph = coo_array((np.ones(len(here), np.int8), (here, there)), shape=(size, size))
    count, part = connected_components(graph, directed=False)
    openings = part[full.states + len(full.observations) :]
    if len(np.unique(openings)) < len(plain.sights):
        return None
    block = np.full(count, UNSEEN)
    block[openings] = np.arange(len(plain.sights))
    sizes = np.bincount(part[: full.states], minlength=count)
    filled = sizes[openings]
    for loose in np.flatnonzero((block == UNSEEN) & (sizes > 0)).tolist():  # told apart from all openings: anywhere
        block[loose] = int(filled.argmin())
        filled[block[loose]] += sizes[loose]
    found: Indices = block[part[: full.states]]
    return found


def _in_blocks(plain: Opened, block: Indices) -> Opened:
    """The states block by block, each filled up to the largest with states that nothing leads to."""
    full, wide = plain.full, len(plain.full.actions)
    sizes = np.bincount(block, minlength=len(plain.sights))
    high, order = int(sizes.max()), np.argsort(block, kind="stable")
    if high * len(sizes) > MOST_STATES:
        raise FormError(f"{full.states:,} states fill up to {high * len(sizes):,}, expected at most {MOST_STATES:,}")
    place = np.empty(full.states, np.int64)
    place[order] = block[order] * high + np.arange(full.states) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    total = high * len(sizes)
    empty = np.setdiff1d(np.arange(total), place)
    idle = (empty[:, None] * wide + np.arange(wide)).ravel()
    row = np.concatenate([place[full.row // wide] * wide + full.row % wide, idle])
    after = np.concatenate([place[full.next], idle // wide])
    seen = np.concatenate([full.obs, np.full(len(idle), UNSEEN)])
    prob = np.concatenate([full.prob, np.ones(len(idle))])
    by = np.lexsort((seen, after, row))
    reward = np.zeros((total, wide))
    reward[place] = full.reward.reshape(full.states, wide)
    label, copy, begun = np.full(total, -1), np.full(total, UNSEEN), np.zeros(total)
    label[place], copy[place], begun[place] = plain.label, plain.copy, full.start
    made = replace(
        full, states=total, start=begun, row=row[by], next=after[by], obs=seen[by], prob=prob[by], reward=reward.ravel()
    )
    sight, state, chance = plain.start
    return Opened(made, label, copy, plain.sights, True, (sight, place[state], chance))
