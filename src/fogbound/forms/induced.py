"""The induced model of a game in which some players are fixed: states paired with what those players remember.

With one player left free this is a POMDP for that player (its points are the interactive states of I-POMDPs,
Gmytrasiewicz and Doshi 2005); with none left it is a Markov chain. A player of unknown type (a mixture) is a fixed
player whose type is drawn at the start and remembered.

`InducedGame` is the one walk over such points, over rules or over arrays: here everything is explored and written into
arrays, `arena.outcome_graph` keeps every outcome apart, `inference.levels` follows what a log shows, and
`solvers.search` goes only where samples lead. `forms.kernels.induced` is its compiled rules for two players of whom one
is a finite-state controller: level-k reasoning adds nodes and meets more of the same points level after level, and
belief search reads the arrays while they grow. That the two agree is tested.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, LimitError, PolicyError, brief, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import AnyPolicy, Strategy, kinds
from fogbound.core.simulator import Action, Event, GameSimulator, Labels, Legal, Seen, State
from fogbound.forms.arrays import Floats, Ints, Longs, heads, offsets, summed
from fogbound.forms.protocol import Form, derive
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import WAIT, TableSimulator

MOST_POINTS = 200_000
LOOK_UP = 256  # points between two looks at whether to stop


class Choice(NamedTuple):
    """What a player does: the places of its moves in the list of legal actions, and how likely each is."""

    places: tuple[int, ...]
    probs: tuple[float, ...]
    upto: tuple[float, ...]  # the running sum without its last entry, which is the rest: to draw by bisection

    @classmethod
    def of(cls, pairs: Sequence[tuple[int, float]]) -> Choice:
        places, probs = zip(*pairs)
        return cls(places, probs, tuple(accumulate(probs[:-1])))


class Memory:
    """Which of its types a fixed player is and what it remembers; with what it does then, and where that leads."""

    __slots__ = ("after", "choices", "number", "type", "value")

    def __init__(self, number: int, type_: int, value: Any) -> None:
        self.number, self.type, self.value = number, type_, value
        self.choices: dict[Legal, Choice] = {}
        self.after: dict[tuple[Action, Seen], Memory] = {}


class FixedPlayer:
    """One fixed player with its memories numbered; begin, act and update are asked once each."""

    def __init__(self, labels: Labels, player: int, policy: Strategy) -> None:
        self.labels, self.player = labels, player
        likely = [(kind, p) for kind, p in kinds(policy) if p > 0]
        self.types: list[AnyPolicy] = [kind for kind, _ in likely]
        self.prior: list[float] = [p for _, p in likely]
        self.memories: list[Memory] = []
        self.first: dict[Seen, list[tuple[Memory, float]]] = {}
        self._known: dict[tuple[int, Hashable], Memory] = {}

    def memory(self, type_: int, value: Any) -> Memory:
        """The one memory of a type and what it remembers."""
        memory = self._known.get((type_, value))
        if memory is None:
            memory = self._known[type_, value] = Memory(len(self.memories), type_, value)
            self.memories.append(memory)
        return memory

    def begin(self, observation: Seen) -> list[tuple[Memory, float]]:
        """The memories it may start with, one a type."""
        memories = self.first.get(observation)
        if memories is None:
            label = self.labels.observation_label(self.player, observation)
            memories = [(self.memory(k, t.begin(label)), p) for k, (t, p) in enumerate(zip(self.types, self.prior))]
            self.first[observation] = memories
        return memories

    def act(self, memory: Memory, legal: Legal) -> Choice:
        """What it does when asked to choose from a list of legal actions."""
        choice = memory.choices.get(legal)
        if choice is None:
            chosen = moves(self.types[memory.type], memory.value, self.labels.legal_labels(legal))
            choice = memory.choices[legal] = Choice.of(chosen)
        return choice

    def update(self, memory: Memory, action: Action, observation: Seen) -> Memory:
        """The memory after a step; `action` is the own one, or what stands for not being asked."""
        after = memory.after.get((action, observation))
        if after is None:
            labels, policy = self.labels, self.types[memory.type]
            label = labels.observation_label(self.player, observation)
            value = policy.update(memory.value, labels.action_label(action), label)
            after = memory.after[action, observation] = self.memory(memory.type, value)
        return after

    def forget(self) -> None:
        """Drop all that was asked. Memories that somebody holds stay valid: they are asked again."""
        for memory in self.memories:
            memory.choices.clear()
            memory.after.clear()
        for met in (self.memories, self.first, self._known):
            met.clear()


def moves(policy: AnyPolicy, memory: Any, actions: tuple[Hashable, ...]) -> list[tuple[int, float]]:
    """What `policy` does among `actions`: (place, probability) pairs, checked to be a distribution over them."""
    dist = policy.act(memory, actions)
    fault = dist.fault()
    if fault:
        raise PolicyError(f"{type(policy).__name__}: found {fault}, when asked to choose from {brief(actions)}")
    chosen: dict[int, float] = {}
    for action, p in dist:
        if p > 0:
            if action not in actions:
                raise PolicyError(f"{type(policy).__name__} plays {brief(action)}, expected one of {brief(actions)}")
            place = actions.index(action)
            chosen[place] = chosen.get(place, 0.0) + p
    return sorted(chosen.items())


class Point:
    """A state with the memories of the fixed players; `place` is that of the free player among the actors, or -1."""

    __slots__ = ("actors", "choices", "legal", "legal_sets", "memories", "number", "place", "rows", "state")

    def __init__(
        self,
        number: int,
        state: State,
        memories: tuple[Memory, ...],  # of the fixed players in order; () once the game is over
        actors: tuple[int, ...],
        legal_sets: Sequence[Legal],
        free: int | None,
    ) -> None:
        self.number, self.state, self.memories = number, state, memories
        self.actors, self.legal_sets = actors, legal_sets
        self.place = actors.index(free) if free in actors else -1
        self.legal: Legal = legal_sets[self.place] if self.place >= 0 else ()  # of the free player
        self.choices: list[Choice | None] | None = None  # of the actors, once they were asked; None for the free one
        self.rows: dict[Any, Any] = {}  # by joint move: what is kept of it where steps are drawn again and again


Arrival = tuple[Point, Event, float]


class InducedGame:
    """A game some of whose players are fixed, by a policy or as they come. Points are numbered as they are met."""

    def __init__(
        self, simulator: GameSimulator, fixed: Mapping[int, Strategy | FixedPlayer], limit: int = MOST_POINTS
    ) -> None:
        everybody = range(len(simulator.players))
        free = [player for player in everybody if player not in fixed]
        if len(free) > 1 or any(player not in everybody for player in fixed):
            given = ", ".join(map(str, sorted(fixed))) or "none"
            raise FormError(
                f"{simulator.spec}: policies are given for players {given}, expected all or all but one of "
                f"{len(everybody)}"
            )
        self.simulator, self.limit = simulator, limit  # of points
        self.free = free[0] if free else None
        self.fixed = {
            player: own if isinstance(own, FixedPlayer) else FixedPlayer(simulator, player, own)
            for player, own in sorted(fixed.items(), key=lambda item: item[0])
        }
        self.points: list[Point] = []
        self._known: dict[Any, Point] = {}
        self._players = list(self.fixed.items())
        self._places: dict[tuple[int, ...], list[int]] = {}  # by actors: where each fixed player stands among them

    def start(self, seen: Seen | None = None) -> Iterator[Arrival]:
        """Where play may begin, with the types of mixed players drawn; as far as the free player then sees `seen`."""
        observed = self.simulator.observed
        for state, event, p in self.simulator.start():
            if seen is None or observed(event, self.free or 0) == seen:
                for drawn in product(*(fixed.begin(observed(event, i)) for i, fixed in self._players)):
                    point = self._point(state, self.simulator.actors(state), tuple([memory for memory, _ in drawn]))
                    yield point, event, p * prod(chance for _, chance in drawn)

    def after(self, point: Point, place: int) -> Iterator[Arrival]:
        """All that may follow when the free player makes the move at `place` of its list (any, where it has none)."""
        if not point.actors:
            return
        for joint, chance in self.joint_moves(point, place):
            own = self._own(point, joint)
            for state, event, p in self.simulator.step(point.state, point.legal_sets, joint):
                yield self._arrive(point, own, state, event), event, chance * p

    def joint_moves(self, point: Point, place: int) -> Iterator[tuple[tuple[int, ...], float]]:
        """What the actors may do together, each joint move with its probability."""
        options = [
            ((place, 1.0),) if choice is None else zip(choice.places, choice.probs) for choice in self.choices(point)
        ]
        return weighed(options)

    def choices(self, point: Point) -> list[Choice | None]:
        """What each actor does; None for the free player."""
        if point.choices is None:
            memory = dict(zip(self.fixed, point.memories))
            point.choices = [
                None if i == self.free else self.fixed[i].act(memory[i], legal)
                for i, legal in zip(point.actors, point.legal_sets)
            ]
        return point.choices

    def _own(self, point: Point, joint: Sequence[int]) -> list[Action]:
        """The action of each fixed player in a joint move."""
        places = self._places.get(point.actors)
        if places is None:
            places = [point.actors.index(i) if i in point.actors else -1 for i in self.fixed]
            self._places[point.actors] = places
        actions, waiting = self.simulator.actions, self.simulator.waiting
        return [waiting if k < 0 else actions(point.legal_sets[k])[joint[k]] for k in places]

    def _arrive(self, point: Point, own: list[Action], state: State, event: Event) -> Point:
        """The point after an outcome."""
        actors, memories = self.simulator.actors(state), []
        if actors:
            observed = self.simulator.observed
            for (i, fixed), memory, action in zip(self._players, point.memories, own):
                memories.append(fixed.update(memory, action, observed(event, i)))
        return self._point(state, actors, tuple(memories))

    def _point(self, state: State, actors: tuple[int, ...], memories: tuple[Memory, ...]) -> Point:
        """The one point of a state and memories; once the game is over nobody need remember."""
        key = (state, memories if actors else ())
        point = self._known.get(key)
        if point is None:
            number = len(self.points)
            if number == self.limit:
                self._overflow()
            point = self._known[key] = Point(number, *key, actors, self.simulator.legal(state, actors), self.free)
            self.points.append(point)
        return point

    def _overflow(self) -> None:
        raise LimitError(
            f"{self.simulator.spec}: more than {self.limit:,} pairs of a state and what the fixed players "
            "remember. Raise limit=, or give policies with fewer memories (a smaller controller)"
        )

    def forget(self) -> None:
        """Drop all that was met. Points that somebody holds stay valid: they ask again."""
        for point in self.points:
            point.rows.clear()
        for fixed in self.fixed.values():
            fixed.forget()
        self.points.clear()
        self._known.clear()


def weighed(options: Sequence[Iterable[tuple[int, float]]]) -> Iterator[tuple[tuple[int, ...], float]]:
    """One of each of `options`, in every way, with the product of their probabilities."""
    if len(options) == 1:
        return (((place,), chance) for place, chance in options[0])
    return (((*(place for place, _ in drawn),), prod(chance for _, chance in drawn)) for drawn in product(*options))


@dataclass(frozen=True, eq=False, repr=False)
class InducedModel:
    """P points (state, memories), R rows (my actions), O outcomes. Row 0 is the start.

    Parameters
    ----------
    table
        The game.
    player
        The player who is free; None when all are fixed.
    point : [P, 1+n]
        The table's state, then the number of each fixed player's memory (-1 for the free one).
    row : [P+1]
        Where the rows of a point begin, and the last ones end.
    action : [R]
        The label of the free player's action, or WAIT.
    out : [R+1]
        Where the outcomes of a row begin, and the last ones end.
    next : [O]
        The point that follows.
    seen : [O]
        What the free player sees; 0 when nobody is free.
    prob : [O]
        The probability of the outcome.
    reward : [R, n]
        The expected reward of the row, of each player.
    fixed
        The fixed players: numbers of memories back to types and memories.
    """

    table: Table = field(repr=False)
    player: int | None
    point: Ints  # [P, 1+n]
    row: Ints  # [P+1]
    action: Ints  # [R]
    out: Ints  # [R+1]
    next: Ints  # [O]
    seen: Ints  # [O]
    prob: Floats  # [O]
    reward: Floats  # [R, n]
    fixed: dict[int, FixedPlayer] = field(repr=False)

    def __repr__(self) -> str:
        return f"<induced model, {many(self.size, 'point')}, of {self.table.spec}>"

    @property
    def size(self) -> int:
        return len(self.point)


def induced(table: AnyGame | Form, fixed: Mapping[int, Strategy], limit: int = MOST_POINTS) -> InducedModel:
    """Explore all (state, memories) that can occur when the players in `fixed` play as given.

    Parameters
    ----------
    table
        The game's table, or what it can be derived from.
    fixed
        Policies or mixtures by player, of all players but one, or of all.
    limit
        How many pairs of a state and memories there may be.

    Returns
    -------
    InducedModel
        What the one free player faces, or the Markov chain of the profile when nobody is free.

    Raises
    ------
    LimitError
        There are more than `limit` pairs.
    FormError
        More than one player is free.

    Examples
    --------
    >>> from fogbound import forms, games, policies
    >>> forms.induced(forms.table(games.make("king-ace")), {1: policies.Uniform()}).size
    9
    """
    source = derive(table, Table)
    if not fixed and len(source.players) == 1 and source.size <= limit and _breadth_first(source):
        return _alone(source)
    simulator = TableSimulator(source)
    game = InducedGame(simulator, fixed, limit)
    action, rows, outcomes = [WAIT], [1], [list(game.start())]
    for point in game.points:  # grows while it is walked
        if not len(rows) % LOOK_UP:
            check()
        actions = simulator.actions(point.legal) if point.place >= 0 else (WAIT,)
        if point.actors:
            action += actions
            outcomes += [list(game.after(point, place)) for place in range(len(actions))]
        rows.append(len(action))
    row = np.repeat(np.arange(len(outcomes)), [len(arrivals) for arrivals in outcomes])
    next_ = np.array([point.number for arrivals in outcomes for point, _, _ in arrivals], np.int32)
    event = np.array([event for arrivals in outcomes for _, event, _ in arrivals], np.int64)
    prob = np.array([p for arrivals in outcomes for _, _, p in arrivals])
    return InducedModel(
        table=source,
        player=game.free,
        point=_point_array(game.points, list(game.fixed), len(source.players)),
        row=np.array(rows, np.int32),
        action=np.array(action, np.int32),
        **_merged(source, game.free, len(outcomes), row, next_, event, prob),
        fixed=game.fixed,
    )


def _breadth_first(table: Table) -> bool:
    """Whether states are numbered as a walk meets them, all of them: then those of a game of one are its points."""
    met, first = np.unique(table.next, return_index=True)
    return len(met) == table.size and bool((np.diff(first) > 0).all())


def _alone(table: Table) -> InducedModel:
    """The model of a game of one, whose table is all of it: the same numbers as the walk would give."""
    size, event = len(table.out) - 1, table.event.astype(np.int64)
    row = np.repeat(np.arange(size), np.diff(table.out))
    lists = table.legal[np.diff(table.row) > 0, 0]
    moves = np.arange(table.legal_actions.shape[1]) < table.legal_size[lists][:, None]
    return InducedModel(
        table=table,
        player=0,
        point=np.stack([np.arange(table.size), np.full(table.size, -1)], axis=1).astype(np.int32),
        row=table.row.astype(np.int32),
        action=np.concatenate([[WAIT], table.legal_actions[lists][moves]]).astype(np.int32),
        **_merged(table, 0, size, row, table.next.astype(np.int32), event, table.prob),
        fixed={},
    )


def _merged(
    table: Table, free: int | None, size: int, row: Longs, next_: Ints, event: Longs, prob: Floats
) -> dict[str, Any]:
    """The columns out, next, seen, prob, reward: outcomes of a row that lead to the same and look the same are one."""
    shares = (prob[:, None] * table.reward[event]).T
    reward = np.stack([summed(row, share, size) for share in shares], axis=1)
    seen: Ints = np.zeros(len(event), np.int32) if free is None else table.seen[event, free].astype(np.int32)
    order = np.lexsort((seen, next_, row))  # stable, so the first of those that are alike comes first
    fresh = heads(row[order], next_[order], seen[order])
    first = order[fresh]
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    group = np.empty(len(order), np.int64)
    group[order] = rank[np.cumsum(fresh) - 1]
    kept = np.sort(first)
    out, chance = offsets(np.bincount(row[kept], minlength=size)), summed(group, prob, len(kept))
    return {
        **{"out": out.astype(np.int32), "next": next_[kept], "seen": seen[kept]},
        **{"prob": chance, "reward": reward},
    }


def _point_array(points: list[Point], fixed: list[int], players: int) -> Ints:
    rows = np.full((len(points), 1 + players), -1, np.int32)
    rows[:, 0] = [point.state for point in points]
    for k, player in enumerate(fixed):
        rows[:, 1 + player] = [point.memories[k].number if point.memories else -1 for point in points]
    return rows


__all__ = ["MOST_POINTS", "WAIT", "FixedPlayer", "InducedGame", "InducedModel", "Memory", "Point", "induced", "moves"]
