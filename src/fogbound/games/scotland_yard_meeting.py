"""Whether Scotland Yard's thief can be caught at all: everybody must move, and on many maps that keeps some apart.

A start that is worth nothing is easily overlooked, so the game warns of it.
"""

from __future__ import annotations

from fogbound.games.scotland_yard_tickets import Force, Purse, rides
from fogbound.games.scotland_yard_town import Cops, Town


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
    found = set()
    for cop in beat:
        goals = [(goal, left) for _, goal, left in rides(town, *cop)]
        found.update(goals or ([cop] if waits else []))
    return found
