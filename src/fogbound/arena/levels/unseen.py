"""The likelihood of what I saw when no hands are shown: an exact forward filter over all that I did not see.

The hidden part is the state of the table and what the opponent remembers. Given my own moves, the weights of all
such pairs that agree with what I saw so far are carried forward a step at a time; their sum is the probability of my
sights (the forward algorithm of hidden Markov models, Baum and Petrie 1966). Weights are scaled to sum to one at each
step and the logarithms of the scales added up, so that no length of play underflows. That a game stopped is no
evidence beyond what was seen: a game may have been broken off.
"""

from __future__ import annotations

import math

import numpy as np

from fogbound.arena.levels.histories import ROOT, Histories
from fogbound.core.policy import Player
from fogbound.forms.product import WAIT, Fixed
from fogbound.forms.table import START, Floats, Table

Point = tuple[int, int]  # state, the opponent's memory
Weights = dict[Point, float]
OVER = -1  # the memory once the game is over: nobody need remember


def unseen(histories: Histories, policy: Player) -> Floats:
    """[nodes] the log probability that I see what leads to each node, doing as I did, when the other is `policy`."""
    forward = _Forward(histories.table, histories.seat, policy)
    children: list[list[int]] = [[] for _ in range(len(histories))]
    waiting: list[tuple[int, Weights | None]] = []
    for node, parent in enumerate(histories.parent):
        if parent == ROOT:
            waiting.append((node, None))
        else:
            children[parent].append(node)
    logs = np.full(len(histories), -math.inf)
    while waiting:  # depth first, so that few weights are kept at a time
        node, before = waiting.pop()
        sight = histories.seen[node]
        after = forward.begin(sight) if before is None else forward.step(before, histories.place[node], sight)
        total = math.fsum(after.values())
        if total > 0:
            logs[node] = math.log(total) + (logs[histories.parent[node]] if before is not None else 0.0)
            scaled = {point: weight / total for point, weight in after.items()}
            waiting += [(child, scaled) for child in children[node]]
    return logs


class _Forward:
    """Pairs of a state and the opponent's memory, and where they lead, asked once each."""

    def __init__(self, table: Table, me: int, policy: Player) -> None:
        self.table, self.me = table, me
        self.fixed = Fixed(table, 1 - me, policy)
        self.after: dict[tuple[int, int, int], dict[int, list[tuple[Point, float]]]] = {}
        self.over = (table.crew == 0).tolist()
        self.next, self.prob = table.next.tolist(), table.prob.tolist()
        self.seen = table.seen[table.event].tolist()
        self.out, self.row = table.out.tolist(), table.row.tolist()

    def begin(self, sight: int) -> Weights:
        """The start, as far as it looks like `sight` to me."""
        found: Weights = {}
        for o in range(self.out[START], self.out[START + 1]):
            if self.seen[o][self.me] == sight:
                for memory, p in self.fixed.begin(self.seen[o][1 - self.me]):
                    point = (self.next[o], memory)
                    found[point] = found.get(point, 0.0) + p * self.prob[o]
        return found

    def step(self, before: Weights, place: int, sight: int) -> Weights:
        """One step further: my move is the one at `place` of what I was offered, WAIT where I was not asked."""
        found: Weights = {}
        for (state, memory), weight in before.items():
            leads = self.after.get((state, memory, place))
            if leads is None:
                leads = self.after[state, memory, place] = self._leads(state, memory, place)
            for point, p in leads.get(sight, ()):
                found[point] = found.get(point, 0.0) + weight * p
        return found

    def _leads(self, state: int, memory: int, place: int) -> dict[int, list[tuple[Point, float]]]:
        """By what I see of it, where a pair leads; nowhere when it does not ask me what I was asked."""
        table = self.table
        crew = table.crew[state]
        actors = table.crew_actors[crew, : table.crew_size[crew]].tolist()
        if not actors or (self.me in actors) != (place != WAIT):
            return {}
        menus = dict(zip(actors, table.menu[state].tolist()))
        other = 1 - self.me
        theirs = self.fixed.act(memory, menus[other]) if other in actors else [(WAIT, 1.0)]
        leads: dict[int, list[tuple[Point, float]]] = {}
        for move, chance in theirs:
            label = WAIT if move == WAIT else int(table.menu_actions[menus[other], move])
            row = self.row[state]
            for actor in actors:
                stride = math.prod(int(table.menu_size[menus[a]]) for a in actors if a > actor)
                row += stride * (place if actor == self.me else move)
            for o in range(self.out[row], self.out[row + 1]):
                after = OVER if self.over[self.next[o]] else self.fixed.update(memory, label, self.seen[o][other])
                leads.setdefault(self.seen[o][self.me], []).append(((self.next[o], after), chance * self.prob[o]))
        return leads
