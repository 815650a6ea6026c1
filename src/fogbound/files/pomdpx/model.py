"""A whole `.pomdpx` document as a factored model: its variables, and a function for each.

The part `<Variable>` of a document: which variables there are, and which values they take.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass

from fogbound.core.contract import DISCOUNT, is_discount
from fogbound.files.pomdpx.functions import (
    SIGNS,
    Diagram,
    Function,
    Heading,
    TimedVariable,
    Variable,
    Variables,
    When,
    function,
    read_heading,
    read_table_entries,
)
from fogbound.files.reading import count
from fogbound.files.xml_reader import Element, parse_xml

MOST_VALUES = 1_000_000
MOST_VARIABLES = 1_000


def variables(element: Element) -> Variables:
    """Read `<Variable>`."""
    states: list[Variable] = []
    actions: list[Variable] = []
    observations: list[Variable] = []
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
            prefix, group = ("o", observations) if child.tag == "ObsVar" else ("a", actions)
            group.append(Variable(child.attribute("vname"), _values(child, prefix), child.line))
    for tag, group in (("StateVar", states), ("ActionVar", actions)):
        if not group:
            raise element.wrong(f"no <{tag}>", "at least one")
    states.sort(key=lambda variable: not variable.observed)
    timed_variables = _timed_variables(element, states, actions, observations, rewards)
    return Variables(tuple(states), tuple(actions), tuple(observations), tuple(rewards), timed_variables)


def _state(element: Element) -> Variable:
    observed = element.attributes.get("fullyObs", "false").strip().lower()
    if observed not in ("true", "false", "1", "0"):
        raise element.wrong(f"fullyObs={observed!r}", "true or false")
    name, before = element.attribute("vnameCurr"), element.attribute("vnamePrev")
    return Variable(name, _values(element, "s"), element.line, before, observed in ("true", "1"))


def _values(element: Element, prefix: str) -> tuple[str, ...]:
    """The values listed, or as many as are asked for, called s0, s1, … (o0, a0 for observations and actions)."""
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


def _timed_variables(
    element: Element, states: list[Variable], actions: list[Variable], observations: list[Variable], rewards: list[str]
) -> dict[str, TimedVariable]:
    named = [(variable.before, TimedVariable(When.BEFORE, i)) for i, variable in enumerate(states)]
    named += [(variable.name, TimedVariable(When.AFTER, i)) for i, variable in enumerate(states)]
    named += [(variable.name, TimedVariable(When.ACTION, i)) for i, variable in enumerate(actions)]
    named += [(variable.name, TimedVariable(When.OBSERVATION, i)) for i, variable in enumerate(observations)]
    timed_variables = dict(named)
    for name, times in Counter([name for name, _ in named] + rewards).items():
        if times > 1 or name == "null" or len(name.split()) != 1:
            twice = " twice" if times > 1 else ""
            raise element.wrong(f"variable name {name!r}{twice}", "distinct names of one word, not null")
    return timed_variables


PARTS = ("Description", "Discount", "Variable", "InitialStateBelief", "StateTransitionFunction", "ObsFunction")
TAGS = {  # every element that the format knows
    *PARTS,
    *("RewardFunction", "StateVar", "ObsVar", "ActionVar", "RewardVar", "ValueEnum", "NumValues"),
    *("CondProb", "Func", "Var", "Parent", "Parameter", "Entry", "Instance", "ProbTable", "ValueTable"),
    *("DAG", "SubDAGTemplate", "Node", "Edge", "Terminal", "SubDAG"),
}
BEFORE, ACTION, AFTER, OBSERVATION = When.BEFORE, When.ACTION, When.AFTER, When.OBSERVATION


@dataclass(frozen=True, eq=False)
class FactoredModel:
    """A model as a product of functions; each list is in an order in which parents come before children."""

    path: str
    element: Element
    discount: float
    variables: Variables
    start: tuple[Function, ...]
    step: tuple[Function, ...]  # of the state variables after the step and of what is seen
    rewards: tuple[Function, ...]


def read_factored(path: str | os.PathLike[str]) -> FactoredModel:
    """Read the document at `path`."""
    root = parse_xml(path, "pomdpx", TAGS)
    root.all(*PARTS, "RewardFunction")
    names = variables(root.one("Variable"))
    start = _functions(root, "InitialStateBelief", (BEFORE,), BEFORE, names)
    step = _functions(root, "StateTransitionFunction", (BEFORE, ACTION, AFTER), AFTER, names)
    if names.observations or root.maybe("ObsFunction"):
        step += _functions(root, "ObsFunction", (BEFORE, ACTION, AFTER, OBSERVATION), OBSERVATION, names)
    rewards, said = _rewards(root, names), root.one("Discount")
    discount = said.number(said.text.strip())
    if not is_discount(discount):
        raise said.wrong(f"discount {discount!r}", DISCOUNT)
    return FactoredModel(str(path), root, discount, names, _ordered(start), _ordered(step), tuple(rewards))


def _functions(root: Element, tag: str, times: tuple[When, ...], own: When, names: Variables) -> list[Function]:
    """The conditional probabilities of one part: exactly one for each variable."""
    part = root.one(tag)
    functions: dict[TimedVariable | None, Function] = {}
    for element in part.all("CondProb"):
        made = _function(element, read_heading(element, times, own, names))
        if made.own in functions:
            raise element.wrong(f"a second function of {made.name}", "one")
        functions[made.own] = made
    for i, _ in enumerate(names.sizes(own)):
        if TimedVariable(own, i) not in functions:
            raise part.wrong(f"no <CondProb> for {names.name(TimedVariable(own, i))}", "one for each variable")
    return list(functions.values())


def _rewards(root: Element, names: Variables) -> list[Function]:
    """The rewards, which add up: one for each declared variable."""
    part = root.one("RewardFunction")
    times = (BEFORE, ACTION, AFTER, OBSERVATION)
    rewards = [_function(element, read_heading(element, times, None, names)) for element in part.all("Func")]
    given = Counter(reward.name for reward in rewards)
    for name in names.rewards:
        if given[name] != 1:
            raise part.wrong(f"{given[name]} of <Func> for {name}", "one")
    return rewards


def _function(element: Element, about: Heading) -> Function:
    element.all("Var", "Parent", "Parameter")
    parameter = element.one("Parameter")
    kind = parameter.attributes.get("type", "TBL")
    if kind not in ("TBL", "DD"):
        raise parameter.wrong(f"type={kind!r}", "TBL or DD")
    entries = read_table_entries(about, parameter) if kind == "TBL" else Diagram(about, parameter).entries()
    return function(about, element, entries)


def _ordered(functions: list[Function]) -> tuple[Function, ...]:
    """Parents first; variables that depend on each other in a circle have no distribution."""
    waiting = {made.own: made for made in functions}
    order: list[Function] = []
    while waiting:
        ready = [made for made in waiting.values() if not any(parent in waiting for parent in made.parents)]
        if not ready:
            first = next(iter(waiting.values()))
            names = ", ".join(made.name for made in waiting.values())
            raise first.element.wrong(f"variables that depend on each other: {names}", "parents without a circle")
        for made in ready:
            del waiting[made.own]
        order += ready
    return tuple(order)
