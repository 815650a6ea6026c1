"""How likely each candidate is to have left a log of games."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fogbound.arena.levels.histories import Histories
from fogbound.arena.levels.shown import shown
from fogbound.arena.levels.unseen import unseen
from fogbound.arena.log import Record
from fogbound.core.errors import FormError
from fogbound.core.policy import Player
from fogbound.forms.table import Floats, Table


def histories_for(table: Table, seat: int, log: Sequence[Record], view: int | None = None) -> Histories:
    """What a log tells about `seat`: its own histories, or with a `view` only those of the other seat."""
    players = len(table.players)
    if view is not None and (players != 2 or view != 1 - seat):
        raise FormError(
            f"{table.spec} has {players} players and the view is seat {view}'s, expected 2 players and the other "
            f"seat than {seat}; leave the view out where the log holds what seat {seat} saw"
        )
    return Histories(table, seat if view is None else view, log)


def log_likelihoods(histories: Histories, seat: int, policies: Sequence[Player]) -> Floats:
    """[games, policies] the log likelihood of each game if `seat` played each policy; minus infinity where it cannot.

    From the seat's own histories: the probability of its moves. From the other's: of all that the other saw, given
    the other's moves. Only differences between policies mean anything.
    """
    judge = shown if histories.seat == seat else unseen
    columns = [judge(histories, policy)[histories.end] for policy in policies]
    return np.stack(columns, axis=1) if columns else np.zeros((len(histories.end), 0))
