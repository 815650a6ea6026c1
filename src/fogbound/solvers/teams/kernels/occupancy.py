"""Occupancies, compiled: one step under a joint decision rule, and memories with equal futures made one.

An occupancy is a distribution over (a memory of each agent, a state), kept as entries: `memory` [E, n], `state` [E],
`mass` [E]. Memories are numbers below `counts` [n]. What an agent knows beside its memory is nothing, so that two
memories under which the others' memories and the state are equally distributed can be treated alike ever after,
without loss (Oliehoek, Whiteson and Spaan, 2009). Entries are summed in the order of their keys, so that the same play
gives the same bits.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel


@kernel
def sorted_order(keys):
    """[E] the places of the keys from the smallest on, equal ones as they stand: merge sort from short runs to long."""
    size = len(keys)
    order, spare = np.arange(size), np.empty(size, np.int64)
    run = 1
    while run < size:
        for low in range(0, size, 2 * run):
            middle, high = min(low + run, size), min(low + 2 * run, size)
            i, j = low, middle
            for k in range(low, high):
                if j >= high or (i < middle and keys[order[i]] <= keys[order[j]]):
                    spare[k] = order[i]
                    i += 1
                else:
                    spare[k] = order[j]
                    j += 1
        order, spare = spare, order
        run *= 2
    return order


@kernel
def followed(model, memory, first, state, mass, rule, offset):
    """(expected reward, entries) of what follows when everybody acts by its memory; where play is over nothing does.

    rule [offset[n]]: the place of the action at each memory, agent after agent. A memory of an agent becomes
    memory * (how many observations it can make) + observation.
    """
    joint, n = memory.shape
    total, reward = 0, 0.0
    rows = np.empty(len(state), np.int64)
    for j in range(joint):
        for e in range(first[j], first[j + 1]):
            s = state[e]
            r = model.row[s]
            for i in range(n):
                r += rule[offset[i] + memory[j, i]] * model.stride[s, i]
            rows[e] = r
            total += model.out[r + 1] - model.out[r]
            reward += mass[e] * model.reward[r]
    after, states, weights = np.empty((total, n), np.int64), np.empty(total, np.int64), np.empty(total)
    k = 0
    for j in range(joint):
        for e in range(first[j], first[j + 1]):
            for o in range(model.out[rows[e]], model.out[rows[e] + 1]):
                s = model.next[o]
                if model.over[s]:
                    continue
                for i in range(n):
                    after[k, i] = memory[j, i] * model.observations[i] + model.seen[o, i]
                states[k], weights[k] = s, mass[e] * model.prob[o]
                k += 1
    return reward, after[:k].copy(), states[:k].copy(), weights[:k].copy()


@kernel
def gathered(memory, state, mass, counts, size):
    """The entries in order, equal ones added."""
    entries, n = memory.shape
    keys = np.empty(entries, np.int64)
    for e in range(entries):
        key = 0
        for i in range(n):
            key = key * counts[i] + memory[e, i]
        keys[e] = key * size + state[e]
    memories, states, weights = np.empty((entries, n), np.int64), np.empty(entries, np.int64), np.zeros(entries)
    last, m = -1, -1
    for e in sorted_order(keys):
        if keys[e] != last:
            last = keys[e]
            m += 1
            states[m] = state[e]
            for i in range(n):
                memories[m, i] = memory[e, i]
        weights[m] += mass[e]
    return memories[: m + 1].copy(), states[: m + 1].copy(), weights[: m + 1].copy()


@kernel
def number_memories(memory, agent, count, to):
    """Number the memories of an agent that occur, in order, from 0 on; how many there are."""
    for c in range(count):
        to[c] = -1
    for e in range(len(memory)):
        to[memory[e, agent]] = 0
    k = 0
    for c in range(count):
        if to[c] == 0:
            to[c] = k
            k += 1
    for e in range(len(memory)):
        memory[e, agent] = to[memory[e, agent]]
    return k


@kernel
def merge_memories(memory, state, mass, agent, counts, size, tolerance, to):
    """Which memories of an agent say the same of the others and the state: `to` their class; how many classes."""
    entries, n = memory.shape
    count, wide = counts[agent], size
    for i in range(n):
        if i != agent:
            wide *= counts[i]
    rest, keys = np.empty(entries, np.int64), np.empty(entries, np.int64)
    start, total = np.zeros(count + 1, np.int64), np.zeros(count)
    for e in range(entries):
        key = 0
        for i in range(n):
            if i != agent:
                key = key * counts[i] + memory[e, i]
        rest[e] = key * size + state[e]
        keys[e] = memory[e, agent] * wide + rest[e]
        start[memory[e, agent] + 1] += 1
        total[memory[e, agent]] += mass[e]
    order = sorted_order(keys)
    for c in range(count):
        start[c + 1] += start[c]
    first, classes = np.empty(count, np.int64), 0
    for c in range(count):
        to[c] = -1
        for k in range(classes):
            d = first[k]
            if start[d + 1] - start[d] != start[c + 1] - start[c]:
                continue
            same = True
            for x in range(start[c + 1] - start[c]):
                e, f = order[start[c] + x], order[start[d] + x]
                if rest[e] != rest[f] or abs(mass[e] / total[c] - mass[f] / total[d]) > tolerance:
                    same = False
                    break
            if same:
                to[c] = k
                break
        if to[c] < 0:
            to[c] = classes
            first[classes] = c
            classes += 1
    return classes


@kernel
def canonical_places(memory, state, mass, counts, weight, places):
    """places[i, c]: where memory c of agent i stands in an order that does not depend on how memories were numbered.

    Memories are sorted by a number made of what they say of the state and of the others. Those with equal numbers keep
    their order, so that two names of one occupancy may remain two: that costs time and nothing else.
    """
    entries, n = memory.shape
    most = 0
    for i in range(n):
        most = max(most, counts[i])
    share, plain, mark = np.zeros((n, most)), np.zeros((n, most)), np.zeros((n, most))
    for e in range(entries):
        for i in range(n):
            share[i, memory[e, i]] += mass[e]
            plain[i, memory[e, i]] += mass[e] * weight[state[e]]
    for e in range(entries):
        for i in range(n):
            x = weight[state[e]]
            for k in range(n):
                if k != i:
                    c = memory[e, k]
                    x *= 1.0 + plain[k, c] / share[k, c] + 0.7 * share[k, c] * (k + 1)
            mark[i, memory[e, i]] += mass[e] * x
    for i in range(n):
        keys = np.empty(counts[i], np.int64)
        for c in range(counts[i]):
            keys[c] = np.int64(np.floor(1e8 * (mark[i, c] / share[i, c] + 0.3 * share[i, c]) + 0.5))
        order = sorted_order(keys)
        for c in range(counts[i]):
            places[i, order[c]] = c


@kernel
def occupancy(memory, state, mass, counts, size, tolerance, weight, to):
    """Normalise, merge memories with equal futures, number them canonically.

    counts [n] is changed to how many memories are left, and to [n, most] says which of them each memory has become
    (-1: it does not occur). Returns (total mass, joint memories [J, n], where their entries begin [J+1], states,
    masses).
    """
    n = memory.shape[1]
    before = counts.copy()
    memory, state, mass = gathered(memory, state, mass, counts, size)
    total = mass.sum()
    for e in range(len(mass)):
        mass[e] /= total
    for i in range(n):
        counts[i] = number_memories(memory, i, before[i], to[i])
    into = np.empty(to.shape[1], np.int64)
    quiet, agent = 0, 0
    while quiet < n:
        left = merge_memories(memory, state, mass, agent, counts, size, tolerance, into)
        if left < counts[agent]:
            for c in range(before[agent]):
                if to[agent, c] >= 0:
                    to[agent, c] = into[to[agent, c]]
            for e in range(len(mass)):
                memory[e, agent] = into[memory[e, agent]]
            counts[agent] = left
            memory, state, mass = gathered(memory, state, mass, counts, size)
            quiet = 0
        quiet += 1
        agent = (agent + 1) % n
    places = np.empty((n, to.shape[1]), np.int64)
    canonical_places(memory, state, mass, counts, weight, places)
    for i in range(n):
        for c in range(before[i]):
            if to[i, c] >= 0:
                to[i, c] = places[i, to[i, c]]
        for e in range(len(mass)):
            memory[e, i] = places[i, memory[e, i]]
    memory, state, mass = gathered(memory, state, mass, counts, size)
    joint, first = 0, np.empty(len(mass) + 1, np.int64)
    for e in range(len(mass)):
        fresh = e == 0
        for i in range(n):
            fresh = fresh or memory[e, i] != memory[e - 1, i]
        if fresh:
            first[joint] = e
            joint += 1
    first[joint] = len(mass)
    memories = np.empty((joint, n), np.int64)
    for j in range(joint):
        for i in range(n):
            memories[j, i] = memory[first[j], i]
    return total, memories, first[: joint + 1].copy(), state, mass
