"""Nim with both heaps open, from which document 000 starts: who wins, and whether a nim-sum of 0 tells."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from fogbound import forms
from fogbound.driver.options import RunOptions
from fogbound.driver.solve import solve
from fogbound.games.nim import Nim, mover_wins, nim_sum
from fogbound.solvers import make as solver
from fogbound_papers.claim import Claim, verdict

LARGEST = 5  # objects in a heap, on the boards that are solved
Heaps = tuple[int, ...]
BOARDS = [(mine, yours) for mine in range(1, LARGEST + 1) for yours in range(1, mine + 1)]


def claims() -> Iterator[Claim]:
    values = [worth(board, misere=True) for board in BOARDS]
    decided = sum(abs(value) == 1 for value in values)
    words = f"two heaps of up to {LARGEST}, by minimax: whoever moves wins on {values.count(1)}, the other on the rest"
    ours = f"{decided} of {len(BOARDS)} boards"
    statement = "on any open board one of the two can be sure to win"
    yield Claim(statement, "§ I", "any", ours, verdict(decided == len(BOARDS)), words, command=_command(3, 3))
    yield _to_zero(misere=False)
    yield _to_zero(misere=True)
    value = worth((3, 3), misere=True)
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
    return all((worth(board, misere) > 0) == mover_wins(board, misere) for board in BOARDS)


@cache
def worth(board: Heaps, misere: bool) -> float:
    """What a board is worth to whoever moves, by minimax."""
    return solve(solver("minimax"), forms.table(Nim(board, misere)), RunOptions(check_seconds=None)).value


def _command(*heaps: int) -> str:
    return f'fogbound solve "nim(heaps={list(heaps)}, misere=true)" --with minimax'
