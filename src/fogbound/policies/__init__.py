"""Ways to play: each is a `Policy` of the game, exactly evaluable, and a controller where it is finite."""

from fogbound.policies.alike import alike
from fogbound.policies.alpha import AlphaVectors, LooseVectors
from fogbound.policies.controller import LOST, Controller
from fogbound.policies.convert import controller
from fogbound.policies.ladder import Ladder, ladder
from fogbound.policies.mixture import Mixture, uniform_mixture
from fogbound.policies.plan import Plan
from fogbound.policies.seeing import Seeing
from fogbound.policies.tabular import Tabular
from fogbound.policies.trembling import Trembling, trembling
from fogbound.policies.uniform import Uniform

__all__ = [
    "LOST",
    "AlphaVectors",
    "Controller",
    "Ladder",
    "LooseVectors",
    "Mixture",
    "Plan",
    "Seeing",
    "Tabular",
    "Trembling",
    "Uniform",
    "alike",
    "controller",
    "ladder",
    "trembling",
    "uniform_mixture",
]
