"""What the seeing player of a one-sided game is granted beyond what the game itself shows it."""

from __future__ import annotations

import numpy as np

from fogbound.forms.one_sided_joint import Joint


def granted(game: Joint) -> str:
    """In words what the form shows it that the game does not; "" where it sees everything anyway.

    It sees everything when its sight of a step, the state and its own action leave open neither the next state nor
    what the blind player did and saw: the blind player's belief follows from these, and good replies from that.
    """
    table, theirs, mine = game.table, game.theirs, game.mine
    goes_on = table.crew[table.next] != 0
    row = game.row[goes_on]
    key = (game.state[row] + 1) * (int(game.tall.max(initial=1)) + 1) + game.reply[row]
    key = key.astype(np.int64) * len(theirs.observations) + theirs.obs[goes_on]
    order = np.argsort(key, kind="stable")
    alike = np.diff(key[order]) == 0
    side = game.move[row] * len(mine.observations) + mine.obs[goes_on]
    states = bool((alike & (np.diff(table.next[goes_on][order]) != 0)).any())
    doings = bool((alike & (np.diff(side[order]) != 0)).any())
    if not states and not doings:
        return ""
    blind, seeing = table.players[mine.seat], table.players[theirs.seat]
    what = " and of ".join(["the state"] * states + [f"what {blind} does and sees"] * doings)
    return f"{seeing} is granted sight of {what}, so values are lower bounds of what {blind} can secure"
