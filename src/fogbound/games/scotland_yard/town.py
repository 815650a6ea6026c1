"""A town for Scotland Yard: nodes, edges by transport, where everybody starts and can go, and who can ever meet.

Tickets for Scotland Yard's cops: where they can ride together, and what that leaves them.

Variant A of document 002, section 3.1: a cop rides an edge only with a ticket for it, and loses the ticket.

Whether Scotland Yard's thief can be caught at all: everybody must move, and on many maps that keeps some apart.

A start that is worth nothing is easily overlooked, so the game warns of it.
"""

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
        lines: list[list[tuple[int, int]]] = [[] for _ in range(self.nodes)]
        for kind, edges in enumerate(self.edges):
            for one, other in edges:
                lines[one].append((kind, other))
                lines[other].append((kind, one))
        return tuple(map(tuple, lines))

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
            further = {(to, 1 - odd) for to in self.neighbours[node]} - reached
            reached |= further
            fresh += further
        return any((cop, 0) in reached for cop in cops)


Purse = tuple[int, ...]  # a cop's tickets, by transport
Purses = tuple[Purse, ...]  # in the order of the cops
Force = tuple[Cops, Purses]
Placed = tuple[tuple[int, Purse], ...]  # a force, cop by cop
Rides = tuple[str, ...]  # "taxi 4" or "stay 2", in the order of the cops


def rides(town: Town, node: int, purse: Purse) -> list[tuple[str, int, Purse]]:
    """What one cop can do from here: the words for it, where it leads, and the tickets left."""
    return [
        (f"{TRANSPORTS[kind]} {goal}", goal, tuple(count - (at == kind) for at, count in enumerate(purse)))
        for kind, goal in town.stops[node]
        if purse[kind]
    ]


def rounds(town: Town, force: Force) -> dict[Rides, Force]:
    """What the cops can do together, no two to one node, as many moving as can; nothing where none can.

    Cops are interchangeable: of several ways to the same nodes with the same tickets left there is one.
    """
    waiting: dict[Placed, tuple[int, Rides]] = {(): (0, ())}  # how many stay and what all do, by where they get
    for cop, purse in zip(*force):
        grown: dict[Placed, tuple[int, Rides]] = {}
        options = [(0, *ride) for ride in rides(town, cop, purse)] + [(1, f"stay {cop}", cop, purse)]
        for (placed, (stayed, words)), (stays, word, goal, left) in product(waiting.items(), options):
            if all(goal != taken for taken, _ in placed):
                together = tuple(sorted((*placed, (goal, left))))
                way = (stayed + stays, (*words, word))
                grown[together] = min(grown.get(together, way), way)
        waiting = grown
    fewest = min(stayed for stayed, _ in waiting.values())
    if fewest == len(force[0]):
        return {}
    fewest_waits = ((words, placed) for placed, (stayed, words) in sorted(waiting.items()) if stayed == fewest)
    return {
        words: (tuple(cop for cop, _ in placed), tuple(left for _, left in placed)) for words, placed in fewest_waits
    }


def hopeless(town: Town, cops: Cops, thief: int, tickets: Purse) -> str:
    """Why the thief cannot be caught; "" where he can. That cops who block each other have to wait is left aside."""
    if tickets and not may_meet(town, (cops, (tickets,) * len(cops)), thief):
        why = f"with tickets {tickets} no cop from {cops} is ever where the thief from {thief} can be"
        what = "unless one cop is in another's way he cannot be caught; give more tickets, or move him or a cop"
    elif not tickets and not town.may_meet(cops, thief):
        why = f"no walk of an even number of steps leads from a cop in {cops} to the thief in {thief}"
        what = "while all of them move he cannot be caught; move him, or a cop, to a neighbouring node"
    else:
        return ""
    return f"{why}, so {what}"


def may_meet(town: Town, force: Force, thief: int) -> bool:
    """Some cop can be where the thief is after a step that is still played, as long as no cop is in another's way.

    Who has no ticket for any edge waits as long as another cop rides. That changes the parity, which otherwise keeps
    the two sides of a map apart.
    """
    beats, hideouts = [{cop} for cop in zip(*force)], {thief}  # where each can be after so many steps
    while True:
        riding = {at for at, beat in enumerate(beats) if any(rides(town, *cop) for cop in beat)}
        if not riding:
            return False
        hideouts = {goal for node in hideouts for goal in town.neighbours[node]}
        beats = [_after(town, beat, waits=bool(riding - {at})) for at, beat in enumerate(beats)]
        if any(node in hideouts for beat in beats for node, _ in beat):
            return True


def _after(town: Town, beat: set[tuple[int, Purse]], waits: bool) -> set[tuple[int, Purse]]:
    """Where a cop can be one step later; one who cannot ride only where the game goes on without it."""
    places = set()
    for cop in beat:
        goals = [(goal, left) for _, goal, left in rides(town, *cop)]
        places.update(goals or ([cop] if waits else []))
    return places
