"""The file `.nfg`: a table of payoffs, the first player's strategy changing fastest; and the table of a tree."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import Any

from fogbound.core.atomic import write
from fogbound.core.cancel import check
from fogbound.core.errors import LimitError, one_line
from fogbound.files.gambit.efg import CHANCE, ExtensiveFile
from fogbound.files.gambit.structure import menu
from fogbound.files.gambit.text import MOST_BYTES, Text, quoted_label

MOST_ENTRIES = 4_000_000


@dataclass(frozen=True)
class StrategicFile:
    """A game in strategic form.

    Parameters
    ----------
    path
        The file, as it is called in messages and specs.
    title, comment
        What it says of itself.
    players
        The names of the players.
    strategies
        The names of each player's strategies.
    payoffs
        What everybody gets, by combination of strategies: the first player's changes fastest.
    """

    path: str
    title: str
    comment: str
    players: tuple[str, ...]
    strategies: tuple[tuple[str, ...], ...]
    payoffs: tuple[tuple[Fraction, ...], ...]

    def content(self) -> tuple[Any, ...]:
        """What it says, its title and comment apart."""
        return self.players, self.strategies, self.payoffs


def read_nfg(path: str | os.PathLike[str], limit: int = MOST_ENTRIES, largest: int = MOST_BYTES) -> StrategicFile:
    """The table of payoffs in an `.nfg` file, written entry by entry or by outcomes.

    Parameters
    ----------
    path
        The file.
    limit
        How many payoffs there may be, over all players.
    largest
        How many bytes are read at all.

    Returns
    -------
    StrategicFile

    Raises
    ------
    FileError
        What is wrong, with file and line.
    LimitError
        There are more than `limit` payoffs.
    """
    text = Text.of_file(path, largest)
    name = one_line(str(path), 500)
    title, players = text.prologue("NFG", "1")
    strategies = _strategies(text, len(players))
    comment = text.string("a comment") if text.peek().startswith('"') else ""
    cells = math.prod(map(len, strategies))
    if cells * len(players) > limit:
        raise LimitError(f"{name}: {cells * len(players):,} payoffs, over the limit of {limit:,}; raise limit=")
    if text.peek() == "{":
        payoffs = _by_outcome(text, cells, len(players))
    else:
        wanted = f"{cells * len(players):,} payoffs in all"
        payoffs = tuple(tuple(text.number(wanted) for _ in players) for _ in range(cells))
    if text.peek():
        text.fail("the end of the file: every entry has been read")
    return StrategicFile(name, title, comment, players, strategies, payoffs)


def _strategies(text: Text, players: int) -> tuple[tuple[str, ...], ...]:
    """``{ { "a" "b" } { "c" } }``, or by their numbers alone: ``{ 2 1 }``."""
    at = text.at
    text.mark("{", "{ before the players' strategies")
    found: list[tuple[str, ...]] = []
    while text.peek() != "}":
        if text.peek() == "{":
            names = text.strings("a strategy's name")
            found.append(tuple(name or str(k + 1) for k, name in enumerate(names)))
        else:
            place = text.at
            many = text.whole("strategies in { }, or how many there are")
            if not 1 <= many <= MOST_ENTRIES:
                text.fail(f"1 to {MOST_ENTRIES:,} strategies", place)
            found.append(tuple(str(k + 1) for k in range(many)))
    text.take("}")
    if len(found) != players or not all(found):
        text.fail(f"the strategies of {players} players, at least one each", at)
    return tuple(found)


def _by_outcome(text: Text, cells: int, players: int) -> tuple[tuple[Fraction, ...], ...]:
    """``{ { "name" 1, 2 } … }`` and then the number of an outcome for each entry; 0 pays nothing."""
    text.take("{")
    outcomes = [(Fraction(0),) * players]
    while text.peek() != "}":
        text.mark("{", "{ before an outcome, or }")
        text.string("an outcome's name")
        outcomes.append(tuple(text.number("a payoff for each player") for _ in range(players)))
        text.mark("}", f"}} after {players} payoffs")
    text.take("}")
    found = []
    for entry in range(cells):
        at = text.at
        number = text.whole(f"the outcome of entry {entry + 1} of {cells}")
        if not 0 <= number < len(outcomes):
            text.fail(f"an outcome from 0 to {len(outcomes) - 1}", at)
        found.append(outcomes[number])
    return tuple(found)


def write_nfg(file: StrategicFile, path: str | os.PathLike[str], by_count: bool = False) -> None:
    """Write a table of payoffs, entry by entry; whole or not at all.

    Parameters
    ----------
    file
        The table.
    path
        Where to.
    by_count
        As for `nfg_text`.
    """
    write(path, nfg_text(file, by_count).encode())


def nfg_text(file: StrategicFile, by_count: bool = False) -> str:
    """What stands in such a file.

    Parameters
    ----------
    file
        The table.
    by_count
        Say of strategies only how many there are, and leave a comment out, for readers that take nothing else.
    """
    players = " ".join(map(quoted_label, file.players))
    if by_count:
        about = f"{{ {' '.join(str(len(names)) for names in file.strategies)} }}"
    else:
        strategies = "\n".join(f"{{ {' '.join(map(quoted_label, names))} }}" for names in file.strategies)
        about = f"{{ {strategies}\n}}\n{quoted_label(file.comment)}"
    wide = len(file.strategies[0])
    rows = [file.payoffs[k : k + wide] for k in range(0, len(file.payoffs), wide)]
    body = "\n".join(" ".join(str(value) for cell in row for value in cell) for row in rows)
    return f"NFG 1 R {quoted_label(file.title)} {{ {players} }}\n\n{about}\n\n{body}\n"


MOST_WORK = 20_000_000  # nodes that are looked at, over all combinations of strategies


def strategic(file: ExtensiveFile) -> StrategicFile:
    """The table of a tree: what every combination of its reduced pure strategies pays, exactly.

    Parameters
    ----------
    file
        The tree; its players may forget.

    Raises
    ------
    LimitError
        There are too many combinations.
    """
    plans = []
    for player in range(len(file.players)):
        plans.append(list(islice(reduced_plans(file, player), MOST_WORK // file.size + 1)))
        if math.prod(map(len, plans)) * file.size > MOST_WORK:
            raise LimitError(
                f"{file.path}: {' x '.join(f'{len(listed):,}' for listed in plans)} reduced pure strategies or more "
                "are too many for a table, and its players forget what they did, so that nothing but a table will do"
            )
    names = tuple(tuple(_named(file, i, plan) for plan in listed) for i, listed in enumerate(plans))
    children = file.children()
    paid = tuple(  # the first player's strategy changes fastest
        _expected(file, children, {k: move for plan in together for k, move in plan.items()})
        for together in product(*reversed(plans))
    )
    return StrategicFile(file.path, file.title, file.comment, file.players, names, paid)


def reduced_plans(file: ExtensiveFile, player: int) -> Iterator[dict[int, int]]:
    """A player's reduced pure strategies: a move at each information set that its own moves leave within reach.

    Strategies that differ only where their player never comes are one. The definition needs no perfect recall: a set is
    within reach where one of its nodes follows none but moves of the strategy.

    Parameters
    ----------
    file
        The tree; its players may forget.
    player
        Whose strategies.

    Yields
    ------
    dict
        By information set, the move; the last set's move changes fastest.
    """
    own = [k for k, one in enumerate(file.sets) if one.player == player]
    before = _own_moves_before(file, player)
    waiting: list[dict[int, int]] = [{}]
    while waiting:
        check()
        plan = waiting.pop()
        reached = (k for k in own if k not in plan and any(all(plan.get(h) == m for h, m in way) for way in before[k]))
        if (least := next(reached, None)) is None:
            yield dict(sorted(plan.items()))
        else:
            waiting += [{**plan, least: move} for move in reversed(range(len(file.sets[least].moves)))]


def equally_likely(file: ExtensiveFile, player: int) -> bool:
    """Whether uniform behaviour plays all reduced pure strategies of a player with the same probability."""
    return len({math.prod(len(file.sets[k].moves) for k in plan) for plan in reduced_plans(file, player)}) <= 1


def _own_moves_before(file: ExtensiveFile, player: int) -> dict[int, set[frozenset[tuple[int, int]]]]:
    """By information set of a player: the own moves, as (set, move), on the ways to its nodes."""
    taken, found = [0] * file.size, dict[int, set[frozenset[tuple[int, int]]]]()
    ways: list[frozenset[tuple[int, int]]] = []
    for index, up in zip(file.set_of, file.parent):
        way = ways[up] if up >= 0 else frozenset()
        if up >= 0 and file.sets[file.set_of[up]].player == player:
            way |= {(file.set_of[up], taken[up])}
        if up >= 0:
            taken[up] += 1
        ways.append(way)
        if index >= 0 and file.sets[index].player == player:
            found.setdefault(index, set()).add(way)
    return found


def uniform_behaviour(file: ExtensiveFile) -> tuple[Fraction, ...]:
    """What everybody gets on average where all moves of an information set are as likely, at every visit anew.

    Parameters
    ----------
    file
        The tree; its players may forget.
    """
    return _expected(file, file.children(), {})


def _named(file: ExtensiveFile, player: int, plan: Mapping[int, int]) -> str:
    """A reduced pure strategy in words: its moves, one information set after another, * where it never comes."""
    sets = [k for k, one in enumerate(file.sets) if one.player == player]
    return " ".join(menu(file.sets[k].moves)[plan[k]] if k in plan else "*" for k in sets) or "nothing"


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
