"""The parts of a process given as arrays, checked, and joined to a table.

A part that is wrong is refused by one line that names the array, the index and the number.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_discount
from fogbound.core.dist import SUM_TOLERANCE
from fogbound.core.errors import FormError, brief, many
from fogbound.core.game import AnyGame
from fogbound.forms.arrays import Floats, Longs, offsets, ranges
from fogbound.forms.table_from_outcomes import JointOutcomes, ModelLabels, table_from_outcomes

ArrayLike: TypeAlias = Any  # a numpy array, nested lists, or a list of scipy-sparse matrices, one for each action
Labels: TypeAlias = Sequence[Hashable]
Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class ModelParts:
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
class TransitionPart:
    """The entries of an array that are not 0: their indices, and the array's shape."""

    index: tuple[Longs, ...]
    value: Floats
    shape: tuple[int, ...]


def model_parts(
    spec: str,
    players: tuple[str, ...],
    size: int,
    wide: tuple[int, ...],
    states: Labels | None,
    actions: Sequence[Labels | None],
    terminal: Iterable[Hashable],
    legal: Sequence[ArrayLike] | None,
) -> ModelParts:
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
    return ModelParts(spec, players, named, all_labels(spec, "actions", actions, wide), over, tuple(found))


def player_names(spec: str, given: Sequence[str], n: int) -> tuple[str, ...]:
    if given and (len(given) != n or len(set(given)) != n or isinstance(given, str)):
        raise FormError(f"{spec}: players is {brief(given)}, expected {n} different names")
    return tuple(map(str, given)) or tuple(f"player-{i}" for i in range(n))


def all_labels(
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


def _number(spec: str, what: str, given: Hashable, labels: Labels) -> int:
    """The number of a state that is given by its label or its number."""
    if given in labels:
        return list(labels).index(given)
    if isinstance(given, numbers.Integral) and not isinstance(given, bool) and 0 <= int(given) < len(labels):
        return int(given)
    raise FormError(f"{spec}: {what} names the state {brief(given)}, expected a label or a number below {len(labels)}")


def transition_part(spec: str, name: str, given: ArrayLike, axes: str = "", order: str = "") -> TransitionPart:
    """The entries of an array of probabilities, with its axes in the given order."""
    if _sparse(given):
        found = _of_sparse(spec, name, given)
    else:
        array = _turned(spec, name, _dense(spec, name, given), axes, order)
        if array.ndim < 3 or (axes and array.ndim != len(order)):
            raise FormError(f"{spec}: {name} has shape {array.shape}, expected [state, action…, next]")
        found = TransitionPart(np.nonzero(array), array[np.nonzero(array)], array.shape)
    size, *_, after = found.shape
    if size != after:
        raise FormError(f"{spec}: {name} has shape {found.shape}, expected as many next states as states")
    if len(bad := np.flatnonzero(~_probable(found.value))):
        at = [int(index[bad[0]]) for index in found.index]
        raise FormError(f"{spec}: {array_place(name, at)} is {found.value[bad[0]]:.12g}, expected a probability")
    return found


def _probable(given: Floats) -> Mask:
    """Whether each entry is a probability; a number that is not finite is none."""
    return (given >= 0) & (given <= 1 + SUM_TOLERANCE)


def _turned(spec: str, name: str, array: Floats, axes: str, order: str) -> Floats:
    """The array with its axes in `order`; a reward may have fewer than all of them."""
    if not axes or axes == order:
        return array
    wanted = "".join(letter for letter in order if letter in axes)
    if sorted(axes) != sorted(wanted) or array.ndim != len(axes):
        raise FormError(f"{spec}: axes of {name} are {axes!r} for shape {array.shape}, expected letters of {order!r}")
    return np.transpose(array, [axes.index(letter) for letter in wanted])


def _sparse(given: ArrayLike) -> bool:
    """Whether an array is given as scipy-sparse matrices in a list, or in nested lists: one for each joint action."""
    from scipy.sparse import issparse

    return isinstance(given, list | tuple) and bool(given) and (issparse(given[0]) or _sparse(given[0]))


def _of_sparse(spec: str, name: str, given: ArrayLike) -> TransitionPart:
    """The entries of matrices [state, next]; the depth of the lists is the number of players."""
    from scipy.sparse import issparse

    level, wide = list(given), [len(given)]
    while not issparse(level[0]):
        wide.append(len(level[0]))
        level = [inner for outer in level for inner in outer]
    if len(level) != math.prod(wide) or any(not issparse(part) or part.shape != level[0].shape for part in level):
        raise FormError(f"{spec}: found matrices {name} of different shapes, expected one shape for all actions")
    parts = [part.tocoo() for part in level]
    action = np.repeat(np.arange(len(parts)), [part.nnz for part in parts])
    state = np.concatenate([part.row for part in parts]).astype(np.int64)
    after = np.concatenate([part.col for part in parts]).astype(np.int64)
    size, to = level[0].shape
    value = np.concatenate([part.data for part in parts]).astype(np.float64)
    return TransitionPart((state, *np.unravel_index(action, wide), after), value, (size, *wide, to))


def _dense(spec: str, name: str, given: ArrayLike) -> Floats:
    try:
        found = np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise FormError(f"{spec}: {name} is {brief(given)}, expected an array of numbers") from error
    if len(bad := np.argwhere(~np.isfinite(found))):
        at = tuple(bad[0].tolist())
        raise FormError(f"{spec}: {array_place(name, at)} is {found[at]}, expected a finite number")
    return found


def array_place(name: str, at: Sequence[int]) -> str:
    return f"{name}[{', '.join(map(str, at))}]" if at else name


@dataclass(frozen=True)
class ObservedPart:
    """What is seen after each joint action and next state: joint observations, the last player's fastest."""

    first: Longs  # [A * S + 1]
    observation: Longs
    prob: Floats
    sizes: tuple[int, ...]  # observations of each player


def observed_part(spec: str, given: ArrayLike, axes: str | None, model: ModelParts, name: str = "O") -> ObservedPart:
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
    if len(bad := np.argwhere(~_probable(array))):
        place = _in_given(name, shape, model, int(bad[0][0]), int(bad[0][1]))
        raise FormError(f"{spec}: {place} is {array[tuple(bad[0])]:.12g}, expected a probability")
    arrival, column = np.nonzero(array)
    first = offsets(np.bincount(arrival, minlength=wide * size))
    return ObservedPart(first, column, array[arrival, column], (array.shape[1],))


def _in_given(name: str, shape: tuple[int, ...], model: ModelParts, row: int, *more: int) -> str:
    """The place of a row of [actions, next] in the array as it was given."""
    at = np.unravel_index(row, (*model.wide, len(model.states)))
    return array_place(name, [*map(int, at if len(shape) > 2 else at[-1:]), *more])


def observed_by_all(one: ObservedPart, two: ObservedPart) -> ObservedPart:
    """What several players see, independently."""
    count = np.diff(one.first) * np.diff(two.first)
    row = np.repeat(np.arange(len(count)), count)
    within = np.arange(len(row)) - np.repeat(offsets(count)[:-1], count)
    mine, theirs = np.divmod(within, np.diff(two.first)[row])
    first, second = one.first[row] + mine, two.first[row] + theirs
    shown = math.prod(two.sizes)
    return ObservedPart(
        offsets(count),
        one.observation[first] * shown + two.observation[second],
        one.prob[first] * two.prob[second],
        (*one.sizes, *two.sizes),
    )


def reward_part(spec: str, name: str, given: ArrayLike, axes: str = "") -> Floats:
    if _sparse(given):
        return np.stack([matrix.toarray() for matrix in given], axis=1)
    return _turned(spec, name, _dense(spec, name, given), axes, "sano")


def player_rewards(spec: str, given: ArrayLike, model: ModelParts) -> list[Floats]:
    """The rewards of each player, of which two may share one array."""
    n, shape = len(model.players), (len(model.states), *model.wide)
    listed = [reward_part(spec, f"R[{player}]", own) for player, own in enumerate(given)]
    if len(listed) == n and all(own.shape[: len(shape)] == shape or own.shape == shape[:1] for own in listed):
        return listed
    whole = reward_part(spec, "R", given)
    if n <= 2 and whole.shape[: len(shape)] == shape:
        return [whole, -whole][:n]
    raise FormError(f"{spec}: R has shape {whole.shape}, expected {many(n, 'array')} of shape {shape}, one a player")


def _earned(model: ModelParts, rewards: Floats, cells: JointOutcomes, sizes: tuple[int, ...], name: str) -> Floats:
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


def observing_game(
    model: ModelParts, discount: float, start: Any, moves: TransitionPart, rewards: list[Floats]
) -> AnyGame:
    """The game in which all players see the state, at the start as well."""
    size, n, joint = len(model.states), len(model.players), math.prod(model.wide)
    number = sum(np.arange(size) * size**k for k in range(n))  # of the joint observation that all see the same state
    seen = ObservedPart(np.arange(joint * size + 1), np.tile(number, joint), np.ones(joint * size), (size,) * n)
    return table_game(model, discount, start, moves, seen, rewards, [model.states] * n, number)


def table_game(
    model: ModelParts,
    discount: float,
    start: Any,
    moves: TransitionPart,
    seen: ObservedPart,
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
        model.players, model.states, model.actions, all_labels(spec, "observations", observations, seen.sizes)
    )
    table = table_from_outcomes(
        *(spec, discount, labels, _begun(model, start)),
        replace(cells, reward=np.stack(paid, axis=1)),
        legal=model.legal,
        first=first,
    )
    return table.as_game()


def _require_sums(model: ModelParts, moves: TransitionPart, row: Longs) -> None:
    """Refuse transitions that do not sum to 1 where an action may be taken."""
    possible = model.joint.ravel()
    total = np.bincount(row, weights=moves.value, minlength=len(possible))
    if len(wrong := np.flatnonzero((np.abs(total - 1) > SUM_TOLERANCE) & possible)):
        at = [int(k) for k in np.unravel_index(int(wrong[0]), moves.shape[:-1])]
        raise FormError(f"{model.spec}: {array_place('T', at)} sums to {total[wrong[0]]:.12g}, expected 1")


def _require_seen(model: ModelParts, seen: ObservedPart, arrived: Longs) -> None:
    """Refuse observations that do not sum to 1 where an action may lead."""
    row = np.repeat(np.arange(len(seen.first) - 1), np.diff(seen.first))
    total = np.bincount(row, weights=seen.prob, minlength=len(seen.first) - 1)
    wrong = arrived[np.abs(total[arrived] - 1) > SUM_TOLERANCE]
    if len(wrong):
        *chosen, after = np.unravel_index(int(wrong.min()), (*model.wide, len(model.states)))
        where = f"action {', '.join(map(str, chosen))} and next state {after}"
        raise FormError(f"{model.spec}: O sums to {total[wrong.min()]:.12g} for {where}, expected 1")


def _begun(model: ModelParts, start: Any) -> Floats:
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
