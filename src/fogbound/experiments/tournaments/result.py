"""What comes of a tournament: a row for each seating, standings, the cross table and one number each.

A block is one deal under all its seatings. Games of a block share the deal, so blocks are what intervals count:
Student's for what an entrant wins and scores, a confidence sequence (valid whenever one stops) for who is ahead of
whom. Within a row each game has a deal of its own, and the win rate has Wilson's interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.arena.match import Interval, Match, Standing, student
from fogbound.core.errors import many
from fogbound.experiments.tournaments.sequential import ALPHA, EVEN, asymptotic_sequence, confidence_sequence
from fogbound.experiments.tournaments.strength import GIVEN, Seating, Strengths, payoff_shares, strengths
from fogbound.files.data_frames import data_frame

Floats = NDArray[np.float64]
DECIDED = "decided"
WINS, SCORE = "wins", "score"  # by which a pair is compared


@dataclass(frozen=True)
class SeatingRow:
    """One seating: who sat where, and each seat's results.

    Attributes
    ----------
    seating
        The number of the entrant in each seat.
    match
        Wins and scores by seat, as those of a match.
    """

    seating: Seating
    match: Match


@dataclass(frozen=True)
class Entrant:
    """One entrant over all its seats; intervals are 95 %, over blocks.

    Attributes
    ----------
    name
        What it is called.
    wins
        The share of its games that it won, by the seat that it had.
    wins_interval
        Of that share.
    score
        The mean return of its seats.
    score_interval
        Of that mean.
    strength
        Points on Elo's scale, the mean of all being 0, from payoffs (see `Tournament.strength_by`); None where there is
        no estimate.
    strength_interval
        Of those points.
    """

    name: str
    wins: float
    wins_interval: Interval
    score: float
    score_interval: Interval
    strength: float | None
    strength_interval: Interval | None


@dataclass(frozen=True)
class Pair:
    """Two entrants where both sat at the table.

    Attributes
    ----------
    first, second
        Their numbers.
    ahead
        Half of 1 + how many more wins a seat the first had; of two players the share that it won. 0.5 is even.
    interval
        Valid at any time, for all pairs of the tournament together.
    difference
        How much more the first scored.
    difference_interval
        Of that mean; valid at any time in the limit of many blocks, for all pairs together.
    """

    first: int
    second: int
    ahead: float
    interval: Interval
    difference: float
    difference_interval: Interval

    @property
    def winner(self) -> int | None:
        """Who wins more, where that is decided."""
        low, high = self.interval
        return self.first if low > EVEN else self.second if high < EVEN else None

    @property
    def scorer(self) -> int | None:
        """Who scores more, where that is decided."""
        low, high = self.difference_interval
        return self.first if low > 0 else self.second if high < 0 else None


@dataclass(frozen=True, repr=False)
class Tournament:
    """The results of a tournament.

    Attributes
    ----------
    game
        The spec of the game.
    players
        The names of its seats.
    ties
        How ties count: split, or won by the first seat that ties.
    seatings
        Whether all seatings were played, or the given one.
    deals
        How many deals were played, each under every seating; 0 where all is exact.
    stopped
        ``deals``, ``decided``, ``seconds``, ``interrupted``, ``terminated``, or ``exact``.
    rows
        The results of each seating.
    entrants
        The results of each entrant.
    pairs
        Who is ahead of whom.
    why_no_strength
        Why there are no strengths; empty where there are.
    strength_by
        What strengths are estimated from: ``payoffs``, or ``wins`` where payoffs say no more than who won.
    """

    game: str
    players: tuple[str, ...]
    ties: str
    seatings: str
    deals: int
    stopped: str
    rows: tuple[SeatingRow, ...]
    entrants: tuple[Entrant, ...]
    pairs: tuple[Pair, ...] = field(repr=False)
    why_no_strength: str = ""
    strength_by: str = WINS

    @property
    def exact(self) -> bool:
        """Whether outcomes are computed rather than sampled."""
        return self.stopped == "exact"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.entrants)

    def records(self) -> list[dict[str, Any]]:
        """A row for each entrant, in the order given: its figures, each with the ends of its interval."""
        return [
            {
                "name": one.name,
                **_with_ends("wins", one.wins, one.wins_interval),
                **_with_ends("score", one.score, one.score_interval),
                **_with_ends("strength", one.strength, one.strength_interval),
            }
            for one in self.entrants
        ]

    def to_pandas(self) -> Any:
        """The records as a pandas.DataFrame, where pandas is installed."""
        return data_frame(self.records())

    def __repr__(self) -> str:
        ranked = sorted(self.entrants, key=lambda one: -one.score)
        rows = ", ".join(f"{one.name} wins {one.wins:.3g}, score {one.score:.4g}" for one in ranked)
        games = "exact" if self.exact else f"{many(self.deals, 'deal')}"
        return f"<Tournament of {self.game}, {games} in {many(len(self.rows), 'seating')}: {rows}>"

    def _repr_html_(self) -> str:
        """The rows as a table like the thesis' (document 004, Tables 4.2 and 4.3), for notebooks."""
        head = "".join(f"<th>{escape(player)} wins</th>" for player in self.players)
        head += "".join(f"<th>{escape(player)} score</th>" for player in self.players)
        rows = ""
        for row in self.rows:
            seats = row.match.players
            cells = [f"{s.wins:.3f} ± {_half(s.wins_interval):.3f}" for s in seats] + [f"{s.score:.4g}" for s in seats]
            named = escape(f"({', '.join(s.policy for s in seats)})")
            rows += f"<tr><td>{named}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        return f"<table><tr><th>seating</th>{head}</tr>{rows}</table>"


def _with_ends(name: str, value: float | None, interval: Interval | None) -> dict[str, float | None]:
    """A figure and the ends of its interval, by name."""
    low, high = interval or (None, None)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _half(interval: Interval) -> float:
    return (interval[1] - interval[0]) / 2


@dataclass(frozen=True)
class Results:
    """What was played, or is known: [blocks, seatings, seats] wins and returns, and the row of each seating."""

    wins: Floats
    returns: Floats
    rows: Sequence[Match]
    stopped: str
    lead: float | None = None  # how far a return can be from the mean of its game; the largest seen where it is None


def tournament_results(
    spec: str,
    players: tuple[str, ...],
    names: Sequence[str],
    seated: Sequence[Seating],
    rule: str,
    ties: str,
    results: Results,
) -> Tournament:
    """All that is told of a tournament."""
    exact = results.stopped == "exact"
    by_entrant = _by_entrant(results.wins, seated, len(names)), _by_entrant(results.returns, seated, len(names))
    shares, by = payoff_shares(results.wins, results.returns, results.lead)
    found = (
        Strengths((), (), "the seats' own advantage is not balanced in a single seating")
        if rule == GIVEN
        else strengths(shares, seated, names, exact)
    )
    entrants = tuple(_entrant(k, name, by_entrant, found, exact) for k, name in enumerate(names))
    rows = tuple(SeatingRow(tuple(seating), row) for seating, row in zip(seated, results.rows))
    pairs = _pairs(*by_entrant, exact)
    deals = 0 if exact else len(results.wins)
    return Tournament(spec, players, ties, rule, deals, results.stopped, rows, entrants, pairs, found.why_not, by)


def _by_entrant(values: Floats, seated: Sequence[Seating], entrants: int) -> Floats:
    """[blocks, seatings, entrants] the mean over an entrant's seats; nan where it does not sit."""
    places = np.eye(entrants)[np.array(seated)]  # [seatings, seats, entrants]
    seats = places.sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.einsum("brs,rse->bre", values, places) / np.where(seats > 0, seats, np.nan))


def _entrant(number: int, name: str, by_entrant: tuple[Floats, Floats], found: Strengths, exact: bool) -> Entrant:
    wins, score = (np.nanmean(values[..., number], axis=1) for values in by_entrant)  # [blocks]
    strength = found.points[number] if found.points else None
    around = (strength - found.half[number], strength + found.half[number]) if strength is not None else None
    return Entrant(
        name,
        float(wins.mean()),
        student(wins, exact, (0.0, 1.0)),
        float(score.mean()),
        student(score, exact),
        strength,
        around,
    )


def compared(wins: Floats, pairs: Sequence[tuple[int, int]]) -> Floats:
    """[blocks, pairs] how far the first of each pair is ahead, from `wins` [blocks, seatings, entrants]."""
    columns = [np.nanmean((1 + wins[..., a] - wins[..., b]) / 2, axis=1) for a, b in pairs]
    return np.stack(columns, axis=1) if columns else np.zeros((len(wins), 0))


def compared_block(values: Any, by: str, seated: Sequence[Seating], entrants: int) -> Floats:
    """[pairs] the same of one block, from its wins [seatings, seats]; how much more the first scored, by scores."""
    by_entrant = _by_entrant(np.asarray(values, float)[None], seated, entrants)
    ahead = compared(by_entrant, list(combinations(range(entrants), 2)))[0]
    return np.asarray(ahead if by == WINS else 2 * ahead - 1)


def _pairs(wins: Floats, scores: Floats, exact: bool) -> tuple[Pair, ...]:
    listed = list(combinations(range(wins.shape[2]), 2))
    ahead = compared(wins, listed)
    pairs = []
    for (a, b), column in zip(listed, ahead.T):
        mean = float(column.mean())
        interval = (mean, mean) if exact else confidence_sequence(column, ALPHA / len(listed))
        difference = np.nanmean(scores[..., a] - scores[..., b], axis=1)
        more = float(difference.mean())
        around = (more, more) if exact else asymptotic_sequence(difference, ALPHA / len(listed))
        pairs.append(Pair(a, b, mean, interval, more, around))
    return tuple(pairs)


def standing(policy: str, wins: float, score: float) -> Standing:
    """A seat's results where they are exact: the intervals are closed."""
    return Standing(policy, wins, (wins, wins), score, (score, score), 0)
