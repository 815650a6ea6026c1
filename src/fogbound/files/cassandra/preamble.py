"""What a `.pomdp` file says before its entries: discount, sign, states, actions, observations, start."""

from __future__ import annotations

from dataclasses import dataclass

from fogbound.files.cassandra.names import Numbering, declared
from fogbound.files.cassandra.text import SECTIONS, Source, hint
from fogbound.files.numbers import number

Section = tuple[str, int, int]  # keyword, and the offsets between which its content stands
NEEDED = ("discount", "states", "actions", "observations")


@dataclass(frozen=True)
class Preamble:
    """The sections other than entries, which may stand anywhere in the file."""

    discount: float
    cost: bool  # what `R:` gives is to be paid, not won
    states: Numbering
    actions: Numbering
    observations: Numbering
    start: Section | None


def preamble(source: Source, limit: int) -> Preamble:
    """Read it, and refuse sizes over `limit` before anything of such a size is made."""
    found: dict[str, Section] = {}
    for keyword, begin, end in source.statements():
        kind = keyword.split()[0]
        if kind in found:
            raise source.fault(begin - 1, f"a second {kind}: section", "one")
        found[kind] = (keyword, begin, end)
    cost = "values" in found and _only_word(source, found["values"], "reward or cost") == "cost"
    discount = _discount(source, found["discount"]) if "discount" in found else 1.0
    named = {kind: declared(source, kind[:-1], *found[kind][1:]) for kind in NEEDED[1:] if kind in found}
    for kind in NEEDED:
        if kind not in found:
            at = source.last(0, len(source.text))
            raise source.fault(at, "the end of the text", f"the section {kind}: somewhere in it")
    states, actions = named["states"], named["actions"]
    if states.size * actions.size > limit:
        pairs = f"{states.size:,} states x {actions.size:,} actions"
        raise source.fault(found["states"][1], pairs, f"at most {limit:,} pairs; raise limit=")
    return Preamble(discount, cost, states, actions, named["observations"], found.get("start"))


def _discount(source: Source, section: Section) -> float:
    word = _only_word(source, section, "a discount from 0 to 1")
    discount = number(word)
    if discount is None or not 0 <= discount <= 1:
        raise source.fault(source.last(*section[1:]), repr(word), "a discount from 0 to 1")
    return discount


def _only_word(source: Source, section: Section, expected: str) -> str:
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
        raise source.fault(at, repr(further), f"the next section after {word!r}{hint(further, SECTIONS)}")
    return word
