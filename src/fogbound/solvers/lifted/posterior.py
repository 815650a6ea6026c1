"""What is believed about the other at one moment: its level, the state, and what it believes itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.forms.bayes import Belief
from fogbound.forms.table import Floats
from fogbound.forms.view import menus
from fogbound.solvers.lifted.mind import Mind, Thought

if TYPE_CHECKING:
    from fogbound.solvers.lifted.fog import Fog


@dataclass(frozen=True)
class Suspect:
    """A class of levels that play alike, before the game and now. No levels: somebody who plays at random."""

    levels: tuple[int, ...]
    before: float
    now: float


@dataclass(frozen=True)
class Guess:
    """What the other may believe, being of some level (None: at random), and how likely that is."""

    level: int | None
    thought: Thought | None  # None: it believes nothing
    probability: float


@dataclass(frozen=True, eq=False)
class Posterior:
    """Weights of the members of a fog, and what is believed of the state if the other is that member."""

    fog: Fog = field(repr=False)
    prior: Floats  # [members] the one that was used
    weights: Floats  # [members]
    beliefs: tuple[Belief | None, ...] = field(repr=False)  # over the points of the fog's POMDP
    impossible_at: int | None  # the step that the first prior held impossible; then `prior` is the one put in its place

    @property
    def suspects(self) -> tuple[Suspect, ...]:
        """Classes of levels, as many as are in question."""
        found = []
        for members in self.fog.classes:
            before, now = (float(w[list(members)].sum()) for w in (self.prior, self.weights))
            if before > 0 or now > 0:
                found.append(Suspect(self.fog.levels_of(members), before, now))
        return tuple(found)

    def _points(self) -> Iterator[tuple[int, int, float]]:
        """(member, point, probability) of all that may be."""
        for member, (weight, belief) in enumerate(zip(self.weights.tolist(), self.beliefs)):
            if weight > 0 and belief is not None:
                for point, p in zip(belief.states.tolist(), belief.weights.tolist()):
                    yield member, point, weight * p

    @property
    def belief(self) -> Belief:
        """All of it over the points of the fog's POMDP."""
        listed = list(self._points())
        return Belief.of([point for _, point, _ in listed], [p for _, _, p in listed])

    @property
    def belief_of_states(self) -> Floats:
        """How likely each of the possible states is, the likeliest first."""
        return np.array([float(shares.sum()) for _, shares in self.states()])

    def states(self) -> list[tuple[Any, Floats]]:
        """The states that may be, the likeliest first, each with its probability jointly with every suspect."""
        home = {member: k for k, suspect in enumerate(self._classes()) for member in suspect}
        joint: dict[int, Floats] = {}
        for member, point, p in self._points():
            state = int(self.fog.point[point, 0])
            joint.setdefault(state, np.zeros(len(self.suspects)))[home[member]] += p
        ranked = sorted(joint.items(), key=lambda entry: (-round(float(entry[1].sum()), 9), entry[0]))
        return [(self.fog.climb.table.states[state], shares) for state, shares in ranked]

    def _classes(self) -> list[tuple[int, ...]]:
        """The members of every suspect."""
        of = (self.prior, self.weights)
        return [m for m in self.fog.classes if any(float(w[list(m)].sum()) > 0 for w in of)]

    def guesses(self) -> list[Guess]:
        """What the other may believe, the likeliest first."""
        fog, found = self.fog, dict[tuple[int | None, Thought | None], float]()
        asked = menus(fog.climb.table, fog.other) >= 0
        for member, point, p in self._points():
            mind, (state, *memories) = fog.members[member], fog.point[point].tolist()
            level = fog.level_of(member)
            thought = None
            if isinstance(mind, Mind) and memories[fog.other] >= 0:
                _, memory = fog.memories[memories[fog.other]]
                thought = mind.thought(memory, bool(asked[state]))
            found[level, thought] = found.get((level, thought), 0.0) + p
        ranked = sorted(found.items(), key=lambda entry: (-round(entry[1], 9), str(entry[0])))
        return [Guess(level, thought, p) for (level, thought), p in ranked]
