"""Functions of a factored model as the file writes them: entries, each a pattern over columns and its numbers.

A pattern names one value for a column, or `*` for every value alike, or `-` for every value in turn; later
entries override earlier ones. Nothing is multiplied out here: a column of which no entry speaks costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fogbound.files.pomdpx.elements import Element, hint
from fogbound.files.pomdpx.variables import Slot, Variable, Variables, When, slot, value
from fogbound.files.tolerance import WRONG
from fogbound.forms.table import Floats, Ints

ANY, EACH = -1, -2
GIVEN, IDENTITY, UNIFORM = 0, 1, 2
SIGNS = {"*": ANY, "-": EACH}
WORDS = {"identity": IDENTITY, "uniform": UNIFORM}


@dataclass(frozen=True, eq=False)
class Entry:
    """One entry; a value below zero is ANY or EACH."""

    pattern: tuple[int, ...]
    kind: int
    numbers: Floats
    line: int


@dataclass(frozen=True, eq=False)
class Function:
    """A conditional probability, whose last column is the variable itself, or a reward, which has none."""

    name: str
    element: Element
    own: Slot | None  # whose distribution it is; none: a reward
    columns: tuple[Slot, ...]
    sizes: tuple[int, ...]
    patterns: Ints  # [E, C]
    kinds: Ints  # [E]
    entries: tuple[Entry, ...]

    @property
    def parents(self) -> tuple[Slot, ...]:
        return self.columns[:-1] if self.own else self.columns


@dataclass(frozen=True, eq=False)
class Heading:
    """Whose function it is, and its columns: what both kinds of parameter are read against."""

    name: str
    own: Slot | None
    columns: tuple[Slot, ...]
    variables: Variables

    @cached_property
    def named(self) -> tuple[Variable, ...]:
        """[C] the variable of each column."""
        return tuple(self.variables.of(column) for column in self.columns)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(variable.size for variable in self.named)


def function(heading: Heading, element: Element, entries: list[Entry]) -> Function:
    patterns = np.array([entry.pattern for entry in entries], np.int32).reshape(len(entries), len(heading.columns))
    kinds = np.array([entry.kind for entry in entries], np.int32)
    return Function(heading.name, element, heading.own, heading.columns, heading.sizes, patterns, kinds, tuple(entries))


def heading(element: Element, times: tuple[When, ...], own: When | None, variables: Variables) -> Heading:
    """Read `<Var>` and `<Parent>`; a parent must be of one of `times`."""
    var, parent = element.one("Var"), element.one("Parent")
    name, words = var.text.strip(), parent.words()
    slots: list[Slot] = []
    for word in [] if words == ["null"] else words:
        found = slot(parent, word, variables.slots)
        if found.when not in times or found in slots:
            expected = "distinct variables of " + ", ".join(time.name.lower() for time in times)
            raise parent.wrong(f"parent {word!r}", expected)
        slots.append(found)
    if own is None:
        if name not in variables.rewards:
            raise var.wrong(f"{name!r}" + hint(name, variables.rewards), "a declared <RewardVar>")
        return Heading(name, None, tuple(slots), variables)
    mine = slot(var, name, {word: found for word, found in variables.slots.items() if found.when == own})
    if mine in slots:
        raise parent.wrong(f"{name!r} as its own parent", "other variables")
    return Heading(name, mine, (*slots, mine), variables)


def table(about: Heading, parameter: Element) -> list[Entry]:
    """The entries of a parameter of type TBL."""
    told = "ProbTable" if about.own else "ValueTable"
    return [_entry(about, entry, told) for entry in parameter.all("Entry")]


def _entry(about: Heading, element: Element, told: str) -> Entry:
    element.all("Instance", told)
    instance, given = element.one("Instance"), element.one(told)
    words = instance.words()
    if len(words) != len(about.columns):
        names = " ".join(map(about.variables.name, about.columns))
        raise instance.wrong(f"{len(words)} values", f"{len(about.columns)}, of {names}")
    pattern = tuple(
        SIGNS[word] if word in SIGNS else value(instance, word, variable) for word, variable in zip(words, about.named)
    )
    each = [size for code, size in zip(pattern, about.sizes) if code == EACH]
    kind = WORDS.get(given.text.strip().lower(), GIVEN) if about.own else GIVEN
    if kind == IDENTITY and (len(each) != 2 or each[0] != each[1] or pattern[-1] != EACH):
        raise instance.wrong("'identity' for " + " ".join(words), "- for the variable and for one parent of its size")
    numbers = np.zeros(0) if kind else _numbers(about, given, each)
    return Entry(pattern, kind, numbers, given.line)


def _numbers(about: Heading, given: Element, each: list[int]) -> Floats:
    numbers, expected = given.numbers(), 1
    for size in each:
        expected *= size
    if len(numbers) != expected:
        raise given.wrong(f"{len(numbers):,} numbers", f"{expected:,}")
    if about.own is not None:
        check_probabilities(given, numbers)
    return numbers


def check_probabilities(element: Element, numbers: NDArray[np.float64]) -> None:
    bad = numbers[(numbers < 0) | (numbers > 1 + WRONG)]
    if len(bad):
        raise element.wrong(f"{float(bad[0])!r}", "a probability from 0 to 1")
