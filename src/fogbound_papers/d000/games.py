"""The two games that document 000 shows in full (Figures 1 and 2), and the discount that they need.

Nim with both heaps open, from which document 000 starts: who wins, and whether a nim-sum of 0 tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from fogbound import forms
from fogbound.driver.options import RunOptions
from fogbound.driver.solve import run_solver
from fogbound.games.nim import Nim, mover_wins, nim_sum
from fogbound.games.po_nim import Action
from fogbound.solvers import make as solver
from fogbound_papers.claim import Claim, compare_figure, verdict
from fogbound_papers.d000.nim import FINE, NEARLY, WIN, nim_levels

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
    """Open nim, then Figures 1 and 2."""
    yield from _open_boards()
    yield half_of_a_win()
    yield figure_2()
    yield _discount()


def half_of_a_win() -> Claim:
    """The value of level 1 on the board of Figure 1."""
    exact, faded = (nim_levels(2, discount=d, top=1).values(0)[0] / WIN for d in (1.0, NEARLY))
    words = f"with discount 1; {faded:+.4f} at {NEARLY} a round"
    return compare_figure("1_1 on the board (2, 2), in units of r_w", "Fig. 1", 0.5, exact, words, FINE, "000-figure-1")


def figure_2() -> Claim:
    """The simulated game, move for move."""
    game = nim_levels().played(1, 2)
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
        alike = nim_levels(discount=middle, top=2).played(1, 2).moves == FIGURE_2
        low, high = (low, middle) if alike else (middle, high)
    return low, high


LARGEST = 5  # objects in a heap, on the boards that are solved
Heaps = tuple[int, ...]
BOARDS = [(mine, yours) for mine in range(1, LARGEST + 1) for yours in range(1, mine + 1)]


def _open_boards() -> Iterator[Claim]:
    values = [open_value(board, misere=True) for board in BOARDS]
    decided = sum(abs(value) == 1 for value in values)
    words = f"two heaps of up to {LARGEST}, by minimax: whoever moves wins on {values.count(1)}, the other on the rest"
    ours = f"{decided} of {len(BOARDS)} boards"
    statement = "on any open board one of the two can be sure to win"
    yield Claim(statement, "§ I", "any", ours, verdict(decided == len(BOARDS)), words, command=_command(3, 3))
    yield _to_zero(misere=False)
    yield _to_zero(misere=True)
    value = open_value((3, 3), misere=True)
    words = "by minimax, as Bouton's theorem has it: whoever leaves exactly one object wins"
    statement = "with both heaps of 3 open, going first loses"
    yield Claim(
        statement, "§ IV", "yes", f"{value:+g}".replace("-", "−"), verdict(value == -1), words, command=_command(3, 3)
    )


def _to_zero(misere: bool) -> Claim:
    """Every move to a nim-sum of 0, from every board where there is one."""
    moves = [(board, after) for board in BOARDS for after in afterwards(board) if nim_sum(after) == 0]
    lost = [board for board, after in moves if mover_wins(after, misere)]
    ours = f"{len(moves) - len(lost)} of {len(moves)} such moves"
    if not misere:
        words = f"two heaps of up to {LARGEST}, where whoever takes the last object wins; minimax agrees with Bouton"
        statement = "the move to a nim-sum of 0 wins"
        return Claim(statement, "§ II", "optimal", ours, verdict(not lost and agrees(misere)), words)
    words = f"where whoever leaves exactly one wins, as in § I: it loses on {lost[0]}, to leave one heap of 1 would win"
    statement = "… also where the goal is to leave one object"
    return Claim(statement, "§ I, II", "optimal", ours, verdict(not lost and agrees(misere)), words)


def afterwards(board: Heaps) -> list[Heaps]:
    """The boards that one move leads to."""
    return [(*board[:at], left, *board[at + 1 :]) for at, heap in enumerate(board) for left in range(heap)]


@cache
def agrees(misere: bool) -> bool:
    """Whether minimax finds what Bouton's theorem says, on all boards."""
    return all((open_value(board, misere) > 0) == mover_wins(board, misere) for board in BOARDS)


@cache
def open_value(board: Heaps, misere: bool) -> float:
    """What a board is worth to whoever moves, by minimax."""
    return run_solver(solver("minimax"), forms.table(Nim(board, misere)), RunOptions(check_seconds=None)).value


def _command(*heaps: int) -> str:
    return f'fogbound solve "nim(heaps={list(heaps)}, misere=true)" --with minimax'
