"""The part `<Variable>` of a document: which variables there are, and which values they take."""

from __future__ import annotations

from collections import Counter

from fogbound.files.numbers import count
from fogbound.files.pomdpx.elements import Element
from fogbound.files.pomdpx.tables import SIGNS
from fogbound.files.pomdpx.variables import Slot, Variable, Variables, When

MOST_VALUES = 1_000_000
MOST_VARIABLES = 1_000


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
