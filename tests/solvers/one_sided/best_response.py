"""What a strategy of either player is worth against the best answer to it, as an interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.core.errors import LimitError
from fogbound.core.policy import AnyPolicy
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.one_sided.form import WAIT, OneSided
from fogbound.solvers.one_sided.bounds import SWEEPS, OneSidedBounds
from fogbound.solvers.one_sided.kernels.initial_bounds import rising_sweep
from fogbound.solvers.one_sided.play.fully_informed import StepObservations
from fogbound.solvers.one_sided.play.lookup import action_index, reply_index

Lot = dict[tuple[int, Any], float]  # weights of a state with what the fully informed player remembers there
Ends = tuple[float, float]


def best_response_bounds(bounds: OneSidedBounds, policy: AnyPolicy, steps: int, limit: int = 100_000) -> Ends:
    """What the blind player can get at most from one who plays `policy`: between these.

    Searches all that the blind player may do and observe in so many steps, at most `limit` histories of it.
    """
    search = _ResponseSearch(bounds, policy, limit)
    low, high = search.begin(steps)
    scaled, form = bounds.scaled, bounds.form
    base = form.paid + float(form.start @ scaled.least)
    return base + scaled.scale * low, base + scaled.scale * high


class _ResponseSearch:
    """The blind player's best answer by looking ahead; values in the kernels' units."""

    def __init__(self, bounds: OneSidedBounds, policy: AnyPolicy, limit: int) -> None:
        self.bounds, self.form, self.game, self.policy = bounds, bounds.form, bounds.game, policy
        self.observations, self.limit, self.met = StepObservations(bounds.form), limit, 0
        self.most = _together(bounds)

    def begin(self, steps: int) -> Ends:
        lots: dict[int, Lot] = {}
        for seen, state in dict.fromkeys(self.observations.first()):
            lots.setdefault(int(self.form.part[state]), {})[state, self.policy.begin(seen)] = float(
                self.form.start[state]
            )
        found = [self._value(part, lot, steps) for part, lot in lots.items()]
        return sum(low for low, _ in found), sum(high for _, high in found)

    def _value(self, part: int, lot: Lot, steps: int) -> Ends:
        self.met += 1
        if self.met > self.limit:
            raise LimitError(f"{self.form.spec}: more than {self.limit:,} histories; look fewer steps ahead")
        if not steps:
            return self._left(part, lot)
        replies, lots = self._led(part, lot)
        low = high = -np.inf
        for index in self.form.actions_of(part):
            paid = float(self.game.reward[self.game.reward_start[index] : self.game.reward_start[index + 1]] @ replies)
            ends = [
                self._value(int(self.form.target[b]), lots[b], steps - 1)
                for b in self.form.successors_of(index)
                if b in lots
            ]
            low = max(low, paid + sum(end[0] for end in ends))
            high = max(high, paid + sum(end[1] for end in ends))
        return low, high

    def _left(self, part: int, lot: Lot) -> Ends:
        """What the blind player can have where nothing is looked at any more: a known vector, or all that there is."""
        first, most = int(self.form.state_start[part]), 0.0
        weights = np.zeros(int(self.form.state_start[part + 1]) - first)
        for (state, _), weight in lot.items():
            weights[state - first] += weight
            most += weight * float(self.most[state])
        return float((self.bounds.scaled_vectors(part) @ weights).max()), most

    def _led(self, part: int, lot: Lot) -> tuple[Floats, dict[int, Lot]]:
        """How likely the fully informed player takes each reply, and where each successor would lead."""
        form = self.form
        base = int(form.reply_start[form.state_start[part]])
        replies = np.zeros(int(form.reply_start[form.state_start[part + 1]]) - base)
        lots: dict[int, Lot] = {}
        for (state, memory), weight in lot.items():
            labels = form.reply_label[form.reply_start[state] : form.reply_start[state + 1]].tolist()
            drawn: Any = [(None, 1.0)]
            if labels[0] != WAIT:
                drawn = self.policy.act(memory, tuple(form.actions[1][label] for label in labels))
            for action, p in drawn:
                replies[reply_index(form, state, action) - base] += weight * p
                for step in self.observations.after(state, action) if p > 0 else ():
                    key = step.state, self.policy.update(memory, action, step.seen)
                    after = lots.setdefault(step.successor, {})
                    after[key] = after.get(key, 0.0) + weight * p * step.prob * form.discount
        return replies, lots


def _together(bounds: OneSidedBounds) -> Floats:
    """[S] no more than this can be paid from a state, even if both players wanted it."""
    scaled, discount = bounds.scaled, bounds.form.discount
    sweep, change = scaled.sweep(), np.inf
    for _ in range(SWEEPS):
        change = rising_sweep(scaled.game, sweep, len(scaled.game.state_start) - 1, True)
        if change == 0:
            break
    return sweep.values + (change * discount / (1 - discount) if discount < 1 else 0.0)


# What a blind player may come to remember, step by step, and what it does then.


MemoryNode = tuple[int, Any, tuple[int, ...]]  # a partition, what the blind player remembers there, the possible states
Ways = list[tuple[float, int, dict[int, int]]]  # share, action, the node after each observation


class MemoryGraph:
    """The blind player's memories, as they come up."""

    def __init__(self, form: OneSided, policy: AnyPolicy, limit: int) -> None:
        self.form, self.policy, self.limit = form, policy, limit
        self.numbers: dict[MemoryNode, int] = {}

    def followed(self, steps: int) -> tuple[list[MemoryNode], dict[int, Ways]]:
        """All nodes within so many steps, and what those before the last do."""
        for p, seen in self.form.opening.items():
            begun = np.flatnonzero(self.form.start[self.form.states_of(p)])
            self._number((p, self.policy.begin(seen), tuple(begun.tolist())))
        ways: dict[int, Ways] = {}
        done = 0
        for _ in range(steps):
            reached = list(self.numbers)
            for number in range(done, len(reached)):
                ways[number] = self._ways(reached[number])
            done = len(reached)
        return list(self.numbers), ways

    def _number(self, node: MemoryNode) -> int:
        number = self.numbers.setdefault(node, len(self.numbers))
        if number >= self.limit:
            raise LimitError(
                f"{self.form.spec}: more than {self.limit:,} memories of the blind player; follow it for fewer steps"
            )
        return number

    def _ways(self, node: MemoryNode) -> Ways:
        form, (part, memory, possible) = self.form, node
        labels = form.action_label[form.actions_of(part)].tolist()
        drawn: Any = [(None, 1.0)]
        if labels[0] != WAIT:
            drawn = self.policy.act(memory, tuple(form.actions[0][label] for label in labels))
        found: Ways = []
        for action, p in drawn:
            index, after = action_index(form, part, action), {}
            for b in form.successors_of(index):
                led = self._led(b, form.state_start[part] + np.array(possible))
                if led and p > 0:
                    memory_after = self.policy.update(memory, action, form.observations[form.obs[b]])
                    after[b] = self._number((int(form.target[b]), memory_after, led))
            found.append((p, index, after))
        return found

    def _led(self, successor: int, states: Ints) -> tuple[int, ...]:
        """Where a successor may lead from some states, within its target."""
        form = self.form
        entries = slice(form.transition_start[successor], form.transition_start[successor + 1])
        owner = np.searchsorted(form.reply_start, form.source[entries], "right") - 1
        led = np.unique(form.to[entries][np.isin(owner, states)]) - form.state_start[form.target[successor]]
        return tuple(led.tolist())


# What the blind player's strategy guarantees: an interval around the best answer to it.
#
# The one who answers sees everything, and so knows what the blind player remembers: value iteration over states and
# memories. They are followed for some steps only, and what could come of those that are left makes the interval.


RESPONSE_SWEEPS = 2_000
STILL = 1e-10


def guarantee(bounds: OneSidedBounds, policy: AnyPolicy, steps: int, limit: int = 10_000) -> tuple[float, float]:
    """What the blind player's `policy` is paid at least, whatever the other does: between these.

    Its memories are followed for `steps` steps; those that come back are followed for ever.
    """
    nodes, ways = MemoryGraph(bounds.form, policy, limit).followed(steps)
    first, corner = bounds.game.state_start, bounds.arrays["corner"]
    low = [np.zeros(first[p + 1] - first[p]) for p, _, _ in nodes]
    high = [corner[first[p] : first[p + 1]].copy() for p, _, _ in nodes]
    _iterate(bounds, nodes, ways, low, np.maximum)
    _iterate(bounds, nodes, ways, high, np.minimum)
    return _at_start(bounds, nodes, low), _at_start(bounds, nodes, high)


def _iterate(
    bounds: OneSidedBounds, nodes: list[MemoryNode], ways: dict[int, Ways], values: list[Floats], tighter: np.ufunc
) -> None:
    """Value iteration from a bound, in place: bounds all the way. Nodes that were not followed keep theirs."""
    for _ in range(RESPONSE_SWEEPS):
        change = 0.0
        for number in reversed(range(len(ways))):
            found = tighter(values[number], _backed_up(bounds, nodes[number][0], ways[number], values))
            change = max(change, float(np.abs(found - values[number]).max()))
            values[number] = found
        if change <= STILL:
            return


def _backed_up(bounds: OneSidedBounds, part: int, ways: Ways, values: list[Floats]) -> Floats:
    game = bounds.game
    replies = (
        game.reply_start[game.state_start[part] : game.state_start[part + 1] + 1]
        - game.reply_start[game.state_start[part]]
    )
    paid = np.zeros(replies[-1])
    for share, index, after in ways:
        paid += share * game.reward[game.reward_start[index] : game.reward_start[index + 1]]
        for successor, number in after.items():
            entries = slice(game.transition_start[successor], game.transition_start[successor + 1])
            led = game.prob[entries] * values[number][game.to[entries] - game.state_start[game.target[successor]]]
            paid += share * np.bincount(
                game.source[entries] - game.reply_start[game.state_start[part]], led, replies[-1]
            )
    found: Floats = np.minimum.reduceat(paid, replies[:-1])
    return found


def _at_start(bounds: OneSidedBounds, nodes: list[MemoryNode], values: list[Floats]) -> float:
    form, scaled = bounds.form, bounds.scaled
    value = sum(float(form.start[form.states_of(nodes[k][0])] @ values[k]) for k in range(len(form.opening)))
    return form.paid + float(form.start @ scaled.least) + scaled.scale * value
