"""Whether what one of two players sees of a step tells it all that happened."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel
from fogbound.forms.arrays import Ints


@dataclass(frozen=True, eq=False)
class StepInformation(Bundle):
    """A table of two players; what the blind one and the other see of its outcomes; for each observation the last
    step.
    """

    row: np.ndarray
    out: np.ndarray
    next: np.ndarray
    actor_set: np.ndarray
    wide: np.ndarray  # [S] the blind player's actions
    tall: np.ndarray  # [S] the other's
    mine: np.ndarray
    theirs: np.ndarray
    last: np.ndarray  # [sights] the (state, action) after which it came
    to: np.ndarray  # [sights] where that led
    did: np.ndarray  # [sights] what the blind player did
    saw: np.ndarray  # [sights] and saw


def unobserved(
    row: Ints,
    out: Ints,
    next_: Ints,
    actor_set: Ints,
    wide: Ints,
    tall: Ints,
    blind: int,
    mine: Ints,
    theirs: Ints,
    observations: int,
) -> tuple[bool, bool]:
    """(whether the state, whether what the blind player does and sees) stays open to the other after some step.

    The other knows the state before, its own action and its sight of the step (`theirs`, below `observations`); only
    steps with which play goes on (crew not 0) count. Row 0 is the start, where nobody has done anything.
    """
    last = (np.zeros(observations, np.int64) for _ in range(4))
    states, doings = find_unobserved(
        StepInformation(row, out, next_, actor_set, wide, tall, mine, theirs, *last), len(row) - 1, blind
    )
    return bool(states), bool(doings)


@kernel
def find_unobserved(told, size, blind):
    """See `unobserved`; size states."""
    row, out, next_, mine, theirs = told.row, told.out, told.next, told.mine, told.theirs
    last, to, did, saw = told.last, told.to, told.did, told.saw
    group, states, doings = 0, False, False
    for s in range(-1, size):
        moves, replies = (told.wide[s], told.tall[s]) if s >= 0 else (1, 1)
        if s >= 0 and row[s] == row[s + 1]:
            continue
        for reply in range(replies):
            group += 1
            for move in range(moves):
                r = 0 if s < 0 else row[s] + (move * replies + reply if blind == 0 else reply * moves + move)
                for o in range(out[r], out[r + 1]):
                    seen = theirs[o]
                    if told.actor_set[next_[o]] == 0:
                        continue
                    if last[seen] != group:
                        last[seen], to[seen], did[seen], saw[seen] = group, next_[o], move, mine[o]
                    states |= to[seen] != next_[o]
                    doings |= did[seen] != move or saw[seen] != mine[o]
    return states, doings
