"""The value of a game between one who does not see and one who sees everything: what is surely had, what is never had.

The value is the blind player's: the most that a strategy of its own guarantees, whatever the other does. Each side has
its own evidence (`lower`, `upper`), and is never worse than the bound that needs none: the least
(largest) reward of a step, or 0 since play may end, in every step for as long as play can last.
"""

from collections.abc import Mapping
from fractions import Fraction

from ..arrays import Array
from . import lower, upper
from .form import read_one_sided


def interval(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> tuple[Fraction, Fraction]:
    """An interval that holds the value of the game."""
    game = read_one_sided(form, certificate)
    lasting = sum((weight * game.wait[state] for state, weight in game.start.items()), Fraction(0))
    low, high = lasting * Fraction(game.least_reward), lasting * Fraction(game.most_reward)
    if any(name in certificate for name in lower.EVIDENCE):
        low = max(low, lower.lower(game, certificate))
    if any(name in certificate for name in upper.EVIDENCE):
        proven = upper.upper(game, certificate)
        high = high if proven is None else min(high, proven)
    return game.paid + low, game.paid + high
