"""Random Markov games from arrays, for tests of solvers."""

from __future__ import annotations

import numpy as np

import fogbound as fb
from fogbound import forms


def markov_form(transition, reward, discount, **options):
    """The Markov game of some arrays."""
    return forms.markov(fb.markov_game(transition, reward, discount, **options))


def random_game(seed, players=2, states=4, actions=3, discount=0.95, zero_sum=False):
    """All states may follow every joint action; rewards are normal."""
    rng = np.random.default_rng(seed)
    shape = (states, *(actions,) * players)
    transition = rng.exponential(size=(*shape, states))
    transition /= transition.sum(axis=-1, keepdims=True)
    reward = rng.normal(size=shape if zero_sum else (players, *shape))
    return markov_form(transition, reward, discount)


def ring_game(seed, states=60, actions=3, discount=0.99):
    """Only neighbours follow: information travels slowly, the hard case."""
    rng = np.random.default_rng(seed)
    shape = (states, actions, actions)
    transition = np.zeros((*shape, states))
    for s in range(states):
        share = rng.random(shape[1:])
        transition[s, :, :, (s - 1) % states] = share
        transition[s, :, :, (s + 1) % states] = 1 - share
    return markov_form(transition, rng.uniform(-1, 1, shape), discount)
