"""Whether play can come back to a state or go on for ever, and where it is over in all but name.

Formats without a word for the end write it as states that cannot be left and pay nothing, and so may an author of
rules. Without a discount the end must be known as one, since play that never ends has no steps to count. It changes no
value: what is worth nothing whatever is done adds nothing, whether one knows to be there or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.arrays import Floats, Ints, Longs

FEW = 64  # steps back from pay that are cheap one by one, without a graph


def topological_order(form: Any) -> tuple[NDArray[np.int32], int]:
    """([S] the states of a form with `row`, `out` and `next`, successors first; -1, or a state that can recur).

    Where a state can recur the order is not complete: play need not end within a bounded number of steps.
    """
    from fogbound.forms.kernels.tree import order_states

    size = len(form.row) - 1
    order, work = np.empty(size, np.int32), [np.zeros(size, np.int32) for _ in range(3)]
    recurring = order_states(form.row, form.out, form.next, order, *work)
    return order, int(recurring)


def endless_states(row: Ints, out: Ints, next_: Ints, prob: Floats) -> Longs:
    """States from which some choice of rows keeps play going for ever: the largest set that can keep to itself.

    Parameters
    ----------
    row : [S+1]
        Where the rows of a state begin; rows before the first belong to none.
    out : [R+1]
        Where the outcomes of a row begin; each has at least one.
    next_, prob : [O]
        The state that follows, and the probability of the outcome.
    """
    states = len(row) - 1
    live = np.flatnonzero(np.diff(row) > 0)
    inside, impossible = np.diff(row) > 0, prob <= 0
    while True:
        keeps = np.zeros(states, bool)
        if len(live):
            stays = np.logical_and.reduceat(inside[next_] | impossible, out[:-1])  # [R] all successors inside
            keeps[live] = np.logical_or.reduceat(stays, row[live]) & inside[live]
        if (keeps == inside).all():
            return np.flatnonzero(inside)
        inside = keeps


def still_paid(paying: NDArray[np.bool_], source: Ints, to: Ints) -> NDArray[np.bool_]:
    """[S] the states from which one that pays can be reached; the others can only lead to each other.

    Parameters
    ----------
    paying
        [S] whether something that can be done in a state is paid, or costs.
    source, to
        [steps] the states that a step with a positive probability leads from, and to.
    """
    known = paying.copy()
    for _ in range(FEW):
        before = known[to] & ~known[source]
        if not before.any():
            return known
        known[source[before]] = True
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import breadth_first_order

    size, begun = len(paying), np.flatnonzero(known)
    above = np.full(len(begun), size)  # a state before all that pay, and every step backwards
    rows, columns = np.concatenate([above, to]), np.concatenate([begun, source])
    back = coo_matrix((np.ones(len(rows), bool), (rows, columns)), shape=(size + 1, size + 1))
    met = breadth_first_order(back.tocsr(), size, return_predecessors=False)
    reached = np.zeros(size + 1, bool)
    reached[met] = True
    return reached[:size]


def unpaid_rounds(paying: NDArray[np.bool_], source: Ints, to: Ints) -> NDArray[np.bool_]:
    """[S] the states from which nothing can be paid any more, where play can go round among them; otherwise none.

    Parameters
    ----------
    paying, source, to
        As `still_paid` takes them; a round has a step to a state that is numbered no higher.
    """
    if not ((to <= source) & ~paying[source] & ~paying[to]).any():
        return np.zeros(len(paying), bool)
    over = ~still_paid(paying, source, to)
    inside = over[source]
    if not (to <= source)[inside].any():
        return np.zeros(len(paying), bool)
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    ends, size = (source[inside], to[inside]), len(paying)
    steps = coo_matrix((np.ones(int(inside.sum()), bool), ends), shape=(size, size))
    alone = connected_components(steps, connection="strong", return_labels=False) == size
    return np.zeros(size, bool) if alone and not (ends[0] == ends[1]).any() else over
