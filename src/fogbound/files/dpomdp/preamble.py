"""What a `.dpomdp` file says before its entries: agents, discount, sign, states, start, and the actions and
observations of each agent, a line for each.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from fogbound.core.errors import many
from fogbound.files.cassandra.preamble import (
    ANY,
    Numbering,
    Preamble,
    declared,
    is_cost,
    read_discount,
    read_sections,
    require_sections,
)
from fogbound.files.cassandra.text import COLON, SECTIONS, Grammar, Source, Words, once, source
from fogbound.files.reading import count
from fogbound.forms.arrays import Longs

MOST_AGENTS = 30  # an array has at most 32 axes
NEEDED = ("agents", "discount", "states", "start", "actions", "observations")
_QUOTED = re.compile(r'"([^\s":]+)"')
_WELL_QUOTED = re.compile(r'[^"]*+(?:"[^\s":]++"[^"]*+)*')


def _entry(keyword: str) -> str:
    """Fields of one or several words, and what follows them, all with colons between."""
    words = rf"[^\s:]++(?:\s++(?!(?:{keyword})\s*+:)[^\s:]++)*"
    first, second, third, fourth, fifth = (once(words, group) for group in range(2, 7))
    return rf"{first}{COLON}{second}(?:{COLON}{third}(?:{COLON}{fourth}(?:{COLON}{fifth})?+)?+)?+"


def _words(match: re.Match[str]) -> Words:
    """The last group is what follows the fields."""
    first, second, third, fourth, fifth = match.group(2, 3, 4, 5, 6)
    if fifth is not None:
        return first, second, third, fourth, fifth
    if fourth is not None:
        return first, second, third, None, fourth
    return (first, second, None, None, third) if third is not None else (first, None, None, None, second)


GRAMMAR = Grammar(("agents", *SECTIONS), _entry, _words, quoted=True)


def joint_source(path: str, largest: int) -> Source:
    """The text of a file, blanks for quotes, so that everything stays where it is; FileError where it is none.

    A keyword is a name as long as it has its quotes.
    """
    text = source(path, largest, GRAMMAR)
    plain = text.text
    if '"' not in plain:
        return text
    good = _WELL_QUOTED.match(plain)
    if good and (at := good.end()) < len(plain):
        raise text.fault(at, f"{plain[at : at + 20].splitlines()[0]!r}", "one word between two quotes")
    if any(name in plain for name in GRAMMAR.names):
        bare = _QUOTED.sub(lambda found: found[0] if found[0] in GRAMMAR.names else f" {found[1]} ", plain)
    else:
        bare = plain.replace('"', " ")
    return Source(text.path, bare, text.grammar)


class JointNumbering(Numbering):
    """Joint actions, the last agent's fastest: what a field says to a number, to ANY, or to a pattern."""

    def __init__(self, kind: str, each: Sequence[Numbering]) -> None:
        super().__init__(f"joint {kind}", (), prod(part.size for part in each))
        self.each = tuple(each)
        self.sizes = tuple(part.size for part in each)
        self.patterns: dict[tuple[int, ...], int] = {}  # wildcards for some of the agents; -2 is the first
        self._chosen: list[tuple[int, ...]] = []

    def __missing__(self, text: str) -> int:
        words = text.split()
        if len(words) != len(self.each):
            index = count(text) if len(words) == 1 else None
            if index is None or index >= self.size:
                raise KeyError(text)
            self[text] = index
        else:
            self[text] = self.joint([part[word] for part, word in zip(self.each, words)])
        return self[text]

    def joint(self, chosen: Sequence[int]) -> int:
        """The number for what each agent does, ANY where that is any."""
        if min(chosen) >= 0:
            return int(np.ravel_multi_index(tuple(chosen), self.sizes))
        if max(chosen) < 0:
            return ANY
        if (pattern := tuple(chosen)) not in self.patterns:
            self._chosen.append(pattern)
            self.patterns[pattern] = -1 - len(self._chosen)
        return self.patterns[pattern]

    def many(self, number: int) -> int:
        """How many joint actions a pattern stands for; a number that is none stands for itself."""
        chosen = self._chosen[-2 - number] if number < ANY else ()
        return prod(size for size, k in zip(self.sizes, chosen) if k < 0)

    def members(self, number: int) -> Longs:
        """Those joint actions."""
        if number >= ANY:
            return np.array([number])
        chosen = self._chosen[-2 - number]
        axes = np.ix_(*(np.arange(size) if k < 0 else np.array([k]) for size, k in zip(self.sizes, chosen)))
        return np.ravel_multi_index(axes, self.sizes).ravel()

    def find_all(self, source: Source, words: Sequence[tuple[str, int]]) -> int:
        """The number of what these words say; the error names what is near."""
        if len(words) == len(self.each):
            return self.joint([part.find(source, *word) for part, word in zip(self.each, words)])
        word, at = words[min(len(self.each), len(words) - 1)]
        number = self.number(word) if len(words) == 1 else None
        if number is not None:
            return number
        if len(words) == 1 and count(word) is not None:
            raise source.fault(at, f"{self.kind} {word}", f"a number from 0 to {self.size - 1}")
        found = repr(word) if len(words) == 1 else f"{len(words)} words, {word!r} among them"
        part = self.each[0].kind
        raise source.fault(at, found, f"one {part} for each of {len(self.each)} agents, the number of all, or *")

    @property
    def labels(self) -> Sequence[Hashable]:
        return JointLabels(self.each)


class JointLabels(Sequence[str]):
    """The names of joint actions, made when one is asked for."""

    def __init__(self, each: Sequence[Numbering]) -> None:
        self._each = each

    def __len__(self) -> int:
        return prod(part.size for part in self._each)

    def __getitem__(self, joint: int) -> str:  # type: ignore[override]
        chosen = np.unravel_index(joint, tuple(part.size for part in self._each))
        return " ".join(str(part.labels[int(k)]) for part, k in zip(self._each, chosen))


@dataclass(frozen=True)
class JointPreamble(Preamble):
    """The sections before the entries; there is a start."""

    actions: JointNumbering
    observations: JointNumbering
    agents: tuple[str, ...]


def joint_preamble(source: Source, limit: int) -> JointPreamble:
    """Read it, and refuse sizes over `limit` before anything of such a size is made."""
    sections = read_sections(source)
    require_sections(source, sections, NEEDED)
    agents = _agents(source, *sections["agents"][1:])
    cost, discount = is_cost(source, sections), read_discount(source, sections["discount"])
    if discount == 0:
        raise source.fault(source.last(*sections["discount"][1:]), "the discount 0", "one above 0")
    states = declared(source, "state", *sections["states"][1:])
    actions = JointNumbering("action", _each_agent(source, "action", len(agents), *sections["actions"][1:]))
    shown = JointNumbering(
        "observation", _each_agent(source, "observation", len(agents), *sections["observations"][1:])
    )
    if states.size * actions.size > limit:
        pairs = f"{states.size:,} states x {actions.size:,} joint actions"
        raise source.fault(sections["actions"][1], pairs, f"at most {limit:,} pairs; in Python, limit=N raises it")
    if shown.size > limit:
        found = f"{shown.size:,} joint observations"
        raise source.fault(sections["observations"][1], found, f"at most {limit:,}; in Python, limit=N raises it")
    return JointPreamble(discount, cost, states, actions, shown, sections["start"], agents)


def _agents(source: Source, begin: int, end: int) -> tuple[str, ...]:
    """The names of the agents, which may stand with commas between them; counted ones are agent1, agent2, …"""
    plain = source.text[begin:end].replace(",", " ")
    text = Source(source.path, source.text[:begin] + plain + source.text[end:], source.grammar)
    numbering = declared(text, "agent", begin, end)
    if numbering.size > MOST_AGENTS:
        raise source.fault(begin, f"{many(numbering.size, 'agent')}", f"at most {MOST_AGENTS}")
    return tuple(numbering.names) or tuple(f"agent{k + 1}" for k in range(numbering.size))


def _each_agent(source: Source, kind: str, agents: int, begin: int, end: int) -> list[Numbering]:
    """What each agent's line declares."""
    lines = list(_lines(source, begin, end))
    if len(lines) != agents:
        at = lines[-1][0] if lines else begin - 1
        raise source.fault(at, f"{len(lines)} lines of {kind}s", f"{agents}, one for each agent")
    return [declared(source, kind, first, last) for first, last in lines]


def _lines(source: Source, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """The offsets of all lines between two that are not empty."""
    while begin < end:
        stop = source.text.find("\n", begin, end)
        stop = end if stop < 0 else stop
        if source.text[begin:stop].strip():
            yield begin, stop
        begin = stop + 1
