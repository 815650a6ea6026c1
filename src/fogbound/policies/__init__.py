"""Ways to play: each is a `Policy` of the game, exactly evaluable, and a controller where it is finite."""

from fogbound.policies.alpha import AlphaVectors, LooseVectors
from fogbound.policies.controller import LOST, Controller
from fogbound.policies.convert import controller
from fogbound.policies.mixture import Mixture, uniform_mixture
from fogbound.policies.plan import Plan
from fogbound.policies.seeing import Seeing
from fogbound.policies.tabular import Tabular
from fogbound.policies.uniform import Uniform

__all__ = [
    "LOST",
    "AlphaVectors",
    "Controller",
    "LooseVectors",
    "Mixture",
    "Plan",
    "Seeing",
    "Tabular",
    "Uniform",
    "controller",
    "uniform_mixture",
]
