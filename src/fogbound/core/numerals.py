"""Numbers as people write them, in pictures and on the command line alike."""

from __future__ import annotations

import math

ROUNDING = 5e-16  # what is closer to 0 is rounding, not a value


def number(value: float, digits: int = 4, sign: bool = False) -> str:
    """A number in so many significant digits: a true minus, no needless zeros."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) < ROUNDING:
        return "0"
    plain = f"{value:{'+' if sign else ''}.{digits}g}"
    mantissa, _, power = plain.partition("e")
    return (f"{mantissa}e{int(power)}" if power else plain).replace("-", "−")
