"""All subproblems of one team, each kept by its stage and occupancy; and the plan that looks best so far."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from fogbound.forms.arrays import Longs
from fogbound.forms.posg import POSG
from fogbound.solvers.teams.occupancy import Occupancy, OccupancyProcess, Step
from fogbound.solvers.teams.revealed import CERTAIN, Revealed
from fogbound.solvers.teams.stages import TeamStages
from fogbound.solvers.teams.subproblem import CLOSE, Subproblem

MOST_MEMORIES = 300  # joint memories at a stage of a plan that is begun anew: a second
FRAMES = 12  # Python's own frames a stage, at most


class Act(NamedTuple):
    """One stage of a plan: the action of each memory, by place, and where it leads."""

    occupancy: Occupancy
    rule: Longs
    step: Step


class TeamProblem:
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
    plain
        Whether to look no further than the independent checker can follow.
    """

    def __init__(
        self, form: POSG, horizon: int | None, effort: int, stopping: Callable[[], bool], plain: bool = False
    ) -> None:
        from fogbound.solvers.teams.kernels.tables import NEVER

        self.stages, self.process = TeamStages(form, horizon, plain), OccupancyProcess(form)
        self.effort, self._stopping = effort, stopping
        self.steps, self._until = 0, np.inf
        self.revealed = [Revealed(self.stages, stage) for stage in range(self.stages.horizon)]
        self.known: dict[tuple[int, bytes], Subproblem] = {}
        self.cells = 0  # numbers that are kept, about
        self.never = NEVER / 1e12
        self.close = CLOSE * max(1e-300, float(np.abs(form.reward).max(initial=0.0)))
        self.first = self.process.start()

    def halted(self) -> bool:
        """Whether to come back: somebody wants to stop, or it is time to say what is known so far."""
        return self.steps >= self._until or self._stopping()

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

    def improve(self, won: float, budget: int) -> None:
        """Lower the bound of the whole, down to what a plan has won already, in about so many steps at all depths."""
        if self.root is not None:
            self._until = self.steps + budget
            self.root.improve((won - self.first.reward) / self.first.share, budget)
            self._until = np.inf

    def settle(self, stage: int, belief: int, joint: int) -> None:
        """Bound a joint action at a revealed belief by what is known of the smaller problem that it leads to."""
        known = self.revealed[stage]
        if known.level[belief, joint] == 0:
            step, later = self.smaller(stage, belief, joint)
            known.level[belief, joint] = 1 if later is not None else CERTAIN
            self._lower(known, belief, joint, step, later)

    def work(self, stage: int, belief: int, joint: int, fall: float) -> float:
        """Work on the smaller problem until its bound has fallen so far; how far it has."""
        known = self.revealed[stage]
        step, later = self.smaller(stage, belief, joint)
        before = float(known.bound[belief, joint])
        if known.level[belief, joint] == CERTAIN or later is None:
            return 0.0
        target = (before - fall - step.reward) / (self.stages.discount * step.share)
        left = self.effort - int(known.spent[belief, joint])
        known.spent[belief, joint] += max(1, later.improve(target, left))
        if later.solved or known.spent[belief, joint] >= self.effort:
            known.level[belief, joint] = CERTAIN
        self._lower(known, belief, joint, step, later)
        return before - float(known.bound[belief, joint])

    def smaller(self, stage: int, belief: int, joint: int) -> tuple[Step, Subproblem | None]:
        """Where a joint action at a revealed belief leads."""
        known = self.revealed[stage]
        found = known.smaller.get((belief, joint))
        if found is None:
            step = self.process.step(self.process.revealed(*known.beliefs[belief]), self.stages.actions.digit[joint])
            ends = step.occupancy is None or stage + 1 == self.stages.horizon
            found = step, None if ends or step.occupancy is None else self.subproblem(stage + 1, step.occupancy)
            known.smaller[belief, joint] = found
        return found

    def _lower(self, known: Revealed, belief: int, joint: int, step: Step, later: Subproblem | None) -> None:
        bound = step.reward + (self.stages.discount * step.share * later.upper if later is not None else 0.0)
        known.bound[belief, joint] = min(known.bound[belief, joint], bound)

    def plan(self, again: bool) -> tuple[float, list[Act]]:
        """The best plan that is known, stage by stage, and its value: the best one of all where the root is solved.

        A plan that is begun `again` where it ends may end early, before memories are too many: its value is then -inf,
        since nothing is known of the rest of the horizon.
        """
        acts, value, share = list[Act](), self.first.reward, self.first.share
        at, chosen = self.root, None
        while at is not None:
            if chosen is None:
                chosen = at.greedy()
            choices, occupancy = at.choices, at.occupancy
            rule = _actions(at, chosen)
            step = self.process.step(occupancy, rule)
            acts.append(Act(occupancy, rule, step))
            value, share = value + share * step.reward, share * step.share * self.stages.discount
            if step.occupancy is None or at.stage + 1 == self.stages.horizon:
                break
            if again and len(step.occupancy.memory) > MOST_MEMORIES:
                return -np.inf, acts
            after = _continued(at, chosen, step, self.process.observations) if choices.ends else None
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
