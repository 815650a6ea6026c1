"""A game as its players' information sets and what combinations of their sequences are paid, checked before use."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from ..arithmetic import exact
from ..arrays import Array, Refused, floats, integers, lines, shape, within


@dataclass(frozen=True)
class Plex:
    """One player's information sets, in an order in which none leads to an earlier one.

    Set h is reached by the sequence before[h] and has the sequences first[h] to first[h] + size[h] - 1; its moves have
    as many places in a flat strategy from slot[h] on.
    """

    before: list[int]
    first: list[int]
    size: list[int]
    slot: list[int]

    @property
    def sequences(self) -> int:
        """How many there are; number 0 is the empty one."""
        return 1 + sum(self.size)


@dataclass(frozen=True)
class Memories:
    """A checked form; payoff[player][k] / unit is what the combination ends[k] of sequences is paid."""

    plexes: list[Plex]
    slots: int
    ends: list[tuple[int, ...]]
    payoff: list[list[int]]
    unit: int


def read_memories(form: Mapping[str, Array]) -> Memories:
    """Check every array; Refused at the first fault. Whatever passes is a game of perfect recall."""
    (players,) = integers(form, "players", 1)
    (sets,) = shape(form, "set_owner", 1)
    count, _ = shape(form, "ends", 2)
    if not 1 <= players <= 1000:
        raise Refused(f"a game for {players} players")
    owner, before = integers(form, "set_owner", sets), integers(form, "set_parent", sets)
    size = integers(form, "set_size", sets)
    within(owner, 0, players, "set_owner")
    within(size, 1, 2**31, "set_size")
    slot = list(itertools.accumulate(size, initial=0))
    plexes = [_plex([h for h in range(sets) if owner[h] == i], before, size, slot) for i in range(players)]
    flat = integers(form, "ends", count, players)
    for player, plex in enumerate(plexes):
        within(flat[player::players], 0, plex.sequences, "ends")
    numerators, unit = exact(floats(form, "payoff", count, players))
    payoff = [numerators[player::players] for player in range(players)]
    return Memories(plexes, slot[-1], lines(flat, players, count), payoff, unit)


def _plex(own: list[int], before: list[int], size: list[int], slot: list[int]) -> Plex:
    sizes = [size[h] for h in own]
    first = list(itertools.accumulate(sizes, initial=1))[:-1]
    for h, start in zip(own, first):
        if not 0 <= before[h] < start:
            raise Refused(f"information set {h} is reached by sequence {before[h]}, expected an earlier one")
    return Plex([before[h] for h in own], first, sizes, [slot[h] for h in own])
