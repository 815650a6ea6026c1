"""A graph of beliefs, each held once: what may be believed, what each action leads to, and bounds on its value.

Beliefs are sparse and are found again by a hash of their states and rounded weights; weights that are equal up to
a share of MERGED count as equal, and what has a share below FAINT is not believed. The graph only grows, so it can
be shared by problems that have states in common.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from fogbound.compiled.kernel import ONE, ZERO, kernel
from fogbound.driver.checkpoint_schema import Entries, Schema

MERGED, FAINT = 1e-12, 1e-18
BELIEFS, ENTRIES, ROWS, OUTS, WORK = range(5)  # of `count`: what is used of the pools, and work


class BoundedProcess(NamedTuple):
    """The process over states, with each state's bounds: `low`, and the informed `q_values` of its rows."""

    row: np.ndarray
    out: np.ndarray
    next: np.ndarray
    obs: np.ndarray
    prob: np.ndarray
    reward: np.ndarray
    low: np.ndarray  # [S]
    q_values: np.ndarray  # [R]
    over: np.ndarray  # [Z] whether an observation says that play is over
    discount: float


class BeliefGraphArrays(NamedTuple):
    """Beliefs with their bounds; an expanded belief has a row for each action, with an outcome an observation."""

    first: Annotated[np.ndarray, Entries("beliefs", begins="entries", extra=1)]
    state: Annotated[np.ndarray, Entries("entries", into="states")]  # rising within a belief
    weight: Annotated[np.ndarray, Entries("entries", float, low=0.0, high=1.0)]
    low: Annotated[np.ndarray, Entries("beliefs", float)]
    high: Annotated[np.ndarray, Entries("beliefs", float)]
    rows: Annotated[np.ndarray, Entries("beliefs", into="rows", none=True)]  # its first row, -1 = not expanded
    many: Annotated[np.ndarray, Entries("beliefs")]  # how many
    # the row that `low` stands for, -1 = playing at random from there
    best: Annotated[np.ndarray, Entries("beliefs", into="rows", none=True)]
    mark: Annotated[np.ndarray, Entries("beliefs")]  # the last trial that came by
    reward: Annotated[np.ndarray, Entries("rows", float)]
    out: Annotated[np.ndarray, Entries("rows", begins="outs", extra=1)]
    prob: Annotated[np.ndarray, Entries("outs", float, low=0.0)]
    obs: Annotated[np.ndarray, Entries("outs", into="observations")]  # rising within a row
    child: Annotated[np.ndarray, Entries("outs", into="beliefs")]
    slot: Annotated[np.ndarray, Entries("beliefs", slots=True)]  # a belief, or -1


POOLS = ("beliefs", "entries", "rows", "outs")
SCHEMA = Schema.of({"": BeliefGraphArrays})


@kernel
def sort_together(keys, weights, many):
    """Sort keys with their weights, in place (Shell 1959): lists are short."""
    gap = 1
    while gap < many // 3:
        gap = 3 * gap + 1
    while gap:
        for i in range(gap, many):
            key, weight, j = keys[i], weights[i], i
            while j >= gap and keys[j - gap] > key:
                keys[j], weights[j] = keys[j - gap], weights[j - gap]
                j -= gap
            keys[j], weights[j] = key, weight
        gap //= 3


@kernel
def state_bounds(model, graph, begin, end):
    """(low, high) of a belief from its states alone: at random; the fast informed bound."""
    first = model.row[graph.state[begin]]
    many = model.row[graph.state[begin] + 1] - first
    low, high = 0.0, -np.inf
    for e in range(begin, end):
        low += graph.weight[e] * model.low[graph.state[e]]
    for a in range(many):
        total = 0.0
        for e in range(begin, end):
            total += graph.weight[e] * model.q_values[model.row[graph.state[e]] + a]
        high = max(high, total)
    return low, max(low, high)


@kernel
def _slot_of(graph, begin, end):
    """Where a belief is first looked for: by its states and its weights to nine decimals."""
    mixed = np.uint64(end - begin)
    for e in range(begin, end):
        mixed = (mixed ^ np.uint64(graph.state[e])) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ np.uint64(int(graph.weight[e] * 1e9 + 0.5))) * np.uint64(0xC2B2AE3D27D4EB4F)
        mixed ^= mixed >> np.uint64(29)
    return np.int64(mixed & np.uint64(len(graph.slot) - 1))


@kernel
def rehash_beliefs(graph, beliefs):
    """Fill an empty hash table again; starts of problems, which have no entries, are never looked for."""
    mask = len(graph.slot) - 1
    for belief in range(beliefs):
        if graph.first[belief + 1] > graph.first[belief]:
            at = _slot_of(graph, graph.first[belief], graph.first[belief + 1])
            while graph.slot[at] >= 0:
                at = (at + 1) & mask
            graph.slot[at] = belief


@kernel
def find_belief(model, graph, count, begin, end):
    """The number of the belief whose entries were just written at `begin`; a known one takes them back."""
    mask, at = len(graph.slot) - 1, _slot_of(graph, begin, end)
    while graph.slot[at] >= 0:
        other = graph.slot[at]
        known = graph.first[other]
        same = graph.first[other + 1] - known == end - begin
        for k in range(end - begin):
            if not same:
                break
            same = graph.state[known + k] == graph.state[begin + k]
            one, two = graph.weight[known + k], graph.weight[begin + k]
            same = same and abs(one - two) <= MERGED * max(one, two)
        if same:
            return other
        at = (at + 1) & mask
    belief = count[BELIEFS]
    graph.slot[at] = belief
    close_belief(model, graph, count, begin, end)
    return belief


@kernel
def close_belief(model, graph, count, begin, end):
    """Take what was written as a belief of its own."""
    belief = count[BELIEFS]
    count[BELIEFS] += 1
    count[ENTRIES] = end
    graph.first[belief + 1] = end
    graph.rows[belief], graph.many[belief], graph.best[belief], graph.mark[belief] = -1, 0, -1, 0
    if end > begin:
        graph.low[belief], graph.high[belief] = state_bounds(model, graph, begin, end)
    return belief


@kernel
def normalise(graph, begin, end, total):
    """Divide the entries just written by their total and leave out what is FAINT; where they end then."""
    kept = begin
    for e in range(begin, end):
        if graph.weight[e] > FAINT * total:
            graph.state[kept], graph.weight[kept] = graph.state[e], graph.weight[e] / total
            kept += 1
    return kept


@kernel
def close_row(model, graph, count, keys, weights, many, reward):
    """A row from (observation, state) keys with weights: one belief for each observation with which play goes on."""
    states = len(model.row)
    sort_together(keys, weights, many)
    at = 0
    while at < many:
        seen, begin = keys[at] // states, count[ENTRIES]
        end, total = begin, 0.0
        while at < many and keys[at] // states == seen:
            state = keys[at] % states
            if end > begin and graph.state[end - 1] == state:
                graph.weight[end - 1] += weights[at]
            else:
                graph.state[end], graph.weight[end] = state, weights[at]
                end += 1
            total += weights[at]
            at += 1
        if total > 0 and not model.over[seen]:
            o = count[OUTS]
            graph.child[o] = find_belief(model, graph, count, begin, normalise(graph, begin, end, total))
            graph.prob[o], graph.obs[o] = total, seen
            count[OUTS] += 1
    row = count[ROWS]
    graph.reward[row] = reward
    count[ROWS] += 1
    graph.out[row + 1] = count[OUTS]


@kernel
def crowded(graph, count, beliefs, rows):
    """Whether so many more might not fit."""
    return not (
        count[BELIEFS] + beliefs + 1 < len(graph.low)
        and count[ENTRIES] + beliefs < len(graph.state)
        and count[OUTS] + beliefs < len(graph.prob)
        and count[ROWS] + rows <= len(graph.reward)
    )


@kernel
def expand(model, graph, count, belief):
    """All that may follow a belief. False when there is no room for it."""
    begin, end = graph.first[belief], graph.first[belief + 1]
    first = model.row[graph.state[begin]]
    actions, most = model.row[graph.state[begin] + 1] - first, ZERO
    for e in range(begin, end):
        s = graph.state[e]
        most += model.out[model.row[s + 1]] - model.out[model.row[s]]
    if crowded(graph, count, most, actions):
        return False
    states = len(model.row)
    keys, weights = np.empty(most, np.int64), np.empty(most)
    began = count[ROWS]
    for a in range(actions):
        many, reward = ZERO, 0.0
        for e in range(begin, end):
            r, w = model.row[graph.state[e]] + a, graph.weight[e]
            reward += w * model.reward[r]
            for o in range(model.out[r], model.out[r + 1]):
                if model.prob[o] > 0:
                    keys[many], weights[many] = np.int64(model.obs[o]) * states + model.next[o], w * model.prob[o]
                    many += 1
        close_row(model, graph, count, keys, weights, many, reward)
    graph.rows[belief], graph.many[belief] = began, actions
    count[WORK] += most
    return True


@kernel
def open_root(model, graph, count, next, obs, prob, reward):
    """A belief of its own for the start of a problem, with one row: to what is believed first. -1: no room."""
    many = len(next)
    if crowded(graph, count, many + 1, ONE):
        return -1
    states = len(model.row)
    keys, weights = np.empty(many, np.int64), np.empty(many)
    for k in range(many):
        keys[k], weights[k] = np.int64(obs[k]) * states + next[k], prob[k] / model.discount  # nothing is late yet
    row = count[ROWS]
    close_row(model, graph, count, keys, weights, many, reward)
    root = close_belief(model, graph, count, count[ENTRIES], count[ENTRIES])
    graph.rows[root], graph.many[root], graph.best[root] = row, 1, row
    low = high = reward
    for o in range(graph.out[row], graph.out[row + 1]):
        low += model.discount * graph.prob[o] * graph.low[graph.child[o]]
        high += model.discount * graph.prob[o] * graph.high[graph.child[o]]
    graph.low[root], graph.high[root] = low, high
    return root
