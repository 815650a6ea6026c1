"""The second half of an `.osposg` file: transitions, rewards and the start, each line held against the first half."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.files.numbers import count, number
from fogbound.files.osposg.cells import Cells, cells
from fogbound.files.osposg.checks import check_chances, check_follows, check_once, check_within, set_right
from fogbound.files.osposg.outline import Outline
from fogbound.files.osposg.text import Lines, several
from fogbound.files.tolerance import EXACT, WRONG
from fogbound.forms.one_sided_layout import Indices, Steps
from fogbound.forms.table import Floats

MOVE, PAID = "s a1 a2 o s' probability", "s a1 a2 reward"


@dataclass(frozen=True, eq=False)
class Tables:
    """What the lines say, in the file's numbers of states."""

    cells: Cells
    steps: Steps
    reward: Floats  # [cells]
    paying: Indices  # rows that pay or cost something with some action of player 1
    start: Floats  # [states]


def tables(text: Lines, given: Outline) -> Tables:
    """Read them. FileError for what is not legal, not a distribution, or leaves player 1 unsure of its partition."""
    moves, paid, at = given.counts[5], given.counts[6], given.end
    numbered = cells(text, given)
    steps = _transitions(text, numbered, at, moves)
    reward, paying = _rewards(text, numbered, at + moves, paid)
    return Tables(numbered, steps, reward, paying, _start(text, given, at + moves + paid))


def _transitions(text: Lines, cells: Cells, at: int, many: int) -> Steps:
    given = cells.given
    table = text.columns(at, many, "iiiiix", MOVE)
    whole, prob = table[:, :5].astype(np.int64), table[:, 5]
    slot, row = _played(text, given, at, whole)
    obs, to = whole[:, 3], whole[:, 4]
    check_within(text, at, obs, given.counts[4], "observation")
    check_within(text, at, to, given.counts[0], "state")
    check_chances(text, at, prob)
    cell = cells.of(slot, row)
    check_once(text, at, (cell, obs, to), 5, "transition")
    prob = set_right(text, at, cells, cell, prob)
    likely = prob > 0
    check_follows(text, given, at + np.flatnonzero(likely), slot[likely], obs[likely], given.part[to[likely]])
    return Steps(slot[likely], obs[likely], row[likely], to[likely], prob[likely])


def _rewards(text: Lines, cells: Cells, at: int, many: int) -> tuple[Floats, Indices]:
    table = text.columns(at, many, "iiix", PAID)
    slot, row = _played(text, cells.given, at, table[:, :3].astype(np.int64))
    cell = cells.of(slot, row)
    check_once(text, at, (cell,), 3, "reward")
    reward = np.zeros(cells.many)
    reward[cell] = table[:, 3]
    return reward, row[table[:, 3] != 0]


def _played(text: Lines, given: Outline, at: int, whole: Indices) -> tuple[Indices, Indices]:
    """The slot and the row of each line, which begins with a state and what both do there."""
    for column, many, kind in zip(whole.T, (given.counts[0], *given.counts[2:4]), ("state", "action", "action")):
        check_within(text, at, column, many, kind)
    state, one, two = whole[:, 0], whole[:, 1], whole[:, 2]
    slot, row = given.blind.positions(given.part[state], one), given.seeing.positions(state, two)
    for player, found, action in ((1, slot, one), (2, row, two)):
        if (found < 0).any():
            k = int(np.argmin(found))
            name = given.names[player - 1][action[k]]
            where = f"in state {state[k]} ({given.states[state[k]]})"
            raise text.fault(at + k, f"action {action[k]} ({name})", f"one that player {player} may do {where}")
    return slot, row


def _start(text: Lines, given: Outline, at: int) -> Floats:
    """[states] the last line: a partition, then the probability of each of its states."""
    words = text.words(at)
    part = count(words[0]) if words else None
    if part is None or part >= given.counts[1]:
        found = repr(words[0]) if words else "an empty line"
        raise text.fault(at, found, f"the partition in which play begins, from 0 to {given.counts[1] - 1}")
    members = np.flatnonzero(given.part == part)
    belief = []
    for word in words[1:]:
        value = number(word)
        if value is None or not 0 <= value <= 1 + WRONG:
            raise text.fault(at, repr(word), "a probability from 0 to 1")
        belief.append(value)
    if len(belief) != len(members):
        raise text.fault(at, several(words), f"partition {part} and {len(members):,} probabilities, one for each state")
    total = float(np.sum(belief))
    if abs(total - 1) > WRONG:
        raise text.fault(at, f"probabilities that sum to {total:.9g}", "a start that sums to 1")
    start = np.zeros(given.counts[0])
    start[members] = np.array(belief) / (total if abs(total - 1) > EXACT else 1.0)
    return start
