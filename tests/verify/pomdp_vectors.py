"""The value of models that never end, by vectors over states: value iteration with nothing lost in pruning."""

import itertools

import numpy as np
from scipy.optimize import linprog

from tests.verify.pomdps import spread


def pruned(vectors, slack):
    """The places of the vectors that are best at some belief by more than the slack."""
    _, first = np.unique(vectors.round(12), axis=0, return_index=True)
    kept = [int(k) for k in first if (vectors[first] >= vectors[k]).all(axis=1).sum() == 1]
    return _envelope(vectors, kept, slack) if vectors.shape[1] == 2 else _useful(vectors, kept, slack)


def _envelope(vectors, places, slack):
    """For two states the vectors are lines over [0, 1]: those on the upper envelope, less the hardly useful."""
    dropped, kept = False, [max(places, key=lambda k: (vectors[k, 0], vectors[k, 1]))]
    while True:
        lost = vectors[kept[-1], 0] - vectors[places, 0]
        gain = vectors[places, 1] - vectors[kept[-1], 1]
        crossing = np.where(gain > 0, lost / np.where(gain > 0, lost + gain, 1.0), 2.0)
        if crossing.min() > 1:
            return kept
        best = places[int(np.lexsort((-gain, crossing))[0])]
        dropped = not dropped and len(kept) > 1 and _gain(*vectors[[kept[-2], kept[-1], best]]) < slack
        if dropped:  # never two in a row: the slack is lost once at each belief
            kept.pop()
        kept.append(best)


def _gain(left, line, right):
    """How much a line adds above its neighbours: most where those cross."""
    at = (left[0] - right[0]) / (left[0] - right[0] + right[1] - left[1])
    return (line - left) @ [1 - at, at]


def _useful(vectors, places, slack):
    """With more states: seeds that win at sampled beliefs, then a linear programme for each other vector."""
    rng = np.random.default_rng(0)
    samples = rng.dirichlet([0.5] * vectors.shape[1], 500)
    kept = sorted({places[k] for k in (samples @ vectors[places].T).argmax(axis=1)})
    rest = [k for k in places if k not in kept]
    for k in rest:
        wins = np.hstack([vectors[kept] - vectors[k], np.ones((len(kept), 1))])  # b (v - kept) >= gain
        simplex = np.append(np.ones(vectors.shape[1]), 0.0)[None]
        bounds = [(0, None)] * vectors.shape[1] + [(None, None)]
        told = linprog(-np.eye(vectors.shape[1] + 1)[-1], wins, np.zeros(len(kept)), simplex, [1.0], bounds)
        if -told.fun > slack:
            kept.append(k)
    return kept


def vectors(model):
    """(vectors, [(action place, successors by observation)], the vectors these are among).

    At every belief the largest of them is at most the best value, and less than 1e-6 below it.
    """
    size, g = len(model["states"]), model["discount"]
    rewards = np.array([[reward for reward, _ in rows] for _, rows in model["states"]])
    lead = np.zeros((rewards.shape[1], 2, size, size))  # [action, observation, state, next]
    for s, (_, rows) in enumerate(model["states"]):
        for a, (_, outcomes) in enumerate(rows):
            for z, after in spread([(1.0, outcomes)]).items():
                for t, p in after.items():
                    lead[a, z, s, t] = p
    slack = 1e-7 * (1 - g)  # lost up to three times a step: less than 4e-7 in all
    found, left = np.full((1, size), rewards.min() / (1 - g)), np.ptp(rewards) / (1 - g)
    while True:
        every, how = [], []
        for a in range(len(lead)):
            one, two = (g * found @ lead[a, z].T for z in (0, 1))
            pairs = list(itertools.product(pruned(one, slack), pruned(two, slack)))
            every += [rewards[:, a] + one[i] + two[j] for i, j in pairs]
            how += [(a, pair) for pair in pairs]
        kept = pruned(np.array(every), slack)
        before, found = found, np.array(every)[kept]
        left *= g
        if left < 2e-7:
            return found, [how[k] for k in kept], before
