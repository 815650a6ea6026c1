"""Whether posteriors keep their word: of all that is called 80 % probable, about 80 % should be true.

Logs are simulated from levels drawn from the prior, the posterior of each is computed, and predictions are sorted
by size beside how often they came true. A proper score (Brier 1950; the logarithm, Good 1952) says in one number how
good the predictions are, and what the prior alone would have scored stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fogbound.arena.log import CUT_STEPS, Record, record_until
from fogbound.arena.match import wilson
from fogbound.core.errors import SpecError, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.forms.arrays import Floats, Ints
from fogbound.inference.levels.opponent import Candidates, LogEvidence
from fogbound.policies.mixture import trembling


@dataclass(frozen=True)
class Bin:
    """Predictions of about the same size: how many, their mean, how often they came true, with Wilson's interval."""

    low: float
    high: float
    count: int
    predicted: float
    true: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Calibration:
    """Bins that are not empty, and scores (small is good) of the posterior and of the prior alone."""

    logs: int
    bins: tuple[Bin, ...] = field(repr=False)
    brier: float
    log_score: float  # in nats
    prior_brier: float
    prior_log_score: float
    right: float  # how often the most probable class was the true one


def simulated(
    game: AnyGame,
    candidates: Candidates,
    other: Strategy,
    logs: int,
    games: int,
    rate: float,
    rng: np.random.Generator,
) -> tuple[Ints, list[list[Record]]]:
    """Levels drawn from the prior, and a log of `games` games of each against `other`."""
    if len(game.players) != 2:
        raise SpecError(f"{game} has {many(len(game.players), 'player')}, expected 2")
    levels = rng.choice(len(candidates.policies), size=logs, p=candidates.prior)
    seeds = rng.integers(2**63, size=logs)
    results = []
    for level, seed in zip(levels.tolist(), seeds.tolist()):
        them = trembling(candidates.policies[level], rate)
        pair = (them, other) if candidates.player == 0 else (other, them)
        results.append(record_until(game, pair, games, CUT_STEPS, seed))
    return levels, results


def calibrate(
    game: AnyGame,
    candidates: Candidates,
    other: Strategy,
    rng: np.random.Generator,
    logs: int = 1_000,
    games: int = 1,
    rate: float = 0.02,
    view: int | None = None,
    bins: int = 10,
) -> Calibration:
    """How reliable posteriors from `games` games against `other` are, over simulated logs of known levels."""
    if logs < 1 or games < 0 or bins < 1:
        raise SpecError(f"calibrate: {logs} logs of {games} games in {bins} bins, expected at least 1, 0 and 1")
    levels, played = simulated(game, candidates, other, logs, games, rate, rng)
    by_level = LogEvidence(candidates, played, view).posterior_by_level(rate)
    home = {level: k for k, members in enumerate(candidates.classes) for level in members}
    truth = np.array([home[level] for level in levels.tolist()])
    return judged(candidates.by_class(by_level), truth, candidates.class_prior, bins)


def judged(predicted: Floats, truth: Ints, prior: Floats, bins: int = 10) -> Calibration:
    """Predictions [logs, C] held against the true classes [logs]."""
    happened = np.zeros(predicted.shape)
    happened[np.arange(len(truth)), truth] = 1.0
    where = np.minimum((predicted * bins).astype(np.int64), bins - 1)
    listed = []
    for k in np.unique(where).tolist():
        said, came = predicted[where == k], happened[where == k]
        rate = float(came.mean())
        listed.append(Bin(k / bins, (k + 1) / bins, len(said), float(said.mean()), rate, wilson(rate, len(said))))
    alone = np.broadcast_to(prior, predicted.shape)
    right = float((predicted.argmax(axis=1) == truth).mean())
    scores = (*_scores(predicted, happened), *_scores(alone, happened))
    return Calibration(len(truth), tuple(listed), *scores, right)


def _scores(predicted: Floats, happened: Floats) -> tuple[float, float]:
    """Brier's score and the logarithmic one, a log."""
    with np.errstate(divide="ignore"):
        surprise = -np.log(predicted[happened > 0])
    return float(((predicted - happened) ** 2).sum(axis=1).mean()), float(surprise.mean())
