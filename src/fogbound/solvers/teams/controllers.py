"""The best plan of a team so far, and the plan as one controller for each member.

Nodes are memories by stage, merged where nothing tells them apart.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.game import Observation
from fogbound.core.policy import Strategy
from fogbound.forms.arrays import Longs
from fogbound.forms.posg import POSG
from fogbound.policies.controller import Controller
from fogbound.policies.vocabulary import Vocabulary
from fogbound.solvers.pomdp.paired_nodes import growing_keys
from fogbound.solvers.teams.occupancy import Occupancy, Step
from fogbound.solvers.teams.problem import Subproblem, TeamProblem

NONE = -1
MOST_MEMORIES = 300  # joint memories at a stage of a plan that is begun anew: a second
Pair = tuple[int, int, int]  # stage, the memory if asked to move, the memory if not


class Act(NamedTuple):
    """One stage of a plan: the action of each memory, by place, and where it leads."""

    occupancy: Occupancy
    rule: Longs
    step: Step


def best_plan(problem: TeamProblem, again: bool) -> tuple[float, list[Act]]:
    """The best plan that is known, stage by stage, and its value: the best one of all where the root is solved.

    A plan that is begun `again` where it ends may end early, before memories are too many: its value is then -inf,
    since nothing is known of the rest of the horizon.
    """
    acts, value, share = list[Act](), problem.first.reward, problem.first.share
    at, chosen = problem.root, None
    while at is not None:
        if chosen is None:
            chosen = at.greedy()
        choices, occupancy = at.choices, at.occupancy
        rule = _actions(at, chosen)
        step = problem.process.step(occupancy, rule)
        acts.append(Act(occupancy, rule, step))
        value, share = value + share * step.reward, share * step.share * problem.stages.discount
        if step.occupancy is None or at.stage + 1 == problem.stages.horizon:
            break
        if again and len(step.occupancy.memory) > MOST_MEMORIES:
            return -np.inf, acts
        after = _continued(at, chosen, step, problem.process.observations) if choices.ends else None
        at, chosen = problem.subproblem(at.stage + 1, step.occupancy), after
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


def controllers(form: POSG, first: Step, plan: list[Act], again: bool) -> dict[int, Strategy]:
    """How each member plays, alone; with `again` a plan that has been played to its end is begun anew."""
    return {agent: _Member(form, first, plan, again, agent).controller() for agent in range(len(form.players))}


class _Member:
    """One agent's side of a plan.

    Two memories can follow the same observation: one where the agent is asked to move and one where it is not. Being
    asked is news that comes with the question, so such a pair shares a node.
    """

    def __init__(self, form: POSG, first: Step, plan: list[Act], again: bool, agent: int) -> None:
        self.form, self.first, self.plan, self.again, self.agent = form, first, plan, again, agent
        self.known = form.observations[agent]
        self.nodes: dict[Pair, int] = {}

    def controller(self) -> Controller:
        start = self._paired(0, np.arange(len(self.known)), self.first.to[self.agent])
        arrows: dict[tuple[int, Hashable | None, Observation], int] = {}
        choices: list[Dist[Hashable] | None] = []
        notes: list[str] = []
        first = {seen: self._node(pair) for seen, pair in start.items()}
        for node, pair in enumerate(growing_keys(self.nodes)):
            stage, asked, _ = pair
            choices.append(Dist.sure(self._action(stage, asked)) if asked != NONE else None)
            notes.append(self._note(stage, pair))
            for memory in pair[1:]:
                if memory != NONE:
                    action = self._action(stage, memory)
                    for seen, after in self._after(stage, memory).items():
                        arrows[node, action, seen] = self._node(after)
        words = Vocabulary.of(self.form.table, self.agent)
        return Controller(first, arrows, tuple(choices), tuple(notes), words)

    def _node(self, pair: Pair) -> int:
        return self.nodes.setdefault(pair, len(self.nodes))

    def _states(self, stage: int, memory: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """[E] whether each entry of an occupancy is of a memory."""
        occupancy = self.plan[stage].occupancy
        return np.repeat(occupancy.memory[:, self.agent] == memory, np.diff(occupancy.first))

    def _action(self, stage: int, memory: int) -> Hashable | None:
        act = self.plan[stage]
        state = int(act.occupancy.state[self._states(stage, memory)][0])
        place = int(act.rule[act.occupancy.offset[self.agent] + memory])
        return self.form.action(state, self.agent, place)

    def _after(self, stage: int, memory: int) -> dict[Observation, Pair]:
        """The nodes that follow a memory's action, by what is seen then."""
        step, wide = self.plan[stage].step, len(self.known)
        to = step.to[self.agent, memory * wide : (memory + 1) * wide]
        seen = np.flatnonzero(to >= 0)
        if stage + 1 < len(self.plan):
            return self._paired(stage + 1, seen, to)
        if not self.again:
            return {}
        anew = np.array([self._anew(legal) for _, legal in self.known], np.int64)
        return self._paired(0, seen[anew[seen] >= 0], anew)

    def _anew(self, legal: int) -> int:
        """The likeliest first memory at which the agent has these legal actions."""
        occupancy = self.plan[0].occupancy
        share = np.zeros(int(occupancy.counts[self.agent]))
        same = self.form.legal[occupancy.state, self.agent] == legal
        np.add.at(
            share, np.repeat(occupancy.memory[:, self.agent], np.diff(occupancy.first))[same], occupancy.mass[same]
        )
        return int(share.argmax()) if share.any() else NONE

    def _paired(self, stage: int, seen: np.ndarray, to: np.ndarray) -> dict[Observation, Pair]:
        """By observation, the memory if asked and the memory if not."""
        pairs: dict[Observation, list[int]] = {}
        for number in seen.tolist():
            label, legal = self.known[number]
            if to[number] >= 0:
                pairs.setdefault(label, [NONE, NONE])[0 if legal >= 0 else 1] = int(to[number])
        return {label: (stage, asked, idle) for label, (asked, idle) in pairs.items()}

    def _note(self, stage: int, pair: Pair, most: int = 3) -> str:
        """What a memory knows, in a few words: the step, and the likeliest states."""
        occupancy = self.plan[stage].occupancy
        mine = np.zeros(len(occupancy.mass), bool)
        for memory in pair[1:]:
            mine |= self._states(stage, memory)
        states, place = np.unique(occupancy.state[mine], return_inverse=True)
        share = np.bincount(place, occupancy.mass[mine])
        likely = np.argsort(-share, kind="stable")[:most]
        told = "; ".join(f"{share[k] / share.sum():.3g} {self.form.table.states[int(states[k])]}" for k in likely)
        return f"step {stage + 1}: {told}" + (f"; {len(states) - most} more" if len(states) > most else "")
