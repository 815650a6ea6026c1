"""How the ghosts of Pocman move: anywhere when he is far, towards him when he is near, away while a pill works."""

from __future__ import annotations

from fogbound.games.pocman.mazes import NOWHERE, Maze

HUNTS, STAYS = 0.75, 0.25
Ghost = tuple[int, int]  # (its cell, the direction in which it came there: NOWHERE when it has forgotten)


def moves(maze: Maze, ghost: Ghost, pocman: int, power: int) -> list[tuple[Ghost, float]]:
    """Where a ghost may go when Pocman has just come to a cell, and how likely each is."""
    cell, came = ghost
    ahead = [d for d in maze.open[cell] if came == NOWHERE or d != (came + 2) % 4] or list(maze.open[cell])
    (x, y), (u, v) = maze.cells[cell], maze.cells[pocman]
    if abs(x - u) + abs(y - v) < maze.reach and power > 0:
        return _flight(maze, ghost, ahead, (y - v, x - u, v - y, u - x))
    anywhere = [((maze.ways[cell][d], d), 1 / len(ahead)) for d in ahead]
    if abs(x - u) + abs(y - v) >= maze.reach:
        return anywhere
    lead = (y - v, x - u, v - y, u - x)
    best = min(reversed(ahead), key=lambda d: lead[d])  # of equals the last
    return [((maze.ways[cell][best], NOWHERE), HUNTS), *((move, (1 - HUNTS) * p) for move, p in anywhere)]


def _flight(maze: Maze, ghost: Ghost, ahead: list[int], lead: tuple[int, ...]) -> list[tuple[Ghost, float]]:
    """On in the direction in which the ghost's lead is largest already; `lead` is by direction, below 0: behind him."""
    cell, came = ghost
    best = max(reversed(ahead), key=lambda d: lead[d])
    away: Ghost = (maze.ways[cell][best] if lead[best] >= 0 else cell, NOWHERE)
    return [(away, 1.0)] if came == NOWHERE else [(away, 1 - STAYS), ((cell, NOWHERE), STAYS)]
