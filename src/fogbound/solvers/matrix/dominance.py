"""Dominance by mixed strategies, one linear program a strategy.

A pure strategy that no pure strategy dominates may still be worse than a mixture, whatever the others do.
In two-player games what survives the strict test, again and again, is exactly what is rationalisable: a best
reply to some belief about rationalisable play (Pearce 1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fogbound.evaluation.dominance import Elimination, MixedStrategy, Removed, iterated_dominance, pure_dominator
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.matrix import exact

PLAYED = 1e-9  # probabilities below are rounding
MOST_PARTS = 1_000  # the largest denominator of a mixture in simple fractions
MARGIN = 1e-8  # of the largest payoff: what the linear program must win by, well above its tolerance


def mixed_dominance(form: NormalForm, strict: bool = True) -> Elimination:
    """Iterated elimination of strategies that a pure or mixed strategy dominates."""
    return iterated_dominance(form, strict, mixed_dominator)


@dataclass(frozen=True)
class Confirmed:
    """A removed strategy with its dominating mixture as fractions, and by how much that does better, exactly."""

    removed: Removed
    round: int  # from 1 on
    mixture: tuple[tuple[int, Fraction], ...]
    least: Fraction  # advantage, over all that the others may still do
    most: Fraction

    def holds(self, strict: bool) -> bool:
        return self.least > 0 if strict else self.least >= 0 and self.most > 0


def confirm_steps(form: NormalForm, elimination: Elimination) -> list[Confirmed]:
    """Every step of an elimination once more, in exact arithmetic: payoffs and mixtures are fractions."""
    payoff, steps = exact.rationals(form.payoff), []
    left = [set(range(len(w))) for w in form.weights]
    for number, gone in enumerate(elimination.rounds, 1):
        for one in gone:
            others = [sorted(part) for i, part in enumerate(left) if i != one.player]
            rows = np.moveaxis(payoff[..., one.player], one.player, 0)[
                np.ix_(range(len(form.weights[one.player])), *others)
            ]
            rows = rows.reshape(len(rows), -1)
            mixture = _fractions(one.mixture)
            advantage = sum(p * rows[k] for k, p in mixture) - rows[one.strategy]
            steps.append(Confirmed(one, number, mixture, min(advantage), max(advantage)))
        for one in gone:
            left[one.player].discard(one.strategy)
    return steps


def _fractions(mixture: Sequence[tuple[int, float]]) -> tuple[tuple[int, Fraction], ...]:
    """Probabilities as simple fractions where they are near some, divided by their sum."""
    near = [(k, Fraction(p).limit_denominator(MOST_PARTS)) for k, p in mixture]
    whole = near if abs(float(sum(p for _, p in near)) - 1.0) < PLAYED else [(k, Fraction(p)) for k, p in mixture]
    total = sum(p for _, p in whole)
    return tuple((k, p / total) for k, p in whole)


def mixed_dominator(payoffs: Floats, strategy: int, strict: bool, slack: float) -> MixedStrategy | None:
    """A strategy that dominates `strategy`: a pure one where there is one, else the best mixture.

    Strict: maximise the least advantage over all that the others may do. Weak: no disadvantage anywhere, to
    the linear program's tolerance, and the sum of advantages maximised.
    """
    by = pure_dominator(payoffs, strategy, strict, slack)
    if by is not None or len(payoffs) < 3:
        return by
    from scipy.sparse import csr_matrix

    advantage = (
        (payoffs - payoffs[strategy]) / highs.power_of_two(payoffs)
    ).T  # [situations, strategies]: none of its own
    situations, many = advantage.shape
    margin = np.full((situations, 1), -1.0 if strict else 0.0)
    cost = np.append(np.zeros(many), 1.0) if strict else np.append(advantage.sum(axis=0), 0.0)
    solution = highs.maximise(
        cost,
        np.zeros(many + 1),
        np.append(np.ones(many), np.inf),
        csr_matrix(np.vstack([np.append(np.ones(many), 0.0), np.hstack([advantage, margin])])),
        np.append(1.0, np.zeros(situations)),
        np.append(1.0, np.full(situations, np.inf)),
    )
    weights = np.where(solution.primal[:many] > PLAYED, solution.primal[:many], 0.0)
    weights[strategy] = 0.0
    if not weights.any():
        return None
    weights /= weights.sum()
    gained = advantage @ weights
    wins = gained.min() > MARGIN if strict else gained.max() > MARGIN and gained.min() >= -10 * highs.TOLERANCE
    return {k: float(weights[k]) for k in np.flatnonzero(weights).tolist()} if wins else None
