"""Whom an answer is against: read off the stored policies, never off what the file says of them."""

from __future__ import annotations

import numpy as np

from fogbound import evaluate, forms
from fogbound.certificates.held import HeldSolution, StoredSolution, solved_form
from fogbound.core.errors import FormError, LimitError, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.forms.protocol import OTHERS, Form, derive
from fogbound.policies import Controller, Mixture, Uniform, equivalent

UNIFORM = "uniform"


def against(stored: StoredSolution) -> tuple[tuple[int, str], ...]:
    """By player, how the others play in the answer; nothing where it is not an answer to given opponents."""
    if solved_form(stored).against != OTHERS:
        return ()
    return tuple((i, described(policy)) for i, policy in sorted(stored.profile.items()) if i != stored.player)


def described(policy: Strategy) -> str:
    """A stored policy in a few words."""
    if isinstance(policy, Uniform):
        return "uniform play"
    if isinstance(policy, Controller):
        return f"a stored controller of {many(policy.size, 'node')}"
    if isinstance(policy, Mixture):
        return f"a mixture of {many(len(policy.policies), 'stored policy')}"
    return f"stored {type(policy).__name__}"


def opponents_fault(held: HeldSolution) -> str | None:
    """Whether the file says that the others play uniformly where they do not: other names are only claimed."""
    stored, game, said = held.stored, held.game, held.stored.provenance.get("against")
    if not said or set(said) != {UNIFORM} or not against(stored):
        return None
    for player, policy in sorted(stored.profile.items()):
        if player != stored.player and not _uniform(policy, game, player):
            return f"the file says that {game.players[player]} plays uniformly, its stored policy does not"
    return None


def _uniform(policy: Strategy, game: AnyGame | Form, player: int) -> bool:
    """Whether a policy is uniform play, however it is written down.

    A controller that chooses evenly is seen to be at a glance. What only comes to the same when it is played is
    compared in the sequence form; where the game has none, nobody can say, and what is not seen to be uniform is not.
    """
    if isinstance(policy, Uniform) or (isinstance(policy, Controller) and equivalent(policy, Uniform())):
        return True
    try:
        sequence = derive(game, forms.SequenceForm)
    except (FormError, LimitError):
        return False
    plex = sequence.plexes[player]
    mine, even = (plex.weights(evaluate.behaviour(sequence, player, p)) for p in (policy, Uniform()))
    return bool(np.allclose(mine, even, rtol=0, atol=1e-9))
