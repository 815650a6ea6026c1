"""OpenSpiel's own ways through a whole game tree: the peer that enumeration is measured beside."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

INSTALL = "OpenSpiel is not installed, so there is no peer: `make bench` installs it, or `pip install open_spiel`"
WALKS = {  # what each walk does, in words
    "Python walk": "state.child(action) over every history, called from Python; keeps nothing",
    "C++ walk": "expected_returns of uniform play: visits every history in C++; keeps nothing",
    "C++ information sets": "CFRSolver's constructor: visits every history in C++, keeps a table of information sets",
}


@dataclass(frozen=True)
class PeerGame:
    """A game of OpenSpiel's; one with simultaneous moves is made turn-based, as Fogbound's tree is."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    simultaneous: bool = False

    def load(self, pyspiel: ModuleType) -> Any:
        load = pyspiel.load_game_as_turn_based if self.simultaneous else pyspiel.load_game
        return load(self.name, dict(self.parameters))


def find() -> ModuleType | None:
    """OpenSpiel's module, or None where it is not installed."""
    try:
        return importlib.import_module("pyspiel")
    except ImportError:
        return None


def release() -> str:
    """The installed release of OpenSpiel."""
    try:
        return version("open_spiel")
    except PackageNotFoundError:
        return "of unknown version"


def walks(pyspiel: ModuleType, game: Any) -> dict[str, Callable[[], Any]]:
    """The jobs to time, by the names of `WALKS`; the policy of the C++ walk is made beforehand."""
    uniform = pyspiel.UniformPolicy()
    jobs = (
        lambda: count(game.new_initial_state()),
        lambda: pyspiel.expected_returns(game.new_initial_state(), uniform, -1, False),
        lambda: pyspiel.CFRSolver(game),
    )
    return dict(zip(WALKS, jobs))


def count(state: Any) -> int:
    """How many histories start with `state`: the whole tree, walked from Python."""
    if state.is_terminal():
        return 1
    if state.is_chance_node():
        actions = [action for action, _ in state.chance_outcomes()]
    else:
        actions = state.legal_actions()
    return 1 + sum([count(state.child(action)) for action in actions])
