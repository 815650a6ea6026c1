"""Small random games of two players without chance, and the programs of correlated equilibria written out in full."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

import fogbound as fb
from fogbound import forms
from fogbound.forms.normal import count_strategies


@dataclass(frozen=True)
class Hidden(fb.Game):
    """In turn, or together, two players make moves of which the other sees some; what they are paid is drawn once."""

    seed: int = 0
    steps: int = 3
    name = "hidden"
    players = ("one", "two")

    def start(self):
        return fb.Dist.sure(fb.Outcome(()))

    def actors(self, state):
        if len(state) == self.steps:
            return ()
        return random.Random(f"{self.seed} {len(state)}").choice([(0,), (1,), (0, 1)])

    def actions(self, state, player):
        return ("a", "b", "c")[: random.Random(f"{self.seed} {len(state)} {player}").choice([2, 2, 3])]

    def step(self, state, joint):
        drawn, after = random.Random(f"{self.seed} {(*state, joint)}"), (*state, joint)
        seen = joint if drawn.random() < 0.5 else None
        paid = (drawn.randint(-4, 4), drawn.randint(-4, 4)) if len(after) == self.steps else (0, 0)
        return fb.Dist.sure(fb.Outcome(after, tuple(map(float, paid)), private=(seen, seen)))


def small(seed):
    """One whose matrix can be written out."""
    game = Hidden(seed)
    counts = [count_strategies(plex) for plex in forms.sequence(game).plexes]
    return game if counts[0] * counts[1] <= 200 else Hidden(seed, steps=2)


def by_definition(game, worth, told):
    """The best correlated equilibrium, one variable a cell, one row for each way to disobey."""
    matrix = forms.normal(game)
    form, shape = matrix.sequence, matrix.payoff.shape[:-1]
    cells = np.indices(shape).reshape(len(shape), -1).T
    lines = []
    for i, plex in enumerate(form.plexes):
        others = [c[1 - i] for c in cells]
        for rows, instead in _deviations(plex, matrix.weights[i], told):
            line = np.zeros(len(cells))
            for k, cell in enumerate(cells):
                if rows[cell[i]]:
                    dev = instead(matrix.weights[i][cell[i]])
                    line[k] = _pays(form, i, dev, matrix.weights[1 - i][others[k]]) - matrix.payoff[tuple(cell)][i]
            lines.append(line)
    cost = -(matrix.payoff.reshape(len(cells), -1) @ worth)
    found = linprog(cost, A_ub=np.array(lines), b_ub=np.zeros(len(lines)), A_eq=np.ones((1, len(cells))), b_eq=[1.0])
    assert found.status == 0
    return -found.fun


def _pays(form, player, mine, theirs):
    return float((form.payoff[:, player] * mine[form.ends[:, player]] * theirs[form.ends[:, 1 - player]]).sum())


def _deviations(plex, strategies, told):
    """([strategies] which are told something, what is followed instead) for everything that a player may know."""
    if told == "nothing":
        for other in strategies:
            yield np.ones(len(strategies), bool), lambda _, other=other: other
    if told == "strategy":
        for k in range(len(strategies)):
            for other in strategies:
                yield np.arange(len(strategies)) == k, lambda _, other=other: other
    if told == "moves":
        for h, first in enumerate(plex.first):
            under = _under(plex, h)
            reaching = [s for s in strategies if s[plex.parent[h]] > 0]
            for q in range(first, first + plex.size[h]):
                for other in reaching:
                    yield strategies[:, q] > 0, lambda own, other=other, under=under: np.where(under, other, own)


def _under(plex, top):
    """[sequences] those of a set and of all sets below it."""
    under = np.zeros(plex.sequences, bool)
    for h, parent in enumerate(plex.parent):
        if h == top or under[parent]:
            under[plex.first[h] : plex.first[h] + plex.size[h]] = True
    return under
