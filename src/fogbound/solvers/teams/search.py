"""All subproblems of one team, each kept by its stage and occupancy; and the plan that looks best so far."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from fogbound.forms.arrays import Longs
from fogbound.forms.posg import POSG
from fogbound.solvers.teams.kernels.tables import NEVER
from fogbound.solvers.teams.occupancy import Occupancy, Step, Walk
from fogbound.solvers.teams.revealed import Revealed
from fogbound.solvers.teams.stages import Stages
from fogbound.solvers.teams.subproblem import CLOSE, Subproblem

FRAMES = 12  # Python's own frames a stage, at most


class Act(NamedTuple):
    """One stage of a plan: the action of each memory, by place, and where it leads."""

    occupancy: Occupancy
    rule: Longs
    step: Step


class Search:
    """A team's problem from its start on.

    Parameters
    ----------
    form
        The game; everybody's reward is the same.
    horizon
        After how many steps to cut; None where play ends.
    effort
        Steps that a bound by revealing may take, at most.
    stopping
        Asked now and then whether to stop.
    """

    def __init__(self, form: POSG, horizon: int | None, effort: int, stopping: Callable[[], bool]) -> None:
        self.stages, self.walk, self.effort, self.halted = Stages(form, horizon), Walk(form), effort, stopping
        self.revealed = [Revealed(self.stages, stage) for stage in range(self.stages.horizon)]
        self.known: dict[tuple[int, bytes], Subproblem] = {}
        self.cells = 0  # numbers that are kept, about
        self.never = NEVER / 1e12
        self.close = CLOSE * max(1e-300, float(np.abs(form.reward).max(initial=0.0)))
        self.first = self.walk.start()

    def subproblem(self, stage: int, occupancy: Occupancy) -> Subproblem:
        """The one of this stage and occupancy."""
        name = stage, occupancy.key
        found = self.known.get(name)
        if found is None:
            found = self.known[name] = Subproblem(self, stage, occupancy)
        return found

    @property
    def root(self) -> Subproblem | None:
        """The whole problem; None where play is over before it begins."""
        start = self.first.occupancy
        return self.subproblem(0, start) if start is not None and self.stages.horizon else None

    @property
    def upper(self) -> float:
        """What the team can win at most."""
        return self.first.reward + (self.first.share * self.root.upper if self.root else 0.0)

    def settle(self, stage: int, belief: int, joint: int) -> None:
        """Bound a joint action at a revealed belief by the smaller problem that it leads to."""
        known = self.revealed[stage]
        step = self.walk.step(self.walk.revealed(*known.beliefs[belief]), self.stages.actions.digit[joint])
        bound = step.reward
        if step.occupancy is not None and stage + 1 < self.stages.horizon:
            later = self.subproblem(stage + 1, step.occupancy)
            later.improve(-np.inf, self.effort)
            bound += self.stages.discount * step.share * later.upper
        known.bound[belief, joint] = min(known.bound[belief, joint], bound)
        known.settled[belief, joint] = True

    def plan(self) -> tuple[float, list[Act]]:
        """The best plan that is known, stage by stage, and its value: the best one of all where the root is solved."""
        acts, value, share = list[Act](), self.first.reward, self.first.share
        at, chosen = self.root, None
        while at is not None:
            if chosen is None:
                chosen = at.greedy()
            choices, occupancy = at.choices, at.occupancy
            rule = _actions(at, chosen)
            step = self.walk.step(occupancy, rule)
            acts.append(Act(occupancy, rule, step))
            value, share = value + share * step.reward, share * step.share * self.stages.discount
            if step.occupancy is None or at.stage + 1 == self.stages.horizon:
                break
            after = _continued(at, chosen, step, self.walk.observations) if choices.ends else None
            at, chosen = self.subproblem(at.stage + 1, step.occupancy), after
        return value, acts


def _actions(at: Subproblem, chosen: Longs) -> Longs:
    """[memories] the places of the actions that choices begin with."""
    agent = np.repeat(np.arange(len(at.occupancy.counts)), at.occupancy.counts)
    return at.choices.action[agent, chosen]


def _continued(at: Subproblem, chosen: Longs, step: Step, observations: Longs) -> Longs:
    """The plans with which the memories of the next stage go on; merged ones with that of the first among them.

    Those that are merged know the same, so what is best for one is best for all.
    """
    assert step.occupancy is not None
    after = np.full(int(step.occupancy.offset[-1]), -1, np.int64)
    for agent, count in enumerate(at.occupancy.counts.tolist()):
        wide = int(observations[agent])
        for old in range(count * wide - 1, -1, -1):
            new = step.to[agent, old]
            if new >= 0:
                plan = chosen[at.occupancy.offset[agent] + old // wide]
                after[step.occupancy.offset[agent] + new] = at.choices.after[agent, plan, old % wide]
    return after


@contextmanager
def deep(stages: int) -> Iterator[None]:
    """Room for a recursion over so many stages."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, before + FRAMES * stages))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
