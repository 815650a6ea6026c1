"""The loops of team search against plain references that follow the definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fogbound.forms.arrays import offsets
from fogbound.solvers.teams.kernels.bayesian_game import complete_rule, extended, tightened
from fogbound.solvers.teams.kernels.occupancy import occupancy, sorted_order


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_keys(seed):
    rng = np.random.default_rng(seed)
    keys = rng.integers(-5, 5, size=rng.integers(0, 40))
    assert np.array_equal(sorted_order(keys), np.argsort(keys, kind="stable"))


def random_stage(seed, agents):
    """(payoff, joint memories, choices of the front, counts of choices, offsets) of a Bayesian game."""
    rng = np.random.default_rng(seed)
    memories, counts = rng.integers(1, 4, size=agents), rng.integers(1, 4, size=agents)
    every = np.array(list(itertools.product(*map(range, memories))), np.int64)
    kept = every[rng.random(len(every)) < 0.8]
    kept = kept if len(kept) else every[:1]
    kept = np.stack([np.unique(column, return_inverse=True)[1] for column in kept.T], axis=1)
    lots = list(itertools.product(*map(range, counts[:-1])))
    front = np.array(lots, np.int64).reshape(len(lots), agents - 1)
    payoff = rng.normal(size=(len(kept), len(front), counts[-1]))
    return payoff, np.ascontiguousarray(kept), front, counts, offsets(kept.max(axis=0) + 1)


def worth(counts):
    return np.array([int(np.prod(counts[i + 1 : -1])) for i in range(len(counts) - 1)], np.int64)


def brings(payoff, memory, front, offset, rule):
    """What a rule brings, joint memory by joint memory."""
    total = 0.0
    for j, joint in enumerate(memory):
        chosen = [rule[offset[i] + c] for i, c in enumerate(joint)]
        (x,) = np.flatnonzero((front == chosen[:-1]).all(axis=1))
        total += payoff[j, x, chosen[-1]]
    return total


def rules(counts, offset):
    sizes = np.repeat(counts, np.diff(offset))
    return (np.array(rule, np.int64) for rule in itertools.product(*map(range, sizes)))


def plain_bound(payoff, memory, front, counts, offset, rule):
    """The sum over the last agent's memories, by the definition."""
    total = 0.0
    for d in range(offset[-1] - offset[-2]):
        best = -np.inf
        for b in range(counts[-1]):
            if rule[offset[-2] + d] not in (-1, b):
                continue
            star = 0.0
            for j, joint in enumerate(memory):
                if joint[-1] == d:
                    open_ = [rule[offset[i] + c] for i, c in enumerate(joint[:-1])]
                    fits = [all(a in (-1, e) for a, e in zip(open_, digit)) for digit in front]
                    star += payoff[j, fits, b].max()
            best = max(best, star)
        total += best
    return total


@pytest.mark.one_in(2)
@pytest.mark.parametrize("agents", [1, 2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_what_is_moved_changes_no_rule_and_bounds_them_all(agents, seed):
    payoff, memory, front, counts, offset = random_stage(seed, agents)
    before, free = payoff.copy(), np.empty((len(payoff), counts[-1]))
    loose = plain_bound(payoff, memory, front, counts, offset, np.full(offset[-1], -1))
    bound = tightened(payoff, memory, front, counts, offset, 20, 0.0, free)
    assert bound <= loose + 1e-9
    assert np.allclose(free, payoff.max(axis=1))
    for rule in itertools.islice(rules(counts, offset), 300):
        value = brings(before, memory, front, offset, rule)
        assert brings(payoff, memory, front, offset, rule) == pytest.approx(value, abs=1e-9)
        assert value <= bound + 1e-9


@pytest.mark.parametrize("agents", [1, 2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_bounds_of_half_chosen_rules(agents, seed):
    payoff, memory, front, counts, offset = random_stage(seed, agents)
    rng, free = np.random.default_rng(seed), payoff.max(axis=1)
    rule = np.full(offset[-1], -1)
    for place in rng.permutation(offset[-1])[: rng.integers(0, offset[-1])]:
        agent = int(np.searchsorted(offset, place, side="right")) - 1
        rule[place] = rng.integers(counts[agent])
    place = int(rng.choice(np.flatnonzero(rule < 0)))
    agent = int(np.searchsorted(offset, place, side="right")) - 1
    bounds = np.empty(counts[agent])
    extended(payoff, free, memory, front, worth(counts), offset, rule, agent, place - offset[agent], bounds)
    assert rule[place] == -1
    for choice, bound in enumerate(bounds):
        rule[place] = choice
        assert bound == pytest.approx(plain_bound(payoff, memory, front, counts, offset, rule), abs=1e-9)
        rule[place] = -1


@pytest.mark.parametrize("agents", [1, 2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_the_last_agent_answers_best(agents, seed):
    payoff, memory, front, counts, offset = random_stage(seed, agents)
    rng = np.random.default_rng(seed)
    rule = np.concatenate([rng.integers(counts[i], size=offset[i + 1] - offset[i]) for i in range(agents)])
    rule[offset[-2] :] = -1
    value = complete_rule(payoff, payoff.max(axis=1), memory, front, worth(counts), offset, rule)
    assert value == pytest.approx(brings(payoff, memory, front, offset, rule), abs=1e-9)
    last = [range(counts[-1])] * (offset[-1] - offset[-2])
    others = [np.concatenate([rule[: offset[-2]], answer]).astype(np.int64) for answer in itertools.product(*last)]
    assert value == pytest.approx(max(brings(payoff, memory, front, offset, other) for other in others), abs=1e-9)


def test_memories_that_know_the_same_are_one():
    """Split at random and named anew, an occupancy comes back as it was."""
    rng = np.random.default_rng(3)
    memory = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    state, mass = np.array([0, 1, 2, 0]), np.array([0.5, 0.25, 0.125, 0.125])
    weight = 0.5 + rng.random(3)

    def settled(memory, state, mass, counts):
        to = np.full((2, int(max(counts))), -1, np.int64)
        left = np.array(counts, np.int64)
        return left, to, occupancy(memory, state, mass, left, 3, 1e-11, weight, to)

    plain_counts, _, plain = settled(memory.copy(), state, mass.copy(), [2, 2])
    split = np.concatenate([memory * [2, 1], memory * [2, 1] + [1, 0]])
    twice = np.concatenate([mass * 0.25, mass * 0.75])
    counts, to, merged = settled(split, np.concatenate([state, state]), twice, [4, 2])
    assert np.array_equal(counts, plain_counts)
    assert to[0, 0] == to[0, 1] != to[0, 2] == to[0, 3]
    assert all(np.allclose(a, b) for a, b in zip(merged[1:], plain[1:]))
