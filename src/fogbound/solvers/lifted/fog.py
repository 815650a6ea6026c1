"""What a perfect reasoner in one seat would believe of an opponent whose level it does not know.

Every level is followed apart: how likely it is to have caused what was seen, and what may be hidden if it is the one.
Bayes' rule then weighs them with any prior. Level 0 does everything with some probability, so a prior that includes it
is never contradicted; where one is, all levels are put in its place, equally likely, and that is said.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fogbound.core.errors import FormError, SpecError
from fogbound.core.policy import AnyPolicy, Player, kinds
from fogbound.forms.pomdp import pomdp
from fogbound.forms.table import Floats
from fogbound.forms.tree import History
from fogbound.policies.alike import alike
from fogbound.policies.controller import Controller
from fogbound.policies.convert import controller
from fogbound.policies.mixture import uniform_mixture
from fogbound.policies.uniform import Uniform
from fogbound.solvers.ladder import Climb
from fogbound.solvers.lifted.mind import Mind
from fogbound.solvers.lifted.posterior import Posterior
from fogbound.solvers.lifted.tracks import Track, Tracks
from fogbound.solvers.lifted.worth import Worth, Worths


class Fog:
    """Levels 0 to `climb.levels` of the other seat as `me` may suspect them; the prior is the ladder's unless given."""

    def __init__(self, climb: Climb, me: int, prior: Sequence[float] | None = None) -> None:
        if len(climb.seats) != 2:
            raise FormError(f"{climb.spec}: {len(climb.seats)} players, expected 2: levels are those of one opponent")
        self.climb, self.me, self.other = climb, me, 1 - me
        self.members: list[Player] = [climb.zero[self.other]]
        self.members += [Mind(climb, level, self.other) for level in range(1, climb.levels + 1)]
        weights = list(climb.weights(len(self.members)) if prior is None else prior)
        if len(weights) != len(self.members) or min(weights) < 0 or not math.isclose(sum(weights), 1.0):
            raise SpecError(f"fog: prior {weights}, expected {len(self.members)} probabilities that sum to 1")
        if not isinstance(self.members[0], Uniform):  # somebody must be able to do anything at all
            self.members, weights = [*self.members, Uniform()], [*weights, 0.0]
        self.prior = np.array(weights)
        self.form = pomdp(climb.table, me, {self.other: uniform_mixture(self.members)})
        paired = self.form.product
        assert paired is not None  # it was made from a game
        self.point, self.memories = paired.point, paired.seats[self.other].memories
        kinds = np.array([kind for kind, _ in self.memories] + [-1])
        self._tracks = Tracks(self.form, kinds[self.point[:, 1 + self.other]], len(self.members))

    @cached_property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """Members that play alike, class by class."""
        found: dict[int, list[int]] = {}
        for member in range(len(self.members)):
            level = self.level_of(member)
            found.setdefault(-1 if level is None else self.climb.kind(level, self.other), []).append(member)
        return tuple(map(tuple, found.values()))

    def level_of(self, member: int) -> int | None:
        """The level of a member; None for somebody who is of no level."""
        return member if member <= self.climb.levels else None

    def levels_of(self, members: Sequence[int]) -> tuple[int, ...]:
        """The levels among some members."""
        return tuple(member for member in members if self.level_of(member) is not None)

    def levels_like(self, policy: AnyPolicy) -> tuple[int, ...]:
        """The levels that play as a policy does. LimitError where it remembers too much to be compared."""
        levels: list[Player] = [self.climb.policy(level, self.other) for level in range(self.climb.levels + 1)]
        if not isinstance(policy, Controller | Uniform):  # all in the same words: whoever is lost says so, too
            table, other = self.climb.table, self.other
            policy = controller(table, other, policy)
            levels = [controller(table, other, kind) for each in levels for kind in kinds(each).support()]
        return tuple(level for level, own in enumerate(levels) if alike(own, policy))

    def after(self, history: History, asked: bool = False) -> Posterior:
        """What is believed after a history: the first sight, then pairs (own action or None, sight).

        With `asked` the seat also knows that it is to move now.
        """
        along = self._tracks.along(history, asked)
        prior, impossible_at = self.prior, None
        for step, tracks in enumerate(along):
            if impossible_at is None and not _possible(tracks, prior):
                prior, impossible_at = np.full(len(self.members), 1 / len(self.members)), step
        if not _possible(along[-1], prior):
            raise FormError(f"{self.form.spec}: by its rules nobody can have seen this")
        with np.errstate(divide="ignore"):
            logs = np.array([log for _, log in along[-1]]) + np.log(prior)
        weights = np.exp(logs - logs.max())
        beliefs = tuple(belief for belief, _ in along[-1])
        return Posterior(self, prior, weights / weights.sum(), beliefs, impossible_at)

    @cached_property
    def _worths(self) -> Worths:
        return Worths(self.form)

    def worths(self, posterior: Posterior) -> tuple[Worth, ...]:
        """What each move is worth, given what is believed; FormError where play need never end."""
        return self._worths.at(posterior.belief)


def _possible(tracks: Sequence[Track], prior: Floats) -> bool:
    return any(log > -math.inf and p > 0 for (_, log), p in zip(tracks, prior.tolist()))
