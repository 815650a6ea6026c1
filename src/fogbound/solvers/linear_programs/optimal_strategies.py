"""The optimal strategies of a zero-sum game as a set: between which probabilities each move is played, and the fullest.

Optimal strategies are the solutions of a linear program, a convex set. The probability of a move where its player
comes is a ratio of two of its weights. A ratio over such a set is least and greatest at the solutions of two linear
programs, in which the weights are stretched until the weight before the move is 1 (Charnes and Cooper 1962). What lies
inside of the set has every action that any of its members has. Such a pair is strictly complementary (Goldman and
Tucker 1956): where it is played, exactly the best replies to the other have a positive probability.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FogboundError
from fogbound.driver.solver import ZERO_SUM
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import SequenceForm
from fogbound.policies import Tabular
from fogbound.solvers.equilibrium import require
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.linear_programs.sequence_lp import constraints, payoff_matrix

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
    from scipy.sparse import block_array

    require(ZERO_SUM, form, "equilibrium ranges")
    mine, theirs = form.plexes[player], form.plexes[1 - player]
    sets = 1 + len(theirs.parent)
    least = value - SLACK * max(1.0, float(np.abs(form.payoff).max(initial=0.0)))
    plan, weighed, values, first, stretched = _securing(form, player, least)
    matrix = block_array([[plan[0], None, plan[1]], [weighed, values, None], [None, first, stretched]])
    rows = np.concatenate([np.zeros(1 + len(mine.parent)), np.full(theirs.sequences + 1, np.inf)])
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
    from scipy.sparse import block_array, eye

    mine, theirs = form.plexes[player], form.plexes[1 - player]
    sets, free = 1 + len(theirs.parent), mine.sequences + 1 + len(theirs.parent)
    plan, weighed, values, first, stretched = _securing(form, player, value)
    weight, left = eye(mine.sequences), eye(theirs.sequences)
    matrix = block_array(
        [
            [plan[0], None, None, None, plan[1]],
            [weighed, values, None, -left, None],
            [None, first, None, None, stretched],
            [weight, None, -weight, None, None],
        ]
    )
    counted = mine.sequences + theirs.sequences
    low = np.concatenate([np.zeros(mine.sequences), np.full(sets, -np.inf), np.zeros(counted), [1.0]])
    high = np.concatenate([np.full(free, np.inf), np.ones(counted), [LARGEST]])
    cost = np.concatenate([np.zeros(free), np.ones(counted), [0.0]])
    rows = np.concatenate([np.zeros(1 + len(mine.parent)), np.full(counted + 1, np.inf)])
    solved = highs.maximise(cost, low, high, matrix, np.zeros(len(rows)), rows).primal
    weights: Floats = solved[: mine.sequences] / solved[-1]
    return weights


def _securing(form: SequenceForm, player: int, value: float) -> tuple[Any, ...]:
    """Blocks of the rows that make weights secure `value`, all stretched by a factor, the last column.

    A realisation plan of the player; what each of the other's sequences leaves; the values of the other's sets, of
    which the first is the value.
    """
    from scipy.sparse import csr_matrix

    mine, theirs = form.plexes[player], form.plexes[1 - player]
    plan, first = np.zeros((1 + len(mine.parent), 1)), np.zeros((1, 1 + len(theirs.parent)))
    plan[0], first[0, 0] = 1.0, 1.0
    rows = constraints(mine), csr_matrix(-plan)
    return rows, payoff_matrix(form, player), -constraints(theirs).T, csr_matrix(first), csr_matrix([[-value]])
