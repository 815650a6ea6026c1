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
    return proven(form, certificate)[0]


def proven(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> tuple[tuple[Fraction, Fraction], Fraction]:
    """(An interval that holds the value of the game, by how much a claim of the evidence is wrong at most).

    The interval has paid for what is wrong. One who plays by the claims as they stand has not.
    """
    game = read_one_sided(form, certificate)
    lasting = sum((weight * game.wait[state] for state, weight in game.start.items()), Fraction(0))
    low, high = lasting * Fraction(game.least_reward), lasting * Fraction(game.most_reward)
    below = above = Fraction(0)
    if any(name in certificate for name in lower.EVIDENCE):
        had, below = lower.lower(game, certificate)
        low = max(low, had)
    if any(name in certificate for name in upper.EVIDENCE):
        held, above = upper.upper(game, certificate)
        high = high if held is None else min(high, held)
    return (game.paid + low, game.paid + high), max(below, above)
