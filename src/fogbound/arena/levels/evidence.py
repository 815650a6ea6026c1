"""Logs of one or many persons, read once, and judged at any rate of slips."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from fogbound.arena.levels.candidates import Candidates
from fogbound.arena.levels.likelihood import histories_for, log_likelihoods
from fogbound.arena.log import Record
from fogbound.core.errors import FormError, SpecError
from fogbound.forms.table import Floats
from fogbound.policies.trembling import trembling


class Evidence:
    """Each of `logs` holds the games of one person; `view` is the seat whose eyes they were seen with.

    Without a view the logs must say what the candidates' own seat saw and did.
    """

    def __init__(self, candidates: Candidates, logs: Sequence[Sequence[Record]], view: int | None = None) -> None:
        if not logs:
            raise SpecError("evidence: no logs, expected one a person")
        self.candidates, self.games = candidates, tuple(map(len, logs))
        together = [game for log in logs for game in log]
        self._histories = histories_for(candidates.table, candidates.seat, together, view)

    def by_level(self, rate: float) -> Floats:
        """[persons, levels] the log likelihood of each person's games, with hands that slip at this rate."""
        them = self.candidates
        players = [trembling(them.policies[members[0]], rate) for members in them.twins]
        games = log_likelihoods(self._histories, them.seat, players)
        persons = np.array([part.sum(axis=0) for part in np.split(games, list(accumulate(self.games))[:-1])])
        found = np.empty((len(persons), len(them.policies)))
        for column, members in enumerate(them.twins):
            found[:, list(members)] = persons[:, [column]]
        return found

    def by_class(self, rate: float) -> Floats:
        """[persons, classes] the same for classes; FormError where nobody can have played a log."""
        return self.candidates.by_class(self._possible(self.by_level(rate)))

    def posterior_by_level(self, rate: float) -> Floats:
        """[persons, levels] how probable each level is after each person's games; rows sum to one."""
        joint = self._possible(self.by_level(rate)) + np.log(self.candidates.prior)
        return normalised(joint)

    def _possible(self, levels: Floats) -> Floats:
        nobody = np.flatnonzero(np.isneginf(levels).all(axis=1))
        if len(nobody):
            raise FormError(
                f"{self.candidates.table.spec}: no candidate can have played log {nobody[0]} without a slip; "
                "let hands tremble (a rate above 0), or add candidates"
            )
        return levels


def normalised(logs: Floats) -> Floats:
    """Rows of logarithms as probabilities that sum to one, whatever their size."""
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    found: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return found
