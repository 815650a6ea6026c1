"""What a blind player may come to remember, step by step, and what it does then."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.core.errors import LimitError
from fogbound.core.policy import AnyPolicy
from fogbound.forms.one_sided import WAIT, OneSided
from fogbound.forms.table import Ints
from fogbound.solvers.one_sided.play.asked import slot_of

Node = tuple[int, Any, tuple[int, ...]]  # a partition, what the blind player remembers there, the possible states
Ways = list[tuple[float, int, dict[int, int]]]  # share, slot, the node after each branch


class Memories:
    """The blind player's memories, as they come up."""

    def __init__(self, form: OneSided, policy: AnyPolicy, limit: int) -> None:
        self.form, self.policy, self.limit = form, policy, limit
        self.numbers: dict[Node, int] = {}

    def followed(self, steps: int) -> tuple[list[Node], dict[int, Ways]]:
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

    def _number(self, node: Node) -> int:
        number = self.numbers.setdefault(node, len(self.numbers))
        if number >= self.limit:
            raise LimitError(
                f"{self.form.spec}: more than {self.limit:,} memories of the blind player; follow it for fewer steps"
            )
        return number

    def _ways(self, node: Node) -> Ways:
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
