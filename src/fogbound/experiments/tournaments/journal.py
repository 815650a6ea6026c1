"""The journal of a tournament: every game that was played, a line a deal.

It is what a tournament goes on from. Results are kept as they fell, so that ties may be counted another way later. A
journal is read with suspicion: one of another tournament, or one that is damaged, is refused in a line.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

from fogbound.arena.episode import EpisodeResult
from fogbound.core.contract import MOST_REWARD
from fogbound.core.errors import brief
from fogbound.core.identity import read_inputs
from fogbound.parallel.journal import CheckRow, Row, RunJournal

KIND = "tournament"
ANY_PAYOFF = [[-MOST_REWARD, MOST_REWARD]]  # of a player in a game that is too large to be enumerated
ENDS = ("over", "cycle", "faded", "cut")
Block = list[EpisodeResult]  # one deal under each seating


def tournament_journal(path: str | os.PathLike[str], about: Mapping[str, Any]) -> RunJournal:
    """The journal of the tournament that `about` tells of."""
    return RunJournal(path, KIND, about, check_blocks(about))


def block_row(block: Block) -> Row:
    """A deal as a row: of each game the returns, its steps, how it ended, and who met what it was not made for."""
    return {"games": [[list(g.returns), g.steps, g.ended, [int(lost) for lost in g.lost]] for g in block]}


def row_block(row: Row) -> Block:
    """A deal from its row, which was checked."""
    return [
        EpisodeResult(tuple(map(float, returns)), steps, ended, tuple(map(bool, lost)))
        for returns, steps, ended, lost in row["games"]
    ]


def check_blocks(about: Mapping[str, Any]) -> CheckRow:
    """What holds every row against the seatings and seats of its tournament."""
    seatings, players = about.get("seatings"), about.get("players")
    if not isinstance(seatings, list) or not isinstance(players, list):
        raise ValueError("does not say which seatings and players it is of")
    read_inputs(about.get("inputs"))
    payoffs = about.get("payoffs")
    if not isinstance(payoffs, list) or len(payoffs) != len(players) or not all(map(_is_range, payoffs)):
        raise ValueError(f"payoffs is {brief(payoffs)}, expected the least and the most for each player")

    def check(number: int, row: Row) -> None:
        games = row.get("games")
        if set(row) != {"games"} or not isinstance(games, list) or len(games) != len(seatings):
            raise ValueError(f"deal {number}: expected a game for each of {len(seatings)} seatings, and nothing else")
        for game in games:
            _check_game(number, game, payoffs)

    return check


def _is_range(listed: Any) -> bool:
    fits = isinstance(listed, list) and len(listed) == 2 and all(type(one) in (int, float) for one in listed)
    return fits and all(map(math.isfinite, listed)) and listed[0] <= listed[1]


def _check_game(number: int, game: Any, payoffs: Sequence[Sequence[float]]) -> None:
    seats = len(payoffs)
    if not isinstance(game, list) or len(game) != 4:
        raise ValueError(f"a game is {brief(game)}, expected its returns, steps, end, and who was lost")
    returns, steps, ended, lost = game
    for name, listed in (("returns", returns), ("lost", lost)):
        if not isinstance(listed, list) or len(listed) != seats:
            raise ValueError(f"{name} is {brief(listed)}, expected one for each of {seats} seats")
    if not all(type(paid) in (int, float) and math.isfinite(paid) for paid in returns):
        raise ValueError(f"returns is {brief(returns)}, expected finite numbers")
    for seat, (paid, (low, high)) in enumerate(zip(returns, payoffs)):
        if not low <= paid <= high:
            raise ValueError(
                f"deal {number}: seat {seat} returns {paid:g}, expected {low:g} to {high:g}, as the game pays"
            )
    if not all(type(one) is int and one in (0, 1) for one in lost):
        raise ValueError(f"lost is {brief(lost)}, expected 0 or 1 for each seat")
    if type(steps) is not int or not 0 <= steps < 1 << 53:
        raise ValueError(f"steps is {brief(steps)}, expected 0 or more")
    if not isinstance(ended, str) or ended not in ENDS:
        raise ValueError(f"a game ended as {brief(ended)}, expected one of {', '.join(ENDS)}")
