"""Writing an `.efg` file, so that reading it gives the same tree again."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction

from fogbound.core.atomic import write
from fogbound.files.gambit.extensive import CHANCE, ExtensiveFile, MoveSet, Payoffs
from fogbound.files.gambit.text import quoted, written


def write_efg(file: ExtensiveFile, path: str | os.PathLike[str]) -> None:
    """Write a game tree; whole or not at all.

    Parameters
    ----------
    file
        The tree.
    path
        Where to.
    """
    write(path, efg_text(file).encode())


def efg_text(file: ExtensiveFile, spell: Callable[[Fraction], str] = written) -> str:
    """What stands in such a file.

    Parameters
    ----------
    file
        The tree.
    spell
        How a number is written; exactly unless told, which other readers need not take.
    """
    players = " ".join(map(quoted, file.players))
    lines = [f"EFG 2 R {quoted(file.title)} {{ {players} }}", quoted(file.comment), ""]
    sets = [_set(one, spell) for one in file.sets]
    outcomes = {number: _outcome(number, *one, spell) for number, one in file.outcomes.items()}
    for node, (index, outcome) in enumerate(zip(file.set_of, file.outcome)):
        name, ends = quoted(file.labels.get(node, "")), outcomes.get(outcome, "0")
        kind = "t" if index < 0 else "c" if file.sets[index].player == CHANCE else "p"
        lines.append(f"{kind} {name} {ends}" if index < 0 else f"{kind} {name} {sets[index]} {ends}")
    return "\n".join(lines) + "\n"


def _set(one: MoveSet, spell: Callable[[Fraction], str]) -> str:
    if one.player == CHANCE:
        moves = " ".join(f"{quoted(move)} {spell(p)}" for move, p in zip(one.moves, one.chances))
        return f"{one.number} {quoted(one.label)} {{ {moves} }}"
    return f"{one.player + 1} {one.number} {quoted(one.label)} {{ {' '.join(map(quoted, one.moves))} }}"


def _outcome(number: int, name: str, pays: Payoffs, spell: Callable[[Fraction], str]) -> str:
    return f"{number} {quoted(name)} {{ {', '.join(map(spell, pays))} }}"
