"""Tables 4.2 and 4.3 of document 004, row by row as printed, ours beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogbound.arena.match import wilson
from fogbound_papers.d004.tournaments import ROWS, SIMULATIONS, Row
from fogbound_papers.page import Cell, ResultTable

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


def tables(found: Sequence[Row]) -> list[TournamentTable]:
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
        rows["4.3" if "random" in row.seating else "4.2"].append(_row(row))
    note = (
        f"Ours: {SIMULATIONS} simulations a move, which the document does not tell; a tie is won by the lowest seat, "
        "as its rates add up to 1; ± half of Wilson's 95 % interval."
    )
    return [TournamentTable(name, TITLES[name], rows[name], note) for name in TITLES]


def _row(row: Row) -> dict[str, Cell]:
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
