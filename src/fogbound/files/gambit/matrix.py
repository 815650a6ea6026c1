"""A table of payoffs from a file as a game: everybody chooses a strategy once, at the same time.

An `.nfg` file is one. So is a tree whose players forget what they did: behaviour at its information sets cannot stand
for every mixture of its strategies (Kuhn 1953), so it is played, and solved, by its pure strategies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import ClassVar

from fogbound.core.dist import Dist
from fogbound.core.errors import LimitError, many
from fogbound.core.game import Game, Outcome
from fogbound.files.gambit.extensive import CHANCE, ExtensiveFile
from fogbound.files.gambit.game import distinct
from fogbound.files.gambit.nfg import StrategicFile
from fogbound.files.gambit.structure import menu

MOST_WORK = 20_000_000  # nodes that are looked at, over all combinations of strategies

State = tuple[str, ...]  # what everybody did; () before


@dataclass(frozen=True, eq=False)
class StrategicGame(Game[State, str]):
    """The game in an `.nfg` file.

    Parameters
    ----------
    file
        The table of payoffs.
    forgets
        Where it is the table of a tree: how its players forget, for whoever would use behaviour strategies.
    visits
        By absent-minded player, the information set that a play can visit more than once.
    behaviour
        What uniform behaviour pays each player, where somebody is absent-minded: no mixture of strategies need pay it.
    """

    file: StrategicFile = field(repr=False)
    forgets: str = ""
    visits: Mapping[int, str] = field(default_factory=dict, repr=False)
    behaviour: tuple[float, ...] = field(default=(), repr=False)

    name: ClassVar[str] = "nfg"

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", distinct(self.file.players))

    def __str__(self) -> str:
        return self.file.path

    def uniform_means(self, player: int) -> str:
        """Which uniform strategy of a player is meant, in words; nothing where there is only one."""
        if player not in self.visits:
            return ""
        earned = ", ".join(f"{name} {paid:.6g}" for name, paid in zip(self.players, self.behaviour))
        return (
            f"uniform for {self.players[player]} is a mixed strategy, uniform over pure strategies; uniform behaviour, "
            f"which draws anew at every visit of {self.visits[player]}, is another (if all behave so: {earned})"
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

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome(()))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state else tuple(range(len(self.players)))

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return self._menus[player]

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:  # noqa: ARG002
        cell, wide = 0, 1
        for places, chosen in zip(self._places, joint):
            cell, wide = cell + wide * places[chosen], wide * len(places)
        return Dist.sure(Outcome(joint, tuple(map(float, self.file.payoffs[cell])), public=joint))


def strategic(file: ExtensiveFile) -> StrategicFile:
    """The table of a tree: what every combination of its pure strategies pays, exactly.

    Parameters
    ----------
    file
        The tree; its players may forget.

    Raises
    ------
    LimitError
        There are too many combinations.
    """
    own = [[k for k, one in enumerate(file.sets) if one.player == i] for i in range(len(file.players))]
    counts = [math.prod(len(file.sets[k].moves) for k in sets) for sets in own]
    if math.prod(counts) * file.size > MOST_WORK:
        raise LimitError(
            f"{file.path}: {' x '.join(f'{count:,}' for count in counts)} pure strategies are too many for a table, "
            "and its players forget what they did, so that nothing but a table will do"
        )
    plans = [list(product(*(range(len(file.sets[k].moves)) for k in sets))) for sets in own]
    names = tuple(tuple(_named(file, sets, plan) for plan in listed) for sets, listed in zip(own, plans))
    children, paid = file.children(), []
    for reverse in product(*reversed(plans)):  # the first player's strategy changes fastest
        choice = {k: move for sets, plan in zip(own, reversed(reverse)) for k, move in zip(sets, plan)}
        paid.append(_expected(file, children, choice))
    return StrategicFile(file.path, file.title, file.comment, file.players, names, tuple(paid))


def uniform_behaviour(file: ExtensiveFile) -> tuple[Fraction, ...]:
    """What everybody gets on average where all moves of an information set are as likely, at every visit anew.

    Parameters
    ----------
    file
        The tree; its players may forget.
    """
    return _expected(file, file.children(), {})


def _named(file: ExtensiveFile, sets: Sequence[int], plan: Sequence[int]) -> str:
    """A pure strategy in words: its moves, one information set after another."""
    return " ".join(menu(file.sets[k].moves)[move] for k, move in zip(sets, plan)) or "nothing"


def _expected(file: ExtensiveFile, children: list[list[int]], choice: dict[int, int]) -> tuple[Fraction, ...]:
    """What everybody gets on average where the players stick to their strategies; sets without one play uniformly."""
    total = [Fraction(0)] * len(file.players)
    waiting = [(0, Fraction(1))]
    while waiting:
        node, likely = waiting.pop()
        if file.outcome[node]:
            for i, more in enumerate(file.outcomes[file.outcome[node]][1]):
                total[i] += likely * more
        index = file.set_of[node]
        if index < 0:
            continue
        if file.sets[index].player == CHANCE:
            parts = zip(children[node], file.sets[index].chances)
            waiting += [(below, likely * p) for below, p in parts if p > 0]
        elif index in choice:
            waiting.append((children[node][choice[index]], likely))
        else:
            waiting += [(below, likely / len(children[node])) for below in children[node]]
    return tuple(total)
