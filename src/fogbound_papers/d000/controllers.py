"""Figures 6 to 9 of document 000: the controllers of levels 1 and 2, as far as captions tell of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import cast

from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d000.figures import level_controller
from fogbound_papers.d000.nim import FINE, NimLevels, Situation, name, nim

FIGURES = {6: (1, 0), 7: (1, 1), 8: (2, 0), 9: (2, 1)}  # by number: level and player
CAPTIONS = {6: ("0_2",), 7: ("0_1",), 8: ("0_2", "1_2"), 9: ("0_1", "1_1")}  # whom it is against, equally likely
NO_PICTURE = "our copy of the document has the captions and not the pictures"


def claims() -> Iterator[Claim]:
    own = nim()
    yield _opponents(own)
    yield _dummy(own)
    for number, (level, player) in FIGURES.items():
        yield _nodes(own, number, level, player)


def believed(own: NimLevels, level: int, player: int) -> dict[str, float]:
    """The opponents that a level believes in at the start, and how much."""
    problem = own.process(level, player)
    odds = defaultdict[str, float](float)
    for outcome in range(problem.out[0], problem.out[1]):
        _, levels = cast(Situation, problem.names[int(problem.next[outcome])])
        odds["/".join(name(lower, 1 - player) for lower in levels)] += float(problem.prob[outcome])
    return dict(odds)


def _opponents(own: NimLevels) -> Claim:
    found = {number: believed(own, *key) for number, key in FIGURES.items()}
    right = [
        number
        for number, odds in found.items()
        if tuple(sorted(odds)) == CAPTIONS[number] and all(abs(p * len(odds) - 1) < FINE for p in odds.values())
    ]
    shown = "; ".join(f"{name(*key)}: {', '.join(sorted(found[number]))}" for number, key in FIGURES.items())
    ours = f"{len(right)} of {len(FIGURES)} captions"
    statement = "whom the controllers are best against, equally likely"
    return Claim(statement, "Figs. 6 to 9", "the captions", ours, verdict(len(right) == len(FIGURES)), shown)


def _dummy(own: NimLevels) -> Claim:
    """Who goes second has nothing to do before the first observation."""
    waits = []
    for number in (7, 9):
        level, player = FIGURES[number]
        problem = own.process(level, player)
        begins = {int(problem.next[outcome]) for outcome in range(problem.out[0], problem.out[1])}
        waits.append(all(problem.row[state + 1] - problem.row[state] == 1 for state in begins))
    words = "1_2 and 2_2: in every state that may be the first there is nothing to choose"
    ours = f"{sum(waits)} of {len(waits)}"
    statement = "going second, the first state is a dummy"
    return Claim(statement, "Figs. 7 and 9", "yes", ours, verdict(all(waits)), words)


def _nodes(own: NimLevels, number: int, level: int, player: int) -> Claim:
    """One line for each node of ours, since the document's picture is not there to be compared."""
    solution = own.hierarchy.solution(level, player)
    told = level_controller(own, level, player).text.splitlines()
    moving = [" ".join(line.split()) for line in told if " take " in line]
    words = f"{NO_PICTURE}; ours move so (my heap, the other's, its level): {'; '.join(moving)}"
    statement = f"{name(level, player)}'s controller, node by node"
    ours = f"{solution.moves} nodes that move"
    figure = f"000-figure-{number}"
    return Claim(statement, f"Fig. {number}", "the picture", ours, "cannot be checked", words, figure=figure)
