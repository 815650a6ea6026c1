"""Classical games in normal form: who may do what, and what every combination of actions pays.

Luce and Raiffa, "Games and Decisions" (1957), for the dilemma, the battle and the pennies; Aumann, "Subjectivity and
correlation in randomized strategies" (1974), for the chicken that is named after him, in which a mediator brings both
players 21/4 where the mixed equilibrium brings 14/3; Shapley, "Some topics in two-person games" (1964), for the game in
which fictitious play circles for ever; Moulin and Vial (1978) for one in which it is worth something to promise
obedience before the mediator speaks; McKelvey and McLennan, "The maximal number of regular totally mixed Nash
equilibria" (1997), for three players with nine equilibria, two of them totally mixed; McKelvey and Palfrey, "Quantal
response equilibria for normal form games" (1995), figure 1 with A = B = 5, whose logit path does not end at the only
perfect equilibrium (down, right) but at (1/2, 0, 1/2) of both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

ONE_TWO_THREE = ("1", "2", "3")


class PayoffMatrix(NamedTuple):
    """`payoffs[a][b]…` are what the players get, in their order, when they do a, b, …"""

    actions: tuple[tuple[str, ...], ...]
    payoffs: Any


def _two(first: tuple[str, ...], payoffs: Any, second: tuple[str, ...] = ()) -> PayoffMatrix:
    return PayoffMatrix((first, second or first), payoffs)


MATRICES: dict[str, PayoffMatrix] = {
    "prisoners-dilemma": _two(("cooperate", "defect"), (((3, 3), (0, 5)), ((5, 0), (1, 1)))),
    "matching-pennies": _two(("heads", "tails"), (((1, -1), (-1, 1)), ((-1, 1), (1, -1)))),
    "uneven": _two(("left", "right"), (((3, -3), (0, 0)), ((0, 0), (1, -1)))),
    "battle-of-the-sexes": _two(("ballet", "boxing"), (((2, 1), (0, 0)), ((0, 0), (1, 2)))),
    "stag-hunt": _two(("stag", "hare"), (((4, 4), (0, 3)), ((3, 0), (3, 3)))),
    "chicken": _two(("swerve", "straight"), (((0, 0), (-1, 1)), ((1, -1), (-10, -10)))),
    "aumann": _two(("swerve", "straight"), (((6, 6), (2, 7)), ((7, 2), (0, 0)))),
    "shapley": _two(
        ("top", "middle", "bottom"),
        (((0, 0), (1, 0), (0, 1)), ((0, 1), (0, 0), (1, 0)), ((1, 0), (0, 1), (0, 0))),
        ("left", "centre", "right"),
    ),
    "moulin-vial": _two(
        ("top", "middle", "bottom"),
        (((3, 3), (1, 1), (4, 1)), ((1, 4), (5, 2), (0, 0)), ((1, 1), (0, 0), (2, 5))),
        ("left", "centre", "right"),
    ),
    "mckelvey-palfrey": _two(
        ("up", "middle", "down"),
        (((1, 1), (0, 0), (1, 1)), ((0, 0), (0, 0), (0, 5)), ((1, 1), (5, 0), (1, 1))),
        ("left", "centre", "right"),
    ),
    "mckelvey-mclennan": PayoffMatrix(
        (("1", "2"),) * 3,
        ((((9, 8, 12), (0, 0, 0)), ((0, 0, 0), (3, 4, 6))), (((0, 0, 0), (3, 4, 6)), ((9, 8, 2), (0, 0, 0)))),
    ),
    "three-coordinate": PayoffMatrix(
        (ONE_TWO_THREE,) * 3,
        tuple(tuple(tuple((int(a == b == c),) * 3 for c in range(3)) for b in range(3)) for a in range(3)),
    ),
}
