"""What the seeing player's strategy holds the blind one to: an interval around the best answer to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.core.errors import LimitError
from fogbound.core.policy import AnyPolicy
from fogbound.forms.one_sided import WAIT
from fogbound.forms.table import Floats
from fogbound.kernels import stage_start
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.first import SWEEPS
from fogbound.solvers.one_sided.play.asked import row_of
from fogbound.solvers.one_sided.play.promise import kept_vectors
from fogbound.solvers.one_sided.play.sights import Sights

Lot = dict[tuple[int, Any], float]  # weights of a state with what the seeing player remembers there
Ends = tuple[float, float]


def held(bounded: Bounded, policy: AnyPolicy, steps: int, limit: int = 100_000) -> Ends:
    """What the blind player can get at most from one who plays `policy`: between these.

    Searches all that the blind player may do and observe in so many steps, at most `limit` histories of it.
    """
    search = _Search(bounded, policy, limit)
    low, high = search.begin(steps)
    scaled, form = bounded.scaled, bounded.form
    base = form.paid + float(form.start @ scaled.least)
    return base + scaled.scale * low, base + scaled.scale * high


class _Search:
    """The blind player's best answer by looking ahead; values in the kernels' units."""

    def __init__(self, bounded: Bounded, policy: AnyPolicy, limit: int) -> None:
        self.bounded, self.form, self.game, self.policy = bounded, bounded.form, bounded.game, policy
        self.sights, self.limit, self.met = Sights(bounded.form), limit, 0
        self.most = _together(bounded)

    def begin(self, steps: int) -> Ends:
        lots: dict[int, Lot] = {}
        for seen, state in dict.fromkeys(self.sights.first()):
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
                for step in self.sights.after(state, action) if p > 0 else ():
                    key = step.state, self.policy.update(memory, action, step.seen)
                    after = lots.setdefault(step.branch, {})
                    after[key] = after.get(key, 0.0) + weight * p * step.prob * form.discount
        return rows, lots


def _together(bounded: Bounded) -> Floats:
    """[S] no more than this can be paid from a state, even if both players wanted it."""
    scaled, discount = bounded.scaled, bounded.form.discount
    sweep, change = scaled.sweep(), np.inf
    for _ in range(SWEEPS):
        change = stage_start.rising_sweep(scaled.game, sweep, len(scaled.game.first) - 1, True)
        if change == 0:
            break
    return sweep.values + (change * discount / (1 - discount) if discount < 1 else 0.0)
