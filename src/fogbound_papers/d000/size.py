"""How large the problems and their answers are, and how exact (Figure 5 of document 000)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import cast

import numpy as np

from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d000.nim import NEARLY, TOP, Situation, nim
from fogbound_papers.d000.timing import EXACTLY, by_sarsop, growth, problems

CORRELATED = 0.5


def claims() -> Iterator[Claim]:
    yield _exactly()
    yield _nodes()
    yield from _states()
    yield from _vectors()
    yield _deterministic()


def _exactly() -> Claim:
    solutions = by_sarsop()
    gap, certified = (
        max(own.gap for own in solutions.values()),
        sum(own.certified == "both" for own in solutions.values()),
    )
    faded = nim(discount=NEARLY).hierarchy
    apart = max(abs(own.value - faded.solution(*key).value) for key, own in solutions.items())
    words = (
        f"SARSOP, {NEARLY} a round: {certified} of {len(solutions)} certified; "
        f"search over beliefs differs by {apart:.0e}"
    )
    holds = certified == len(solutions) and gap <= EXACTLY
    return Claim("every level is solved to within", "§ IV", f"{EXACTLY:.0e}", f"{gap:.0e}", verdict(holds), words)


def _nodes() -> Claim:
    solutions = nim().hierarchy.solutions
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
    solved, formula = nim(discount=NEARLY).hierarchy, dict[tuple[int, int], int]()
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
    yield Claim(
        "states grow linearly where controllers are bounded",
        "§ III",
        "yes",
        f"{grown:.1f} times",
        verdict(holds),
        words,
    )


def _vectors() -> Iterator[Claim]:
    """How many there are is a matter of how the problem is written; that they go with the controllers' size is not."""
    solutions = by_sarsop()
    ours = ", ".join(str(solutions[key].details["vectors"]) for key in ((2, 0), (13, 1)))
    words = "not comparable: they depend on how moves that are not legal are written, which is not stated"
    yield Claim("alpha-vectors of 2_1 and of 13_2", "§ IV", "12, 61", ours, "cannot be checked", words)
    own = nim(discount=NEARLY).hierarchy
    sizes = [(int(found.details["vectors"]), own.solution(*key).moves) for key, found in solutions.items()]
    together = float(np.corrcoef(np.array(sizes).T)[0, 1])
    words = f"with the nodes that move, over {len(sizes)} levels; vectors: {min(sizes)[0]} to {max(sizes)[0]}"
    said = "reproduced" if together >= CORRELATED else "not reproduced"  # of another program's vectors
    statement = "the number of alpha-vectors goes with the controller's size"
    yield Claim(statement, "§ IV", "correlated", f"r = {together:+.2f}".replace("-", "−"), said, words)


def _deterministic() -> Claim:
    """From states in which the other cannot be of level 0 every move has one outcome."""
    chancy = states = 0
    for player in (0, 1):
        problem = nim().process(TOP, player)
        wide = np.diff(problem.out)
        for number, situation in enumerate(problem.names):
            _, levels = cast(Situation, situation)
            if 0 not in levels:
                states += 1
                chancy += bool((wide[problem.row[number] : problem.row[number + 1]] > 1).any())
    words = f"states of {TOP}_1 and {TOP}_2 with another opponent in which a move has several outcomes"
    ours = f"{chancy} of {states}"
    return Claim("only against level 0 is anything random", "§ III", "none", ours, verdict(not chancy), words)
