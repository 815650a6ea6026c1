"""A Markov game from the arrays that books and other programs write: transitions, rewards, a discount."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fogbound.core.contract import require_discount
from fogbound.core.errors import FormError, LimitError, brief
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.markov import MarkovGame
from fogbound.forms.table import MOST_STATES


def markov_from_arrays(
    transition: Any,
    reward: Any,
    discount: float,
    start: Any = None,
    players: Sequence[str] = (),
    spec: str = "arrays",
    limit: int = MOST_STATES,
) -> MarkovGame:
    """The Markov game with these transitions and rewards; every action is legal everywhere.

    Parameters
    ----------
    transition
        [S, A_1, …, A_n, S] the probability of each next state; or a sparse matrix with the same rows, one for each
        state and joint action. A state from which nothing follows at all is an end.
    reward
        [n, S, A_1, …, A_n] what each player is paid. Without the first axis: what the only player is paid, or what the
        first of two is paid by the second.
    discount
        Step t counts discount**t.
    start
        [S] how likely play begins in each state, or the number of the state; all alike by default. States that cannot
        be reached from there are left out.
    players
        Their names.
    spec
        What the model is called.
    limit
        How many states there may be.

    Returns
    -------
    MarkovGame
        `as_game()` makes a game of it, which can be played.

    Raises
    ------
    FormError
        Shapes do not fit, or probabilities do not sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> import fogbound as fb
    >>> form = fb.forms.markov_from_arrays(np.ones((1, 2, 2, 1)), np.array([[[3.0, 0.0], [0.0, 1.0]]]), 0.9)
    >>> round(fb.solve(form, "shapley", gap=1e-9).value, 6)
    7.5
    """
    from scipy.sparse import csr_matrix, issparse

    require_discount(spec, discount, zero=True)
    rewards = np.asarray(reward, np.float64)
    shape, payoffs = _shapes(spec, transition, rewards)
    size, count = shape[0], int(np.prod(shape[1:]))
    moves = csr_matrix(transition if issparse(transition) else np.asarray(transition, np.float64).reshape(-1, size))
    moves.eliminate_zeros()
    moves.sum_duplicates()
    if size > limit:
        raise LimitError(f"{spec}: {size:,} states, over the limit of {limit:,}; raise limit=")
    _require_rows(spec, moves, payoffs, count)
    begun = _begun(spec, start, size)
    kept, moves, payoffs = _reached(moves, payoffs, begun, count)
    live = np.add.reduceat(np.diff(moves.indptr), np.arange(len(kept)) * count) > 0
    on = np.repeat(live, count)
    n = len(shape) - 1
    moves = moves[np.flatnonzero(on)]
    return MarkovGame(
        spec=spec,
        players=tuple(players) or tuple(f"player-{i}" for i in range(n)),
        discount=float(discount),
        width=np.where(live[:, None], shape[1:], 0).astype(np.int32),
        out=moves.indptr.astype(np.int64),
        next=moves.indices.astype(np.int64),
        prob=moves.data,
        reward=np.ascontiguousarray(payoffs[on]),
        start=begun[kept],
        paid=np.zeros(n),
        legal=np.where(live[:, None], np.arange(n), -1).astype(np.int32),
        legal_sets=tuple(tuple(range(wide)) for wide in shape[1:]),
        states=kept.tolist(),
    )


def _shapes(spec: str, transition: Any, rewards: Floats) -> tuple[tuple[int, ...], Floats]:
    """((S, A_1, …, A_n), [S·A_1⋯A_n, n] rewards)."""
    found = tuple(transition.shape) if hasattr(transition, "shape") else np.asarray(transition).shape
    for several in (True, False):
        shape = rewards.shape[1:] if several else rewards.shape
        rows, n = int(np.prod(shape)), len(shape) - 1
        if n < 1 or not rows or found not in ((rows, shape[0]), (*shape, shape[0])):
            continue
        if several and rewards.shape[0] == n:
            return shape, rewards.reshape(n, rows).T
        if not several and n <= 2:
            flat = rewards.reshape(rows)
            return shape, np.stack([flat, -flat][:n], axis=1)
    raise FormError(
        f"{spec}: found transitions of shape {found} and rewards of shape {rewards.shape}, expected "
        "[S, A_1, …, A_n, S] and [n, S, A_1, …, A_n]"
    )


def _require_rows(spec: str, moves: Any, payoffs: Floats, count: int) -> None:
    """Refuse what is no distribution or no number."""
    sums = np.asarray(moves.sum(axis=1)).ravel()
    per_state = sums.reshape(-1, count)
    ended = ~per_state.any(axis=1)
    if not np.isfinite(payoffs).all() or not np.isfinite(moves.data).all() or (moves.data < 0).any():
        raise FormError(f"{spec}: found a negative probability, or something that is no number")
    wrong = np.flatnonzero((np.abs(per_state - 1.0) > 1e-9).any(axis=1) & ~ended)
    if len(wrong):
        total = per_state[wrong[0]][np.abs(per_state[wrong[0]] - 1).argmax()]
        raise FormError(f"{spec}: probabilities of state {wrong[0]} sum to {total:.12g}, expected 1, or 0 at an end")


def _begun(spec: str, start: Any, size: int) -> Floats:
    """[S] how likely play begins in each state."""
    if start is None:
        return np.full(size, 1.0 / size)
    begun = np.zeros(size)
    given = np.asarray(start)
    if given.ndim == 0 and given.dtype.kind in "iu" and 0 <= int(given) < size:
        begun[int(given)] = 1.0
        return begun
    if given.shape != (size,) or not (given >= 0).all() or abs(given.sum() - 1) > 1e-9:
        raise FormError(f"{spec}: start is {brief(start)}, expected a state or {size} probabilities that sum to 1")
    return given.astype(np.float64)


def _reached(moves: Any, payoffs: Floats, begun: Floats, count: int) -> tuple[Longs, Any, Floats]:
    """The states that play can come to, and their rows."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order

    size = len(begun)
    state = np.repeat(np.arange(size), np.add.reduceat(np.diff(moves.indptr), np.arange(size) * count))
    opening = np.flatnonzero(begun > 0)
    source = np.concatenate([np.full(len(opening), size), state])
    target = np.concatenate([opening, moves.indices])
    graph = csr_matrix((np.ones(len(source)), (source, target)), shape=(size + 1, size + 1))
    kept = np.sort(breadth_first_order(graph, size, return_predecessors=False))[:-1].astype(np.int64)
    if len(kept) == size:
        return kept, moves, payoffs
    rows = (kept[:, None] * count + np.arange(count)).ravel()
    return kept, moves[rows][:, kept].tocsr(), payoffs[rows]
