"""A town for Scotland Yard: nodes, edges by transport, where everybody starts and can go, and who can ever meet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

Edge = tuple[int, int]
Cops = tuple[int, ...]  # their nodes, ascending
TRANSPORTS = ("taxi", "bus", "underground")


@dataclass(frozen=True)
class Town:
    """A map with where the cops and the thief start; `edges` by transport, in the order of `TRANSPORTS`."""

    nodes: int
    edges: tuple[tuple[Edge, ...], ...]
    cops: Cops
    thief: int
    discount: float = 0.95

    @cached_property
    def stops(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """The edges from each node: the number of the transport and where it goes."""
        found: list[list[tuple[int, int]]] = [[] for _ in range(self.nodes)]
        for kind, edges in enumerate(self.edges):
            for one, other in edges:
                found[one].append((kind, other))
                found[other].append((kind, one))
        return tuple(map(tuple, found))

    @cached_property
    def ways(self) -> tuple[tuple[str, ...], ...]:
        """The thief's moves from each node: a transport and where it takes him; `stay` where none stops."""
        return tuple(
            tuple(f"{TRANSPORTS[kind]} {goal}" for kind, goal in stops) or (f"stay {node}",)
            for node, stops in enumerate(self.stops)
        )

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The nodes one step away, each once, by whatever transport."""
        return tuple(tuple(sorted({int(way.split()[1]) for way in ways})) for ways in self.ways)

    def rounds(self, cops: Cops) -> tuple[Cops, ...]:
        """The sets of nodes to which the cops can go together, no two to one: all of them, or as many as can."""
        waiting: dict[frozenset[int], int] = {frozenset(): 0}  # how many stay at least, by where they get
        for cop in cops:
            grown: dict[frozenset[int], int] = {}
            options = [(goal, 0) for goal in self.neighbours[cop]] + [(cop, 1)]
            for (goals, stayed), (goal, stays) in product(waiting.items(), options):
                if goal not in goals:
                    together = goals | {goal}
                    grown[together] = min(grown.get(together, len(cops)), stayed + stays)
            waiting = grown
        fewest = min(waiting.values())
        return tuple(sorted(tuple(sorted(goals)) for goals, stayed in waiting.items() if stayed == fewest))

    def may_meet(self, cops: Cops, thief: int) -> bool:
        """Some walk of even length joins a cop and the thief: moving at the same time they can meet in its middle.

        On a map with two sides between which every edge leads (a grid, rings of even length) half of all starts have
        none: whoever moves changes sides, so those who are on different ones stay so.
        """
        reached, fresh = {(thief, 0)}, [(thief, 0)]
        while fresh:
            node, odd = fresh.pop()
            found = {(to, 1 - odd) for to in self.neighbours[node]} - reached
            reached |= found
            fresh += found
        return any((cop, 0) in reached for cop in cops)
