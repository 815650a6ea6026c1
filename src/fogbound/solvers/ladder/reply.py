"""One seat's reply to its beliefs about the others, and how it was found."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fogbound.solvers.ladder.quantal import quantal
from fogbound.solvers.ladder.slips import forgiving
from fogbound.solvers.reachable.machine import machine
from fogbound.solvers.reachable.nodes import Machine
from fogbound.solvers.reachable.search import Found, Limits, Search
from fogbound.solvers.reachable.survey import Problem, Survey

Longs = NDArray[np.int64]
Odds = Mapping[int, float]  # of kinds


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem, with the table's names for what its survey numbers."""

    survey: Survey = field(repr=False)
    problem: Problem = field(repr=False)
    action: Longs = field(repr=False)  # [rows] the label of each row's action
    observation: Longs = field(repr=False)  # [Z] which observation of the table each of the survey's is
    many: int  # observations of the table

    def machine(self, found: Found, slips: bool = False) -> Machine:
        """A plan as a machine of its seat."""
        return machine(self.survey, found.plan, self.action, self.observation, self.many, slips)


@dataclass(frozen=True, eq=False)
class Reply:
    """What was found; `against` is what the policy earns against each kind of the other, apart."""

    asked: Asked = field(repr=False)
    found: Found = field(repr=False)
    machine: Machine = field(repr=False)
    value: float
    upper: float
    settled: bool  # whether the bounds met and every tie was broken for good
    against: dict[int, float] = field(default_factory=dict)
    by: str = "beliefs"  # or sarsop

    def slipping(self, slips: int) -> Machine:
        """The policy, covering slips of the hand; a quantal one does whatever may happen anyway."""
        if (np.diff(self.found.plan.take) > 1).any() or self.by != "beliefs":
            return self.machine
        search = Search(self.asked.survey, self.asked.problem, Limits())
        plan = forgiving(search, self.found.plan, slips)
        return self.asked.machine(search.evaluated(plan, True), True)


Replying = Generator[tuple[float, float], None, Reply]  # bounds now and then, a reply in the end


def answering(asked: Asked, precision: float, limits: Limits) -> Replying:
    """The best plan for a problem, or the logit one where the precision is finite; bounds on the way."""
    search = Search(asked.survey, asked.problem, limits)
    while not search.step():
        yield search.bounds()
    found = search.found() if np.isinf(precision) else search.evaluated(quantal(search, precision), True)
    settled = found.settled and not search.stopped
    return Reply(asked, found, asked.machine(found), found.worth, found.upper, settled)
