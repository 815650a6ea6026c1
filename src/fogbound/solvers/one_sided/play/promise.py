"""Promises: what the blind player will be paid from each state that is possible, whatever the other does.

Vectors of the lower bound and mixtures of them are promises that can be kept for a step, by promising such mixtures
again. States in which play cannot be any more are promised nothing, which leaves more for the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.table import Floats
from fogbound.solvers.one_sided.bounded import Bounded

Promise = tuple[float, ...]  # for each state of a partition, in the kernels' units, which are at least 0
IMPOSSIBLE = -1.0
GRAIN = 2.0**-34  # promises are rounded down to multiples: nearly equal ones are one, and each can be kept


def promise(values: Floats, possible: NDArray[np.bool_]) -> Promise:
    """A vector as a promise to the possible states."""
    rounded = np.floor(np.maximum(values, 0.0) / GRAIN) * GRAIN
    return tuple(np.where(possible, rounded, IMPOSSIBLE).tolist())


def kept_vectors(known: Bounded, partition: int) -> Floats:
    """[n, states] the vectors of a partition in the kernels' units."""
    own = slice(int(known.form.first[partition]), int(known.form.first[partition + 1]))
    found: Floats = (known.vectors(partition) - known.scaled.least[own]) / known.scaled.scale
    return np.maximum(found, 0.0)


def reached(known: Bounded, partition: int, given: Promise, branch: int) -> NDArray[np.bool_]:
    """[states of the target] whether the branch may lead there from a possible state."""
    game = known.game
    first, base = game.first[partition], game.row[game.first[partition]]
    owner = np.repeat(np.arange(len(given)), np.diff(game.row[first : game.first[partition + 1] + 1]))
    entries = slice(game.entry[branch], game.entry[branch + 1])
    open_row = (np.array(given) >= 0)[owner][game.source[entries] - base]
    q = game.target[branch]
    found = np.zeros(game.first[q + 1] - game.first[q], bool)
    found[game.to[entries][open_row] - game.first[q]] = True
    return found
