"""The value of models that never end, by vectors over states: value iteration with nothing lost in pruning."""

import numpy as np
from scipy.optimize import linprog
from verify_pomdps import spread


def pruned(vectors):
    """The places of the vectors that are best at some belief (up to 1e-10)."""
    _, first = np.unique(vectors.round(12), axis=0, return_index=True)
    kept = [k for k in first if not any((vectors[j] >= vectors[k]).all() for j in first if j != k)]
    return _envelope(vectors, kept) if vectors.shape[1] == 2 else _useful(vectors, kept)


def _envelope(vectors, places):
    """For two states the vectors are lines over [0, 1]: those on the upper envelope."""
    at, kept = 0.0, [max(places, key=lambda k: (vectors[k, 0], vectors[k, 1]))]
    while True:
        line, rising = vectors[kept[-1]], []
        for k in places:
            gain, lost = vectors[k, 1] - line[1], line[0] - vectors[k, 0]
            if gain > 0 and lost >= 0:
                rising.append((lost / (lost + gain), -gain, k))
        if not rising:
            return kept
        at, _, best = min(rising)
        kept.append(best)


def _useful(vectors, places):
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
        if -told.fun > 1e-10:
            kept.append(k)
    return kept


def vectors(model, tolerance=1e-8):
    """(vectors, action place of each, successor of each by observation, error): a fixed point nearly reached."""
    size, g = len(model["states"]), model["discount"]
    rewards = np.array([[reward for reward, _ in rows] for _, rows in model["states"]])
    lead = np.zeros((2, 2, size, size))  # [action, observation, state, next]
    for s, (_, rows) in enumerate(model["states"]):
        for a, (_, outcomes) in enumerate(rows):
            for z, after in spread(model, [(1.0, outcomes)]).items():
                for t, p in after.items():
                    lead[a, z, s, t] = p
    found = np.full((1, size), rewards.min() / (1 - g))
    while True:
        fresh, how = [], []
        for a in (0, 1):
            one, two = (g * found @ lead[a, z].T for z in (0, 1))
            k, m = pruned(one), pruned(two)
            cross = rewards[:, a] + (one[k][:, None] + two[m][None]).reshape(-1, size)
            fresh.append(cross)
            how += [(a, (i, j)) for i in k for j in m]
        every = np.concatenate(fresh)
        kept = pruned(every)
        before, found = found, every[kept]
        how = [how[k] for k in kept]
        moved = _moved(before, found)
        if moved * g / (1 - g) < tolerance:
            return found, how, before


def _moved(before, after):
    """A bound on how much the value may still have changed, at any belief."""
    up = max(min((v - w).max() for w in before) for v in after)
    down = max(min((w - v).max() for v in after) for w in before)
    return max(up, down, 0.0)
