"""Values of a Markov chain as the solution of v = r + P v: the one place where such a system is factorised.

P holds the probabilities of moving on, times the discount; what leads out of it ends the game. With the factors of
I - P at hand, `solve(r)` gives values and `solve(s, trans="T")` expected visits, x = s + x P.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.forms.arrays import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def factorised(moves: csr_matrix) -> Any:
    """The factors of I - `moves`; RuntimeError where that is singular, since play need not end then."""
    from scipy.sparse import eye
    from scipy.sparse.linalg import splu

    return splu((eye(moves.shape[0], format="csr") - moves).tocsc())


def fixed_point(moves: csr_matrix, reward: Floats) -> Floats | None:
    """The v with v = reward + moves v; None where it has no finite solution."""
    try:
        value: Floats = np.asarray(factorised(moves).solve(reward))
    except RuntimeError:
        return None
    return value if np.isfinite(value).all() else None
