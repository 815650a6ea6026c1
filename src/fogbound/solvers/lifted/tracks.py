"""Every member of a crowd of suspects followed apart, as far as one seat's eyes reach.

A track says what may be hidden if the other is this member, and how likely this member was to cause all that was seen.
Members are only weighed against each other afterwards, so any prior can be tried on the same tracks.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from fogbound.core.game import Seen
from fogbound.forms.bayes import Bayes, Belief, Updated
from fogbound.forms.pomdp import POMDP, WAIT
from fogbound.forms.tree import History

Track = tuple[Belief | None, float]  # what may be hidden, and the logarithm of how likely all that was seen was
IMPOSSIBLE: Track = (None, -math.inf)


class Tracks:
    """The tracks of all members in a POMDP; `member` says whose each of its states is, -1 where play is over."""

    def __init__(self, form: POMDP, member: NDArray[np.int64], many: int) -> None:
        self.form, self.member, self.many = form, member, many
        self.bayes = Bayes(form)

    def begin(self, seen: Seen) -> list[Track]:
        """After the first sight, which says as much about every member: nobody has moved yet."""
        belief, p = self.bayes.begin(seen)
        if belief is None:
            return [IMPOSSIBLE] * self.many
        own = self.member[belief.states]
        return [_tracked(_share(belief, (own == k) | (own < 0)), math.log(p)) for k in range(self.many)]

    def step(self, tracks: list[Track], action: Hashable | None, seen: Seen) -> list[Track]:
        """After an own action (None: not asked) and what was seen of it."""
        found = []
        for belief, log in self.asked(tracks, action is not None):
            found.append(IMPOSSIBLE if belief is None else _tracked(self.bayes.update(belief, action, seen), log))
        return found

    def asked(self, tracks: list[Track], asked: bool = True) -> list[Track]:
        """Being asked to move, or not, is news too."""
        return [IMPOSSIBLE if belief is None else self._asked(belief, log, asked) for belief, log in tracks]

    def _asked(self, belief: Belief, log: float, asked: bool) -> Track:
        form, first = self.form, self.form.row[belief.states]
        goes_on = form.row[belief.states + 1] > first
        waits = form.action[np.where(goes_on, first, 0)] == WAIT
        return _tracked(_share(belief, goes_on & (waits != asked)), log)

    def along(self, history: History, asked: bool) -> list[list[Track]]:
        """The tracks after each step of a history; with `asked` the seat knows that it is to move in the end."""
        found = [self.begin(history[0])]
        for action, seen in history[1:]:
            found.append(self.step(found[-1], action, seen))
        return [*found[:-1], self.asked(found[-1])] if asked else found


def _share(belief: Belief, kept: NDArray[np.bool_]) -> Updated:
    """A belief given that the state is one of the kept ones, and how likely that was."""
    total = float(belief.weights[kept].sum())
    return (Belief(belief.states[kept], belief.weights[kept] / total), total) if total > 0 else (None, 0.0)


def _tracked(updated: Updated, log: float) -> Track:
    belief, p = updated
    return (belief, log + math.log(p)) if belief is not None and p > 0 else IMPOSSIBLE
