"""Document 004, tables 4.2 and 4.3: who wins at King Up, and what its words make of it.

Tables 4.2 and 4.3 of document 004, row by row as printed, ours beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

import fogbound as fb
from fogbound.arena.episode import play_episode
from fogbound.arena.match import match_results, wilson
from fogbound.parallel import rng_of
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.reproduction import Cell, ResultTable

SIMULATIONS = 100  # a move; the document does not say how many, and with so many ours fit its rows best
ENTRANTS = {
    "UCB": f"pomcp-pgt(rule=ucb, simulations={SIMULATIONS})",
    "RM": f"pomcp-pgt(rule=rm, simulations={SIMULATIONS})",
    "random": "uniform",
}
ROWS: dict[
    tuple[str, ...], tuple[tuple[float, ...], tuple[float, ...]]
] = {  # who sits where -> (winning rates, average scores), as printed
    ("UCB", "UCB", "UCB"): ((0.366, 0.334, 0.300), (13.29, 12.412, 12.026)),
    ("RM", "RM", "RM"): ((0.412, 0.304, 0.284), (11.8, 11.7, 11.6)),
    ("UCB", "RM", "RM"): ((0.602, 0.204, 0.194), (13.05, 11.14, 10.83)),
    ("RM", "UCB", "RM"): ((0.334, 0.465, 0.201), (11.994, 13.778, 11.228)),
    ("RM", "RM", "UCB"): ((0.317, 0.260, 0.423), (11.996, 11.152, 12.852)),
    ("UCB", "UCB", "RM"): ((0.457, 0.363, 0.180), (13.133, 12.932, 11.335)),
    ("RM", "UCB", "UCB"): ((0.239, 0.415, 0.346), (11.13, 12.888, 12.082)),
    ("UCB", "RM", "UCB"): ((0.495, 0.189, 0.316), (13.648, 11.299, 12.053)),
    ("UCB", "RM", "random"): ((0.609, 0.262, 0.129), (13.727, 11.597, 9.051)),
    ("RM", "UCB", "random"): ((0.390, 0.490, 0.120), (12.157, 13.398, 9.193)),
    ("random", "RM", "UCB"): ((0.183, 0.348, 0.469), (9.238, 12.054, 13.56)),
    ("RM", "random", "UCB"): ((0.350, 0.164, 0.486), (12.387, 9.438, 13.484)),
    ("UCB", "random", "RM"): ((0.616, 0.137, 0.247), (13.79, 9.27, 11.736)),
    ("random", "UCB", "RM"): ((0.199, 0.525, 0.276), (9.553, 13.471, 12.370)),
}
RANK = {"UCB": 2, "RM": 1, "random": 0}
PLACE = "tables 4.2 and 4.3"
CLOSE = 0.06  # rms of winning rates
UNIT = 50.0  # points of a reward of 1


@dataclass(frozen=True)
class Row:
    """One row, ours: wins with ties to the lowest seat, wins with ties shared, points, by seat."""

    seating: tuple[str, ...]
    wins: tuple[float, ...]
    shared: tuple[float, ...]
    points: tuple[float, ...]
    games: int


def tournament_rows(games: int, watch: Callable[[str], None] = lambda _: None) -> list[Row]:
    """Every row of the tables, the same deals in each."""
    return [_row(seating, games, watch) for seating in ROWS]


def _row(seating: tuple[str, ...], games: int, watch: Callable[[str], None]) -> Row:
    watch(f"King Up: {', '.join(seating)}")
    game = fb.game("king-up")
    players = [fb.policy(ENTRANTS[name], game, seat, seed=seat) for seat, name in enumerate(seating)]
    played = [play_episode(game, players, rng_of(1, number)) for number in range(games)]
    lowest, split = (match_results(game, played, ties, seating).players for ties in ("first", "split"))
    wins, shared = (tuple(one.wins for one in players) for players in (lowest, split))
    return Row(seating, wins, shared, tuple(UNIT * one.score for one in lowest), games)


def claims(found: list[Row]) -> Iterator[Claim]:
    """What the tables say, and what section 4.3 reads from them."""
    errors = [ours - printed for row in found for ours, printed in zip(row.wins, ROWS[row.seating][0])]
    rms = sqrt(sum(error**2 for error in errors) / len(errors))
    noise = sqrt(sum(p * (1 - p) / row.games for row in found for p in row.wins) / len(errors))
    yield Claim(
        "the 42 winning rates", PLACE, "the tables", f"rms difference {rms:.3f}",
        verdict(rms <= CLOSE + noise),
        f"{found[0].games} games a row, {SIMULATIONS} simulations a move (the document names no number), ties to the "
        f"lowest seat, which is why the printed rates add up to 1; luck alone makes {noise:.3f}",
    )  # fmt: skip
    yield _order(found, "UCB wins more than RM wherever both play", ("UCB", "RM"), "table 4.2")
    yield _order(found, "random is the worst and UCB the best, wherever they sit", ("UCB", "RM", "random"), "table 4.3")
    yield _seats(found)
    yield _scores(found)


def _order(found: list[Row], statement: str, names: tuple[str, ...], place: str) -> Claim:
    """Compared row by row, with ties shared, so that no seat is favoured."""
    mixed = [row for row in found if set(row.seating) == set(names)]
    margins = [_margin(row) for row in mixed]
    right, worst = sum(margin > 0 for margin in margins), min(margins)
    holds = verdict(right == len(mixed), "not reproduced")
    return Claim(statement, place, f"{len(mixed)} of {len(mixed)} rows", f"{right} of {len(mixed)} rows", holds,
                 f"mean win rates with ties shared; the closest pair differs by {worst:+.3f}")  # fmt: skip


def _means(row: Row) -> dict[str, float]:
    seats = {name: [wins for seat, wins in zip(row.seating, row.shared) if seat == name] for name in row.seating}
    return {name: sum(wins) / len(wins) for name, wins in seats.items()}


def _margin(row: Row) -> float:
    """The least by which a better rule is ahead of the next."""
    ranked = sorted(_means(row).items(), key=lambda pair: RANK[pair[0]])
    return min(better - worse for (_, worse), (_, better) in pairwise(ranked))


def _seats(found: list[Row]) -> Claim:
    alike = next(row for row in found if row.seating == ("RM", "RM", "RM"))
    shown = " / ".join(f"{wins:.3f}" for wins in alike.wins)
    shared = " / ".join(f"{wins:.3f}" for wins in alike.shared)
    return Claim(
        "RM's results depend on its seat", "section 4.3", ".412 / .304 / .284", shown, "not reproduced",
        f"that is with ties to the lowest seat; shared they are {shared}: the rule for ties makes most of it",
    )  # fmt: skip


def _scores(found: list[Row]) -> Claim:
    mixed = [row for row in found if set(row.seating) == {"UCB", "RM"}]
    gaps = [
        sum(p for p, n in zip(row.points, row.seating) if n == "UCB") / row.seating.count("UCB")
        - sum(p for p, n in zip(row.points, row.seating) if n == "RM") / row.seating.count("RM")
        for row in mixed
    ]
    mean = sum(gaps) / len(gaps)
    holds = verdict(0 < mean < 2, "not reproduced")
    return Claim("UCB scores about 1 point more than RM", "section 4.3", "around 1", f"{mean:.2f} on average", holds,
                 "mean over the rows in which both play; how many simulations it made is not printed")  # fmt: skip


PRINTED_GAMES = 1_000
TITLES = {
    "4.2": "Table 4.2: tournament of POMCP-PGT with UCB and POMCP-PGT with RM",
    "4.3": "Table 4.3: tournament of random, POMCP-PGT with UCB and the one with RM",
}
SEATS = (1, 2, 3)


@dataclass(frozen=True)
class TournamentTable(ResultTable):
    """One of the two tables, which a terminal shows in the columns of the document: each cell printed | ours."""

    def lines(self) -> list[str]:
        """The table for a terminal: the title, the columns, a line for each seating, the note."""
        heads = ["", *(f"P{seat} wins" for seat in SEATS), *(f"P{seat} score" for seat in SEATS), "rounds"]
        shown = [[str(row["seating"]), *_cells(row)] for row in self.rows]
        wide = [max(map(len, column)) for column in zip(heads, *shown)]
        body = ["  ".join([f"{row[0]:<{wide[0]}}", *map(str.rjust, row[1:], wide[1:])]) for row in [heads, *shown]]
        return [f"{self.title}; printed | ours", *body, self.note]


def tournament_tables(found: Sequence[Row]) -> list[TournamentTable]:
    """Both tables, from our rows.

    Parameters
    ----------
    found
        Ours, as `tournaments.rows` makes them.

    Returns
    -------
    list of TournamentTable
    """
    rows: dict[str, list[dict[str, Cell]]] = {name: [] for name in TITLES}
    for row in found:
        rows["4.3" if "random" in row.seating else "4.2"].append(_table_row(row))
    note = (
        f"Ours: {SIMULATIONS} simulations a move, which the document does not tell; a tie is won by the lowest seat, "
        "as its rates add up to 1; ± half of Wilson's 95 % interval."
    )
    return [TournamentTable(name, TITLES[name], rows[name], note) for name in TITLES]


def _table_row(row: Row) -> dict[str, Cell]:
    """A seating: numbers for spreadsheets and JSON."""
    wins, scores = ROWS[row.seating]
    cells: dict[str, Cell] = {"seating": f"({', '.join(row.seating)})"}
    for k, seat in enumerate(SEATS):
        low, high = wilson(row.wins[k], row.games)
        cells[f"P{seat} wins printed"], cells[f"P{seat} wins ours"] = wins[k], row.wins[k]
        cells[f"P{seat} wins ours ±"] = (high - low) / 2
    for k, seat in enumerate(SEATS):
        cells[f"P{seat} score printed"], cells[f"P{seat} score ours"] = scores[k], row.points[k]
    return {**cells, "rounds printed": PRINTED_GAMES, "rounds ours": row.games}


def _cells(row: dict[str, Cell]) -> list[str]:
    wins = [
        f"{row[f'P{seat} wins printed']:.3f} | {row[f'P{seat} wins ours']:.3f} ± {row[f'P{seat} wins ours ±']:.3f}"
        for seat in SEATS
    ]
    scores = [f"{row[f'P{seat} score printed']:.2f} | {row[f'P{seat} score ours']:.2f}" for seat in SEATS]
    return [*wins, *scores, f"{row['rounds printed']:,} | {row['rounds ours']:,}"]
