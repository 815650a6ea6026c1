"""A controller walked through a POMDP: every pair of a node and a state that occurs, and how they follow each other.

Nodes and states are numbers and a whole frontier steps at once; the controller is asked once for each node and menu,
and once for each arrow.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fogbound.core.errors import LimitError
from fogbound.forms.bayes import START, Numbers
from fogbound.forms.pomdp import NOT_ASKED, OVER, POMDP, WAIT
from fogbound.forms.product import moves
from fogbound.forms.table import Floats
from fogbound.policies.controller import LOST, Arrow, Controller

Columns = tuple[Numbers, Numbers, Numbers, Floats]


class Walk:
    """P pairs, O outcomes. An outcome that ends the game has no target."""

    pairs: Numbers  # [P] node * states + state
    start: Floats  # [P] how likely play begins there
    source: Numbers  # [O] the pair left
    target: Numbers  # [O] the pair that follows, -1 = the game is over
    arrow: Numbers  # [O] the number of (node, action, observation)
    weight: Floats  # [O] how likely, at its source

    def __init__(self, form: POMDP, policy: Controller, limit: int) -> None:
        self.form, self.policy, self.limit = form, policy, limit
        self.actions, self.sights = len(form.actions) + 1, len(form.observations)
        self.menu = np.full(form.size, OVER, np.int64)
        self.menu[form.next] = np.array([menu for _, menu in form.observations], np.int64)[form.obs]
        self.menu[np.diff(form.row) == 0] = OVER
        self._number: dict[int, int] = {}
        self._choices: dict[int, list[tuple[int, float]]] = {}
        self._targets: dict[int, int] = {}
        self._explore()

    def words(self, arrow: int) -> Arrow:
        """An arrow's number as the controller's own label of it."""
        (node, action), z = divmod(arrow // self.sights, self.actions), arrow % self.sights
        label = None if action - 1 == WAIT else self.form.actions[action - 1]
        return self._memory(node), label, self.form.observations[z][0]

    def _explore(self) -> None:
        form = self.form
        begun = [o for o in range(form.out[START], form.out[START + 1]) if self.menu[form.next[o]] != OVER]
        nodes = [self._node(self.policy.begin(form.observations[form.obs[o]][0])) for o in begun]
        first = np.array(nodes, np.int64) * form.size + form.next[begun]
        columns, keys = list[Columns](), self._fresh(first)
        while len(keys):
            columns.append(self._step(keys))
            targets = columns[-1][1]
            keys = self._fresh(targets[targets >= 0])
        self.pairs = np.array(list(self._number), np.int64)
        if not columns:
            columns = [(self.pairs, self.pairs, self.pairs, np.zeros(0))]
        self.source, target, self.arrow, self.weight = (np.concatenate(column) for column in zip(*columns))
        self.target = np.where(target >= 0, self._numbered(target), -1)
        self.start = np.zeros(len(self.pairs))
        np.add.at(self.start, self._numbered(first), form.prob[begun])

    def _node(self, memory: int) -> int:
        """LOST as one node more, so that numbers stay numbers."""
        return self.policy.size if memory == LOST else memory

    def _memory(self, node: int) -> int:
        return LOST if node == self.policy.size else node

    def _fresh(self, keys: Numbers) -> Numbers:
        """Those pairs that were not met before, which are numbered."""
        fresh = [key for key in np.unique(keys).tolist() if key not in self._number]
        for key in fresh:
            self._number[key] = len(self._number)
        if len(self._number) > self.limit:
            raise LimitError(f"{self.form.spec}: the controller meets over {self.limit:,} pairs of a node and a state")
        return np.array(fresh, np.int64)

    def _numbered(self, keys: Numbers) -> Numbers:
        order = np.argsort(self.pairs)
        place = np.searchsorted(self.pairs[order], keys)
        found: Numbers = order[np.minimum(place, len(order) - 1)] if len(order) else place.astype(np.int64)
        return found

    def _step(self, keys: Numbers) -> Columns:
        """The outcomes of these pairs, the last that were numbered; targets still as keys."""
        form, (node, state) = self.form, np.divmod(keys, self.form.size)
        asked, which = np.unique(node * (len(form.menus) + 1) + self.menu[state] + 1, return_inverse=True)
        listed = [self._choice(key) for key in asked.tolist()]
        count = np.array([len(choice) for choice in listed], np.int64)
        place, chance = np.array([pair for choice in listed for pair in choice]).reshape(-1, 2).T
        entry, chooser = _ranges((np.cumsum(count) - count)[which], count[which])
        rows = form.row[state[chooser]] + place[entry].astype(np.int64)
        outcome, owner = _ranges(form.out[rows].astype(np.int64), np.diff(form.out)[rows].astype(np.int64))
        source = chooser[owner]
        arrow = (node[source] * self.actions + form.action[rows[owner]] + 1) * self.sights + form.obs[outcome]
        target = np.full(len(outcome), -1, np.int64)
        on = self.menu[form.next[outcome]] != OVER
        arrows, back = np.unique(arrow[on], return_inverse=True)
        target[on] = self._follow(arrows.tolist())[back] * form.size + form.next[outcome[on]]
        first = len(self._number) - len(keys)
        return first + source, target, arrow, chance[entry[owner]] * form.prob[outcome]

    def _choice(self, key: int) -> list[tuple[int, float]]:
        """(Place in the menu, probability) of what a node does, asked for a menu or not at all."""
        if key not in self._choices:
            node, menu = divmod(key, len(self.form.menus) + 1)
            waits = menu - 1 == NOT_ASKED
            chosen = [(0, 1.0)] if waits else moves(self.policy, self._memory(node), self.form.menus[menu - 1])
            self._choices[key] = chosen
        return self._choices[key]

    def _follow(self, arrows: Iterable[int]) -> Numbers:
        """The nodes that arrows lead to."""
        led = []
        for arrow in arrows:
            if arrow not in self._targets:
                self._targets[arrow] = self._node(self.policy.update(*self.words(arrow)))
            led.append(self._targets[arrow])
        return np.array(led, np.int64)


def _ranges(first: Numbers, count: Numbers) -> tuple[Numbers, Numbers]:
    """All numbers of the ranges of `count` from `first`, one after the other, and which range each belongs to."""
    owner = np.repeat(np.arange(len(count)), count)
    return np.arange(len(owner)) + (first - (np.cumsum(count) - count))[owner], owner
