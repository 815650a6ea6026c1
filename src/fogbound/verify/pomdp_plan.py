"""A deterministic finite-memory controller of a partially observable process, and where it leads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .array import Array
from .fields import integers, lines, shape, within
from .pomdp_form import Process
from .refused import Refused

Line = tuple[int, ...]
Move = tuple[int, Line]  # weight over the row's total, and the pair (node, state) it leads to


@dataclass(frozen=True)
class Plan:
    """One action for each node, and the node that follows an observation."""

    process: Process
    action: list[int]  # [node]
    begin: dict[Line, int]  # (observation,) -> node
    arrow: dict[Line, int]  # (node, observation) -> node

    def opening(self) -> list[Move]:
        """The pairs in which play may start."""
        return self._follow(0, lambda seen: _answer(self.begin, (seen,), f"first node for observation {seen}"))

    def step(self, pair: Line) -> tuple[int, list[Move]]:
        """The row that is played in a pair, and the pairs that may follow."""
        node, state = pair
        own = self.process.labels[state]
        if self.action[node] not in own:
            raise Refused(f"node {node} takes action {self.action[node]}, which state {state} does not have")
        row = self.process.row[state] + own.index(self.action[node])
        lacking = f"arrow from node {node} after observation"
        return row, self._follow(row, lambda seen: _answer(self.arrow, (node, seen), f"{lacking} {seen}"))

    def _follow(self, row: int, node: Callable[[int], int]) -> list[Move]:
        """Where a row leads; the controller is not asked once play is over."""
        outcomes = self.process.outcomes[row]
        return [(weight, (node(seen), state)) for seen, state, weight in outcomes if self.process.runs(state)]


def read_plan(process: Process, certificate: Mapping[str, Array]) -> Plan:
    """The controller; Refused when two entries answer one question, or lead to a node that is not there."""
    action = integers(certificate, "node_action", *shape(certificate, "node_action", 1))
    begin, arrow = _keyed(certificate, "begin", 2), _keyed(certificate, "arrow", 3)
    within([*begin.values()], 0, len(action), "begin")
    within([*arrow.values()], 0, len(action), "arrow")
    return Plan(process, action, begin, arrow)


def _keyed(certificate: Mapping[str, Array], name: str, width: int) -> dict[Line, int]:
    """Lines whose last entry is the answer to the question before it."""
    count, _ = shape(certificate, name, 2)
    found = {cut[:-1]: cut[-1] for cut in lines(integers(certificate, name, count, width), width, count)}
    if len(found) != count:
        raise Refused(f"{name!r} answers one question twice")
    return found


def _answer(found: Mapping[Line, int], question: Line, what: str) -> int:
    if question not in found:
        raise Refused(f"the controller has no {what}")
    return found[question]
