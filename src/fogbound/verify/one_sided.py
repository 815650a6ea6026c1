"""The value of a game between one who does not see and one who sees everything: what is surely had, what is never had.

The value is the blind player's: the most that a strategy of its own guarantees, whatever the other does. Each side has
its own evidence (`one_sided_lower`, `one_sided_upper`), and is never worse than the bound that needs none: the least
(largest) pay of a step, or 0 since play may end, in every step for as long as play can last.
"""

from collections.abc import Mapping
from fractions import Fraction

from . import one_sided_lower, one_sided_upper
from .array import Array
from .one_sided_form import read_fog


def interval(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> tuple[Fraction, Fraction]:
    """An interval that holds the value of the game."""
    fog = read_fog(form, certificate)
    lasting = sum((weight * fog.wait[state] for state, weight in fog.start.items()), Fraction(0))
    low, high = lasting * Fraction(fog.least_pay), lasting * Fraction(fog.most_pay)
    if any(name in certificate for name in one_sided_lower.EVIDENCE):
        low = max(low, one_sided_lower.lower(fog, certificate))
    if any(name in certificate for name in one_sided_upper.EVIDENCE):
        found = one_sided_upper.upper(fog, certificate)
        high = high if found is None else min(high, found)
    return fog.paid + low, fog.paid + high
