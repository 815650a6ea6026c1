"""Which type an opponent is: Bayes' rule over finitely many policies that it may follow.

However the evidence comes, as what one player saw during play or as whole logs of games, it is handed over as the
logarithm of its likelihood under each type, so that no length of play underflows. Impossible evidence is met in one
way: a prior that holds it impossible gives way to equal weights, and the posterior says at which step; what no type at
all can have caused is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fogbound.core.errors import FormError
from fogbound.core.policy import Strategy
from fogbound.forms.arrays import Floats
from fogbound.policies.equivalence import equivalent


def bayes(prior: Floats, log_likelihood: Floats) -> Floats:
    """[..., T] the posterior from a prior [T] and log likelihoods [..., T], one of which must be possible."""
    with np.errstate(divide="ignore"):
        joint = log_likelihood + np.log(prior)
    weights = np.exp(joint - joint.max(axis=-1, keepdims=True))
    posterior: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return posterior


def classes(policies: Sequence[Strategy], slips: bool = False) -> list[tuple[int, ...]]:
    """The places of policies that do the same, class by class, in the order of their first members.

    With `slips` they must also go on alike after actions that they would not choose themselves.
    """
    groups: list[list[int]] = []
    for place, policy in enumerate(policies):
        home = next((members for members in groups if equivalent(policies[members[0]], policy, slips)), None)
        if home is None:
            groups.append([place])
        else:
            home.append(place)
    return [tuple(members) for members in groups]


@dataclass(frozen=True, eq=False)
class OpponentTypes:
    """T policies, one of which a player follows, in C classes of those that play alike."""

    spec: str  # of the game
    policies: tuple[Strategy, ...] = field(repr=False)
    prior: Floats  # [T]
    classes: tuple[tuple[int, ...], ...]  # types by class

    @cached_property
    def class_prior(self) -> Floats:
        """[C] the prior of each class."""
        return self.by_class(self.prior)

    def by_class(self, weights: Floats) -> Floats:
        """[..., C] the probability of each class, that of its members together, from those of types [..., T]."""
        return np.stack([weights[..., list(members)].sum(axis=-1) for members in self.classes], axis=-1)

    def possible(self, log_likelihood: Floats) -> Floats:
        """Log likelihoods [N, T], as they are; FormError where no type can have caused one of the N."""
        nobody = np.flatnonzero(np.isneginf(log_likelihood).all(axis=1))
        if len(nobody):
            raise FormError(self.refusal(int(nobody[0])))
        return log_likelihood

    def refusal(self, place: int) -> str:  # noqa: ARG002
        """The words for evidence that nobody can have caused."""
        return f"{self.spec}: by its rules nobody can have seen this"

    def posterior(self, along: Floats) -> TypePosterior:
        """What is believed at the end of a history, from the log likelihoods [steps, T] of its beginnings."""
        now = self.possible(along[-1:])[0]
        excluded = ~(np.isfinite(along) & (self.prior > 0)).any(axis=1)
        impossible_at = int(excluded.argmax()) if excluded.any() else None
        prior = self.prior if impossible_at is None else np.full(len(self.prior), 1 / len(self.prior))
        return TypePosterior(self, prior, now, bayes(prior, now), impossible_at)


@dataclass(frozen=True, eq=False)
class TypePosterior:
    """How probable each type is after some evidence."""

    types: OpponentTypes = field(repr=False)
    prior: Floats  # [T] the one that was used
    log_likelihood: Floats  # [T] of the evidence; minus infinity where a type cannot have caused it
    weights: Floats  # [T]
    impossible_at: int | None  # the step that the types' prior held impossible; `prior` was put in its place

    @property
    def by_class(self) -> Floats:
        """[C] how probable each class is."""
        return self.types.by_class(self.weights)


def describe_levels(members: Sequence[int]) -> str:
    """A class of levels in words: level 2, or level 3, 4 or 7."""
    *most, last = map(str, members)
    return f"level {', '.join(most)} or {last}" if most else f"level {last}"
