"""What the seeing player of a one-sided game is granted beyond what the game itself shows it."""

from __future__ import annotations

from fogbound.forms.one_sided_joint import Joint
from fogbound.forms.view import view


def granted(game: Joint) -> str:
    """In words what the form shows it that the game does not; "" where it sees everything anyway.

    It sees everything when its sight of a step, the state and its own action leave open neither the next state nor
    what the blind player did and saw: the blind player's belief follows from these, and good replies from that.
    """
    from fogbound.kernels.told import untold

    table, mine = game.table, game.mine
    theirs = view(table, 1 - mine.seat)
    steps = (table.row, table.out, table.next, table.crew, game.wide, game.tall, mine.seat)
    states, doings = untold(*steps, mine.obs, theirs.obs, len(theirs.observations))
    if not states and not doings:
        return ""
    blind, seeing = table.players[mine.seat], table.players[theirs.seat]
    what = " and of ".join(["the state"] * states + [f"what {blind} does and sees"] * doings)
    return f"{seeing} is granted sight of {what}, so values are lower bounds of what {blind} can secure"
