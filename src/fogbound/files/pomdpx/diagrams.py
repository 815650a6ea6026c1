"""Functions given as decision diagrams: every way from the root to a leaf becomes an entry of a table."""

from __future__ import annotations

import numpy as np

from fogbound.files.pomdpx.elements import Element, hint
from fogbound.files.pomdpx.parse import MOST_DEPTH
from fogbound.files.pomdpx.tables import ANY, EACH, GIVEN, IDENTITY, UNIFORM, Entry, Heading, check_probabilities
from fogbound.files.pomdpx.variables import Slot, When, slot, value

MOST_STEPS = 300_000
KINDS = ("deterministic", "persistent", "uniform", "template")
Pattern = tuple[int, ...]


class Diagram:
    """One parameter of type DD, walked depth first; templates are followed where they are used."""

    def __init__(self, about: Heading, parameter: Element) -> None:
        self.about, self.root = about, parameter.one("DAG")
        self.column = {about.variables.name(slot): i for i, slot in enumerate(about.columns)}
        self.templates: dict[str, Element] = {}
        for child in parameter.all("DAG", "SubDAGTemplate"):
            if child.tag == "SubDAGTemplate":
                self.templates[child.attribute("id")] = child

    def entries(self) -> list[Entry]:
        found: list[Entry] = []
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
                found.append(self._leaf(element, pattern))
        return found

    def _branches(self, node: Element, pattern: Pattern) -> list[tuple[Element, Pattern]]:
        column = self._column(node, node.attribute("var"))
        if pattern[column] != ANY:
            raise node.wrong(f"{node.attribute('var')!r} asked twice on one way", "each variable once")
        variable = self.about.variables.of(self.about.columns[column])
        found, met = [], set()
        for edge in node.all("Edge"):
            number = value(edge, edge.attribute("val"), variable)
            if number in met:
                raise edge.wrong(f"a second edge for {edge.attribute('val')!r}", "one for each value")
            met.add(number)
            found.append((_inside(edge), (*pattern[:column], number, *pattern[column + 1 :])))
        return found

    def _leaf(self, leaf: Element, pattern: Pattern) -> Entry:
        if leaf.tag == "Terminal":
            numbers = leaf.numbers()
            if len(numbers) != 1:
                raise leaf.wrong(f"{len(numbers)} numbers", "one")
            if self.about.own is not None:
                check_probabilities(leaf, numbers)
            return Entry(pattern, GIVEN, numbers, leaf.line)
        own = len(pattern) - 1
        if self.about.own is None or pattern[own] != ANY or self._column(leaf, leaf.attribute("var")) != own:
            raise leaf.wrong(f"a {_kind(leaf)} <SubDAG>", f"one about {self.about.name}, not asked about before")
        kind = _kind(leaf)
        if kind == "uniform":
            return Entry(pattern, UNIFORM, np.zeros(0), leaf.line)
        if kind == "deterministic":
            sure = value(leaf, leaf.attribute("val"), self.about.variables.of(self.about.own))
            return Entry((*pattern[:own], sure), GIVEN, np.ones(1), leaf.line)
        return self._persistent(leaf, pattern)

    def _persistent(self, leaf: Element, pattern: Pattern) -> Entry:
        """The variable keeps the value it had before the step."""
        own = len(pattern) - 1
        before = Slot(When.BEFORE, self.about.columns[own].which)
        if self.about.columns[own].when != When.AFTER or before not in self.about.columns:
            raise leaf.wrong(f"{self.about.name} as persistent", "its value before the step among the parents")
        column = self.about.columns.index(before)
        if pattern[column] != ANY:
            return Entry((*pattern[:own], pattern[column]), GIVEN, np.ones(1), leaf.line)
        kept = tuple(EACH if i in (column, own) else code for i, code in enumerate(pattern))
        return Entry(kept, IDENTITY, np.zeros(0), leaf.line)

    def _template(self, element: Element) -> Element:
        name = element.attribute("idref")
        if name not in self.templates:
            raise element.wrong(f"template {name!r}" + hint(name, list(self.templates)), "a <SubDAGTemplate>")
        return self.templates[name]

    def _column(self, element: Element, name: str) -> int:
        slot(element, name, self.about.variables.slots)
        if name not in self.column:
            raise element.wrong(f"variable {name!r}", f"{self.about.name} or one of its parents")
        return self.column[name]


def _kind(element: Element) -> str:
    kind = element.attribute("type")
    if kind not in KINDS:
        raise element.wrong(f"type={kind!r}" + hint(kind, KINDS), "one of " + ", ".join(KINDS))
    return kind


def _inside(element: Element) -> Element:
    """The one thing that an edge, a template or the whole diagram leads to."""
    inside = element.all("Node", "Terminal", "SubDAG")
    if len(inside) != 1:
        raise element.wrong(f"{len(inside)} elements in <{element.tag}>", "one: a node, a terminal or a SubDAG")
    return inside[0]
