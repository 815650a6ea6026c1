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

from fogbound.kernels.inner import NONE, ONE, ZERO, entry
from fogbound.kernels.stage_above import exact_oracle, recall_rows
from fogbound.kernels.stage_columns import balance, best_slot, choose, even, extend, oracle, rows_of
from fogbound.kernels.stage_master import add_column, begin, read, settle
from fogbound.kernels.stage_model import MOST_COLUMNS
from fogbound.kernels.stage_points import keep_point
from fogbound.kernels.stage_vectors import keep_vector, recall


@entry
def solve_stage(here, partition, tolerance, above):
    """Solve the stage at work.belief and add what it finds, a point (above) or a vector: (its worth, columns used).

    work.shares of the slots work.picks[:, 0] become the blind player's mixture, work.y the other's; below, work.reply,
    too.
    """
    game, bounds, work = here.game, here.bounds, here.work
    lists, rows = bounds.facets if above else bounds.vectors, rows_of(game, partition)
    used, value, end = ZERO if above else recall(game, bounds, work, partition), 0.0, NONE
    if used == 0:
        if above:
            recall_rows(game, bounds, work, partition)
        else:
            even(game, work, partition)
        oracle(game, bounds, lists, work, partition)
        choose(game, bounds, lists, work, partition, best_slot(game, work, partition), ZERO)
        used = ONE
    begin(game, work, partition)
    for j in range(1, used):
        add_column(work, j)
    sound = settle(work)
    while True:
        worth = read(work, rows)
        balance(game, work, partition)
        if not sound or oracle(game, bounds, lists, work, partition) <= worth + tolerance:
            if not above:
                break
            if not sound:  # measure what the mixture holds the blind player to
                worth, tolerance = -np.inf, 0.0
            value, found, end = exact_oracle(here, partition, worth, tolerance)
            if not sound or found < 0:
                break
            oracle(game, bounds, lists, work, partition)  # with the facets that were found
        before = used
        used = extend(game, bounds, lists, work, partition, worth, tolerance, used)
        sound = settle(work) and before < used < MOST_COLUMNS
    if above:
        keep_point(here, partition, value, end)
        return value, used
    for k in range(rows):
        work.reply[k] = work.y[k]
    return keep_vector(here, partition, used, not above), used
