"""The problems of levels by SARSOP, as document 000 solves them, beside the climb that poses them. CPU seconds.

SARSOP is ours, so the ratio says what it is worth to share beliefs between levels, not how fast some other program is.
The discount is .999 a round, which is two moves: the document names none, and its SARSOP cannot do without.
"""

from __future__ import annotations

import time
from math import sqrt
from typing import Any

import numpy as np

import fogbound as fb
from benchmarks.text import aligned
from fogbound.driver.protocol import Context
from fogbound.solvers.level_k.hierarchy import SolvedHierarchy, solve_levels

PEERS = ((3, 15), (4, 8), (5, 8), (8, 3))  # heaps, levels
DISCOUNT = sqrt(0.999)
GAP, PATIENCE = 1e-6, 20.0  # where SARSOP may stop, and the CPU seconds it has for one problem


def measure(rounds: int) -> list[dict[str, Any]]:
    """Each game's figures, the best of the rounds."""
    _round(2, 1)  # compiled, or read from the cache
    return [_best([_round(heaps, levels) for _ in range(rounds)]) for heaps, levels in PEERS]


def _best(found: list[dict[str, Any]]) -> dict[str, Any]:
    return {**found[0], **{part: min(one[part] for one in found) for part in ("climb", "sarsop")}}


def _round(heaps: int, levels: int) -> dict[str, Any]:
    """All rungs by the climb, then each of their problems by SARSOP."""
    began = time.process_time()
    climbed = solve_levels(fb.game(f"po-nim(n={heaps}, discount={DISCOUNT!r})"), levels)
    ours = time.process_time() - began
    found = [_sarsop(climbed, solution.level, solution.player) for solution in climbed.solutions]
    apart = [
        max(low - solution.upper, solution.value - high) for solution, (_, low, high) in zip(climbed.solutions, found)
    ]
    return {
        "heaps": heaps,
        "levels": levels,
        "climb": ours,
        "sarsop": sum(seconds for seconds, _, _ in found),
        "closed": sum(high - low <= GAP for _, low, high in found),
        "problems": len(found),
        "apart": max(0.0, *apart),  # how far the bounds of the two exclude each other: nothing but rounding
    }


def _sarsop(climbed: SolvedHierarchy, level: int, player: int) -> tuple[float, float, float]:
    """Seconds until the bounds are close, and the bounds; posing the problem does not count."""
    form = climbed.process(level, player)
    began, low, high = time.process_time(), -np.inf, np.inf
    for progress in fb.solver("sarsop").run(form, Context(np.random.default_rng(0))):
        low, high = progress.lower, progress.upper
        if high - low <= GAP or time.process_time() - began > PATIENCE:
            break
    return time.process_time() - began, low, high


def show(result: list[dict[str, Any]]) -> str:
    """The figures as text."""
    header = ("discount .999 a round", "levels", "climb s", "SARSOP s", "ratio", "closed", "bounds apart")
    lines = []
    for row in result:
        times = (f"{row['climb']:.3f}", f"{row['sarsop']:.2f}", f"{row['sarsop'] / row['climb']:.0f}x")
        closed = f"{row['closed']} of {row['problems']}"
        lines.append((f"n={row['heaps']}", str(row["levels"]), *times, closed, f"{row['apart']:.1g}"))
    return aligned(header, lines)
