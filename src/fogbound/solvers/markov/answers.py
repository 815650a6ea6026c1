"""What every solver of Markov games reports: policies on a grid that the checker judges as they stand, and bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import FormError, many
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Progress
from fogbound.driver.solver import EQUILIBRIUM, Solver
from fogbound.evaluation.markov import markov_values
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.markov import MarkovGame, require_discounted
from fogbound.policies.perfect_information import MarkovPolicy

GRID = float(1 << 50)  # probabilities are multiples of its inverse: their sum is exactly 1, also in rationals
ROUNDING = 16 * np.finfo(float).eps  # of the largest value: sweeps that move nothing by more are over


class MarkovSolver(Solver[MarkovGame]):
    """A solver of Markov games; most look for equilibria."""

    form: ClassVar[type[MarkovGame]] = MarkovGame
    finds: ClassVar[str] = EQUILIBRIUM


def first_best(values: Floats, begins: Longs, wide: Longs) -> Longs:
    """[runs] where the first of the largest values of each run stands, in runs without gaps that are this wide."""
    owner = np.repeat(np.arange(len(begins)), wide)
    hits = np.flatnonzero(values >= np.maximum.reduceat(values, begins)[owner]) if len(begins) else begins
    return hits[np.searchsorted(owner[hits], np.arange(len(begins)))]


def gridded(form: MarkovGame, played: Sequence[Floats]) -> list[Floats]:
    """The same as multiples of 2^-50 that sum to exactly 1; what is missing goes to the likeliest action."""
    rounded = []
    for probabilities, first in zip(played, form.first):
        begins = first[:-1][form.live]
        parts = np.floor(np.maximum(probabilities, 0.0) * GRID)
        if len(begins):
            likeliest = first_best(parts, begins, np.diff(first)[form.live])
            parts[likeliest] += GRID - np.add.reduceat(parts, begins)
        rounded.append(parts / GRID)
    return rounded


def policies(form: MarkovGame, played: Sequence[Floats]) -> dict[int, Strategy]:
    """A policy for each player."""
    return {i: MarkovPolicy(form, i, probabilities) for i, probabilities in enumerate(gridded(form, played))}


def zero_sum_answer(
    form: MarkovGame, low: Floats, high: Floats, played: Sequence[Floats], details: Mapping[str, Any] | None = None
) -> Progress:
    """Bounds [S] on player 0's values, and both ways to play; `played` must not change any more."""
    lower, upper = (float(form.paid[0] + form.start @ bound) for bound in (low, high))
    return Progress((lower + upper) / 2, lower, upper, lambda: policies(form, played), details or {})


def profile_answer(
    form: MarkovGame, played: Sequence[Floats], details: Mapping[str, Any] | None = None, **more: Any
) -> Progress:
    """A profile with what it earns and what best replies would, in every state.

    Two players and a constant sum: the bounds are what each policy guarantees. Otherwise the gap is the largest regret
    of any player in any state, since a Markov equilibrium is one from every state on.
    """
    played = gridded(form, played)
    measured = markov_values(form, played)
    values, best = measured.values, measured.best_values
    said = {**(details or {}), "values": list(values), "regret": measured.regret}
    if form.constant_sum is not None:
        lower, upper = form.constant_sum - best[1], best[0]
        return Progress(values[0], lower, upper, lambda: policies(form, played), said, **more)
    return Progress(
        *(values[0], values[0], best[0], lambda: policies(form, played), said, measured.regret),
        values=values,
        best=best,
        **more,
    )


def require_zero_sum(form: MarkovGame, who: str) -> None:
    """Refuse games whose stage games have no value, and those that ask for an average."""
    if len(form.players) != 2:
        other = "value-iteration or policy-iteration" if len(form.players) == 1 else "markov-nash"
        raise FormError(f"{who}: {form.spec} has {many(len(form.players), 'player')}, expected 2; use {other}")
    if form.constant_sum is None:
        raise FormError(
            f"{who}: {form.spec} is not zero-sum: what the players get adds up to different totals; use markov-nash"
        )
    require_discounted(form, who)
