"""The reduced normal form in exact arithmetic: one array of integers for each player, with its denominator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import LimitError
from fogbound.forms.normal import NormalForm
from fogbound.forms.tree import Tree
from fogbound.solvers.all_equilibria.exact_tree import ExactTree, Plan, exact_tree
from fogbound.solvers.matrix.exact import Integers

MOST_CELLS = 200_000  # of the normal form, in exact arithmetic
LARGEST = 2**62  # what machine integers hold
Mixed = tuple[Fraction, ...]  # a mixed strategy: the probability of each pure one
Profile = tuple[Mixed, ...]


@dataclass(frozen=True, eq=False)
class ExactGame:
    """A game with its tree and its normal form in fractions.

    Parameters
    ----------
    form
        The reduced normal form, whose pure strategies are meant.
    tree
        The tree in fractions.
    payoffs
        Of each player, [J0, …, Jn-1] integers.
    denominators
        Of each player, by what its integers are divided.
    """

    form: NormalForm
    tree: ExactTree
    payoffs: tuple[Integers, ...]
    denominators: tuple[int, ...]

    @property
    def players(self) -> int:
        return len(self.payoffs)

    @property
    def widths(self) -> tuple[int, ...]:
        return self.payoffs[0].shape

    @cached_property
    def plans_of_pure(self) -> tuple[list[tuple[int, ...]], ...]:
        """Of each player and pure strategy, the sequences that it plays."""
        return tuple([tuple(np.flatnonzero(row).tolist()) for row in weights] for weights in self.form.weights)

    def plan(self, player: int, mixed: Mixed) -> Plan:
        """The realisation weights of a mixed strategy."""
        weights = [Fraction(0)] * self.form.weights[player].shape[1]
        for strategy, p in enumerate(mixed):
            if p:
                for q in self.plans_of_pure[player][strategy]:
                    weights[q] += p
        return tuple(weights)

    def worth(self, player: int, profile: Profile) -> list[Fraction]:
        """What each pure strategy of a player pays against the others' mixed strategies."""
        played = [[k for k, p in enumerate(own) if p or i == player] for i, own in enumerate(profile)]
        left = self.payoffs[player][np.ix_(*played)]
        for i in reversed(range(self.players)):
            if i != player:
                left = np.tensordot(left, np.array([profile[i][k] for k in played[i]], object), axes=(i, 0))
        return [Fraction(v) / self.denominators[player] for v in left.tolist()]

    def payoff(self, profile: Profile) -> tuple[Fraction, ...]:
        """What a profile pays each player."""
        return tuple(
            sum((p * v for p, v in zip(profile[i], self.worth(i, profile))), Fraction(0)) for i in range(self.players)
        )

    def cell(self, strategies: Sequence[int]) -> tuple[Fraction, ...]:
        """What a profile of pure strategies pays each player."""
        at = tuple(strategies)
        return tuple(Fraction(int(own[at]), below) for own, below in zip(self.payoffs, self.denominators))


def exact_game(tree: Tree, form: NormalForm) -> ExactGame:
    """The normal form of a tree, once more from its ends, in exact arithmetic."""
    widths = tuple(len(w) for w in form.weights)
    if math.prod(widths) > MOST_CELLS:
        raise LimitError(
            f"{form.spec}: {form.describe()}, over the limit of {MOST_CELLS:,} cells for exact arithmetic, so its "
            "equilibria are not listed. For one equilibrium: fogbound solve"
        )
    exact = exact_tree(tree)
    paid = _by_sequences(exact)
    below = [math.lcm(*(v[i].denominator for v in paid.values())) for i in range(exact.players)]
    playing = [[np.flatnonzero(column) for column in weights.T] for weights in form.weights]
    tensors = []
    for i in range(exact.players):
        whole = {at: int(v[i] * below[i]) for at, v in paid.items()}
        small = sum(map(abs, whole.values())) < LARGEST
        tensor: Integers = np.zeros(widths, np.int64 if small else object)
        for at, v in whole.items():
            check()
            tensor[np.ix_(*(playing[j][q] for j, q in enumerate(at)))] += v
        tensors.append(tensor.astype(object))
    return ExactGame(form, exact, tuple(tensors), tuple(below))


def _by_sequences(tree: ExactTree) -> dict[tuple[int, ...], list[Fraction]]:
    """What is paid where sequences meet, times the probability of chance's part."""
    paid: dict[tuple[int, ...], list[Fraction]] = {}
    for node, payoff in enumerate(tree.payoff):
        if payoff:
            total = paid.setdefault(tree.sequence[node], [Fraction(0)] * tree.players)
            for i, v in enumerate(payoff):
                total[i] += v * tree.chance_reach[node]
    return paid
