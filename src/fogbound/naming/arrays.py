"""Decision processes and stochastic games given as arrays: T, O and R, as the literature writes them.

Every one becomes a `Table` by one way (`forms.table_from_outcomes`). What comes back is a game as any other: it can be
solved, played, drawn, saved and converted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from fogbound.core.errors import FormError, many
from fogbound.core.game import AnyGame
from fogbound.naming.array_parts import (
    ArrayLike,
    Labels,
    model_parts,
    observed_by_all,
    observed_part,
    observing_game,
    player_names,
    player_rewards,
    reward_part,
    table_game,
    transition_part,
)

ONE = "agent"


def pomdp(
    T: ArrayLike,
    O: ArrayLike,  # noqa: E741
    R: ArrayLike,
    discount: float,
    start: Any = None,
    *,
    states: Labels | None = None,
    actions: Labels | None = None,
    observations: Labels | None = None,
    terminal: Iterable[Hashable] = (),
    legal: ArrayLike | None = None,
    axes: Mapping[str, str] | None = None,
    name: str = "pomdp",
) -> AnyGame:
    """A POMDP given as arrays, as a game of one player.

    Parameters
    ----------
    T
        ``T[state, action, next]``, the probability of the next state; or a list of scipy-sparse matrices
        ``[state, next]``, one for each action.
    O
        ``O[action, next, observation]`` or ``O[next, observation]``, the probability of the observation; or a list of
        sparse matrices ``[next, observation]``, one for each action.
    R
        ``R[state]``, ``R[state, action]``, ``R[state, action, next]`` or ``R[state, action, next, observation]``.
    discount
        Step t counts discount**t; above 0 and at most 1.
    start
        The probability of each state, or one state; all that are not terminal alike by default.
    states, actions, observations
        Their labels; numbers by default.
    terminal
        The states, by label or number, in which play is over.
    legal
        ``legal[state, action]``, whether an action may be taken; all may by default. As in every game the player must
        be able to tell states with different legal actions apart.
    axes
        The order of axes that is not the one above, by array: ``{"T": "asn", "O": "noa"}`` with s for state, a for
        action, n for the next state and o for the observation.
    name
        What the game is called in messages and files.

    Returns
    -------
    Game

    Raises
    ------
    FormError
        An array has another shape, or an entry is no probability; the message names the array, the index and the
        number.

    Examples
    --------
    >>> import numpy as np
    >>> import fogbound as fb
    >>> listen, reset, hear = np.eye(2), np.full((2, 2), 0.5), np.array([[0.85, 0.15], [0.15, 0.85]])
    >>> T = np.stack([listen, reset, reset], axis=1)
    >>> O = np.stack([hear, reset, reset])
    >>> R = np.array([[-1, -100, 10], [-1, 10, -100]])
    >>> round(fb.solve(fb.pomdp(T, O, R, discount=0.95), "sarsop", gap=0.01).value, 1)
    19.4
    """
    order = dict(axes or {})
    moves = transition_part(name, "T", T, order.get("T", "san"), "san")
    size, wide, _ = moves.shape
    model = model_parts(name, (ONE,), size, (wide,), states, (actions,), terminal, None if legal is None else (legal,))
    seen = observed_part(name, O, order.get("O"), model)
    return table_game(
        model, discount, start, moves, seen, [reward_part(name, "R", R, order.get("R", ""))], [observations]
    )


def mdp(
    T: ArrayLike,
    R: ArrayLike,
    discount: float,
    start: Any = None,
    *,
    states: Labels | None = None,
    actions: Labels | None = None,
    terminal: Iterable[Hashable] = (),
    legal: ArrayLike | None = None,
    axes: Mapping[str, str] | None = None,
    name: str = "mdp",
) -> AnyGame:
    """A Markov decision process given as arrays, as a game of one player who sees the state.

    Parameters
    ----------
    T, R, discount, start, states, actions, terminal, legal, axes, name
        As those of `pomdp`.

    Returns
    -------
    Game

    Raises
    ------
    FormError
        An array has another shape, or an entry is no probability.

    Examples
    --------
    >>> import numpy as np
    >>> import fogbound as fb
    >>> T = np.array([[[1, 0], [0.1, 0.9]], [[0, 1], [0, 1]]])
    >>> round(fb.solve(fb.mdp(T, [[1, 0], [2, 2]], discount=0.9, start=0)).value, 4)
    17.8022
    """
    order = dict(axes or {})
    moves = transition_part(name, "T", T, order.get("T", "san"), "san")
    size, wide, _ = moves.shape
    model = model_parts(name, (ONE,), size, (wide,), states, (actions,), terminal, None if legal is None else (legal,))
    return observing_game(model, discount, start, moves, [reward_part(name, "R", R, order.get("R", ""))])


def markov_game(
    T: ArrayLike,
    R: ArrayLike,
    discount: float,
    start: Any = None,
    *,
    players: Sequence[str] = (),
    states: Labels | None = None,
    actions: Sequence[Labels] | None = None,
    terminal: Iterable[Hashable] = (),
    legal: Sequence[ArrayLike] | None = None,
    name: str = "markov-game",
) -> AnyGame:
    """A Markov game given as arrays: all players see the state and move at the same time.

    Parameters
    ----------
    T
        ``T[state, action of the first player, …, action of the last, next]``; or scipy-sparse matrices ``[state,
        next]`` in nested lists, ``T[action of the first player]…[action of the last]``.
    R
        One array for each player, or an array with a first axis for players: ``R[player][state, actions…]``, or
        ``[state, actions…, next]``. Two players with a single array: what the second pays to the first.
    discount, start
        As those of `pomdp`.
    players
        Their names.
    states
        As those of `pomdp`.
    actions
        The labels of each player's actions.
    terminal
        As those of `pomdp`.
    legal
        Of each player ``legal[state, action]``; a player without any does not move in that state, and the arrays are
        read at its first action.
    name
        What the game is called in messages and files.

    Returns
    -------
    Game

    Raises
    ------
    FormError
        An array has another shape, or an entry is no probability.

    Examples
    --------
    >>> import numpy as np
    >>> import fogbound as fb
    >>> game = fb.markov_game(np.ones((1, 2, 2, 1)), np.array([[[3, 0], [0, 1]]]), discount=0.9)
    >>> round(fb.solve(game, gap=1e-9).value, 6)
    7.5
    """
    moves = transition_part(name, "T", T)
    size, *wide, _ = moves.shape
    named = player_names(name, players, len(wide))
    model = model_parts(name, named, size, tuple(wide), states, actions or (None,) * len(wide), terminal, legal)
    return observing_game(model, discount, start, moves, player_rewards(name, R, model))


def posg(
    T: ArrayLike,
    O: Sequence[ArrayLike],  # noqa: E741
    R: ArrayLike,
    discount: float,
    start: Any = None,
    *,
    players: Sequence[str] = (),
    states: Labels | None = None,
    actions: Sequence[Labels] | None = None,
    observations: Sequence[Labels] | None = None,
    terminal: Iterable[Hashable] = (),
    legal: Sequence[ArrayLike] | None = None,
    name: str = "posg",
) -> AnyGame:
    """A partially observable stochastic game given as arrays; with equal rewards a Dec-POMDP.

    Parameters
    ----------
    T
        As that of `markov_game`.
    O
        One array for each player, whose observations are independent given the next state: ``O[player][next,
        observation]`` or ``O[player][actions…, next, observation]``. Or one numpy array of all: ``O[next,
        observations…]`` or ``O[actions…, next, observations…]``.
    R, discount, start, players, states, actions
        As those of `markov_game`.
    observations
        The labels of each player's observations.
    terminal, legal, name
        As those of `markov_game`.

    Returns
    -------
    Game

    Raises
    ------
    FormError
        An array has another shape, or an entry is no probability.

    Examples
    --------
    >>> import numpy as np
    >>> import fogbound as fb
    >>> same = np.eye(2)[None].repeat(2, axis=0)  # both are paid where they choose alike
    >>> game = fb.posg(np.full((2, 2, 2, 2), 0.5), [np.eye(2), np.ones((2, 1))], [same, same], discount=0.5)
    >>> game.players
    ('player-0', 'player-1')
    """
    moves = transition_part(name, "T", T)
    size, *wide, _ = moves.shape
    named = player_names(name, players, len(wide))
    model = model_parts(name, named, size, tuple(wide), states, actions or (None,) * len(wide), terminal, legal)
    if isinstance(O, np.ndarray) and O.ndim > len(named):
        sizes = O.shape[-len(named) :]
        seen = replace(observed_part(name, O.reshape(*O.shape[: -len(named)], -1), None, model), sizes=sizes)
    elif len(O) == len(named):
        seen = reduce(
            observed_by_all, (observed_part(name, own, None, model, f"O[{player}]") for player, own in enumerate(O))
        )
    else:
        raise FormError(f"{name}: found O of {many(len(O), 'player')}, expected {len(named)}")
    return table_game(
        model, discount, start, moves, seen, player_rewards(name, R, model), observations or [None] * len(named)
    )
