"""Values of games that are published or known exactly, with where they come from: for a game's page, and for tests.

A value is what player 0 gets. Each is found again by the solver that is named, within the tolerance.
"""

from __future__ import annotations

from typing import NamedTuple


class KnownValue(NamedTuple):
    """A value that somebody else found."""

    game: str  # the spec
    value: float
    source: str
    solver: str = "sequence-lp"  # what finds it again
    tolerance: float = 1e-12


KNOWN_VALUES = (
    KnownValue("rock-paper-scissors", 0.5, "symmetric, payoffs 1, 1/2, 0"),
    KnownValue("rock-paper-scissors(biased=true)", 0.5, "symmetric; mixed .4 .4 .2"),
    KnownValue("king-ace", 0.0, "slides on dynamic games, 4x4 table: saddle point at 0"),
    KnownValue("card-poker(ranks=3)", -1 / 18, "Kuhn 1950"),
    KnownValue("card-poker(ranks=4)", -1 / 24, "exact rational LP"),
    KnownValue("card-poker(ranks=5)", -1 / 15, "exact rational LP"),
    KnownValue("card-poker(ranks=8)", -1 / 16, "Oliehoek, Spaan and Vlassis 2005, section 5: 0.0625 to the dealer"),
    KnownValue("myerson-poker", 1 / 3, "Myerson 1991, section 2.1"),
    KnownValue("beer-quiche", 2.9, "Cho and Kreps 1987, section II: both types have beer", "lemke-howson"),
    KnownValue("leduc", -0.0856064241, "OpenSpiel and others", tolerance=1e-8),
    KnownValue("goofspiel(cards=4)", 0.0, "symmetric", tolerance=1e-9),
    KnownValue("nim(heaps=[1, 2, 3])", -1.0, "Bouton 1901: nim-sum 0"),
    KnownValue("nim(heaps=[2, 1], misere=true)", 1.0, "Bouton 1901: leave one"),
    KnownValue("repeated(matrix=uneven)", 7.5, "one state [[3, 0], [0, 1]]: 3/4 of a unit, ten times", "shapley", 1e-9),
    KnownValue("repeated(matrix=matching-pennies)", 0.0, "symmetric", "shapley", 1e-9),
    KnownValue(
        "soccer", 0.2184844404, "exact certificate [.218484440226, .218484440618], found elsewhere", "shapley", 1e-9
    ),
    KnownValue("soccer(goal=resets)", 0.2184844404, "what follows a goal is worth 0", "shapley", 1e-9),
    KnownValue("soccer(ball=coin)", 0.0, "symmetric", "shapley", 1e-9),
    KnownValue(
        "tiger",
        19.3716,
        "Cassandra, Kaelbling and Littman 1994; bounds of APPL's SARSOP: 19.3711 to 19.3721",
        "belief-mdp",
        0.0005,
    ),
)
