"""The exact value of a profile where play may cycle: a linear solve over states and memories.

How often play comes to what a player remembers, when all play as given: one linear system over the chain of play.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fogbound.core.errors import FormError, cut_short
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.core.profile import Profile, as_profile
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.induced import MOST_POINTS, InducedModel, induced
from fogbound.forms.linear_system import factorised
from fogbound.forms.player_view import legal_by_state
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import Form, derive
from fogbound.forms.table import Table
from fogbound.policies.mixture import Mixture

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False)
class Chain:
    """The Markov chain of a profile, with the value of each point to each player.

    A point is a state of the game together with what every player remembers there.

    Attributes
    ----------
    product
        The points and how they lead to each other.
    values : [n]
        The value of the game to each player, from the start.
    value : [P, n]
        The value to each player, from each point on.
    steps : [P]
        Expected steps that remain (only where discount = 1).
    """

    product: InducedModel = field(repr=False)
    values: tuple[float, ...]  # [n]
    value: Floats = field(repr=False)  # [P, n]
    steps: Floats = field(repr=False)  # [P]


def value(game: AnyGame | Form, profile: Profile, limit: int = MOST_POINTS) -> tuple[float, ...]:
    """What each player gets when all play as given: exact, also where play can cycle.

    Parameters
    ----------
    game
        The game, or a form of it.
    profile
        How every player plays: a solution, a dict by player, a list, or one policy.
    limit
        How many pairs of a state and the players' memories there may be.

    Returns
    -------
    tuple of floats
        The expected discounted sum of rewards of each player; of a POMDP, its player's alone.

    Raises
    ------
    FormError
        A player has no policy; or nothing is discounted and play need not end.
    LimitError
        There are more than `limit` pairs.

    Examples
    --------
    >>> import fogbound as fb
    >>> [round(v, 6) for v in fb.evaluation.value(fb.game("king-ace"), [fb.policies.Uniform()] * 2)]
    [0.25, -0.25]
    >>> tiger = fb.game("tiger")
    >>> round(fb.evaluation.value(tiger, fb.policies.Uniform())[0], 6)  # play never ends, rewards fade
    -606.666667
    """
    values = chain(game, profile, limit).values
    return values[game.player :][:1] if isinstance(game, POMDP) and len(values) > 1 else values


def chain(game: AnyGame | Form, profile: Profile, limit: int = MOST_POINTS) -> Chain:
    """Evaluate a profile by solving v = r + discount P v over all (state, memories) that occur.

    With discount 1 the play must end with probability 1, which is checked; then v is the expected total.

    Parameters
    ----------
    game
        The game, or a form of it.
    profile
        How every player plays: a solution, a dict by player, a list, or one policy.
    limit
        How many pairs of a state and the players' memories there may be.

    Returns
    -------
    Chain
        The induced model, the value of each of its points, and the steps that remain there.

    Raises
    ------
    FormError
        A player has no policy; or nothing is discounted and play need not end.
    LimitError
        There are more than `limit` pairs.

    Examples
    --------
    >>> import fogbound as fb
    >>> chain = fb.evaluation.chain(fb.game("king-ace"), [fb.policies.Uniform()] * 2)
    >>> [round(v, 6) for v in chain.values], float(chain.steps.max())
    ([0.25, -0.25], 1.5)
    """
    from scipy.sparse import csr_matrix

    source, others = _with_others(game)
    paired = induced(source, {**others, **as_profile(profile)}, limit)
    if paired.player is not None:
        raise FormError(f"{source.spec}: player {paired.player} ({source.players[paired.player]}) has no policy")
    size, n = paired.size, len(source.players)
    rows, _ = _edges(source, paired)
    moves = csr_matrix((paired.prob, (rows, paired.next)), shape=(len(paired.action), size))
    live = np.flatnonzero(np.diff(paired.row))
    value, steps = np.zeros((size, n)), np.zeros(size)
    if len(live):
        inner, reward = moves[paired.row[live]][:, live], paired.reward[paired.row[live]]
        value[live], left = values_and_steps(source.spec, source.discount, inner, reward)
        if source.discount == 1.0:
            steps[live] = left
    first = paired.reward[0] + moves[0] @ value
    return Chain(paired, tuple(np.asarray(first).ravel().tolist()), value, steps)


def _edges(source: Table, paired: InducedModel) -> tuple[Longs, Longs]:
    """[outcomes] the row of each, and the point that it leaves, -1 at the start; FormError where play need not end."""
    rows = np.repeat(np.arange(len(paired.action)), np.diff(paired.out))
    owner = np.concatenate([[-1], np.repeat(np.arange(paired.size), np.diff(paired.row))])[rows]
    if source.discount == 1.0:
        ended, inner = np.flatnonzero(np.diff(paired.row) == 0), owner >= 0
        head = np.append(paired.next[inner], np.full(len(ended), paired.size))
        require_end(source.spec, np.append(owner[inner], ended), head, paired.size, "it has no value")
    return rows, owner


def _with_others(game: AnyGame | Form) -> tuple[Table, dict[int, Strategy]]:
    """The table, and those whose policies are part of the form: a POMDP may be one player's, against given others.

    Its own labels are other words than the game's, and a policy that does not know them would play at random.
    """
    if isinstance(game, POMDP) and game.product is not None:
        fixed = game.product.fixed.items()
        return game.product.table, {i: Mixture.of(list(zip(one.types, one.prior))) for i, one in fixed}
    return derive(game, Table), {}


def values_and_steps(spec: str, discount: float, moves: csr_matrix, reward: Floats) -> tuple[Floats, Floats]:
    """[P, n] and [P]: v = reward + discount moves v, and the same for a reward of 1 a step: how many are left.

    What leads out of the P points ends the game. FormError where play ends too rarely for that.
    """
    too_rare = f"{spec}: play ends too rarely for its value to be computed"
    try:
        solver = factorised(discount * moves)
        value, steps = solver.solve(reward), solver.solve(np.ones(len(reward)))
    except RuntimeError as error:
        raise FormError(f"{too_rare} ({error})") from error
    if not np.isfinite(value).all() or (steps < 1 - 1e-6).any():
        raise FormError(too_rare)
    return value, steps


def require_end(spec: str, source: Longs, target: Longs, size: int, consequence: str) -> None:
    """With discount 1 every point must be able to reach an end, the target `size`: otherwise some play never ends."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order

    back = csr_matrix((np.ones(len(source)), (target, source)), shape=(size + 1, size + 1))
    if len(breadth_first_order(back, size, return_predecessors=False)) <= size:
        raise FormError(
            f"{spec}: with these policies some play never ends, and with discount 1 {consequence}. "
            f"Cut it, such as {cut_short(spec)}, or give the game a discount below 1"
        )


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
    _, owner = _edges(source, paired)
    begun = owner < 0
    start = np.bincount(paired.next[begun], paired.prob[begun], paired.size)
    on, to = owner[~begun], paired.next[~begun]
    moves = csr_matrix((source.discount * paired.prob[~begun], (on, to)), shape=(paired.size, paired.size))
    try:
        often: Floats = factorised(moves).solve(start, trans="T")
    except RuntimeError as error:
        raise FormError(f"{source.spec}: play ends too rarely for its visits to be counted ({error})") from error
    return paired, np.maximum(often, 0.0)
