"""How Scotland Yard looks: the nodes in rows, the cops, the thief to those who see him, and the tickets left."""

from __future__ import annotations

import math

from fogbound.core import Board, Tile
from fogbound.games.scotland_yard_tickets import Purses
from fogbound.games.scotland_yard_town import TRANSPORTS, Cops

MOST_ACROSS = 12


def board(nodes: int, cops: Cops, thief: int | None, purses: Purses) -> Board:
    """All nodes in order, as many a row as make it even; `thief` None: who looks does not see him."""
    across = next(width for width in range(math.isqrt(nodes - 1) + 1, nodes + 1) if nodes % width == 0)
    width = min(across, MOST_ACROSS)
    tiles = [_tile(node, cops, thief) for node in range(nodes)]
    left = [f"tickets of C{cop}: {tickets(purse)}" for cop, purse in zip(cops, purses)]
    rows = (tiles[at : at + width] for at in range(0, nodes, width))
    return Board.grid(rows, "\n".join(["C: a cop, T: the thief", *left]))


def tickets(purse: tuple[int, ...]) -> str:
    """Tickets in words."""
    return ", ".join(f"{count} {transport}" for count, transport in zip(purse, TRANSPORTS))


def _tile(node: int, cops: Cops, thief: int | None) -> Tile:
    if node in cops:
        return Tile(f"C{node}", "mine")
    if thief is None:
        return Tile(str(node), "fog")
    return Tile(f"T{node}", "theirs") if node == thief else Tile(str(node))
