"""PG-HSVI: duels with known alterations, and the cases in which they are something simpler."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from fogbound import files, forms
from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.policies import Uniform
from fogbound.solvers import make
from fogbound.transforms.horizon import Horizon
from tests.attack import duels
from tests.attack.duels import DuelGame, random_duel
from tests.attack.related.relation import Relation, bounds, never_loosens, same_figures
from tests.run import solve
from tests.solvers.pomdp.test_sarsop import meets

RELATIONS: dict[str, Relation] = {}


def relation(name: str) -> Callable[[Relation], Relation]:
    """Put a relation on the list."""

    def add(check: Relation) -> Relation:
        RELATIONS[name] = check
        return check

    return add


PG = "pg-hsvi"


def _duel(seed: int, **shape: int) -> duels.Duel:
    return random_duel(seed, 0.4, **{"states": 2 + seed % 2, **shape})


def _equal(change: Callable[[duels.Duel, np.random.Generator], duels.Duel], shift: float = 0.0) -> Relation:
    def check(seed: int) -> bool:
        duel = _duel(seed)
        altered = change(duel, np.random.default_rng(seed))
        return meets(bounds(duel.form(), PG), bounds(altered.form(), PG), shift=shift)

    return check


RELATIONS |= {
    "pg-hsvi: permuted": _equal(duels.permuted),
    "pg-hsvi: the blind player's action cloned": _equal(lambda d, rng: duels.more(d, 1, 0.0)),
    "pg-hsvi: the other's action cloned": _equal(lambda d, rng: duels.more(d, 2, 0.0)),
    "pg-hsvi: a dominated action of the blind player": _equal(lambda d, rng: duels.more(d, 1, 0.5)),
    "pg-hsvi: a dominated action of the other": _equal(lambda d, rng: duels.more(d, 2, -0.5)),
    "pg-hsvi: a state that is never reached": _equal(duels.haunted),
    "pg-hsvi: observations split by a coin": _equal(duels.split),
    "pg-hsvi: states doubled": _equal(duels.doubled),
    "pg-hsvi: shifted": _equal(lambda d, rng: replace(d, pay=d.pay + 3.0), 3.0 / (1 - 0.4)),
    "pg-hsvi: paid at the start": _equal(lambda d, rng: replace(d, paid=0.75), 0.75),
}


@relation("pg-hsvi: scaled by a power of two")
def _(seed: int) -> bool:
    duel, factor = _duel(seed), 2.0 ** (seed % 21 - 10)
    forms_ = duel.form(), replace(duel, pay=duel.pay * factor).form()
    one, two = (
        solve(make(f"pg-hsvi(epsilon={0.01 * by!r})"), form, Until(iterations=6), certified=False).trace
        for form, by in zip(forms_, (1.0, factor))
    )
    return [(m.lower * factor, m.upper * factor) for m in one] == [(m.lower, m.upper) for m in two]


@relation("pg-hsvi: sees more")
def _(seed: int) -> bool:
    duel = _duel(seed)
    return bounds(duels.informed(duel).form(), PG).upper >= bounds(duel.form(), PG).lower


@relation("pg-hsvi: fewer actions of the blind player")
def _(seed: int) -> bool:
    duel = _duel(seed, blind=3)
    return bounds(duels.fewer(duel, 1).form(), PG).lower <= bounds(duel.form(), PG).upper


@relation("pg-hsvi: fewer actions of the other")
def _(seed: int) -> bool:
    duel = _duel(seed, seeing=3)
    return bounds(duels.fewer(duel, 2).form(), PG).upper >= bounds(duel.form(), PG).lower


@relation("pg-hsvi: convex in the start")
def _(seed: int) -> bool:
    duel, rng = _duel(seed), np.random.default_rng(seed)
    one, two = rng.dirichlet(np.ones(len(duel.start)), 2)
    a, b, mixed = (bounds(replace(duel, start=start).form(), PG) for start in (one, two, (one + two) / 2))
    return mixed.lower <= (a.upper + b.upper) / 2 + 1e-12


@relation("pg-hsvi: public chance mixes values, one's own worth less unseen")
def _(seed: int) -> bool:
    """The choice of game is not seen before the first observation, so the mix is at most the mean of both."""
    one, two = _duel(2 * seed), _duel(2 * seed + 2)
    a, b, mixed = (bounds(duel.form(), PG) for duel in (one, two, duels.either(one, two, 0.25)))
    return mixed.lower <= 0.25 * a.upper + 0.75 * b.upper + 1e-12


@relation("pg-hsvi: the other has one action = sarsop")
def _(seed: int) -> bool:
    duel = _duel(seed, seeing=1)
    alone = forms.pomdp(DuelGame(duel), 0, {1: Uniform()})
    return meets(bounds(duel.form(), PG), bounds(alone, "sarsop"))


@relation("pg-hsvi: no discount left = a matrix game")
def _(seed: int) -> bool:
    """With discount 0 only the first step counts: the sequence form of one step has the value."""
    duel = replace(_duel(seed), discount=1e-300)
    return meets(bounds(duel.form(), PG), one_step(duel))


def one_step(duel: duels.Duel) -> Solution:
    return solve(make("sequence-lp"), forms.sequence(Horizon(DuelGame(replace(duel, discount=1.0)), 1)))


@relation("pg-hsvi: horizon")
def _(seed: int) -> bool:
    duel = _duel(seed)
    found = bounds(duel.form(), PG)
    cut = solve(make("sequence-lp"), forms.sequence(Horizon(DuelGame(duel), 2)))
    rest = 0.4**2 * float(np.ptp(np.append(duel.pay, 0.0))) / 0.6
    return cut.lower - rest <= found.upper and found.lower <= cut.upper + rest


@relation("pg-hsvi: everything seen = Shapley")
def _(seed: int) -> bool:
    duel = duels.informed(replace(_duel(seed), start=np.eye(2 + seed % 2)[0]))
    low, high = shapley(duel)
    found = bounds(duel.form(), PG)
    return found.lower <= high and low <= found.upper


def shapley(duel: duels.Duel) -> tuple[float, float]:
    """Bounds on what the first state is worth where both see the state: value iteration over matrix games."""
    value, reach = np.zeros(len(duel.start)), duel.move.sum(axis=4)
    for _ in range(12):
        value = np.array([matrix(stage) for stage in duel.pay + duel.discount * reach @ value])
    rest = duel.discount**12 * float(np.abs(duel.pay).max()) / (1 - duel.discount) + 1e-9
    return float(value[0] - rest), float(value[0] + rest)


def matrix(pay: np.ndarray) -> float:
    """The value of a matrix game, by scipy's linear program."""
    from scipy.optimize import linprog

    rows, columns = pay.shape
    found = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.column_stack([-pay.T, np.ones(columns)]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return float(found.x[-1])


@relation("pg-hsvi: never loosens")
def _(seed: int) -> bool:
    return never_loosens(_duel(seed).form(), PG)


@relation("pg-hsvi: written, read and solved again")
def _(seed: int) -> bool:
    form = _duel(seed).form()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.osposg")
        files.write_one_sided(form, path)
        again = files.read_one_sided(path)
    return same_figures(bounds(form, PG), bounds(again, PG))
