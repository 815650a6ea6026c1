"""Which nodes of automata behave alike: Moore's refinement (1956) by hashes, over all nodes together.

A collision of 64-bit hashes could only merge what differs; the value of a merged automaton is always computed
after it was merged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogbound.compiled.kernel import kernel
from fogbound.forms.arrays import Longs

Marks = NDArray[np.uint64]


@kernel
def stir(value):
    """Mix the bits of a 64-bit number (Steele, Lea and Flood 2014)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@kernel
def first_marks(label, choice, choice_action, choice_prob):
    """[N] a mark for what each node does now."""
    marks = np.empty(len(label), np.uint64)
    for node in range(len(label)):
        own = -1 if label[node] == -2 else label[node]  # who only waits, and who plays at random, differ by being asked
        mark = stir(np.uint64(own + 7))
        for k in range(choice[node], choice[node + 1]):
            weight = np.uint64(int(choice_prob[k] * 1e12 + 0.5))
            mark += stir(stir(np.uint64(choice_action[k] + 1)) + weight)
        marks[node] = stir(mark)
    return marks


@kernel
def _look_ahead(marks, now, arrow, arrow_key, arrow_to):
    """[N] a mark for what each node does now and what `now` marks after it."""
    later = np.empty(len(now), np.uint64)
    for node in range(len(marks)):
        mark = marks[node]
        for a in range(arrow[node], arrow[node + 1]):
            mark += stir(stir(np.uint64(arrow_key[a] + 1)) ^ now[arrow_to[a]])
        later[node] = stir(mark)
    return later


def futures(marks: Marks, arrow: Longs, arrow_key: Longs, arrow_to: Longs) -> Marks:
    """[N] a mark for everything that each node will ever do, from marks for what it does now."""
    now, kinds, classes = marks, 0, len(np.unique(marks))
    while classes != kinds:
        kinds, now = classes, _look_ahead(marks, now, arrow, arrow_key, arrow_to)
        classes = len(np.unique(now))
    return now
