"""Who am I playing? The level of an opponent, or the spread of levels over a population, from logs of games.

Levels of reasoning make definite players: each level of a player is one policy. So a log of games has a likelihood
under every level, and Bayes' rule does the rest. Only behaviour can be told apart: levels that play alike are one
class. Begin with `candidates`, then `posterior` for one opponent, `LogEvidence` and `population` for many.
"""

from fogbound.arena.log import record_until
from fogbound.inference.levels.calibration import Bin, Calibration, calibrate, simulated
from fogbound.inference.levels.likelihood import histories_for, log_likelihoods
from fogbound.inference.levels.mixture import Population, population
from fogbound.inference.levels.opponent import (
    Candidates,
    LevelPosterior,
    LogEvidence,
    candidates,
    classes,
    posterior,
)
from fogbound.inference.levels.slip_rate import SlipRate, rate_of_many, rate_of_one
from fogbound.inference.levels.solved import levels_of
from fogbound.inference.type_posterior import describe_levels

__all__ = [
    "Bin",
    "Calibration",
    "Candidates",
    "LevelPosterior",
    "LogEvidence",
    "Population",
    "SlipRate",
    "calibrate",
    "candidates",
    "classes",
    "describe_levels",
    "histories_for",
    "levels_of",
    "log_likelihoods",
    "population",
    "posterior",
    "rate_of_many",
    "rate_of_one",
    "record_until",
    "simulated",
]
