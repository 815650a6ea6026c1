"""The value of a partially observable decision process: what one plan earns, and what none exceeds.

Each side has its own evidence (`pomdp_lower`, `pomdp_upper`). A side without any gets the bound that needs none:
the smallest (largest) reward of a step, or 0 where play may end, in every step for ever.
"""

from collections.abc import Mapping
from fractions import Fraction

from . import pomdp_lower, pomdp_upper
from .array import Array
from .pomdp_form import Process, read_process
from .refused import Refused


def interval(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> tuple[Fraction, Fraction]:
    """An interval that holds the value of the best policy."""
    process = read_process(form)
    rewards = [0.0, *process.reward[1:]]
    if any(name in certificate for name in pomdp_lower.EVIDENCE):
        low = pomdp_lower.lower(process, certificate)
    else:
        low = _ever(process, min(rewards), "lower")
    if any(name in certificate for name in pomdp_upper.EVIDENCE):
        high = pomdp_upper.upper(process, certificate)
    else:
        high = _ever(process, max(rewards), "upper")
    return low, high


def _ever(process: Process, reward: float, side: str) -> Fraction:
    """The value of one reward in every step for ever, after what the start pays."""
    if process.discount == 1:
        raise Refused(f"no evidence for the {side} bound, and without discount nothing is known without it")
    return Fraction(process.reward[0]) + Fraction(reward) / (1 - process.discount)
