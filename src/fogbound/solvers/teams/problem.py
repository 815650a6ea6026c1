"""A team's problem: all its subproblems, each an occupancy and the steps that remain, kept by stage and occupancy.

Small-step multi-agent A* (Koops, Jansen, Junges and Simao, 2023): a joint decision rule is built one memory at a time,
best bound first. What is still open is bounded by the Bayesian game of the stage (`kernels/bayesian_game.py`), where
each joint memory brings what it would if it were revealed. A finished rule leads to one smaller subproblem, which
is improved only as far as needed to compare the rule with the next best; so the whole search is one recursion over
subproblems, each of which is met on many ways and kept. In the last stages a choice is a whole plan to the end, and
what a rule brings is exact.

After a joint memory is revealed the team stands at a belief, each member with one memory. So the bound of a joint
action is its reward and the value of a smaller team problem: the observations that follow are private again. It is
asked for only where a rule relies on it; until then the state itself is taken to be seen from there on (the QMDP
bound), which is cheap and looser.
"""

from __future__ import annotations

import heapq
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.posg import POSG
from fogbound.solvers.teams.kernels.bayesian_game import complete_rule, extended, lowered, tightened
from fogbound.solvers.teams.kernels.model import NEVER
from fogbound.solvers.teams.occupancy import GRAIN, Occupancy, OccupancyProcess, Step
from fogbound.solvers.teams.stages import TeamStages

CLOSE = 1e-9  # relative to the largest total: bounds this close are equal
SWEEPS = 4  # of diffusion between two looks
NOTHING: Floats = np.empty((0, 0, 0))
BEFORE = 1  # ... and before anybody asks
CERTAIN = 2
ROOM = 16  # beliefs of a stage, to begin with
FRAMES = 12  # Python's own frames a stage, at most

Entry = tuple[float, int, int, Longs, "Step | None", bool]  # -bound, -chosen, number, rule, what follows it, exact


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


class Subproblem:
    """An occupancy at a stage. `upper` bounds what a team can still win from it.

    Once `solved`, `rule` begins the best way.
    """

    __slots__ = ("begun", "beliefs", "choices", "close", "ends", "free", "heap", "lower", "number", "occupancy",
                 "order", "payoff", "rule", "search", "solved", "stage", "upper", "used")  # fmt: skip

    def __init__(self, search: TeamProblem, stage: int, occupancy: Occupancy) -> None:
        self.search, self.stage, self.occupancy = search, stage, occupancy
        self.choices, self.ends = search.stages.choices(stage)
        self.solved, self.begun, self.number = False, False, 0
        self.close = search.close / search.stages.discount**stage  # what is paid later counts less
        self.heap: list[Entry] = []
        self.rule: Longs | None = None
        self.beliefs: Longs | None = None
        self.used: Floats | None = None
        self.order = self._order()
        self.lower, self.upper = -math.inf, math.inf
        self._make()
        self._tighten(BEFORE)
        self._forget()

    def _payoff(self) -> Floats:
        o, search = self.occupancy, self.search
        if self.ends:
            return search.stages.weighed(self.stage, o)
        revealed = search.revealed[self.stage]
        self.beliefs = revealed.of(o)
        self.used = revealed.bound[self.beliefs]
        return self.used * o.weight[:, None]

    def _make(self) -> None:
        """The Bayesian game of the stage."""
        shape = (len(self.occupancy.memory), len(self.choices.front), int(self.choices.counts[-1]))
        self.payoff: Floats = self._payoff().reshape(shape)
        self.free: Floats = np.empty((shape[0], shape[2]))
        self.search.cells += self.payoff.size

    def _forget(self) -> None:
        """Keep no game of plans that nobody works on: it is large, and quickly made again."""
        if self.ends and not self.begun and self.payoff.size:
            self.search.cells -= self.payoff.size
            self.payoff = self.free = NOTHING

    def _order(self) -> list[tuple[int, int]]:
        """(agent, memory) in the order in which they choose: agent by agent, likely memories first."""
        o = self.occupancy
        order = []
        for agent, count in enumerate(o.counts.tolist()):
            share = np.bincount(o.memory[:, agent], o.weight, count)
            order += [(agent, c) for c in np.argsort(-share, kind="stable").tolist()]
        return order

    def _tighten(self, sweeps: int) -> float:
        """Diffuse payoffs; how much the bound fell."""
        before, c = self.upper, self.choices
        given = self.occupancy.memory, c.front, c.counts, self.occupancy.offset
        now = tightened(self.payoff, *given, sweeps, self.close, self.free)
        self.upper = min(before, now)
        return before - self.upper

    def _bounds(self, rule: Longs, chosen: int) -> Floats:
        """What each choice of the next memory bounds the whole rule by."""
        agent, cluster = self.order[chosen]
        o, c = self.occupancy, self.choices
        bounds = np.empty(int(c.counts[agent]))
        extended(self.payoff, self.free, o.memory, c.front, c.worth, o.offset, rule, agent, cluster, bounds)
        return bounds

    def _complete(self, rule: Longs) -> float:
        o, c = self.occupancy, self.choices
        return float(complete_rule(self.payoff, self.free, o.memory, c.front, c.worth, o.offset, rule))

    def _others(self) -> int:
        """How many memories choose before the last agent's."""
        return len(self.order) - int(self.occupancy.counts[-1])

    def greedy(self) -> Longs:
        """A rule that looks best, memory after memory, without ever turning back."""
        if self.rule is not None:
            return self.rule
        if not self.payoff.size:
            self._make()
        rule = np.full(len(self.order), -1, np.int64)
        for chosen in range(self._others()):
            agent, cluster = self.order[chosen]
            best = int(self._bounds(rule, chosen).argmax())
            rule[self.occupancy.offset[agent] + cluster] = best
        self._complete(rule)
        return rule

    def brings(self, rule: Longs) -> float:
        """What a rule brings in the stage's game: exactly, where choices are plans to the end."""
        o = self.occupancy
        joint = self._joint(rule)
        flat = self.payoff.reshape(len(o.memory), -1)
        return float(flat[np.arange(len(joint)), joint].sum())

    def _joint(self, rule: Longs) -> Longs:
        """[J] the joint choice at each joint memory."""
        o, joint = self.occupancy, np.zeros(len(self.occupancy.memory), np.int64)
        for agent, count in enumerate(self.choices.counts.tolist()):
            joint = joint * count + rule[o.offset[agent] + o.memory[:, agent]]
        return joint

    def _rely(self, rule: Longs, goal: float) -> bool:
        """Tighten the revealed bounds that a rule relies on until it brings no more than `goal`; whether any changed.

        First by what smaller problems are known to bring at most, then by working on these, one after the other and no
        further than needed.
        """
        if self.ends or self.beliefs is None:
            return False
        revealed, joint, search = self.search.revealed[self.stage], self._joint(rule), self.search
        level = revealed.level[self.beliefs, joint]
        for j in np.flatnonzero(level == 0).tolist():
            search.settle(self.stage, int(self.beliefs[j]), int(joint[j]))
        changed = self._sync(joint) or bool((level == 0).any())
        if not changed:
            excess = self.brings(rule) - goal
            for j in np.flatnonzero(level < CERTAIN).tolist():
                if excess <= 0 or search.halted():
                    break
                weight = float(self.occupancy.weight[j])
                fell = search.work(self.stage, int(self.beliefs[j]), int(joint[j]), excess / weight)
                excess, changed = excess - fell * weight, True
            self._sync(joint)
        return changed

    def _sync(self, joint: Longs) -> bool:
        """Take over bounds that fell since they were used here; whether any did."""
        assert self.beliefs is not None
        assert self.used is not None
        fell = self.used[np.arange(len(joint)), joint] - self.search.revealed[self.stage].bound[self.beliefs, joint]
        at = np.flatnonzero(fell > 0)
        if len(at):
            self.used[at, joint[at]] -= fell[at]
            lowered(self.payoff, self.free, at, joint[at], fell[at] * self.occupancy.weight[at])
        return bool((fell > self.close).any())

    def _begin(self, target: float) -> int:
        """Diffuse, and settle what the rule that looks best relies on, until neither lowers the bound."""
        used = 0
        if not self.payoff.size:
            self._make()
        while self.upper > target and not self.search.halted():
            used += 1
            self.search.steps += 1
            fell, rule = self._tighten(SWEEPS), self.greedy()
            if self.ends:
                self.lower = max(self.lower, self.brings(rule))
            if self.upper <= self.lower + self.close:
                self.begun = True
                self._push(self.lower, len(rule), rule, None, exact=True)
                break
            if not self._rely(rule, target) and fell <= self.close:
                self.begun = True
                self._push(self.upper, 0, np.full(len(self.order), -1, np.int64), None)
                break
        if self.search.halted():
            self._tighten(BEFORE)  # what was found on the way counts
        self._forget()
        return used

    def _push(self, bound: float, chosen: int, rule: Longs, after: Step | None, exact: bool = False) -> None:
        self.number += 1
        self.search.cells += len(rule)
        heapq.heappush(self.heap, (-bound, -chosen, self.number, rule, after, exact))

    def improve(self, target: float, budget: int) -> int:
        """Lower `upper` to the target, or until it is exact, in about so many steps; how many were taken."""
        if self.solved or self.upper <= target:
            return 0
        used = 0 if self.begun else self._begin(target)
        while self.begun:
            bound, chosen, _, rule, after, exact = self.heap[0]
            self.upper = min(self.upper, -bound)
            if exact:
                self._solve(rule)
                break
            if self.upper <= target or used >= budget or self.search.halted():
                break
            heapq.heappop(self.heap)
            used += 1
            self.search.steps += 1
            if after is not None:
                used += self._follow(-bound, rule, after, target, budget - used)
            elif -chosen < len(rule):
                self._choose(-bound, rule, -chosen)
            elif self._rely(rule, max(target, self._rival())):
                self._push(min(-bound, self.brings(rule)), -chosen, rule, None)
            else:
                self._finish(-bound, rule)
        return used

    def _solve(self, rule: Longs) -> None:
        """The best rule is known: nothing else needs to be kept."""
        self.solved, self.rule = True, rule
        self.search.cells -= self.payoff.size + len(self.heap) * len(rule)
        self.payoff = self.free = NOTHING
        self.heap, self.used, self.beliefs = [], None, None

    def _choose(self, bound: float, rule: Longs, chosen: int) -> None:
        """Let the next memory choose, or all of the last agent's at once where that is exact."""
        if self.ends and chosen == self._others():
            brings = self._complete(rule)
            self.lower = max(self.lower, brings)
            self._push(min(bound, brings), len(rule), rule, None, exact=True)
            return
        agent, cluster = self.order[chosen]
        place = int(self.occupancy.offset[agent]) + cluster
        for choice, brings in enumerate(self._bounds(rule, chosen).tolist()):
            if brings > self.search.never and brings >= self.lower:
                longer = rule.copy()
                longer[place] = choice
                self._push(min(bound, brings), chosen + 1, longer, None)

    def _finish(self, bound: float, rule: Longs) -> None:
        """Look where a finished rule leads."""
        step = self.search.process.step(self.occupancy, rule)
        if step.occupancy is None or self.stage + 1 == self.search.stages.horizon:
            self._push(min(bound, step.reward), len(rule), rule, step, exact=True)
        else:
            later = self.search.subproblem(self.stage + 1, step.occupancy)
            self._push(min(bound, self._total(step, later)), len(rule), rule, step, later.solved)

    def _rival(self) -> float:
        """The bound of the next best."""
        return -self.heap[0][0] if self.heap else -math.inf

    def _total(self, step: Step, later: Subproblem) -> float:
        return step.reward + self.search.stages.discount * step.share * later.upper

    def _follow(self, bound: float, rule: Longs, step: Step, target: float, budget: int) -> int:
        """Improve the subproblem that a rule leads to, as far as this rule stays the best."""
        assert step.occupancy is not None
        later = self.search.subproblem(self.stage + 1, step.occupancy)
        rival = max(target, self._rival())
        scale = self.search.stages.discount * step.share
        used = later.improve((rival - step.reward) / scale - self.close, budget)
        self._push(min(bound, self._total(step, later)), len(rule), rule, step, later.solved)
        return used


class Revealed:
    """The beliefs of one stage that were met, with what each joint action brings there at most.

    Attributes
    ----------
    bound : [beliefs, joint actions]
        What it brings at most.
    level : [beliefs, joint actions]
        How sure that is: 0 by states that are seen, 1 by what is known of the smaller problem, CERTAIN where that is
        solved, or as much was spent on it as may be.
    spent : [beliefs, joint actions]
        Steps that were spent.
    """

    def __init__(self, stages: TeamStages, stage: int) -> None:
        self.value, self.local = stages.seen_all[stage][0], stages.local[stage]
        self.number: dict[bytes, int] = {}
        self.beliefs: list[tuple[Longs, Floats]] = []
        self.smaller: dict[tuple[int, int], tuple[Step, Subproblem | None]] = {}  # of a belief and a joint action
        self.bound = np.empty((ROOM, self.value.shape[1]))
        self.spent: NDArray[np.int64] = np.zeros(self.bound.shape, np.int64)
        self.level: NDArray[np.int8] = np.zeros(self.bound.shape, np.int8)

    def of(self, occupancy: Occupancy) -> Longs:
        """[J] the belief of each joint memory, by number."""
        first, state, mass = occupancy.first, occupancy.state, occupancy.mass
        chance = mass / np.repeat(occupancy.weight, np.diff(first))
        grid, states, ends = np.floor(chance * GRAIN + 0.5).astype(np.int64).tobytes(), state.tobytes(), first.tolist()
        numbers = np.empty(len(ends) - 1, np.int64)
        for j, (a, b) in enumerate(pairwise(ends)):
            name = states[8 * a : 8 * b] + grid[8 * a : 8 * b]
            found = self.number.get(name)
            numbers[j] = self._add(name, state[a:b], chance[a:b]) if found is None else found
        return numbers

    def _add(self, name: bytes, state: Longs, chance: Floats) -> int:
        number = self.number[name] = len(self.beliefs)
        self.beliefs.append((state.copy(), chance.copy()))
        if number == len(self.bound):
            self.bound = np.concatenate([self.bound, np.empty_like(self.bound)])
            self.spent = np.concatenate([self.spent, np.zeros_like(self.spent)])
            self.level = np.concatenate([self.level, np.zeros_like(self.level)])
        self.bound[number] = chance @ self.value[self.local[state]]
        return number


@contextmanager
def deep(stages: int) -> Iterator[None]:
    """Room for a recursion over so many stages."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, before + FRAMES * stages))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
