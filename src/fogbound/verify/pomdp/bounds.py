"""The value of a partially observable decision process: what one plan earns, and what none exceeds.

Each side has its own evidence: a controller (`lower`) or vectors (`vectors`) below, points (`upper`) above. A side
without any gets the bound that needs none: the smallest (largest) reward of a step, or 0 where play may end, in every
step for ever.
"""

from collections.abc import Mapping
from fractions import Fraction

from ..arrays import Array, Refused
from . import lower, upper, vectors
from .form import POMDP, read_pomdp


def interval(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> tuple[Fraction, Fraction]:
    """An interval that holds the value of the best policy."""
    pomdp = read_pomdp(form)
    rewards = [0.0, *pomdp.reward[1:]]
    followed, greedy, above = (_given(certificate, kind.EVIDENCE) for kind in (lower, vectors, upper))
    if followed and greedy:
        raise Refused("two kinds of evidence for the lower bound, a controller and vectors: expected one")
    if followed:
        low = lower.lower(pomdp, certificate)
    elif greedy:
        low = vectors.lower(pomdp, certificate)
    else:
        low = _ever(pomdp, min(rewards), "lower")
    high = upper.upper(pomdp, certificate) if above else _ever(pomdp, max(rewards), "upper")
    return low, high


def _given(certificate: Mapping[str, Array], names: tuple[str, ...]) -> bool:
    return any(name in certificate for name in names)


def _ever(pomdp: POMDP, reward: float, side: str) -> Fraction:
    """The value of one reward in every step for ever, after the reward of the start."""
    if pomdp.discount == 1:
        raise Refused(f"no evidence for the {side} bound, and without discount nothing is known without it")
    return Fraction(pomdp.reward[0]) + Fraction(reward) / (1 - pomdp.discount)
