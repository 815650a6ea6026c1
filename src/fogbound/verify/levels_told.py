"""What a seat is told of an outcome in a ladder of levels: its sight, and what is asked of it next.

A bare sight need not tell a seat whether it is asked next. In the game it knows in time: when asked it is shown its
menu, and when it is not, the next sight comes without a question before. So a controller that is told so is a policy
of the game, and no policy of the game needs more.
"""

from dataclasses import replace

from .table import Line, Table

NOT_ASKED, OVER = -1, -2


def with_menus(table: Table, menus: int) -> Table:
    """The table in which each seat is told sight * (menus + 2) + menu + 2; menu may be NOT_ASKED or OVER.

    `menus` is how many the whole table has, so no two pairs of sight and menu share a number.
    """
    offers = [_offers(table, state) for state in range(len(table.actors))]
    told = [
        tuple(sight * (menus + 2) + menu + 2 for sight, menu in zip(sights, offers[state]))
        for sights, state in zip(table.told, table.next)
    ]
    return replace(table, told=told)


def _offers(table: Table, state: int) -> Line:
    """The menu of each seat in a state."""
    offered = dict(zip(table.actors[state], table.offered[state]))
    return tuple(offered.get(seat, NOT_ASKED if offered else OVER) for seat in range(table.players))
