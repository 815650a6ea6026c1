"""Document 003, partially observable Markov games: the Nash condition over plans, and the dominance program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import fogbound as fb
from fogbound import evaluation, forms
from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.posg.posg_dp import dynamic_programming, undominated_plans, witness
from fogbound_papers.claim import Claim, verdict

PLACE = "POMG"
CLOSE = 1e-9
MOST = 10_000  # plans


def claims(folder: Path | None) -> Iterator[Claim]:  # noqa: ARG001
    """The two displays."""
    yield _nash_condition()
    yield _dominance()


def _nash_condition() -> Claim:
    """Every plan of every player against the belief that the others' equilibrium plans and the start make."""
    game = fb.game("horizon(game=adversarial-tiger, steps=2)")
    found = fb.solve(game, "sequence-lp", gap=1e-9)
    matrix = forms.normal(game)
    mixed = [_mixture(matrix, i, evaluation.behaviour(matrix.sequence, i, found.policy(i))) for i in (0, 1)]
    gains = [matrix.payoff[..., 0] @ mixed[1], mixed[0] @ matrix.payoff[..., 1]]
    worst = max(float(gain.max() - gain @ mixed[i]) for i, gain in enumerate(gains))
    plans = " x ".join(str(len(weights)) for weights in mixed)
    return Claim(
        "no plan does better at the belief over the others' plans and states", PLACE, "0 or less",
        f"{max(worst, 0.0):.1g}", verdict(worst <= CLOSE),
        f"adversarial tiger, 2 steps: all {plans} plans against the equilibrium of the sequence form",
    )  # fmt: skip


def _mixture(matrix: forms.NormalForm, player: int, played: Floats) -> Floats:
    """Weights of pure plans with the realisation weights of a behaviour (Kuhn 1953), by products."""
    plex = matrix.sequence.plexes[player]
    weights = []
    for row in matrix.weights[player]:
        chance = 1.0
        for first, size, parent in zip(plex.first, plex.size, plex.parent):
            if row[parent]:
                chance *= float(played[first : first + size] @ row[first : first + size])
        weights.append(chance)
    return np.array(weights) / sum(weights)


def _dominance() -> Claim:
    """Dynamic programming for teams with the slides' test, and with the difference the other way round."""
    table = forms.table(fb.game("horizon(game=broadcast-channel, steps=2)"))
    right = float(dynamic_programming(table, MOST, undominated_plans).worth[..., 0].max())
    printed = float(dynamic_programming(table, MOST, as_printed).worth[..., 0].max())
    keeps = abs(printed - right) <= CLOSE
    return Claim(
        "plans for which the program finds a margin may be forgotten", PLACE, "the optimum is kept",
        f"{printed:g} instead of {right:g}", verdict(keeps),
        "broadcast channel, 2 steps: the difference stands the wrong way round, so that plans go which are best "
        "elsewhere; turned round it is Hansen, Bernstein and Zilberstein's, and 2 is the published optimum",
    )  # fmt: skip


def as_printed(values: Floats) -> Longs:
    """The plans that the slides' program leaves: those beaten by every other one at no belief."""
    scaled, kept = values / highs.power_of_two(values), list(range(len(values)))
    for plan in range(len(values)):
        others = [other for other in kept if other != plan]
        if others and witness(-scaled, plan, others)[0] >= 0:
            kept.remove(plan)
    return np.array(kept)
