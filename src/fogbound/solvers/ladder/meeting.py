"""One seat of a table of two against all nodes of the other seat: the process that every level's problem starts in."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError, LimitError, brief
from fogbound.forms.table import START, Table
from fogbound.forms.view import View
from fogbound.kernels import meeting
from fogbound.solvers.reachable.nodes import Automaton
from fogbound.solvers.reachable.rooms import larger
from fogbound.solvers.reachable.survey import Problem, Process, Survey

Longs = NDArray[np.int64]
ROOM = 1_024
MOST_PAIRS = 5_000_000


class Meeting:
    """Everything that `mine.seat` has found out against the nodes of `other`."""

    def __init__(self, table: Table, mine: View, yours: View, other: Automaton, limit: int = MOST_PAIRS) -> None:
        self.table, self.mine, self.other, self.limit = table, mine, other, limit
        self.play = meeting.Play(
            *(table.row, table.out, table.next, table.prob),
            np.ascontiguousarray(table.pay[table.event, mine.seat]),
            *(table.menu_size, table.menu_actions),
            *(mine.menu, mine.obs, yours.menu, yours.obs),
            len(yours.observations),
            mine.seat < yours.seat,
        )
        self.survey = Survey(table.spec, table.discount, mine.observations, self._describe)
        self.pairs = _empty_pairs(ROOM)
        self.count = np.zeros(4, np.int64)

    def problem(self, odds: Mapping[int, float]) -> Problem:
        """The start in which the other is of each kind with the given odds: kinds one after the other."""
        first = int(self.table.out[START + 1])
        starts = np.zeros((len(odds), first), np.int64)
        for k, kind in enumerate(odds):
            begin = self.other.kinds[kind]
            while not meeting.find_starts(self.play, self.pairs, self.count, begin, first, starts[k]):
                self._grow()
        self._explore()
        chance = self.table.prob[:first]
        paid = float(chance @ self.play.pay[:first])
        seen = np.tile(self.mine.obs[:first].astype(np.int64), len(odds))
        return self.survey.open(starts.ravel(), seen, np.outer(list(odds.values()), chance).ravel(), paid)

    def _explore(self) -> None:
        while True:
            status = meeting.explore(self.play, self.other.nodes, self.pairs, self.count)
            if status == meeting.DONE:
                break
            if status == meeting.WRONG:
                state = self.table.states[int(self.pairs.state[self.count[meeting.EXPANDED]])]
                raise FormError(f"{self.table.spec}: a policy plays what is not legal in {brief(state)}")
            self._grow()
        p = self.pairs
        self.survey.extend(Process(p.row, p.out, p.next, p.obs, p.prob, p.reward), int(self.count[meeting.POINTS]))

    def _grow(self) -> None:
        size = int(self.count[meeting.POINTS])
        if size > self.limit:
            raise LimitError(
                f"{self.table.spec}: more than {self.limit:,} pairs of a state and a node of the other's controllers. "
                "Raise limit=, ask for fewer levels, or make the game smaller"
            )
        rows, outs = int(self.count[meeting.ROWS]), int(self.count[meeting.OUTS])
        used = dict.fromkeys(("state", "node", "row"), size) | dict.fromkeys(("action", "reward", "out"), rows)
        used |= dict.fromkeys(("next", "obs", "prob"), outs) | {"slot": 2 * size}
        self.pairs = larger(self.pairs, used, lambda grown: meeting.rehash_points(grown, size))

    def _describe(self, point: int) -> str:
        return brief(self.table.states[int(self.pairs.state[point])])


def _empty_pairs(room: int) -> meeting.Pairs:
    def ints(size: int) -> Longs:
        return np.zeros(size, np.int64)

    return meeting.Pairs(
        *(ints(room), ints(room), ints(room + 1)),
        *(ints(4 * room), np.zeros(4 * room), ints(4 * room + 1)),
        *(ints(16 * room), ints(16 * room), np.zeros(16 * room)),
        np.full(4 * room, -1, np.int64),
    )
