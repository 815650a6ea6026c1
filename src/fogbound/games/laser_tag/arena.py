"""Laser tag in numbers: its size, what is paid, the directions of the laser, and one layout of obstacles."""

from __future__ import annotations

WIDE, HIGH, OBSTACLES = 11, 7, 8
NOISE = 2.5
MOVED, CAUGHT, MISSED = -1.0, 10.0, -10.0
DIRECTIONS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))  # the first four: of moves
FIRST_LAYOUT = ((4, 6), (1, 5), (3, 2), (2, 1), (3, 1), (7, 1), (9, 1), (3, 0))
Cell = tuple[int, int]
