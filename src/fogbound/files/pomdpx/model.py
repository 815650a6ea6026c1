"""A whole `.pomdpx` document as a factored model: variables, and a function for each."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass

from fogbound.files.pomdpx.declare import variables
from fogbound.files.pomdpx.diagrams import Diagram
from fogbound.files.pomdpx.elements import Element
from fogbound.files.pomdpx.parse import parse
from fogbound.files.pomdpx.tables import Function, Heading, function, heading, table
from fogbound.files.pomdpx.variables import Slot, Variables, When

PARTS = ("Description", "Discount", "Variable", "InitialStateBelief", "StateTransitionFunction", "ObsFunction")
BEFORE, ACTION, AFTER, SIGHT = When.BEFORE, When.ACTION, When.AFTER, When.SIGHT


@dataclass(frozen=True, eq=False)
class Factored:
    """A model as a product of functions; each list is in an order in which parents come before children."""

    path: str
    element: Element
    discount: float
    variables: Variables
    start: tuple[Function, ...]
    step: tuple[Function, ...]  # of the state variables after the step and of what is seen
    rewards: tuple[Function, ...]


def factored(path: str | os.PathLike[str]) -> Factored:
    """Read the document at `path`."""
    root = parse(path, "pomdpx")
    root.all(*PARTS, "RewardFunction")
    names = variables(root.one("Variable"))
    start = _functions(root, "InitialStateBelief", (BEFORE,), BEFORE, names)
    step = _functions(root, "StateTransitionFunction", (BEFORE, ACTION, AFTER), AFTER, names)
    if names.sights or root.maybe("ObsFunction"):
        step += _functions(root, "ObsFunction", (BEFORE, ACTION, AFTER, SIGHT), SIGHT, names)
    rewards = _rewards(root, names)
    return Factored(
        str(path), root, _discount(root.one("Discount")), names, _ordered(start), _ordered(step), tuple(rewards)
    )


def _discount(element: Element) -> float:
    discount = element.number(element.text.strip())
    if not 0 < discount <= 1:
        raise element.wrong(f"discount {discount!r}", "above 0 and at most 1")
    return discount


def _functions(root: Element, tag: str, times: tuple[When, ...], own: When, names: Variables) -> list[Function]:
    """The conditional probabilities of one part: exactly one for each variable."""
    part = root.one(tag)
    found: dict[Slot | None, Function] = {}
    for element in part.all("CondProb"):
        made = _function(element, heading(element, times, own, names))
        if made.own in found:
            raise element.wrong(f"a second function of {made.name}", "one")
        found[made.own] = made
    for i, _ in enumerate(names.sizes(own)):
        if Slot(own, i) not in found:
            raise part.wrong(f"no <CondProb> for {names.name(Slot(own, i))}", "one for each variable")
    return list(found.values())


def _rewards(root: Element, names: Variables) -> list[Function]:
    """The rewards, which add up: one for each declared variable."""
    part = root.one("RewardFunction")
    times = (BEFORE, ACTION, AFTER, SIGHT)
    found = [_function(element, heading(element, times, None, names)) for element in part.all("Func")]
    told = Counter(reward.name for reward in found)
    for name in names.rewards:
        if told[name] != 1:
            raise part.wrong(f"{told[name]} of <Func> for {name}", "one")
    return found


def _function(element: Element, about: Heading) -> Function:
    element.all("Var", "Parent", "Parameter")
    parameter = element.one("Parameter")
    kind = parameter.attributes.get("type", "TBL")
    if kind not in ("TBL", "DD"):
        raise parameter.wrong(f"type={kind!r}", "TBL or DD")
    entries = table(about, parameter) if kind == "TBL" else Diagram(about, parameter).entries()
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
