"""Over all equilibria of a zero-sum game: between which probabilities each move is played.

Optimal strategies are the solutions of a linear program, a convex set; the probability of a move where its player
comes is a ratio of two of its weights. A ratio over such a set is least and greatest at the solutions of two linear
programs, in which the weights are stretched until the weight before the move is 1 (Charnes and Cooper 1962).
"""

from __future__ import annotations

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FogboundError
from fogbound.driver.solver import ZERO_SUM
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.equilibrium import require
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.linear_programs.sequence_lp import constraints

LARGEST = 1e4  # how far weights may be stretched: what no equilibrium does more often is not called reached
SLACK = 1e-9  # of the largest payoff: how much of the value may be missing, since it is rounded


def equilibrium_ranges(form: SequenceForm, player: int, value: float) -> dict[int, tuple[float, float]]:
    """By information set, the least and the greatest probability of its last move over all equilibria.

    Parameters
    ----------
    form
        The sequence form of a zero-sum game for two.
    player
        Whose moves.
    value
        What this player can be sure of.

    Returns
    -------
    dict
        Without those sets that no equilibrium of the player's comes to.

    Examples
    --------
    >>> import fogbound as fb
    >>> form = fb.forms.sequence(fb.game("card-poker(ranks=3)"))
    >>> found = equilibrium_ranges(form, 0, -1 / 18)  # the gambler bets a 1 up to one time in three
    >>> [round(p, 3) + 0 for p in found[int(form.plexes[0].sets[0])]]
    [0.0, 0.333]
    """
    from scipy.sparse import block_array, csr_matrix

    require(ZERO_SUM, form, "equilibrium ranges")
    mine, theirs = form.plexes[player], form.plexes[1 - player]
    sets = 1 + len(theirs.parent)
    payoff = csr_matrix(
        (form.payoff[:, player], (form.ends[:, 1 - player], form.ends[:, player])),
        shape=(theirs.sequences, mine.sequences),
    )
    plan, first = np.zeros((1 + len(mine.parent), 1)), np.zeros((1, sets))
    plan[0], first[0, 0] = 1.0, 1.0
    least = value - SLACK * max(1.0, float(np.abs(form.payoff).max(initial=0.0)))
    matrix = block_array(
        [
            [constraints(mine), None, csr_matrix(-plan)],
            [payoff, -constraints(theirs).T, None],
            [None, csr_matrix(first), csr_matrix([[-least]])],
        ]
    )
    rows = np.concatenate([np.zeros(len(plan)), np.full(theirs.sequences + 1, np.inf)])
    found: dict[int, tuple[float, float]] = {}
    for infoset, before, start, size in zip(
        mine.sets.tolist(), mine.parent.tolist(), mine.first.tolist(), mine.size.tolist()
    ):
        check()
        low = np.concatenate([np.zeros(mine.sequences), np.full(sets, -np.inf), [1.0]])
        high = np.concatenate([np.full(mine.sequences + sets, np.inf), [LARGEST]])
        low[before] = high[before] = 1.0
        cost = np.zeros(len(low))
        cost[start + size - 1] = 1.0
        try:
            ends = [
                highs.maximise(sign * cost, low, high, matrix, np.zeros(len(rows)), rows).primal[start + size - 1]
                for sign in (-1.0, 1.0)
            ]
        except FogboundError:  # infeasible: no equilibrium comes here
            continue
        found[infoset] = (max(0.0, float(ends[0])), min(1.0, float(ends[1])))
    return found
