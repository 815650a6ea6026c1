"""What a `.pomdp` file says before its entries: discount, sign, the names of states, actions and observations, the
start.

The states, actions and observations that a `.pomdp` file declares, and how its entries refer to them.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from fogbound.core.contract import DISCOUNT_OR_0, is_discount
from fogbound.files.cassandra.text import Source, read_numbers
from fogbound.files.reading import count, finite_number, hint
from fogbound.forms.arrays import Floats

ANY = -1  # what the wildcard `*` stands for
MOST_NAMES = 1_000_000
_NAME = re.compile(r"[A-Za-z_][!-~]{0,199}")


class Numbering(dict[str, int]):
    """Words to numbers: names, the numbers themselves, `*`; made as they are met, so that a count costs nothing."""

    def __init__(self, kind: str, names: Sequence[str], size: int) -> None:
        super().__init__(zip(names, range(size)))
        self.kind, self.names, self.size = kind, names, size
        self["*"] = ANY

    def __missing__(self, word: str) -> int:
        index = count(word)
        if index is None or index >= self.size:
            raise KeyError(word)
        self[word] = index
        return index

    @property
    def labels(self) -> Sequence[Hashable]:
        """What the form calls them: their names, or their numbers where they have none."""
        return self.names if self.names else range(self.size)

    def number(self, word: str) -> int | None:
        """What a word refers to; none when it is nothing."""
        try:
            return self[word]
        except KeyError:
            return None

    def find(self, source: Source, word: str, at: int) -> int:
        """The number of what stands at offset `at`; the error names what is near."""
        index = self.number(word)
        if index is not None:
            return index
        if count(word) is not None:
            raise source.fault(at, f"{self.kind} {word}", f"a number from 0 to {self.size - 1}")
        wanted = f"the name of one of {self.size} {self.kind}s" if self.names else f"0 to {self.size - 1}"
        raise source.fault(at, repr(word), f"{wanted}{hint(word, self.names)}")


def declared(source: Source, kind: str, begin: int, end: int) -> Numbering:
    """What `states: 5` or `states: left right` declares."""
    words = source.words(begin, end)
    first, at = next(words, (None, begin))
    if first is None:
        found, at = source.next_word(end)
        raise source.fault(at, found, f"how many {kind}s there are, or their names")
    if first[0] in "0123456789+-.":
        return _counted(source, kind, first, at, next(words, None))
    names: dict[str, None] = {}
    for word, at in source.words(begin, end):
        _check_name(source, kind, word, at, next(reversed(names), ""))
        if word in names:
            raise source.fault(at, f"the {kind} {word!r} a second time", "names that differ")
        names[word] = None
        if len(names) > MOST_NAMES:
            raise source.fault(at, f"more than {MOST_NAMES:,} {kind}s", "fewer")
    return Numbering(kind, tuple(names), len(names))


def _counted(source: Source, kind: str, word: str, at: int, further: tuple[str, int] | None) -> Numbering:
    size = count(word)
    if size is None or not 1 <= size <= MOST_NAMES:
        raise source.fault(at, repr(word), f"from 1 to {MOST_NAMES:,} {kind}s, or their names")
    if further:
        raise source.fault(further[1], repr(further[0]), f"nothing after the number of {kind}s")
    return Numbering(kind, (), size)


def _check_name(source: Source, kind: str, word: str, at: int, before: str) -> None:
    if word in source.grammar.names:
        return
    if word == ":":
        raise source.fault(
            at, f"':' after {before!r}", f"names of {kind}s, or a keyword{hint(before, source.sections)}"
        )
    if word in (*source.sections, "uniform"):
        raise source.fault(at, f"the keyword {word!r}", f"names of {kind}s, or a colon after the keyword")
    if not _NAME.fullmatch(word) or "*" in word:
        raise source.fault(at, repr(word), f"names of {kind}s: a letter, then up to 199 letters, digits, - or _")


Section = tuple[str, int, int]  # keyword, and the offsets between which its content stands
NEEDED = ("discount", "states", "actions", "observations")


@dataclass(frozen=True)
class Preamble:
    """The sections before the entries: in any order, but for the start, which comes after the states."""

    discount: float
    cost: bool  # what `R:` gives is to be paid, not won
    states: Numbering
    actions: Numbering
    observations: Numbering
    start: Section | None


def preamble(source: Source, limit: int) -> Preamble:
    """Read it, and refuse sizes over `limit` before anything of such a size is made.

    A section that comes after what uses it is refused: other readers of the format would not understand the file, or
    understand another one.
    """
    sections = read_sections(source)
    cost = is_cost(source, sections)
    discount = read_discount(source, sections["discount"]) if "discount" in sections else 1.0
    named = {kind: declared(source, kind[:-1], *sections[kind][1:]) for kind in NEEDED[1:] if kind in sections}
    require_sections(source, sections, NEEDED)
    states, actions = named["states"], named["actions"]
    if states.size * actions.size > limit:
        pairs = f"{states.size:,} states x {actions.size:,} actions"
        raise source.fault(sections["states"][1], pairs, f"at most {limit:,} pairs; in Python, limit=N raises it")
    return Preamble(discount, cost, states, actions, named["observations"], sections.get("start"))


def read_sections(source: Source) -> dict[str, Section]:
    """What stands before the entries, by keyword; FileError for what stands there twice or too late."""
    sections: dict[str, Section] = {}
    for keyword, begin, end in source.statements():
        kind = keyword.split()[0]
        if kind in sections:
            raise source.fault(begin - 1, f"a second {kind}: section", "one")
        sections[kind] = (keyword, begin, end)
    _check_order(source, sections)
    return sections


def require_sections(source: Source, sections: dict[str, Section], needed: tuple[str, ...]) -> None:
    """FileError where one is missing."""
    for kind in needed:
        if kind not in sections:
            at = source.last(0, len(source.text))
            raise source.fault(at, "the end of the text", f"the section {kind}: before the entries")


def is_cost(source: Source, sections: dict[str, Section]) -> bool:
    """Whether what `R:` gives is to be paid, not won."""
    return "values" in sections and only_word(source, sections["values"], "reward or cost") == "cost"


def _check_order(source: Source, sections: dict[str, Section]) -> None:
    entry, first = source.first_entry()
    for kind, (_, begin, _) in sections.items():
        if begin > first:
            raise source.fault(begin - 1, f"{kind}: after {entry}:", f"{kind}: before all of T:, O: and R:")
    if "start" in sections and "states" in sections and sections["start"][1] < sections["states"][1]:
        raise source.fault(sections["states"][1] - 1, "states: after start:", "states: before start:, which names them")


def read_discount(source: Source, section: Section) -> float:
    word = only_word(source, section, f"a discount {DISCOUNT_OR_0}")
    discount = finite_number(word)
    if discount is None or not is_discount(discount, zero=True):
        raise source.fault(source.last(*section[1:]), repr(word), f"a discount {DISCOUNT_OR_0}")
    return discount


def only_word(source: Source, section: Section, expected: str) -> str:
    """The single word of a section."""
    _, begin, end = section
    words = list(source.words(begin, end))
    if not words:
        found, at = source.next_word(end)
        raise source.fault(at, found, expected)
    word, at = words[0]
    if expected == "reward or cost" and word not in ("reward", "cost"):
        raise source.fault(at, repr(word), expected)
    if len(words) > 1:
        further, at = words[1]
        raise source.fault(at, repr(further), f"the next section after {word!r}{hint(further, source.sections)}")
    return word


def starting_belief(source: Source, states: Numbering, keyword: str, begin: int, end: int) -> Floats:
    """[S] the distribution, as it stands: whether it sums to 1 is not looked at here."""
    if keyword != "start":
        return _listed(source, states, keyword.split()[1] == "include", begin, end)
    words = source.words(begin, end)
    first, second = next(words, None), next(words, None)
    if first is None:
        found, at = source.next_word(end)
        raise source.fault(at, found, f"{states.size:,} probabilities, a state, or uniform")
    lone = count(first[0]) is not None and (states.size > 1 or first[0] == "0")  # of one state, 1 is the probability
    if first[0] == "uniform":
        named = np.full(states.size, 1.0 / states.size)
    elif first[0][0].isalpha() or first[0][0] == "_" or (second is None and lone):
        named = np.zeros(states.size)
        named[states.find(source, *first)] = 1.0
    else:
        return read_numbers(source, begin, end, states.size, "probabilities", probable=True)
    if second:
        raise source.fault(second[1], repr(second[0]), f"nothing after {first[0]!r}")
    return named


def _listed(source: Source, states: Numbering, include: bool, begin: int, end: int) -> Floats:
    """Equal chances for the states named, or for all but those."""
    named = np.zeros(states.size, bool)
    words = {*source.text[begin:end].replace(":", " : ").split()}
    strange = {word for word in words if states.number(word) in (None, ANY)}
    for word, at in source.words(begin, end) if strange else ():
        if word in strange and states.find(source, word, at) == ANY:
            raise source.fault(at, "'*'", "the states themselves")
    named[[states[word] for word in words]] = True
    if not named.any():
        found, at = source.next_word(end)
        raise source.fault(at, found, "at least one state")
    chosen = named if include else ~named
    if not chosen.any():
        raise source.fault(source.last(begin, end), "every state excluded", "at least one state to start in")
    return chosen / float(chosen.sum())
