"""Vectors with successors: honest ones prove what greedy play earns, others less, and garbage nothing untrue."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from fogbound.verify import Refused
from fogbound.verify.pomdp.bounds import interval
from tests.verify.made import plain, stored
from tests.verify.pomdp_evidence import longest
from tests.verify.pomdps import actions, exact_value, form, layered_model, parts, spread
from tests.verify.test_pomdp import ENDING, ENDLESS, SURE, closed_tiger, ending, endless, loop, wild

TIGER = 19.3713683


def as_vectors(low):
    """A controller's evidence as vectors: one for each node, on the states that it is met with."""
    node, state = plain(low["pair"]).T
    order = np.lexsort((state, node))
    action = plain(low["node_action"])
    return {
        "vector_action": low["node_action"],
        "vector_start": stored(np.searchsorted(node[order], np.arange(len(action) + 1))),
        "vector_state": stored(state[order]),
        "vector_value": stored(plain(low["value"])[order]),
        "vector_next": low["arrow"],
    }


def honest(model, evidence):
    waits = {"steps_left": stored(longest(model))} if model["discount"] == 1 else {}
    return as_vectors(evidence) | waits


def below(model, evidence):
    """The lower bound; the upper one is not asked for, but without a discount some evidence must be there."""
    above = {}
    if model["discount"] == 1:
        above = {"fib": stored(np.full(1 + sum(len(rows) for _, rows in model["states"]), 1e3))}
        empty = ("point_start", [0]), ("witness_start", [0]), ("point_state", []), ("witness", [])
        above |= {name: stored(np.array(values, int)) for name, values in empty}
        above |= {name: stored(np.zeros(0)) for name in ("point_weight", "point_value")}
        above["root"] = stored(np.full(len({z for p, _, z in model["start"] if p > 0}), -2))
    return interval(form(model), evidence | above)[0]


def greedy_value(model, evidence):
    """What greedy play by the vectors earns in a model that ends soon, in rationals; None where it has no vector."""
    starts, states = plain(evidence["vector_start"]).tolist(), plain(evidence["vector_state"]).tolist()
    values = [Fraction(value) for value in plain(evidence["vector_value"]).tolist()]
    label = plain(evidence["vector_action"]).tolist()
    vectors = [dict(zip(states[a:b], values[a:b])) for a, b in itertools.pairwise(starts)]
    discount = Fraction(model["discount"])

    def play(belief):
        fitting = [k for k, vector in enumerate(vectors) if all(state in vector for state in belief)]
        best = max(fitting, key=lambda k: sum(weight * vectors[k][s] for s, weight in belief.items()))
        place = model["states"][next(iter(belief))][0].index(label[best])
        reward, seen = list(actions(model, belief, Fraction))[place]
        return reward + discount * sum(play(part) for after in seen.values() for part in parts(model, after))

    opening = spread([(Fraction(1), model["start"])], Fraction)
    return Fraction(model["pay"]) + sum(play(part) for after in opening.values() for part in parts(model, after))


@pytest.mark.parametrize("case", ENDLESS)
def test_honest_vectors_of_endless_play(case):
    model, value, evidence = endless(*case)
    assert value - 1e-9 < below(model, honest(model, evidence)) <= value + SURE


@pytest.mark.parametrize("case", ENDING)
def test_honest_vectors_of_play_that_ends(case):
    model, value, evidence = ending(*case)
    found = below(model, honest(model, evidence))
    assert value - Fraction(1, 10**12) < found <= greedy_value(model, honest(model, evidence)) <= value


def test_tiger_sabotaged():
    model, low, _ = closed_tiger()
    vectors = as_vectors(low)
    assert abs(below(model, vectors) - TIGER) < 1e-6
    swapped = plain(vectors["vector_action"])
    swapped[[0, 4]] = swapped[[4, 0]]  # the doors
    assert below(model, vectors | {"vector_action": stored(swapped)}) < -500
    raised = plain(vectors["vector_value"])
    raised[4:6] += 5.0
    assert below(model, vectors | {"vector_value": stored(raised)}) < TIGER - 50
    astray = plain(vectors["vector_next"])
    astray[0, 2] = 4
    assert below(model, vectors | {"vector_next": stored(astray)}) < TIGER - 50


def test_a_vector_that_good_play_never_needs_counts_too():
    """Greedy play takes whatever promises most, so a promise that nothing keeps is paid for."""
    model, low, _ = closed_tiger()
    vectors, count = as_vectors(low), len(plain(low["node_action"]))
    more = {
        "vector_action": [*plain(vectors["vector_action"]), 1],
        "vector_start": [*plain(vectors["vector_start"]), 2 * count + 2],
        "vector_state": [*plain(vectors["vector_state"]), 0, 1],
        "vector_value": [*plain(vectors["vector_value"]), -1.0, 40.0],
        "vector_next": [*plain(vectors["vector_next"]).tolist(), [count, 0, 2], [count, 1, 2]],
    }
    assert below(model, {name: stored(values) for name, values in more.items()}) < TIGER - 50


def random_vectors(model, rng):
    """Vectors on the states of one list of actions, which go on with any others that fit; claims at random."""
    groups = {}
    for state, (labels, _) in enumerate(model["states"]):
        groups.setdefault(labels, []).append(state)
    groups.pop((), None)
    sets = [(labels, own) for labels, own in groups.items() for _ in range(int(rng.integers(2, 5)))]
    fitting = {labels: [k for k, (other, _) in enumerate(sets) if other == labels] for labels in groups}
    label, following = [], []
    for k, (labels, own) in enumerate(sets):
        place = int(rng.integers(len(labels)))
        label.append(labels[place])
        led = {}
        for s in own:
            for z, after in spread([(1.0, model["states"][s][1][place][1])]).items():
                led.setdefault(z, set()).update(model["states"][t][0] for t in after if model["states"][t][0])
        following += [(k, z, int(rng.choice(fitting[min(lists)]))) for z, lists in led.items() if lists]
    tame = rng.normal(size=sum(len(own) for _, own in sets))
    made = {
        "vector_action": label,
        "vector_start": np.cumsum([0, *(len(own) for _, own in sets)]),
        "vector_state": [s for _, own in sets for s in own],
        "vector_value": tame if rng.random() < 0.5 else wild(rng, len(tame)),
        "vector_next": np.array(following, int).reshape(-1, 3),
    }
    waits = {"steps_left": stored(longest(model) * rng.uniform(1.0, 2.0))} if model["discount"] == 1 else {}
    return {name: stored(values) for name, values in made.items()} | waits


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", ENDING, ids=str)
def test_garbage_never_promises_what_greedy_play_does_not_earn(case):
    discount, seed = case
    model = layered_model(np.random.default_rng(seed), discount)
    best, rng = exact_value(model), np.random.default_rng(seed)
    for _ in range(25):
        made = random_vectors(model, rng)
        earned = greedy_value(model, made)
        assert below(model, made) <= earned <= best


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", [*ENDING[:12:3], *ENDLESS[:3]], ids=str)
def test_damage_is_refused_or_harmless(case):
    model, value, evidence = (ending if len(case) == 2 else endless)(*case)
    vectors, rng, judged = honest(model, evidence), np.random.default_rng(4), 0
    for _ in range(150):
        name = list(vectors)[rng.integers(len(vectors))]
        cells = plain(vectors[name])
        flat = cells.reshape(-1)
        flat[rng.integers(flat.size)] = rng.choice([-3, -1, 0, 1, 2, 5, 2**62])
        spoilt = vectors | {name: stored(cells)}
        try:
            found = below(model, spoilt)
        except Refused:
            continue
        judged += 1
        assert found <= value + SURE
        if len(case) == 2:
            assert found <= greedy_value(model, spoilt)
    assert judged > 10


def looped(**change):
    """Vectors for the loop in which play may end: its state is worth 4."""
    told = {"vector_action": [7], "vector_start": [0, 1], "vector_state": [0], "vector_value": [4.0]}
    told |= {"vector_next": [[0, 0, 0]], "steps_left": [4.0, 0.0]}
    return {name: stored(values) for name, values in (told | change).items()}


def test_sums_are_exact():
    assert below(loop(1.0, 0.75), looped()) == 7
    assert below(loop(1.0, 0.75), looped(vector_value=[4.5])) == 7  # off by 1/8 in each of four steps
    assert below(loop(1.0, 0.75), looped(vector_value=[3.5])) == Fraction(13, 2)


WRONG = [
    ("vector_action", [8], "vector 0 takes action 8, which state 0 does not have"),
    ("vector_action", [7, 7], "'vector_start' has shape"), ("vector_start", [0, 2], "'vector_start' must"),
    ("vector_start", [1, 1], "'vector_start' must"), ("vector_state", [1], "no vector is defined on all"),
    ("vector_state", [2], "'vector_state' holds"), ("vector_state", [-1], "'vector_state' holds"),
    ("vector_value", [4.0, 4.0], "'vector_value' has shape"), ("vector_value", [4], "dtype"),
    ("vector_next", [[0, 1, 0]], "vector 0 has no successor after observation 0"),
    ("vector_next", [[0, 0, 1]], "'vector_next' holds"), ("vector_next", [[0, 0, -1]], "'vector_next' holds"),
    ("vector_next", [[0, 0, 0]] * 2, "names two successors"), ("vector_next", [[0, 0]], "'vector_next' has shape"),
    ("steps_left", [1.0], "'steps_left' has shape"), ("steps_left", [0.0, 0.0], "not certified to end"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "why"), WRONG)
def test_wrong_vectors_are_refused(name, values, why):
    with pytest.raises(Refused, match=why) as told:
        below(loop(1.0, 0.75), looped(**{name: values}))
    assert "\n" not in str(told.value)
    with pytest.raises(Refused, match=f"'{name}' is missing"):
        below(loop(1.0, 0.75), {k: v for k, v in looped().items() if k != name})


def test_vectors_that_do_not_fit_together():
    start = [0, 1, 1]
    one = looped(vector_action=[7, 7], vector_start=start, vector_next=[[0, 0, 1], [1, 0, 0]])
    with pytest.raises(Refused, match="vector 1 follows vector 0, but is not defined on state 0"):
        below(loop(1.0, 0.75), one)
    nowhere = looped(vector_start=[0, 0], vector_state=np.zeros(0, int), vector_value=np.zeros(0))
    with pytest.raises(Refused, match="no vector is defined on all that is possible after the first observation 0"):
        below(loop(1.0, 0.75), nowhere)
    twice = looped(vector_start=[0, 2], vector_state=[0, 0], vector_value=[4.0, 4.0])
    with pytest.raises(Refused, match="vector 0 lists a state twice"):
        below(loop(1.0, 0.75), twice)
    model, low, _ = closed_tiger()
    with pytest.raises(Refused, match="two kinds of evidence for the lower bound"):
        interval(form(model), low | as_vectors(low))
