"""How many steps play has left, whoever decides: what a fault of 1 in every step comes to at most.

Let w be linear in beliefs, w(s) >= 1 + g sum_s' P(s' | s, a) w(s') for all rows, and w >= 0; so w >= 1.
  g < 1: w = 1 / (1 - g).
  g = 1: let W be the claimed steps and sigma the largest 1 + P_a W - W over all rows. If sigma < 1, the state of
         least W has W (1 - P_a 1) >= 1 - sigma, so W > 0 everywhere; then w = W / (1 - sigma) will do, and
         bounds the expected steps under any policy: play ends, and every policy has a finite value.
"""

from collections.abc import Mapping
from fractions import Fraction

from ..arithmetic import exact
from ..arrays import Array, Refused, floats
from .form import POMDP

STEPS = "steps_left"


def toll(pomdp: POMDP, certificate: Mapping[str, Array]) -> Fraction | None:
    """w at the start; None where nothing is discounted and nothing is said about how long play takes."""
    if pomdp.discount < 1:
        return 1 / (1 - pomdp.discount)
    if STEPS not in certificate:
        return None
    claimed, beat = exact(floats(certificate, STEPS, len(pomdp.labels)))
    wait = [steps if pomdp.runs(state) else 0 for state, steps in enumerate(claimed)]
    expected = [
        Fraction(sum(weight * wait[after] for _, after, weight in outcomes), total * beat)
        for outcomes, total in zip(pomdp.outcomes, pomdp.total)
    ]
    drift = [
        1 + expected[row] - Fraction(steps, beat)
        for state, steps in enumerate(wait)
        for row in range(pomdp.row[state], pomdp.row[state + 1])
    ]
    sigma = max(drift, default=Fraction(0))
    if sigma >= 1:
        raise Refused("play is not certified to end whatever is done")
    return expected[0] / (1 - sigma)
