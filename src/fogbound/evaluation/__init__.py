"""Exact answers about given policies: the value of a profile, what beats it, how far it is from safe."""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.evaluation.bandits import RegretCurve, bandit_regret
    from fogbound.evaluation.belief_words import track
    from fogbound.evaluation.chain import Chain, chain, reach, value
    from fogbound.evaluation.dominance import Elimination, iterated_dominance, pure_equilibria
    from fogbound.evaluation.exploitability import (
        BestResponse,
        Exploitability,
        behaviour,
        behaviours,
        best_response,
        expected,
        exploitability,
        obedience,
    )
    from fogbound.evaluation.local_best_response import LocalBestResponse
    from fogbound.evaluation.markov import MarkovValues, markov_behaviour, markov_values
    from fogbound.evaluation.particle_filter import ParticleFilter
    from fogbound.evaluation.simulate import ValueEstimate, simulate
    from fogbound.evaluation.visitation import Visitation, visitation

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
