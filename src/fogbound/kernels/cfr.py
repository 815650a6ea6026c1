"""Counterfactual regret minimisation, compiled: whole sweeps on the sequence form.

Regrets and averages of all players stand in one array each, by *slot*: a player's sequences from `offset[i]`
on. A player's sets are listed parents first; set h hangs below slot parent[h] and owns slots
first[h] .. first[h]+size[h]-1.
"""

from __future__ import annotations

from fogbound.kernels.kernel import kernel

VANILLA, PLUS, DISCOUNTED, PREDICTIVE = 0, 1, 2, 3


@kernel
def sweep(
    first_iteration,
    iterations,
    kind,
    alternating,
    powers,  # alpha, beta, gamma: how DISCOUNTED fades regrets and averages; gamma is everybody's averaging
    plex_of,  # [n+1] the sets of player i: plex_of[i] .. plex_of[i+1]-1
    offset,  # [n+1] the slots of player i
    parent,  # [H] slot
    first,  # [H] slot
    size,  # [H]
    end_of,  # [K, n] slot of each player at each combination that ends
    payoff,  # [K, n]
    regret,  # [Q]
    hint,  # [Q] the last instantaneous regrets (PREDICTIVE), else zeros
    average,  # [Q] realisation weights, summed
    behaviour,  # [Q] what is played now
    weight,  # [Q] its realisation weights
    gain,  # [Q] work space
):
    """`iterations` iterations from number `first_iteration` (1 is the first) on."""
    n = payoff.shape[1]
    alpha, beta, gamma = powers
    for t in range(first_iteration, first_iteration + iterations):
        fade_up = t**alpha / (t**alpha + 1.0)
        fade_down = t**beta / (t**beta + 1.0)
        for me in range(n):
            for q in range(offset[me], offset[me + 1]):
                gain[q] = 0.0
            _end(me, end_of, payoff, weight, gain)
            sets = range(plex_of[me + 1] - 1, plex_of[me] - 1, -1)
            _regret(kind, fade_up, fade_down, sets, parent, first, size, gain, behaviour, regret, hint)
            if alternating:
                _play_on(t**gamma, me, plex_of, offset, parent, first, size, regret, hint, average, behaviour, weight)
        if not alternating:
            for me in range(n):
                _play_on(t**gamma, me, plex_of, offset, parent, first, size, regret, hint, average, behaviour, weight)


@kernel
def _end(me, end_of, payoff, weight, gain):
    """What ending at each of my sequences brings."""
    n = payoff.shape[1]
    if n == 2:
        other = 1 - me
        for e in range(len(end_of)):
            gain[end_of[e, me]] += payoff[e, me] * weight[end_of[e, other]]
    else:
        for e in range(len(end_of)):
            w = payoff[e, me]
            for i in range(n):
                if i != me:
                    w *= weight[end_of[e, i]]
            gain[end_of[e, me]] += w


@kernel
def _regret(kind, fade_up, fade_down, sets, parent, first, size, gain, behaviour, regret, hint):
    """Values upwards through my sets, the last first, and regrets on the way."""
    for h in sets:
        value = 0.0
        for q in range(first[h], first[h] + size[h]):
            value += behaviour[q] * gain[q]
        gain[parent[h]] += value
        for q in range(first[h], first[h] + size[h]):
            news = gain[q] - value
            if kind == VANILLA:
                regret[q] += news
            elif kind == DISCOUNTED:
                # Brown and Sandholm 2019: fade after adding, as their equation (1)
                total = regret[q] + news
                regret[q] = total * (fade_up if total > 0.0 else fade_down)
            else:
                regret[q] = max(regret[q] + news, 0.0)
                if kind == PREDICTIVE:
                    hint[q] = news


@kernel
def _play_on(share, me, plex_of, offset, parent, first, size, regret, hint, average, behaviour, weight):
    """Add what was played to the average with weight `share`, then play by the new regrets (and the hint)."""
    for q in range(offset[me], offset[me + 1]):
        average[q] += share * weight[q]
    for h in range(plex_of[me], plex_of[me + 1]):
        total = 0.0
        for q in range(first[h], first[h] + size[h]):
            behaviour[q] = max(regret[q] + hint[q], 0.0)
            total += behaviour[q]
        above = weight[parent[h]]
        for q in range(first[h], first[h] + size[h]):
            behaviour[q] = behaviour[q] / total if total > 0.0 else 1.0 / size[h]
            weight[q] = above * behaviour[q]
