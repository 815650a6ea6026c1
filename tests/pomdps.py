"""Small POMDPs to try solvers on, and their values worked out the slow and plain way.

The makers draw models that hide bugs well: unequal menus, endings, cycles, first observations that overlap, parts of
the state that are always known. The oracles read a POMDP row by row into dictionaries and know no blocks, no kernels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fogbound import forms
from fogbound.core import Dist, Game, Outcome
from fogbound.forms.pomdp import ModelGame

OVER = "over"  # the ended state of listed games


@dataclass(frozen=True, eq=False)
class Listed(Game):
    """One player's game from lists: opening (state, sight, probability), rules state -> action -> (pay, outcomes)."""

    opening: tuple
    rules: dict
    discount: float = 1.0
    players = ("me",)
    name = "listed"

    def start(self):
        return Dist(tuple((Outcome(s, (0.0,), z), p) for s, z, p in self.opening))

    def actors(self, state):
        return (0,) if state in self.rules else ()

    def actions(self, state, player):
        return tuple(self.rules[state])

    def step(self, state, joint):
        pay, outcomes = self.rules[state][joint[0]]
        return Dist(tuple((Outcome(s, (pay,), z), p) for s, z, p in outcomes))

    def __str__(self):
        return "listed"


@dataclass(frozen=True, eq=False)
class Dense:
    """A model as tables, easy to alter: start [s], move [s, a, t, o], pay [s, a], first observation of each state."""

    start: np.ndarray
    move: np.ndarray
    pay: np.ndarray
    discount: float
    first: tuple | None = None

    def form(self, spec="dense"):
        states, actions, _, observations = self.move.shape
        s, a, t, o = np.indices(self.move.shape).reshape(4, -1)
        names = [[f"{w}{k}" for k in range(n)] for w, n in (("s", states), ("a", actions), ("o", observations))]
        return forms.pomdp_from_arrays(
            spec, self.discount, *names, self.start, (s, a, t, o, self.move.ravel()), self.pay, self.first
        )


def random_dense(seed, discount, states=3, actions=2, observations=2, fill=1.0, known=1, shown=False):
    """`fill`: share of transitions kept; `known`: so many values of a part of the state that is always seen."""
    rng = np.random.default_rng(seed)
    moves = rng.dirichlet(np.ones(states), (states, actions)) * (rng.random((states, actions, states)) < fill)
    moves[np.arange(states), :, rng.permutation(states)] += 0.125  # something always follows
    moves /= moves.sum(axis=2, keepdims=True)
    seen = rng.dirichlet(np.ones(observations), (actions, states))
    part = np.eye(known)[np.arange(states) % known]  # [t, known]
    move = np.einsum("sat,ato,tk->satko", moves, seen, part).reshape(states, actions, states, known * observations)
    start, pay = rng.dirichlet(np.ones(states)), rng.normal(size=(states, actions)).round(2)
    return Dense(start, move, pay, discount, (("even", "odd"), np.arange(states) % 2) if shown else None)


def random_flat(seed, discount, **shape):
    return random_dense(seed, discount, **shape).form(f"random-{seed}")


def game_of(form):
    """What a POMDP's controllers can be evaluated in."""
    return ModelGame(form) if form.product is None else form.product.table


def random_listed(seed, discount=1.0, faces=3, width=3, ends=0.25, forward=False, overlap=True):
    """Unequal menus: each state has a face that is seen, with noise, and the face decides the menu.

    `forward`: faces are passed in order, so play ends within `faces` steps; else every step ends it with
    probability `ends`, and play can cycle. `overlap`: a state may be shown in several ways at the start.
    """
    rng = np.random.default_rng(seed)
    legal_sets = [tuple(f"f{f}a{k}" for k in range(rng.integers(1, 4))) for f in range(faces)]
    names = [[f"f{f}s{k}" for k in range(width)] for f in range(faces)]

    def outcomes(face):
        onward = [names[f][k] for f in (range(face + 1, faces) if forward else range(faces)) for k in range(width)]
        some = list(rng.choice(onward, min(len(onward), int(rng.integers(1, 5))), replace=False)) if onward else []
        listed = [(str(t), f"{t[:2]}-{rng.integers(2)}") for t in some for _ in range(rng.integers(1, 3))]
        weights = rng.dirichlet(np.ones(len(listed))) * (1 - ends) if listed else []
        rest = 1 - math.fsum(weights)
        over = f"f{rng.integers(faces)}-0" if rng.random() < 0.5 else "done"  # an end may look like going on
        return [(t, z, float(p)) for (t, z), p in zip(listed, weights)] + ([(OVER, over, rest)] if rest > 0 else [])

    rules = {
        name: {action: (float(rng.integers(-8, 9)) / 4, outcomes(face)) for action in legal_sets[face]}
        for face in range(faces)
        for name in names[face]
    }
    begun = [names[f][k] for f in range(1 if forward else min(2, faces)) for k in range(width)]
    shown = {t: (0, 1) if overlap else (int(rng.integers(2)),) for t in begun}
    listed = [(t, f"{t[:2]}-{z}") for t in begun for z in shown[t] if rng.random() < 0.7] or [(begun[0], "f0-0")]
    weights = rng.dirichlet(np.ones(len(listed)))
    weights[-1] = 1 - math.fsum(weights[:-1])
    return Listed(tuple((t, z, float(p)) for (t, z), p in zip(listed, weights)), rules, discount)


# --- a POMDP read row by row -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plain:
    """state -> action label -> (pay, [(observation, next state, probability)]); ended states have no entry."""

    discount: float
    paid: float  # before the first step
    opening: list[tuple[int, int, float]]
    rules: dict[int, dict[int, tuple[float, list[tuple[int, int, float]]]]]


def plain(form) -> Plain:
    def outcomes(row):
        span = range(form.out[row], form.out[row + 1])
        return [(int(form.obs[o]), int(form.next[o]), float(form.prob[o])) for o in span if form.prob[o] > 0]

    rules = {
        s: {int(form.action[r]): (float(form.reward[r]), outcomes(r)) for r in range(form.row[s], form.row[s + 1])}
        for s in range(form.size)
        if form.row[s + 1] > form.row[s]
    }
    return Plain(float(form.discount), float(form.reward[0]), outcomes(0), rules)


Weights = dict[int, float]


def after(model: Plain, weights: Weights, action: int) -> tuple[float, dict[int, Weights]]:
    """Pay, and the unnormalised belief after each observation (states in which play goes on)."""
    pay, found = 0.0, dict[int, Weights]()
    for s, weight in weights.items():
        paid, outcomes = model.rules[s][action]
        pay += weight * paid
        for z, t, p in outcomes:
            if t in model.rules:
                beta = found.setdefault(z, {})
                beta[t] = beta.get(t, 0.0) + weight * p
    return pay, found


def first_beliefs(model: Plain) -> dict[int, Weights]:
    found = dict[int, Weights]()
    for z, s, p in model.opening:
        if s in model.rules:
            beta = found.setdefault(z, {})
            beta[s] = beta.get(s, 0.0) + p
    return found


def legal(model: Plain, weights: Weights) -> list[int]:
    legal_sets = {tuple(model.rules[s]) for s in weights}
    assert len(legal_sets) == 1, "what may be done must follow from what is known"
    return list(legal_sets.pop())


def ending_value(form) -> float:
    """The best value of a POMDP that ends within a bounded number of steps: recursion over histories."""
    model = plain(form)

    def best(weights: Weights) -> float:
        return max(worth(*after(model, weights, action)) for action in legal(model, weights))

    def worth(pay: float, found: dict[int, Weights]) -> float:
        return pay + model.discount * math.fsum(best(beta) for beta in found.values())

    return model.paid + math.fsum(best(beta) for beta in first_beliefs(model).values())


def horizon_interval(form, steps: int) -> tuple[float, float]:
    """Bounds from the first `steps` steps, the rest at worst and at best; discounted."""
    model = plain(form)
    pays = [pay for rows in model.rules.values() for pay, _ in rows.values()]
    rest = [f(0.0, f(pays)) / (1 - model.discount) for f in (min, max)]

    def best(weights: Weights, left: int) -> list[float]:
        """What is to come, with the rest at worst and at best."""
        if left == 0:
            return [sum(weights.values()) * end for end in rest]
        worths = []
        for pay, found in (after(model, weights, action) for action in legal(model, weights)):
            ahead = [best(b, left - 1) for b in found.values()]
            worths.append([pay + model.discount * sum(worth[end] for worth in ahead) for end in (0, 1)])
        return [max(worth[end] for worth in worths) for end in (0, 1)]

    first = [best(b, steps) for b in first_beliefs(model).values()]
    low, high = (sum(worth[end] for worth in first) for end in (0, 1))
    return model.paid + low, model.paid + high


def line_interval(form, cells: int = 256, sweeps: int = 4_000) -> tuple[float, float]:
    """Bounds on a two-state model (all actions everywhere) from the beliefs k / cells.

    Above: value iteration on the grid, interpolated between its points, for V is convex. Below: one vector a point,
    backed up again and again from a vector that is surely below.
    """
    model, grid = plain(form), np.linspace(0, 1, cells + 1)
    beliefs = np.stack([1 - grid, grid], axis=1)
    labels = list(model.rules[0])
    observations = sorted({z for rows in model.rules.values() for _, outcomes in rows.values() for z, _, _ in outcomes})
    pay = np.array([[model.rules[s][a][0] for s in (0, 1)] for a in labels])
    move = np.zeros((len(labels), len(observations), 2, 2))
    for s in (0, 1):
        for k, a in enumerate(labels):
            for z, t, p in model.rules[s][a][1]:
                move[k, observations.index(z), s, t] += p
    ahead = np.einsum("bs,azst->azbt", beliefs, move)  # unnormalised
    mass = ahead.sum(axis=3)
    where = np.divide(ahead[..., 1], mass, out=np.zeros_like(mass), where=mass > 0)
    upper = np.full(cells + 1, max(0.0, pay.max()) / (1 - model.discount))
    vectors = np.full((1, 2), min(0.0, pay.min()) / (1 - model.discount))
    still = 1e-13 * max(1e-300, abs(pay).max())
    for _ in range(sweeps):
        q = (beliefs @ pay.T).T + model.discount * (mass * np.interp(where, grid, upper)).sum(axis=1)
        moved, upper = np.abs(q.max(axis=0) - upper).max(), q.max(axis=0)
        if moved <= still * (1 - model.discount):
            break
    upper = upper + moved / (1 - model.discount)
    for _ in range(sweeps):
        chosen = vectors[(ahead @ vectors.T).argmax(axis=3)]  # [a, z, b, t]
        made = pay[:, None, :] + model.discount * np.einsum("azst,azbt->abs", move, chosen)
        pick = (made * beliefs).sum(axis=2).argmax(axis=0)
        backed = made[pick, np.arange(cells + 1)]
        before = (beliefs @ vectors.T).max(axis=1)
        vectors = np.unique(backed, axis=0)
        if np.abs((beliefs @ vectors.T).max(axis=1) - before).max() <= still:
            break
    low = high = model.paid
    for beta in first_beliefs(model).values():
        b = np.array([beta.get(0, 0.0), beta.get(1, 0.0)])
        low += float((vectors @ b).max())
        high += float(b.sum() * np.interp(b[1] / b.sum(), grid, upper))
    return low, high


# --- which states one history can lead to ----------------------------------------------------------------------


def confusable(form) -> tuple[list[frozenset[int]], dict[int, frozenset[int]]]:
    """The blocks by brute force, and the states that each first observation leaves possible (play going on).

    Sets of states are joined until an action and an observation lead from one set into one set. What only the
    start confuses is kept apart, as a first set of its own.
    """
    model = plain(form)
    first = {z: frozenset(beta) for z, beta in first_beliefs(model).items()}
    sets: set[frozenset[int]] = set()
    while True:
        found: dict[tuple[frozenset[int], int, int], set[int]] = {}
        for source in [*first.values(), *sets]:
            for s in source:
                for action, (_, outcomes) in model.rules[s].items():
                    for z, t, _ in outcomes:
                        if t in model.rules:
                            found.setdefault((source, action, z), set()).add(t)
        fresh = _joined([*map(set, sets), *found.values()])
        if fresh == sets:
            return sorted(sets, key=min), first
        sets = fresh


def _joined(groups: list[set[int]]) -> set[frozenset[int]]:
    """Overlapping sets made one."""
    whole: list[set[int]] = []
    for group in groups:
        apart = [other for other in whole if not other & group]
        merged = set(group).union(*(other for other in whole if other & group))
        whole = [*apart, merged]
    return {frozenset(group) for group in whole}
