"""A controller as a graph to be drawn: its nodes by distance from the start, its arrows merged."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from fogbound.core.game import Seen
from fogbound.draw import words
from fogbound.draw.svg import EXACT, decimal
from fogbound.draw.words import Describe
from fogbound.evaluate.occupancy import Occupancy
from fogbound.policies.controller import Controller

START, MORE = -1, -2  # where play begins; any node that is not drawn
NEVER = "never"
Arrows = dict[tuple[int, int], list[str]]  # (from, to) -> what is seen on the way
Told = dict[str, float | None]  # what is seen, and how likely that is where it is known


@dataclass(frozen=True)
class Graph:
    """The nodes shown, nearest to the start first, and for each pair of them what leads from one to the other."""

    nodes: tuple[int, ...]
    arrows: Arrows
    hidden: int  # nodes that play can reach but that are not shown
    unreachable: int


def graph(policy: Controller, describe: Describe, most: int, occupancy: Occupancy | None = None) -> Graph:
    """At most `most` nodes; arrows to the others lead to MORE. With an occupancy, sights say how likely they are."""
    after = _used(policy)
    found = dict.fromkeys(policy.first.values())
    queue = list(found)
    for node in queue:  # grows while it is walked
        fresh = dict.fromkeys(target for _, _, target in after[node] if target not in found)
        found.update(fresh)
        queue += fresh
    shown = tuple(queue[: max(1, most)])
    kept, arrows = set(shown), dict[tuple[int, int], Told]()
    for seen, target in policy.first.items():
        chance = occupancy.first.get(seen, 0.0) if occupancy else None
        _add(arrows, START, target if target in kept else MORE, words.sight(seen), chance)
    for node in shown:
        mixed = len({own for own, _, _ in after[node]}) > 1
        visited = occupancy if occupancy and occupancy.visits[node] > 0 else None
        for own, seen, target in after[node]:
            said = words.steps(describe, [(own, seen)])[0] if mixed else words.sight(seen)
            chance = visited.chances.get((node, own, seen), 0.0) if visited else None
            _add(arrows, node, target if target in kept else MORE, said, chance)
    tidy = {ends: _tidy(told) for ends, told in arrows.items()}
    return Graph(shown, tidy, len(queue) - len(shown), policy.size - len(queue))


def _add(arrows: dict[tuple[int, int], Told], source: int, target: int, said: str, chance: float | None) -> None:
    told = arrows.setdefault((source, target), {})
    before = told.get(said)
    told[said] = chance if before is None or chance is None else before + chance


def _tidy(told: Told) -> list[str]:
    """Numbers in their order, runs of them as `3 to 8`, other sights with the likeliest first.

    Nothing is said where nothing is seen, and that is sure.
    """
    if not all(word.isdecimal() and str(int(word)) == word for word in told):
        alone = told.get(words.NOTHING, 0.0) if len(told) == 1 else 0.0
        if alone is None or alone > 1 - EXACT:
            return []
        return [_said(word, p) for word, p in sorted(told.items(), key=lambda pair: -round(pair[1] or 0.0, 9))]
    runs: list[list[int]] = []
    chance = {int(word): p for word, p in told.items()}
    for value in sorted(chance):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    parts = [part for run in runs for part in ([run] if len(run) > 2 else [[value] for value in run])]
    return [_said(str(part[0]) if len(part) == 1 else f"{part[0]} to {part[-1]}", _sum(chance, part)) for part in parts]


def _sum(chance: dict[int, float | None], part: list[int]) -> float | None:
    known = [p for value in part if (p := chance[value]) is not None]
    return sum(known) if known else None


def _said(word: str, chance: float | None) -> str:
    """A sight with its chance; a colon keeps them apart where the sight itself ends in a digit."""
    if chance is None:
        return word
    return f"{word}{':' if word[-1:].isdecimal() else ''} {decimal(chance) if chance > 0 else NEVER}"


def _used(policy: Controller) -> list[list[tuple[Hashable | None, Seen, int]]]:
    """Each node's arrows, without those for actions that the node never chooses."""
    after: list[list[tuple[Hashable | None, Seen, int]]] = [[] for _ in policy.choices]
    for (node, own, seen), target in policy.arrows.items():
        choice = policy.choices[node]
        if own is None or choice is None or choice[own] > 0:
            after[node].append((own, seen, target))
    return after
