"""Which level one opponent plays: who it may be, how likely its logs make each, and Bayes' rule.

Levels that behave alike are one class: no log can tell them apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np

from fogbound.arena.log import Record
from fogbound.core.errors import FormError, SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.forms.arrays import Floats
from fogbound.forms.protocol import derive
from fogbound.forms.table import Table
from fogbound.inference.levels.likelihood import histories_for, log_likelihoods
from fogbound.inference.type_posterior import OpponentTypes, TypePosterior, bayes, classes, describe_levels
from fogbound.policies.mixture import trembling
from fogbound.solvers.level_k.hierarchy import solve_levels


@dataclass(frozen=True, eq=False)
class Candidates(OpponentTypes):
    """Levels of one player as types. Members of a class choose alike and may differ only after a slip.

    A log of players whose hands never slip cannot tell the members of a class apart. One with slips sometimes can,
    so likelihoods are computed for each level, and a class is what its members are together.
    """

    table: Table = field(repr=False)
    player: int

    @cached_property
    def indistinguishable(self) -> list[tuple[int, ...]]:
        """Levels that are alike even after slips: one computation serves them all."""
        return classes(self.policies, slips=True)

    def log_likelihood_by_class(self, levels: Floats) -> Floats:
        """[..., C] log likelihoods of classes from those of levels: members in proportion to their prior."""
        weighted = levels + np.log(self.prior)
        joined = [np.logaddexp.reduce(weighted[..., list(members)], axis=-1) for members in self.classes]
        by_class: Floats = np.stack(joined, axis=-1) - np.log(self.class_prior)
        return by_class

    def refusal(self, place: int) -> str:
        return (
            f"{self.spec}: no candidate can have played log {place} without a slip; "
            "let hands tremble (a rate above 0), or add candidates"
        )


def candidates(
    game: AnyGame | Table, player: int, policies: Sequence[Strategy], prior: Sequence[float] | None = None
) -> Candidates:
    """The policies that `player` may be playing, level by level; all equally likely when no prior is given."""
    table = derive(game, Table)
    if not 0 <= player < len(table.players):
        raise FormError(f"{table.spec}: player {player}, expected a player from 0 to {len(table.players) - 1}")
    weights = np.full(len(policies), 1.0) if prior is None else np.array(prior, np.float64)
    if not len(policies) or weights.shape != (len(policies),) or not (np.isfinite(weights) & (weights > 0)).all():
        raise SpecError(
            f"candidates: prior {brief(prior)} for {len(policies)} policies, expected a number above 0 each"
        )
    prior_of = weights / weights.sum()
    return Candidates(table.spec, tuple(policies), prior_of, tuple(classes(policies)), table, player)


class LogEvidence:
    """Each of `logs` holds the games of one person; `view` is the player whose observations they hold.

    Without a view the logs must say what the candidates' own player saw and did.
    """

    def __init__(self, candidates: Candidates, logs: Sequence[Sequence[Record]], view: int | None = None) -> None:
        if not logs:
            raise SpecError("evidence: no logs, expected one a person")
        self.candidates, self.games = candidates, tuple(map(len, logs))
        together = [game for log in logs for game in log]
        self._histories = histories_for(candidates.table, candidates.player, together, view)

    def by_level(self, rate: float) -> Floats:
        """[persons, levels] the log likelihood of each person's games, with hands that slip at this rate."""
        them = self.candidates
        players = [trembling(them.policies[members[0]], rate) for members in them.indistinguishable]
        games = log_likelihoods(self._histories, them.player, players)
        persons = np.array([part.sum(axis=0) for part in np.split(games, list(accumulate(self.games))[:-1])])
        by_level = np.empty((len(persons), len(them.policies)))
        for column, members in enumerate(them.indistinguishable):
            by_level[:, list(members)] = persons[:, [column]]
        return by_level

    def by_class(self, rate: float) -> Floats:
        """[persons, classes] the same for classes; FormError where nobody can have played a log."""
        return self.candidates.log_likelihood_by_class(self.candidates.possible(self.by_level(rate)))

    def posterior_by_level(self, rate: float) -> Floats:
        """[persons, levels] how probable each level is after each person's games; rows sum to one."""
        return bayes(self.candidates.prior, self.candidates.possible(self.by_level(rate)))


SURE, LIKELY = 0.95, 0.5  # what is called almost certain, and likely


@dataclass(frozen=True, eq=False)
class LevelPosterior(TypePosterior):
    """What is believed of one opponent after `games` games, by class and by level."""

    types: Candidates = field(repr=False)
    games: int
    rate: float

    @cached_property
    def class_log_likelihood(self) -> Floats:
        """[C] how likely the log is under each class."""
        return self.types.log_likelihood_by_class(self.log_likelihood)

    @property
    def ranking(self) -> list[int]:
        """Classes, the most probable first."""
        return [int(k) for k in np.argsort(-self.by_class, kind="stable")]

    def words(self) -> str:
        """The answer in one or two sentences."""
        best, *rest = self.ranking
        share = float(self.by_class[best])
        sure = "almost certainly" if share >= SURE else "probably" if share >= LIKELY else "at best a guess:"
        text = f"{sure} {describe_levels(self.types.classes[best])}, with probability {share:.3g}"
        if not rest:
            return text
        gap = float(self.class_log_likelihood[best] - self.class_log_likelihood[rest[0]])
        if math.isinf(gap):
            return f"{text}; nobody else can have played this"
        next_best = describe_levels(self.types.classes[rest[0]])
        odds = f"{math.exp(min(700.0, abs(gap))):.3g} times as well"
        return (
            f"{text}; it explains the log {odds} as {next_best}"
            if gap >= 0
            else f"{text}; {next_best} would explain it {odds}, but was held less likely beforehand"
        )


def posterior(
    candidates: Candidates, log: Sequence[Record], rate: float = 0.02, view: int | None = None
) -> LevelPosterior:
    """Bayes' rule for one opponent. FormError when no candidate can have played the log."""
    evidence = LogEvidence(candidates, [log], view)
    believed = candidates.posterior(evidence.by_level(rate))
    of_types = believed.prior, believed.log_likelihood, believed.weights, believed.impossible_at
    return LevelPosterior(candidates, *of_types, len(log), rate)


def levels_of(game: AnyGame, player: int, levels: int, prior: str) -> tuple[list[Strategy], Sequence[float]]:
    """Levels 0 to `levels` of one player, who know what to do after a slip of their own hand; and their prior."""
    hierarchy = solve_levels(game, levels=levels, prior=prior)
    return [hierarchy.policy(level, player, slips=1) for level in range(levels + 1)], hierarchy.weights(levels + 1)
