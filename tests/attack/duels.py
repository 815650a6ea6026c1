"""Random one-sided games as tables that are easy to alter: one player sees everything, the other its observations."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fogbound import forms
from fogbound.core import Dist, Game, Outcome


@dataclass(frozen=True, eq=False)
class Duel:
    """A game as tables: start [s], move [s, a, b, t, o] (a: blind player, b: the other), pay [s, a, b]."""

    start: np.ndarray
    move: np.ndarray
    pay: np.ndarray
    discount: float
    paid: float = 0.0  # before the first step

    def form(self):
        return forms.one_sided(DuelGame(self), 0)


@dataclass(frozen=True, eq=False)
class DuelGame(Game):
    """A duel by its rules."""

    duel: Duel
    players = ("blind", "seeing")
    name = "duel"

    @property
    def discount(self):
        return self.duel.discount

    def start(self):
        begun = np.flatnonzero(self.duel.start).tolist()
        pay = (self.duel.paid, -self.duel.paid)
        return Dist.of([(Outcome(s, pay, None, (None, s)), float(self.duel.start[s])) for s in begun])

    def actors(self, state):
        return (0, 1)

    def actions(self, state, player):
        return tuple(f"{'ab'[player]}{k}" for k in range(self.duel.pay.shape[1 + player]))

    def step(self, state, joint):
        a, b = (int(action[1:]) for action in joint)
        pay, chances = float(self.duel.pay[state, a, b]), self.duel.move[state, a, b]
        cells = [(int(t), int(o)) for t, o in zip(*np.nonzero(chances))]
        return Dist.of([(Outcome(t, (pay, -pay), None, (o, (t, joint, o))), float(chances[t, o])) for t, o in cells])

    def __str__(self):
        return "duel"


def random_duel(seed, discount=0.6, states=3, blind=2, seeing=2, observations=2):
    rng = np.random.default_rng(seed)
    moves = rng.dirichlet(np.ones(states), (states, blind, seeing))
    seen = rng.dirichlet(np.ones(observations), (blind, states))  # [a, t, o]
    move = np.einsum("sabt,ato->sabto", moves, seen)
    pay = rng.normal(size=(states, blind, seeing)).round(2)
    return Duel(rng.dirichlet(np.ones(states)), move, pay, discount)


# --- alterations -----------------------------------------------------------------------------------------------


def permuted(d, rng):
    s, a, b, o = (rng.permutation(d.move.shape[axis]) for axis in (0, 1, 2, 4))
    return replace(d, start=d.start[s], move=d.move[np.ix_(s, a, b, s, o)], pay=d.pay[np.ix_(s, a, b)])


def more(d, axis, cost):
    """The first action of a player once more, at a cost to the blind player."""
    first = [slice(None)] * 3
    first[axis] = slice(0, 1)
    return replace(
        d,
        move=np.concatenate([d.move, d.move[tuple(first)]], axis),
        pay=np.concatenate([d.pay, d.pay[tuple(first)] - cost], axis),
    )


def fewer(d, axis):
    """All actions of a player but the first."""
    return replace(d, move=np.delete(d.move, 0, axis), pay=np.delete(d.pay, 0, axis))


def haunted(d, rng):
    """A state that nothing leads to, worth far more than the others."""
    states, blind, seeing, _, observations = d.move.shape
    move = np.zeros((states + 1, blind, seeing, states + 1, observations))
    move[:states, :, :, :states] = d.move
    move[states, :, :, states, 0] = 1.0
    pay = np.concatenate([d.pay, np.full((1, blind, seeing), 100.0)])
    return replace(d, start=np.append(d.start, 0.0), move=move, pay=pay)


def split(d, rng):
    """Each observation comes in two kinds, by a coin."""
    return replace(d, move=np.concatenate([0.25 * d.move, 0.75 * d.move], axis=4))


def doubled(d, rng):
    """Each state exists twice; which of the two follows is a coin's choice."""
    move = np.tile(np.concatenate([0.5 * d.move, 0.5 * d.move], axis=3), (2, 1, 1, 1, 1))
    return replace(d, start=np.tile(d.start / 2, 2), move=move, pay=np.tile(d.pay, (2, 1, 1)))


def informed(d):
    """The blind player sees the state as well: from the first step on."""
    states = len(d.start)
    move = np.zeros((*d.move.shape[:4], states))
    for t in range(states):
        move[:, :, :, t, t] = d.move[:, :, :, t].sum(axis=3)
    return replace(d, move=move)


def either(one, other, share):
    """Public chance picks one of two games of the same shape; the states of both stand side by side."""
    states, blind, seeing, _, observations = one.move.shape
    move = np.zeros((2 * states, blind, seeing, 2 * states, 2 * observations))
    move[:states, :, :, :states, :observations] = one.move
    move[states:, :, :, states:, observations:] = other.move
    start = np.concatenate([share * one.start, (1 - share) * other.start])
    return replace(one, start=start, move=move, pay=np.concatenate([one.pay, other.pay]))
