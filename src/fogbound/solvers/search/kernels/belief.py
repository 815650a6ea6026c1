"""What may be true, one step later: every state, every move of the others, every outcome that shows what was seen.

The others are taken to move at random, so a state counts for more the fewer moves they had to come to it. States that
are alike, and in which everybody knows the same, are added up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import mixed
from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.search.kernels.simulation import mark


@dataclass(frozen=True, eq=False)
class ParticleArrays(Bundle):
    """States with what each player knows in them, and how likely they are; a hash table finds those that are alike."""

    rows: np.ndarray  # [particle, width]
    marks: np.ndarray  # [particle, player]
    weights: np.ndarray  # [particle] they need not add up to 1
    slots: np.ndarray  # [slots] a power of two; -1 = free
    used: np.ndarray  # [1]


@dataclass(frozen=True, eq=False)
class Trial(Bundle):
    """Room for one outcome at a time."""

    state: np.ndarray  # [width]
    actors: np.ndarray  # [player]
    joint: np.ndarray  # [player]
    places: np.ndarray  # [player]
    sizes: np.ndarray  # [player]
    legal: np.ndarray  # [player, action]
    weights: np.ndarray  # [outcome]
    rewards: np.ndarray  # [player]
    seen: np.ndarray  # [player]
    marks: np.ndarray  # [player]


@kernel
def begin_belief(begin, rules, beginnings, new, trial, me, seen, alone):
    """Every way to begin that shows `seen` to the one who looks; False where there is no room."""
    for k in range(beginnings):
        weight = begin(rules, k, trial.state, trial.seen)
        if trial.seen[me] != seen or weight <= 0.0:
            continue
        for player in range(len(trial.marks)):
            trial.marks[player] = mark(0, NONE, trial.seen[player]) if player == me or not alone else 0
        if not _enter(new, trial, weight):
            return False
    return True


@kernel
def advance(actors, legal, chances, follow, rules, old, new, trial, me, action, seen, alone, blind):
    """All that follows when `me` does `action` (-1: is not asked) and sees `seen`; False where there is no room.

    `blind`: all that follows at all, as if it showed that.
    """
    for particle in range(old.used[0]):
        _copy(old.rows[particle], trial.state)
        movers = actors(rules, trial.state, trial.actors)
        place, weight = NONE, old.weights[particle]
        asked, combinations = False, 1
        for j in range(movers):
            trial.sizes[j] = legal(rules, trial.state, trial.actors[j], trial.legal[j])
            if trial.actors[j] == me:
                asked = True
                for k in range(trial.sizes[j]):
                    if trial.legal[j, k] == action:
                        place = np.int64(k)
            else:
                combinations *= trial.sizes[j]
        if movers == 0 or asked != (action >= 0) or (asked and place < 0):
            continue
        for combination in range(combinations):
            rest = combination
            for j in range(movers):
                trial.places[j] = place
                if trial.actors[j] != me:
                    trial.places[j] = rest % trial.sizes[j]
                    rest //= trial.sizes[j]
                trial.joint[j] = trial.legal[j, trial.places[j]]
            if not _outcomes(
                chances, follow, rules, old, new, trial, particle, movers, me, seen, alone, blind, weight / combinations
            ):
                return False
    return True


@kernel
def _outcomes(chances, follow, rules, old, new, trial, particle, movers, me, seen, alone, blind, weight):
    """Every outcome of one joint move that shows what was seen."""
    _copy(old.rows[particle], trial.state)
    outcomes = chances(rules, trial.state, trial.joint, trial.places, trial.weights)
    for k in range(outcomes):
        likely = weight * trial.weights[k]
        _copy(old.rows[particle], trial.state)
        follow(rules, trial.state, trial.joint, trial.places, k, trial.rewards, trial.seen)
        if blind:
            trial.seen[me] = seen
        if trial.seen[me] != seen or likely <= 0.0:
            continue
        for player in range(len(trial.marks)):
            done = NONE
            for j in range(movers):
                if trial.actors[j] == player:
                    done = trial.joint[j]
            known = old.marks[particle, player]
            trial.marks[player] = mark(known, done, trial.seen[player]) if player == me or not alone else 0
        if not _enter(new, trial, likely):
            return False
    return True


@kernel
def mark_offered(actors, legal, rules, old, trial, me, codes, keep):
    """Mark the particles in which `me` is asked and offered exactly `codes`: being asked is something one knows."""
    for particle in range(old.used[0]):
        _copy(old.rows[particle], trial.state)
        movers = actors(rules, trial.state, trial.actors)
        keep[particle] = 0
        for j in range(movers):
            if trial.actors[j] != me:
                continue
            size = legal(rules, trial.state, me, trial.legal[j])
            same = size == len(codes)
            for k in range(min(size, len(codes))):
                same = same and trial.legal[j, k] == codes[k]
            if same:
                keep[particle] = 1


@kernel
def _copy(row, state):
    for k in range(len(state)):
        state[k] = row[k]


@kernel
def _enter(new, trial, weight):
    """Add a state's weight to what is alike, or as one more; False where there is no room."""
    key = np.int64(0)
    for k in range(len(trial.state)):
        key = mixed(key + trial.state[k] + k)
    for player in range(len(trial.marks)):
        key = mixed(key + trial.marks[player])
    mask = len(new.slots) - 1
    slot = key & mask
    while new.slots[slot] >= 0:
        if _alike(new, new.slots[slot], trial):
            new.weights[new.slots[slot]] += weight
            return True
        slot = (slot + 1) & mask
    particle = new.used[0]
    if particle >= len(new.weights):
        return False
    new.slots[slot] = particle
    new.used[0] = particle + 1
    new.weights[particle] = weight
    _copy(trial.state, new.rows[particle])
    _copy(trial.marks, new.marks[particle])
    return True


@kernel
def _alike(new, particle, trial):
    for k in range(len(trial.state)):
        if new.rows[particle, k] != trial.state[k]:
            return False
    for player in range(len(trial.marks)):
        if new.marks[particle, player] != trial.marks[player]:
            return False
    return True
