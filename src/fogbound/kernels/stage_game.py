"""Stage games: what one more step adds to what the blind player can guarantee, or can be held to.

A double oracle (McMahan, Gordon and Blum 2003) inside the stage: the other's mixture in every state is found against
the columns so far, and the blind player's best answers to it, with the best known record after each observation, are
the next columns. Below, records are vectors, and it begins with the columns of the vector that is best so far; whatever
it stops at, the guarantee of the mixture of columns is a valid vector. Above, records are facets of the hull of points,
which never promise the blind player too much; when they find no better action, the hull itself is asked, and the value
is measured against the other's mixture in the end.
"""

from __future__ import annotations

import numpy as np

from fogbound.kernels.kernel import NONE, ZERO, kernel
from fogbound.kernels.stage_above import exact_oracle, recall_rows
from fogbound.kernels.stage_columns import EAGER, balance, column_of, even, extend, oracle, rows_of
from fogbound.kernels.stage_master import put_column, read, settle
from fogbound.kernels.stage_model import MOST_COLUMNS
from fogbound.kernels.stage_points import keep_point
from fogbound.kernels.stage_vectors import keep_vector, recall


@kernel
def solve_stage(here, partition, tolerance, above):
    """Solve the stage at work.belief and add what it finds, a point (above) or a vector: (its worth, columns used).

    work.shares of the slots work.picks[:, 0] become the blind player's mixture, work.y the other's; below, work.reply,
    too.
    """
    game, bounds, work = here.game, here.bounds, here.work
    lists, rows = bounds.facets if above else bounds.vectors, rows_of(game, partition)
    used = ZERO if above else recall(game, bounds, work, partition)
    if above:
        recall_rows(game, bounds, work, partition)
    elif used == 0:
        even(game, work, partition)
    sound, asked, worth, best, value, end = True, False, -np.inf, -np.inf, 0.0, NONE
    fresh, put = used > 0, 0  # whether there are columns that the mixtures do not know of yet; how many they know of
    while True:
        if fresh:
            for j in range(put, used):
                column_of(game, bounds, work, partition, j)
                put_column(game, work, partition, j)
            put = used
            sound = settle(work) and used < MOST_COLUMNS
            worth = read(work, rows)
            balance(game, work, partition)
        if sound:
            best = oracle(game, bounds, lists, work, partition)
        fresh = sound and best > worth + tolerance
        if fresh:
            bar = worth + max(tolerance, EAGER * (best - worth)) if used > 0 else best
            used, asked = extend(game, bounds, lists, work, partition, bar, used), False
        elif above:
            sound = sound and not asked  # facets that the hull gave should show what it found
            if not sound:  # measure what the mixture holds the blind player to
                worth, tolerance = -np.inf, 0.0
            value, found, end = exact_oracle(here, partition, worth, tolerance)
            asked = True
            if not sound or found < 0:
                break
        else:
            break
    if above:
        keep_point(here, partition, value, end)
        return value, used
    for k in range(rows):
        work.reply[k] = work.y[k]
    return keep_vector(here, partition, used, not above), used
