"""The worst case of enumeration: a game whose state is its whole history, so that no two histories share one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fogbound.core import Dist, Outcome
from fogbound.transforms.wrapped import Wrapped, moved

State = tuple[Any, tuple[Any, ...]]  # (the game's own state, all that happened)


@dataclass(frozen=True)
class WholeHistory(Wrapped):
    """`game`, its state joined to the whole line of play: the same tree, but with a state for every node."""

    name = "whole-history"

    def inside(self, state: State) -> Any:
        return state[0]

    def start(self) -> Dist[Outcome[Any]]:
        return _longer(self.game.start(), ())

    def step(self, state: State, joint: tuple[Any, ...]) -> Dist[Outcome[Any]]:
        inner, line = state
        return _longer(self.game.step(inner, joint), line + joint)


def _longer(dist: Dist[Outcome[Any]], line: tuple[Any, ...]) -> Dist[Outcome[Any]]:
    """The same outcomes, each leading to its state with what was seen added to `line`."""
    pairs = [(moved(o, (o.state, (*line, o.public, *o.private))), p) for o, p in dist.pairs]
    return Dist(tuple(pairs))
