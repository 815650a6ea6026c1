"""Turning the search's points into a proof: for each point and action, by which other points it is bounded.

A point's claim holds if it is at least the reward and the discounted bounds of what follows, for every action. What
follows is bounded by one witness for each observation: another point, the corners, or the fast informed bound. Points
are rows of plain tables here: start, state (local), weight as in CSR, block, value, gap (over the corners).
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel
from fogbound.solvers.pomdp.hsvi.kernels.arena import *

CORNERS, BY_INFORMED, WHOLE_ACTION, NEVER = -1, -2, -3, -4  # NEVER: the observation cannot come


@kernel
def _ahead(M, W, branch, start, state, weight, point, beta):
    """beta: the unnormalised belief after a point, an action and an observation. Returns its size and its sum."""
    target, starts = M[branch + TARGET], M[branch + ENTRIES]
    n, total = M[M[BLOCKS_AT] + target * BLOCK_RECORD + SIZE], 0.0
    for t in range(n):
        beta[t] = 0.0
    for i in range(start[point], start[point + 1]):
        for e in range(M[starts + state[i]], M[starts + state[i] + 1]):
            part = weight[i] * W[e + M[TO_WEIGHT]]
            beta[M[e]] += part
            total += part
    return n, total


@kernel
def _informed(M, W, block, beta, n):
    """The fast informed bound of an unnormalised belief."""
    record = M[BLOCKS_AT] + block * BLOCK_RECORD
    best = -np.inf
    for k in range(M[record + SLOTS]):
        informed = M[M[SLOTS_AT] + (M[record + FIRST_SLOT] + k) * SLOT_RECORD + INFORMED]
        worth = 0.0
        for t in range(n):
            worth += beta[t] * W[informed + t]
        best = max(best, worth)
    return best


@kernel
def _fitting_share(beta, start, state, weight, point, enough):
    """How much of a point fits into a belief; 0 as soon as it is no more than `enough`."""
    share = np.inf
    for i in range(start[point], start[point + 1]):
        share = min(share, beta[state[i]] / weight[i])
        if share <= enough:
            return 0.0
    return share


@kernel
def _value(M, W, block, beta, n, witness, start, state, weight, gap):
    """What a witness says about an unnormalised belief."""
    if witness == BY_INFORMED:
        return _informed(M, W, block, beta, n)
    corner, worth = M[M[BLOCKS_AT] + block * BLOCK_RECORD + CORNER], 0.0
    for t in range(n):
        worth += beta[t] * W[corner + t]
    if witness >= 0:
        worth += gap[witness] * _fitting_share(beta, start, state, weight, witness, 0.0)
    return worth


@kernel
def _choose(M, W, block, beta, n, total, start, state, weight, gap, mask, listed, lists):
    """The witness that bounds a belief best; no more of a point fits in than the belief weighs, deepest first."""
    chosen, best, outside = np.int64(CORNERS), 0.0, np.int64(-1)
    for t in range(n):
        if beta[t] > 0:
            outside &= ~(np.int64(1) << np.int64(t & 63))
    for at in range(lists[block], lists[block + 1]):
        point = listed[at]
        if gap[point] * total >= best:
            break
        if mask[point] & outside == 0:  # else it holds a state possible that the belief rules out
            share = _fitting_share(beta, start, state, weight, point, best / gap[point])
            if share > 0:
                chosen, best = point, gap[point] * share
    if _informed(M, W, block, beta, n) < _value(M, W, block, beta, n, chosen, start, state, weight, gap):
        return BY_INFORMED
    return chosen


@kernel
def choose_witnesses(
    M, W, start, state, weight, home, value, gap, mask, listed, lists, offset, alone, needed, queue, begin, witness
):
    """Witnesses for the start (point 0) and all points that are needed in turn. Returns how many points are needed.

    queue [n] lists them in the order of need; the witnesses of the p-th of them and its k-th action are
    witness[begin[p] + ...]: one for each branch, or WHOLE_ACTION alone in the first place. alone[offset[block] + state]
    is the point on that state alone, -1 when there is none; mask has 64 bits for the states of each point.
    """
    beta = np.empty(_widest(M, lists))
    queue[0], needed[0] = 0, True
    count, done, at = 1, 0, 0
    while done < count:
        point = queue[done]
        begin[done] = at
        done += 1
        record = M[BLOCKS_AT] + home[point] * BLOCK_RECORD
        for k in range(M[record + SLOTS]):
            slot = M[SLOTS_AT] + (M[record + FIRST_SLOT] + k) * SLOT_RECORD
            whole = 0.0
            for i in range(start[point], start[point + 1]):
                whole += weight[i] * W[M[slot + INFORMED] + state[i]]
            direct = point != 0 and whole <= value[point]
            for j in range(M[slot + BRANCHES]):
                if direct:
                    witness[at + j] = WHOLE_ACTION
                    continue
                branch = M[BRANCHES_AT] + (M[slot + FIRST_BRANCH] + j) * BRANCH_RECORD
                n, total = _ahead(M, W, branch, start, state, weight, point, beta)
                chosen = NEVER
                if total > 0:
                    chosen = _choose(
                        M, W, M[branch + TARGET], beta, n, total, start, state, weight, gap, mask, listed, lists
                    )
                    for t in range(n):  # corners that a point improves are needed with it
                        single = alone[offset[M[branch + TARGET]] + t]
                        if chosen != BY_INFORMED and beta[t] > 0 and single >= 0 and not needed[single]:
                            needed[single] = True
                            queue[count] = single
                            count += 1
                    if chosen >= 0 and not needed[chosen]:
                        needed[chosen] = True
                        queue[count] = chosen
                        count += 1
                witness[at + j] = chosen
            at += max(M[slot + BRANCHES], 1)
            if M[slot + BRANCHES] == 0:
                witness[at - 1] = WHOLE_ACTION if direct else NEVER
    begin[done] = at
    return count


@kernel
def _widest(M, lists):
    most = 1
    for block in range(len(lists) - 1):
        most = max(most, M[M[BLOCKS_AT] + block * BLOCK_RECORD + SIZE])
    return most


@kernel
def bellman_sweep(M, W, start, state, weight, home, gap, queue, count, begin, witness, lists, after):
    """after [n]: what each needed point is worth at most, by its witnesses, when the others are as they are."""
    beta = np.empty(_widest(M, lists))
    for p in range(count):
        point, at = queue[p], begin[p]
        record = M[BLOCKS_AT] + home[point] * BLOCK_RECORD
        best = -np.inf
        for k in range(M[record + SLOTS]):
            slot = M[SLOTS_AT] + (M[record + FIRST_SLOT] + k) * SLOT_RECORD
            total = 0.0
            if witness[at] == WHOLE_ACTION:
                for i in range(start[point], start[point + 1]):
                    total += weight[i] * W[M[slot + INFORMED] + state[i]]
            else:
                for i in range(start[point], start[point + 1]):
                    total += weight[i] * W[M[slot + REWARD] + state[i]]
                for j in range(M[slot + BRANCHES]):
                    branch = M[BRANCHES_AT] + (M[slot + FIRST_BRANCH] + j) * BRANCH_RECORD
                    n, mass = _ahead(M, W, branch, start, state, weight, point, beta)
                    if mass > 0:
                        total += _value(M, W, M[branch + TARGET], beta, n, witness[at + j], start, state, weight, gap)
            best = max(best, total)
            at += max(M[slot + BRANCHES], 1)
        after[point] = best
