"""The two games that document 000 shows in full (Figures 1 and 2), and the discount that they need."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from fogbound.games.po_nim import Action
from fogbound_papers.claim import Claim, compare, verdict
from fogbound_papers.d000.nim import FINE, NEARLY, WIN, nim

FIGURE_2: tuple[Action, ...] = (
    ("hidden", 1),
    ("hidden", 1),
    ("hidden", 3),
    ("own", 2),
    ("own", 2),
    ("hidden", 1),
)
PAID = (-12.0, 10.0)


def claims() -> Iterator[Claim]:
    yield half_of_a_win()
    yield figure_2()
    yield _discount()


def half_of_a_win() -> Claim:
    """The value of level 1 on the board of Figure 1."""
    exact, faded = (nim(2, discount=d, top=1).values(0)[0] / WIN for d in (1.0, NEARLY))
    words = f"with discount 1; {faded:+.4f} at {NEARLY} a round"
    return compare("1_1 on the board (2, 2), in units of r_w", "Fig. 1", 0.5, exact, words, FINE, "000-figure-1")


def figure_2() -> Claim:
    """The simulated game, move for move."""
    game = nim().played(1, 2)
    same = game.moves == FIGURE_2 and game.returns == PAID
    ours = f"{game.returns[0]:+g}, {game.returns[1]:+g}".replace("-", "−")
    agree = next((k for k, (a, b) in enumerate(zip(game.moves, FIGURE_2)) if a != b), len(game.moves))
    words = f"{agree} of {len(FIGURE_2)} moves agree, in this order"
    return Claim(
        *("the game of 1_1 against 2_2, move for move", "Fig. 2", "−12, +10", ours, verdict(same), words),
        figure="000-figure-2",
    )


def _discount() -> Claim:
    low, high = least_discount()
    words = f"no discount is named; ours is taken at each move, {low**0.5:.5f}, and a round is two"
    ours = f"above {high:.5f} a round"
    return Claim("the discount that Fig. 2's game needs", "–", "–", ours, "not stated", words)


@cache
def least_discount(within: float = 1e-5) -> tuple[float, float]:
    """Two discounts a round, close together: with the higher 1_1 and 2_2 play Figure 2's game, with the lower not."""
    low, high = 0.9, 1.0
    while high - low > within:
        middle = (low + high) / 2
        alike = nim(discount=middle, top=2).played(1, 2).moves == FIGURE_2
        low, high = (low, middle) if alike else (middle, high)
    return low, high
