"""How long one more level takes (Figure 4 of document 000): by SARSOP as there, and by search over beliefs.

Moves that are made to learn something (document 000, sections I and III): what a planner loses that makes none.

How large the problems and their answers are, and how exact (Figure 5 of document 000).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import mean
from typing import cast

import numpy as np

from fogbound import evaluation
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.driver.solve import run_solver
from fogbound.forms.pomdp import POMDP, pomdp
from fogbound.policies.mixture import uniform_mixture
from fogbound.solvers import make as solver
from fogbound.solvers.level_k.hierarchy import solve_levels
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d000.nim import FAR, NEARLY, TOP, Situation, name, nim_levels

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
    """What QMDP misses, how long levels take, how large they are."""
    yield _qmdp()
    yield _success_is_state()
    linear = growth([(level, level) for level in range(1, FAR + 1)])
    ours = growth([(own.level, own.seconds) for own in belief_times()])
    words = f"search over beliefs, upper half of {FAR} levels over the lower one; in proportion: {linear:.1f}"
    statement = "higher levels do not become intractable"
    yield Claim(statement, "abstract", "yes", f"{ours:.1f} times", verdict(ours <= linear), words)
    yield _sarsop()
    yield _exactly()
    yield _nodes()
    yield from _states()
    yield from _vectors()
    yield _deterministic()


def _sarsop() -> Claim:
    """ "Varies roughly linearly with the level": then a line through the times explains most of how they differ."""
    times = sarsop_times()
    lines = [fitted_line([(own.level, own.seconds) for own in times if own.player == player]) for player in (0, 1)]
    sizes = [own.size for own in problems().values()]
    fits = " and ".join(f"{fit:.2f}" for _, _, fit in lines)
    ours = " and ".join(f"{1000 * at_0:.0f} + {1000 * slope:.1f} k ms" for at_0, slope, _ in lines)
    words = (
        f"level k = 1 to {TOP}, going first and second, setting up counts: the lines explain {fits} of the variance; "
        f"{min(sizes)} to {max(sizes)} states are so few that most of it is the same at every level"
    )
    holds = all(fit >= LINEAR and slope > 0 for _, slope, fit in lines)
    said = verdict(holds, "not reproduced")  # a program of ours cannot refute how long another took
    statement = "SARSOP's time for one more level is linear in it"
    return Claim(statement, "Fig. 4", "roughly", ours, said, words, figure="000-figure-4")


def fitted_line(points: Sequence[tuple[int, float]]) -> tuple[float, float, float]:
    """The least-squares line: its height at level 0, its slope, and the share of the variance that it explains."""
    levels, seconds = (np.array(column, float) for column in zip(*points))
    slope, at_0 = np.polyfit(levels, seconds, 1)
    spread = float(((seconds - seconds.mean()) ** 2).sum())
    missed = float(((seconds - at_0 - slope * levels) ** 2).sum())
    return float(at_0), float(slope), 1 - missed / spread if spread else 1.0


def level_problem(level: int, player: int) -> POMDP:
    """A level's problem as the document has it: board, the opponent's level, the node of that level's controller.

    Nothing is shared between levels. SARSOP needs a discount.
    """
    solved, other = nim_levels(discount=NEARLY).hierarchy, 1 - player
    lower = uniform_mixture([solved.policy(below, other) for below in range(level)])
    return pomdp(solved.table, player, {other: lower})


@cache
def problems() -> dict[tuple[int, int], POMDP]:
    """All of them, by level and player."""
    return {(level, player): level_problem(level, player) for level in range(1, TOP + 1) for player in (0, 1)}


@cache
def sarsop_solutions() -> dict[tuple[int, int], Solution]:
    """Their certified answers, by SARSOP as in the document."""
    return {key: run_solver(solver("sarsop"), own, RunOptions(Until(gap=EXACTLY))) for key, own in problems().items()}


@cache
def belief_times(top: int = FAR) -> list[Timed]:
    """One more level by search over beliefs, given all lower ones."""
    runs = [solve_levels(nim_levels().game, levels=top) for _ in range(REPEATS)]
    return [
        Timed(level, player, min(run.solution(level, player).seconds for run in runs), "beliefs")
        for level in range(1, top + 1)
        for player in (0, 1)
    ]


@cache
def sarsop_times() -> list[Timed]:
    """The same by SARSOP; as in the document, setting up the problem counts."""
    sarsop_solutions()  # so that nothing is compiled while the clock runs
    return [Timed(*key, min(_seconds(*key) for _ in range(REPEATS)), "SARSOP") for key in problems()]


def _seconds(level: int, player: int) -> float:
    began = time.process_time()
    run_solver(solver("sarsop"), level_problem(level, player), RunOptions(Until(gap=EXACTLY), check_seconds=None))
    return time.process_time() - began


def growth(points: Sequence[tuple[int, float]]) -> float:
    """The mean over the upper half of the levels as a multiple of that over the lower half."""
    middle = max(level for level, _ in points) / 2
    low, high = ([y for level, y in points if (level > middle) == upper] for upper in (False, True))
    return mean(high) / mean(low)


SHORT = 1e-6  # what is lost beyond rounding


def _qmdp() -> Claim:
    """ "Unlike QMDP, SARSOP does not struggle with information-gathering actions": both policies, exactly evaluated."""
    lost = losses()
    short = [key for key, loss in lost.items() if loss > SHORT]
    worst = max(lost, key=lost.__getitem__)
    best = nim_levels(discount=NEARLY).hierarchy.solution(*worst).value
    words = (
        f"levels whose optimum QMDP's policy does not reach, {NEARLY} a round; {name(*worst)} would earn "
        f"{best - lost[worst]:+.2f} instead of {best:+.2f}; SARSOP reaches all, see below"
    )
    ours = f"{len(short)} of {len(lost)} levels"
    return Claim("QMDP struggles to gather information", "§ III", "yes", ours, verdict(bool(short)), words)


@cache
def losses() -> dict[tuple[int, int], float]:
    """By level and player: the optimum less what QMDP's policy earns."""
    own = nim_levels(discount=NEARLY)
    lost = {}
    for (level, player), problem in problems().items():
        found = run_solver(solver("qmdp(games=2)"), problem, RunOptions(Until(iterations=2_000), check_seconds=None))
        lower = uniform_mixture([own.hierarchy.policy(below, 1 - player) for below in range(level)])
        earned = evaluation.value(own.game, {player: found.profile[player], 1 - player: lower})[player]
        lost[level, player] = own.hierarchy.solution(level, player).value - earned
    return lost


def _success_is_state() -> Claim:
    """Moves and the states they lead to, that success and failure share: then the state must tell them apart."""
    both = pairs = 0
    for player in (0, 1):
        seen = defaultdict[tuple[int, int], set[int]](set)
        problem = nim_levels().process(TOP, player)
        for row in range(1, len(problem.action)):
            for outcome in range(problem.out[row], problem.out[row + 1]):
                seen[int(problem.action[row]), int(problem.next[outcome])].add(int(problem.obs[outcome]))
        pairs += len(seen)
        both += sum(len(observations) > 1 for observations in seen.values())
    words = f"pairs of a move and the next state of {TOP}_1 and {TOP}_2 after which several things may be seen"
    statement = "whether a move succeeded must be part of SARSOP's state"
    return Claim(statement, "§ III", "yes", f"{both} of {pairs}", verdict(both > 0), words)


CORRELATED = 0.5


def _exactly() -> Claim:
    solutions = sarsop_solutions()
    gap, certified = (
        max(own.gap for own in solutions.values()),
        sum(own.certified == "both" for own in solutions.values()),
    )
    faded = nim_levels(discount=NEARLY).hierarchy
    apart = max(abs(own.value - faded.solution(*key).value) for key, own in solutions.items())
    words = (
        f"SARSOP, {NEARLY} a round: {certified} of {len(solutions)} certified; "
        f"search over beliefs differs by {apart:.0e}"
    )
    holds = certified == len(solutions) and gap <= EXACTLY
    return Claim("every level is solved to within", "§ IV", f"{EXACTLY:.0e}", f"{gap:.0e}", verdict(holds), words)


def _nodes() -> Claim:
    solutions = nim_levels().hierarchy.solutions
    sizes = [[solution.moves for solution in solutions if solution.player == player] for player in (0, 1)]
    falls = sum(b < a for own in sizes for a, b in pairwise(own))
    least, most = min(map(min, sizes)), max(map(max, sizes))
    kinds = " and ".join(
        str(len({solution.kind for solution in solutions if solution.player == player})) for player in (0, 1)
    )
    words = (
        f"nodes that move ({sizes[0][0]} and {sizes[1][0]} at level 1); {kinds} different controllers in {TOP} levels"
    )
    points = [(solution.level, solution.moves) for solution in solutions]
    holds = falls > 0 and growth(points) < growth([(level, level) for level, _ in points])
    ours = f"{least} to {most}, {falls} falls"
    statement = "controllers stay small and sometimes shrink"
    return Claim(statement, "Fig. 5", "yes", ours, verdict(holds), words, figure="000-figure-5")


def _states() -> Iterator[Claim]:
    """Formula (1), with level 0 as a controller of one node, against the states that play can reach."""
    solved, formula = nim_levels(discount=NEARLY).hierarchy, dict[tuple[int, int], int]()
    for level, player in problems():
        lower = sum(solved.solution(below, 1 - player).nodes for below in range(1, level))
        formula[level, player] = len(solved.table.states) * (1 + lower)
    sizes = {key: own.size for key, own in problems().items()}
    holds = all(size <= formula[key] for key, size in sizes.items())
    words = f"level {TOP}; fewer since most pairs of a board and a node never occur"
    ours = f"{sizes[TOP, 0]} of {formula[TOP, 0]:,}"
    yield Claim("states of a level, at most", "eq. (1)", "|S_p| Σ |π_l|", ours, verdict(holds), words)
    grown, linear = growth([(key[0], size) for key, size in sizes.items()]), growth([(k, k) for k, _ in sizes])
    shared = max(solved.process(TOP, player).size for player in (0, 1))
    words = f"upper half of the levels over the lower one; in proportion: {linear:.1f}. Equal nodes shared: {shared}"
    holds = grown <= linear
    statement = "states grow linearly where controllers are bounded"
    yield Claim(statement, "§ III", "yes", f"{grown:.1f} times", verdict(holds), words)


def _vectors() -> Iterator[Claim]:
    """How many there are is a matter of how the problem is written; that they go with the controllers' size is not."""
    solutions = sarsop_solutions()
    ours = ", ".join(str(solutions[key].details["vectors"]) for key in ((2, 0), (13, 1)))
    words = "not comparable: they depend on how moves that are not legal are written, which is not stated"
    yield Claim("alpha-vectors of 2_1 and of 13_2", "§ IV", "12, 61", ours, "cannot be checked", words)
    own = nim_levels(discount=NEARLY).hierarchy
    sizes = [(int(found.details["vectors"]), own.solution(*key).moves) for key, found in solutions.items()]
    together = float(np.corrcoef(np.array(sizes).T)[0, 1])
    words = f"with the nodes that move, over {len(sizes)} levels; vectors: {min(sizes)[0]} to {max(sizes)[0]}"
    said = verdict(together >= CORRELATED, "not reproduced")  # of another program's vectors
    statement = "the number of alpha-vectors goes with the controller's size"
    yield Claim(statement, "§ IV", "correlated", f"r = {together:+.2f}".replace("-", "−"), said, words)


def _deterministic() -> Claim:
    """From states in which the other cannot be of level 0 every move has one outcome."""
    chancy = states = 0
    for player in (0, 1):
        problem = nim_levels().process(TOP, player)
        wide = np.diff(problem.out)
        for number, situation in enumerate(problem.names):
            _, levels = cast(Situation, situation)
            if 0 not in levels:
                states += 1
                chancy += bool((wide[problem.row[number] : problem.row[number + 1]] > 1).any())
    words = f"states of {TOP}_1 and {TOP}_2 with another opponent in which a move has several outcomes"
    ours = f"{chancy} of {states}"
    return Claim("only against level 0 is anything random", "§ III", "none", ours, verdict(not chancy), words)
