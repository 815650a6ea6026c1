"""How often play comes to what a player remembers, when all play as given: one linear system over the chain of play."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame
from fogbound.core.profile import Profile, as_profile
from fogbound.evaluation.chain import require_end
from fogbound.forms.arrays import Floats
from fogbound.forms.induced import MOST_POINTS, InducedModel, induced
from fogbound.forms.linear_system import factorised
from fogbound.forms.player_view import legal_by_state
from fogbound.forms.protocol import Form, derive
from fogbound.forms.table import Table


def reach(game: AnyGame | Form, profile: Profile, limit: int = MOST_POINTS) -> tuple[dict[Hashable, float], ...]:
    """By player, how often it is asked to move while it remembers this or that; never, where it is not listed.

    Who never forgets is asked at most once in a situation, so there it is a probability. With a discount a visit counts
    for as much as that has left of it.

    Parameters
    ----------
    game
        The game, or a form of it.
    profile
        How every player plays: a solution, a dict by player, a list, or one policy; none of them mixed.
    limit
        How many pairs of a state and the players' memories there may be.

    Returns
    -------
    tuple of dicts
        One a player, from a memory of its policy to expected visits.

    Raises
    ------
    FormError
        A player has no policy; or nothing is discounted and play need not end.
    LimitError
        There are more than `limit` pairs.

    Examples
    --------
    >>> import fogbound as fb
    >>> reached = fb.evaluation.reach(fb.game("king-ace"), [fb.policies.Uniform()] * 2)
    >>> [round(sum(visits.values()), 6) for visits in reached]  # the second is asked after a raise alone
    [1.0, 0.5]
    """
    paired, often = visits(game, profile, limit)
    found: list[dict[Hashable, float]] = [{} for _ in paired.table.players]
    for player, reached in enumerate(found):
        asked = np.flatnonzero(legal_by_state(paired.table, player)[paired.point[:, 0]] >= 0)
        for memory, many in zip(paired.point[asked, 1 + player].tolist(), often[asked].tolist()):
            value = paired.fixed[player].memories[memory].value
            reached[value] = reached.get(value, 0.0) + many
    return tuple(found)


def visits(game: AnyGame | Form, profile: Profile, limit: int = MOST_POINTS) -> tuple[InducedModel, Floats]:
    """The chain of play under a profile, and [P] how often play comes to each of its points."""
    from scipy.sparse import csr_matrix

    source = derive(game, Table)
    paired = induced(source, as_profile(profile, len(source.players)), limit)
    if source.discount == 1.0:
        require_end(source, paired)
    rows = np.repeat(np.arange(len(paired.action)), np.diff(paired.out))
    owner = np.concatenate([[-1], np.repeat(np.arange(paired.size), np.diff(paired.row))])[rows]
    begun = owner < 0
    start = np.bincount(paired.next[begun], paired.prob[begun], paired.size)
    on, to = owner[~begun], paired.next[~begun]
    moves = csr_matrix((source.discount * paired.prob[~begun], (on, to)), shape=(paired.size, paired.size))
    try:
        often: Floats = factorised(moves).solve(start, trans="T")
    except RuntimeError as error:
        raise FormError(f"{source.spec}: play ends too rarely for its visits to be counted ({error})") from error
    return paired, np.maximum(often, 0.0)
