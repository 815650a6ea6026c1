"""An equilibrium that is sure of as little as any: every action that some equilibrium plays, it plays.

Optimal strategies of a zero-sum game are the solutions of a linear program, so they are a convex set: what lies inside
of it has every action that any of them has. Such a pair is strictly complementary (Goldman and Tucker 1956): where it
is played, exactly the best replies to the other have a positive probability.
"""

from __future__ import annotations

import numpy as np

from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import SequenceForm
from fogbound.policies import Tabular
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.linear_programs.sequence_lp import constraints

LARGEST = 1e4  # how far the realisation weights may be stretched so that each that can be positive reaches 1


def fullest_equilibrium(form: SequenceForm, values: tuple[float, float]) -> dict[int, Tabular]:
    """Both players' optimal strategies with the largest support; `values` is what each can be sure of."""
    return {
        player: Tabular(form.decisions, player, form.plexes[player].behaviour(_fullest(form, player, values[player])))
        for player in (0, 1)
    }


def _fullest(form: SequenceForm, player: int, value: float) -> Floats:
    """[sequences] realisation weights that secure `value`, from inside the set of all that do.

    Columns: the weights x, stretched by a factor; a value for each of the other's sets; how much of each weight counts,
    and of what each of the other's sequences leaves above its set's value, at most 1; the factor. Rows: x is a plan,
    so stretched; the other's values are at most what each of its sequences leaves, less what counts of that; the first
    of them is the value, so stretched; what counts of a weight is no more than the weight.
    """
    from scipy.sparse import block_array, csr_matrix, eye

    mine, theirs = form.plexes[player], form.plexes[1 - player]
    sets, free = 1 + len(theirs.parent), mine.sequences + 1 + len(theirs.parent)
    payoff = csr_matrix(
        (form.payoff[:, player], (form.ends[:, 1 - player], form.ends[:, player])),
        shape=(theirs.sequences, mine.sequences),
    )
    plan, first = np.zeros((1 + len(mine.parent), 1)), np.zeros((1, sets))
    plan[0], first[0, 0] = 1.0, 1.0
    weight, left = eye(mine.sequences), eye(theirs.sequences)
    matrix = block_array(
        [
            [constraints(mine), None, None, None, csr_matrix(-plan)],
            [payoff, -constraints(theirs).T, None, -left, None],
            [None, csr_matrix(first), None, None, csr_matrix([[-value]])],
            [weight, None, -weight, None, None],
        ]
    )
    counted = mine.sequences + theirs.sequences
    low = np.concatenate([np.zeros(mine.sequences), np.full(sets, -np.inf), np.zeros(counted), [1.0]])
    high = np.concatenate([np.full(free, np.inf), np.ones(counted), [LARGEST]])
    cost = np.concatenate([np.zeros(free), np.ones(counted), [0.0]])
    rows = np.concatenate([np.zeros(len(plan)), np.full(counted + 1, np.inf)])
    solved = highs.maximise(cost, low, high, matrix, np.zeros(len(rows)), rows).primal
    weights: Floats = solved[: mine.sequences] / solved[-1]
    return weights
