"""The stage as a Bayesian game, compiled: types are memories, and a rule gives each type an action (or a plan).

payoff [J, F, L]: what joint memory j brings under each joint choice of all agents but the last (F of them) and each
choice of the last (L). `digit` [F, n-1] is what each agent chooses in a joint choice, `worth` [n-1] how many joint
choices lie between two choices of an agent. `rule` [offset[n]] holds the choice at each memory, -1 where it is open
yet.

An open choice may differ with the others' memories, which can only help: for each memory of the last agent its best
choice, where the others choose with each joint memory anew, sum_{c2} max_{a2} sum_{c1} max_{a1}. Payoffs may be moved
between the joint memories of one memory of one agent and one choice of it without changing what any rule brings;
`tightened` moves them so that the bound falls (max-sum diffusion over stars; Kovalevsky and Koval, Werner 2007).
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel


@kernel
def open_payoff(payoff, j, free):
    """free[j, b]: the most that a joint memory brings with each choice of the last agent."""
    _, front, last = payoff.shape
    for b in range(last):
        most = payoff[j, 0, b]
        for x in range(1, front):
            most = max(most, payoff[j, x, b])
        free[j, b] = most


@kernel
def tightened(payoff, memory, digit, choices, offset, sweeps, least, free):
    """Move payoffs until a sweep gains less than `least`, in at most so many sweeps; the bound that is reached.

    choices [n]: how many there are of each agent. With three agents and more a sweep may lose; it is taken back then.
    """
    joint, _, last = payoff.shape
    n = memory.shape[1]
    stars = np.zeros((offset[n] - offset[n - 1], last))
    for j in range(joint):
        open_payoff(payoff, j, free)
    bound = _summed(memory, free, stars)
    at, found = np.empty(joint, np.int64), np.empty((joint, choices.max()))
    for _ in range(sweeps):
        saved = payoff.copy() if n > 2 else payoff
        for i in range(n - 1):
            for c in range(offset[i + 1] - offset[i]):
                count = 0
                for j in range(joint):
                    if memory[j, i] == c:
                        at[count] = j
                        count += 1
                _diffuse(payoff, memory, digit[:, i], choices[i], at[:count], stars, free, found)
        reached = _summed(memory, free, stars)
        if n > 2 and reached > bound:
            payoff[:] = saved
            for j in range(joint):
                open_payoff(payoff, j, free)
            break
        gained, bound = bound - reached, min(bound, reached)
        if gained < least:
            break
    return bound


@kernel
def _diffuse(payoff, memory, digit, choices, at, stars, free, found):
    """Give a memory's choices the same worth in each of its joint memories `at`, on average as before."""
    _, front, last = payoff.shape
    n = memory.shape[1]
    for k in range(len(at)):
        j = at[k]
        d = memory[j, n - 1]
        for a in range(choices):
            found[k, a] = -np.inf
        for x in range(front):
            for b in range(last):
                found[k, digit[x]] = max(found[k, digit[x]], payoff[j, x, b] + stars[d, b] - free[j, b])
    for a in range(choices):
        mean = 0.0
        for k in range(len(at)):
            mean += found[k, a] / len(at)
        for k in range(len(at)):
            found[k, a] = mean - found[k, a]
    for k in range(len(at)):
        j = at[k]
        d = memory[j, n - 1]
        for x in range(front):
            for b in range(last):
                payoff[j, x, b] += found[k, digit[x]]
        for b in range(last):
            stars[d, b] -= free[j, b]
        open_payoff(payoff, j, free)
        for b in range(last):
            stars[d, b] += free[j, b]


@kernel
def _summed(memory, free, stars):
    """Fill `stars`, what each memory of the last agent brings by its choice; the sum of the best choice at each."""
    stars[:] = 0.0
    for j in range(len(memory)):
        for b in range(stars.shape[1]):
            stars[memory[j, -1], b] += free[j, b]
    total = 0.0
    for d in range(len(stars)):
        best = stars[d, 0]
        for b in range(1, stars.shape[1]):
            best = max(best, stars[d, b])
        total += best
    return total


@kernel
def _add(payoff, free, memory, digit, worth, offset, rule, j, star):
    """Add to `star` [L] what a joint memory brings with each choice of the last agent, by what the others chose."""
    front, last = payoff.shape[1], payoff.shape[2]
    n = memory.shape[1]
    chosen, x = 0, 0
    for i in range(n - 1):
        a = rule[offset[i] + memory[j, i]]
        if a >= 0:
            chosen += 1
            x += a * worth[i]
    if chosen == n - 1:
        for b in range(last):
            star[b] += payoff[j, x, b]
    elif chosen == 0:
        for b in range(last):
            star[b] += free[j, b]
    else:
        best = np.full(last, -np.inf)
        for x in range(front):
            fits = True
            for i in range(n - 1):
                a = rule[offset[i] + memory[j, i]]
                fits = fits and (a < 0 or a == digit[x, i])
            if fits:
                for b in range(last):
                    best[b] = max(best[b], payoff[j, x, b])
        for b in range(last):
            star[b] += best[b]


@kernel
def extended(payoff, free, memory, digit, worth, offset, rule, agent, cluster, bounds):
    """bounds [choices of the agent]: on the whole, if its memory `cluster` chose each.

    `rule` says what is chosen already.
    """
    joint, _, last = payoff.shape
    n = memory.shape[1]
    stars = np.zeros((offset[n] - offset[n - 1], last))
    for j in range(joint):
        if agent == n - 1 or memory[j, agent] != cluster:
            _add(payoff, free, memory, digit, worth, offset, rule, j, stars[memory[j, n - 1]])
    tried = np.empty_like(stars)
    for a in range(len(bounds)):
        rule[offset[agent] + cluster] = a
        tried[:] = stars
        if agent < n - 1:
            for j in range(joint):
                if memory[j, agent] == cluster:
                    _add(payoff, free, memory, digit, worth, offset, rule, j, tried[memory[j, n - 1]])
        bounds[a] = 0.0
        for d in range(len(tried)):
            b = rule[offset[n - 1] + d]
            bounds[a] += tried[d].max() if b < 0 else tried[d, b]
    rule[offset[agent] + cluster] = -1


@kernel
def complete_rule(payoff, free, memory, digit, worth, offset, rule):
    """Give every memory of the last agent its best choice, where all others have chosen; what the rule brings."""
    joint, _, last = payoff.shape
    n = memory.shape[1]
    stars = np.zeros((offset[n] - offset[n - 1], last))
    for j in range(joint):
        _add(payoff, free, memory, digit, worth, offset, rule, j, stars[memory[j, n - 1]])
    total = 0.0
    for d in range(len(stars)):
        best = 0
        for b in range(1, last):
            if stars[d, b] > stars[d, best]:
                best = b
        rule[offset[n - 1] + d] = best
        total += stars[d, best]
    return total


@kernel
def lowered(payoff, free, at, joint, by):
    """Lower what some joint memories bring under one joint choice each."""
    last = payoff.shape[2]
    for k in range(len(at)):
        payoff[at[k], joint[k] // last, joint[k] % last] -= by[k]
        open_payoff(payoff, at[k], free)
