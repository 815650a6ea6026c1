"""What really happens, in a game that is played with a twin: one step, in which the others move at random."""

from __future__ import annotations

from typing import Any

from fogbound.compiled.draws import below, drawn
from fogbound.compiled.kernel import NONE, kernel


@kernel
def real_start(begin: Any, rules: Any, trial: Any, draw: Any) -> Any:
    """Make `trial.state` the way to begin that a number from 0 to 1 falls on, and `trial.seen` what is seen."""
    k, left = 0, draw - begin(rules, 0, trial.state, trial.seen)
    while left >= 0.0:
        k += 1
        left -= begin(rules, k, trial.state, trial.seen)


@kernel
def asked_for(actors: Any, legal: Any, rules: Any, trial: Any, me: Any) -> Any:
    """Write to `trial.legal[0]` what `me` may do: how many, 0: somebody else is asked, -1: it is over."""
    movers = actors(rules, trial.state, trial.actors)
    for j in range(movers):
        if trial.actors[j] == me:
            return legal(rules, trial.state, me, trial.legal[0])
    return NONE if movers == 0 else 0


@kernel
def real_step(
    actors: Any, legal: Any, chances: Any, follow: Any, rules: Any, trial: Any, random: Any, me: Any, place: Any
) -> Any:
    """Play on: `me` takes the action at `place` where it is asked, the others any; `trial` has what comes of it."""
    movers = actors(rules, trial.state, trial.actors)
    for j in range(movers):
        size = legal(rules, trial.state, trial.actors[j], trial.legal[j])
        trial.places[j] = place if trial.actors[j] == me else below(random, size)
        trial.joint[j] = trial.legal[j, trial.places[j]]
    outcomes = chances(rules, trial.state, trial.joint, trial.places, trial.weights)
    outcome = drawn(random, trial.weights, outcomes)
    follow(rules, trial.state, trial.joint, trial.places, outcome, trial.rewards, trial.seen)
