"""The alpha vectors of an answer, on the POMDP that they are over."""

from __future__ import annotations

from fogbound.core.errors import PolicyError
from fogbound.driver.solution import Solution
from fogbound.forms.pomdp import POMDP
from fogbound.policies.alpha_vectors import AlphaVectors, StoredVectors

ROUNDING = 1e-6  # of the largest reward: by how much vectors may miss the bounds of their answer


def answer_vectors(solution: Solution, form: POMDP) -> AlphaVectors | None:
    """The vectors of an answer: those that stayed with it, or its policy where that is a value function.

    Parameters
    ----------
    solution
        The answer.
    form
        The POMDP that it is of, with the others as they play in it.

    Returns
    -------
    AlphaVectors or None
        None where the answer holds none.

    Raises
    ------
    PolicyError
        The vectors are not over the states of `form`, or promise more than the answer's upper bound.
    """
    for held in (solution.alpha_vectors, solution.profile.get(form.player)):
        if isinstance(held, AlphaVectors | StoredVectors):
            vectors = held if isinstance(held, AlphaVectors) else held.on(form)
            promised = vectors.at_start()
            if promised > solution.upper + ROUNDING * max(form.largest, abs(solution.upper)):
                raise PolicyError(
                    f"{form.spec}: the answer's vectors promise {promised:.6g} at the start, above its upper bound "
                    f"{solution.upper:.6g}: they are of another answer"
                )
            return vectors
    return None
