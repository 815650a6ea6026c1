"""An occupancy that is compared with a listed one: every mass that differs is paid for, whichever of the two has it."""

import itertools
import random
from fractions import Fraction
from types import SimpleNamespace

import pytest

from fogbound import forms
from fogbound.certificates.certificate import plain
from fogbound.games import make
from fogbound.transforms.horizon import Horizon
from fogbound.verify.chain import read_table
from fogbound.verify.team.bounds import Claim, Claims, Proof, Reference
from fogbound.verify.team.model import Team

MOST, BOUND = 1000, 77  # what remains at most, and what the listed occupancy brings


def compared(after, listed, to):
    """The bound of `after` by a claim about `listed`, through the map `to`."""
    claim = Claim(0, False, listed, [], [], [], {})
    team = SimpleNamespace(table=SimpleNamespace(players=2), most=MOST)
    proof = Proof(team, Claims([claim], [Reference(0, to)]))
    proof.bound[0] = BOUND
    return proof._compared(after, proof.listed.references[0])


def expected(after, listed, to):
    """The same, written out: a memory of the listed one is split as the masses of those that become it say."""
    total, known = (sum(m for states in some.values() for m in states.values()) for some in (after, listed))
    share = [{}, {}]
    for joint, states in after.items():
        for i, memory in enumerate(joint):
            share[i][memory] = share[i].get(memory, 0) + sum(states.values())
    wanted, lost, terms = {}, Fraction(0), 0
    for joint, states in listed.items():
        become = [[memory for memory in share[i] if to.get((i, memory)) == joint[i][0]] for i in (0, 1)]
        whole = [sum(share[i][memory] for memory in become[i]) for i in (0, 1)]
        if not all(whole):
            lost += Fraction(total * sum(states.values()), known)
            continue
        for raw in itertools.product(*become):
            part = Fraction(share[0][raw[0]] * share[1][raw[1]], whole[0] * whole[1])
            for state, mass in states.items():
                wanted[raw, state] = wanted.get((raw, state), 0) + part * Fraction(total * mass, known)
                terms += 1
    found = {(raw, state): mass for raw, states in after.items() for state, mass in states.items()}
    differs = sum(abs(found.get(key, 0) - wanted.get(key, 0)) for key in {*found, *wanted})
    return Fraction(total * BOUND, known) + (differs + lost) * MOST, terms


def drawn(seed):
    """(after, listed, map), masses such that nothing is rounded; some memories become nothing that is listed."""
    rng = random.Random(seed)
    raw = [[(c, seen, 0) for c in range(2) for seen in range(2)] for _ in range(2)]
    joints = rng.sample(list(itertools.product(*raw)), rng.randint(1, 6))
    after = {joint: {state: 2**40 * rng.randint(1, 4) for state in range(rng.randint(1, 2))} for joint in joints}
    pairs = rng.sample(list(itertools.product(range(3), repeat=2)), rng.randint(1, 5))
    listed = {tuple((m,) for m in pair): {state: rng.choice([1, 2]) for state in range(2)} for pair in pairs}
    return after, listed, {(i, memory): rng.randrange(3) for i in (0, 1) for memory in raw[i] if rng.random() < 0.9}


@pytest.mark.parametrize("seed", range(60))
def test_what_differs_is_paid_for(seed):
    after, listed, to = drawn(seed)
    exact, terms = expected(after, listed, to)
    assert exact <= compared(after, listed, to) <= exact + 2 * (terms + len(listed) + 1) * MOST  # 2: rounded both ways


def test_an_occupancy_is_worth_what_it_was_listed_with():
    """Equal but for the scale, and a memory that is split at random: nothing is paid but one unit for each mass."""
    to = {(0, (0, 0, 0)): 5, (0, (0, 1, 0)): 5, (1, (0, 0, 0)): 6}
    after = {((0, seen, 0), (0, 0, 0)): {1: 30, 2: 10} for seen in (0, 1)}
    assert compared(after, {((5,), (6,)): {1: 6, 2: 2}}, to) == 80 * BOUND // 8 + 4 * MOST


@pytest.mark.parametrize("nothing", [{}, {((5,), (6,)): {1: 0}}])
def test_nothing_is_no_bound(nothing):
    after = {((0, 0, 0), (0, 0, 0)): {1: 30}}
    assert compared(after, nothing, {}) == 30 * MOST
    assert compared({}, {((5,), (6,)): {1: 4}}, {}) == 0


def test_where_play_cannot_be_counts_as_the_most_that_can_be_had():
    team = Team(read_table(plain(forms.table(Horizon(make("multi-tiger"), 2)).arrays())), 0)
    elsewhere = next(state for state in range(len(team.table.actors)) if state not in team.best[0])
    here, choose = team.layers[0][0], {(0, 0): 0, (1, 0): 0}
    paid, after, wrong = team.follow(0, {((0,), (0,)): {here: 3}}, choose)
    more, same, wrong_too = team.follow(0, {((0,), (0,)): {here: 3, elsewhere: 5}}, choose)
    assert more == paid + 5 * team.most
    assert (after, wrong) == (same, wrong_too)
