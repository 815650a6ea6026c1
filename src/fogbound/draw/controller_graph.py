"""A controller as a graph to be drawn: its nodes by distance from the start, its arrows merged."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from fogbound.core.game import Seen
from fogbound.draw import words
from fogbound.draw.words import Describe
from fogbound.policies.controller import Controller

START, MORE = -1, -2  # where play begins; any node that is not drawn
Arrows = dict[tuple[int, int], list[str]]  # (from, to) -> what is seen on the way


@dataclass(frozen=True)
class Graph:
    """The nodes shown, nearest to the start first, and for each pair of them what leads from one to the other."""

    nodes: tuple[int, ...]
    arrows: Arrows
    hidden: int  # nodes that play can reach but that are not shown
    unreachable: int


def graph(policy: Controller, describe: Describe, most: int) -> Graph:
    """At most `most` nodes; arrows to the others lead to MORE."""
    after = _used(policy)
    found = dict.fromkeys(policy.first.values())
    queue = list(found)
    for node in queue:  # grows while it is walked
        fresh = dict.fromkeys(target for _, _, target in after[node] if target not in found)
        found.update(fresh)
        queue += fresh
    shown = tuple(queue[: max(1, most)])
    kept, arrows = set(shown), Arrows()
    for seen, target in policy.first.items():
        _add(arrows, START, target if target in kept else MORE, words.sight(seen))
    for node in shown:
        mixed = len({own for own, _, _ in after[node]}) > 1
        for own, seen, target in after[node]:
            said = words.steps(describe, [(own, seen)])[0] if mixed else words.sight(seen)
            _add(arrows, node, target if target in kept else MORE, said)
    tidy = {ends: _tidy(told) for ends, told in arrows.items()}
    return Graph(shown, tidy, len(queue) - len(shown), policy.size - len(queue))


def _add(arrows: Arrows, source: int, target: int, said: str) -> None:
    told = arrows.setdefault((source, target), [])
    if said not in told:
        told.append(said)


def _tidy(told: list[str]) -> list[str]:
    """Numbers in their order, runs of them as `3 to 8`; nothing where nothing is seen."""
    if told == [words.NOTHING] or not all(word.isdecimal() and word.isascii() for word in told):
        return [word for word in told if told != [words.NOTHING]]
    runs: list[list[int]] = []
    for value in sorted(map(int, told)):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    said = [[f"{run[0]} to {run[-1]}"] if len(run) > 2 else list(map(str, run)) for run in runs]
    return [word for words_of_run in said for word in words_of_run]


def _used(policy: Controller) -> list[list[tuple[Hashable | None, Seen, int]]]:
    """Each node's arrows, without those for actions that the node never chooses."""
    after: list[list[tuple[Hashable | None, Seen, int]]] = [[] for _ in policy.choices]
    for (node, own, seen), target in policy.arrows.items():
        choice = policy.choices[node]
        if own is None or choice is None or choice[own] > 0:
            after[node].append((own, seen, target))
    return after
