"""One seat among several: its replies when each of the others may be of any level below, independently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fogbound.forms.pomdp import pomdp
from fogbound.forms.table import Table
from fogbound.forms.view import View
from fogbound.policies.mixture import Mixture
from fogbound.solvers.ladder.reply import Asked, Odds, Replying, answering
from fogbound.solvers.reachable.controllers import controller_of
from fogbound.solvers.reachable.nodes import Automaton
from fogbound.solvers.reachable.search import Limits
from fogbound.solvers.reachable.survey import Survey


class Crowd:
    """One seat of a game of any number of players; the process of every level is built anew."""

    def __init__(self, table: Table, mine: View, automata: Sequence[Automaton]) -> None:
        self.table, self.mine, self.automata = table, mine, automata

    def replying(self, odds: Mapping[int, Odds], precision: float, limits: Limits) -> Replying:
        """The reply when each other seat is of each kind with the given odds."""
        form = pomdp(self.table, self.mine.seat, {seat: self._mixture(seat, kinds) for seat, kinds in odds.items()})
        survey, begun = Survey.of(form), slice(0, int(form.out[1]))
        starts = (form.next[begun].astype(np.int64), form.obs[begun].astype(np.int64))
        problem = survey.open(*starts, form.prob[begun].copy(), float(form.reward[0]))
        numbers = {label: z for z, label in enumerate(self.mine.observations)}
        seen = np.array([numbers[label] for label in form.observations], np.int64)
        asked = Asked(survey, problem, form.action[1:].astype(np.int64), seen, len(self.mine.observations))
        return (yield from answering(asked, precision, limits))

    def _mixture(self, seat: int, kinds: Odds) -> Mixture:
        own = self.automata[seat]
        return Mixture.of([(controller_of(own, kind, self.table.actions), p) for kind, p in kinds.items()])
