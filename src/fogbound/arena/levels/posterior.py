"""Which level one opponent plays, after a number of its games."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fogbound.arena.levels.candidates import Candidates
from fogbound.arena.levels.evidence import Evidence
from fogbound.arena.log import Record
from fogbound.forms.table import Floats

SURE, LIKELY = 0.95, 0.5  # what is called almost certain, and likely


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is believed of one opponent after `games` games, by class and by level."""

    candidates: Candidates = field(repr=False)
    games: int
    rate: float
    log_likelihood: Floats  # [C]
    probability: Floats  # [C]
    levels: Floats  # [L]

    @property
    def ranking(self) -> list[int]:
        """Classes, the most probable first."""
        return [int(k) for k in np.argsort(-self.probability, kind="stable")]

    def words(self) -> str:
        """The answer in one or two sentences."""
        best, *rest = self.ranking
        share = float(self.probability[best])
        sure = "almost certainly" if share >= SURE else "probably" if share >= LIKELY else "at best a guess:"
        text = f"{sure} {named(self.candidates.classes[best])}, with probability {share:.3g}"
        if not rest:
            return text
        gap = float(self.log_likelihood[best] - self.log_likelihood[rest[0]])
        if math.isinf(gap):
            return f"{text}; nobody else can have played this"
        next_best = named(self.candidates.classes[rest[0]])
        odds = f"{math.exp(min(700.0, abs(gap))):.3g} times as well"
        return (
            f"{text}; it explains the log {odds} as {next_best}"
            if gap >= 0
            else f"{text}; {next_best} would explain it {odds}, but was held less likely beforehand"
        )


def named(members: Sequence[int]) -> str:
    """A class in words: level 2, or level 3, 4 or 7."""
    *most, last = map(str, members)
    return f"level {', '.join(most)} or {last}" if most else f"level {last}"


def posterior(candidates: Candidates, log: Sequence[Record], rate: float = 0.02, view: int | None = None) -> Posterior:
    """Bayes' rule for one opponent. FormError when no candidate can have played the log."""
    evidence = Evidence(candidates, [log], view)
    levels = evidence.posterior_by_level(rate)[0]
    together = np.array([levels[list(members)].sum() for members in candidates.classes])
    return Posterior(candidates, len(log), rate, evidence.by_class(rate)[0], together, levels)
