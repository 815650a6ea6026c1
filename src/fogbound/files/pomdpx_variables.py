"""The variables of a factored model: what they are called, which values they take, and when they are met."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from fogbound.files.numbers import count
from fogbound.files.pomdpx_xml import Element, hint

MOST_VALUES = 1_000_000
MOST_VARIABLES = 1_000
SIGNS = ("*", "-")  # in a table: every value alike, every value in turn


class When(IntEnum):
    """Where in a step a variable stands: the state before, the action, the state after, what is then seen."""

    BEFORE = 0
    ACTION = 1
    AFTER = 2
    SIGHT = 3


class Slot(NamedTuple):
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
    sights: tuple[Variable, ...]
    rewards: tuple[str, ...]
    slots: dict[str, Slot]

    def of(self, slot: Slot) -> Variable:
        return {When.ACTION: self.actions, When.SIGHT: self.sights}.get(slot.when, self.states)[slot.which]

    def name(self, slot: Slot) -> str:
        """What the file calls the variable at that time."""
        variable = self.of(slot)
        return variable.before if slot.when == When.BEFORE else variable.name

    def sizes(self, when: When) -> list[int]:
        groups = {When.ACTION: self.actions, When.SIGHT: self.sights}
        return [variable.size for variable in groups.get(when, self.states)]

    @property
    def observed(self) -> int:
        """How many of the state variables are fully observed: the first so many."""
        return sum(variable.observed for variable in self.states)

    @property
    def combinations(self) -> int:
        return math.prod(self.sizes(When.BEFORE))


def strides(sizes: list[int]) -> list[int]:
    """What one step of each digit is worth, the last digit fastest."""
    return [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]


def variables(element: Element) -> Variables:
    """Read `<Variable>`."""
    states: list[Variable] = []
    actions: list[Variable] = []
    sights: list[Variable] = []
    rewards: list[str] = []
    declared = element.all("StateVar", "ObsVar", "ActionVar", "RewardVar")
    if len(declared) > MOST_VARIABLES:
        raise element.wrong(f"{len(declared):,} variables", f"at most {MOST_VARIABLES:,}")
    for child in declared:
        if child.tag == "StateVar":
            states.append(_state(child))
        elif child.tag == "RewardVar":
            rewards.append(child.attribute("vname"))
        else:
            prefix, group = ("o", sights) if child.tag == "ObsVar" else ("a", actions)
            group.append(Variable(child.attribute("vname"), _values(child, prefix), child.line))
    for tag, group in (("StateVar", states), ("ActionVar", actions)):
        if not group:
            raise element.wrong(f"no <{tag}>", "at least one")
    states.sort(key=lambda variable: not variable.observed)
    slots = _slots(element, states, actions, sights, rewards)
    return Variables(tuple(states), tuple(actions), tuple(sights), tuple(rewards), slots)


def _state(element: Element) -> Variable:
    told = element.attributes.get("fullyObs", "false").strip().lower()
    if told not in ("true", "false", "1", "0"):
        raise element.wrong(f"fullyObs={told!r}", "true or false")
    name, before = element.attribute("vnameCurr"), element.attribute("vnamePrev")
    return Variable(name, _values(element, "s"), element.line, before, told in ("true", "1"))


def _values(element: Element, prefix: str) -> tuple[str, ...]:
    """The values listed, or as many as are asked for, called s0, s1, … (o0, a0 for sights and actions)."""
    listed, asked = element.maybe("ValueEnum"), element.maybe("NumValues")
    element.all("ValueEnum", "NumValues")
    if (listed is None) == (asked is None):
        found = "neither" if listed is None else "both"
        raise element.wrong(f"{found} of <ValueEnum>, <NumValues>", "one of them")
    if asked is not None:
        size = count(asked.text.strip())
        if size is None or not 1 <= size <= MOST_VALUES:
            raise asked.wrong(f"{asked.text.strip()!r} values", f"1 to {MOST_VALUES:,}")
        return tuple(f"{prefix}{i}" for i in range(size))
    assert listed is not None
    return _listed(listed)


def _listed(element: Element) -> tuple[str, ...]:
    words = element.words()
    met: set[str] = set()
    for word in words:
        if word in met or word in SIGNS:
            raise element.wrong(f"value {word!r}" + (" twice" if word in met else ""), "distinct names, not * or -")
        met.add(word)
    if not 1 <= len(words) <= MOST_VALUES:
        raise element.wrong(f"{len(words):,} values", f"1 to {MOST_VALUES:,}")
    return tuple(words)


def _slots(
    element: Element, states: list[Variable], actions: list[Variable], sights: list[Variable], rewards: list[str]
) -> dict[str, Slot]:
    named = [(variable.before, Slot(When.BEFORE, i)) for i, variable in enumerate(states)]
    named += [(variable.name, Slot(When.AFTER, i)) for i, variable in enumerate(states)]
    named += [(variable.name, Slot(When.ACTION, i)) for i, variable in enumerate(actions)]
    named += [(variable.name, Slot(When.SIGHT, i)) for i, variable in enumerate(sights)]
    slots = dict(named)
    for name, times in Counter([name for name, _ in named] + rewards).items():
        if times > 1 or name == "null" or len(name.split()) != 1:
            twice = " twice" if times > 1 else ""
            raise element.wrong(f"variable name {name!r}{twice}", "distinct names of one word, not null")
    return slots


def slot(element: Element, name: str, known: dict[str, Slot]) -> Slot:
    """The slot that `name` stands for."""
    if name not in known:
        raise element.wrong(f"variable {name!r}" + hint(name, list(known)), "one declared in <Variable>")
    return known[name]


def value(element: Element, word: str, variable: Variable) -> int:
    """The number of a value of `variable`."""
    if word not in variable.numbers:
        raise element.wrong(repr(word) + hint(word, variable.values), f"a value of {variable.name}")
    return variable.numbers[word]
