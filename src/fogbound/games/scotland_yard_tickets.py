"""Tickets for Scotland Yard's cops: where they can ride together, and what that leaves them.

Variant A of document 002, section 3.1: a cop rides an edge only with a ticket for it, and loses the ticket.
"""

from __future__ import annotations

from itertools import product

from fogbound.games.scotland_yard_town import TRANSPORTS, Cops, Town

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
    found = ((words, placed) for placed, (stayed, words) in sorted(waiting.items()) if stayed == fewest)
    return {words: (tuple(cop for cop, _ in placed), tuple(left for _, left in placed)) for words, placed in found}
