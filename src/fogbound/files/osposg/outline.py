"""The first half of an `.osposg` file: how much there is of everything, what it is called, and who may do what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.files.numbers import count, number
from fogbound.files.osposg.text import Lines, several
from fogbound.forms.one_sided_layout import Indices

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
class Menus:
    """Who may do what: the actions of several owners (states, or partitions), one after the other."""

    owners: int
    actions: int  # how many names there are
    first: Indices  # [owners+1]
    action: Indices

    def positions(self, owner: Indices, action: Indices) -> Indices:
        """Which of all listed actions that is; -1 where the owner may not do it."""
        key = np.repeat(np.arange(self.owners), np.diff(self.first)) * self.actions + self.action
        order = np.argsort(key)
        wanted = owner * self.actions + action
        at = np.minimum(np.searchsorted(key[order], wanted), len(key) - 1)
        return np.where(key[order][at] == wanted, order[at], -1)


@dataclass(frozen=True, eq=False)
class Outline:
    """What the header, the names and the menus say."""

    counts: tuple[int, ...]  # as in COUNTS
    discount: float
    states: list[str]
    part: Indices  # [states]
    names: tuple[list[str], list[str], list[str]]  # actions of player 1, of player 2, observations
    seeing: Menus  # player 2's, by state
    blind: Menus  # player 1's, by partition
    end: int  # the line after


def outline(text: Lines) -> Outline:
    """Read it; the header is held against the number of lines before anything of the size it says is made."""
    counts, discount = _header(text)
    states, parts, ones, twos, sights, _, _ = counts
    named = [_line_of_state(text, line, parts) for line in range(1, 1 + states)]
    _differ(text, 1, "state", [name for name, _ in named])
    part = np.array([p for _, p in named], np.int64)
    empty = np.flatnonzero(np.bincount(part, minlength=parts) == 0)
    if len(empty):
        raise text.fault(states, f"no state in partition {empty[0]}", "at least one in each")
    at, names = 1 + states, []
    for many, kind in ((ones, "action of player 1"), (twos, "action of player 2"), (sights, "observation")):
        names.append(_names(text, at, many, kind))
        at += many
    seeing = _menus(text, at, states, twos, "player 2's actions in state")
    blind = _menus(text, at + states, parts, ones, "player 1's actions in partition")
    listed = names[0], names[1], names[2]
    return Outline(counts, discount, [name for name, _ in named], part, listed, seeing, blind, at + states + parts)


def _header(text: Lines) -> tuple[tuple[int, ...], float]:
    words = text.words(0)
    if len(words) != 8:
        raise text.fault(0, several(words), HEADER)
    counts = []
    for word, kind in zip(words, COUNTS):
        value = count(word)
        if value is None or (value == 0 and kind != "rewards"):
            raise text.fault(0, f"{word!r} {kind}", "a count" if kind == "rewards" else "a count of at least 1")
        counts.append(value)
    discount = number(words[7])
    if discount is None or not 0 < discount <= 1:
        raise text.fault(0, f"the discount {words[7]!r}", "a number above 0 and at most 1")
    expected = sum(counts) + counts[0] + 2
    if len(text) != expected:
        found = f"{len(text):,} lines"
        raise text.fault(len(text) - 1, found, f"{expected:,}: that is what the counts in the header add up to")
    return tuple(counts), discount


def _line_of_state(text: Lines, line: int, parts: int) -> tuple[str, int]:
    words = text.words(line)
    if len(words) != 2:
        raise text.fault(line, several(words), "the name of a state and its partition")
    part = count(words[1])
    if part is None or part >= parts:
        raise text.fault(line, f"the partition {words[1]!r}", f"a number from 0 to {parts - 1}")
    return words[0], part


def _names(text: Lines, first: int, many: int, kind: str) -> list[str]:
    found = []
    for line in range(first, first + many):
        words = text.words(line)
        if len(words) != 1:
            raise text.fault(line, several(words), f"the name of an {kind}, one word")
        found.append(words[0])
    _differ(text, first, kind, found)
    return found


def _differ(text: Lines, first: int, kind: str, names: list[str]) -> None:
    """Names must differ, since play and drawings tell things apart by them, and be of a length to be drawn."""
    met = set[str]()
    for line, name in enumerate(names, first):
        if len(name) > LONGEST:
            raise text.fault(line, f"a name of {len(name):,} characters", f"at most {LONGEST:,}")
        if name in met:
            raise text.fault(line, f"the {kind} {name!r} a second time", "names that differ")
        met.add(name)


def _menus(text: Lines, first: int, owners: int, actions: int, meaning: str) -> Menus:
    sizes, listed = [], list[int]()
    for owner in range(owners):
        words = text.words(first + owner)
        numbers = [count(word) for word in words]
        for word, value in zip(words, numbers):
            if value is None or value >= actions:
                wanted = f"{meaning} {owner}, numbers from 0 to {actions - 1}"
                raise text.fault(first + owner, repr(word), wanted)
        if not words or len(set(numbers)) < len(words):
            raise text.fault(first + owner, f"{' '.join(words)!r}", f"{meaning} {owner}: at least one, each once")
        sizes.append(len(words))
        listed += [value for value in numbers if value is not None]
    return Menus(owners, actions, np.concatenate([[0], np.cumsum(sizes)]), np.array(listed, np.int64))
