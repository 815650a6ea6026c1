"""The fully informed player: it follows what the blind one may believe, and mixes so that the belief stays poor.

At every belief the stage game of the upper bound says how to mix in each state. No state has a higher value after
the stage than the bound said before, so following stages from belief to belief never gives away more than the bound at
the start, whatever the blind player does (Horak, Bosansky, Kovarik and Kiekintveld 2023).

Solving a stage adds to the bounds; a policy's answers must not depend on what it was asked before, so each stage is
solved on a copy. There is always a mixture that holds the blind player to the bound. Kernels may stop short of it,
which costs a search only tightness; one who plays then solves the stage as one linear program.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.dist import Dist
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats, Ints, ranges
from fogbound.forms.one_sided.form import WAIT, OneSided
from fogbound.forms.one_sided.from_table import TwoPlayerTable, two_player_table
from fogbound.forms.table import START
from fogbound.policies.stored import POINTS, StoredBounds
from fogbound.solvers.one_sided.bounds import OneSidedBounds, bound_pools
from fogbound.solvers.one_sided.kernels.model import successor_belief
from fogbound.solvers.one_sided.play.lookup import damaged_bounds, finite_column, numbers_below, reply_index, the_one
from fogbound.solvers.one_sided.shaping import ShapedGame, largest_value, shaped_game
from fogbound.solvers.one_sided.stages.dense import point_reply, stage_game, successor_bounds
from fogbound.solvers.one_sided.stages.solvers import CompiledStages


def known_points(stored: StoredBounds, form: OneSided, scaled: ShapedGame | None = None) -> OneSidedBounds:
    """Stored points and corners on their game, without vectors; PolicyError where they do not fit or are damaged.

    All that compiled loops follow is made here, nothing of it is read from files. A point on one state is a corner.
    """
    _check_points(stored, form)
    scaled = scaled or shaped_game(form)
    corner, start, state, weight, value = (stored.arrays[name] for name in POINTS)
    sizes, most = np.diff(start), largest_value(form)
    owner = np.repeat(np.arange(len(value)), sizes)
    weight = weight / np.bincount(owner, weight, len(value))[owner]
    least = np.bincount(owner, weight * scaled.least[state], len(value))
    held = np.clip((value - least) / scaled.scale, 0.0, most)
    low = np.clip((corner - scaled.least) / scaled.scale, 0.0, most)
    alone = sizes == 1
    np.minimum.at(low, state[start[:-1][alone]], held[alone])
    wide = np.flatnonzero(~alone)
    inside = ranges(start[wide], sizes[wide])
    beliefs = np.repeat(np.arange(len(wide)), sizes[wide]), state[inside], weight[inside]
    return OneSidedBounds(form, arrays=_records(form, low, held[wide], *beliefs), scaled=scaled)


def _records(
    form: OneSided, corner: Floats, held: Floats, owner: Ints, state: Ints, weight: Floats
) -> dict[str, NDArray[Any]]:
    """Lists of points, and of one facet in every partition, which is 0 everywhere.

    Parameters
    ----------
    corner, held
        [S] and [points] values in the kernels' units.
    owner, state, weight
        [entries] the beliefs of the points: whose, where and how much.
    """
    parts, many = len(form.state_start) - 1, len(held)
    part = np.zeros(many, np.int64)
    part[owner] = form.part[state]
    size = np.diff(form.state_start)[part]
    at = form.size + np.cumsum(size + 2) - (size + 2)
    value = np.zeros(form.size + int((size + 2).sum()))
    value[at[owner] + state - form.state_start[part[owner]]] = weight
    value[at + size] = held
    value[at + size + 1] = held - np.bincount(owner, weight * corner[state], many)
    newest, older = np.full(parts, -1, np.int64), np.full(parts + many, -1, np.int64)
    for number, p in enumerate(part.tolist(), parts):
        older[number], newest[p] = newest[p], number
    arrays: dict[str, NDArray[Any]] = {"corner": corner, "facets": np.arange(parts), "points": newest, "older": older}
    arrays |= {"at": np.concatenate([form.state_start[:-1], at]).astype(np.int64), "value": value}
    used = np.array([parts + many, len(value), 0])
    arrays |= {"derivation": np.full(parts + many, -1), "used": used, "capacity": used.copy()}
    bound_pools(arrays).begin(used, {"partitions": parts, "states": form.size})
    return arrays


EXACT = 1e-9  # of the scale: how well stages are solved
SHORT = 1e-8  # of the scale: from here on a stage has not been solved


def reply_mixture(bounds: OneSidedBounds, partition: int, belief: Floats) -> Floats:
    """[replies of the partition] how likely each is: a state's replies add up to its belief."""
    bound = bounds.at(partition, belief, shift=False)[1] / bounds.scaled.scale
    value, y, _ = CompiledStages(bounds, add=False).upper(partition, belief, EXACT)
    return y if value <= bound + SHORT else reply_mixture_by_program(bounds, partition, belief)


def reply_mixture_by_program(bounds: OneSidedBounds, partition: int, belief: Floats) -> Floats:
    """The same by one linear program with all points: slower, and nothing compiled."""
    stage = stage_game(bounds.scaled, partition, bounds.mask, discounted=False)
    hulls = [successor_bounds(bounds, after).hull for after in stage.target]
    return point_reply(stage, hulls, belief, bounds.form.discount)[0].y


class ObservedStep(NamedTuple):
    """One way that a step may go, and go on: what the fully informed player sees of it, and what the form calls it."""

    seen: Observation
    successor: int
    state: int
    prob: float  # given the successor's action


class StepObservations:
    """Steps of a form as the fully informed player lives them; each is read once."""

    def __init__(self, form: OneSided) -> None:
        self.form = form
        self.read: dict[tuple[int, Hashable | None], list[ObservedStep]] = {}

    def first(self) -> list[tuple[Observation, int]]:
        """What is seen when play begins in each state."""
        form = self.form
        if form.table is None:
            begun = np.flatnonzero(form.start).tolist()
            return [(Observation(form.opening[int(form.part[s])].public, (s, None, None)), s) for s in begun]
        game, pairs = self._joint, []
        for outcome in range(form.table.out[START], form.table.out[START + 1]):
            seen = game.mine.observations[game.mine.obs[outcome]][0]
            for part, opening in form.opening.items():
                state = self._members.get((part, int(form.table.next[outcome])))
                if state is not None and opening == seen and form.start[state] > 0:
                    pairs.append((game.theirs.observations[game.theirs.obs[outcome]][0], state))
        return pairs

    def after(self, state: int, action: Hashable | None) -> list[ObservedStep]:
        """All steps from a state in which the fully informed player did `action` (None: waited)."""
        steps = self.read.get((state, action))
        if steps is None:
            reply = reply_index(self.form, state, action)
            steps = self.read[state, action] = (
                self._from_form(reply) if self.form.table is None else self._from_table(state, reply)
            )
        return steps

    def _from_form(self, reply: int) -> list[ObservedStep]:
        """As `forms.OneSidedGame` shows it: the state, the blind player's action and its observation."""
        form, steps = self.form, []
        part = int(form.part[np.searchsorted(form.reply_start, reply, "right") - 1])
        for index in form.actions_of(part):
            label = int(form.action_label[index])
            word = None if label == WAIT else form.actions[0][label]
            for successor in form.successors_of(index):
                obs, low = int(form.obs[successor]), int(form.transition_start[successor])
                ends = np.searchsorted(form.source[low : form.transition_start[successor + 1]], [reply, reply + 1])
                for e in range(low + int(ends[0]), low + int(ends[1])):
                    to = int(form.to[e])
                    seen = Observation(form.observations[obs].public, (to, word, obs))
                    steps.append(ObservedStep(seen, successor, to, float(form.prob[e])))
        return steps

    def _from_table(self, state: int, reply: int) -> list[ObservedStep]:
        """As the table has it."""
        form, game, steps = self.form, self._joint, []
        table, at, part = game.table, int(self._numbers[state]), int(form.part[state])
        for joint_row in range(table.row[at], table.row[at + 1]):
            if game.reply[joint_row] != reply - form.reply_start[state]:
                continue
            index = int(form.action_start[part] + game.move[joint_row])
            successors = {int(form.obs[b]): b for b in form.successors_of(index)}
            for o in range(table.out[joint_row], table.out[joint_row + 1]):
                if table.actor_set[table.next[o]] != 0:
                    successor = successors[int(game.mine.obs[o])]
                    to = self._members[int(form.target[successor]), int(table.next[o])]
                    seen = game.theirs.observations[game.theirs.obs[o]][0]
                    steps.append(ObservedStep(seen, successor, to, float(table.prob[o])))
        return steps

    @cached_property
    def _joint(self) -> TwoPlayerTable:
        assert self.form.table is not None
        return two_player_table(self.form.table, self.form.player)

    @cached_property
    def _numbers(self) -> list[int]:
        """[S] the table's number of each state."""
        number = {label: k for k, label in enumerate(self._joint.table.states)}
        return [number[label] for label in self.form.states]

    @cached_property
    def _members(self) -> dict[tuple[int, int], int]:
        """States by their partition and the table's number."""
        return {(int(part), number): s for s, (part, number) in enumerate(zip(self.form.part, self._numbers))}


DIGITS = 12
HINT = 1e-9  # belief in a state that the player's own strategy would have avoided
MOST_KEPT = 50_000

Belief = tuple[float, ...]  # over the states of a partition
Place = tuple[int, Belief]  # the state, and what the blind player believes if it knows this strategy
Memory = tuple[Place, ...]  # a place if it is asked to move, and one if it is not


@dataclass(frozen=True, eq=False)
class FullyInformedPolicy:
    """Plays the upper bound's stage game at the blind player's belief. Empty memory: play was over."""

    points: StoredBounds = field(repr=False)
    bounds: OneSidedBounds = field(repr=False)  # with these points
    mixtures: dict[tuple[int, Belief, int], Floats] = field(default_factory=dict, repr=False)

    thinks: ClassVar[bool] = True

    def stored(self) -> StoredBounds:
        """As a file holds it."""
        return self.points

    @cached_property
    def observations(self) -> StepObservations:
        return StepObservations(self.bounds.form)

    def begin(self, seen: Observation) -> Memory:
        form, places = self.bounds.form, dict[Place, None]()
        for observation, state in self.observations.first():
            if observation == seen:
                part = int(form.part[state])
                places[state, _belief(form.start[form.states_of(part)])] = None
        return tuple(places)

    def update(self, memory: Memory, action: Hashable | None, observation: Observation) -> Memory:
        if not memory:
            return ()
        place = self._place(memory, action is not None)
        ways = dict.fromkeys(
            (step.successor, step.state)
            for step in self.observations.after(place[0], action)
            if step.seen == observation
        )
        return tuple((to, self._believed(place, successor, to)) for successor, to in ways)

    def act(self, memory: Memory, actions: Sequence[Hashable]) -> Dist[Hashable]:
        form = self.bounds.form
        place = self._place(memory, asked=True)
        base = int(form.reply_start[form.state_start[form.part[place[0]]]])
        replies = self._mixture(place)
        weights = [(action, float(replies[reply_index(form, place[0], action) - base])) for action in actions]
        return Dist.weighted([pair for pair in weights if pair[1] > 0])

    def _place(self, memory: Memory, asked: bool) -> Place:
        form = self.bounds.form
        waits = [int(form.reply_label[form.reply_start[state]]) == WAIT for state, _ in memory]
        return the_one(form, 1 - form.player, memory, waits, asked)

    def _believed(self, place: Place, successor: int, to: int) -> Belief:
        """The belief after an observation; sure of the state where the own strategy would never have led there."""
        form, game = self.bounds.form, self.bounds.game
        tau = np.zeros(self.bounds.scaled.wide)
        base = int(game.reply_start[game.state_start[form.part[place[0]]]])
        total = successor_belief(game, successor, self._mixture(place), base, tau)
        target = int(form.target[successor])
        many = int(form.state_start[target + 1] - form.state_start[target])
        if total > 0:
            return _belief(tau[:many])
        return _belief(np.eye(many)[to - int(form.state_start[target])])

    def _mixture(self, place: Place) -> Floats:
        """[replies of the partition] how it mixes, weighed by the belief; there always is an answer where it is."""
        state, belief = place
        partition = int(self.bounds.form.part[state])
        local = state - int(self.bounds.form.state_start[partition])
        key = partition, belief, -1 if belief[local] > 0 else state
        replies = self.mixtures.get(key)
        if replies is None:
            if len(self.mixtures) >= MOST_KEPT:
                self.mixtures.clear()
            weights = np.array(belief)
            weights[local] = max(weights[local], HINT)
            replies = self.mixtures[key] = reply_mixture(self.bounds, partition, weights / weights.sum())
        return replies


def _belief(weights: Floats) -> Belief:
    """Weights as a belief, rounded so that equal ones are equal."""
    return tuple((weights / weights.sum()).round(DIGITS).tolist())


def _check_points(stored: StoredBounds, form: OneSided) -> None:
    """PolicyError where points and corners are not those of a game like this one."""
    corner, start, state, weight, value = (stored.arrays[name] for name in POINTS)
    fits = all(
        finite_column(array, kind) for array, kind in zip((corner, start, state, weight, value), "fiiff", strict=True)
    )
    fits = fits and len(corner) == form.size and len(start) == len(value) + 1 and len(state) == len(weight)
    fits = fits and start[0] == 0 and start[-1] == len(state) and bool((np.diff(start) > 0).all())
    if not fits or not numbers_below(state, form.size) or bool((weight < 0).any()):
        raise damaged_bounds(form)
    heads, owner = start[:-1], np.repeat(np.arange(len(value)), np.diff(start))
    alone = len(np.unique(owner * form.size + state)) == len(state)  # each state of a point once
    if not alone or bool((form.part[state] != form.part[state[heads]][owner]).any()):
        raise damaged_bounds(form)
    if len(value) and bool((np.add.reduceat(weight, heads) <= 0).any()):
        raise damaged_bounds(form)
