"""The partitions of a one-sided game: what the blind player knows whatever has happened, as it is found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.core.game import Seen
from fogbound.forms.one_sided_joint import Joint
from fogbound.forms.one_sided_menus import check_menus
from fogbound.forms.table import Floats, Ints


@dataclass(frozen=True, eq=False)
class Known:
    """N members, which are states in which play goes on, sorted by their partition.

    A state has one member, and one more for each first sight that must be remembered: where two first sights lead
    into one partition, or one into several, what begins so is a partition of its own. Play never returns to it, so
    nothing is forgotten of the start, and nothing that only the start confuses stays confused.
    """

    state: Ints  # [N] the table's state
    part: Ints  # [N] its partition
    place: Ints  # [S] the member to which steps lead; -1 = none does, or play is over there
    start: Floats  # [N] probability that play begins there
    opening: dict[int, Seen]  # partitions in which play may begin: what is seen then


def known(game: Joint) -> Known:
    """Unite what the blind player cannot tell apart. GameError where its legal actions would tell it."""
    from fogbound.kernels.partition import confusable

    table = game.table
    move, moves = game.digits(game.mine.seat), int(game.wide.max(initial=1))
    steps = (table.row, move, table.out, table.next, game.mine.obs)
    label = confusable(*steps, moves, len(game.mine.observations))
    check_menus(game, label)
    sights = _first_sights(game)
    shared = _shared(game, sights, label)
    apart = [np.unique(table.next[begun]) for sight, begun in sights.items() if sight not in shared]
    return _members(game, label, sights, shared, apart)


def _first_sights(game: Joint) -> dict[int, Ints]:
    """The outcomes of the start with which play goes on, by what the blind player sees of them."""
    table = game.table
    begun = np.flatnonzero(table.crew[table.next[: table.out[1]]] != 0)
    begun = begun[np.argsort(game.mine.obs[begun], kind="stable")]
    seen = game.mine.obs[begun]
    heads = np.flatnonzero(np.diff(seen, prepend=-1))
    return {int(seen[head]): lot for head, lot in zip(heads, np.split(begun, heads[1:]))}


def _shared(game: Joint, sights: dict[int, Ints], label: Ints) -> dict[int, int]:
    """The first sights that leave the player with what it may know later too, each with that set's label."""
    found: dict[int, int] = {}
    taken = set[int]()
    for sight, begun in sights.items():
        labels = set(label[game.table.next[begun]].tolist())
        if len(labels) == 1 and not labels & ({-1} | taken):
            found[sight] = min(labels)
            taken |= labels
    return found


def _members(game: Joint, label: Ints, sights: dict[int, Ints], shared: dict[int, int], apart: list[Ints]) -> Known:
    """Number the members: first those of openings apart, then states by the partition that came up first."""
    table = game.table
    live = np.flatnonzero((label[: table.size] >= 0) & (table.crew != 0))
    _, head, block = np.unique(label[live], return_index=True, return_inverse=True)
    rank = np.empty(len(head), np.int64)
    rank[np.argsort(head)] = np.arange(len(head))
    order = np.argsort(rank[block], kind="stable")
    ahead = np.repeat(np.arange(len(apart)), [len(lot) for lot in apart])
    state = np.concatenate([*apart, live[order]]).astype(np.int64)
    part = np.concatenate([ahead, len(apart) + rank[block][order]]).astype(np.int64)
    place = np.full(table.size, -1)
    place[live[order]] = len(ahead) + np.arange(len(live))
    start, opening = np.zeros(len(state)), dict[int, Seen]()
    offset, waiting = 0, iter(apart)
    for sight, begun in sights.items():
        member = place[table.next[begun]]
        if sight not in shared:
            lot = next(waiting)
            member, offset = offset + np.searchsorted(lot, table.next[begun]), offset + len(lot)
        np.add.at(start, member, table.prob[begun])
        opening[int(part[member[0]])] = game.mine.observations[sight][0]
    return Known(state, part, place, start, opening)
