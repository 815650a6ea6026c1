"""A finite-memory controller: how one seat plays a game that need not end."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .array import Array
from .fields import floats, integers, lines, shape
from .refused import Refused
from .repair import shares

IDLE = -1


@dataclass(frozen=True)
class Controller:
    """Nodes are the memory; arrows say where a node goes after the own action (or IDLE) and what was seen."""

    seat: int
    begin: dict[int, int]
    arrow: dict[tuple[int, ...], int]
    choice: dict[tuple[int, int], dict[int, float]]  # (node, menu) -> weight of each action
    known: dict[tuple[int, int], tuple[list[int], int]] = field(default_factory=dict)

    def first(self, seen: int) -> int:
        """The node after the first sight."""
        if seen not in self.begin:
            raise Refused(f"the controller of seat {self.seat} has no first node for sight {seen}")
        return self.begin[seen]

    def after(self, node: int, action: int, seen: int) -> int:
        """The node after an own action (IDLE = did not act) and a sight."""
        key = (node, action, seen)
        if key not in self.arrow:
            did = "not acting" if action == IDLE else f"action {action}"
            missing = f"arrow from node {node} after {did} and sight {seen}"
            raise Refused(f"the controller of seat {self.seat} has no {missing}")
        return self.arrow[key]

    def act(self, node: int, menu: int, actions: tuple[int, ...]) -> tuple[list[int], int]:
        """Exact proportions over the menu's actions, and their sum; uniform when nothing weighs anything."""
        key = (node, menu)
        if key not in self.known:
            weights = self.choice.get(key, {})
            self.known[key] = shares([weights.get(action, 0.0) for action in actions])
        return self.known[key]


def read_controller(certificate: Mapping[str, Array], seat: int) -> Controller:
    """The controller of a seat; Refused when two entries answer one question."""
    begin = {cut[0]: cut[1] for cut in _lines(certificate, f"begin_{seat}", 2)}
    arrow = {cut[:3]: cut[3] for cut in _lines(certificate, f"arrow_{seat}", 4)}
    keys = _lines(certificate, f"choice_{seat}_key", 3)
    choice: dict[tuple[int, int], dict[int, float]] = {}
    for (node, menu, action), weight in zip(keys, floats(certificate, f"choice_{seat}_weight", len(keys))):
        choice.setdefault((node, menu), {})[action] = weight
    read = [("begin", len(begin)), ("arrow", len(arrow)), ("choice", sum(map(len, choice.values())))]
    for name, kept in read:
        member = f"{name}_{seat}_key" if name == "choice" else f"{name}_{seat}"
        if kept != certificate[member].shape[0]:
            raise Refused(f"{member!r} answers one question twice")
    return Controller(seat, begin, arrow, choice)


def _lines(certificate: Mapping[str, Array], name: str, width: int) -> list[tuple[int, ...]]:
    count, _ = shape(certificate, name, 2)
    return lines(integers(certificate, name, count, width), width, count)
