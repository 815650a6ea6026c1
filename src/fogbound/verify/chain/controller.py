"""A finite-memory controller: how one player plays a game that need not end."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..arithmetic import shares
from ..arrays import Array, Refused, every_line, floats

IDLE = -1


@dataclass(frozen=True)
class Controller:
    """Nodes are the memory; arrows say where a node goes after the own action (or IDLE) and what the player is told.

    What that is, the table says (`Table.observation`): a bare observation, or more.
    """

    player: int
    begin: dict[int, int]
    arrow: dict[tuple[int, ...], int]
    choice: dict[tuple[int, int], dict[int, float]]  # (node, list of legal actions) -> weight of each action
    known: dict[tuple[int, int], tuple[list[int], int]] = field(default_factory=dict)

    def first(self, seen: int) -> int:
        """The node after the first observation."""
        if seen not in self.begin:
            raise Refused(f"the controller of player {self.player} has no first node for observation {seen}")
        return self.begin[seen]

    def after(self, node: int, action: int, seen: int) -> int:
        """The node after an own action (IDLE = did not act) and an observation."""
        key = (node, action, seen)
        if key not in self.arrow:
            did = "not acting" if action == IDLE else f"action {action}"
            missing = f"arrow from node {node} after {did} and observation {seen}"
            raise Refused(f"the controller of player {self.player} has no {missing}")
        return self.arrow[key]

    def act(self, node: int, legal: int, actions: tuple[int, ...]) -> tuple[list[int], int]:
        """Exact proportions over the legal actions, and their sum; uniform when nothing weighs anything."""
        key = (node, legal)
        if key not in self.known:
            weights = self.choice.get(key, {})
            self.known[key] = shares([weights.get(action, 0.0) for action in actions])
        return self.known[key]


def read_controller(certificate: Mapping[str, Array], player: int) -> Controller:
    """The controller of a player, where there is one a player."""
    moves = read_automaton(certificate, player, (f"arrow_{player}", f"choice_{player}_key", f"choice_{player}_weight"))
    return begun(certificate, f"begin_{player}", moves)


def read_automaton(certificate: Mapping[str, Array], player: int, names: tuple[str, str, str]) -> Controller:
    """All but the beginning of a controller, in the three arrays of these names: several may share it."""
    arrows, keys = every_line(certificate, names[0], 4), every_line(certificate, names[1], 3)
    choice: dict[tuple[int, int], dict[int, float]] = {}
    for (node, legal, action), weight in zip(keys, floats(certificate, names[2], len(keys))):
        choice.setdefault((node, legal), {})[action] = weight
    arrow = {cut[:3]: cut[3] for cut in arrows}
    _once(names[0], len(arrow), len(arrows))
    _once(names[1], sum(map(len, choice.values())), len(keys))
    return Controller(player, {}, arrow, choice)


def begun(certificate: Mapping[str, Array], name: str, automaton: Controller) -> Controller:
    """The controller that begins as this array says; what is worked out for a node serves all that share it."""
    starts = every_line(certificate, name, 2)
    begin = {cut[0]: cut[1] for cut in starts}
    _once(name, len(begin), len(starts))
    return replace(automaton, begin=begin)


def _once(name: str, kept: int, given: int) -> None:
    if kept != given:
        raise Refused(f"{name!r} answers one question twice")
