"""Values of a Markov chain as the solution of v = r + P v: the one place where such a system is factorised.

P holds the probabilities of moving on, times the discount; what leads out of it ends the game. With the factors of
I - P at hand, `solve(r)` gives values and `solve(s, trans="T")` expected visits, x = s + x P.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

AT_ONCE = 2_000  # rows that are factorised in a moment
LOOK_UP = 0.05  # seconds between two looks at whether to stop


def factorised(moves: csr_matrix) -> Any:
    """The factors of I - `moves`; RuntimeError where that is singular, since play need not end then.

    Factors may fill up, and SuperLU cannot be interrupted: those of a large system are computed in a thread, so that
    `Stopped` need not wait for them. The thread then ends when they are there, and nobody takes them.
    """
    from scipy.sparse import eye
    from scipy.sparse.linalg import splu

    system = (eye(moves.shape[0], format="csr") - moves).tocsc()
    return splu(system) if moves.shape[0] <= AT_ONCE else _beside(splu, system)


def _beside(compute: Callable[[Any], Any], given: Any) -> Any:
    """What a function that releases the interpreter returns or raises, asked every moment whether to stop."""
    done: Future[Any] = Future()

    def run() -> None:
        try:
            done.set_result(compute(given))
        except Exception as fault:
            done.set_exception(fault)

    Thread(target=run, daemon=True).start()
    while True:
        check()
        with suppress(TimeoutError):
            return done.result(LOOK_UP)


def fixed_point(moves: csr_matrix, reward: Floats) -> Floats | None:
    """The v with v = reward + moves v; None where it has no finite solution."""
    try:
        value: Floats = np.asarray(factorised(moves).solve(reward))
    except RuntimeError:
        return None
    return value if np.isfinite(value).all() else None
