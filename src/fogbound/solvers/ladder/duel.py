"""One seat of a game of two: its replies, in the one process of everything it has ever met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import Table
from fogbound.forms.view import View
from fogbound.solvers.ladder.meeting import Meeting
from fogbound.solvers.ladder.planes import by_sarsop
from fogbound.solvers.ladder.process import process
from fogbound.solvers.ladder.reply import Asked, Odds, Reply, Replying, answering
from fogbound.solvers.reachable.nodes import Automaton
from fogbound.solvers.reachable.search import Limits, first_values


class Duel:
    """One seat against all nodes of the other."""

    def __init__(self, table: Table, mine: View, yours: View, other: Automaton) -> None:
        self.mine, self.yours = mine, yours.seat
        self.meeting = Meeting(table, mine, yours, other)

    def replying(self, odds: Mapping[int, Odds], precision: float, limits: Limits) -> Replying:
        """The reply when the other seat is of each kind with the given odds."""
        kinds, meeting = odds[self.yours], self.meeting
        many = len(self.mine.observations)
        problem = meeting.problem(kinds)
        asked = Asked(meeting.survey, problem, meeting.pairs.action, np.arange(many), many)
        reply = yield from answering(asked, precision, limits)
        values = first_values(meeting.survey, problem, reply.found.plan, reply.found.value).reshape(len(kinds), -1)
        chance = meeting.table.prob[: values.shape[1]]
        against = {kind: float(problem.paid + values[k] @ chance) for k, kind in enumerate(kinds)}
        found = replace(reply, against=against)
        wanted = not reply.settled and np.isinf(precision) and meeting.table.discount < 1 and not limits.stopping()
        return by_sarsop(meeting, found, kinds, limits) if wanted else found

    def process(self, reply: Reply) -> POMDP:
        """The problem of a reply as a POMDP of its own."""
        return process(self.meeting, reply.asked.problem)
