"""Outcome sampling with baselines (VR-MCCFR): the kernel against plain Python, right on average, and less varied."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

from fogbound import forms
from fogbound.compiled.draws import uniform
from fogbound.driver.protocol import Context, Until
from fogbound.forms.tree import CHANCE, END
from fogbound.games import make
from fogbound.solvers import make as make_solver
from fogbound.solvers.regret.minimiser import SamplingState, sequence_layout
from tests.run import solve

SPEC = "mccfr(sampling=outcome, baseline=0.5)"
EXPLORE = 0.6


class Plain:
    """Baseline-corrected outcome sampling, move by move, with strategies that stay as they are within a sample."""

    def __init__(self, form, regret, baseline):
        self.tree, self.regret, self.baseline = form.tree, regret, baseline
        context = Context(np.random.default_rng(0))
        self.first = SamplingState.on(form, sequence_layout(form), context).shape[2].tolist()

    def children(self, v):
        return range(self.tree.child[v], self.tree.child[v + 1])

    def strategy(self, v):
        """What the mover, or chance, does at a node."""
        if self.tree.mover[v] == CHANCE:
            return [float(self.tree.prob[c]) for c in self.children(v)]
        q, size = self.first[v], len(self.children(v))
        wish = [max(float(r), 0.0) for r in self.regret[q : q + size]]
        total = sum(wish)
        return [w / total if total > 0 else 1 / size for w in wish]

    def sampling(self, v, traverser):
        """How moves are sampled there."""
        chances = self.strategy(v)
        mix = EXPLORE if self.tree.mover[v] == traverser else 0.0
        return [(1 - mix) * p + mix / len(chances) for p in chances]

    def histories(self, traverser, v=0, chance=1.0, path=(0,)):
        """(a history, with which probability it is sampled)"""
        if self.tree.mover[v] == END:
            yield path, chance
            return
        for c, p in zip(self.children(v), self.sampling(v, traverser)):
            if p > 0:
                yield from self.histories(traverser, c, chance * p, (*path, c))

    def estimates(self, path, traverser):
        """By sequence, the regrets that a sampled history adds; and by node, its sampled value."""
        own, values, added = 1.0, {path[-1]: float(self.tree.payoff[path[-1], traverser])}, defaultdict(float)
        shares = []
        for v, c in pairwise(path):
            shares.append(own)
            if self.tree.mover[v] == traverser:
                own *= self.sampling(v, traverser)[c - self.tree.child[v]]
        for v, c, share in reversed(list(zip(path, path[1:], shares))):
            chosen, sampled = self.strategy(v), self.sampling(v, traverser)
            corrected = [float(self.baseline[child, traverser]) for child in self.children(v)]
            k = c - self.tree.child[v]
            corrected[k] += (values[c] - corrected[k]) / sampled[k]
            values[v] = sum(p * worth for p, worth in zip(chosen, corrected))
            if self.tree.mover[v] == traverser:
                for a, worth in enumerate(corrected):
                    added[self.first[v] + a] += (worth - values[v]) / share
        return added, values

    def exact(self, traverser):
        """The counterfactual regrets themselves."""
        found = defaultdict(float)

        def walk(v, others):
            if self.tree.mover[v] == END:
                return float(self.tree.payoff[v, traverser])
            mine, chances = self.tree.mover[v] == traverser, self.strategy(v)
            worths = [walk(c, others if mine else others * p) for c, p in zip(self.children(v), chances)]
            value = sum(p * worth for p, worth in zip(chances, worths))
            for a, worth in enumerate(worths if mine else ()):
                found[self.first[v] + a] += others * (worth - value)
            return value

        walk(0, 1.0)
        return found

    def variance(self, traverser):
        """Of all regrets that a sample adds, in total: exactly, over all histories."""
        squares, mean = 0.0, defaultdict(float)
        for path, chance in self.histories(traverser):
            added, _ = self.estimates(path, traverser)
            squares += chance * sum(r * r for r in added.values())
            for q, r in added.items():
                mean[q] += chance * r
        return squares - sum(m * m for m in mean.values())


def learnt(form, iterations, seed=0):
    """Arrays of a run of the kernel."""
    context = Context(np.random.default_rng(seed), most=iterations)
    for progress in make_solver(SPEC).run(form, context):
        if progress.iteration >= iterations:
            return context.arrays
    raise AssertionError


@pytest.mark.parametrize("game", ["kuhn", "random(seed=5, seats=3, depth=2)", "goofspiel(cards=2)"])
def test_whatever_the_baseline_estimates_are_right_on_average(game):
    form, rng = forms.sequence(make(game)), np.random.default_rng(1)
    plain = Plain(form, rng.normal(size=form.size), rng.normal(size=form.tree.payoff.shape))
    for traverser in range(len(form.players)):
        mean = defaultdict(float)
        for path, chance in plain.histories(traverser):
            for q, added in plain.estimates(path, traverser)[0].items():
                mean[q] += chance * added
        exact = plain.exact(traverser)
        assert mean.keys() == exact.keys()
        assert all(math.isclose(mean[q], exact[q], abs_tol=1e-12) for q in exact)


def test_the_kernel_is_the_plain_version():
    """With the same random numbers, regrets and baselines are the same, sample by sample."""
    form, iterations = forms.sequence(make("kuhn")), 40
    found = learnt(form, iterations, seed=3)
    state = np.array([np.random.default_rng(3).integers(0, 2**63)], np.int64)
    plain = Plain(form, np.zeros(form.size), np.zeros(form.tree.payoff.shape))
    for _ in range(iterations):
        for traverser in range(2):
            path = [0]
            while plain.tree.mover[path[-1]] != END:
                point, chances = uniform(state), plain.sampling(path[-1], traverser)
                k = next((k for k, edge in enumerate(np.cumsum(chances)) if point < edge), len(chances) - 1)
                path.append(plain.children(path[-1])[k])
            added, values = plain.estimates(path, traverser)
            for c in path[1:]:
                plain.baseline[c, traverser] += 0.5 * (values[c] - plain.baseline[c, traverser])
            for q, more in added.items():
                plain.regret[q] += more
    assert found["regret"] == pytest.approx(plain.regret, abs=1e-9)
    assert found["baseline"] == pytest.approx(plain.baseline, abs=1e-9)


@pytest.mark.parametrize("game", ["kuhn", "card-poker(ranks=4)"])
def test_learnt_baselines_make_estimates_vary_less(game):
    """Half of the variance at most, at the strategies of the same run."""
    form = forms.sequence(make(game))
    found = learnt(form, 3_000)
    with_it, without = (
        Plain(form, found["regret"], found["baseline"]),
        Plain(form, found["regret"], 0 * found["baseline"]),
    )
    for traverser in range(2):
        assert with_it.variance(traverser) < without.variance(traverser) / 2


def test_baselines_reach_a_gap_of_kuhn_poker_sooner():
    form, until = forms.sequence(make("kuhn")), Until(gap=0.02, iterations=200_000)
    steps = {spec: solve(make_solver(spec), form, until).iterations for spec in (SPEC, "mccfr(sampling=outcome)")}
    assert steps[SPEC] < steps["mccfr(sampling=outcome)"] < 200_000
