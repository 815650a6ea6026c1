"""Levels of reasoning in po-nim: seconds beside targets, whether a further level costs more, what is held in memory.

Beside it SARSOP on the same problems (`levels_peer`), and how large the heaps may be (`levels_far`), asked of
processes of their own because only the peak of a whole process says what memory was needed.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

import fogbound as fb
from benchmarks import levels_far, levels_peer
from benchmarks.text import aligned
from benchmarks.timing import Timing
from fogbound.forms.table import enumerate_table
from fogbound.solvers.level_k.hierarchy import SolvedHierarchy, solve_levels

TARGETS = ((3, 15, 0.1), (5, 15, 0.5), (8, 15, 5.0), (10, 50, 60.0))  # heaps, levels, CPU seconds
MOST_PEER_ROUNDS = 3


def measure(rounds: int) -> dict[str, Any]:
    """All figures, ready for JSON."""
    solve_levels(fb.game("po-nim(n=3)"), 2)  # compiled, or read from the cache
    return {
        "climbs": [_best(*target, rounds) for target in TARGETS],
        "peak_gib": levels_far.peak_gib(),
        "peer": levels_peer.measure(min(rounds, MOST_PEER_ROUNDS)),
        "far": levels_far.measure(),
    }


def _best(heaps: int, levels: int, target: float, rounds: int) -> dict[str, Any]:
    """Other processes only ever add time, so each level's best round is the figure to compare."""
    spent, waited, sizes = zip(*(_round(heaps, levels) for _ in range(rounds)))
    each = [min(ticks) for ticks in zip(*spent)]
    return {
        "heaps": heaps,
        "levels": levels,
        "target": target,
        "cpu": vars(Timing.of(map(sum, spent))),
        "wall": vars(Timing.of(waited)),
        "level": {"first": each[1], "median": statistics.median(each[1:]), "last": each[-1], "slope": _slope(each[2:])},
        **sizes[-1],
    }


def _round(heaps: int, levels: int) -> tuple[list[float], float, dict[str, list[int]]]:
    """CPU seconds of the table and of each level, wall seconds of all of it, and how much is held in the end."""
    marks, wall = [time.process_time()], time.perf_counter()
    climbed = SolvedHierarchy(enumerate_table(fb.game(f"po-nim(n={heaps})")))
    marks.append(time.process_time())
    for _ in range(levels):
        climbed.solve_next()
        marks.append(time.process_time())
    return np.diff(marks).tolist(), time.perf_counter() - wall, levels_far.sizes(climbed)


def _slope(seconds: list[float]) -> float:
    """By how much each further level takes longer, by least squares; level 1, which finds most beliefs, is left out."""
    return float(np.polyfit(np.arange(len(seconds)), seconds, 1)[0])


def show(result: dict[str, Any]) -> str:
    """The figures as text."""
    times = ("target s", "CPU s", "wall s", "level 1 ms", "median ms", "last ms", "ms more a level")
    held = ("held, first + second player", "beliefs", "points", "kinds")
    parts = [
        "Levels: po-nim, both players, discount 1, warm, best of the rounds",
        aligned(("game", "levels", *times), [_times(row) for row in result["climbs"]]),
        "",
        aligned(held, [_held(row) for row in result["climbs"]]),
        f"peak memory of the process so far: {levels_far.gib(result['peak_gib'])} GiB",
        "",
        levels_peer.show(result["peer"]),
        "",
        levels_far.show(result["far"]),
    ]
    return "\n".join(parts)


def _times(row: dict[str, Any]) -> tuple[str, ...]:
    level = row["level"]
    whole = (row["target"], row["cpu"]["best"], row["wall"]["best"])
    each = (f"{1e3 * level[key]:.2f}" for key in ("first", "median", "last"))
    return f"n={row['heaps']}", str(row["levels"]), *(f"{t:.3g}" for t in whole), *each, f"{1e3 * level['slope']:+.3f}"


def _held(row: dict[str, Any]) -> tuple[str, ...]:
    parts = (" + ".join(f"{number:,}" for number in row[key]) for key in ("beliefs", "points", "kinds"))
    return f"n={row['heaps']}, {row['levels']} levels", *parts
