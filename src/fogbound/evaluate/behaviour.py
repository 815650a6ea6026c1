"""Any policy as move probabilities on the tree: the step from playing to exact arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fogbound.core.errors import FormError
from fogbound.core.policy import AnyPolicy, Player, kinds
from fogbound.forms.product import moves
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Floats
from fogbound.policies.tabular import Tabular


def behaviours(form: SequenceForm, profile: Mapping[int, Player]) -> list[Floats]:
    """Each player's move probabilities by sequence."""
    for player, name in enumerate(form.tree.players):
        if player not in profile:
            raise FormError(f"{form.spec}: the profile has no policy for seat {player} ({name})")
    return [behaviour(form, player, profile[player]) for player in range(len(form.plexes))]


def behaviour(form: SequenceForm, player: int, policy: Player) -> Floats:
    """One player's move probabilities by sequence.

    A mixture becomes the behaviour with the same realisation weights (Kuhn 1953): against anyone it pays
    the same, because the player never forgets.
    """
    plex, kind = form.plexes[player], kinds(policy)
    if len(kind) == 1:
        return _pure(form, player, kind.pairs[0][0])
    weights = np.zeros(plex.sequences)
    for member, p in kind:
        weights += p * plex.weights(_pure(form, player, member))
    return plex.behaviour(weights)


def _pure(form: SequenceForm, player: int, policy: AnyPolicy) -> Floats:
    tree = form.tree
    if isinstance(policy, Tabular) and policy.tree is tree and policy.player == player:
        return policy.behaviour
    result = form.plexes[player].uniform.copy()
    held: dict[int, Any] = {}  # the policy's own memory at each memory of the tree, parents first
    ups = tree.memory_up.tolist()
    for m in range(len(tree.players), len(ups)):
        up = ups[m]
        if up != player and up not in held:
            continue
        action, seen = tree.word(player, m)
        held[m] = policy.begin(seen) if up == player else policy.update(held[up], action, seen)
        h = int(tree.memory_infoset[m])
        if h >= 0:
            first, size = int(tree.set_first[h]), int(tree.set_size[h])
            result[first : first + size] = 0.0
            for move, p in moves(policy, held[m], tree.moves(h)):
                result[first + move] = p
    return result
