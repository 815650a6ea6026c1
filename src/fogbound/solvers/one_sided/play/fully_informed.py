"""The seeing player: it follows what the blind one may believe about it, and mixes so that the belief stays poor.

At every belief the stage game of the upper bound says how to mix in each state. No state is worth more after the
stage than the bound said before, so following stages from belief to belief never pays more than the bound at the
start, whatever the blind player does (Horak, Bosansky, Kovarik and Kiekintveld 2023).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats
from fogbound.forms.one_sided.form import WAIT, OneSided
from fogbound.forms.one_sided.from_table import TwoPlayerTable, two_player_table
from fogbound.forms.table import START
from fogbound.policies.stored_bounds import StoredBounds
from fogbound.solvers.one_sided.bounds import LISTS, OneSidedBounds, make_room
from fogbound.solvers.one_sided.kernels import model as stage_model
from fogbound.solvers.one_sided.kernels.stage_game import solve_stage
from fogbound.solvers.one_sided.play.lookup import row_of, the_one

# How the seeing player mixes at a belief: the stage game of the upper bound, solved beside the bounds.
#
# Solving a stage adds to the bounds; a policy's answers must not depend on what it was asked before, so each stage is
# solved on a copy.


EXACT = 1e-9  # of the scale: how well stages are solved


def mixture(known: OneSidedBounds, partition: int, belief: Floats) -> Floats:
    """[rows of the partition] how likely each is: a state's rows add up to its belief."""
    known.work.belief[: len(belief)] = belief
    solve_stage(stage_model.StageArrays(known.game, _copy(known), known.work), partition, EXACT, True)
    return known.work.y.copy()


def _copy(known: OneSidedBounds) -> stage_model.BoundArrays:
    """The bounds with room for all that one more stage can add. Reasons are left out: files do not hold them either."""
    records, values, _ = known.arrays["used"].tolist()
    lists = ("corner", "crown", *LISTS)
    parts: dict[str, Any] = {name: known.arrays[name].copy() for name in lists}
    parts |= {name: known.arrays[name][:records] for name in ("older", "at")}
    parts |= {"value": known.arrays["value"][:values], "why": np.full(records, -1)}
    parts |= {"link": np.zeros(0, np.int64), "weight": np.zeros(0), "used": np.array([records, values, 0])}
    make_room(parts, known.room)
    return stage_model.BoundArrays(**parts)


# What the seeing player of a one-sided form sees of each step, in the game from which the form came.


class ObservedStep(NamedTuple):
    """One way that a step may go, and go on: what the seeing player sees of it, and what the form calls it."""

    seen: Observation
    branch: int
    state: int
    prob: float  # given the branch's slot


class StepObservations:
    """Steps of a form as the seeing player lives them; each is read once."""

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
        """All steps from a state in which the seeing player did `action` (None: waited)."""
        found = self.read.get((state, action))
        if found is None:
            row = row_of(self.form, state, action)
            found = self.read[state, action] = self._told(row) if self.form.table is None else self._tabled(state, row)
        return found

    def _told(self, row: int) -> list[ObservedStep]:
        """As `forms.OneSidedGame` shows it: the state, the blind player's action and its observation."""
        form, found = self.form, []
        part = int(form.part[np.searchsorted(form.row, row, "right") - 1])
        for slot in range(form.slot[part], form.slot[part + 1]):
            label = int(form.action[slot])
            word = None if label == WAIT else form.actions[0][label]
            for branch in range(form.branch[slot], form.branch[slot + 1]):
                obs, low = int(form.obs[branch]), int(form.entry[branch])
                ends = np.searchsorted(form.source[low : form.entry[branch + 1]], [row, row + 1])
                for e in range(low + int(ends[0]), low + int(ends[1])):
                    to = int(form.to[e])
                    seen = Observation(form.observations[obs].public, (to, word, obs))
                    found.append(ObservedStep(seen, branch, to, float(form.prob[e])))
        return found

    def _tabled(self, state: int, row: int) -> list[ObservedStep]:
        """As the table has it."""
        form, game, found = self.form, self._joint, []
        table, at, part = game.table, int(self._numbers[state]), int(form.part[state])
        for joint_row in range(table.row[at], table.row[at + 1]):
            if game.reply[joint_row] != row - form.row[state]:
                continue
            slot = int(form.slot[part] + game.move[joint_row])
            branches = {int(form.obs[b]): b for b in range(form.branch[slot], form.branch[slot + 1])}
            for o in range(table.out[joint_row], table.out[joint_row + 1]):
                if table.actor_set[table.next[o]] != 0:
                    branch = branches[int(game.mine.obs[o])]
                    to = self._members[int(form.target[branch]), int(table.next[o])]
                    seen = game.theirs.observations[game.theirs.obs[o]][0]
                    found.append(ObservedStep(seen, branch, to, float(table.prob[o])))
        return found

    @cached_property
    def _joint(self) -> TwoPlayerTable:
        assert self.form.table is not None
        return two_player_table(self.form.table, self.form.blind)

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

    known: OneSidedBounds = field(repr=False)
    mixtures: dict[tuple[int, Belief, int], Floats] = field(default_factory=dict, repr=False)

    thinks: ClassVar[bool] = True

    def stored(self) -> StoredBounds:
        """As a file holds it."""
        return self.known.stored(blind=False)

    @cached_property
    def observations(self) -> StepObservations:
        return StepObservations(self.known.form)

    def begin(self, seen: Observation) -> Memory:
        form, places = self.known.form, dict[Place, None]()
        for observation, state in self.observations.first():
            if observation == seen:
                part = int(form.part[state])
                places[state, _belief(form.start[form.first[part] : form.first[part + 1]])] = None
        return tuple(places)

    def update(self, memory: Memory, action: Hashable | None, seen: Observation) -> Memory:
        if not memory:
            return ()
        place = self._place(memory, action is not None)
        ways = dict.fromkeys(
            (step.branch, step.state) for step in self.observations.after(place[0], action) if step.seen == seen
        )
        return tuple((to, self._believed(place, branch, to)) for branch, to in ways)

    def act(self, memory: Memory, actions: Sequence[Hashable]) -> Dist[Hashable]:
        form = self.known.form
        place = self._place(memory, asked=True)
        base = int(form.row[form.first[form.part[place[0]]]])
        rows = self._mixture(place)
        weights = [(action, float(rows[row_of(form, place[0], action) - base])) for action in actions]
        return Dist.weighted([pair for pair in weights if pair[1] > 0])

    def _place(self, memory: Memory, asked: bool) -> Place:
        form = self.known.form
        waits = [int(form.seeing[form.row[state]]) == WAIT for state, _ in memory]
        return the_one(form, 1 - form.blind, memory, waits, asked)

    def _believed(self, place: Place, branch: int, to: int) -> Belief:
        """The belief after a branch; sure of the state where the player's own strategy would never have led there."""
        form, game = self.known.form, self.known.game
        tau = np.zeros(self.known.scaled.wide)
        base = int(game.row[game.first[form.part[place[0]]]])
        total = stage_model.successor_belief(game, branch, self._mixture(place), base, tau)
        target = int(form.target[branch])
        many = int(form.first[target + 1] - form.first[target])
        if total > 0:
            return _belief(tau[:many])
        return _belief(np.eye(many)[to - int(form.first[target])])

    def _mixture(self, place: Place) -> Floats:
        """[rows of the partition] how the player mixes, weighed by the belief; it always has an answer where it is."""
        state, belief = place
        partition = int(self.known.form.part[state])
        local = state - int(self.known.form.first[partition])
        key = partition, belief, -1 if belief[local] > 0 else state
        found = self.mixtures.get(key)
        if found is None:
            if len(self.mixtures) >= MOST_KEPT:
                self.mixtures.clear()
            weights = np.array(belief)
            weights[local] = max(weights[local], HINT)
            found = self.mixtures[key] = mixture(self.known, partition, weights / weights.sum())
        return found


def _belief(weights: Floats) -> Belief:
    """Weights as a belief, rounded so that equal ones are equal."""
    return tuple((weights / weights.sum()).round(DIGITS).tolist())
