"""What document 000 leaves for others to try: other priors, levels that err, levels read from logs, larger games."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

import fogbound as fb
from fogbound.games.po_nim import PONim
from fogbound.inference.levels.calibration import calibrate
from fogbound.inference.levels.opponent import candidates
from fogbound.policies import Uniform
from fogbound.solvers.level_k.hierarchy import solve_levels
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d000.nim import NEARLY, TOP, nim

PRECISION = 2.0  # of levels that err
CONVERGED = 1e-4
LOGS, GAMES, KNOWN = 200, 10, 4  # logs, games in each, the highest level in question
LARGER = ("battleship", "stratego")
HIGH = 5


def claims() -> Iterator[Claim]:
    yield _poisson()
    yield _erring()
    yield _from_logs()
    yield _larger()


def _poisson() -> Claim:
    """The prior "can easily be changed": a cognitive hierarchy converges instead of falling."""
    both = [nim(prior="poisson").values(player) for player in (0, 1)]
    converged = [next(k for k in range(TOP) if max(v[k:]) - min(v[k:]) < CONVERGED) + 1 for v in both]
    ours = ", ".join(f"{v[-1]:+.4f}" for v in both)
    uniform = ", ".join(f"{nim().values(player)[-1]:+.4f}" for player in (0, 1))
    words = (
        f"level {TOP}, converged to {CONVERGED:g} from levels {converged[0]} and {converged[1]} on; "
        f"uniform, falling: {uniform}"
    )
    return Claim("a Poisson prior of mean 1.5 over levels", "§ V", "–", ours, "not stated", words)


def _erring() -> Claim:
    """Logit levels of precision 2: the value of the best reply to them."""
    game = PONim(discount=sqrt(NEARLY))
    sure, erring = (solve_levels(game, levels=2, precision=p) for p in (float("inf"), PRECISION))
    values = [[solved.solution(2, player).upper for player in (0, 1)] for solved in (sure, erring)]
    holds = all(less < more for more, less in zip(*values))
    ours = ", ".join(f"{v:+.2f}" for v in values[1])
    against = ", ".join(f"{v:+.2f}" for v in values[0])
    words = f"best replies to level 0 or a logit level 1 of precision {PRECISION:g}; to level 0 or 1 {against}"
    return Claim("stochastic levels are harder to beat", "§ V", "may be", ours, verdict(holds), words)


def _from_logs() -> Claim:
    """Levels drawn at random and recognised from what they did."""
    own = nim()
    policies = [own.hierarchy.policy(level, 1, slips=1) for level in range(KNOWN + 1)]
    them = candidates(own.game, 1, policies)
    score = calibrate(own.game, them, Uniform(), np.random.default_rng(0), logs=LOGS, games=GAMES)
    ours = f"{score.right:.0%} right"
    words = (
        f"levels 0 to {KNOWN} of the second player, {LOGS} logs of {GAMES} games against random play, hands slip; "
        f"Brier score {score.brier:.2f}, prior alone {score.prior_brier:.2f}"
    )
    return Claim(
        "levels can be learnt from recorded games",
        "§ V",
        "may be",
        ours,
        verdict(score.brier < score.prior_brier),
        words,
    )


def _larger() -> Claim:
    hierarchies = [solve_levels(fb.game(spec), levels=HIGH) for spec in LARGER]
    exact = sum(all(solution.converged for solution in solved.solutions) for solved in hierarchies)
    sizes = ", ".join(f"{solved.spec.split('(')[0]} {len(solved.table.states):,}" for solved in hierarchies)
    words = f"solved exactly, levels 1 to {HIGH} of both players, on our default boards; states: {sizes}"
    return Claim(
        "Battleship and Stratego as fully nested", "§ V", "–", f"{exact} of {len(LARGER)}", "not stated", words
    )
