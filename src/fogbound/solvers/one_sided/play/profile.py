"""Strategies of both players of a one-sided game, from the bounds on it, that keep what the bounds say.

The blind player keeps its promises (`partially_informed`), the other its opponent's beliefs
(`fully_informed`). Against any opponent the first has at least the lower bound, the second gives away at most the
upper one, but for rounding. Horak, Bosansky, Kovarik and Kiekintveld (2023).

A strategy is made from what files keep, and from nothing else: so a saved one plays as it did before, and one that was
made from a certificate's arrays plays what is certified.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.core.policy import Strategy
from fogbound.forms.one_sided.form import OneSided
from fogbound.policies.stored import POINTS, VECTORS, StoredBounds
from fogbound.solvers.one_sided.bounds import OneSidedBounds, seeing_all
from fogbound.solvers.one_sided.evidence.upper import sparse_beliefs
from fogbound.solvers.one_sided.play.fully_informed import FullyInformedPolicy, known_points
from fogbound.solvers.one_sided.play.partially_informed import KnownVectors, PartiallyInformedPolicy
from fogbound.solvers.one_sided.shaping import ShapedGame


def stored_strategy(stored: StoredBounds, form: OneSided, scaled: ShapedGame | None = None) -> Strategy:
    """The policy that stored bounds stand for, in their game.

    Parameters
    ----------
    stored : StoredBounds
        As a file holds them.
    form : OneSided
        The game for which they were found.
    scaled : ShapedGame, optional
        The form for kernels, where it is at hand.

    Returns
    -------
    Strategy
        Of the player who saved them.

    Raises
    ------
    PolicyError
        When they do not fit the game, or are damaged.
    FormError
        When they are of the fully informed player, and the game does not let it see enough.
    """
    if stored.partially_informed:
        return PartiallyInformedPolicy(KnownVectors.on(stored, form, scaled))
    if form.relaxed:
        raise FormError(
            f"{form.spec}: {form.relaxed}; a strategy that uses this cannot be played, the other player's can"
        )
    return FullyInformedPolicy(stored, known_points(stored, form, scaled))


def profile(bounds: OneSidedBounds) -> dict[int, Strategy]:
    """Both players' strategies; the blind one's alone where the game shows the other less than the form grants it."""
    players, player = {bounds.form.player: partially_informed_policy(bounds)}, bounds.form.player
    if not bounds.form.relaxed:
        players[1 - player] = fully_informed_policy(bounds)
    return players


def evidence_profile(evidence: Mapping[str, NDArray[Any]], scaled: ShapedGame) -> dict[int, Strategy]:
    """The strategies that a certificate's evidence speaks of; as in `profile`, there may be but one."""
    form = scaled.form
    players = {form.player: stored_strategy(_vectors_of(evidence), form, scaled)}
    if not form.relaxed:
        players[1 - form.player] = stored_strategy(_points_of(evidence), form, scaled)
    return players


def partially_informed_policy(bounds: OneSidedBounds) -> Strategy:
    """The blind player's strategy: at least the lower bound, whatever the other does."""
    return stored_strategy(_vectors_found(bounds), bounds.form, bounds.scaled)


def fully_informed_policy(bounds: OneSidedBounds) -> Strategy:
    """The other player's strategy: at most the upper bound. FormError where the game does not let it see enough."""
    return stored_strategy(_points_found(bounds), bounds.form, bounds.scaled)


def _vectors_of(evidence: Mapping[str, NDArray[Any]]) -> StoredBounds:
    """What the blind player plays by: the nodes of a certificate."""
    return StoredBounds(True, {name: evidence[name] for name in VECTORS})


def _points_of(evidence: Mapping[str, NDArray[Any]]) -> StoredBounds:
    """What the fully informed player plays by: the points and corners of a certificate."""
    return StoredBounds(False, {name: evidence[name] for name in POINTS})


def _vectors_found(bounds: OneSidedBounds) -> StoredBounds:
    """All vectors of bounds that nobody has certified."""
    every = [bounds.vectors(p) for p in range(len(bounds.form.state_start) - 1)]
    parts = np.repeat(np.arange(len(every)), [len(own) for own in every])
    return _vectors_of({"node_part": parts, "node_value": np.concatenate([own.ravel() for own in every])})


def _points_found(bounds: OneSidedBounds) -> StoredBounds:
    """All points of bounds that nobody has certified.

    Those found with some of the blind player's actions say nothing of a game with all of them: then corners alone.
    """
    form, scaled = bounds.form, bounds.scaled
    whole = bool(bounds.mask.all())
    corner, beliefs, firsts, values = bounds.arrays["corner"] if whole else seeing_all(scaled), [], [], []
    for p in range(len(form.state_start) - 1) if whole else ():
        own = form.states_of(p)
        known, worth = bounds.points(p)
        size = own.stop - own.start  # the states alone come first: they are the corners
        beliefs += list(known[size:])
        firsts += [own.start] * (len(known) - size)
        values += worth[size:].tolist()
    kept = {"corner": scaled.least + scaled.scale * corner, "point_value": np.array(values, np.float64)}
    return _points_of(kept | sparse_beliefs(beliefs, firsts))
