"""What can be concluded about others: their type during play, their level or behaviour from logs."""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.inference.behaviour import BehaviourEstimate, estimate
    from fogbound.inference.exploit import biased, learning_curve

__all__ = ["BehaviourEstimate", "biased", "estimate", "learning_curve"]

lazy(__name__)
