"""Players as tables of answers: what they remember is numbered, and each is asked once for everything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fogbound.core.policy import Strategy
from fogbound.core.simulator import Labels
from fogbound.evaluation.episodes.kernels.steps import AFTER, CHOICE, EMPTY, Answers, EpisodeStates, insert
from fogbound.forms.arrays import Longs
from fogbound.forms.induced import FixedPlayer, Memory
from fogbound.policies.controller import LOST, Controller

ROOM = 1024  # keys that a table has room for at first


class NumberedPlayers:
    """Policies whose memories are numbers, one row of numbers for all players; before its first observation each is
    one of its types."""

    def __init__(self, labels: Labels, policies: Sequence[Strategy], sizes: Longs, first: int = 0) -> None:
        self.players = [FixedPlayer(labels, first + k, policy) for k, policy in enumerate(policies)]
        self.sizes, self.met = sizes, list[tuple[int, int, Memory | None]]()  # player, type, memory (None: before)
        self.number: dict[tuple[int, int], int] = {}
        self.types = [[self._add(k, type_, None) for type_ in range(len(p.types))] for k, p in enumerate(self.players)]
        self.begin, self.place, self.chance, self.strays = [0], list[int](), list[float](), list[int]()
        self.choice, self.after = _HashTable(), _HashTable()

    def _add(self, player: int, type_: int, memory: Memory | None) -> int:
        self.met.append((player, type_, memory))
        return len(self.met) - 1

    def _known(self, player: int, memory: Memory) -> int:
        number = self.number.get((player, memory.number))
        if number is None:
            number = self.number[player, memory.number] = self._add(player, memory.type, memory)
        return number

    def answers(self) -> Answers:
        """What was said so far, for kernels."""
        return Answers(
            self.choice.keys,
            self.choice.values,
            self.after.keys,
            self.after.values,
            np.array(self.begin, np.int64),
            np.array(self.place or [0], np.int64),
            np.array(self.chance or [1.0]),
            np.array(self.strays or [0], np.int64),
            self.sizes,
        )

    def answer(self, games: EpisodeStates) -> bool:
        """Answer what games wait for; whether any did."""
        waits = False
        for status, reply, table in ((CHOICE, self._choose, self.choice), (AFTER, self._follow, self.after)):
            keys = np.unique(games.missing[games.status == status])
            if len(keys):
                table.add(keys, np.array([reply(key) for key in keys.tolist()], np.int64))
                waits = True
        return waits

    def _choose(self, key: int) -> int:
        number, legal = divmod(key, int(self.sizes[0]))
        player, type_, memory = self.met[number]
        assert memory is not None
        self.strays.append(int(memory.value == LOST and isinstance(self.players[player].types[type_], Controller)))
        choice = self.players[player].act(memory, legal)
        self.place += choice.places
        self.chance += choice.probs
        self.begin.append(len(self.place))
        return len(self.begin) - 2

    def _follow(self, key: int) -> int:
        (number, action), seen = divmod(key // int(self.sizes[2]), int(self.sizes[1])), key % int(self.sizes[2])
        player, type_, memory = self.met[number]
        if memory is None:
            return self._known(player, self.players[player].begin(seen)[type_][0])
        return self._known(player, self.players[player].update(memory, action - 1, seen))


class _HashTable:
    """Keys with values, twice as much room as there are."""

    def __init__(self) -> None:
        self.keys, self.values = np.full(2 * ROOM, EMPTY, np.int64), np.zeros(2 * ROOM, np.int64)
        self.many = 0

    def add(self, keys: Longs, values: Longs) -> None:
        self.many += len(keys)
        if 2 * self.many > len(self.keys):
            kept, size = self.keys != EMPTY, len(self.keys)
            while 2 * self.many > size:
                size *= 2
            old = self.keys[kept], self.values[kept]
            self.keys, self.values = np.full(size, EMPTY, np.int64), np.zeros(size, np.int64)
            insert(self.keys, self.values, *old)
        insert(self.keys, self.values, keys, values)
