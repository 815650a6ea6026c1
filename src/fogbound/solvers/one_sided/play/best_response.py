"""What a strategy of either player is worth against the best answer to it, as an interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.core.errors import LimitError
from fogbound.core.policy import AnyPolicy
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.one_sided.form import WAIT, OneSided
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.initial_bounds import SWEEPS
from fogbound.solvers.one_sided.kernels import initial_bounds as stage_start
from fogbound.solvers.one_sided.play.fully_informed import StepObservations
from fogbound.solvers.one_sided.play.lookup import row_of, slot_of
from fogbound.solvers.one_sided.play.partially_informed import kept_vectors

Lot = dict[tuple[int, Any], float]  # weights of a state with what the seeing player remembers there
Ends = tuple[float, float]


def best_response_bounds(bounded: OneSidedBounds, policy: AnyPolicy, steps: int, limit: int = 100_000) -> Ends:
    """What the blind player can get at most from one who plays `policy`: between these.

    Searches all that the blind player may do and observe in so many steps, at most `limit` histories of it.
    """
    search = _ResponseSearch(bounded, policy, limit)
    low, high = search.begin(steps)
    scaled, form = bounded.scaled, bounded.form
    base = form.paid + float(form.start @ scaled.least)
    return base + scaled.scale * low, base + scaled.scale * high


class _ResponseSearch:
    """The blind player's best answer by looking ahead; values in the kernels' units."""

    def __init__(self, bounded: OneSidedBounds, policy: AnyPolicy, limit: int) -> None:
        self.bounded, self.form, self.game, self.policy = bounded, bounded.form, bounded.game, policy
        self.observations, self.limit, self.met = StepObservations(bounded.form), limit, 0
        self.most = _together(bounded)

    def begin(self, steps: int) -> Ends:
        lots: dict[int, Lot] = {}
        for seen, state in dict.fromkeys(self.observations.first()):
            lots.setdefault(int(self.form.part[state]), {})[state, self.policy.begin(seen)] = float(
                self.form.start[state]
            )
        found = [self._worth(part, lot, steps) for part, lot in lots.items()]
        return sum(low for low, _ in found), sum(high for _, high in found)

    def _worth(self, part: int, lot: Lot, steps: int) -> Ends:
        self.met += 1
        if self.met > self.limit:
            raise LimitError(f"{self.form.spec}: more than {self.limit:,} histories; look fewer steps ahead")
        if not steps:
            return self._left(part, lot)
        rows, lots = self._led(part, lot)
        low = high = -np.inf
        for slot in range(self.form.slot[part], self.form.slot[part + 1]):
            paid = float(self.game.reward[self.game.pay[slot] : self.game.pay[slot + 1]] @ rows)
            ends = [
                self._worth(int(self.form.target[b]), lots[b], steps - 1)
                for b in range(self.form.branch[slot], self.form.branch[slot + 1])
                if b in lots
            ]
            low = max(low, paid + sum(end[0] for end in ends))
            high = max(high, paid + sum(end[1] for end in ends))
        return low, high

    def _left(self, part: int, lot: Lot) -> Ends:
        """What the blind player can have where nothing is looked at any more: a known vector, or all that there is."""
        first, most = int(self.form.first[part]), 0.0
        weights = np.zeros(int(self.form.first[part + 1]) - first)
        for (state, _), weight in lot.items():
            weights[state - first] += weight
            most += weight * float(self.most[state])
        return float((kept_vectors(self.bounded, part) @ weights).max()), most

    def _led(self, part: int, lot: Lot) -> tuple[Floats, dict[int, Lot]]:
        """How likely the seeing player takes each row, and where each branch would lead."""
        form = self.form
        base = int(form.row[form.first[part]])
        rows = np.zeros(int(form.row[form.first[part + 1]]) - base)
        lots: dict[int, Lot] = {}
        for (state, memory), weight in lot.items():
            labels = form.seeing[form.row[state] : form.row[state + 1]].tolist()
            drawn: Any = [(None, 1.0)]
            if labels[0] != WAIT:
                drawn = self.policy.act(memory, tuple(form.actions[1][label] for label in labels))
            for action, p in drawn:
                rows[row_of(form, state, action) - base] += weight * p
                for step in self.observations.after(state, action) if p > 0 else ():
                    key = step.state, self.policy.update(memory, action, step.seen)
                    after = lots.setdefault(step.branch, {})
                    after[key] = after.get(key, 0.0) + weight * p * step.prob * form.discount
        return rows, lots


def _together(bounded: OneSidedBounds) -> Floats:
    """[S] no more than this can be paid from a state, even if both players wanted it."""
    scaled, discount = bounded.scaled, bounded.form.discount
    sweep, change = scaled.sweep(), np.inf
    for _ in range(SWEEPS):
        change = stage_start.rising_sweep(scaled.game, sweep, len(scaled.game.first) - 1, True)
        if change == 0:
            break
    return sweep.values + (change * discount / (1 - discount) if discount < 1 else 0.0)


# What a blind player may come to remember, step by step, and what it does then.


MemoryNode = tuple[int, Any, tuple[int, ...]]  # a partition, what the blind player remembers there, the possible states
Ways = list[tuple[float, int, dict[int, int]]]  # share, slot, the node after each branch


class MemoryGraph:
    """The blind player's memories, as they come up."""

    def __init__(self, form: OneSided, policy: AnyPolicy, limit: int) -> None:
        self.form, self.policy, self.limit = form, policy, limit
        self.numbers: dict[MemoryNode, int] = {}

    def followed(self, steps: int) -> tuple[list[MemoryNode], dict[int, Ways]]:
        """All nodes within so many steps, and what those before the last do."""
        for p, seen in self.form.opening.items():
            begun = np.flatnonzero(self.form.start[self.form.first[p] : self.form.first[p + 1]])
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
        labels = form.action[form.slot[part] : form.slot[part + 1]].tolist()
        drawn: Any = [(None, 1.0)]
        if labels[0] != WAIT:
            drawn = self.policy.act(memory, tuple(form.actions[0][label] for label in labels))
        found: Ways = []
        for action, p in drawn:
            slot, after = slot_of(form, part, action), {}
            for b in range(form.branch[slot], form.branch[slot + 1]):
                led = self._led(b, form.first[part] + np.array(possible))
                if led and p > 0:
                    memory_after = self.policy.update(memory, action, form.observations[form.obs[b]])
                    after[b] = self._number((int(form.target[b]), memory_after, led))
            found.append((p, slot, after))
        return found

    def _led(self, branch: int, states: Ints) -> tuple[int, ...]:
        """Where a branch may lead from some states, within its target."""
        form = self.form
        entries = slice(form.entry[branch], form.entry[branch + 1])
        owner = np.searchsorted(form.row, form.source[entries], "right") - 1
        led = np.unique(form.to[entries][np.isin(owner, states)]) - form.first[form.target[branch]]
        return tuple(led.tolist())


# What the blind player's strategy guarantees: an interval around the best answer to it.
#
# The one who answers sees everything, and so knows what the blind player remembers: value iteration over states and
# memories. They are followed for some steps only, and what could come of those that are left makes the interval.


RESPONSE_SWEEPS = 2_000
STILL = 1e-10


def guarantee(bounded: OneSidedBounds, policy: AnyPolicy, steps: int, limit: int = 10_000) -> tuple[float, float]:
    """What the blind player's `policy` is paid at least, whatever the other does: between these.

    Its memories are followed for `steps` steps; those that come back are followed for ever.
    """
    nodes, ways = MemoryGraph(bounded.form, policy, limit).followed(steps)
    first, corner = bounded.game.first, bounded.arrays["corner"]
    low = [np.zeros(first[p + 1] - first[p]) for p, _, _ in nodes]
    high = [corner[first[p] : first[p + 1]].copy() for p, _, _ in nodes]
    _iterate(bounded, nodes, ways, low, np.maximum)
    _iterate(bounded, nodes, ways, high, np.minimum)
    return _at_start(bounded, nodes, low), _at_start(bounded, nodes, high)


def _iterate(
    bounded: OneSidedBounds, nodes: list[MemoryNode], ways: dict[int, Ways], values: list[Floats], tighter: np.ufunc
) -> None:
    """Value iteration from a bound, in place: bounds all the way. Nodes that were not followed keep theirs."""
    for _ in range(RESPONSE_SWEEPS):
        change = 0.0
        for number in reversed(range(len(ways))):
            found = tighter(values[number], _backed_up(bounded, nodes[number][0], ways[number], values))
            change = max(change, float(np.abs(found - values[number]).max()))
            values[number] = found
        if change <= STILL:
            return


def _backed_up(bounded: OneSidedBounds, part: int, ways: Ways, values: list[Floats]) -> Floats:
    game = bounded.game
    rows = game.row[game.first[part] : game.first[part + 1] + 1] - game.row[game.first[part]]
    paid = np.zeros(rows[-1])
    for share, slot, after in ways:
        paid += share * game.reward[game.pay[slot] : game.pay[slot + 1]]
        for branch, number in after.items():
            entries = slice(game.entry[branch], game.entry[branch + 1])
            led = game.prob[entries] * values[number][game.to[entries] - game.first[game.target[branch]]]
            paid += share * np.bincount(game.source[entries] - game.row[game.first[part]], led, rows[-1])
    found: Floats = np.minimum.reduceat(paid, rows[:-1])
    return found


def _at_start(bounded: OneSidedBounds, nodes: list[MemoryNode], values: list[Floats]) -> float:
    form, scaled = bounded.form, bounded.scaled
    worth = sum(
        float(form.start[form.first[nodes[k][0]] : form.first[nodes[k][0] + 1]] @ values[k])
        for k in range(len(form.opening))
    )
    return form.paid + float(form.start @ scaled.least) + scaled.scale * worth
