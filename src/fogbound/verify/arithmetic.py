"""Turning any numbers into distributions, and exact results into floats, without ever losing a proof.

The checker repairs and never tolerates: whatever weights arrive, what is judged is an honest distribution.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from .arrays import Array, Refused, floats


def exact(values: Sequence[float]) -> tuple[list[int], int]:
    """Integers and one power of two: values[k] == integers[k] / power, exactly."""
    try:
        ratios = {value: value.as_integer_ratio() for value in set(values)}
    except (ValueError, OverflowError):
        raise Refused("a number is NaN or infinite") from None
    power = max((below for _, below in ratios.values()), default=1)
    table = {value: above * (power // below) for value, (above, below) in ratios.items()}
    return [table[value] for value in values], power


def shares(weights: Sequence[float]) -> tuple[list[int], int]:
    """The shortest integers in exact proportion to the weights, and their sum.

    Negative weights count as 0; if nothing is left, all moves weigh the same.
    """
    if not weights:
        raise Refused("a distribution over nothing")
    clipped = [above if above > 0 else 0 for above in exact(weights)[0]]
    divisor = math.gcd(*clipped)
    if divisor == 0:
        return [1] * len(clipped), len(clipped)
    parts = [part // divisor for part in clipped]
    return parts, sum(parts)


def shares_of(weights: Sequence[float], name: str) -> tuple[list[int], int]:
    """Exact proportions of weights that must be some, and not negative."""
    if min(weights) < 0 or max(weights) <= 0:
        raise Refused(f"{name!r} holds a negative number, or a row of zeros")
    return shares(weights)


def row(weights: Sequence[float]) -> list[Fraction]:
    """The weights as an exact distribution."""
    parts, total = shares(weights)
    return [Fraction(part, total) for part in parts]


def grid_row(weights: Sequence[float], bits: int = 40) -> list[int]:
    """Nonnegative integers with sum 2**bits, nearest to the weights (largest remainders, ties to the first).

    A row that already lies on the grid comes back as it was, so a strategy stored as multiples of 2**-40 is
    judged exactly as stored.
    """
    parts, total = shares(weights)
    cut = [divmod(part << bits, total) for part in parts]
    missing = (1 << bits) - sum(whole for whole, _ in cut)
    grid = [whole for whole, _ in cut]
    for k in sorted(range(len(cut)), key=lambda k: -cut[k][1])[:missing]:
        grid[k] += 1
    return grid


def claimed_steps(certificate: Mapping[str, Array], states: int) -> tuple[list[int], int]:
    """The claimed 'steps' of every state until play ends, which must be there, in integers over one power of two."""
    if "steps" not in certificate:
        raise Refused("array 'steps' is missing: without discount, nothing is known before play is known to end")
    return exact(floats(certificate, "steps", states))


def certified_waits(steps: Sequence[int], beat: int, sigma: Fraction) -> list[Fraction]:
    """How long play lasts at most, by claimed steps over `beat` and the largest 1 + P W - W of them."""
    if sigma >= 1:
        raise Refused("play is not certified to end whatever is done")
    return [Fraction(one, beat) / (1 - sigma) for one in steps]


def down(x: Fraction) -> float:
    """The largest float <= x (minus infinity below all of them)."""
    try:
        rounded = float(x)
    except OverflowError:
        rounded = math.inf if x > 0 else -math.inf
    while rounded == math.inf or (rounded != -math.inf and Fraction(rounded) > x):
        rounded = math.nextafter(rounded, -math.inf)
    return rounded


def up(x: Fraction) -> float:
    """The smallest float >= x (infinity above all of them)."""
    return -down(-x)
