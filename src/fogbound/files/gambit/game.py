"""A game tree from a file as a game that can be played: possible where times can be aligned.

Fogbound's players see every step go by, and those of a file do not. So that no clock tells what the file keeps secret,
every information set has its moment, and at each moment the same players are asked, whatever happened: those who have
nothing to decide then can only wait. Chance is part of what follows a move.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from fogbound.core.dist import Dist
from fogbound.core.errors import FormError
from fogbound.core.game import Game, Outcome
from fogbound.files.gambit.extensive import ExtensiveFile
from fogbound.files.gambit.structure import PERFECT, labels, menu, moments, recall

WAIT = "wait"
State = tuple[int, int]  # (moment, node of the file): a node whose moment has not come is waited for


@dataclass(frozen=True, eq=False)
class ExtensiveGame(Game[State, str]):
    """The game in an `.efg` file.

    Parameters
    ----------
    file
        The file; its players have perfect recall, and its times can be aligned.
    """

    file: ExtensiveFile = field(repr=False)

    name: ClassVar[str] = "efg"

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", distinct(self.file.players))
        if (found := recall(self.file)).kind != PERFECT:
            raise FormError(f"{self.file.path}: {found.kind} recall ({self.called[found.index]}): it cannot be played")
        if not self.times_align:
            raise FormError(
                f"{self.file.path}: its times cannot be aligned, so whoever plays it step by step would learn what the "
                "file keeps secret: it can be solved, not played"
            )

    def __str__(self) -> str:
        return self.file.path

    @cached_property
    def called(self) -> list[str]:
        """What each information set is called."""
        return labels(self.file)

    @property
    def times_align(self) -> bool:
        return self._moments is not None

    @cached_property
    def _moments(self) -> dict[int, int] | None:
        return moments(self.file)

    @cached_property
    def _moment(self) -> dict[int, int]:
        return self._moments or {}

    @cached_property
    def _asked(self) -> list[tuple[int, ...]]:
        """Who is asked at each moment."""
        asked: dict[int, set[int]] = {}
        for index, moment in self._moment.items():
            asked.setdefault(moment, set()).add(self.file.sets[index].player)
        return [tuple(sorted(asked[moment])) for moment in sorted(asked)]

    @cached_property
    def _children(self) -> list[list[int]]:
        return self.file.children()

    @cached_property
    def _menus(self) -> list[tuple[str, ...]]:
        return [menu(one.moves) for one in self.file.sets]

    def _now(self, state: State) -> int:
        """The set at which somebody decides now; -1 where that moment has not come."""
        moment, node = state
        index = self.file.set_of[node]
        return index if index >= 0 and self._moment[index] == moment else -1

    def start(self) -> Dist[Outcome[State]]:
        return self._arrive(0, 0)

    def actors(self, state: State) -> tuple[int, ...]:
        moment, node = state
        return () if self.file.set_of[node] < 0 else self._asked[moment]

    def actions(self, state: State, player: int) -> tuple[str, ...]:
        index = self._now(state)
        return self._menus[index] if index >= 0 and self.file.sets[index].player == player else (WAIT,)

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        moment, node = state
        index = self._now(state)
        if index < 0:
            return Dist.sure(self._seen(moment + 1, node, (0.0,) * len(self.players)))
        mover = self._asked[moment].index(self.file.sets[index].player)
        return self._arrive(moment + 1, self._children[node][self._menus[index].index(joint[mover])])

    def _arrive(self, moment: int, node: int) -> Dist[Outcome[State]]:
        """What may follow once a node is reached: through lotteries to where somebody decides, or to an end."""
        file, found = self.file, []
        waiting = [(node, 1.0, (0.0,) * len(self.players))]
        while waiting:
            at, likely, paid = waiting.pop()
            if file.outcome[at]:
                paid = tuple(have + float(more) for have, more in zip(paid, file.outcomes[file.outcome[at]][1]))
            index = file.set_of[at]
            if index >= 0 and file.sets[index].player < 0:
                parts = zip(self._children[at], file.sets[index].chances)
                waiting += [(below, likely * float(p), paid) for below, p in parts if p > 0][::-1]
            else:
                found.append((self._seen(moment, at, paid), likely))
        return Dist.weighted(found) if len(found) > 1 else Dist.sure(found[0][0])

    def _seen(self, moment: int, node: int, paid: tuple[float, ...]) -> Outcome[State]:
        """A step's end: whoever decides now sees at which information set."""
        index = self._now((moment, node))
        private = tuple(
            self.called[index] if index >= 0 and self.file.sets[index].player == i else None
            for i in range(len(self.players))
        )
        return Outcome((moment, node), paid, None, private)


def distinct(players: tuple[str, ...]) -> tuple[str, ...]:
    """The players' names, all different and none empty."""
    return menu(players)
