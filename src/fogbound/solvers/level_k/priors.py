"""What a level believes about the levels below it."""

from __future__ import annotations

import math

from fogbound.core.errors import SpecError

NAMES = ("uniform", "poisson", "previous")
Prior = str | tuple[float, ...]


def check(prior: Prior, tau: float) -> None:
    """Whether it can be a prior at all."""
    if isinstance(prior, str) and prior not in NAMES:
        raise SpecError(f"level-k: prior is {prior!r}, expected {', '.join(NAMES)} or a list of weights, [1, 2, 1]")
    if not isinstance(prior, str):
        numbers = all(isinstance(w, int | float) and math.isfinite(w) and w >= 0 for w in prior)
        if not numbers or not prior or prior[0] <= 0:
            raise SpecError(
                f"level-k: prior is {list(prior)}, expected weights of levels 0, 1, … that are not negative, the first "
                "above 0 (level 1 has nobody else to believe in)"
            )
    if not (tau > 0 and math.isfinite(tau)):
        raise SpecError(f"level-k: tau is {tau!r}, expected a finite number above 0")


def weights(prior: Prior, tau: float, level: int) -> tuple[float, ...]:
    """The weights of levels 0 to `level` - 1 in the eyes of `level`, adding up to 1.

    `poisson` is the cognitive hierarchy of Camerer, Ho and Chong (2004): a Poisson distribution of mean tau, cut off
    at one's own level. `previous` is the classical chain, in which everybody expects the level just below.
    """
    if prior == "uniform":
        raw = [1.0] * level
    elif prior == "previous":
        raw = [0.0] * (level - 1) + [1.0]
    elif prior == "poisson":
        logs = [j * math.log(tau) - math.lgamma(j + 1) for j in range(level)]
        raw = [math.exp(log - max(logs)) for log in logs]
    else:
        raw = [float(prior[j]) if j < len(prior) else 0.0 for j in range(level)]
    raw = [w / max(raw) for w in raw]  # large weights must not overflow
    total = math.fsum(raw)
    return tuple(w / total for w in raw)
