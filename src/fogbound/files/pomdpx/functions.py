"""The variables of a factored model, and its functions: tables and decision diagrams as entries over columns.

Functions of a factored model as the file writes them: entries, each a pattern over columns and its numbers.

A pattern names one value for a column, or `*` for every value alike, or `-` for every value in turn; later
entries override earlier ones. Nothing is multiplied out here: a column of which no entry speaks costs nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.files.reading import SUM_WRONG, hint
from fogbound.files.xml_reader import MOST_DEPTH, Element
from fogbound.forms.arrays import Floats, Ints

ANY, EACH = -1, -2
GIVEN, IDENTITY, UNIFORM = 0, 1, 2
SIGNS = {"*": ANY, "-": EACH}
WORDS = {"identity": IDENTITY, "uniform": UNIFORM}


class When(IntEnum):
    """Where in a step a variable stands: the state before, the action, the state after, what is then seen."""

    BEFORE = 0
    ACTION = 1
    AFTER = 2
    OBSERVATION = 3


class TimedVariable(NamedTuple):
    """One column of a table: the variable with this number, at this time."""

    when: When
    which: int


@dataclass(frozen=True)
class Variable:
    """One variable; `name` is its name after the step, `before` a state variable's name before it."""

    name: str
    values: tuple[str, ...]
    line: int
    before: str = ""
    observed: bool = False

    @property
    def size(self) -> int:
        return len(self.values)

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {value: i for i, value in enumerate(self.values)}


@dataclass(frozen=True)
class Variables:
    """All of them. Fully observed state variables come first: then a state's number is (seen, hidden)."""

    states: tuple[Variable, ...]
    actions: tuple[Variable, ...]
    observations: tuple[Variable, ...]
    rewards: tuple[str, ...]
    timed_variables: dict[str, TimedVariable]

    def at(self, when: When) -> tuple[Variable, ...]:
        """Those that are met at one time of a step."""
        return {When.ACTION: self.actions, When.OBSERVATION: self.observations}.get(when, self.states)

    def of(self, column: TimedVariable) -> Variable:
        return self.at(column.when)[column.which]

    def name(self, column: TimedVariable) -> str:
        """What the file calls the variable at that time."""
        variable = self.of(column)
        return variable.before if column.when == When.BEFORE else variable.name

    def sizes(self, when: When) -> list[int]:
        return [variable.size for variable in self.at(when)]

    @property
    def observed(self) -> int:
        """How many of the state variables are fully observed: the first so many."""
        return sum(variable.observed for variable in self.states)

    @property
    def combinations(self) -> int:
        return math.prod(self.sizes(When.BEFORE))


def strides(sizes: list[int]) -> list[int]:
    """How much a number grows with each of its digits, the last digit fastest."""
    return [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]


def timed_variable(element: Element, name: str, declared: dict[str, TimedVariable]) -> TimedVariable:
    """The variable, and when, that `name` stands for."""
    if name not in declared:
        raise element.wrong(f"variable {name!r}", f"one declared in <Variable>{hint(name, declared)}")
    return declared[name]


def value_number(element: Element, word: str, variable: Variable) -> int:
    """The number of a value of `variable`."""
    if word not in variable.numbers:
        raise element.wrong(repr(word), f"a value of {variable.name}{hint(word, variable.values)}")
    return variable.numbers[word]


@dataclass(frozen=True, eq=False)
class FunctionEntry:
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
    own: TimedVariable | None  # whose distribution it is; none: a reward
    columns: tuple[TimedVariable, ...]
    sizes: tuple[int, ...]
    patterns: Ints  # [E, C]
    kinds: Ints  # [E]
    entries: tuple[FunctionEntry, ...]

    @property
    def parents(self) -> tuple[TimedVariable, ...]:
        return self.columns[:-1] if self.own else self.columns


@dataclass(frozen=True, eq=False)
class Heading:
    """Whose function it is, and its columns: what both kinds of parameter are read against."""

    name: str
    own: TimedVariable | None
    columns: tuple[TimedVariable, ...]
    variables: Variables

    @cached_property
    def named(self) -> tuple[Variable, ...]:
        """[C] the variable of each column."""
        return tuple(self.variables.of(column) for column in self.columns)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(variable.size for variable in self.named)


def function(heading: Heading, element: Element, entries: list[FunctionEntry]) -> Function:
    patterns = np.array([entry.pattern for entry in entries], np.int32).reshape(len(entries), len(heading.columns))
    kinds = np.array([entry.kind for entry in entries], np.int32)
    return Function(heading.name, element, heading.own, heading.columns, heading.sizes, patterns, kinds, tuple(entries))


def read_heading(element: Element, times: tuple[When, ...], own: When | None, variables: Variables) -> Heading:
    """Read `<Var>` and `<Parent>`; a parent must be of one of `times`."""
    var, parent = element.one("Var"), element.one("Parent")
    name, words = var.text.strip(), parent.words()
    timed_variables: list[TimedVariable] = []
    for word in [] if words == ["null"] else words:
        timed = timed_variable(parent, word, variables.timed_variables)
        if timed.when not in times or timed in timed_variables:
            expected = "distinct variables of " + ", ".join(time.name.lower() for time in times)
            raise parent.wrong(f"parent {word!r}", expected)
        timed_variables.append(timed)
    if own is None:
        if name not in variables.rewards:
            raise var.wrong(repr(name), f"a declared <RewardVar>{hint(name, variables.rewards)}")
        return Heading(name, None, tuple(timed_variables), variables)
    mine = timed_variable(
        var, name, {word: timed for word, timed in variables.timed_variables.items() if timed.when == own}
    )
    if mine in timed_variables:
        raise parent.wrong(f"{name!r} as its own parent", "other variables")
    return Heading(name, mine, (*timed_variables, mine), variables)


def read_table_entries(about: Heading, parameter: Element) -> list[FunctionEntry]:
    """The entries of a parameter of type TBL."""
    tag = "ProbTable" if about.own else "ValueTable"
    return [_entry(about, entry, tag) for entry in parameter.all("Entry")]


def _entry(about: Heading, element: Element, tag: str) -> FunctionEntry:
    element.all("Instance", tag)
    instance, given = element.one("Instance"), element.one(tag)
    words = instance.words()
    if len(words) != len(about.columns):
        names = " ".join(map(about.variables.name, about.columns))
        raise instance.wrong(f"{len(words)} values", f"{len(about.columns)}, of {names}")
    pattern = tuple(
        SIGNS[word] if word in SIGNS else value_number(instance, word, variable)
        for word, variable in zip(words, about.named)
    )
    each = [size for code, size in zip(pattern, about.sizes) if code == EACH]
    kind = WORDS.get(given.text.strip().lower(), GIVEN) if about.own else GIVEN
    if kind == IDENTITY and (len(each) != 2 or each[0] != each[1] or pattern[-1] != EACH):
        raise instance.wrong("'identity' for " + " ".join(words), "- for the variable and for one parent of its size")
    numbers = np.zeros(0) if kind else _numbers(about, given, each)
    return FunctionEntry(pattern, kind, numbers, given.line)


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
    bad = numbers[(numbers < 0) | (numbers > 1 + SUM_WRONG)]
    if len(bad):
        raise element.wrong(f"{float(bad[0])!r}", "a probability from 0 to 1")


MOST_STEPS = 300_000
KINDS = ("deterministic", "persistent", "uniform", "template")
Pattern = tuple[int, ...]


class Diagram:
    """One parameter of type DD, walked depth first; templates are followed where they are used."""

    def __init__(self, about: Heading, parameter: Element) -> None:
        self.about, self.root = about, parameter.one("DAG")
        self.column = {about.variables.name(column): i for i, column in enumerate(about.columns)}
        self.templates: dict[str, Element] = {}
        for child in parameter.all("DAG", "SubDAGTemplate"):
            if child.tag == "SubDAGTemplate":
                self.templates[child.attribute("id")] = child

    def entries(self) -> list[FunctionEntry]:
        entries: list[FunctionEntry] = []
        start: Pattern = (ANY,) * len(self.about.columns)
        stack: list[tuple[Element, Pattern, int]] = [(_inside(self.root), start, 0)]
        steps = 0
        while stack:
            element, pattern, depth = stack.pop()
            steps += 1
            if steps > MOST_STEPS:
                raise self.root.wrong(f"a diagram of over {MOST_STEPS:,} ways", "a smaller one")
            if depth > MOST_DEPTH:
                raise element.wrong(f"templates nested over {MOST_DEPTH} deep", "templates that do not use themselves")
            if element.tag == "Node":
                stack += [(below, longer, depth) for below, longer in reversed(self._branches(element, pattern))]
            elif element.tag == "SubDAG" and _kind(element) == "template":
                stack.append((_inside(self._template(element)), pattern, depth + 1))
            else:
                entries.append(self._leaf(element, pattern))
        return entries

    def _branches(self, node: Element, pattern: Pattern) -> list[tuple[Element, Pattern]]:
        column = self._column(node, node.attribute("var"))
        if pattern[column] != ANY:
            raise node.wrong(f"{node.attribute('var')!r} asked twice on one way", "each variable once")
        variable = self.about.variables.of(self.about.columns[column])
        branches, met = [], set()
        for edge in node.all("Edge"):
            number = value_number(edge, edge.attribute("val"), variable)
            if number in met:
                raise edge.wrong(f"a second edge for {edge.attribute('val')!r}", "one for each value")
            met.add(number)
            branches.append((_inside(edge), (*pattern[:column], number, *pattern[column + 1 :])))
        return branches

    def _leaf(self, leaf: Element, pattern: Pattern) -> FunctionEntry:
        if leaf.tag == "Terminal":
            numbers = leaf.numbers()
            if len(numbers) != 1:
                raise leaf.wrong(f"{len(numbers)} numbers", "one")
            if self.about.own is not None:
                check_probabilities(leaf, numbers)
            return FunctionEntry(pattern, GIVEN, numbers, leaf.line)
        own = len(pattern) - 1
        if self.about.own is None or pattern[own] != ANY or self._column(leaf, leaf.attribute("var")) != own:
            raise leaf.wrong(f"a {_kind(leaf)} <SubDAG>", f"one about {self.about.name}, not asked about before")
        kind = _kind(leaf)
        if kind == "uniform":
            return FunctionEntry(pattern, UNIFORM, np.zeros(0), leaf.line)
        if kind == "deterministic":
            sure = value_number(leaf, leaf.attribute("val"), self.about.variables.of(self.about.own))
            return FunctionEntry((*pattern[:own], sure), GIVEN, np.ones(1), leaf.line)
        return self._persistent(leaf, pattern)

    def _persistent(self, leaf: Element, pattern: Pattern) -> FunctionEntry:
        """The variable keeps the value it had before the step."""
        own = len(pattern) - 1
        before = TimedVariable(When.BEFORE, self.about.columns[own].which)
        if self.about.columns[own].when != When.AFTER or before not in self.about.columns:
            raise leaf.wrong(f"{self.about.name} as persistent", "its value before the step among the parents")
        column = self.about.columns.index(before)
        if pattern[column] != ANY:
            return FunctionEntry((*pattern[:own], pattern[column]), GIVEN, np.ones(1), leaf.line)
        kept = tuple(EACH if i in (column, own) else code for i, code in enumerate(pattern))
        return FunctionEntry(kept, IDENTITY, np.zeros(0), leaf.line)

    def _template(self, element: Element) -> Element:
        name = element.attribute("idref")
        if name not in self.templates:
            raise element.wrong(f"template {name!r}", f"a <SubDAGTemplate>{hint(name, self.templates)}")
        return self.templates[name]

    def _column(self, element: Element, name: str) -> int:
        timed_variable(element, name, self.about.variables.timed_variables)
        if name not in self.column:
            raise element.wrong(f"variable {name!r}", f"{self.about.name} or one of its parents")
        return self.column[name]


def _kind(element: Element) -> str:
    kind = element.attribute("type")
    if kind not in KINDS:
        raise element.wrong(f"type={kind!r}", f"one of {', '.join(KINDS)}{hint(kind, KINDS)}")
    return kind


def _inside(element: Element) -> Element:
    """The one thing that an edge, a template or the whole diagram leads to."""
    inside = element.all("Node", "Terminal", "SubDAG")
    if len(inside) != 1:
        raise element.wrong(f"{len(inside)} elements in <{element.tag}>", "one: a node, a terminal or a SubDAG")
    return inside[0]
