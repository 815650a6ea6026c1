"""The pure strategies of a tree: the table of what every combination of them pays, exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from fogbound.core.errors import LimitError
from fogbound.files.gambit.extensive import CHANCE, ExtensiveFile
from fogbound.files.gambit.nfg import StrategicFile
from fogbound.files.gambit.structure import menu

MOST_WORK = 20_000_000  # nodes that are looked at, over all combinations of strategies


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
