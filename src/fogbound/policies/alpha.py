"""A value function as a policy: track the belief, play the action of the best vector there."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError
from fogbound.core.game import Seen
from fogbound.forms.pomdp import NOT_ASKED, OVER, POMDP
from fogbound.forms.table import Floats, Ints

DIGITS = 12

# A belief as a value: the possible POMDP states with their probabilities, rounded so that equal ones are equal.
Belief = tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class AlphaVectors:
    """Vectors over the states of a POMDP, each with the action it starts with (Sondik 1971).

    Memory is the belief after what has been seen. Whether one is asked to move is news too: `act` and an
    own action condition on having been asked, waiting conditions on not having been.
    """

    pomdp: POMDP = field(repr=False)
    vectors: Floats = field(repr=False)  # [K, S]
    actions: Ints = field(repr=False)  # [K] action label ids

    @cached_property
    def _ids(self) -> tuple[dict[Hashable, int], dict[Seen, list[int]]]:
        actions = {action: k for k, action in enumerate(self.pomdp.actions)}
        sights: dict[Seen, list[int]] = {}
        for z, (seen, _) in enumerate(self.pomdp.observations):
            sights.setdefault(seen, []).append(z)
        return actions, sights

    @cached_property
    def _menu(self) -> list[int]:
        """[S] the menu asked for in each state (a function of the observation that led there)."""
        menus = np.full(self.pomdp.size, NOT_ASKED)
        labels = np.array([menu for _, menu in self.pomdp.observations])
        menus[self.pomdp.next] = labels[self.pomdp.obs]
        found: list[int] = menus.tolist()
        return found

    def begin(self, seen: Seen) -> Belief:
        return self._after([(0, 1.0)], seen)

    def update(self, memory: Belief, action: Hashable | None, seen: Seen) -> Belief:
        model, rows = self.pomdp, []
        for s, w in self._asked(memory, action is not None):
            for r in range(model.row[s], model.row[s + 1]):
                if action is None or model.actions[model.action[r]] == action:
                    rows.append((r, w))
        return self._after(rows, seen)

    def act(self, memory: Belief, actions: Sequence[Hashable]) -> Dist[Hashable]:
        belief = self._asked(memory, True)
        if not belief:
            return Dist.uniform(actions)  # the model gave this history probability 0: nothing is known
        ids, _ = self._ids
        legal = np.isin(self.actions, [ids[a] for a in actions])
        if not legal.any():
            raise PolicyError(f"{self.pomdp.spec}: no vector starts with one of {list(actions)}")
        states, weights = [s for s, _ in belief], [w for _, w in belief]
        worth = np.where(legal, self.vectors[:, states] @ np.array(weights), -np.inf)
        return Dist.sure(self.pomdp.actions[self.actions[int(worth.argmax())]])

    def _asked(self, belief: Belief, asked: bool) -> list[tuple[int, float]]:
        kept = [(s, w) for s, w in belief if (self._menu[s] >= 0) == asked and self._menu[s] != OVER]
        total = sum(w for _, w in kept)
        return [(s, w / total) for s, w in kept] if total > 0 else []

    def _after(self, rows: list[tuple[int, float]], seen: Seen) -> Belief:
        """Bayes' rule over weighted rows, given what is seen; empty when the model gives it probability 0."""
        model, matching = self.pomdp, self._ids[1].get(seen, [])
        weights: dict[int, float] = {}
        for r, w in rows:
            for o in range(model.out[r], model.out[r + 1]):
                if model.obs[o] in matching:
                    s = int(model.next[o])
                    weights[s] = weights.get(s, 0.0) + w * float(model.prob[o])
        total = sum(weights.values())
        return tuple((s, round(w / total, DIGITS)) for s, w in sorted(weights.items())) if total > 0 else ()
