"""A POMDP with mixed observability: what is always known is no longer part of the belief.

A block is one value of the fully observed component (Ong, Png, Hsu and Lee 2010): two states are in one block when
some history leads to both. So a belief never leaves its block, and an action with what is seen after it leads from
one block to one block. The component (where a robot is that knows where it is) need not be declared: it is a property
of the model, not of how it was written down. Solvers keep their vectors and points block by block.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fogbound.core.errors import GameError, brief
from fogbound.forms.arrays import Floats, Ints, offsets, owned_ranges, starts
from fogbound.forms.pomdp import POMDP

LEGAL_CLASH = "the player cannot tell {} from {}, but may do {} in one and {} in the other"


@dataclass(frozen=True, eq=False, repr=False)
class MixedObservability:
    """B blocks of N states in all, Q choices (block, action), J outcomes (choice, observation), E entries.

    Block 0 is the start: one state with one action, whose reward is what is paid before the first step. Ended
    states are left out: nothing more is earned there. `weight` is discount x probability, except in block 0, which
    takes no time; so the solvers' loops know no discount.
    """

    pomdp: POMDP = field(repr=False)
    state: Ints  # [N] the POMDP's state; -1 for the start
    block: Ints  # [N] the block it is in
    first: Ints  # [B+1] into state
    choice: Ints  # [B+1] choices of a block
    action: Ints  # [Q] the label of the choice's action
    reward: Floats  # [sum over choices of the block's size] by choice, then local state
    offset: Ints  # [Q+1] into reward
    outcome: Ints  # [Q+1] outcomes of a choice
    obs: Ints  # [J] the observation
    target: Ints  # [J] the block it leads to
    start: Ints  # [sum over outcomes of (size + 1)] where the entries of a local state start
    begin: Ints  # [J] into start
    to: Ints  # [E] the local state in the target block
    weight: Floats  # [E]

    def __repr__(self) -> str:
        return f"<{self.size:,} sets of states that can be confused, of {self.pomdp.spec}>"

    @property
    def size(self) -> int:
        return len(self.first) - 1


def mixed_observability(pomdp: POMDP) -> MixedObservability:
    """Find the blocks that can be reached and lay the model out by them."""
    label = _labels(pomdp)
    _check_legal(pomdp, label)
    label = label[: pomdp.size]
    copied, copies = _opening(pomdp, label)
    live = np.flatnonzero((label >= 0) & (np.diff(pomdp.row) > 0))
    state = np.concatenate([[-1], copied, live])
    tag = np.concatenate([[-2 - len(pomdp.observations)], copies, label[live]])  # sorts the start first
    order = np.argsort(tag, kind="stable")
    state, tag = state[order], tag[order]
    place = np.full(pomdp.size, -1)
    place[state[tag >= 0]] = np.flatnonzero(tag >= 0)
    copy = {(int(t), int(s)): k for k, (t, s) in enumerate(zip(tag, state)) if t < 0}
    begun = zip((-2 - pomdp.obs[: pomdp.out[1]]).tolist(), pomdp.next[: pomdp.out[1]].tolist())
    opening = np.array([copy.get((t, s), place[s]) for t, s in begun], np.int64)
    return _laid_out(pomdp, state, np.unique(tag, return_inverse=True)[1], place, opening)


def _opening(pomdp: POMDP, label: Ints) -> tuple[Ints, Ints]:
    """States that only the start confuses, as blocks of their own: what the first step reveals is then known.

    Without these copies a robot that learns where it is at its first step would never be seen to know it.
    """
    states: list[Ints] = []
    tags: list[Ints] = []
    begun = slice(int(pomdp.out[0]), int(pomdp.out[1]))
    next_, obs = pomdp.next[begun], pomdp.obs[begun]
    live = np.diff(pomdp.row)[next_] > 0
    for z in np.unique(obs):
        support = np.unique(next_[(obs == z) & live])
        if not len(support):
            continue
        if len(np.unique(label[support])) > 1 or label[support[0]] < 0:
            states.append(support)
            tags.append(np.full(len(support), -2 - int(z)))
    if not states:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate(states), np.concatenate(tags)


def _labels(pomdp: POMDP) -> Ints:
    """[S + starts] a number that members of one block share; -1 where no history leads."""
    from fogbound.forms.kernels.partition import confusable

    row, action, out = (a.astype(np.int64) for a in (pomdp.row, pomdp.action, pomdp.out))
    next_, obs = pomdp.next.astype(np.int64), pomdp.obs.astype(np.int64)
    label: Ints = confusable(row, action, out, next_, obs, len(pomdp.actions), len(pomdp.observations))
    return label


def _check_legal(pomdp: POMDP, label: Ints) -> None:
    """What the player may do must follow from what it knows: one observation, one list of actions or none."""
    observations = {seen: k for k, seen in enumerate(dict.fromkeys(seen for seen, _ in pomdp.observations))}
    observation = np.array([observations[seen] for seen, _ in pomdp.observations])
    legal = np.array([m for _, m in pomdp.observations])
    state = np.concatenate([np.arange(pomdp.size), pomdp.next[: pomdp.out[1]]])  # of each member
    count = np.where(label >= 0, np.diff(pomdp.row)[state], 0)
    row, member = owned_ranges(pomdp.row[state], count)
    row, known = np.append(row, 0), np.append(label[member], -1)  # and the start
    outcome, source = owned_ranges(pomdp.out[row], np.diff(pomdp.out)[row])
    asked = (legal[pomdp.obs[outcome]] >= 0) & (pomdp.prob[outcome] > 0)
    source, outcome = source[asked], outcome[asked]
    key = (known[source] + 1) * (len(pomdp.actions) + 1) + pomdp.action[row[source]] + 1
    key = key * len(observations) + observation[pomdp.obs[outcome]]
    legal_sets = legal[pomdp.obs[outcome]]
    order = np.lexsort((legal_sets, key))
    clash = np.flatnonzero((np.diff(key[order]) == 0) & (np.diff(legal_sets[order]) != 0))
    if len(clash):
        pair = order[clash[0]], order[clash[0] + 1]
        words = (brief(pomdp.label(int(pomdp.next[outcome[k]]))) for k in pair)
        offers = (brief(pomdp.legal_sets[int(legal_sets[k])]) for k in pair)
        raise GameError(f"{pomdp.spec}: " + LEGAL_CLASH.format(*words, *offers))


def _laid_out(pomdp: POMDP, state: Ints, block: Ints, place: Ints, opening: Ints) -> MixedObservability:
    """Rows become choices, outcomes become entries, sorted by (choice, observation, local state).

    place [S]: where a state is among the members; opening [start's outcomes]: where these lead.
    """
    count = int(block[-1]) + 1
    first = starts(block, count)
    sizes, local = np.diff(first), np.arange(len(state)) - first[block]
    low = np.where(state >= 0, pomdp.row[state], 0)
    many = np.where(state >= 0, np.diff(pomdp.row)[state], 1)
    choice = offsets(many[first[:-1]])
    rows, member = owned_ranges(low, many)
    position = rows - low[member]
    choices = choice[block[member]] + position
    offset = offsets(np.repeat(sizes, np.diff(choice)))
    reward, action = np.empty(offset[-1]), np.empty(choice[-1], np.int64)
    reward[offset[choices] + local[member]] = pomdp.reward[rows]
    action[choices] = pomdp.action[rows]

    outcome, source = owned_ranges(pomdp.out[rows], np.diff(pomdp.out)[rows])
    begun = rows[source] == 0
    target = place[pomdp.next[outcome]]
    target[begun] = opening[outcome[begun]]
    weight = pomdp.prob[outcome] * np.where(begun, 1.0, pomdp.discount)
    keep = (target >= 0) & (pomdp.prob[outcome] > 0)
    source, target, weight, seen = source[keep], target[keep], weight[keep], pomdp.obs[outcome[keep]].astype(np.int64)
    observations, widest = len(pomdp.observations), int(sizes.max())
    key = (choices[source] * observations + seen) * widest + local[member[source]]
    order = np.argsort(key, kind="stable")
    key, target, weight = key[order], target[order], weight[order]
    pair = key // widest
    heads = np.flatnonzero(np.diff(pair, prepend=-1))  # the first entry of each outcome
    of_choice = pair[heads] // observations
    span = np.repeat(sizes, np.diff(choice))[of_choice] + 1
    begin = np.cumsum(span) - span
    of_entry = np.repeat(np.arange(len(heads)), np.diff(np.append(heads, len(key))))
    counts = np.bincount(begin[of_entry] + key % widest + 1, minlength=int(span.sum()))
    return MixedObservability(
        pomdp=pomdp,
        state=state,
        block=block,
        first=first,
        choice=choice,
        action=action,
        reward=reward,
        offset=offset,
        outcome=starts(of_choice, choice[-1]),
        obs=pair[heads] % observations,
        target=block[target[heads]],
        start=np.cumsum(counts),
        begin=begin,
        to=local[target],
        weight=weight,
    )
