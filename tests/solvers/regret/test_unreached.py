"""Where no average is defined, the CFR family plays its current strategy, and nothing that is reported changes."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound import evaluation, forms
from fogbound.driver.protocol import Context, Until
from fogbound.games import make
from fogbound.policies import Tabular
from fogbound.solvers import make as make_solver
from fogbound.solvers.regret.minimiser import sequence_layout
from tests.run import solve


def pure(form, player):
    """Always the last move: who bets never answers a bet after a check."""
    plex = form.plexes[player]
    behaviour = np.zeros(plex.sequences)
    behaviour[0] = behaviour[plex.first + plex.size - 1] = 1.0
    return Tabular(form.decisions, player, behaviour)


@pytest.mark.parametrize("spec", ["cfr-plus", "dcfr", "predictive-cfr", "pdcfr-plus", "cfr(sampling=full)"])
def test_what_a_start_never_does_is_played_as_it_stands(spec):
    """A run that begins from pure strategies has no average below what they leave out: it plays by its regrets."""
    form = forms.sequence(make("kuhn"))
    start = {i: pure(form, i) for i in (0, 1)}
    found = solve(make_solver(spec), form, Until(iterations=1), start=start)
    context = Context(np.random.default_rng(0), most=1)
    context.arrays.update(make_solver(spec).warm(form, start))
    run = make_solver(spec).run(form, context)
    next(run)
    layout, met = sequence_layout(form), 0
    split = zip(form.plexes, *(layout.split(context.arrays[name]) for name in ("average", "behaviour")))
    for player, (plex, average, current) in enumerate(split):
        played, even = found.profile[player].behaviour, plex.behaviour(average)
        for first, size in zip(plex.first, plex.size):
            at = slice(first, first + size)
            if average[at].sum() == 0:
                met += 1
                assert played[at].tolist() == current[at].tolist() != plex.uniform[at].tolist()
            else:
                assert played[at].tolist() == even[at].tolist()
    assert met
    uniform = [plex.behaviour(average) for plex, average in zip(form.plexes, layout.split(context.arrays["average"]))]
    measured = evaluation.exploitability(form, uniform)
    assert found.certified == "both"
    assert (found.value, found.upper) == (pytest.approx(measured.values[0]), pytest.approx(measured.best[0]))


@pytest.mark.parametrize("spec", ["mccfr", "mccfr(sampling=outcome)", "cfr"])
def test_sampled_runs_play_by_regrets_where_nothing_was_averaged(spec):
    form, many = forms.sequence(make("leduc")), 40
    context = Context(np.random.default_rng(2), most=many)
    for progress in make_solver(spec).run(form, context):
        if progress.iteration >= many:
            break
    layout, met = sequence_layout(form), 0
    profile = progress.profile()
    for player, plex in enumerate(form.plexes):
        regret, average = (layout.split(context.arrays[name])[player] for name in ("regret", "average"))
        for first, size in zip(plex.first, plex.size):
            at = slice(first, first + size)
            wish = np.maximum(regret[at], 0.0)
            if average[at].sum() == 0:
                met += bool(wish.sum() > 0)
                expected = wish / wish.sum() if wish.sum() > 0 else np.full(size, 1 / size)
                assert profile[player].behaviour[at] == pytest.approx(expected)
    assert met or spec == "cfr"  # chance sampling averages wherever it learns


def test_an_answer_of_mccfr_is_certified_with_it():
    found = fb.solve("kuhn", "mccfr", iterations=30)
    assert found.certified == "both"
    assert fb.verify(found)
