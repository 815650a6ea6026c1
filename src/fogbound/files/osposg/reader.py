"""Reading an `.osposg` file into the form that it describes: header, names and legal actions, transitions and
rewards, start.

States that lead nowhere else and never pay are how a file says that play is over; a form leaves such states out.
Where play would go on for ever without a discount, it leaves out every state from which nothing can be paid any more.

The second half of an `.osposg` file: transitions, rewards and the start, each line held against the first half.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.contract import DISCOUNT, is_discount
from fogbound.core.game import Observation
from fogbound.files.osposg.text import MOST_BYTES, TextLines, lines, several
from fogbound.files.reading import MOST_COUNT, SUM_DOUBTFUL, SUM_WRONG, count, divisors, finite_number, warn_of_sums
from fogbound.forms.arrays import Floats, KeyIndex, Longs, heads, offsets, ranges, run_of, starts
from fogbound.forms.one_sided.form import OneSided, endless, require_play_to_end
from fogbound.forms.one_sided.from_table import Transitions, sorted_successors
from fogbound.forms.recurrence import still_paid

COUNTS = (
    "states",
    "partitions",
    "actions of player 1",
    "actions of player 2",
    "observations",
    "transitions",
    "rewards",
)
HEADER = "seven counts (states, partitions, actions 1, actions 2, observations, transitions, rewards) and a discount"
LONGEST = 1_000  # characters of a name


@dataclass(frozen=True, eq=False)
class LegalActions:
    """Who may do what: the actions of several owners (states, or partitions), one after the other."""

    owners: int
    actions: int  # how many names there are
    first: Longs  # [owners+1]
    action: Longs

    def positions(self, owner: Longs, action: Longs) -> Longs:
        """Which of all listed actions that is; -1 where the owner may not do it."""
        key = np.repeat(np.arange(self.owners), np.diff(self.first)) * self.actions + self.action
        return KeyIndex(key).find(owner * self.actions + action)


@dataclass(frozen=True, eq=False)
class Outline:
    """What the header, the names and the lists of legal actions say."""

    counts: tuple[int, ...]  # as in COUNTS
    discount: float
    states: list[str]
    part: Longs  # [states]
    names: tuple[list[str], list[str], list[str]]  # actions of player 1, of player 2, observations
    seeing: LegalActions  # player 2's, by state
    blind: LegalActions  # player 1's, by partition
    end: int  # the line after


def outline(text: TextLines) -> Outline:
    """Read it; the header is held against the number of lines before anything of the size it says is made."""
    counts, discount = _header(text)
    states, parts, ones, twos, observations, _, _ = counts
    named = [_line_of_state(text, line, parts) for line in text.each(1, states)]
    _differ(text, 1, "state", [name for name, _ in named])
    part = np.array([p for _, p in named], np.int64)
    empty = np.flatnonzero(np.bincount(part, minlength=parts) == 0)
    if len(empty):
        raise text.fault(states, f"no state in partition {empty[0]}", "at least one in each")
    at, names = 1 + states, []
    for many, kind in ((ones, "action of player 1"), (twos, "action of player 2"), (observations, "observation")):
        names.append(_names(text, at, many, kind))
        at += many
    seeing = _legal_actions(text, at, states, twos, "player 2's actions in state")
    blind = _legal_actions(text, at + states, parts, ones, "player 1's actions in partition")
    listed = names[0], names[1], names[2]
    return Outline(counts, discount, [name for name, _ in named], part, listed, seeing, blind, at + states + parts)


def _header(text: TextLines) -> tuple[tuple[int, ...], float]:
    words = text.words(0)
    if len(words) != 8:
        raise text.fault(0, several(words), HEADER)
    counts = []
    for word, kind in zip(words, COUNTS):
        value = count(word)
        if value is None or (value == 0 and kind != "rewards"):
            least = 0 if kind == "rewards" else 1
            raise text.fault(0, f"{word!r} {kind}", f"a count from {least} to {MOST_COUNT:,}")
        counts.append(value)
    discount = finite_number(words[7])
    if discount is None or not is_discount(discount):
        raise text.fault(0, f"the discount {words[7]!r}", f"a number {DISCOUNT}")
    expected = sum(counts) + counts[0] + 2
    if len(text) != expected:
        found = f"{len(text):,} lines"
        raise text.fault(len(text) - 1, found, f"{expected:,}: that is what the counts in the header add up to")
    return tuple(counts), discount


def _line_of_state(text: TextLines, line: int, parts: int) -> tuple[str, int]:
    words = text.words(line)
    if len(words) != 2:
        raise text.fault(line, several(words), "the name of a state and its partition")
    part = count(words[1])
    if part is None or part >= parts:
        raise text.fault(line, f"the partition {words[1]!r}", f"a number from 0 to {parts - 1}")
    return words[0], part


def _names(text: TextLines, first: int, many: int, kind: str) -> list[str]:
    names = []
    for line in text.each(first, many):
        words = text.words(line)
        if len(words) != 1:
            raise text.fault(line, several(words), f"the name of an {kind}, one word")
        names.append(words[0])
    _differ(text, first, kind, names)
    return names


def _differ(text: TextLines, first: int, kind: str, names: list[str]) -> None:
    """Names must differ, since play and drawings tell things apart by them, and be of a length to be drawn."""
    met = set[str]()
    for line, name in zip(text.each(first, len(names)), names):
        if len(name) > LONGEST:
            raise text.fault(line, f"a name of {len(name):,} characters", f"at most {LONGEST:,}")
        if name in met:
            raise text.fault(line, f"the {kind} {name!r} a second time", "names that differ")
        met.add(name)


def _legal_actions(text: TextLines, first: int, owners: int, actions: int, meaning: str) -> LegalActions:
    sizes, listed = [], list[int]()
    for line in text.each(first, owners):
        owner, words = line - first, text.words(line)
        numbers = [count(word) for word in words]
        for word, value in zip(words, numbers):
            if value is None or value >= actions:
                wanted = f"{meaning} {owner}, numbers from 0 to {actions - 1}"
                raise text.fault(line, repr(word), wanted)
        if not words or len(set(numbers)) < len(words):
            raise text.fault(line, f"{' '.join(words)!r}", f"{meaning} {owner}: at least one, each once")
        sizes.append(len(words))
        listed += [value for value in numbers if value is not None]
    return LegalActions(owners, actions, offsets(np.array(sizes)), np.array(listed, np.int64))


@dataclass(frozen=True, eq=False)
class StateJointActions:
    """Cells (action, reply): of player 1 in a partition and of player 2 in a state, numbered as the file lists them."""

    given: Outline
    part: Longs  # [replies] the partition of a reply
    local: Longs  # [replies] its place among those of its partition
    first: Longs  # [actions+1] where the cells of an action begin

    @property
    def many(self) -> int:
        return int(self.first[-1])

    def of(self, action: Longs, reply: Longs) -> Longs:
        """The numbers of some cells."""
        return self.first[action] + self.local[reply]

    def words(self, cell: int) -> str:
        """A cell in the file's numbers, for messages."""
        given = self.given
        action = run_of(self.first, cell)
        part = run_of(given.blind.first, action)
        reply = int(np.flatnonzero(self.part == part)[cell - self.first[action]])
        state = run_of(given.seeing.first, reply)
        return f"state {state} with actions {given.blind.action[action]} and {given.seeing.action[reply]}"


def cells(text: TextLines, given: Outline) -> StateJointActions:
    """Number them. FileError where there are more than transitions, before anything is made for each."""
    part = np.repeat(given.part, np.diff(given.seeing.first))
    depth = np.bincount(part, minlength=given.counts[1])
    many, moves = int(np.dot(depth, np.diff(given.blind.first))), given.counts[5]
    if many > moves:
        expected = f"at least {many:,}: one for each state and pair of legal actions"
        raise text.fault(0, f"{moves:,} transitions", expected)
    order = np.argsort(part, kind="stable")
    local = np.empty(len(order), np.int64)
    local[order] = np.arange(len(order)) - offsets(depth)[part[order]]
    return StateJointActions(given, part, local, offsets(np.repeat(depth, np.diff(given.blind.first))))


def check_within(text: TextLines, at: int, column: Longs, many: int, kind: str) -> None:
    """Refuse a number that names nothing; `at` is the line of the column's first."""
    if len(column) and column.max() >= many:
        k = int(np.argmax(column >= many))
        raise text.fault(at + k, f"{kind} {column[k]}", f"a number from 0 to {many - 1}")


def check_once(text: TextLines, at: int, columns: tuple[Longs, ...], words: int, what: str) -> None:
    """Refuse a second line about the same, which the first `words` words say; it is found at the later of the two."""
    order = np.lexsort(columns)
    again = ~heads(*(column[order] for column in columns))
    if again.any():
        line = at + int(np.min(order[again]))
        raise text.fault(line, f"a second {what} for {' '.join(text.words(line)[:words])}", "one")


def set_right(text: TextLines, at: int, cells: StateJointActions, cell: Longs, prob: Floats) -> Floats:
    """Probabilities that sum to 1 for every state and pair of actions; those nearly so are divided by their sums."""
    total = np.bincount(cell, weights=prob, minlength=cells.many).astype(np.float64)
    far = np.abs(total - 1)
    if (far > SUM_WRONG).any():
        wrong = int(np.argmax(far > SUM_WRONG))
        mine = np.flatnonzero(cell == wrong)
        line = at + int(mine[-1] if len(mine) else len(cell) - 1)
        found = f"probabilities that sum to {total[wrong]:.9g}" if len(mine) else "no transition"
        raise text.fault(line, f"{found} for {cells.words(wrong)}", "probabilities that sum to 1")
    warn_of_sums(text.path, int((far > SUM_DOUBTFUL).sum()), float(far.max()), 5)
    return prob / divisors(total)[cell]


def check_follows(text: TextLines, given: Outline, line: Longs, action: Longs, obs: Longs, part: Longs) -> None:
    """Player 1 must know the partition a step leads to from what it did and saw."""
    key = action * given.counts[4] + obs
    order = np.lexsort((part, key))
    wrong = np.flatnonzero((np.diff(key[order]) == 0) & (np.diff(part[order]) != 0))
    if len(wrong):
        pair = order[wrong[0]], order[wrong[0] + 1]
        here, there = pair if line[pair[0]] < line[pair[1]] else pair[::-1]
        raise text.fault(
            int(line[there]),
            f"a step to partition {part[there]}",
            f"partition {part[here]}, as in line {line[here] + 1}: player 1 does and sees the same in both",
        )


MOVE, PAID = "s a1 a2 o s' probability", "s a1 a2 reward"


@dataclass(frozen=True, eq=False)
class Tables:
    """What the lines say, in the file's numbers of states."""

    cells: StateJointActions
    steps: Transitions
    reward: Floats  # [cells]
    paying: Longs  # replies that bring or cost something with some action of player 1
    start: Floats  # [states]


def tables(text: TextLines, given: Outline) -> Tables:
    """Read them. FileError for what is not legal, not a distribution, or leaves player 1 unsure of its partition."""
    moves, paid, at = given.counts[5], given.counts[6], given.end
    numbered = cells(text, given)
    check()
    steps = _transitions(text, numbered, at, moves)
    reward, paying = _rewards(text, numbered, at + moves, paid)
    return Tables(numbered, steps, reward, paying, _start(text, given, at + moves + paid))


def _transitions(text: TextLines, cells: StateJointActions, at: int, many: int) -> Transitions:
    given = cells.given
    table = text.columns(at, many, "iiiiix", MOVE)
    whole, prob = table[:, :5].astype(np.int64), table[:, 5]
    action, reply = _played(text, given, at, whole)
    obs, to = whole[:, 3], whole[:, 4]
    check_within(text, at, obs, given.counts[4], "observation")
    check_within(text, at, to, given.counts[0], "state")
    wrong = (prob < 0) | (prob > 1 + SUM_WRONG)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise text.fault(at + k, f"the probability {prob[k]:g}", "a number from 0 to 1")
    cell = cells.of(action, reply)
    check()
    check_once(text, at, (cell, obs, to), 5, "transition")
    check()
    prob = set_right(text, at, cells, cell, prob)
    likely = prob > 0
    check_follows(text, given, at + np.flatnonzero(likely), action[likely], obs[likely], given.part[to[likely]])
    return Transitions(action[likely], obs[likely], reply[likely], to[likely], prob[likely])


def _rewards(text: TextLines, cells: StateJointActions, at: int, many: int) -> tuple[Floats, Longs]:
    table = text.columns(at, many, "iiix", PAID)
    action, reply = _played(text, cells.given, at, table[:, :3].astype(np.int64))
    cell = cells.of(action, reply)
    check_once(text, at, (cell,), 3, "reward")
    reward = np.zeros(cells.many)
    reward[cell] = table[:, 3]
    return reward, reply[table[:, 3] != 0]


def _played(text: TextLines, given: Outline, at: int, whole: Longs) -> tuple[Longs, Longs]:
    """The action and the reply of each line, which begins with a state and what both do there."""
    for column, many, kind in zip(whole.T, (given.counts[0], *given.counts[2:4]), ("state", "action", "action")):
        check_within(text, at, column, many, kind)
    state, one, two = whole[:, 0], whole[:, 1], whole[:, 2]
    action, reply = given.blind.positions(given.part[state], one), given.seeing.positions(state, two)
    for player, place, label in ((1, action, one), (2, reply, two)):
        if (place < 0).any():
            k = int(np.argmin(place))
            name = given.names[player - 1][label[k]]
            where = f"in state {state[k]} ({given.states[state[k]]})"
            raise text.fault(at + k, f"action {label[k]} ({name})", f"one that player {player} may do {where}")
    return action, reply


def _start(text: TextLines, given: Outline, at: int) -> Floats:
    """[states] the last line: a partition, then the probability of each of its states."""
    words = text.words(at)
    part = count(words[0]) if words else None
    if part is None or part >= given.counts[1]:
        found = repr(words[0]) if words else "an empty line"
        raise text.fault(at, found, f"the partition in which play begins, from 0 to {given.counts[1] - 1}")
    members = np.flatnonzero(given.part == part)
    belief = []
    for word in words[1:]:
        value = finite_number(word)
        if value is None or not 0 <= value <= 1 + SUM_WRONG:
            raise text.fault(at, repr(word), "a probability from 0 to 1")
        belief.append(value)
    if len(belief) != len(members):
        raise text.fault(at, several(words), f"partition {part} and {len(members):,} probabilities, one for each state")
    total = np.sum(belief)
    if abs(total - 1) > SUM_WRONG:
        raise text.fault(at, f"probabilities that sum to {total:.9g}", "a start that sums to 1")
    start = np.zeros(given.counts[0])
    start[members] = np.array(belief) / divisors(total)
    return start


def read_osposg(path: str | os.PathLike[str], largest: int = MOST_BYTES) -> OneSided:
    """The one-sided game in an `.osposg` file; FileError, with file and line, for what is none.

    Player 1 of the file is player 0. Probabilities that sum to 1 within 1e-4 are set right, with a warning where they
    are off by more than 1e-6. `largest` bounds the bytes that are read at all.
    """
    text = lines(path, largest)
    given = outline(text)
    content = tables(text, given)
    state = np.repeat(np.arange(given.counts[0]), np.diff(given.seeing.first))  # of each reply
    paying = np.zeros(given.counts[0], bool)
    paying[state[content.paying]] = True
    source, running = state[content.steps.source], paying.copy()
    running[source[source != content.steps.to]] = True  # play goes on where it pays, or leads to another state
    form = _ended(text, given, content, running)
    if given.discount == 1 and len(endless(form)):
        form = _ended(text, given, content, still_paid(paying, source, content.steps.to))
    require_play_to_end(form)
    return form


def _ended(text: TextLines, given: Outline, content: Tables, running: NDArray[np.bool_]) -> OneSided:
    """The form of the states in which play goes on."""
    if not running.any():
        raise text.fault(0, "no state in which play goes on", "one that leads elsewhere, or pays")
    if not content.start[running].any():
        raise text.fault(len(text) - 1, "a start in which play is over already", "one in which it goes on")
    check()
    return _form(text.path, given, content, np.flatnonzero(running))


def _form(spec: str, given: Outline, content: Tables, running: Longs) -> OneSided:
    """Number what is left partition by partition; within one the file's order stays."""
    state = running[np.argsort(given.part[running], kind="stable")]
    parts, part = np.unique(given.part[state], return_inverse=True)
    first = starts(part, len(parts))
    height, width = np.diff(given.seeing.first)[state], np.diff(given.blind.first)[parts]
    reply_start, action_start = offsets(height), offsets(width)
    replies, actions = ranges(given.seeing.first[state], height), ranges(given.blind.first[parts], width)  # the file's
    low, high = reply_start[first[:-1]], reply_start[first[1:]]
    depth = np.repeat(high - low, width)  # replies beside each action
    cell = content.cells.of(np.repeat(actions, depth), replies[ranges(np.repeat(low, width), depth)])
    steps = sorted_successors(_kept(given, content.steps, state, replies, actions), part, len(actions))
    start = content.start[state]
    begun = int(part[np.argmax(start > 0)])
    return OneSided(
        spec=spec,
        discount=given.discount,
        player=0,
        state_start=first,
        reply_start=reply_start,
        reply_label=given.seeing.action[replies],
        action_start=action_start,
        action_label=given.blind.action[actions],
        **vars(steps),
        reward_start=offsets(depth),
        reward=content.reward[cell],
        start=start,
        paid=0.0,
        relaxed="",
        states=[given.states[s] for s in state.tolist()],
        actions=(list(given.names[0]), list(given.names[1])),
        observations=[Observation(None, name) for name in given.names[2]],
        opening={begun: Observation(None, None)},
    )


def _kept(given: Outline, steps: Transitions, state: Longs, replies: Longs, actions: Longs) -> Transitions:
    """The steps between states that are left, in the form's numbers."""
    kept = ((given.counts[0], state), (len(given.seeing.action), replies), (len(given.blind.action), actions))
    to, source, action = (_numbering(size, left) for size, left in kept)
    goes_on = (source[steps.source] >= 0) & (to[steps.to] >= 0)
    action, source, to = action[steps.action][goes_on], source[steps.source][goes_on], to[steps.to][goes_on]
    return Transitions(action, steps.obs[goes_on], source, to, steps.prob[goes_on])


def _numbering(size: int, left: Longs) -> Longs:
    """[size] the place of each number among those that are left; -1 = not left."""
    place = np.full(size, -1)
    place[left] = np.arange(len(left))
    return place
