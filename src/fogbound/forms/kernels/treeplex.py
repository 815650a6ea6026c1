"""Sweeps over one player's information sets: realisation weights down, best replies up.

A player's sets stand parents first. Sequence 0 is the empty one; set h owns the sequences
first[h] .. first[h]+size[h]-1 and hangs below sequence parent[h].
"""

from __future__ import annotations

from fogbound.compiled.kernel import kernel


@kernel
def realise(parent, first, size, behaviour, weight):
    """weight[q] = probability that the player alone gives to all actions of sequence q."""
    weight[0] = 1.0
    for h in range(len(parent)):
        for q in range(first[h], first[h] + size[h]):
            weight[q] = weight[parent[h]] * behaviour[q]


@kernel
def respond(parent, first, size, gain, choice):
    """Best reply: `gain[q]` is what ending at sequence q brings, and is overwritten with the value of q.

    choice[h] becomes the best move (the first of equals). Returns the value of the empty sequence.
    """
    for h in range(len(parent) - 1, -1, -1):
        best = first[h]
        for q in range(first[h] + 1, first[h] + size[h]):
            if gain[q] > gain[best]:
                best = q
        choice[h] = best - first[h]
        gain[parent[h]] += gain[best]
    return gain[0]


@kernel
def gains(ends, payoff, weights, offsets, player, gain):
    """gain[q] = sum over the ends at my sequence q of payoff times what the others' sequences weigh.

    `weights` holds all players' realisation weights one after the other, from `offsets[i]` on.
    """
    n = ends.shape[1]
    for e in range(len(ends)):
        w = payoff[e, player]
        for i in range(n):
            if i != player:
                w *= weights[offsets[i] + ends[e, i]]
        gain[ends[e, player]] += w
