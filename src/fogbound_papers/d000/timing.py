"""How long one more level takes (Figure 4 of document 000): by SARSOP as there, and by search over beliefs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import mean

import numpy as np

from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.driver.solve import solve
from fogbound.forms.pomdp import POMDP, pomdp
from fogbound.policies.mixture import uniform_mixture
from fogbound.solvers import make as solver
from fogbound.solvers.level_k.hierarchy import solve_levels
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d000.nim import FAR, NEARLY, TOP, nim

EXACTLY = 1e-7  # what the document calls solved exactly
LINEAR = 0.9  # of the variance: what a line must explain for times to be roughly linear
REPEATS = 3  # of everything that is timed: the least counts, since others use the machine too


@dataclass(frozen=True)
class Timed:
    """How long one more level took one player."""

    level: int
    player: int
    seconds: float
    how: str


def claims() -> Iterator[Claim]:
    linear = growth([(level, level) for level in range(1, FAR + 1)])
    ours = growth([(own.level, own.seconds) for own in belief_times()])
    words = f"search over beliefs, upper half of {FAR} levels over the lower one; in proportion: {linear:.1f}"
    statement = "higher levels do not become intractable"
    yield Claim(statement, "abstract", "yes", f"{ours:.1f} times", verdict(ours <= linear), words)
    yield _sarsop()


def _sarsop() -> Claim:
    """ "Varies roughly linearly with the level": then a line through the times explains most of how they differ."""
    times = sarsop_times()
    lines = [line([(own.level, own.seconds) for own in times if own.player == player]) for player in (0, 1)]
    sizes = [own.size for own in problems().values()]
    fits = " and ".join(f"{fit:.2f}" for _, _, fit in lines)
    ours = " and ".join(f"{1000 * at_0:.0f} + {1000 * slope:.1f} k ms" for at_0, slope, _ in lines)
    words = (
        f"level k = 1 to {TOP}, going first and second, setting up counts: the lines explain {fits} of the variance; "
        f"{min(sizes)} to {max(sizes)} states are so few that most of it is the same at every level"
    )
    holds = all(fit >= LINEAR and slope > 0 for _, slope, fit in lines)
    said = "reproduced" if holds else "not reproduced"  # a program of ours cannot refute how long another took
    statement = "SARSOP's time for one more level is linear in it"
    return Claim(statement, "Fig. 4", "roughly", ours, said, words, figure="000-figure-4")


def line(points: Sequence[tuple[int, float]]) -> tuple[float, float, float]:
    """The least-squares line: its height at level 0, its slope, and the share of the variance that it explains."""
    levels, seconds = (np.array(column, float) for column in zip(*points))
    slope, at_0 = np.polyfit(levels, seconds, 1)
    spread = float(((seconds - seconds.mean()) ** 2).sum())
    missed = float(((seconds - at_0 - slope * levels) ** 2).sum())
    return float(at_0), float(slope), 1 - missed / spread if spread else 1.0


def problem(level: int, player: int) -> POMDP:
    """A level's problem as the document has it: board, the opponent's level, the node of that level's controller.

    Nothing is shared between levels. SARSOP needs a discount.
    """
    solved, other = nim(discount=NEARLY).hierarchy, 1 - player
    lower = uniform_mixture([solved.policy(below, other) for below in range(level)])
    return pomdp(solved.table, player, {other: lower})


@cache
def problems() -> dict[tuple[int, int], POMDP]:
    """All of them, by level and player."""
    return {(level, player): problem(level, player) for level in range(1, TOP + 1) for player in (0, 1)}


@cache
def by_sarsop() -> dict[tuple[int, int], Solution]:
    """Their certified answers, by SARSOP as in the document."""
    return {key: solve(solver("sarsop"), own, RunOptions(Until(gap=EXACTLY))) for key, own in problems().items()}


@cache
def belief_times(top: int = FAR) -> list[Timed]:
    """One more level by search over beliefs, given all lower ones."""
    runs = [solve_levels(nim().game, levels=top) for _ in range(REPEATS)]
    return [
        Timed(level, player, min(run.solution(level, player).seconds for run in runs), "beliefs")
        for level in range(1, top + 1)
        for player in (0, 1)
    ]


@cache
def sarsop_times() -> list[Timed]:
    """The same by SARSOP; as in the document, setting up the problem counts."""
    by_sarsop()  # so that nothing is compiled while the clock runs
    return [Timed(*key, min(_seconds(*key) for _ in range(REPEATS)), "SARSOP") for key in problems()]


def _seconds(level: int, player: int) -> float:
    began = time.process_time()
    solve(solver("sarsop"), problem(level, player), RunOptions(Until(gap=EXACTLY), check_seconds=None))
    return time.process_time() - began


def growth(points: Sequence[tuple[int, float]]) -> float:
    """The mean over the upper half of the levels as a multiple of that over the lower half."""
    middle = max(level for level, _ in points) / 2
    low, high = ([y for level, y in points if (level > middle) == upper] for upper in (False, True))
    return mean(high) / mean(low)
