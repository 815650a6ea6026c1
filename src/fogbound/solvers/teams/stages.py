"""A team's problem cut into stages.

The states of each, what they bring when everything is seen, and the plans of its last steps.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, brief, cut_short
from fogbound.forms.arrays import Floats, Longs, ranges
from fogbound.forms.posg import POSG
from fogbound.forms.recurrence import topological_order
from fogbound.forms.table import START
from fogbound.solvers.teams.occupancy import Occupancy

MOST_PLANS = 128  # of an agent, up to which its last steps are one choice ...
MOST_JOINT = 20_000  # ... if there are no more joint plans ...
MOST_VALUES = 4_000_000  # ... and no more values of them at the states of a stage


@dataclass(frozen=True, eq=False)
class Choices:
    """What each agent may choose at a stage: an action, or a plan to the end. Joint choices in mixed radix, the last
    agent fastest.

    Attributes
    ----------
    counts : [n]
        How many choices each agent has.
    action : [n, most]
        The place of the action that a choice begins with.
    after : [n, most, observations]
        The choice at the next stage that a plan goes on with, after each observation.
    ends
        Whether a choice is a plan to the end.
    """

    counts: Longs
    action: Longs
    after: Longs
    ends: bool

    @cached_property
    def digit(self) -> Longs:
        """[P, n] the choice of each agent in a joint one."""
        return np.array(list(itertools.product(*map(range, self.counts))), np.int64)

    @cached_property
    def front(self) -> Longs:
        """[F, n-1] the choices of all but the last agent."""
        counts = self.counts[:-1].tolist()
        return np.array(list(itertools.product(*map(range, counts))), np.int64).reshape(math.prod(counts), len(counts))

    @cached_property
    def worth(self) -> Longs:
        """[n-1] how many joint choices of all but the last lie between two of an agent."""
        counts = self.counts[:-1]
        return np.array([math.prod(counts[i + 1 :]) for i in range(len(counts))], np.int64)


class TeamStages:
    """The first `horizon` steps of a POSG with one reward; what is paid later is left out.

    Parameters
    ----------
    form
        The game.
    horizon
        After how many steps to cut; None where play ends.
    plain
        Whether plans are those that the independent checker lists: no more than it does, and none is dropped.
    """

    def __init__(self, form: POSG, horizon: int | None, plain: bool = False) -> None:
        from fogbound.solvers.teams.kernels.model import dynamics

        self.plain = plain
        self.form, self.dynamics, self.discount = form, dynamics(form), form.discount
        self.states = _layers(form, horizon)
        self.horizon = len(self.states)
        self.actions = self._actions()
        self.local = [self._places(states) for states in self.states]
        self.seen_all = self._seen_all()
        self.plans = self._plans()

    @cached_property
    def always_legal(self) -> bool:
        """Whether everybody has as many actions in every state."""
        places = self.form.places[~self.form.over]
        return bool((places == places.max(axis=0, initial=1)).all())

    def choices(self, stage: int) -> tuple[Choices, bool]:
        """What is chosen at a stage, and whether it is a plan to the end."""
        return (self.plans[stage][0], True) if stage in self.plans else (self.actions, False)

    def weighed(self, stage: int, occupancy: Occupancy) -> Floats:
        """[J, joint plans] what each joint memory brings under each joint plan to the end."""
        dense = np.zeros((len(occupancy.memory), len(self.states[stage])))
        owner = np.repeat(np.arange(len(dense)), np.diff(occupancy.first))
        dense[owner, self.local[stage][occupancy.state]] = occupancy.mass
        return dense @ self.plans[stage][1]

    def _places(self, states: Longs) -> Longs:
        place = np.full(self.form.size, -1, np.int64)
        place[states] = np.arange(len(states))
        return place

    def _actions(self) -> Choices:
        """Actions as choices."""
        counts = self.form.places.max(axis=0, initial=1)
        most = int(counts.max())
        action = np.tile(np.arange(most), (len(counts), 1))
        return Choices(
            counts, action, np.zeros((len(counts), most, int(self.dynamics.observations.max())), np.int64), False
        )

    def _seen_all(self) -> list[tuple[Floats, Floats]]:
        """For each stage [states, joint actions] and [states].

        What remains to be won if the state is seen from now on.
        """
        found: list[tuple[Floats, Floats]] = []
        later, ones = np.zeros((0, 0)), np.ones(len(self.form.players), np.int64)
        for stage in range(self.horizon - 1, -1, -1):
            check()
            value = self._values(stage, self.actions, ones, later)
            best = value.max(axis=1, initial=-np.inf)
            found.append((value, best))
            later = best[:, None]
        return found[::-1]

    def _values(self, stage: int, choices: Choices, radix: Longs, later: Floats) -> Floats:
        from fogbound.solvers.teams.kernels.model import plan_values

        following = self.local[stage + 1] if stage + 1 < self.horizon else np.zeros(0, np.int64)
        now = (choices.digit, choices.action, choices.after, radix)
        return np.asarray(plan_values(self.dynamics, self.states[stage], following, *now, self.discount, later))

    def _plans(self) -> dict[int, tuple[Choices, Floats]]:
        """For the last stages, as long as they are few: each agent's plans to the end, and what joint plans bring."""
        plans: dict[int, tuple[Choices, Floats]] = {}
        choices, later = None, np.zeros((0, 0))
        for stage in range(self.horizon - 1, -1, -1):
            check()
            longer = self._longer(stage, choices)
            if longer is None:
                break
            later = self._values(stage, longer, choices.counts if choices else longer.counts, later)
            choices, later = (longer, later) if self.plain else _undominated(longer, later)
            plans[stage] = choices, later
        return plans

    def _longer(self, stage: int, next_plans: Choices | None) -> Choices | None:
        """The plans from a stage on.

        An action, and for each observation that may follow it a plan from the next stage on.
        """
        if self.plain and next_plans is not None and not self.always_legal:
            return None
        if next_plans is None:
            return Choices(self.actions.counts, self.actions.action, self.actions.after, True)
        listed = []
        for i, after in enumerate(self._observed(stage)):
            known = range(int(next_plans.counts[i]))
            if sum(len(known) ** len(seen) for seen in after) > MOST_PLANS:
                return None
            grown = [
                (a, seen, plan) for a, seen in enumerate(after) for plan in itertools.product(known, repeat=len(seen))
            ]
            listed.append(grown)
        counts = np.array([len(plans) for plans in listed], np.int64)
        joint = math.prod(counts.tolist())
        if joint > MOST_JOINT or joint * len(self.states[stage]) > MOST_VALUES:
            return None
        action = np.zeros((len(counts), int(counts.max())), np.int64)
        follow = np.zeros((*action.shape, int(self.dynamics.observations.max())), np.int64)
        for i, plans in enumerate(listed):
            for x, (a, seen, plan) in enumerate(plans):
                action[i, x] = a
                follow[i, x, seen] = plan
        return Choices(counts, action, follow, True)

    def _observed(self, stage: int) -> list[list[Longs]]:
        """For each agent and place of an action: what it may observe right after, as far as play goes on."""
        form, states = self.form, self.states[stage]
        row, owner = ranges(form.row[states], np.diff(form.row)[states]), np.repeat(states, np.diff(form.row)[states])
        outcome, of = (
            ranges(form.out[row], np.diff(form.out)[row]),
            np.repeat(np.arange(len(row)), np.diff(form.out)[row]),
        )
        goes_on = ~form.over[form.next[outcome]]
        outcome, of = outcome[goes_on], of[goes_on]
        found = []
        for i, count in enumerate(self.actions.counts):
            rank = row - form.row[owner]
            place = np.where(
                form.stride[owner, i] > 0, rank // np.maximum(form.stride[owner, i], 1) % form.places[owner, i], 0
            )
            found.append([np.unique(form.seen[outcome[place[of] == a], i]) for a in range(count)])
        return found


def _undominated(plans: Choices, value: Floats) -> tuple[Choices, Floats]:
    """Drop every plan that another is as good as in all states and whatever the others plan, until there is none.

    A team loses nothing by that: in a best joint plan the dropped one can be replaced.
    """
    table = value.reshape(-1, *plans.counts)
    kept = [np.arange(count) for count in plans.counts]
    quiet, agent = 0, 0
    while quiet < len(kept):
        check()
        own = np.moveaxis(table, 1 + agent, 0).reshape(len(kept[agent]), -1)
        stays, total = np.ones(len(own), bool), own.sum(axis=1)
        for plan in range(len(own)):
            rivals = np.flatnonzero(stays & (total >= total[plan]))
            stays[plan] = not any(rival != plan and (own[rival] >= own[plan]).all() for rival in rivals)
        quiet = quiet + 1 if stays.all() else 1
        kept[agent], table = kept[agent][stays], np.compress(stays, table, axis=1 + agent)
        agent = (agent + 1) % len(kept)
    counts = np.array([len(plan) for plan in kept], np.int64)
    action = np.zeros((len(kept), int(counts.max())), np.int64)
    after = np.zeros((*action.shape, plans.after.shape[2]), np.int64)
    for i, stay in enumerate(kept):
        action[i, : len(stay)], after[i, : len(stay)] = plans.action[i, stay], plans.after[i, stay]
    return Choices(counts, action, after, True), np.ascontiguousarray(table.reshape(len(value), -1))


def require_team_end(form: POSG) -> None:
    """FormError for play that can go on for ever: it has a value only where it is discounted, and then it is cut."""
    recurs = topological_order(form)[1]
    if recurs >= 0:
        raise FormError(
            f"{form.spec}: play can come back to state {brief(form.table.states[recurs])} and nothing is discounted, "
            f"so it has no value. Cut it, such as {cut_short(form.spec)}, or give the game a discount below 1"
        )


def _layers(form: POSG, horizon: int | None) -> list[Longs]:
    """The states in which play may be after 0, 1, 2, … steps and goes on; without a horizon it must end."""
    if horizon is None:
        require_team_end(form)
    at = np.unique(form.next[form.out[START] : form.out[START + 1]])
    at, layers = at[~form.over[at]], list[Longs]()
    while len(at) and (horizon is None or len(layers) < horizon):
        check()
        layers.append(at)
        row = ranges(form.row[at], np.diff(form.row)[at])
        after = np.unique(form.next[ranges(form.out[row], np.diff(form.out)[row])])
        at = after[~form.over[after]]
    return layers
