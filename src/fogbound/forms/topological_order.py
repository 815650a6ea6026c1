"""States in an order in which each stands after all that may follow it, where there is one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def topological_order(form: Any) -> tuple[NDArray[np.int32], int]:
    """([S] the states of a form with `row`, `out` and `next`, successors first; -1, or a state that can recur).

    Where a state can recur the order is not complete: play need not end within a bounded number of steps.
    """
    from fogbound.forms.kernels.tree import order_states

    size = len(form.row) - 1
    order, work = np.empty(size, np.int32), [np.zeros(size, np.int32) for _ in range(3)]
    recurring = order_states(form.row, form.out, form.next, order, *work)
    return order, int(recurring)
