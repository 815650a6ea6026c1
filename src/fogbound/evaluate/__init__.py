"""Exact answers about given policies: the value of a profile, what beats it, how far it is from safe."""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.evaluate.bandits import RegretCurve, bandit_regret
    from fogbound.evaluate.behaviour import behaviour, behaviours
    from fogbound.evaluate.chain import Chain, chain, value
    from fogbound.evaluate.dominance import Elimination, iterated_dominance, pure_equilibria
    from fogbound.evaluate.exploitability import BestResponse, Exploitability, best_response, expected, exploitability
    from fogbound.evaluate.local_best_response import LocalBestResponse
    from fogbound.evaluate.markov import MarkovValues, markov_behaviour, markov_values
    from fogbound.evaluate.obedience import obedience
    from fogbound.evaluate.particle_filter import ParticleFilter
    from fogbound.evaluate.reach import reach
    from fogbound.evaluate.simulate import ValueEstimate, simulate
    from fogbound.evaluate.tracking import track
    from fogbound.evaluate.visitation import Visitation, visitation

__all__ = [
    "BestResponse",
    "Chain",
    "Elimination",
    "Exploitability",
    "LocalBestResponse",
    "MarkovValues",
    "ParticleFilter",
    "RegretCurve",
    "ValueEstimate",
    "Visitation",
    "bandit_regret",
    "behaviour",
    "behaviours",
    "best_response",
    "chain",
    "expected",
    "exploitability",
    "iterated_dominance",
    "markov_behaviour",
    "markov_values",
    "obedience",
    "pure_equilibria",
    "reach",
    "simulate",
    "track",
    "value",
    "visitation",
]

lazy(__name__)
