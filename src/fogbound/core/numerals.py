"""Numbers as people write them, in pictures and on the command line alike."""

from __future__ import annotations

import math

ROUNDING = 5e-16  # what is closer to 0 is rounding, not a value
EXACT = 1e-9  # a probability that is closer to 0 or 1 is that
LARGEST_DENOMINATOR = 60  # of fractions that are written as such


def number(value: float, digits: int = 4, sign: bool = False) -> str:
    """A number in so many significant digits: a true minus, no needless zeros."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) < ROUNDING:
        return "0"
    plain = f"{value:{'+' if sign else ''}.{digits}g}"
    mantissa, _, power = plain.partition("e")
    return (f"{mantissa}e{int(power)}" if power else plain).replace("-", "−")


def decimal(p: float) -> str:
    """A probability to two places that is never rounded to a certainty it is not."""
    if EXACT < p < 0.005:
        return "<0.01"
    return ">0.99" if 0.995 <= p < 1 - EXACT else f"{p:.2f}"


def chance(p: float) -> str:
    """A probability as the short fraction that it is, or as a decimal."""
    from fractions import Fraction

    ratio = Fraction(p).limit_denominator(LARGEST_DENOMINATOR)
    return str(ratio) if abs(float(ratio) - p) < EXACT and ratio else f"{p:.3g}"
