"""A one-sided form, such as a file describes, as a game of two players: then all that works on games works on it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.game import Game, Outcome, Seen
from fogbound.forms.product import WAIT

if TYPE_CHECKING:
    from fogbound.forms.one_sided import OneSided

OVER = -1
NOTHING = 1e-12  # what adding up probabilities may leave


@dataclass(frozen=True, eq=False)
class OneSidedGame(Game[int, Hashable]):
    """The blind player sees its observations, the other everything. A step pays what the form expects it to pay.

    States are the form's numbers, which stay apart where labels do not; -1 is the end.
    """

    form: OneSided = field(repr=False)

    name: ClassVar[str] = "one-sided"

    def __post_init__(self) -> None:
        names = ("blind", "seeing")
        object.__setattr__(self, "players", names if self.form.blind == 0 else names[::-1])

    @property
    def discount(self) -> float:  # type: ignore[override]
        return self.form.discount

    def start(self) -> Dist[Outcome[int]]:
        begun = np.flatnonzero(self.form.start).tolist()
        led = [(s, self.form.opening[int(self.form.part[s])], None, float(self.form.start[s])) for s in begun]
        return self._outcomes(led, self.form.paid, None)

    def actors(self, state: int) -> tuple[int, ...]:
        return tuple(seat for seat in (0, 1) if self._labels(state, seat)[0] != WAIT) if state != OVER else ()

    def actions(self, state: int, player: int) -> Sequence[Hashable]:
        words = self.form.actions[0 if player == self.form.blind else 1]
        return tuple(words[label] for label in self._labels(state, player))

    def step(self, state: int, joint: tuple[Hashable, ...]) -> Dist[Outcome[int]]:
        form, taken = self.form, dict(zip(self.actors(state), joint))
        number = {seat: self.actions(state, seat).index(action) for seat, action in taken.items()}
        part = int(form.part[state])
        slot = int(form.slot[part]) + number.get(form.blind, 0)
        row = int(form.row[state]) + number.get(1 - form.blind, 0)
        led = []
        for b in range(form.branch[slot], form.branch[slot + 1]):
            low, high = int(form.entry[b]), int(form.entry[b + 1])
            begin, end = low + np.searchsorted(form.source[low:high], [row, row + 1])
            seen = form.observations[form.obs[b]]
            led += [(int(form.to[e]), seen, int(form.obs[b]), float(form.prob[e])) for e in range(begin, end)]
        pay = float(form.reward[form.pay[slot] + row - form.row[form.first[part]]])
        return self._outcomes(led, pay, taken.get(form.blind))

    def _labels(self, state: int, seat: int) -> list[int]:
        """The labels of what a seat may do; WAIT alone where it does not move."""
        form = self.form
        if seat == form.blind:
            part = int(form.part[state])
            return form.action[form.slot[part] : form.slot[part + 1]].tolist()  # type: ignore[no-any-return]
        return form.seeing[form.row[state] : form.row[state + 1]].tolist()  # type: ignore[no-any-return]

    def _outcomes(
        self, led: Sequence[tuple[int, Seen, int | None, float]], paid: float, action: Hashable
    ) -> Dist[Outcome[int]]:
        """Outcomes for (state, what the blind player sees, its number, probability); what is missing is the end."""
        seat, pay = self.form.blind, (paid, 0.0 - paid)
        pay, pairs = pay if seat == 0 else pay[::-1], []
        for state, seen, obs, p in led:
            shown = (seen.private, (state, action, obs))
            pairs.append((Outcome(state, pay, seen.public, shown if seat == 0 else shown[::-1]), p))
        missing = 1.0 - math.fsum(p for _, p in pairs)
        if missing > NOTHING:
            pairs.append((Outcome(OVER, pay, "over"), missing))
        return Dist.of(pairs)

    def __str__(self) -> str:
        return self.form.spec
