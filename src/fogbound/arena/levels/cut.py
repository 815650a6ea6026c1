"""Logs of games that may never end: written down as far as they were played.

`record` keeps whole games only. Levels of reasoning can meet in a cycle that goes on for ever, and what was seen
until somebody broke the game off is evidence all the same. The length at which it is broken off must not depend on
what is hidden, so a cycle is played on to `most_steps` rather than cut where it closes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.arena.log import Record
from fogbound.arena.playing import Table
from fogbound.core.dist import Dist, Rng
from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame, Seen
from fogbound.core.policy import AnyPolicy, Player, kinds
from fogbound.policies.mixture import Mixture

MOST_STEPS = 100


@dataclass(frozen=True, eq=False)
class _Clocked:
    """A policy that also counts steps: with a clock in its memory no situation ever comes back."""

    policy: AnyPolicy

    def begin(self, seen: Seen) -> tuple[int, Any]:
        return 0, self.policy.begin(seen)

    def update(self, memory: tuple[int, Any], action: Hashable | None, seen: Seen) -> tuple[int, Any]:
        return memory[0] + 1, self.policy.update(memory[1], action, seen)

    def act(self, memory: tuple[int, Any], actions: Sequence[Hashable]) -> Dist[Hashable]:
        return self.policy.act(memory[1], actions)


def record_until(
    game: AnyGame, policies: Sequence[Player], games: int, most_steps: int = MOST_STEPS, seed: int = 0
) -> list[Record]:
    """Play and write down `games` games, each broken off after `most_steps` steps if it is not over by then.

    Where games end sooner they are those of `record` with the same seed. Returns are what was paid until the end.
    """
    if games < 0 or most_steps < 1:
        raise SpecError(f"record_until: {games} games of at most {most_steps} steps, expected at least 0 and 1")
    clocked: list[Player] = [Mixture.of([(_Clocked(kind), p) for kind, p in kinds(each)]) for each in policies]
    sources = np.random.SeedSequence(seed).spawn(games)
    return [_one(game, clocked, np.random.default_rng(source), most_steps) for source in sources]


def _one(game: AnyGame, policies: Sequence[Player], rng: Rng, most_steps: int) -> Record:
    table = Table(game, policies, rng)
    histories: list[list[Any]] = [[] for _ in policies]
    for step in table.steps(most_steps):
        own = {} if step.joint is None else dict(zip(game.actors(step.before), step.joint))
        for seat, history in enumerate(histories):
            seen = step.outcome.seen(seat)
            history.append(seen if step.joint is None else (own.get(seat), seen))
    return Record(tuple(map(tuple, histories)), tuple(map(float, table.returns)))
