"""What a file of Gambit's is to everybody else: a game where it can be played, and otherwise a form.

Fogbound's players see every step go by, and those of a tree in a file do not. So that no clock tells what the file
keeps secret, every information set has its moment, and at each moment the same players are asked, whatever happened:
those who have nothing to decide then can only wait. Chance is part of what follows a move.

In a table of payoffs everybody chooses a strategy once, at the same time. So it is with a tree whose players forget
what they did: behaviour at its information sets cannot stand for every mixture of its strategies (Kuhn 1953).
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Protocol, cast, runtime_checkable

from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, many, one_line
from fogbound.core.game import AnyGame, Game, Outcome
from fogbound.files.gambit.efg import ExtensiveFile, read_efg
from fogbound.files.gambit.forms import tree_of
from fogbound.files.gambit.nfg import StrategicFile, equally_likely, read_nfg, strategic, uniform_behaviour
from fogbound.files.gambit.structure import PERFECT, absent_minded, menu, moments, padding, recall, set_labels
from fogbound.forms.tree import Tree

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
        object.__setattr__(self, "players", menu(self.file.players))
        if (found := recall(self.file)).kind != PERFECT:
            raise FormError(f"{self.file.path}: {found.kind} recall ({self.called[found.index]}): it cannot be played")
        if self._moments is None:
            raise FormError(
                f"{self.file.path}: its times cannot be aligned, so whoever plays it step by step would learn what the "
                "file keeps secret: it can be solved, not played"
            )

    def __str__(self) -> str:
        return self.file.path

    @cached_property
    def called(self) -> list[str]:
        """What each information set is called."""
        return set_labels(self.file)

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

    @property
    def title(self) -> str:
        return one_line(self.file.title) or str(self)

    def describe_state(self, state: State) -> str:
        moment, node = state
        index, file = self.file.set_of[node], self.file
        if index < 0:
            paid = file.outcomes[file.outcome[node]][0] if file.outcome[node] else ""
            return f"the end, node {node}" + (f": {one_line(paid)}" if paid else "")
        waits = "" if self._now(state) >= 0 else f", waited for at moment {moment}"
        return f"{self.called[index]}, node {node}{waits}"

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


Strategies = tuple[str, ...]  # what everybody did; () before


@dataclass(frozen=True, eq=False)
class StrategicGame(Game[Strategies, str]):
    """The game in an `.nfg` file.

    Parameters
    ----------
    file
        The table of payoffs.
    imperfect_recall
        How the players forget, where it is the table of a tree of imperfect recall.
    draws
        By player whose uniform behaviour is not uniform over its strategies: when that behaviour draws a move.
    behaviour
        What uniform behaviour pays each player, where it is not uniform over strategies.
    """

    file: StrategicFile = field(repr=False)
    imperfect_recall: str = ""
    draws: Mapping[int, str] = field(default_factory=dict, repr=False)
    behaviour: tuple[float, ...] = field(default=(), repr=False)

    name: ClassVar[str] = "nfg"

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", menu(self.file.players))

    def __str__(self) -> str:
        return self.file.path

    @property
    def title(self) -> str:
        return one_line(self.file.title) or str(self)

    def describe_state(self, state: Strategies) -> str:
        return self.describe_public(state) if state else "all choose at once"

    def describe_public(self, seen: Hashable) -> str:
        return ", ".join(f"{name} plays {done}" for name, done in zip(self.players, cast(Strategies, seen)))

    def uniform_means(self, player: int) -> str:
        """Which uniform strategy of a player is meant, in words; nothing where there is only one."""
        if player not in self.draws:
            return ""
        earned = ", ".join(f"{name} {paid:.6g}" for name, paid in zip(self.players, self.behaviour))
        return (
            f"uniform for {self.players[player]} is a mixed strategy, uniform over reduced pure strategies; uniform "
            f"behaviour, which draws anew at every {self.draws[player]}, is another (if all behave so: {earned})"
        )

    @cached_property
    def _menus(self) -> tuple[tuple[str, ...], ...]:
        return tuple(menu(names) for names in self.file.strategies)

    @cached_property
    def _places(self) -> tuple[dict[str, int], ...]:
        return tuple({name: k for k, name in enumerate(names)} for names in self._menus)

    def counted(self) -> dict[str, str]:
        """The size of the forms that this table of payoffs is, before anything is enumerated."""
        sizes, cells = [len(names) for names in self._menus], len(self.file.payoffs)
        sequences = " + ".join(f"{size + 1:,}" for size in sizes)
        return {
            "sequence": f"{many(sequences, 'sequence')}, {many(cells, 'payoff')}",
            "normal": many(" x ".join(f"{size:,}" for size in sizes), "pure strategy"),
        }

    def start(self) -> Dist[Outcome[Strategies]]:
        return Dist.sure(Outcome(()))

    def actors(self, state: Strategies) -> tuple[int, ...]:
        return () if state else tuple(range(len(self.players)))

    def actions(self, state: Strategies, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return self._menus[player]

    def step(self, state: Strategies, joint: tuple[str, ...]) -> Dist[Outcome[Strategies]]:  # noqa: ARG002
        cell, wide = 0, 1
        for places, chosen in zip(self._places, joint):
            cell, wide = cell + wide * places[chosen], wide * len(places)
        return Dist.sure(Outcome(joint, tuple(map(float, self.file.payoffs[cell])), public=joint))


def open_gambit(path: str | os.PathLike[str]) -> AnyGame | Tree:
    """The game in an `.efg` or `.nfg` file; its tree form where it can be solved and not played.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Game or Tree
        A tree of imperfect recall is the game of its reduced pure strategies, and says so (`Game.imperfect_recall`).

    Raises
    ------
    FileError
        What is wrong, with file and line.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.files.gambit.game import open_gambit
    >>> _ = fb.convert("king-ace", "king-ace.efg")
    >>> open_gambit("king-ace.efg").players
    ('first', 'second')
    """
    if Path(path).suffix == ".nfg":
        return StrategicGame(read_nfg(path))
    return game_of_tree(read_efg(path))


def game_of_tree(file: ExtensiveFile) -> AnyGame | Tree:
    """The game of a tree; its tree form where it can be solved and not played."""
    found = recall(file)
    if found.kind != PERFECT:
        names = set_labels(file)
        table = strategic(file)
        uneven = [i for i in range(len(file.players)) if not equally_likely(file, i)]
        draws = dict.fromkeys(uneven, "information set")
        draws |= {player: f"visit of {names[index]}" for player, index in absent_minded(file).items()}
        behaviour = tuple(map(float, uniform_behaviour(file))) if draws else ()
        return StrategicGame(table, f"{found.kind} recall at {names[found.index]}", draws, behaviour)
    return tree_of(file) if moments(file) is None else ExtensiveGame(file)


@dataclass(frozen=True)
class Structure:
    """What is found out about a tree before anything is solved.

    Parameters
    ----------
    recall
        Perfect, or how and where players forget.
    times
        Whether they can be aligned, and what that takes.
    """

    recall: str
    times: str


@runtime_checkable
class HasStructure(Protocol):
    """A game from outside that says it of itself."""

    @property
    def structure(self) -> Structure: ...


def structure(file: ExtensiveFile) -> Structure:
    """What `check` says of a tree from a file.

    Parameters
    ----------
    file
        The tree.
    """
    found, when = recall(file), moments(file)
    kept = found.kind if found.kind == PERFECT else f"{found.kind} ({set_labels(file)[found.index]})"
    if when is None:
        return Structure(kept, "cannot be aligned: it can be solved, not played step by step")
    steps, waits = len(set(when.values())), padding(file, when)
    padded = f", padded with {many(waits, 'wait')}" if waits else ", without padding"
    return Structure(kept, f"aligned in {many(steps, 'step')}{padded}")
