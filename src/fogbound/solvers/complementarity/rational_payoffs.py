"""Payoffs of a sequence form as fractions, and the regret of realization plans in fractions.

A float that lies within rounding of a simple fraction is taken to be that fraction, as in `solvers/matrix/exact.py`:
chance moves and payoffs one by one where there is a tree, so that 1/3 x 1/7 is 1/21. Where the common denominator would
be long (payoffs drawn at random, say), the form's floats are the fractions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import SequenceForm, Treeplex
from fogbound.forms.tree import CHANCE, Tree
from fogbound.solvers.matrix.exact import MOST_BITS, rationals

Objects = NDArray[Any]  # of Fractions, or of Python's integers
Plan = list[Fraction]  # realization weights by sequence


@dataclass(frozen=True, eq=False)
class RationalPayoffs:
    """`payoff[k, i]`: what player i is paid where the sequences `form.ends[k]` meet, times chance's part."""

    form: SequenceForm
    payoff: Objects  # [K, 2] Fractions
    simple: bool  # whether floats were taken for simple fractions

    def integers(self, player: int) -> tuple[Objects, int]:
        """([S0, S1] the player's payoffs times a positive number, as integers, and the largest payoff in that unit)."""
        first, second = self.form.plexes
        largest = max(map(abs, self.payoff[:, player]), default=Fraction(0)) or Fraction(1)
        scaled = [value / largest for value in self.payoff[:, player]]
        common = math.lcm(*(value.denominator for value in scaled))
        matrix = np.zeros((first.sequences, second.sequences), object)
        for (x, y), value in zip(self.form.ends.tolist(), scaled):
            matrix[x, y] = value.numerator * (common // value.denominator)
        return matrix, common

    def regrets(self, plans: Sequence[Plan]) -> tuple[list[Fraction], list[Fraction]]:
        """(what each player earns, what each would gain by its best reply) under realization plans, exactly."""
        values, regrets = [], []
        for player, plex in enumerate(self.form.plexes):
            gain, other = [Fraction(0)] * plex.sequences, plans[1 - player]
            for end, paid in zip(self.form.ends.tolist(), self.payoff[:, player]):
                gain[end[player]] += paid * other[end[1 - player]]
            values.append(sum((a * b for a, b in zip(plans[player], gain)), Fraction(0)))
            regrets.append(_best_reply(plex, gain) - values[-1])
        return values, regrets


def _best_reply(plex: Treeplex, gain: list[Fraction]) -> Fraction:
    """The most that a realization plan earns, from the last information set to the first."""
    gain = list(gain)
    for h in range(len(plex.parent) - 1, -1, -1):
        first = int(plex.first[h])
        gain[plex.parent[h]] += max(gain[first : first + int(plex.size[h])])
    return gain[0]


def rational_payoffs(form: SequenceForm) -> RationalPayoffs:
    """The payoffs of a sequence form as fractions."""
    decisions = form.decisions
    simple = _of_tree(form, decisions) if isinstance(decisions, Tree) else rationals(form.payoff)
    if all(_bits(simple[:, player]) <= MOST_BITS for player in range(simple.shape[1])):
        return RationalPayoffs(form, simple, simple=True)
    return RationalPayoffs(form, _fractions(form.payoff), simple=False)


def _bits(values: Objects) -> int:
    common = 1
    for value in values:
        common = math.lcm(common, value.denominator)
        if common.bit_length() > MOST_BITS:
            break
    return common.bit_length()


def _fractions(payoff: Floats) -> Objects:
    exact = np.empty(payoff.shape, object)
    exact[...] = [[Fraction(value) for value in row] for row in payoff.tolist()]
    return exact


def _of_tree(form: SequenceForm, tree: Tree) -> Objects:
    """[K, n] each end's payoffs times its chance moves, summed over the ends of a combination of sequences."""
    reach, ends = _reach(tree), tree.ends
    paid = rationals(tree.payoff[ends])
    summed: dict[tuple[int, ...], Any] = {}
    for node, where, value in zip(ends.tolist(), tree.memory_sequence[tree.memory[ends]].tolist(), paid):
        key = tuple(where)
        summed[key] = summed.get(key, 0) + value * reach[node]
    return np.array([summed[tuple(end)] for end in form.ends.tolist()], object).reshape(form.payoff.shape)


def _reach(tree: Tree) -> list[Fraction]:
    """[N] the probability of chance's part; a chance node's probabilities are divided by their sum."""
    prob, mover, parent, child = rationals(tree.prob), tree.mover.tolist(), tree.parent.tolist(), tree.child.tolist()
    reach, total = [Fraction(1)] * tree.size, [Fraction(1)] * tree.size
    for node, who in enumerate(mover):
        if who == CHANCE:
            total[node] = sum(prob[child[node] : child[node + 1]], Fraction(0))
    for node in range(1, tree.size):
        above = parent[node]
        reach[node] = reach[above] * prob[node] / total[above] if mover[above] == CHANCE else reach[above]
        if not node % 4096:
            check()
    return reach
