"""Moves that are made to learn something (document 000, sections I and III): what a planner loses that makes none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from fogbound import evaluation
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.solve import solve
from fogbound.policies.mixture import uniform_mixture
from fogbound.solvers import make as solver
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d000.nim import NEARLY, TOP, name, nim
from fogbound_papers.d000.timing import problems

SHORT = 1e-6  # what is lost beyond rounding


def claims() -> Iterator[Claim]:
    yield _qmdp()
    yield _success_is_state()


def _qmdp() -> Claim:
    """ "Unlike QMDP, SARSOP does not struggle with information-gathering actions": both policies, exactly evaluated."""
    lost = losses()
    short = [key for key, loss in lost.items() if loss > SHORT]
    worst = max(lost, key=lost.__getitem__)
    best = nim(discount=NEARLY).hierarchy.solution(*worst).value
    words = (
        f"levels whose optimum QMDP's policy does not reach, {NEARLY} a round; {name(*worst)} would earn "
        f"{best - lost[worst]:+.2f} instead of {best:+.2f}; SARSOP reaches all, see below"
    )
    ours = f"{len(short)} of {len(lost)} levels"
    return Claim("QMDP struggles to gather information", "§ III", "yes", ours, verdict(bool(short)), words)


@cache
def losses() -> dict[tuple[int, int], float]:
    """By level and player: the optimum less what QMDP's policy earns."""
    own = nim(discount=NEARLY)
    lost = {}
    for (level, player), problem in problems().items():
        found = solve(solver("qmdp(games=2)"), problem, RunOptions(Until(iterations=2_000), check_seconds=None))
        lower = uniform_mixture([own.hierarchy.policy(below, 1 - player) for below in range(level)])
        earned = evaluation.value(own.game, {player: found.profile[player], 1 - player: lower})[player]
        lost[level, player] = own.hierarchy.solution(level, player).value - earned
    return lost


def _success_is_state() -> Claim:
    """Moves and the states they lead to, that success and failure share: then the state must tell them apart."""
    both = pairs = 0
    for player in (0, 1):
        seen = defaultdict[tuple[int, int], set[int]](set)
        problem = nim().process(TOP, player)
        for row in range(1, len(problem.action)):
            for outcome in range(problem.out[row], problem.out[row + 1]):
                seen[int(problem.action[row]), int(problem.next[outcome])].add(int(problem.obs[outcome]))
        pairs += len(seen)
        both += sum(len(observations) > 1 for observations in seen.values())
    words = f"pairs of a move and the next state of {TOP}_1 and {TOP}_2 after which several things may be seen"
    statement = "whether a move succeeded must be part of SARSOP's state"
    return Claim(statement, "§ III", "yes", f"{both} of {pairs}", verdict(both > 0), words)
