"""Turning the search's points into a proof: for each point and action, by which other points it is bounded.

A point's claim holds if it is at least the reward and the discounted bounds of what follows, for every action. What
follows is bounded by one witness for each observation: another point, the corners, or the fast informed bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.certificates.pomdp import (
    OF_ACTION,
    OF_BUILT,
    OF_CLAIM,
    OF_CORNER,
    OF_ENTRY,
    OF_HELD,
    OF_ROW,
    OF_STATE,
    OF_TARGET,
    OF_WITNESS,
)
from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import ZERO, kernel
from fogbound.solvers.pomdp.kernels import BlockModel, block_size

CORNERS, BY_INFORMED, WHOLE_ACTION, NEVER = -1, -2, -3, -4  # NEVER: the observation cannot come


@dataclass(frozen=True, eq=False)
class Claims(Bundle):
    """Points, each with what it claims; point 0 is the start. And the bounds that need no point."""

    model: BlockModel
    home: np.ndarray  # [points] block
    start: np.ndarray  # [points + 1] into state and weight
    state: np.ndarray  # local
    weight: np.ndarray
    value: np.ndarray  # [points]
    gap: np.ndarray  # [points] over the corners: below 0
    mask: np.ndarray  # [points] 64 bits for its states
    support: np.ndarray  # [points] the number of its set of states
    listed: np.ndarray  # points in the order of blocks, those deepest below the corners first
    lists: np.ndarray  # [blocks + 1] into listed
    alone: np.ndarray  # [states] the point on that state alone, -1 when there is none
    corner: np.ndarray  # [states]
    informed: np.ndarray  # [rows] the fast informed bound


@dataclass(frozen=True, eq=False)
class Proof(Bundle):
    """Which points are needed for the start, and their witnesses.

    Those of the p-th needed point are witness[begin[p]] and on, action by action: one for each outcome, or WHOLE_ACTION
    in their place; an action without outcomes has one place too.
    """

    queue: np.ndarray  # [points] in the order in which they got their witnesses
    needed: np.ndarray  # [points]
    depth: np.ndarray  # [points] steps from the start to the first belief that leans on each
    growth: np.ndarray  # [1] factor a step: how much more a claim may be raised that is one step further ahead
    begin: np.ndarray  # [points + 1]
    witness: np.ndarray
    beta: np.ndarray  # [largest block] room for an unnormalised belief
    built: np.ndarray  # [supports, most actions] whether what follows was counted


@kernel
def choose_witnesses(claims, proof, done, count, until, slack):
    """Witnesses for the start and all points that are needed in turn. Returns how many points are needed so far.

    Of the queue, the first `done` of `count` have theirs, and those before `until` get them now. Claims may be raised
    by `slack` at the start, and by more further ahead: an action asks for no further points where the raised claim
    holds by the fast informed bound, or by points that are needed anyway. Below 0, it always asks for the best.
    """
    model = claims.model
    at = proof.begin[done]
    if count == 0:
        proof.needed[ZERO], proof.queue[0], proof.depth[ZERO], count = True, ZERO, ZERO, 1
    while done < min(count, until):
        point = proof.queue[done]
        proof.begin[done] = at
        done += 1
        block = claims.home[point]
        for choice in range(model.choice[block], model.choice[block + 1]):
            first, last = model.outcome[choice], model.outcome[choice + 1]
            count = _choose_for_action(claims, proof, choice, point, at, count, slack)
            at += max(last - first, 1)
    proof.begin[done] = at
    return count


@kernel
def improve_witnesses(claims, proof, begin, end, count, slack):
    """Better witnesses for those actions of the queue's points whose claims, raised by `slack`, do not hold.

    The points from `begin` to `end` have witnesses already. Returns how many points are needed.
    """
    model = claims.model
    for p in range(begin, end):
        point, at = proof.queue[p], proof.begin[p]
        block = claims.home[point]
        for choice in range(model.choice[block], model.choice[block + 1]):
            first, last = model.outcome[choice], model.outcome[choice + 1]
            if not _holds(claims, proof, choice, point, at, slack):
                count = _choose_for_action(claims, proof, choice, point, at, count, slack)
            at += max(last - first, 1)
    return count


@kernel
def _choose_for_action(claims, proof, choice, point, at, count, slack):
    """Witnesses of one action, from place `at` on; how many points are needed."""
    model = claims.model
    first, last = model.outcome[choice], model.outcome[choice + 1]
    raised = claims.value[point] + _raise(proof, proof.depth[point], slack)
    if point != 0 and _expected(claims, claims.informed, choice, point) <= raised:
        for place in range(at, at + max(last - first, 1)):
            proof.witness[place] = WHOLE_ACTION
    elif first == last:
        proof.witness[at] = NEVER
    else:
        if slack < 0 or not _choose_all(claims, proof, choice, point, at, True, slack):
            _choose_all(claims, proof, choice, point, at, False, slack)
        count = _need_all(claims, proof, choice, point, at, count)
    return count


@kernel
def _raise(proof, depth, slack):
    """How much a claim may be raised."""
    return slack * proof.growth[0] ** depth if slack > 0 else 0.0


@kernel
def _holds(claims, proof, choice, point, at, slack):
    """Whether the claim of an action holds by its witnesses when all are raised."""
    model = claims.model
    raised = claims.value[point] + _raise(proof, proof.depth[point], slack)
    if proof.witness[at] == WHOLE_ACTION:
        return _expected(claims, claims.informed, choice, point) <= raised
    first, total = model.outcome[choice], _expected(claims, model.reward, choice, point)
    for outcome in range(first, model.outcome[choice + 1]):
        if _ahead(claims, outcome, point, proof.beta) > 0:
            witness = proof.witness[at + outcome - first]
            total += _raised_value(claims, proof, model.target[outcome], witness, point, slack)
    return total <= raised


@kernel
def _raised_value(claims, proof, block, witness, point, slack):
    """What a witness says about the belief `beta` after a point when its claim is raised."""
    value = _value(claims, block, proof.beta, witness)
    if witness >= 0:
        raised = _raise(proof, _depth(proof, witness, point), slack)
        value += min(raised, -claims.gap[witness]) * _fitting_share(claims, proof.beta, witness, 0.0)
    return value


@kernel
def _depth(proof, witness, point):
    """Steps from the start to a witness once it is one of the point's."""
    after = proof.depth[point] + 1
    return min(proof.depth[witness], after) if proof.needed[witness] else after


@kernel
def _choose_all(claims, proof, choice, point, at, known, slack):
    """Witnesses of an action from place `at` on, if `known` of those needed already. Whether the claim holds."""
    model = claims.model
    first, total = model.outcome[choice], _expected(claims, model.reward, choice, point)
    for outcome in range(first, model.outcome[choice + 1]):
        mass, chosen = _ahead(claims, outcome, point, proof.beta), np.int64(NEVER)
        if mass > 0:
            chosen = _choose(claims, proof, model.target[outcome], mass, known)
            total += _raised_value(claims, proof, model.target[outcome], chosen, point, slack)
        proof.witness[at + outcome - first] = chosen
    return total <= claims.value[point] + _raise(proof, proof.depth[point], slack)


@kernel
def _need_all(claims, proof, choice, point, at, count):
    """Queue what the witnesses of an action need; how many there are."""
    model = claims.model
    first = model.outcome[choice]
    for outcome in range(first, model.outcome[choice + 1]):
        chosen = proof.witness[at + outcome - first]
        if chosen >= 0 or chosen == CORNERS:
            _ahead(claims, outcome, point, proof.beta)
            count = _need_witnesses(claims, proof, model.target[outcome], chosen, count, proof.depth[point] + 1)
    return count


@kernel
def _need(proof, count, point, depth):
    """Queue a point that is not yet there, and note how far ahead it is; how many there are."""
    if not proof.needed[point]:
        proof.needed[point], proof.depth[point] = True, depth
        proof.queue[count] = point
        count += 1
    proof.depth[point] = min(proof.depth[point], depth)
    return count


@kernel
def _need_witnesses(claims, proof, block, chosen, count, depth):
    """Queue the chosen witness; corners that a point improves are needed with it."""
    model = claims.model
    for t in range(block_size(model, block)):
        single = claims.alone[model.first[block] + t]
        if proof.beta[t] > 0 and single >= 0:
            count = _need(proof, count, single, depth)
    return _need(proof, count, chosen, depth) if chosen >= 0 else count


@kernel
def check_steps(claims, proof, begin, end):
    """The checker's steps for the queue's points from `begin` to `end`, which have witnesses; `built` is noted."""
    model, steps = claims.model, 0.0
    for p in range(begin, end):
        point, at = proof.queue[p], proof.begin[p]
        block, size = claims.home[point], claims.start[point + 1] - claims.start[point]
        steps += OF_STATE * size
        for choice in range(model.choice[block], model.choice[block + 1]):
            first, last = model.outcome[choice], model.outcome[choice + 1]
            if proof.witness[at] == WHOLE_ACTION:
                steps += OF_ROW * size
            else:
                steps += OF_ACTION
                action, of_built = choice - model.choice[block], 0.0
                if not proof.built[claims.support[point], action]:
                    proof.built[claims.support[point], action], of_built = True, OF_BUILT
                for outcome in range(first, last):
                    witness = proof.witness[at + outcome - first]
                    steps += _witness_steps(claims, proof, outcome, point, witness, of_built)
            at += max(last - first, 1)
    return steps


@kernel
def _witness_steps(claims, proof, outcome, point, witness, of_built):
    """The checker's steps for one witness, and for the belief that it bounds."""
    model = claims.model
    if _ahead(claims, outcome, point, proof.beta) <= 0:
        return 0.0
    block, begins, entries, possible = model.target[outcome], model.begin[outcome], 0, 0
    for t in range(block_size(model, block)):
        possible += proof.beta[t] > 0
    for i in range(claims.start[point], claims.start[point + 1]):
        entries += model.start[begins + claims.state[i] + 1] - model.start[begins + claims.state[i]]
    steps = OF_WITNESS + OF_TARGET * possible + OF_ENTRY * (entries - possible) + of_built * entries
    if witness == BY_INFORMED:
        return steps + OF_CLAIM * possible * (model.choice[block + 1] - model.choice[block])
    if witness >= 0:
        steps += OF_HELD * (claims.start[witness + 1] - claims.start[witness])
    return steps + OF_CORNER * possible


@kernel
def bellman_sweep(claims, proof, count, after):
    """after [points]: what each needed point earns at most, by its witnesses, when the others are as they are."""
    model = claims.model
    for p in range(count):
        point, at = proof.queue[p], proof.begin[p]
        block, best = claims.home[point], -np.inf
        for choice in range(model.choice[block], model.choice[block + 1]):
            first, last = model.outcome[choice], model.outcome[choice + 1]
            if proof.witness[at] == WHOLE_ACTION:
                total = _expected(claims, claims.informed, choice, point)
            else:
                total = _expected(claims, model.reward, choice, point)
                for outcome in range(first, last):
                    if _ahead(claims, outcome, point, proof.beta) > 0:
                        witness = proof.witness[at + outcome - first]
                        total += _value(claims, model.target[outcome], proof.beta, witness)
            best = max(best, total)
            at += max(last - first, 1)
        after[point] = best


@kernel
def _expected(claims, rows, choice, point):
    """What an action earns at a point by what it earns in each state: `rows` [rows]."""
    model = claims.model
    total = 0.0
    for i in range(claims.start[point], claims.start[point + 1]):
        total += claims.weight[i] * rows[model.offset[choice] + claims.state[i]]
    return total


@kernel
def _ahead(claims, outcome, point, beta):
    """beta: the unnormalised belief after a point, an action and an observation. Returns its sum."""
    model = claims.model
    starts, total = model.begin[outcome], 0.0
    for t in range(block_size(model, model.target[outcome])):
        beta[t] = 0.0
    for i in range(claims.start[point], claims.start[point + 1]):
        for e in range(model.start[starts + claims.state[i]], model.start[starts + claims.state[i] + 1]):
            part = claims.weight[i] * model.weight[e]
            beta[model.to[e]] += part
            total += part
    return total


@kernel
def _choose(claims, proof, block, total, known):
    """The witness that bounds a belief of this mass best; the share of a point is at most that mass, deepest first."""
    model = claims.model
    chosen, best, outside, beta = np.int64(CORNERS), 0.0, np.int64(-1), proof.beta
    for t in range(block_size(model, block)):
        if beta[t] > 0:
            outside &= ~(np.int64(1) << np.int64(t & 63))
    for at in range(claims.lists[block], claims.lists[block + 1]):
        point = claims.listed[at]
        if claims.gap[point] * total >= best:
            break
        if known and not proof.needed[point]:
            continue
        if claims.mask[point] & outside == 0:  # else it holds a state possible that the belief rules out
            share = _fitting_share(claims, beta, point, best / claims.gap[point])
            if share > 0:
                chosen, best = point, claims.gap[point] * share
    if _informed(claims, block, beta) < _value(claims, block, beta, chosen):
        return np.int64(BY_INFORMED)
    return chosen


@kernel
def _value(claims, block, beta, witness):
    """What a witness says about an unnormalised belief."""
    model = claims.model
    if witness == BY_INFORMED:
        return _informed(claims, block, beta)
    value = 0.0
    for t in range(block_size(model, block)):
        value += beta[t] * claims.corner[model.first[block] + t]
    if witness >= 0:
        value += claims.gap[witness] * _fitting_share(claims, beta, witness, 0.0)
    return value


@kernel
def _informed(claims, block, beta):
    """The fast informed bound of an unnormalised belief."""
    model = claims.model
    best = -np.inf
    for choice in range(model.choice[block], model.choice[block + 1]):
        value = 0.0
        for t in range(block_size(model, block)):
            value += beta[t] * claims.informed[model.offset[choice] + t]
        best = max(best, value)
    return best


@kernel
def _fitting_share(claims, beta, point, enough):
    """How much of a point fits into a belief; 0 as soon as it is no more than `enough`."""
    share = np.inf
    for i in range(claims.start[point], claims.start[point + 1]):
        share = min(share, beta[claims.state[i]] / claims.weight[i])
        if share <= enough:
            return 0.0
    return share
