"""Any game with everybody paid what the first player is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fogbound.core import Dist, Outcome
from fogbound.transforms.wrapped import Wrapped, moved


@dataclass(frozen=True)
class PaidAlike(Wrapped):
    """The same rules, one reward; with `public` everybody sees what anybody sees."""

    public: bool = False
    name = "paid-alike"

    def start(self) -> Dist[Outcome[Any]]:
        return self._alike(self.game.start())

    def step(self, state: Any, joint: tuple[Any, ...]) -> Dist[Outcome[Any]]:
        return self._alike(self.game.step(state, joint))

    def _alike(self, outcomes: Dist[Outcome[Any]]) -> Dist[Outcome[Any]]:
        return Dist(tuple((self._outcome(outcome), p) for outcome, p in outcomes))

    def _outcome(self, outcome: Outcome[Any]) -> Outcome[Any]:
        rewards = outcome.rewards[:1] * len(self.players)
        if self.public:
            return Outcome(outcome.state, rewards, (outcome.public, outcome.private), ())
        same = moved(outcome, outcome.state)
        return Outcome(same.state, rewards, same.public, same.private)
