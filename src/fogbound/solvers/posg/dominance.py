"""Which plans a careful player may forget, whatever it believes of the state and of the others' plans.

Plan q is *very weakly dominated* when at every belief b over (the others' plans × states) some other plan does as well:
when the largest ε with

    Σ_b b (V[q] − V[q']) ≥ ε   for every other plan q'

is not above 0. (The slides of document 003 have the difference the other way round, which asks for one belief at which
*every* other plan is better, and so forgets plans that are best elsewhere.) Forgetting such plans keeps at least one
equilibrium, and for a team an optimum, but may lose other equilibria.
"""

from __future__ import annotations

import numpy as np

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.linear_programs import highs

ADVANTAGE = 1e-9  # of the largest value: less is rounding


def undominated(values: Floats) -> Longs:
    """The numbers of plans such that, at every belief, one of them is best; as few as one finds.

    Lark's filter: a plan that is best somewhere, compared with those found so far, points at a belief; what is best
    there of all is found. Whatever is left at the end is very weakly dominated by those found.

    Parameters
    ----------
    values : [plans, situations]
        What each plan earns in each combination of the others' plans and a state.
    """
    scaled = values / highs.power_of_two(values)
    candidates = dict.fromkeys(range(len(scaled)))
    found = [_best(scaled, np.full(scaled.shape[1], 1.0 / scaled.shape[1]))]
    del candidates[found[0]]
    while candidates:
        check()
        plan = next(iter(candidates))
        margin, belief = witness(scaled, plan, found)
        if margin <= ADVANTAGE:
            del candidates[plan]
            continue
        better = _best(scaled, belief)
        found.append(better if better in candidates else plan)
        del candidates[found[-1]]
    return np.array(sorted(found))


def witness(values: Floats, plan: int, others: list[int]) -> tuple[float, Floats]:
    """(the largest ε, a belief at which `plan` is better than each of `others` by that much)."""
    from scipy.sparse import csr_matrix

    situations = values.shape[1]
    rows = np.hstack([values[plan] - values[others], -np.ones((len(others), 1))])
    solution = highs.maximise(
        np.append(np.zeros(situations), 1.0),
        np.append(np.zeros(situations), -np.inf),
        np.full(situations + 1, np.inf),
        csr_matrix(np.vstack([np.append(np.ones(situations), 0.0), rows])),
        np.append(1.0, np.zeros(len(others))),
        np.append(1.0, np.full(len(others), np.inf)),
    )
    return solution.value, np.maximum(solution.primal[:situations], 0.0)


def _best(values: Floats, belief: Floats) -> int:
    """The best plan at a belief, where several are equally good the one that is best in most situations."""
    earned = values @ belief
    ties = np.flatnonzero(earned >= earned.max() - 1e-12)
    if len(ties) == 1:
        return int(ties[0])
    return int(ties[np.lexsort(values[ties].T)[-1]])
