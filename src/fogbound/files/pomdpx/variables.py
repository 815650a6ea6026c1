"""The variables of a factored model: what they are called, which values they take, and when they are met."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from fogbound.files.reading import hint
from fogbound.files.xml_reader import Element


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
