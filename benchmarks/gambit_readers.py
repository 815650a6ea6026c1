"""Other people's readers of Gambit's files, OpenSpiel's and Gambit's own: what they take, and what they read in it.

A reader that takes a text may still have understood another game. What everybody gets where all play uniformly tells
most of those apart, and can be said of any file, whoever forgets in it.
"""

from __future__ import annotations

import importlib
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from benchmarks import peer

GAMBIT_ABSENT = "pygambit is not installed, so Gambit is not asked: `make bench` installs its wheel, if there is one"


@dataclass(frozen=True)
class Reader:
    """Somebody else's reader.

    Parameters
    ----------
    name
        Whose, with its release.
    read
        The game in a text, of the ending that is named; raises whatever it likes for what it does not take.
    uniform
        What each player of such a game gets where all play uniformly.
    """

    name: str
    read: Callable[[str, str], Any]
    uniform: Callable[[Any], list[float]]


def openspiel() -> Reader | None:
    """OpenSpiel's readers; None where it is not installed."""
    pyspiel = peer.find()
    if pyspiel is None:
        return None
    readers = {".efg": pyspiel.load_efg_game, ".nfg": pyspiel.load_nfg_game}

    def read(text: str, ending: str) -> Any:
        with _silence():
            return readers[ending](text)

    def uniform(game: Any) -> list[float]:
        if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
            game = pyspiel.convert_to_turn_based(game)
        return list(pyspiel.expected_returns(game.new_initial_state(), pyspiel.UniformPolicy(), -1, False))

    return Reader(f"OpenSpiel {peer.release()}", read, uniform)


@contextmanager
def _silence() -> Iterator[None]:
    """Nothing on standard error, to which OpenSpiel's C++ writes what it raises as well."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def gambit() -> Reader | None:
    """Gambit's own readers; None where pygambit is not installed."""
    pygambit = find_gambit()
    if pygambit is None:
        return None
    readers = {".efg": pygambit.read_efg, ".nfg": pygambit.read_nfg}

    def uniform(game: Any) -> list[float]:
        trees = isinstance(game, pygambit.gambit.ExtensiveGame)
        centre = game.mixed_behavior_profile if trees else game.mixed_strategy_profile
        return [float(paid) for _, paid in centre(rational=True).payoffs]

    def read(text: str, ending: str) -> Any:
        return readers[ending](io.BytesIO(text.encode()))

    return Reader(f"Gambit {version('pygambit')}", read, uniform)


def find_gambit() -> Any:
    """The module `pygambit`, or None where it is not installed."""
    try:
        return importlib.import_module("pygambit")
    except ImportError:
        return None


def gambit_value(pygambit: Any, game: Any, rational: bool = True) -> tuple[float, bool]:
    """What a two-player constant-sum game is worth to the first player by Gambit's linear programs.

    Its program of the tree answers some games that are worth less than 0 with chances that sum to 0 (17.0.0b2): those
    are solved by its program of the pure strategies.

    Parameters
    ----------
    pygambit
        The module.
    game
        The game, as Gambit read it.
    rational
        Exactly, or in floats, which are taken as they come.

    Returns
    -------
    tuple
        The value, and whether the tree's program failed.
    """
    found = pygambit.nash.lp_solve(game, rational=rational).equilibrium
    failed = rational and isinstance(game, pygambit.gambit.ExtensiveGame) and not _is_profile(found)
    if failed:
        found = pygambit.nash.lp_solve(game, rational=rational, use_strategic=True).equilibrium
    return next(float(paid) for _, paid in found.payoffs), failed


def _is_profile(behaviours: Any) -> bool:
    """Whether the chances at every information set sum to 1."""
    return all(sum(chance for _, chance in mixed) == 1 for one in behaviours for _, mixed in one)
