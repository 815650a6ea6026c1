"""Any policy as move probabilities on the tree: the step from playing to exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame
from fogbound.core.policy import AnyPolicy, Strategy, kinds
from fogbound.core.profile import Profile, as_profile
from fogbound.forms.arrays import Floats
from fogbound.forms.induced import moves
from fogbound.forms.protocol import Form, derive
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Table
from fogbound.forms.tree import Tree
from fogbound.policies.perfect_information import StatePolicy
from fogbound.policies.tabular import Tabular

LOOK_UP = 1024  # memories between two looks at whether to stop


def behaviours(source: AnyGame | Form, profile: Profile | Sequence[Floats]) -> list[Floats]:
    """Each player's move probabilities by sequence; arrays of them are handed back as they are.

    Parameters
    ----------
    source
        A game, or a form that its sequence form can be derived from.
    profile
        How every player plays: a solution, a dict by player, a list, one policy, or arrays of behaviours.

    Returns
    -------
    list of arrays
        One a player, with an entry for each of its sequences (the first, the empty one, is 1).

    Raises
    ------
    FormError
        A player has no policy, or the game has no sequence form.

    Examples
    --------
    >>> import fogbound as fb
    >>> [b.tolist() for b in fb.evaluation.behaviours(fb.game("king-ace"), [fb.policies.Uniform()] * 2)]
    [[1.0, 0.5, 0.5, 0.5, 0.5], [1.0, 0.5, 0.5, 0.5, 0.5]]
    """
    if all_arrays(profile):
        return list(cast(Sequence[Floats], profile))
    form, given = derive(source, SequenceForm), as_profile(cast(Profile, profile))
    for player, name in enumerate(form.players):
        if player not in given:
            raise FormError(f"{form.spec}: the profile has no policy for player {player} ({name})")
    return [behaviour(form, player, given[player]) for player in range(len(form.plexes))]


def all_arrays(profile: Profile | Sequence[Floats]) -> bool:
    """Whether a profile is given as behaviours already."""
    return isinstance(profile, Sequence) and all(isinstance(part, np.ndarray) for part in profile)


def behaviour(form: SequenceForm, player: int, policy: Strategy) -> Floats:
    """One player's move probabilities by sequence.

    A mixture becomes the behaviour with the same realisation weights (Kuhn 1953): against anyone it pays
    the same, because the player never forgets.

    Parameters
    ----------
    form
        The sequence form.
    player
        By index.
    policy
        A policy, or a mixture of policies.

    Returns
    -------
    array
        [sequences of the player]; in an information set that is never reached play is uniform.

    Examples
    --------
    >>> import fogbound as fb
    >>> form = fb.forms.sequence(fb.game("king-ace"))
    >>> fb.evaluation.behaviour(form, 0, fb.policies.Uniform()).tolist()
    [1.0, 0.5, 0.5, 0.5, 0.5]
    """
    plex, kind = form.plexes[player], kinds(policy)
    if len(kind) == 1:
        return _pure(form, player, kind.pairs[0][0])
    weights = np.zeros(plex.sequences)
    for member, p in kind:
        weights += p * plex.weights(_pure(form, player, member))
    return plex.behaviour(weights)


def _pure(form: SequenceForm, player: int, policy: AnyPolicy) -> Floats:
    tree = form.decisions
    if isinstance(policy, Tabular) and policy.decisions is tree and policy.player == player:
        return policy.behaviour
    on_states = isinstance(policy, StatePolicy) and isinstance(policy.game, Table) and policy.player == player
    if on_states and isinstance(tree, Tree):
        return _by_state(form, tree, player, cast(StatePolicy, policy))
    result = form.plexes[player].uniform.copy()
    own: dict[int, Any] = {}  # the policy's own memory at each memory of the tree, parents first
    ups = tree.memory_up.tolist()
    for m in range(len(tree.players), len(ups)):
        if not m % LOOK_UP:
            check()
        up = ups[m]
        if up != player and up not in own:
            continue
        action, seen = tree.word(player, m)
        own[m] = policy.begin(seen) if up == player else policy.update(own[up], action, seen)
        h = int(tree.memory_infoset[m])
        if h >= 0:
            first, size = int(tree.set_first[h]), int(tree.set_size[h])
            result[first : first + size] = 0.0
            for move, p in moves(policy, own[m], tree.moves(h)):
                result[first + move] = p
    return result


def _by_state(form: SequenceForm, tree: Tree, player: int, policy: StatePolicy) -> Floats:
    """A policy that sees the state needs no memory to be walked: each information set is one state."""
    result = form.plexes[player].uniform.copy()
    choices: dict[int, list[tuple[int, float]]] = {}
    sets, first_nodes = np.unique(tree.infoset, return_index=True)
    for h, node in zip(sets.tolist(), first_nodes.tolist()):
        if h >= 0 and tree.set_owner[h] == player:
            state = int(tree.state[node])
            if state not in choices:
                choices[state] = moves(policy, (state,), tree.moves(h))
            first, size = int(tree.set_first[h]), int(tree.set_size[h])
            result[first : first + size] = 0.0
            for move, p in choices[state]:
                result[first + move] = p
    return result
