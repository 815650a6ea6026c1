"""Who am I playing? The level of an opponent, or the spread of levels over a population, from logs of games.

Levels of reasoning make definite players: each level of a seat is one policy. So a log of games has a likelihood
under every level, and Bayes' rule does the rest. Only behaviour can be told apart: levels that play alike are one
class. Begin with `candidates`, then `posterior` for one opponent, `Evidence` and `population` for many.
"""

from fogbound.arena.levels.calibration import Bin, Calibration, calibrate, simulated
from fogbound.arena.levels.candidates import Candidates, candidates
from fogbound.arena.levels.classes import classes
from fogbound.arena.levels.cut import record_until
from fogbound.arena.levels.evidence import Evidence
from fogbound.arena.levels.likelihood import histories_for, log_likelihoods
from fogbound.arena.levels.population import Population, population
from fogbound.arena.levels.posterior import Posterior, named, posterior
from fogbound.arena.levels.rates import Rate, rate_of_many, rate_of_one

__all__ = [
    "Bin",
    "Calibration",
    "Candidates",
    "Evidence",
    "Population",
    "Posterior",
    "Rate",
    "calibrate",
    "candidates",
    "classes",
    "histories_for",
    "log_likelihoods",
    "named",
    "population",
    "posterior",
    "rate_of_many",
    "rate_of_one",
    "record_until",
    "simulated",
]
