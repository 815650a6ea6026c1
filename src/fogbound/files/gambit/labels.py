"""Labels in printable ASCII with single spaces: Gambit's readers before version 18 refuse all others."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from fogbound.files.gambit.extensive import ExtensiveFile
from fogbound.files.gambit.nfg import StrategicFile
from fogbound.files.gambit.structure import menu

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
