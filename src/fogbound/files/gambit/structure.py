"""What can be said of a game tree before anything is solved: whether players forget, and whether times can be aligned.

A player has *perfect recall* where all nodes of an information set follow the same own moves; it is *absent-minded*
where a play can pass through one of its sets twice (Piccione and Rubinstein 1997). Times can be *aligned* where every
information set can be given a moment such that moments grow along every play: then nobody learns from a clock what the
file does not tell. That is so exactly where no set comes before itself by way of others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from fogbound.files.gambit.efg import CHANCE, ExtensiveFile

PERFECT, IMPERFECT, ABSENT_MINDED = "perfect", "imperfect", "absent-minded"


@dataclass(frozen=True)
class Recall:
    """Whether players remember what they did.

    Parameters
    ----------
    kind
        Perfect, imperfect or absent-minded.
    index
        Where not perfect: the index of an information set that shows it.
    """

    kind: str
    index: int = -1


def recall(file: ExtensiveFile) -> Recall:
    """Whether every player remembers all that it did and knew; the first set that shows the contrary."""
    last: list[tuple[int, ...]] = []  # by node and player: own last (set, move) as one number, 0 before the first
    led: dict[int, int] = {}  # by set: the same, for its player
    wide = 1 + max((len(one.moves) for one in file.sets), default=0)
    taken = [0] * file.size  # moves of a node that have been followed so far
    forgets = -1
    for node, (index, up) in enumerate(zip(file.set_of, file.parent)):
        own = (0,) * len(file.players)
        if up >= 0:
            own, above = last[up], file.set_of[up]
            if (player := file.sets[above].player) >= 0:
                own = (*own[:player], above * wide + taken[up] + 1, *own[player + 1 :])
            taken[up] += 1
        last.append(own)
        player = file.sets[index].player if index >= 0 else CHANCE
        if player >= 0 and led.setdefault(index, own[player]) != own[player]:
            if _twice(file, node):
                return Recall(ABSENT_MINDED, index)
            forgets = index if forgets < 0 else forgets
    return Recall(PERFECT) if forgets < 0 else Recall(IMPERFECT, forgets)


def absent_minded(file: ExtensiveFile) -> dict[int, int]:
    """By player, the first information set that a play can visit more than once; players without one are left out."""
    found: dict[int, int] = {}
    for node, index in enumerate(file.set_of):
        if index >= 0 and (player := file.sets[index].player) >= 0 and player not in found and _twice(file, node):
            found[player] = index
    return found


def _twice(file: ExtensiveFile, node: int) -> bool:
    """Whether a set occurs above one of its nodes."""
    up = file.parent[node]
    while up >= 0 and file.set_of[up] != file.set_of[node]:
        up = file.parent[up]
    return up >= 0


def moments(file: ExtensiveFile) -> dict[int, int] | None:
    """A moment for each player's information set, as early as can be; None where times cannot be aligned."""
    before: dict[int, set[int]] = {}
    for index, above in _decisions(file):
        earlier = before.setdefault(index, set())
        if above >= 0:
            earlier.add(above)
    found: dict[int, int] = {}
    try:
        for index in TopologicalSorter(before).static_order():
            found[index] = 1 + max((found[one] for one in before[index]), default=-1)
    except CycleError:
        return None
    return found


def padding(file: ExtensiveFile, when: dict[int, int]) -> int:
    """How many steps, over all nodes, somebody's moment is waited for."""
    return sum(when[index] - (when[above] if above >= 0 else -1) - 1 for index, above in _decisions(file))


def _decisions(file: ExtensiveFile) -> Iterator[tuple[int, int]]:
    """(its set, the nearest set of a player above it or -1) of every node at which a player decides."""
    above = [-1] * file.size
    for node, (index, up) in enumerate(zip(file.set_of, file.parent)):
        if up >= 0:
            above[node] = file.set_of[up] if file.sets[file.set_of[up]].player >= 0 else above[up]
        if index >= 0 and file.sets[index].player >= 0:
            yield index, above[node]


def set_labels(file: ExtensiveFile) -> list[str]:
    """What each set is called: as in the file, with its number where that is nothing or not unique to its player."""
    count: dict[tuple[int, str], int] = {}
    for one in file.sets:
        count[one.player, one.label] = count.get((one.player, one.label), 0) + 1
    return [
        one.label if one.label and count[one.player, one.label] == 1 else f"{one.label} #{one.number}".strip()
        for one in file.sets
    ]


def menu(moves: tuple[str, ...]) -> tuple[str, ...]:
    """The moves of a set, all different: those without a name get their number, equal ones a second one."""
    found: dict[str, None] = {}
    numbered: dict[str, int] = {}
    for k, move in enumerate(moves):
        name = wanted = move or str(k + 1)
        while name in found:
            numbered[wanted] = numbered.get(wanted, 1) + 1
            name = f"{wanted} ({numbered[wanted]})"
        found[name] = None
    return tuple(found)
