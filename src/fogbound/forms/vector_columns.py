"""The columns of a table by vectorised rules: level by level, each joint action asked once for all states of a level.

Everything is numbered in the order in which the plain rules would meet it, so the table is the same to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from itertools import accumulate, islice, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.contract import ordered, too_many_outcomes, too_many_states
from fogbound.core.dist import SUM_TOLERANCE
from fogbound.core.errors import FogboundError, GameError, brief, raised
from fogbound.core.game import AnyGame
from fogbound.forms.arrays import Floats, Longs, offsets
from fogbound.forms.columns import EnumeratedGame
from fogbound.forms.enumeration import FIRST, Enumeration, most_outcomes
from fogbound.forms.vector_rules import ManyOutcomes, VectorRules

Column = NDArray[Any] | None  # one value for each state; None: nothing is seen


def vector_columns(game: AnyGame, rules: VectorRules, limit: int) -> EnumeratedGame:
    """The columns of the table by vectorised rules.

    Parameters
    ----------
    game
        The plain rules, without symmetries (`Game.canonical`): they are asked for the start.
    rules
        The same, vectorised.
    limit
        How many states there may be.

    Returns
    -------
    EnumeratedGame

    Raises
    ------
    LimitError
        There are more.
    GameError
        The rules do not fit together; the message names a state.
    """
    return VectorEnumeration(game, rules, limit).run()


class Piece(NamedTuple):
    """One outcome of one joint action in several states of a level."""

    state: Longs  # [N] places in the level
    row: Longs  # [N] number of the joint action in its state
    place: Longs  # [N] number of the outcome in its row
    prob: Floats  # [N]
    columns: list[Column]  # the words of the next state, then rewards, what all see and what each player sees


class VectorEnumeration(Enumeration):
    """Levels of states, breadth first, in the room of the plain enumeration."""

    def __init__(self, game: AnyGame, rules: VectorRules, limit: int) -> None:
        super().__init__(game, limit)
        self.rules, self.most = rules, most_outcomes(limit)
        self.numbers: dict[tuple[int, ...], int] = {}  # of states, by row
        self.known_events: dict[tuple[Any, ...], int] = {}  # by rewards and codes
        self.lists: list[tuple[tuple[int, ...], list[tuple[Hashable, ...]]]] = []  # by decision: actors, legal actions
        self.decided: dict[
            int, tuple[int, list[int], int]
        ] = {}  # those that were met: numbers of actors, of lists, rows
        self.found: list[tuple[Longs, Longs, Longs, Floats]] = []  # by level: outcomes of each row, next, event, prob
        self.outcomes = 0

    def _states(self) -> tuple[list[int], list[int], list[int]]:
        where = "start()"
        legal_of: list[int] = []
        rows = [1]
        try:
            self._outcomes(FIRST, self.game.start(), None, None)
            self.rows.kind.append(FIRST)
            where = "state_row"
            level = [tuple(int(word) for word in self.rules.state_row(state)) for state in self.states]
            self.numbers = {row: number for number, row in enumerate(level)}
            if len(self.numbers) < len(level) or len(set(map(len, level))) > 1:
                raise GameError(f"{self.game}: state_row gives different states one row, or rows of different lengths")
            where = "decisions"
            self.lists = [self._listed(decision) for decision in self.rules.decisions]
            while level:
                check()
                where = "vector_rules"
                level = self._level(np.array(level, np.int64), legal_of, rows)
        except FogboundError:
            raise
        except Exception as error:
            raise GameError(f"{self.game}: {where} raised {raised(error)}") from error
        return self.actor_set_of, legal_of, rows

    def _listed(self, decision: Any) -> tuple[tuple[int, ...], list[tuple[Hashable, ...]]]:
        return tuple(decision), [ordered(self.game, offered, None) for offered in decision.values()]

    def _level(self, level: Longs, legal_of: list[int], rows: list[int]) -> list[tuple[int, ...]]:
        """Write down one level; the rows of the states that follow it for the first time."""
        kinds = np.asarray(self.rules.decision_of(level))
        if kinds.shape != (len(level),) or kinds.min(initial=0) < 0 or kinds.max(initial=0) >= len(self.lists):
            raise GameError(
                f"{self.game}: decision_of gives {brief(kinds.tolist())}, expected {len(level)} numbers from 0 to "
                f"{len(self.lists) - 1}, the places in decisions"
            )
        first = len(rows) - 1  # the number of the level's first state
        listed = kinds.tolist()
        for kind in dict.fromkeys(listed):
            if kind not in self.decided:
                self.decided[kind] = self._decide(kind, self.states[first + listed.index(kind)])
        decided = [self.decided[kind] for kind in listed]
        self.actor_set_of.extend([actor_set for actor_set, _, _ in decided])
        legal_of.extend([legal for _, lists, _ in decided for legal in lists])
        rows.extend(islice(accumulate([many for _, _, many in decided], initial=rows[-1]), 1, None))
        pieces = [
            piece
            for kind in np.unique(kinds).tolist()
            for piece in self._pieces(level, np.flatnonzero(kinds == kind), kind)
        ]
        begun = rows[first]
        starts = np.array(rows[first:-1], np.int64) - begun  # [state of the level] its first row
        known = len(self.numbers)
        if pieces:
            self._write(pieces, starts, rows[-1] - begun, level)
        fresh = list(islice(reversed(self.numbers), len(self.numbers) - known))[::-1]
        for row in fresh:
            state = self.rules.state(row)
            self.state_ids[state] = len(self.states)
            self.states.append(state)
        if len(self.state_ids) != len(self.states):
            raise GameError(f"{self.game}: state() gives one state for several rows, such as {brief(fresh[-1])}")
        return fresh

    def _decide(self, kind: int, state: Any) -> tuple[int, list[int], int]:
        """A decision that is met for the first time: its set of actors, their lists of actions, its joint actions."""
        actors, lists = self.lists[kind]
        actor_set = self.actor_set_ids.get(actors)
        if actor_set is None:
            actor_set = self._new_actor_set(actors, state)
        known = [
            self.legal_ids[offered] if offered in self.legal_ids else self._new_legal(offered, state, player)
            for player, offered in zip(actors, lists)
        ]
        return actor_set, known, math.prod(map(len, lists)) if actors else 0

    def _pieces(self, level: Longs, these: Longs, kind: int) -> list[Piece]:
        """All outcomes of all joint actions in the states of one decision."""
        actors, lists = self.lists[kind]
        found = []
        for number, joint in enumerate(product(*lists) if actors else ()):
            check()
            for place, outcomes in enumerate(self.rules.step_many(level[these], joint)):
                prob, columns = self._columns_of(outcomes, len(these), level.shape[1], joint)
                numbers = np.full(len(these), number), np.full(len(these), place)
                found.append(Piece(these, *numbers, prob, columns))
        return found

    def _columns_of(
        self, outcomes: ManyOutcomes, many: int, width: int, joint: tuple[Any, ...]
    ) -> tuple[Floats, list[Column]]:
        """Probabilities and columns of one piece, all of the same length."""

        def spread(name: str, value: Any, dtype: Any, *shape: int) -> NDArray[Any]:
            given = np.asarray(value)
            if dtype is np.int64 and given.dtype.kind not in "iub":
                raise GameError(f"{self.game}: {name} after {brief(joint)} are {given.dtype}, expected whole numbers")
            if given.shape == (many, *shape):
                return given.astype(dtype, copy=False)
            found = np.empty((many, *shape), dtype)
            try:
                found[...] = given
                return found
            except ValueError:
                raise GameError(
                    f"{self.game}: {name} after {brief(joint)} have shape {given.shape}, expected {(many, *shape)}"
                ) from None

        following = spread("states", outcomes.states, np.int64, width)
        paid = outcomes.rewards if np.size(outcomes.rewards) else np.zeros(self.n)
        rewards = spread("rewards", paid, np.float64, self.n)
        private = outcomes.private or (None,) * self.n
        if len(private) != self.n:
            raise GameError(
                f"{self.game}: {len(private)} private columns after {brief(joint)}, expected {self.n} or ()"
            )
        seen = [
            None if column is None else spread("observations", column, np.int64)
            for column in (outcomes.public, *private)
        ]
        prob = spread("probabilities", outcomes.probability, np.float64)
        return prob, [*following.T, *rewards.T, *seen]

    def _write(self, pieces: list[Piece], starts: Longs, many: int, level: Longs) -> None:
        """Put the outcomes of a level into the order of the plain rules, number and merge them."""
        state, place, prob = (np.concatenate([piece[k] for piece in pieces]) for k in (0, 2, 3))
        row = np.concatenate([starts[piece.state] + piece.row for piece in pieces])
        self._require_distributions(row, prob, state, many, level)
        order = np.lexsort((place, row))
        order = order[prob[order] > 0]
        width, size = level.shape[1], len(pieces[0].columns)
        joined = [_joined([piece.columns[k] for piece in pieces], order) for k in range(size)]
        following = self._numbered([column for column in joined[:width] if column is not None])
        event = self._events(joined[width:], len(order))
        merged = _merged(row[order], following, event, prob[order], many)
        self.outcomes += len(merged[1])
        if self.outcomes > self.most:
            raise too_many_outcomes(str(self.game), self.most, self.limit, self.each)
        self.found.append(merged)

    def _numbered(self, words: list[Longs]) -> Longs:
        """The numbers of states, given by their words; new ones are numbered in this order."""
        first, inverse = _different(words)
        by_place = np.argsort(first)
        numbers, met = self.numbers, zip(*(word[first[by_place]].tolist() for word in words))
        number = np.empty(len(first), np.int64)
        number[by_place] = [numbers.setdefault(key, len(numbers)) for key in met]
        if len(numbers) > self.limit:
            raise too_many_states(str(self.game), self.limit, self.each)
        return number[inverse]

    def _events(self, columns: list[Column], many: int) -> Longs:
        """The numbers of what is paid and seen, by rewards and codes."""
        first, inverse = _different(
            [_coded(column) for column in columns if column is not None] or [np.zeros(many, int)]
        )
        by_place, known = np.argsort(first), self.known_events
        at = first[by_place]
        number = np.empty(len(first), np.int64)
        keys = zip(*([None] * len(at) if column is None else column[at].tolist() for column in columns))
        for place, key in zip(by_place.tolist(), keys):
            if key not in known:
                known[key] = self._new_event(self._event(key), self.states[0], None)
            number[place] = known[key]
        return number[inverse]

    def _require_distributions(self, row: Longs, prob: Floats, state: Longs, many: int, level: Longs) -> None:
        wrong = ~(prob >= 0)
        total = np.bincount(row, weights=np.where(wrong, 0.0, prob), minlength=many)
        off = np.abs(total - 1.0)[row] > SUM_TOLERANCE
        for bad, words in ((wrong, "a probability below 0"), (off, "probabilities that do not sum to 1")):
            if bad.any():
                at = self.rules.state(tuple(level[state[np.argmax(bad)]].tolist()))
                raise GameError(f"{self.game}: found {words}, in step_many at state {brief(at)}")

    def _event(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        """What is paid and seen, in the author's words."""
        rewards, public, private = key[: self.n], key[self.n], key[self.n + 1 :]
        words = (None if code is None else self.rules.private(player, code) for player, code in enumerate(private))
        return rewards, None if public is None else self.rules.public(public), tuple(words)

    def _columns(self, actor_set_of: list[int], legal_of: list[int], rows: list[int]) -> Any:
        made = super()._columns(actor_set_of, legal_of, rows)
        if not self.found:
            return made
        count, following, event, prob = (np.concatenate(part) for part in zip(*self.found))
        begun = len(made.next)
        written = {
            "out": np.concatenate([made.out[:-1], begun + offsets(count)]).astype(np.int32),
            "next": np.concatenate([made.next, following]).astype(np.int32),
            "event": np.concatenate([made.event, event]).astype(np.int32),
            "prob": np.concatenate([made.prob, _normalised(count, prob)]),
        }
        return type(made)(**{**vars(made), **written})


def _different(columns: list[Longs]) -> tuple[Longs, Longs]:
    """Where each different row of columns stands first, and which of these each row is."""
    key, room = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        least, most = int(column.min(initial=0)), int(column.max(initial=0))
        room *= most - least + 1
        if room >= 2**62:
            rows = np.unique(np.column_stack(columns), axis=0, return_index=True, return_inverse=True)
            return rows[1], rows[2].ravel()
        key = key * (most - least + 1) + (column - least)
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return first, inverse.ravel()


def _coded(column: NDArray[Any]) -> Longs:
    """Whole numbers that are equal where the values are."""
    if column.dtype.kind != "f":
        return column
    if (column == column[0]).all():
        return np.zeros(len(column), np.int64)
    return np.unique(column, return_inverse=True)[1].ravel()


def _joined(columns: list[Column], order: Longs) -> Column:
    """One column of all pieces, in order."""
    given = [column for column in columns if column is not None]
    if 0 < len(given) < len(columns):
        raise GameError(
            f"an observation is None after one joint action and {given[0][:1]} after another: give it a code"
        )
    return np.concatenate(given)[order] if given else None


def _merged(row: Longs, following: Longs, event: Longs, prob: Floats, many: int) -> tuple[Longs, Longs, Longs, Floats]:
    """Equal outcomes of a row as one, where the first of them stood; how many each row has."""
    first, inverse = _different([row, following, event])
    if len(first) < len(row):
        total: Floats = np.bincount(inverse, weights=prob).astype(np.float64)  # adds up in order
        by_place = np.argsort(first)
        first, prob = first[by_place], total[by_place]
        row, following, event = row[first], following[first], event[first]
    return np.bincount(row, minlength=many), following, event, prob


def _normalised(count: Longs, prob: Floats) -> Floats:
    """Probabilities divided by their exact sum in each row; 1 where there is one outcome."""
    found, begins = np.ones(len(prob)), offsets(count)[:-1]
    for size in np.unique(count).tolist():
        if size < 2:
            continue
        places = begins[count == size][:, None] + np.arange(size)
        totals = np.array([math.fsum(each) for each in prob[places].tolist()])
        found[places] = prob[places] / totals[:, None]
    return found
