"""The same file in words that other readers take: all payoffs at ends, moves with names that differ, labels in ASCII.

Gambit's readers before version 18 refuse all labels but printable ASCII with single spaces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from fogbound.files.gambit.efg import ExtensiveFile, Payoffs
from fogbound.files.gambit.nfg import StrategicFile
from fogbound.files.gambit.structure import menu


def paid_at_ends(file: ExtensiveFile) -> ExtensiveFile:
    """Payoffs of inner nodes added to those of every end below; no end without an outcome, if only one that pays 0.

    Parameters
    ----------
    file
        The tree.

    Returns
    -------
    ExtensiveFile
        The same game. Outcomes keep their names where they are what they were.
    """
    names = {number: name for number, (name, _) in file.outcomes.items()}
    totals: list[Payoffs] = []
    numbers: dict[tuple[str, Payoffs], int] = {}
    folded = replace(file, outcomes={}, outcome=[])
    for node, (index, up) in enumerate(zip(file.set_of, file.parent)):
        had = totals[up] if up >= 0 else (Fraction(0),) * len(file.players)
        own = file.outcomes[file.outcome[node]][1] if file.outcome[node] else ()
        totals.append(tuple(have + more for have, more in zip(had, own)) if own else had)
        if index >= 0:
            folded.outcome.append(0)
            continue
        name = names.get(file.outcome[node], "") if not any(had) else ""
        number = numbers.setdefault((name, totals[node]), len(numbers) + 1)
        folded.outcomes[number] = (name, totals[node])
        folded.outcome.append(number)
    return folded


def moves_apart(file: ExtensiveFile) -> ExtensiveFile:
    """Moves of one set with different names: readers that know a move by its name take equal ones for the same.

    Parameters
    ----------
    file
        The tree.

    Returns
    -------
    ExtensiveFile
        The same game; moves without a name are called by their number, and equal ones numbered.
    """
    return replace(file, sets=[one._replace(moves=menu(one.moves)) for one in file.sets])


SPELT = {"·": "-", "→": "->", "←": "<-", "…": "...", "−": "-", "–": "-", "—": "-", "×": "x", "≤": "<=", "≥": ">="}


def ascii_label(text: str) -> str:
    """A label in printable ASCII with single spaces; a symbol without a letter of its own is called by its name.

    Examples
    --------
    >>> ascii_label("4 · check → bet"), ascii_label("Pürsüit"), ascii_label("♠")
    ('4 - check -> bet', 'Pursuit', 'black spade suit')
    """
    return " ".join("".join(map(_spelt, text)).split())


def _spelt(c: str) -> str:
    if c.isascii():
        return c if c.isprintable() else " "
    if c in SPELT:
        return SPELT[c]
    plain = unicodedata.normalize("NFKD", c).encode("ascii", "ignore").decode()
    if plain or unicodedata.combining(c):
        return plain
    return f" {unicodedata.name(c, f'u{ord(c):04x}').lower()} "


def ascii_tree(file: ExtensiveFile) -> ExtensiveFile:
    """The same tree with labels in ASCII; labels that differ among players, sets or moves differ afterwards.

    Parameters
    ----------
    file
        The tree.
    """
    players = {one.player for one in file.sets}
    named = {player: _spelt_apart(one.label for one in file.sets if one.player == player) for player in players}
    return replace(
        file,
        title=ascii_label(file.title),
        comment=ascii_label(file.comment),
        players=_all(file.players),
        sets=[one._replace(label=named[one.player][one.label], moves=_all(one.moves)) for one in file.sets],
        outcomes={number: (ascii_label(name), pays) for number, (name, pays) in file.outcomes.items()},
        labels={node: ascii_label(name) for node, name in file.labels.items()},
    )


def ascii_table(file: StrategicFile) -> StrategicFile:
    """The same table of payoffs with labels in ASCII; players and strategies that differ do so afterwards.

    Parameters
    ----------
    file
        The table.
    """
    return replace(
        file,
        title=ascii_label(file.title),
        comment=ascii_label(file.comment),
        players=_all(file.players),
        strategies=tuple(map(_all, file.strategies)),
    )


def _all(names: tuple[str, ...]) -> tuple[str, ...]:
    spelt = _spelt_apart(names)
    return tuple(spelt[name] for name in names)


def _spelt_apart(names: Iterable[str]) -> dict[str, str]:
    """By label, the label in ASCII: numbered where two that differ would become one."""
    given = [name for name in dict.fromkeys(names) if name]
    return {"": "", **dict(zip(given, menu(tuple(map(ascii_label, given)))))}
