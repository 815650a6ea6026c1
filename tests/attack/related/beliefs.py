"""SARSOP and HSVI: models with known alterations. Those of `tests/solvers/pomdp` are tried here on many more models."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from fogbound import files
from fogbound.driver.protocol import Until
from fogbound.forms.pomdp import POMDP
from fogbound.solvers import make
from tests import pomdps
from tests.attack.related.relation import Relation, bounds, never_loosens
from tests.pomdps import random_dense
from tests.run import solve
from tests.solvers.pomdp import test_sarsop as dense
from tests.solvers.pomdp.test_sarsop import meets

RELATIONS: dict[str, Relation] = {}


def relation(name: str) -> Callable[[Relation], Relation]:
    """Put a relation on the list."""

    def add(check: Relation) -> Relation:
        RELATIONS[name] = check
        return check

    return add


def _dense(seed: int):
    return random_dense(seed, 0.7, states=2 + seed % 3, actions=2 + seed % 2, known=1 + seed % 2)


def _alike(solver: str, change: Callable) -> Relation:
    def check(seed: int) -> bool:
        model = _dense(seed)
        altered = change(model, np.random.default_rng(seed))
        return meets(bounds(model.form(), solver), bounds(altered.form(), solver))

    return check


for _solver in ("sarsop", "hsvi"):
    for _change in dense.ALIKE:
        RELATIONS[f"{_solver}: {_change.__name__}"] = _alike(_solver, _change)


@relation("sarsop: shifted")
def _(seed: int) -> bool:
    model = _dense(seed)
    one, two = bounds(model.form(), "sarsop"), bounds(replace(model, pay=model.pay + 3.0).form(), "sarsop")
    return meets(one, two, shift=3.0 / (1 - model.discount))


@relation("sarsop: scaled by a power of two")
def _(seed: int) -> bool:
    model, factor = _dense(seed), 2.0 ** (seed % 21 - 10)
    forms_ = model.form(), replace(model, pay=model.pay * factor).form()
    one, two = (solve(make("sarsop"), form, Until(iterations=40), certified=False).trace for form in forms_)
    return [(m.lower * factor, m.upper * factor) for m in one] == [(m.lower, m.upper) for m in two]


@relation("sarsop: sees more")
def _(seed: int) -> bool:
    """The observation also tells the state arrived at: worth at least as much, and what the MDP is worth, bounds it."""
    model = _dense(seed)
    states, actions = model.move.shape[:2]
    move = np.zeros((states, actions, states, states))
    for t in range(states):
        move[:, :, t, t] = model.move[:, :, t].sum(axis=2)
    return bounds(replace(model, move=move).form(), "sarsop").upper >= bounds(model.form(), "sarsop").lower


@relation("sarsop: fewer actions")
def _(seed: int) -> bool:
    model = random_dense(seed, 0.7, actions=3)
    fewer = replace(model, move=model.move[:, 1:], pay=model.pay[:, 1:])
    return bounds(fewer.form(), "sarsop").lower <= bounds(model.form(), "sarsop").upper


@relation("sarsop: convex in the start")
def _(seed: int) -> bool:
    model, rng = _dense(seed), np.random.default_rng(seed)
    one, two = rng.dirichlet(np.ones(len(model.start)), 2)
    ends = [bounds(replace(model, start=start, first=None).form(), "sarsop") for start in (one, two)]
    mixed = bounds(replace(model, start=(one + two) / 2, first=None).form(), "sarsop")
    return mixed.lower <= (ends[0].upper + ends[1].upper) / 2 + 1e-12


@relation("sarsop: horizon")
def _(seed: int) -> bool:
    """What is enumerated for some steps, and anything after them."""
    form = random_dense(seed, 0.4).form()
    found, (low, high) = bounds(form, "sarsop"), pomdps.horizon_interval(form, 4)
    return found.lower <= high and low <= found.upper


@relation("sarsop: public chance mixes values")
def _(seed: int) -> bool:
    one, two = (random_dense(2 * seed + k, 0.7) for k in (0, 1))
    states, actions, _, observations = one.move.shape
    move = np.zeros((2 * states, actions, 2 * states, 2 * observations))
    move[:states, :, :states, :observations], move[states:, :, states:, observations:] = one.move, two.move
    shown = (("one", "two"), np.repeat([0, 1], states))
    both = pomdps.Dense(np.concatenate([one.start, 3 * two.start]) / 4, move, np.vstack([one.pay, two.pay]), 0.7, shown)
    a, b, mixed = (bounds(model.form(), "sarsop") for model in (one, two, both))
    low, high = 0.25 * a.lower + 0.75 * b.lower, 0.25 * a.upper + 0.75 * b.upper
    return mixed.lower <= high + 1e-12 and low <= mixed.upper + 1e-12


@relation("sarsop: never loosens")
def _(seed: int) -> bool:
    return never_loosens(_dense(seed).form(), "sarsop")


@relation("hsvi: never loosens")
def _(seed: int) -> bool:
    return never_loosens(_dense(seed).form(), "hsvi")


@relation("sarsop: written, read and solved again")
def _(seed: int) -> bool:
    """A file holds T and O apart, whose product is rounded: the answers agree, but not to the bit."""
    form = random_dense(seed, 0.7).form()
    once = _reread(form)
    first, second, third = (bounds(model, "sarsop") for model in (form, once, _reread(once)))
    return meets(first, second) and meets(second, third)


def _reread(form: POMDP) -> POMDP:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.pomdp")
        files.write_model(form, path)
        return files.read_model(path)


@relation("sarsop = hsvi = pbvi's bounds")
def _(seed: int) -> bool:
    form = _dense(seed).form()
    one, two = bounds(form, "sarsop"), bounds(form, "hsvi")
    three = solve(make("pbvi(points=20)"), form, Until(iterations=20))
    return meets(one, two) and three.lower <= one.upper
