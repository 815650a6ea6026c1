"""Small partially observable processes for the checker's tests, with evidence made by naive float code.

A model is a dict: discount, pay (before the first step), start [(p, state, observation)], and states, each a
pair (labels, rows), a row being (reward, [(p, state, observation)]); no labels: play is over.
"""

from collections import defaultdict
from fractions import Fraction

import numpy as np

from tests.verify.made import stored

CORNERS, FIB, FIB_ROW = -1, -2, -3


def form(model):
    """The arrays of a model."""
    rows = [(0, model["pay"], model["start"])]
    for labels, own in model["states"]:
        rows += [(label, reward, outcomes) for label, (reward, outcomes) in zip(labels, own, strict=True)]
    outcomes = [outcome for _, _, own in rows for outcome in own]
    arrays = {
        "row": np.cumsum([1] + [len(labels) for labels, _ in model["states"]]),
        "action": [label for label, _, _ in rows],
        "out": np.cumsum([0] + [len(own) for _, _, own in rows]),
        "next": [state for _, state, _ in outcomes],
        "obs": [seen for _, _, seen in outcomes],
        "prob": [float(p) for p, _, _ in outcomes],
        "reward": [float(reward) for _, reward, _ in rows],
        "discount": [float(model["discount"])],
    }
    return {name: stored(values) for name, values in arrays.items()}


def tiger():
    """Cassandra, Kaelbling and Littman (1994): listen (0), or open the left or the right door."""
    reset = [(0.25, s, z) for s in (0, 1) for z in (0, 1)]
    states = []
    for s in (0, 1):
        heard = [(0.85 if z == s else 0.15, s, z) for z in (0, 1)]
        states.append(((0, 1, 2), [(-1.0, heard), (-100.0 if s == 0 else 10.0, reset), (-100.0 if s else 10.0, reset)]))
    return {"discount": 0.95, "pay": 0.0, "start": [(0.5, 0, 2), (0.5, 1, 2)], "states": states}


def random_model(rng, states, discount):
    """Play never ends; two actions everywhere, two observations that tell something of the state arrived at."""
    shown = rng.uniform(0.0, 1.0, states)

    def row(state):
        odds = 0.4 * rng.dirichlet([0.7] * states) + 0.6 * (np.arange(states) == state)
        cells = [(p * (shown[s] if z else 1 - shown[s]), s, z) for s, p in enumerate(odds) for z in (0, 1)]
        return float(rng.integers(-4, 5)), [(float(p), s, z) for p, s, z in cells]

    start = [(float(p), s, int(rng.integers(2))) for s, p in enumerate(rng.dirichlet([1.0] * states))]
    own = [((3, 8), [row(state), row(state)]) for state in range(states)]
    return {"discount": discount, "pay": float(rng.integers(-2, 3)), "start": start, "states": own}


def layered_model(rng, discount, layers=3, wide=3, told=True):
    """Play ends after some layers of states or before, with unlike lists of actions; observations may tell them."""
    legal_sets = [(5, 6), (6, 5), (7,)]
    kinds = [int(rng.choice([0, 0, 1, 2])) for _ in range(layers * wide)]
    over = layers * wide

    def lead(layer):
        target = [layer * wide + k for k in range(wide)] if layer < layers else []
        cells = [(s, z) for s in [*target, over] for z in (0, 1)]
        odds = rng.dirichlet([0.5] * len(cells)) * (rng.random(len(cells)) < 0.7)
        odds[0] += 0.1
        reveal = [0 if s == over else 1 + kinds[s] for s, _ in cells]
        return [(float(p), s, z + 2 * told * tell) for p, (s, z), tell in zip(odds, cells, reveal)]

    states = [
        (legal_sets[kind], [(float(rng.integers(-4, 5)), lead(s // wide + 1)) for _ in legal_sets[kind]])
        for s, kind in enumerate(kinds)
    ]
    return {"discount": discount, "pay": 1.5, "start": lead(0), "states": [*states, ((), [])]}


def spread(rows, number=float):
    """Where weighted rows lead: {observation: {state: weight}}, over ones too, rows divided by their sums."""
    found = defaultdict(dict)
    for weight, outcomes in rows:
        total = sum(number(p) for p, _, _ in outcomes)
        for p, state, seen in outcomes:
            if p:
                into = found[seen]
                into[state] = into.get(state, 0) + weight * number(p) / total
    return dict(sorted(found.items()))


def parts(model, belief):
    """The running part of a belief, split by lists of actions."""
    found = defaultdict(dict)
    for state, weight in belief.items():
        if model["states"][state][0]:
            found[model["states"][state][0]][state] = weight
    return list(found.values())


def actions(model, belief, number=float):
    """For each action of a belief with one list of actions: the expected reward, and where it leads."""
    own = [(weight, model["states"][state][1]) for state, weight in belief.items()]
    for place in range(len(own[0][1])):
        reward = sum(weight * number(rows[place][0]) for weight, rows in own)
        yield reward, spread([(weight, rows[place][1]) for weight, rows in own], number)


def exact_value(model):
    """The best value of a model whose play ends soon, by trying all there is, in rationals."""
    discount = Fraction(model["discount"])

    def best(belief):
        return max(
            reward + discount * sum(best(part) for after in seen.values() for part in parts(model, after))
            for reward, seen in actions(model, belief, Fraction)
        )

    opening = spread([(Fraction(1), model["start"])], Fraction)
    return Fraction(model["pay"]) + sum(best(part) for after in opening.values() for part in parts(model, after))
