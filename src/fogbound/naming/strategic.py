"""Games in strategic form given as payoff matrices, and game trees given as nested lists.

Both are the games that Gambit's files describe, with exact numbers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError, brief, many
from fogbound.core.game import AnyGame
from fogbound.files.gambit.efg import CHANCE, ExtensiveFile, MoveSet
from fogbound.forms.protocol import Form
from fogbound.naming.array_parts import ArrayLike, Labels, all_labels, array_place, player_names


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
    named = player_names(name, players, len(shape))
    listed = all_labels(name, "actions", actions or (None,) * len(shape), shape)
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

    file = ExtensiveFile(name, name, player_names(name, players, len(players)))
    _Nested(file).add(root, -1, "root")
    return game_of_tree(file)


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
        raise FormError(f"{spec}: {array_place(name, at)} is {entry}, expected a finite number") from error


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
