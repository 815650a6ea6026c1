"""What a file of Gambit's is to everybody else: a game where it can be played, and otherwise a form."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from fogbound.core.errors import many
from fogbound.core.game import AnyGame
from fogbound.files.gambit.efg_reader import read_efg
from fogbound.files.gambit.extensive import ExtensiveFile
from fogbound.files.gambit.game import ExtensiveGame
from fogbound.files.gambit.matrix import StrategicGame
from fogbound.files.gambit.nfg import read_nfg
from fogbound.files.gambit.strategies import strategic, uniform_behaviour
from fogbound.files.gambit.structure import PERFECT, absent_minded, labels, moments, padding, recall
from fogbound.files.gambit.tree import tree_of
from fogbound.forms.tree import Tree

ENDINGS = (".efg", ".nfg")


def open_gambit(path: str | os.PathLike[str]) -> AnyGame | Tree:
    """The game in an `.efg` or `.nfg` file; its tree form where it can be solved and not played.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Game or Tree
        A tree of imperfect recall is the game of its pure strategies, and says so (`Game.imperfect_recall`).

    Raises
    ------
    FileError
        What is wrong, with file and line.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.files.gambit import open_gambit
    >>> _ = fb.convert("king-ace", "king-ace.efg")
    >>> open_gambit("king-ace.efg").players
    ('first', 'second')
    """
    if Path(path).suffix == ".nfg":
        return StrategicGame(read_nfg(path))
    file = read_efg(path)
    found = recall(file)
    if found.kind != PERFECT:
        names = labels(file)
        visits = {player: names[index] for player, index in absent_minded(file).items()}
        behaviour = tuple(map(float, uniform_behaviour(file))) if visits else ()
        return StrategicGame(strategic(file), f"{found.kind} recall at {names[found.index]}", visits, behaviour)
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
    kept = found.kind if found.kind == PERFECT else f"{found.kind} ({labels(file)[found.index]})"
    if when is None:
        return Structure(kept, "cannot be aligned: it can be solved, not played step by step")
    steps, waits = len(set(when.values())), padding(file, when)
    padded = f", padded with {many(waits, 'wait')}" if waits else ", without padding"
    return Structure(kept, f"aligned in {many(steps, 'step')}{padded}")
