"""Straight from states to what players remember: histories that nobody can tell apart are summed out.

A tree writes every history down. Yet what a history is worth depends only on who remembers what and on the state:
at each step it is enough to keep, for each combination of the players' memories that can occur together, how likely
chance makes each state. A partially observable stochastic game of few states so reaches horizons that no tree does,
and what remains is exactly what a sequence form needs: memories, information sets, and the payoff of each combination
of sequences (Koller, Megiddo and von Stengel 1994).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import GameError, LimitError, cut_short, many
from fogbound.core.game import AnyGame
from fogbound.core.memory import advice, available
from fogbound.forms.arrays import Floats, Ints, Longs, heads, offsets, owned_ranges
from fogbound.forms.decisions import Decisions
from fogbound.forms.knowledge import clash
from fogbound.forms.path_totals import path_totals
from fogbound.forms.protocol import Question, canonical_arrays, derive
from fogbound.forms.table import START, Table
from fogbound.forms.tree import SUM_TOLERANCE, require_acyclic

MOST_COMBINATIONS = 20_000_000  # of memories and states, and of sequences
MOST_CELLS = 1 << 28  # of the table of what a player's memories of one step may become
AT_ONCE = 2_000_000  # lines that are written out at once
LOOK_AHEAD = 20_000  # combinations of one step from which on the later steps are estimated first
DOUBT = 4  # an estimate refuses a game only where it is 4 times the limit or more
HOPELESSLY_MANY = 1e12  # combinations: no more are counted
BYTES_EACH = 280  # of memory that a combination takes while they are built, as measured


@dataclass(frozen=True, eq=False, repr=False)
class Memories(Decisions):
    """The payoffs of K combinations of sequences; memories and information sets as in `Decisions`.

    Parameters
    ----------
    ends : [K, n]
        The sequence of each player, sorted, each combination once.
    payoff : [K, n]
        What each player is paid there and then, discounted, times the probability of chance's part.
    combinations
        How many combinations of memories and states were met.
    origin
        The table that it was made from.
    """

    kind: ClassVar[str] = "memories"
    made_from: ClassVar[str] = "table"
    certified_as: ClassVar[str] = "memories"
    counted_in: ClassVar[str] = "combinations of memories"

    ends: Ints  # [K, n]
    payoff: Floats  # [K, n]
    combinations: int
    origin: Table = field(repr=False)

    @property
    def size(self) -> int:
        return self.combinations

    def describe(self) -> str:
        return f"memories, {many(self.combinations, 'combination')}, {many(self.sets_in_words, 'information set')}"

    @classmethod
    def derive(cls, source: Table, question: Question) -> Memories:
        return memories(source, **question.most)

    @cached_property
    def _totals(self) -> Floats:
        return path_totals(self.origin)

    @property
    def constant_sum(self) -> float | None:
        """What the players' payoffs add up to on every way to an end, or None where it varies."""
        low, high = self._totals[:, -1].tolist()
        return None if high - low > SUM_TOLERANCE * max(self.largest, 1e-300) else (low + high) / 2

    @property
    def largest(self) -> float:
        return float(np.abs(self._totals[:, :-1]).max(initial=0.0))

    @property
    def payoff_range(self) -> float:
        """The largest difference between two payoffs of one player."""
        low, high = self._totals[:, :-1]
        return float((high - low).max(initial=0.0))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The canonical layout that certificates are hashed over and checked against."""
        parent = {"set_parent": self.memory_sequence[self.set_memory].astype("<i8")}
        return parent | canonical_arrays(
            self, ("set_owner", "set_size", "ends"), ("payoff",), players=len(self.players)
        )


def memories(source: AnyGame | Table, limit: int = MOST_COMBINATIONS) -> Memories:
    """What the players of a game may remember, and what each combination of their sequences is paid.

    Parameters
    ----------
    source
        The game, or its table.
    limit
        How many combinations of memories and states, or of sequences, there may be.

    Returns
    -------
    Memories

    Raises
    ------
    FormError
        Play can come back to a state, so that memories never end.
    LimitError
        There are more than `limit` combinations.
    GameError
        A player's legal actions depend on something it does not know.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.forms.memories(fb.game("card-poker(ranks=2)"))
    <memories, 8 combinations, 4 + 4 information sets, of card-poker(ranks=2)>
    """
    game = derive(source, Table)
    require_acyclic(game)
    return grown(game, limit, limit)


def grown(game: Table, combinations: int, payoffs: int) -> Memories:
    """The form of a game that ends, of at most so many combinations of memories and states, and of sequences."""
    growth = _Growth(game, combinations, payoffs)
    level, time = growth.start(), 0
    while len(level.state):
        growth.require_future(level)
        level = growth.step(level, game.discount**time)
        time += 1
    return growth.finish()


class _Level(NamedTuple):
    """Everything that may be the case after some steps: C combinations of memories, E states in them."""

    memory: Longs  # [C, n]
    combination: Longs  # [E]
    state: Longs  # [E]
    weight: Floats  # [E] the probability of chance's part


class _Turn(NamedTuple):
    """Whether a player moves in each of the E states of a level, and how its moves count in the joint actions."""

    legal: Longs  # [E] its list of legal actions; -1 where it does not move
    stride: Longs  # [E] how many rows lie between two of its actions


class _Known(NamedTuple):
    """A player's memories on one level, numbered from `base` on."""

    base: int
    sequence: Longs  # the player's last sequence
    infoset: Longs  # where it is asked to move; filled when the set is opened


class _Ways(NamedTuple):
    """What a player's memories of one level may become: L = 1 + labels of actions, 0 = it does not move."""

    base: int
    sequence: Longs  # [memories, L] the sequence after each own action
    child: Longs  # [memories, L, observations] the number of the next memory


class _Outcomes(NamedTuple):
    """Some of a table's outcomes, by row."""

    out: Longs  # [R+1]
    outcome: Longs

    @classmethod
    def where(cls, game: Table, wanted: NDArray[np.bool_]) -> _Outcomes:
        return cls(offsets(wanted)[game.out], np.flatnonzero(wanted))

    def of(self, rows: Longs) -> tuple[Longs, Longs]:
        """The outcomes of these rows, and the place of each one's row among them."""
        cell, row = owned_ranges(self.out[rows], self.out[rows + 1] - self.out[rows])
        return self.outcome[cell], row


class _Growth:
    """The work space: memories and payoffs, level by level."""

    def __init__(self, game: Table, combinations: int, payoffs: int) -> None:
        self.game, self.most, self.most_payoffs, self.n = game, combinations, payoffs, len(game.players)
        self.labels, self.seen = 1 + len(game.actions), [len(observations) for observations in game.observations]
        self.outcomes = _Outcomes.where(game, np.ones(len(game.next), bool))
        self.going_on = _Outcomes.where(game, game.actor_set[game.next] != 0)
        self.row_reward = np.add.reduceat(game.prob[:, None] * game.reward[game.event], game.out[:-1], axis=0)
        roots = np.arange(self.n)
        self.known = [_Known(i, np.zeros(1, np.int64), np.full(1, -1)) for i in range(self.n)]
        self.columns: list[tuple[Longs, ...]] = [  # of memories: up, code, sequence, information set
            (np.full(1, -1), np.full(1, -1), known.sequence, known.infoset) for known in self.known
        ]
        self.sets: list[tuple[Longs, ...]] = [(np.zeros(0, np.int64),) * 4]  # memory, legal, owner, first
        self.paid: list[tuple[Longs, Floats]] = []
        self.sequences, self.memories, self.infosets, self.combinations = [1] * self.n, self.n, 0, 0
        self.nothing = _Level(roots[None, :], np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1))
        self.apart: float | None = None  # of the last step's continuations, the share that differ; None before it

    def start(self) -> _Level:
        """What is seen first: as after a step in which nobody moves."""
        rows, own = np.full(1, START), np.zeros((1, self.n), np.int64)
        seen = self.game.seen[self.game.event[self.outcomes.of(rows)[0]]]
        ways = []
        for i in range(self.n):
            possible = np.zeros((1, self.labels, self.seen[i]), bool)
            possible[0, 0, seen[:, i]] = True
            ways.append(self._remember(i, np.zeros((1, self.labels), np.int64), possible))
        self._pay(own, self.row_reward[rows])
        return self._level([self._after(self.nothing, rows, np.zeros(1, np.int64), own, ways)])

    def step(self, level: _Level, scale: float) -> _Level:
        """Everything that may be the case one step later; what is paid on the way is noted."""
        game = self.game
        turns = [self._turn(level, i) for i in range(self.n)]
        ways = [self._ways(level, i, turn) for i, turn in enumerate(turns)]
        first, last = game.row[level.state].astype(np.int64), game.row[level.state + 1].astype(np.int64)
        pieces = []
        for part in _parts(last - first + self.going_on.out[last] - self.going_on.out[first]):
            check()
            rows, entry = owned_ranges(first[part], (last - first)[part])
            entry += part.start
            memory = level.memory[level.combination[entry]]
            own = np.stack([self._own(turn, level, rows, entry) for turn in turns], axis=1)
            sequence = [way.sequence[memory[:, i] - way.base, own[:, i]] for i, way in enumerate(ways)]
            self._pay(np.stack(sequence, axis=1), (scale * level.weight[entry])[:, None] * self.row_reward[rows])
            pieces.append(self._after(level, rows, entry, own, ways))
            if self.combinations + sum(len(line) for line, _ in pieces) > self.most:
                pieces = [_joined(pieces)]
                self._require_room(self.combinations + len(pieces[0][0]), self.most)
        later = self._level(pieces)
        self.apart = len(later.state) / max(1, int((self.going_on.out[last] - self.going_on.out[first]).sum()))
        return later

    def require_future(self, level: _Level) -> None:
        """Refuse a game whose combinations will be far too many, before they are built.

        How many continuations a level has is counted exactly; the share of them that differ is that of the last step.
        """
        if self.apart is None or len(level.state) < LOOK_AHEAD:
            return
        expected = self.expected(level, self.apart)
        if expected > DOUBT * self.most:
            how_many = f"about {expected:.2g} (the limit is {self.most:,})"
            raise self._too_many(how_many, advice(BYTES_EACH * expected, int(DOUBT * expected), available()))

    def expected(self, level: _Level, apart: float) -> float:
        """How many combinations there are in the end, if a share `apart` of continuations differ at each step."""
        source, target = self._continuations
        here: Floats = np.bincount(level.state, minlength=self.game.size).astype(np.float64)
        total, share = float(self.combinations), 1.0
        while here.any() and total < HOPELESSLY_MANY:
            check()
            here = np.bincount(target, here[source], self.game.size).astype(np.float64)
            share *= apart
            total += share * float(here.sum())
        return total

    @cached_property
    def _continuations(self) -> tuple[Longs, Longs]:
        """The states that outcomes lead from and to, where play goes on."""
        game, begun = self.game, int(self.going_on.out[1])  # after the outcomes of the start
        rows = np.repeat(np.arange(game.size), np.diff(game.row))
        source = np.repeat(rows, np.diff(self.going_on.out[1:]))
        return source, game.next[self.going_on.outcome[begun:]].astype(np.int64)

    def _turn(self, level: _Level, player: int) -> _Turn:
        game, state = self.game, level.state
        actors = game.actor_set_players[game.actor_set[state]]  # [E, W]
        mine = actors == player
        legal = np.where(mine, game.legal[state], -1).max(axis=1).astype(np.int64)
        later = mine.any(axis=1)[:, None] & (actors > player)  # in a joint action the last actor counts fastest
        return _Turn(legal, np.where(later, game.legal_size[game.legal[state]], 1).prod(axis=1, dtype=np.int64))

    def _own(self, turn: _Turn, level: _Level, rows: Longs, entry: Longs) -> Longs:
        """[rows] 1 + the label of the player's action; 0 where it does not move."""
        game, legal = self.game, turn.legal[entry]
        size = np.where(legal >= 0, game.legal_size[legal], 1)
        place = (rows - game.row[level.state[entry]]) // turn.stride[entry] % size
        own: Longs = np.where(legal >= 0, 1 + game.legal_actions[legal, place], 0).astype(np.int64)
        return own

    def _ways(self, level: _Level, player: int, turn: _Turn) -> _Ways:
        """Open the player's information sets of a level, and see what each of its memories may become."""
        game, base, memory = self.game, self.known[player].base, level.memory[level.combination, player]
        sequence = self._open(level, player, turn, memory)
        _, some = np.unique((memory - base) * game.size + level.state, return_index=True)  # whatever others remember
        first, last = game.row[level.state[some]], game.row[level.state[some] + 1]
        rows, entry = owned_ranges(first, last - first)
        own = self._own(turn, level, rows, some[entry])
        outcome, row = self.outcomes.of(rows)
        cells = len(sequence) * self.labels * self.seen[player]
        if cells > MOST_CELLS:
            raise LimitError(
                f"{game.spec}: {cells:,} memories that {game.players[player]} might have after a step, over the limit "
                f"of {MOST_CELLS:,}. Use a solver that only samples"
            )
        possible = np.zeros((len(sequence), self.labels, self.seen[player]), bool)
        possible[memory[some[entry[row]]] - base, own[row], game.seen[game.event[outcome], player]] = True
        return self._remember(player, sequence, possible)

    def _open(self, level: _Level, player: int, turn: _Turn, memory: Longs) -> Longs:
        """[memories, L] the sequence that each own action leads to, in information sets opened for the purpose."""
        game, known = self.game, self.known[player]
        sequence = np.repeat(known.sequence[:, None], self.labels, axis=1)
        asked = np.flatnonzero(turn.legal >= 0)
        asked = asked[np.argsort(memory[asked], kind="stable")]
        fresh = heads(memory[asked]) if len(asked) else np.zeros(0, bool)
        some = asked[fresh]
        opened, legal = memory[some] - known.base, turn.legal[some]
        unlike = np.flatnonzero(
            turn.legal[asked] != np.repeat(legal, np.diff(np.append(np.flatnonzero(fresh), len(asked))))
        )
        if len(unlike):
            at = int(asked[unlike[0]])
            one = int(some[np.searchsorted(opened, memory[at] - known.base)])
            pairs = [(int(level.state[e]), int(turn.legal[e])) for e in (one, at)]
            raise GameError(clash(game, player, pairs[0], pairs[1]))
        size = game.legal_size[legal].astype(np.int64)
        first = self.sequences[player] + offsets(size)[:-1]
        place, owner = owned_ranges(np.zeros_like(size), size)
        sequence[opened[owner], 1 + game.legal_actions[legal[owner], place]] = first[owner] + place
        known.infoset[opened] = self.infosets + np.arange(len(opened))
        self.sets.append((opened + known.base, legal, np.full(len(opened), player), first))
        self.sequences[player] += int(size.sum())
        self.infosets += len(opened)
        return sequence

    def _remember(self, player: int, sequence: Longs, possible: NDArray[np.bool_]) -> _Ways:
        """Number the memories that may come next, in the order of what they follow on."""
        base, (up, own, seen) = self.known[player].base, np.nonzero(possible)
        child = np.full(possible.shape, -1)
        child[up, own, seen] = self.memories + np.arange(len(up))
        self.known[player] = _Known(self.memories, sequence[up, own], np.full(len(up), -1))
        self.columns.append((up + base, own * self.seen[player] + seen, *self.known[player][1:]))
        self.memories += len(up)
        return _Ways(base, sequence, child)

    def _after(self, level: _Level, rows: Longs, entry: Longs, own: Longs, ways: list[_Ways]) -> tuple[Longs, Floats]:
        """What these rows lead to where play goes on: lines of (memories, state), each once, and how likely."""
        game = self.game
        outcome, row = self.going_on.of(rows)
        line = np.empty((len(outcome), self.n + 1), np.int64)
        memory, seen = level.memory[level.combination[entry[row]]], game.seen[game.event[outcome]]
        for i, way in enumerate(ways):
            line[:, i] = way.child[memory[:, i] - way.base, own[row, i], seen[:, i]]
        line[:, -1] = game.next[outcome]
        return _summed(line, level.weight[entry[row]] * game.prob[outcome])

    def _level(self, pieces: list[tuple[Longs, Floats]]) -> _Level:
        line, weight = _joined(pieces)
        self.combinations += len(line)
        self._require_room(self.combinations, self.most)
        fresh = heads(*line[:, :-1].T) if len(line) else np.zeros(0, bool)
        return _Level(line[fresh, :-1], np.cumsum(fresh) - 1, line[:, -1], weight)

    def _pay(self, sequence: Longs, paid: Floats) -> None:
        """Note what the combinations of sequences are paid."""
        some = paid.any(axis=1)
        self.paid.append(_summed(sequence[some], paid[some]))
        self._require_room(sum(len(line) for line, _ in self.paid), self.most_payoffs)

    def _require_room(self, found: int, most: int) -> None:
        if found > most:
            raise self._too_many(f"more than {most:,}", "Raise limit=, ")

    def _too_many(self, how_many: str, remedy: str) -> LimitError:
        return LimitError(
            f"{self.game.spec}: {how_many} combinations of what players may remember, so there is no "
            f"sequence form. {remedy}cut it, such as {cut_short(self.game.spec)}, or use a solver that only samples"
        )

    def finish(self) -> Memories:
        game = self.game
        up, code, sequence, infoset = (np.concatenate(column) for column in zip(*self.columns))
        set_memory, set_legal, set_owner, set_first = (np.concatenate(column) for column in zip(*self.sets))
        ends, payoff = _summed(*(np.concatenate(column) for column in zip(*self.paid)))
        return Memories(
            spec=game.spec,
            players=game.players,
            memory_up=up.astype(np.int32),
            memory_code=code,
            memory_sequence=sequence.astype(np.int32),
            memory_infoset=infoset.astype(np.int32),
            set_memory=set_memory.astype(np.int32),
            set_legal=set_legal.astype(np.int32),
            set_owner=set_owner.astype(np.int32),
            set_first=set_first.astype(np.int32),
            set_size=game.legal_size[set_legal],
            legal_sets=tuple(game.legal_labels(m) for m in range(len(game.legal_size))),
            actions=game.actions,
            observations=game.observations,
            ends=ends.astype(np.int32),
            payoff=payoff,
            combinations=self.combinations,
            origin=game,
        )


def _parts(work: Longs) -> list[slice]:
    """Consecutive entries that make about `AT_ONCE` lines together."""
    cuts = np.flatnonzero(np.diff(np.cumsum(work) // AT_ONCE)) + 1
    edges = [0, *cuts.tolist(), len(work)]
    return [slice(a, b) for a, b in itertools.pairwise(edges)]


def _joined(pieces: list[tuple[Longs, Floats]]) -> tuple[Longs, Floats]:
    """The different lines of several pieces, and the sum of the weights of each."""
    return _summed(np.concatenate([lines for lines, _ in pieces]), np.concatenate([weights for _, weights in pieces]))


def _summed(lines: Longs, weights: Floats) -> tuple[Longs, Floats]:
    """The different lines, sorted, and the sum of the weights of each."""
    if not len(lines):
        return lines, weights
    key, exact = np.zeros(len(lines), np.int64), True
    reach = 1
    for column in lines.T:
        low, high = int(column.min()), int(column.max())
        reach *= high - low + 1
        exact = exact and reach < 2**62
        key = key * (high - low + 1) + (column - low) if exact else key
    order = np.argsort(key, kind="stable") if exact else np.lexsort(lines.T[::-1])
    ordered = lines[order]
    fresh = np.flatnonzero(heads(*([key[order]] if exact else ordered.T)))
    return ordered[fresh], np.add.reduceat(weights[order], fresh, axis=0)
