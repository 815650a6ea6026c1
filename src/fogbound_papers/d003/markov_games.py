"""Document 003, Markov games: the nonlinear program whose minimum is to be a Nash equilibrium at every state.

Document 003, partially observable Markov games: the Nash condition over plans, and the dominance program.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import fogbound as fb
from fogbound import draw, evaluation, forms
from fogbound.driver.solution import Solution
from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.posg.posg_dp import dynamic_programming, undominated_plans, witness
from fogbound_papers.claim import Claim, compare_solution, verdict

GAMES = [f"random-markov(seed={seed}, size={size}, choices={choices})" for seed, size, choices in
         ((1, 2, 2), (2, 2, 2), (3, 2, 2), (4, 2, 2), (5, 3, 2), (6, 3, 2), (7, 3, 3), (8, 4, 3))]  # fmt: skip
CLOSE = 1e-8
PLACE = "Markov games"


def claims(folder: Path | None) -> Iterator[Claim]:
    """One state, the program at equilibria, and how often its local search comes there."""
    one = fb.solve(one_state(), "shapley", gap=1e-9)
    yield compare_solution("one state, [[3, 0], [0, 1]], discount 0.9, is worth", PLACE, None, one, 1e-9)
    yield _at_equilibria()
    yield from _local_minima()
    soccer = fb.solve("soccer", "hoffman-karp", gap=1e-9)
    statement = "Littman's soccer, the ball with the first player, is worth"
    command = "fogbound solve soccer --with hoffman-karp"
    yield compare_solution(statement, PLACE, None, soccer, figure="003-soccer", command=command)
    if folder is not None:
        _draw(folder, soccer)
    yield _nash_condition()
    yield _dominance()


def _draw(folder: Path, soccer: Solution) -> None:
    """Soccer on its field, its bounds sweep by sweep, and a logit path."""
    draw.field(soccer, game=fb.game("soccer")).save(folder / "003-soccer.svg")
    swept = fb.solve("soccer", "shapley", gap=1e-6)
    draw.bounds(swept, title="soccer, sweep by sweep").save(folder / "003-soccer-bounds.svg")
    followed = fb.solve(GAMES[0], "markov-nash", gap=1e-9)
    draw.logit_path(followed, game=fb.game(GAMES[0])).save(folder / "003-logit-path.svg")


def one_state() -> forms.MarkovGame:
    """A matrix game, again and again."""
    pay = np.array([[3.0, 0.0], [0.0, 1.0]])
    return forms.markov(fb.markov_game(np.ones((1, 2, 2, 1)), pay[None], discount=0.9))


def _at_equilibria() -> Claim:
    """The program's objective and constraints at certified equilibria that another method found."""
    worst = 0.0
    for spec in GAMES:
        found = fb.solve(spec, "markov-nash", gap=1e-9)
        worst = max(worst, objective(spec, found))
    return Claim(
        "at a Nash equilibrium the program's constraints hold and its objective is", PLACE, "the least there is",
        f"{worst:.1g}", verdict(abs(worst) <= CLOSE),
        f"largest of {len(GAMES)} random games with U = each state's best reply, which is the least that is feasible; "
        "no objective can be below 0",
    )  # fmt: skip


def objective(game: str, found: Solution) -> float:
    """sum over players and states of U - Q(s, pi(s)), with U what the best reply earns."""
    values = evaluation.markov_values(fb.game(game), found)
    return float((values.best - values.value).sum())


def _local_minima() -> Iterator[Claim]:
    """How often one local search ends at 0, and what a minimum above 0 is worth."""
    reached, stuck = 0, []
    for spec in GAMES:
        found = fb.solve(spec, "stochastic-nlp", gap=1e-9)
        if "failed" in found.details:
            stuck.append(found.gap)
        else:
            reached += 1
    fails = "a minimum above 0 is no equilibrium, which the slide does not say"
    words = f"regrets elsewhere up to {max(stuck):.2g}: {fails}" if stuck else "from uniform play"
    ours = f"{reached} of {len(GAMES)} searches"
    yield Claim("minimising it finds a Nash equilibrium at every state", PLACE, "–", ours, "not stated", words)


POMG = "POMG"
EQUAL = 1e-9
MOST = 10_000  # plans


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
        "no plan does better at the belief over the others' plans and states", POMG, "0 or less",
        f"{max(worst, 0.0):.1g}", verdict(worst <= EQUAL),
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
    keeps = abs(printed - right) <= EQUAL
    return Claim(
        "plans for which the program finds a margin may be forgotten", POMG, "the optimum is kept",
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
