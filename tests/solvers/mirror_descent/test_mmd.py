"""Magnetic mirror descent against its equation written plainly, against the logit path, and towards Nash equilibria."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core.errors import FormError, SpecError
from fogbound.evaluation.exploitability import behaviour
from fogbound.solvers.mirror_descent.mmd import Iterates

ZERO_SUM = ["kuhn", "king-ace", "rock-paper-scissors(biased=true)", "horizon(game=competitive-tiger, steps=2)"]


def weights(form, solution):
    return [plex.weights(behaviour(form, i, solution.profile[i])) for i, plex in enumerate(form.plexes)]


@pytest.mark.parametrize("agent", [True, False])
@pytest.mark.parametrize("rationality", [0.5, 2.0])
@pytest.mark.parametrize("spec", ZERO_SUM)
def test_the_limit_is_the_logit_equilibrium_of_the_same_rationality(spec, rationality, agent):
    given = f"rationality={rationality}, agent={str(agent).lower()}"
    found = fb.solve(spec, f"mmd({given})", certify=False)
    expected = fb.solve(spec, f"quantal-response({given})", certify=False)
    assert found.stopped == "finished"
    assert found.details["residual"] <= 1e-12
    form = forms.sequence(fb.game(spec))
    for mine, theirs in zip(weights(form, found), weights(form, expected)):
        assert mine == pytest.approx(theirs, abs=1e-6)


def plain_step(form, chance, behaviours, rationality, eta, agent, dual):
    """One iteration of the paper's equation, one set at a time."""
    new = []
    for i, plex in enumerate(form.plexes):
        others = [p.weights(b) for p, b in zip(form.plexes, behaviours)]
        product = np.prod([others[j][form.ends[:, j]] for j in range(len(others)) if j != i], axis=0)
        gain, reach = np.zeros(plex.sequences), np.zeros(plex.sequences)
        np.add.at(gain, form.ends[:, i], product * form.payoff[:, i])
        np.add.at(reach, form.ends[:, i], product * chance)
        if agent:
            for h in reversed(range(len(plex.parent))):
                own = slice(plex.first[h], plex.first[h] + plex.size[h])
                gain[plex.parent[h]] += behaviours[i][own] @ gain[own]
                reach[plex.parent[h]] += behaviours[i][own] @ reach[own]
            gain = np.divide(gain, reach, out=np.zeros_like(gain), where=reach > 0)
        dual[i] = (dual[i] + eta * gain) / (1 + eta / rationality)
        new.append(plain_softmax(plex, dual[i], agent))
    return new


def plain_softmax(plex, dual, agent):
    """At each set, of its own sequences, or of the plans that begin there."""
    value, chosen = dual.copy(), np.ones(plex.sequences)
    for h in reversed(range(len(plex.parent))):
        own = slice(plex.first[h], plex.first[h] + plex.size[h])
        total = np.exp(value[own]).sum()
        chosen[own] = np.exp(value[own]) / total
        if not agent:
            value[plex.parent[h]] += np.log(total)
    return chosen


@pytest.mark.parametrize("agent", [True, False])
@pytest.mark.parametrize("spec", ["kuhn", "kuhn(seats=3)", "horizon(game=random-posg, steps=2)", "selten-horse"])
def test_kernels_follow_the_equation(spec, agent):
    form, rationality, eta = forms.sequence(fb.game(spec)), 1.5, 0.3
    iterates = Iterates.on(form, True)
    chance = iterates.chance[:, 0]
    dual = [np.zeros(p.sequences) for p in form.plexes]
    behaviours = [plain_softmax(p, d, agent) for p, d in zip(form.plexes, dual)]
    for _ in range(7):
        behaviours = plain_step(form, chance, behaviours, rationality, eta, agent, dual)
    share = eta / rationality / (1 + eta / rationality)
    schedule = np.tile([1 / rationality, share], (7, 1))
    found = Iterates.on(form, agent).descend(np.zeros(form.size), schedule)
    for mine, theirs in zip(iterates.layout.split(found), behaviours):
        assert mine == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("spec", ["kuhn", "liars-dice(sides=2)"])
def test_annealing_approaches_a_nash_equilibrium(spec):
    found = fb.solve(spec, "mmd", gap=0.01, iterations=20_000)
    assert found.stopped == "gap"
    exact = fb.solve(spec, "sequence-lp")
    assert found.lower - 1e-9 <= exact.value <= found.upper + 1e-9


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "mmd.npz"
    whole = fb.solve("kuhn", "mmd", iterations=300, certify=False)
    fb.solve("kuhn", "mmd", iterations=100, checkpoint=path, certify=False)
    resumed = fb.solve("kuhn", "mmd", iterations=300, resume=path, certify=False)
    assert resumed.value == whole.value
    assert resumed.gap == whole.gap


def test_a_game_without_a_tree_has_only_the_normal_form():
    spec = "horizon(game=opposed(game=broadcast-channel), steps=5)"
    form = forms.sequence(fb.game(spec))
    if isinstance(form.decisions, forms.Tree):
        pytest.skip("it has a tree")
    with pytest.raises(FormError, match="histories"):
        fb.solve(form, "mmd", iterations=2)
    assert fb.solve(form, "mmd(agent=false)", iterations=2, certify=False).gap > 0


@pytest.mark.parametrize("given", ["rationality=0", "rationality=-1", "step=0"])
def test_parameters_are_checked(given):
    with pytest.raises(SpecError, match="expected a number above 0"):
        fb.solve("kuhn", f"mmd({given})")
