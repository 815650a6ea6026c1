"""Whether the blind player's legal actions follow from what it has seen: one sight, one menu (or not being asked)."""

from __future__ import annotations

import numpy as np

from fogbound.core.errors import GameError
from fogbound.forms.knowledge import clash
from fogbound.forms.one_sided_joint import Joint
from fogbound.forms.one_sided_layout import spread
from fogbound.forms.table import Ints
from fogbound.forms.view import View


def check_menus(game: Joint, label: Ints) -> None:
    """GameError for two states that look alike to the blind player and offer it different actions.

    label [S + outcomes of the start]: what the player knows in a state, and after a start, as
    `kernels.partition.confusable` finds it.
    """
    if _several(game.mine).any() and _clash(game, label):
        _name(game, label)


def _clash(game: Joint, label: Ints) -> bool:
    from fogbound.kernels.menus import menus_clash

    table, mine = game.table, game.mine
    state = np.concatenate([np.arange(table.size), table.next[: table.out[1]]])
    order = np.argsort(label, kind="stable")
    order = order[np.count_nonzero(label < 0) :]
    steps = (table.row, table.out, table.next, table.event, np.ascontiguousarray(table.seen[:, mine.seat]))
    offers = (mine.menu, game.wide, game.tall, mine.seat)
    return bool(menus_clash(*steps, *offers, label[order], state[order], len(table.sights[mine.seat])))


def _name(game: Joint, label: Ints) -> None:
    """GameError with the first two states that clash."""
    table, seat = game.table, game.mine.seat
    suspects = np.flatnonzero(_several(game.mine)[game.mine.obs])
    state = np.concatenate([np.arange(table.size), table.next[: table.out[1]], [table.size]])
    known = np.append(label, label.max() + 1)  # the last is what is known before the start
    order = np.argsort(state, kind="stable")
    order = order[known[order] >= 0]
    first = np.searchsorted(state[order], np.arange(table.size + 2))
    source = game.origin(suspects)[1]
    source = np.where(source < 0, table.size, source)
    count = np.diff(first)[source]
    outcome = np.repeat(suspects, count)
    before = known[order[spread(first[source], count)]]
    key = (before * (int(game.wide.max()) + 1) + game.move[game.origin(outcome)[0]]) * len(table.sights[seat])
    key += table.seen[table.event[outcome], seat]
    menu = game.mine.menu[table.next[outcome]]
    order = np.lexsort((menu, key))
    wrong = np.flatnonzero((np.diff(key[order]) == 0) & (np.diff(menu[order]) != 0))
    one, other = ((int(table.next[outcome[k]]), int(menu[k])) for k in (order[wrong[0]], order[wrong[0] + 1]))
    raise GameError(clash(table, seat, one, other))


def _several(view: View) -> Ints:
    """[observations] 1 where the player is asked, and its sight also comes with another menu."""
    menus: dict[object, set[int]] = {}
    for seen, menu in view.observations:
        if menu >= 0:
            menus.setdefault(seen, set()).add(menu)
    return np.array([menu >= 0 and len(menus[seen]) > 1 for seen, menu in view.observations], np.int64)
