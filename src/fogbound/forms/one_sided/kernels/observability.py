"""Whether what one of two players sees of a step tells it all that happened."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel
from fogbound.forms.arrays import Longs


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
    last: np.ndarray  # [observations] the (state, action) after which it came
    to: np.ndarray  # [observations] where that led
    did: np.ndarray  # [observations] what the blind player did
    saw: np.ndarray  # [observations] and saw


def unobserved(
    row: Longs,
    out: Longs,
    next_: Longs,
    actor_set: Longs,
    wide: Longs,
    tall: Longs,
    player: int,
    mine: Longs,
    theirs: Longs,
    observations: int,
) -> tuple[bool, bool]:
    """(whether the state, whether what the blind player does and sees) stays open to the other after some step.

    The other knows the state before, its own action and its observation of the step (`theirs`, below `observations`);
    only steps with which play goes on (somebody acts) count. Row 0 is the start, where nobody has done anything.
    """
    last = (np.zeros(observations, np.int64) for _ in range(4))
    states, doings = find_unobserved(
        StepInformation(row, out, next_, actor_set, wide, tall, mine, theirs, *last), len(row) - 1, player
    )
    return bool(states), bool(doings)


@kernel
def find_unobserved(steps, size, player):
    """See `unobserved`; size states."""
    row, out, next_, mine, theirs = steps.row, steps.out, steps.next, steps.mine, steps.theirs
    last, to, did, saw = steps.last, steps.to, steps.did, steps.saw
    group, states, doings = 0, False, False
    for s in range(-1, size):
        moves, replies = (steps.wide[s], steps.tall[s]) if s >= 0 else (1, 1)
        if s >= 0 and row[s] == row[s + 1]:
            continue
        for reply in range(replies):
            group += 1
            for move in range(moves):
                r = 0 if s < 0 else row[s] + (move * replies + reply if player == 0 else reply * moves + move)
                for o in range(out[r], out[r + 1]):
                    seen = theirs[o]
                    if steps.actor_set[next_[o]] == 0:
                        continue
                    if last[seen] != group:
                        last[seen], to[seen], did[seen], saw[seen] = group, next_[o], move, mine[o]
                    states |= to[seen] != next_[o]
                    doings |= did[seen] != move or saw[seen] != mine[o]
    return states, doings
