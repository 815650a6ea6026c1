"""Games from arrays: T, O and R of decision processes and stochastic games, payoff matrices, trees as nested lists.

Every process becomes a `Table` by one way (`forms.table_from_outcomes`); matrices and trees are the games that files of
Gambit's describe. What comes back is a game as any other: it can be solved, played, drawn, saved and converted.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_discount
from fogbound.core.dist import SUM_TOLERANCE
from fogbound.core.errors import FormError, brief, many
from fogbound.core.game import AnyGame
from fogbound.files.gambit.efg import CHANCE, ExtensiveFile, MoveSet
from fogbound.forms.arrays import Floats, Longs, offsets, ranges
from fogbound.forms.protocol import Form
from fogbound.forms.table_from_arrays import JointOutcomes, ModelLabels, table_from_outcomes

ArrayLike: TypeAlias = Any  # a numpy array, nested lists, or a list of scipy-sparse matrices, one for each action
Labels: TypeAlias = Sequence[Hashable]
Mask: TypeAlias = NDArray[np.bool_]
ONE = "agent"


@dataclass(frozen=True)
class _Model:
    """The parts of a stochastic game, of n players, before anything is checked against anything else."""

    spec: str
    players: tuple[str, ...]
    states: Labels
    actions: tuple[Labels, ...]
    terminal: Mask  # [S]
    legal: tuple[Mask, ...]  # of each player [S, A]

    @property
    def wide(self) -> tuple[int, ...]:
        return tuple(map(len, self.actions))

    @property
    def joint(self) -> Mask:
        """[S, A] the joint actions that count: of those who have no action the first."""
        found: Mask = ~self.terminal[:, None]
        for mask in self.legal:
            own = mask.copy()
            own[~mask.any(axis=1), 0] = True
            found = (found[:, :, None] & own[:, None, :]).reshape(len(found), -1)
        return found


@dataclass(frozen=True)
class _Columns:
    """The entries of an array that are not 0: their indices, and the array's shape."""

    index: tuple[Longs, ...]
    value: Floats
    shape: tuple[int, ...]


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
    moves = _columns(name, "T", T, order.get("T", "san"), "san")
    size, wide, _ = moves.shape
    model = _model(name, (ONE,), size, (wide,), states, (actions,), terminal, None if legal is None else (legal,))
    seen = _observed(name, O, order.get("O"), model)
    return _game(model, discount, start, moves, seen, [_rewards(name, "R", R, order.get("R", ""))], [observations])


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
    moves = _columns(name, "T", T, order.get("T", "san"), "san")
    size, wide, _ = moves.shape
    model = _model(name, (ONE,), size, (wide,), states, (actions,), terminal, None if legal is None else (legal,))
    return _seen_game(model, discount, start, moves, [_rewards(name, "R", R, order.get("R", ""))])


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
        ``T[state, action of the first player, …, action of the last, next]``.
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
    moves = _columns(name, "T", T)
    size, *wide, _ = moves.shape
    named = _players(name, players, len(wide))
    model = _model(name, named, size, tuple(wide), states, actions or (None,) * len(wide), terminal, legal)
    return _seen_game(model, discount, start, moves, _paid(name, R, model))


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
    moves = _columns(name, "T", T)
    size, *wide, _ = moves.shape
    named = _players(name, players, len(wide))
    model = _model(name, named, size, tuple(wide), states, actions or (None,) * len(wide), terminal, legal)
    if isinstance(O, np.ndarray) and O.ndim > len(named):
        sizes = O.shape[-len(named) :]
        seen = replace(_observed(name, O.reshape(*O.shape[: -len(named)], -1), None, model), sizes=sizes)
    elif len(O) == len(named):
        seen = reduce(_both, (_observed(name, own, None, model, f"O[{player}]") for player, own in enumerate(O)))
    else:
        raise FormError(f"{name}: found O of {many(len(O), 'player')}, expected {len(named)}")
    return _game(model, discount, start, moves, seen, _paid(name, R, model), observations or [None] * len(named))


def matrix_game(
    *payoffs: ArrayLike,
    players: Sequence[str] = (),
    actions: Sequence[Labels] | None = None,
    name: str = "matrix",
) -> AnyGame:
    """A game in strategic form given as payoff matrices: all players choose once, at the same time.

    Parameters
    ----------
    *payoffs
        One matrix ``A``: two players, zero-sum, and what the second pays to the first. One for each player:
        ``A, B``, or n tensors with n axes. Or a single tensor with a first axis for players. Numbers, or fractions,
        which stay exact.
    players
        Their names.
    actions
        The labels of each player's actions.
    name
        What the game is called in messages and files.

    Returns
    -------
    Game

    Raises
    ------
    FormError
        The shapes do not fit, or an entry is no finite number.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.solve(fb.matrix_game([[1, -1], [-1, 1]])).value
    0.0
    >>> battle = fb.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]], players=("row", "column"))
    >>> battle.players
    ('row', 'column')
    """
    from fogbound.files.gambit.game import StrategicGame
    from fogbound.files.gambit.nfg import StrategicFile

    tables = _tables(name, payoffs)
    shape = tables[0].shape
    named = _players(name, players, len(shape))
    listed = _all_labels(name, "actions", actions or (None,) * len(shape), shape)
    entries = [[_exact(name, f"payoffs[{i}]", table, k) for k in np.ndindex(*shape)] for i, table in enumerate(tables)]
    first_fastest = np.arange(math.prod(shape)).reshape(shape).ravel(order="F").tolist()
    cells = tuple(tuple(own[k] for own in entries) for k in first_fastest)
    strategies = tuple(tuple(map(str, own)) for own in listed)
    return StrategicGame(StrategicFile(name, name, "", named, strategies, cells))


def tree(root: Any, players: Sequence[str], name: str = "tree") -> AnyGame | Form:
    """A game tree given as nested lists.

    Parameters
    ----------
    root
        A node: at an end the payoffs, ``[1, -1]``; a decision ``[player, information set, {action: node, …}]`` with
        the player by name or number; chance ``["chance", {label: (probability, node), …}]``.
    players
        The names of the players.
    name
        What the game is called in messages and files.

    Returns
    -------
    Game or Form
        Its tree form where players would learn from the clock what the tree keeps secret: it can be solved, not
        played.

    Raises
    ------
    FormError
        A node is none of these, or one information set has different actions; the message names the node.

    Examples
    --------
    >>> import fogbound as fb
    >>> second = lambda sure: ["two", "asked", {"fight": [-1, -1], "share": [1, 1] if sure else [0, 2]}]
    >>> entry = fb.tree(["one", "begin", {"out": [0, 2], "in": second(True)}], players=("one", "two"))
    >>> fb.solve(entry, "backward-induction").value
    1.0
    """
    from fogbound.files.gambit.game import game_of_tree

    file = ExtensiveFile(name, name, _players(name, players, len(players)))
    _Nested(file).add(root, -1, "root")
    return game_of_tree(file)


def _players(spec: str, given: Sequence[str], n: int) -> tuple[str, ...]:
    if given and (len(given) != n or len(set(given)) != n or isinstance(given, str)):
        raise FormError(f"{spec}: players is {brief(given)}, expected {n} different names")
    return tuple(map(str, given)) or tuple(f"player-{i}" for i in range(n))


def _all_labels(
    spec: str, what: str, given: Sequence[Labels | None], sizes: Sequence[int]
) -> tuple[tuple[Hashable, ...], ...]:
    """The labels of each of several lists: those that are given, else numbers."""
    if len(given) != len(sizes):
        raise FormError(f"{spec}: found {what} of {many(len(given), 'player')}, expected {len(sizes)}")
    return tuple(_labels(spec, what, own, size) for own, size in zip(given, sizes))


def _labels(spec: str, what: str, given: Labels | None, size: int) -> tuple[Hashable, ...]:
    found = tuple(range(size)) if given is None else tuple(given)
    if len(found) != size or len(set(found)) != size:
        raise FormError(f"{spec}: {what} is {brief(given)}, expected {size} different labels, as in the arrays")
    return found


def _model(
    spec: str,
    players: tuple[str, ...],
    size: int,
    wide: tuple[int, ...],
    states: Labels | None,
    actions: Sequence[Labels | None],
    terminal: Iterable[Hashable],
    legal: Sequence[ArrayLike] | None,
) -> _Model:
    """The parts that have a size by now, with labels and masks of the same sizes."""
    named = _labels(spec, "states", states, size)
    over = np.zeros(size, bool)
    over[[_number(spec, "terminal", state, named) for state in terminal]] = True
    masks = legal or [np.ones((size, own), bool) for own in wide]
    if len(masks) != len(wide):
        raise FormError(f"{spec}: found legal of {many(len(masks), 'player')}, expected {len(wide)}")
    found = []
    for player, (mask, own) in enumerate(zip(masks, wide)):
        array = np.asarray(mask, bool)
        if array.shape != (size, own):
            at = f"legal[{player}]" if len(wide) > 1 else "legal"
            raise FormError(f"{spec}: {at} has shape {array.shape}, expected {(size, own)}")
        found.append(array & ~over[:, None])
    return _Model(spec, players, named, _all_labels(spec, "actions", actions, wide), over, tuple(found))


def _number(spec: str, what: str, given: Hashable, labels: Labels) -> int:
    """The number of a state that is given by its label or its number."""
    if given in labels:
        return list(labels).index(given)
    if isinstance(given, numbers.Integral) and not isinstance(given, bool) and 0 <= int(given) < len(labels):
        return int(given)
    raise FormError(f"{spec}: {what} names the state {brief(given)}, expected a label or a number below {len(labels)}")


def _sparse(given: ArrayLike) -> bool:
    """Whether an array is given as a list of scipy-sparse matrices."""
    from scipy.sparse import issparse

    return isinstance(given, list | tuple) and bool(given) and all(map(issparse, given))


def _dense(spec: str, name: str, given: ArrayLike) -> Floats:
    try:
        found = np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise FormError(f"{spec}: {name} is {brief(given)}, expected an array of numbers") from error
    if len(bad := np.argwhere(~np.isfinite(found))):
        at = tuple(bad[0].tolist())
        raise FormError(f"{spec}: {_place(name, at)} is {found[at]}, expected a finite number")
    return found


def _place(name: str, at: Sequence[int]) -> str:
    return f"{name}[{', '.join(map(str, at))}]" if at else name


def _columns(spec: str, name: str, given: ArrayLike, axes: str = "", order: str = "") -> _Columns:
    """The entries of an array of probabilities, with its axes in the given order."""
    if _sparse(given):
        parts = [matrix.tocoo() for matrix in given]
        shape = (parts[0].shape[0], len(parts), parts[0].shape[1])
        if any(part.shape != parts[0].shape for part in parts):
            raise FormError(f"{spec}: found matrices {name} of different shapes, expected one shape for all actions")
        action = np.repeat(np.arange(len(parts)), [part.nnz for part in parts])
        row, column, value = (
            np.concatenate([getattr(part, field) for part in parts]) for field in ("row", "col", "data")
        )
        found = _Columns((row.astype(np.int64), action, column.astype(np.int64)), value.astype(np.float64), shape)
    else:
        array = _turned(spec, name, _dense(spec, name, given), axes, order)
        if array.ndim < 3 or (axes and array.ndim != len(order)):
            raise FormError(f"{spec}: {name} has shape {array.shape}, expected [state, action…, next]")
        found = _Columns(np.nonzero(array), array[np.nonzero(array)], array.shape)
    size, *_, after = found.shape
    if size != after:
        raise FormError(f"{spec}: {name} has shape {found.shape}, expected as many next states as states")
    if len(bad := np.flatnonzero((found.value < 0) | (found.value > 1 + SUM_TOLERANCE))):
        at = [int(index[bad[0]]) for index in found.index]
        raise FormError(f"{spec}: {_place(name, at)} is {found.value[bad[0]]:.12g}, expected a probability")
    return found


def _turned(spec: str, name: str, array: Floats, axes: str, order: str) -> Floats:
    """The array with its axes in `order`; a reward may have fewer than all of them."""
    if not axes or axes == order:
        return array
    wanted = "".join(letter for letter in order if letter in axes)
    if sorted(axes) != sorted(wanted) or array.ndim != len(axes):
        raise FormError(f"{spec}: axes of {name} are {axes!r} for shape {array.shape}, expected letters of {order!r}")
    return np.transpose(array, [axes.index(letter) for letter in wanted])


@dataclass(frozen=True)
class _Seen:
    """What is seen after each joint action and next state: joint observations, the last player's fastest."""

    first: Longs  # [A * S + 1]
    observation: Longs
    prob: Floats
    sizes: tuple[int, ...]  # observations of each player


def _observed(spec: str, given: ArrayLike, axes: str | None, model: _Model, name: str = "O") -> _Seen:
    size, wide = len(model.states), math.prod(model.wide)
    if _sparse(given):
        array = np.stack([matrix.toarray() for matrix in given])
    else:
        array = _turned(spec, name, _dense(spec, name, given), axes or "", "ano")
    shape = array.shape
    if array.ndim == 2:
        array = np.broadcast_to(array, (*model.wide, *shape))
    if array.shape[:-1] != (*model.wide, size):
        raise FormError(
            f"{spec}: {name} has shape {shape}, expected {(size, 'observations')} or "
            f"{(*model.wide, size, 'observations')}"
        )
    array = array.reshape(wide * size, -1)
    if len(bad := np.argwhere((array < 0) | (array > 1 + SUM_TOLERANCE))):
        place = _in_given(name, shape, model, int(bad[0][0]), int(bad[0][1]))
        raise FormError(f"{spec}: {place} is {array[tuple(bad[0])]:.12g}, expected a probability")
    arrival, column = np.nonzero(array)
    first = offsets(np.bincount(arrival, minlength=wide * size))
    return _Seen(first, column, array[arrival, column], (array.shape[1],))


def _in_given(name: str, shape: tuple[int, ...], model: _Model, row: int, *more: int) -> str:
    """The place of a row of [actions, next] in the array as it was given."""
    at = np.unravel_index(row, (*model.wide, len(model.states)))
    return _place(name, [*map(int, at if len(shape) > 2 else at[-1:]), *more])


def _both(one: _Seen, two: _Seen) -> _Seen:
    """What several players see, independently."""
    count = np.diff(one.first) * np.diff(two.first)
    row = np.repeat(np.arange(len(count)), count)
    within = np.arange(len(row)) - np.repeat(offsets(count)[:-1], count)
    mine, theirs = np.divmod(within, np.diff(two.first)[row])
    first, second = one.first[row] + mine, two.first[row] + theirs
    shown = math.prod(two.sizes)
    return _Seen(
        offsets(count),
        one.observation[first] * shown + two.observation[second],
        one.prob[first] * two.prob[second],
        (*one.sizes, *two.sizes),
    )


def _rewards(spec: str, name: str, given: ArrayLike, axes: str = "") -> Floats:
    if _sparse(given):
        return np.stack([matrix.toarray() for matrix in given], axis=1)
    return _turned(spec, name, _dense(spec, name, given), axes, "sano")


def _paid(spec: str, given: ArrayLike, model: _Model) -> list[Floats]:
    """The rewards of each player, of which two may share one array."""
    n, shape = len(model.players), (len(model.states), *model.wide)
    listed = [_rewards(spec, f"R[{player}]", own) for player, own in enumerate(given)]
    if len(listed) == n and all(own.shape[: len(shape)] == shape or own.shape == shape[:1] for own in listed):
        return listed
    whole = _rewards(spec, "R", given)
    if n <= 2 and whole.shape[: len(shape)] == shape:
        return [whole, -whole][:n]
    raise FormError(f"{spec}: R has shape {whole.shape}, expected {many(n, 'array')} of shape {shape}, one a player")


def _earned(model: _Model, rewards: Floats, cells: JointOutcomes, sizes: tuple[int, ...], name: str) -> Floats:
    """[O] what an array of rewards pays at each outcome."""
    size, wide, joint = len(model.states), model.wide, math.prod(model.wide)
    shapes = {  # as given, and with the joint action and the joint observation as one axis each
        (size,): (size,),
        (size, *wide): (size, joint),
        (size, *wide, size): (size, joint, size),
        (size, *wide, size, *sizes): (size, joint, size, math.prod(sizes)),
    }
    if rewards.shape not in shapes:
        wanted = ", ".join(map(str, shapes))
        raise FormError(f"{model.spec}: {name} has shape {rewards.shape}, expected one of {wanted}")
    flat = rewards.reshape(shapes[rewards.shape])
    at = (cells.state, cells.action, cells.next, cells.observation)[: flat.ndim]
    return np.asarray(flat[at], np.float64)


def _seen_game(model: _Model, discount: float, start: Any, moves: _Columns, rewards: list[Floats]) -> AnyGame:
    """The game in which all players see the state, at the start as well."""
    size, n, joint = len(model.states), len(model.players), math.prod(model.wide)
    number = sum(np.arange(size) * size**k for k in range(n))  # of the joint observation that all see the same state
    seen = _Seen(np.arange(joint * size + 1), np.tile(number, joint), np.ones(joint * size), (size,) * n)
    return _game(model, discount, start, moves, seen, rewards, [model.states] * n, number)


def _game(
    model: _Model,
    discount: float,
    start: Any,
    moves: _Columns,
    seen: _Seen,
    rewards: list[Floats],
    observations: Sequence[Labels | None],
    first: Longs | None = None,
) -> AnyGame:
    """The table of a model, as a game."""
    spec, size, joint = model.spec, len(model.states), math.prod(model.wide)
    require_discount(spec, discount)
    state, *chosen, after = moves.index
    action = np.ravel_multi_index(tuple(chosen), model.wide)
    _require_sums(model, moves, state * joint + action)
    counted = model.joint[state, action]
    state, action, after = (column[counted].astype(np.int64) for column in (state, action, after))
    arrived = action * size + after
    _require_seen(model, seen, arrived)
    count = np.diff(seen.first)[arrived]
    entry = ranges(seen.first[arrived], count)
    move = np.repeat(np.arange(len(state)), count)
    nothing = np.zeros((len(move), 0))
    prob = moves.value[counted][move] * seen.prob[entry]
    cells = JointOutcomes(state[move], action[move], after[move], seen.observation[entry], prob, nothing)
    names = ["R"] if len(rewards) == 1 else [f"R[{player}]" for player in range(len(rewards))]
    paid = [_earned(model, own, cells, seen.sizes, name) for own, name in zip(rewards, names)]
    labels = ModelLabels(
        model.players, model.states, model.actions, _all_labels(spec, "observations", observations, seen.sizes)
    )
    table = table_from_outcomes(
        *(spec, discount, labels, _begun(model, start)),
        replace(cells, reward=np.stack(paid, axis=1)),
        legal=model.legal,
        first=first,
    )
    return table.as_game()


def _require_sums(model: _Model, moves: _Columns, row: Longs) -> None:
    """Refuse transitions that do not sum to 1 where an action may be taken."""
    possible = model.joint.ravel()
    total = np.bincount(row, weights=moves.value, minlength=len(possible))
    if len(wrong := np.flatnonzero((np.abs(total - 1) > SUM_TOLERANCE) & possible)):
        at = [int(k) for k in np.unravel_index(int(wrong[0]), moves.shape[:-1])]
        raise FormError(f"{model.spec}: {_place('T', at)} sums to {total[wrong[0]]:.12g}, expected 1")


def _require_seen(model: _Model, seen: _Seen, arrived: Longs) -> None:
    """Refuse observations that do not sum to 1 where an action may lead."""
    row = np.repeat(np.arange(len(seen.first) - 1), np.diff(seen.first))
    total = np.bincount(row, weights=seen.prob, minlength=len(seen.first) - 1)
    wrong = arrived[np.abs(total[arrived] - 1) > SUM_TOLERANCE]
    if len(wrong):
        *chosen, after = np.unravel_index(int(wrong.min()), (*model.wide, len(model.states)))
        where = f"action {', '.join(map(str, chosen))} and next state {after}"
        raise FormError(f"{model.spec}: O sums to {total[wrong.min()]:.12g} for {where}, expected 1")


def _begun(model: _Model, start: Any) -> Floats:
    """[S] how likely play begins in each state."""
    spec, size = model.spec, len(model.states)
    if start is None:
        return np.where(model.terminal, 0.0, 1.0) / max(1, int((~model.terminal).sum()))
    if isinstance(start, Hashable) and (np.ndim(start) == 0 or start in model.states):  # type: ignore[arg-type]
        begun = np.zeros(size)
        begun[_number(spec, "start", start, model.states)] = 1.0
        return begun
    given = _dense(spec, "start", start)
    if given.shape != (size,):
        raise FormError(f"{spec}: start has shape {given.shape}, expected {(size,)}, or a state")
    if len(bad := np.flatnonzero(given < 0)):
        raise FormError(f"{spec}: start[{bad[0]}] is {given[bad[0]]:.12g}, expected a probability")
    if abs(given.sum() - 1) > SUM_TOLERANCE:
        raise FormError(f"{spec}: start sums to {given.sum():.12g}, expected 1")
    return given


def _tables(spec: str, payoffs: tuple[ArrayLike, ...]) -> list[NDArray[Any]]:
    """The payoffs of each player, as tensors of one shape."""
    try:
        found = [np.asarray(own) for own in payoffs]
        if not found or any(own.dtype == object and own.ndim == 0 for own in found):
            raise ValueError
    except ValueError as error:
        raise FormError(f"{spec}: found {brief(payoffs)}, expected matrices of numbers") from error
    if len(found) == 1 and found[0].ndim == 2:
        return [found[0], -found[0]]
    if len(found) == 1 and found[0].ndim == 1 + len(found[0]):
        found = list(found[0])
    for player, own in enumerate(found):
        if own.shape != found[0].shape or own.ndim != len(found) or not own.size:
            raise FormError(
                f"{spec}: payoffs[{player}] has shape {own.shape}, expected one axis for each of {len(found)} players, "
                "and one shape for all"
            )
    return found


def _exact(spec: str, name: str, table: NDArray[Any], at: tuple[int, ...]) -> Fraction:
    """An entry as a fraction: of a decimal number what it is written as."""
    entry = table[at]
    try:
        return entry if isinstance(entry, Fraction) else Fraction(str(entry))
    except ValueError as error:
        raise FormError(f"{spec}: {_place(name, at)} is {entry}, expected a finite number") from error


class _Nested:
    """Nested lists read into a tree, each node before those below it."""

    def __init__(self, file: ExtensiveFile) -> None:
        self.file = file
        self.sets: dict[tuple[int, Hashable], int] = {}

    def add(self, node: Any, parent: int, at: str) -> None:
        """Add a node and all below it; `at` is its place, for messages."""
        file, number = self.file, self.file.size
        file.parent.append(parent)
        if isinstance(node, list | tuple) and len(node) == 2 and node[0] == "chance" and isinstance(node[1], dict):
            chances = [self._chance(entry, f"{at}.{label}") for label, entry in node[1].items()]
            self._set(
                MoveSet(CHANCE, len(file.sets) + 1, "", tuple(map(str, node[1])), tuple(p for p, _ in chances)), at
            )
            below = [child for _, child in chances]
        elif isinstance(node, list | tuple) and len(node) == 3 and isinstance(node[2], dict) and node[2]:
            self._decision(node, at)
            below = list(node[2].values())
        else:
            file.set_of.append(-1)
            file.outcome.append(self._end(node, at))
            return
        file.outcome.append(0)
        for label, child in zip(node[-1], below):
            self.add(child, number, f"{at}.{label}")

    def _chance(self, entry: Any, at: str) -> tuple[Fraction, Any]:
        if isinstance(entry, list | tuple) and len(entry) == 2:
            with suppress(ValueError, TypeError):
                likely = entry[0] if isinstance(entry[0], Fraction) else Fraction(str(entry[0]))
                if 0 <= likely <= 1:
                    return likely, entry[1]
        raise FormError(f"{self.file.path}: {at} is {brief(entry)}, expected (probability, node)")

    def _decision(self, node: Sequence[Any], at: str) -> None:
        who, label, moves = node
        names = self.file.players
        player = names.index(who) if who in names else who
        if not isinstance(player, int) or isinstance(player, bool) or not 0 <= player < len(names):
            raise FormError(f"{self.file.path}: {at} is a decision of {brief(who)}, expected one of {', '.join(names)}")
        own = MoveSet(
            player, 1 + sum(one.player == player for one in self.file.sets), str(label), tuple(map(str, moves))
        )
        known = self.sets.get((player, label))
        if known is None:
            self.sets[player, label] = len(self.file.sets)
            self._set(own, at)
        elif self.file.sets[known].moves != own.moves:
            raise FormError(
                f"{self.file.path}: {at} has the actions {', '.join(own.moves)}, expected those of the information set "
                f"{label!r}: {', '.join(self.file.sets[known].moves)}"
            )
        else:
            self.file.set_of.append(known)

    def _set(self, one: MoveSet, at: str) -> None:
        if one.player == CHANCE and sum(one.chances) != 1:
            raise FormError(
                f"{self.file.path}: the probabilities at {at} sum to {float(sum(one.chances)):.12g}, expected 1"
            )
        self.file.set_of.append(len(self.file.sets))
        self.file.sets.append(one)

    def _end(self, node: Any, at: str) -> int:
        """The outcome of an end."""
        n = len(self.file.players)
        if isinstance(node, list | tuple) and len(node) == n:
            with suppress(ValueError, TypeError):
                payoffs = tuple(own if isinstance(own, Fraction) else Fraction(str(own)) for own in node)
                number = len(self.file.outcomes) + 1
                self.file.outcomes[number] = ("", payoffs)
                return number
        raise FormError(
            f"{self.file.path}: {at} is {brief(node)}, expected {many(n, 'payoff')}, [player, information set, "
            '{action: node}] or ["chance", {label: (probability, node)}]'
        )
