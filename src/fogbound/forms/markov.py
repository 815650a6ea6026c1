"""A Markov game: whoever moves knows the state, so that a state has values of its own, whatever happened before.

Shapley, "Stochastic games" (1953): in a state all players choose at once, they are paid, and chance moves to the next
state. Who has nothing to choose in a state waits, with one action; so games in turns, games of one player (Markov
decision processes) and matrices that are played once or again and again are all of this kind. That everybody knows
the state is not assumed but shown, for every player and every state in which it is asked to move.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_discount, require_moderate
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, brief, cut_short, many
from fogbound.core.game import AnyGame, Outcome
from fogbound.forms.arrays import Floats, Ints, Longs, heads, largest_total, offsets, summed
from fogbound.forms.knowledge import knowledge
from fogbound.forms.player_view import NOT_ASKED, OVER, legal_by_state
from fogbound.forms.protocol import Form, FormGame, PlayersForm, Question, canonical_arrays, derive
from fogbound.forms.recurrence import endless_states, topological_order
from fogbound.forms.table import MOST_STATES, Table

SETS_PER_STATE, MORE_SETS = 4, 1_000  # how many sets of like states are looked at before giving up
SMALL = 20_000  # entries up to which transitions are also kept dense
SUM_TOLERANCE = 1e-9  # of the largest total: within it sums of values are constant


@dataclass(frozen=True, eq=False, repr=False)
class MarkovGame(PlayersForm):
    """S states, n players, R rows (joint actions), O outcomes. Ends are states without rows.

    A row is a joint action in mixed radix, the last player fastest; a player who waits has one action. A *choice* of a
    player is one action in one state, numbered through, so that a way to play is one flat array over its choices.

    Parameters
    ----------
    spec
        The spec of the game, or the name of the model.
    players
        The names of the players.
    discount
        Step t counts discount**t.
    width : [S, n]
        How many actions each player has in each state: 1 where it waits, 0 where play is over.
    out : [R+1]
        Where the outcomes of a row begin.
    next : [O]
        The state that follows, each once a row.
    prob : [O]
        The probability of the outcome.
    reward : [R, n]
        What each player is paid, on average.
    start : [S]
        How likely play begins in each state.
    paid : [n]
        What is paid before the first step, on average.
    legal : [S, n]
        Which of `legal_sets` a player chooses from; -1 where it does not choose.
    legal_sets
        The lists of legal actions that occur, as the author wrote them.
    states
        The states, by number.
    table
        The table that it came from, when from a game.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.forms.markov(fb.game("rock-paper-scissors"))
    <Markov game, 10 states, 9 joint actions, 2 players, of rock-paper-scissors(biased=false)>
    """

    kind: ClassVar[str] = "markov"
    made_from: ClassVar[str] = "table"
    certified_as: ClassVar[str] = "markov"

    spec: str
    players: tuple[str, ...]
    discount: float
    width: Ints  # [S, n]
    out: Ints  # [R+1]
    next: Ints  # [O]
    prob: Floats  # [O]
    reward: Floats  # [R, n]
    start: Floats  # [S]
    paid: Floats  # [n]
    legal: Ints  # [S, n]
    legal_sets: tuple[tuple[Hashable, ...], ...] = field(repr=False)
    states: Sequence[Hashable] = field(repr=False)
    table: Table | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        require_discount(self.spec, self.discount, zero=True)
        require_moderate(self.spec, float(np.abs(self.reward).max(initial=0.0)))

    @property
    def size(self) -> int:
        return len(self.width)

    @property
    def origin(self) -> Table | None:
        return self.table

    @property
    def largest(self) -> float:
        return largest_total(self.reward, self.discount)

    def describe(self) -> str:
        sizes = ((self.size, "state"), (len(self.reward), "joint action"), (len(self.players), "player"))
        return "Markov game, " + ", ".join(many(*size) for size in sizes)

    @classmethod
    def derive(cls, source: Table, question: Question) -> MarkovGame:  # noqa: ARG003
        return markov(source)

    def as_game(self) -> AnyGame:
        """The model as a game in which everybody sees the state."""
        return MarkovModel(self)

    @cached_property
    def row(self) -> Longs:
        """[S+1] where the rows of a state begin."""
        return offsets(np.where(self.live, self.width.prod(axis=1, dtype=np.int64), 0))

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """[S] where play goes on."""
        return self.width[:, 0] > 0

    @cached_property
    def first(self) -> tuple[Longs, ...]:
        """For each player, [S+1] where its choices of a state begin."""
        return tuple(offsets(self.width[:, i]) for i in range(len(self.players)))

    @cached_property
    def state_of(self) -> Longs:
        """[R] the state of each row."""
        return np.repeat(np.arange(self.size), np.diff(self.row))

    @cached_property
    def choice(self) -> Longs:
        """[R, n] the choice of each player in each row."""
        place = np.arange(len(self.reward)) - self.row[self.state_of]
        choice = np.empty((len(place), len(self.players)), np.int64)
        for i in reversed(range(len(self.players))):
            wide = self.width[self.state_of, i].astype(np.int64)
            choice[:, i] = self.first[i][self.state_of] + place % wide
            place = place // wide
        return choice

    @cached_property
    def moves(self) -> Any:
        """[R, S] the probabilities of what follows each row, sparse."""
        from scipy.sparse import csr_matrix

        return csr_matrix((self.prob, self.next, self.out), shape=(len(self.reward), self.size))

    @cached_property
    def dense(self) -> Floats | None:
        """The same as a plain array, where that is small: then it is the faster one."""
        return self.moves.toarray() if len(self.reward) * self.size <= SMALL else None

    @cached_property
    def uniform(self) -> tuple[Floats, ...]:
        """For each player, the way to play in which all actions of a state are as likely."""
        return tuple(1.0 / np.repeat(w, w) for w in self.width.T)

    @cached_property
    def order(self) -> Ints | None:
        """The states, each after all that may follow it; None where a state can come again."""
        order, recurring = topological_order(self)
        return order if recurring < 0 else None

    @cached_property
    def endless(self) -> Longs:
        """States from which some joint play goes on for ever: the largest set that can keep to itself."""
        return endless_states(self.row, self.out, self.next, self.prob)

    @cached_property
    def constant_sum(self) -> float | None:
        """What both players' values add up to, where that is the same whatever they do, from every state on."""
        total = self.reward.sum(axis=1)
        if len(self.players) != 2:
            return None
        small = SUM_TOLERANCE * max(float(np.abs(self.reward).max(initial=0.0)), np.finfo(float).tiny)
        if (np.abs(total) <= small).all():
            return float(self.paid.sum())
        if self.discount == 1 and len(self.endless):
            return None
        sums = self._sums(total)
        again = total + self.discount * (self.moves @ sums)
        slack = SUM_TOLERANCE * max(float(np.abs(sums).max()), float(np.abs(self.reward).max()))
        same = np.abs(again - sums[self.state_of]) <= slack
        return float(self.paid.sum() + self.start @ sums) if same.all() else None

    def _sums(self, total: Floats) -> Floats:
        """[S] what is paid to everybody from each state on when the first row of each state is played."""
        from fogbound.forms.linear_system import factorised

        live, sums = np.flatnonzero(self.live), np.zeros(self.size)
        rows = self.row[live]
        if len(live):
            sums[live] = factorised(self.discount * self.moves[rows][:, live]).solve(total[rows])
        return sums

    def actions(self, state: int, player: int) -> tuple[Hashable, ...]:
        """What a player may do in a state, as the author wrote it; nothing where it waits."""
        legal = int(self.legal[state, player])
        return self.legal_sets[legal] if legal >= 0 else ()

    def at(self, played: Floats, state: int, player: int) -> Dist[Hashable]:
        """What a player does in a state, by a way to play: probabilities of all its choices."""
        first = self.first[player]
        pairs = zip(self.actions(state, player), played[first[state] : first[state + 1]].tolist())
        return Dist(tuple((action, p) for action, p in pairs if p > 0))

    @cached_property
    def enumerated(self) -> tuple[Table, Longs]:
        """The table of the game, and which state of this form each of its states is."""
        if self.table is not None:
            return self.table, np.arange(self.size)
        table = derive(self.as_game(), Table)
        number = {state: s for s, state in enumerate(self.states)}
        return table, np.array([number[state] for state in table.states], np.int64)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The game in the canonical layout that certificates are hashed over."""
        floats = ("prob", "reward", "start", "paid")
        return canonical_arrays(self, ("width", "out", "next"), floats, discount=float(self.discount))


def markov(game: AnyGame | Form, limit: int = MOST_STATES) -> MarkovGame:
    """The Markov game that a game is, where whoever moves knows the state.

    Parameters
    ----------
    game
        The game, or a form of it.
    limit
        How many states there may be.

    Returns
    -------
    MarkovGame

    Raises
    ------
    FormError
        Somebody who is asked to move cannot tell two states apart; both are named.
    LimitError
        There are more than `limit` states.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> forms.markov(games.make("soccer"))
    <Markov game, 761 states, 19,000 joint actions, 2 players, of soccer(ball=a, goal=ends, discount=0.9)>
    """
    if isinstance(game, MarkovModel | MarkovGame):
        return game.form if isinstance(game, MarkovModel) else game
    table = derive(game, Table, Question(limit=limit))
    for player in range(len(table.players)):
        _require_known(table, player)
    legal = np.stack([legal_by_state(table, i) for i in range(len(table.players))], axis=1)
    size = np.concatenate([table.legal_size, [0, 1]])  # OVER, NOT_ASKED
    owner = np.repeat(np.arange(len(table.out) - 1), np.diff(table.out))
    reward = np.stack([summed(owner, table.prob * r[table.event]) for r in table.reward.T], axis=1)
    out, next_, prob = _merged(owner, table.next, table.prob, table.size)
    start = np.zeros(table.size)
    start[next_[: out[1]]] = prob[: out[1]]
    return MarkovGame(
        spec=table.spec,
        players=table.players,
        discount=table.discount,
        width=size[legal].astype(np.int32),
        out=out[1:] - out[1],
        next=next_[out[1] :],
        prob=prob[out[1] :],
        reward=np.ascontiguousarray(reward[1:]),
        start=start,
        paid=reward[0],
        legal=np.maximum(legal, NOT_ASKED).astype(np.int32),
        legal_sets=tuple(table.legal_labels(m) for m in range(len(table.legal_size))),
        states=table.states,
        table=table,
    )


def _merged(owner: Longs, next_: Ints, prob: Floats, states: int) -> tuple[Longs, Longs, Floats]:
    """Outcomes of each row by the state that follows, each once: (out, next, prob)."""
    key = owner.astype(np.int64) * states + next_
    order = np.argsort(key, kind="stable")
    fresh = heads(key[order])
    place = np.cumsum(fresh) - 1
    kept = key[order][fresh]
    out = offsets(np.bincount(kept // states, minlength=int(owner[-1]) + 1))
    return out, kept % states, summed(place, prob[order])


def _require_known(table: Table, player: int) -> None:
    """Refuse a game in which the player, when it is asked to move, does not know the state."""
    asked, told = legal_by_state(table, player) >= 0, _told(table, player)
    if told is None:
        return
    alike = _confused_soon(asked, *told)
    other = "so it is no Markov game. For hidden information: a solver on the sequence or the one-sided form"
    name, complete = table.players[player], True
    if alike is None:
        known = knowledge(table, player, SETS_PER_STATE * table.size + MORE_SETS)
        sets = ([s for s in states if asked[s]] for states in known.sets)
        alike, complete = next((states for states in sets if len(states) > 1), None), known.complete
    if alike is not None:
        one, two = (brief(table.states[s]) for s in alike[:2])
        raise FormError(
            f"{table.spec} hides something: {name} cannot tell state {one} from {two} when asked to move, {other}"
        )
    if not complete:
        raise FormError(f"{table.spec} leaves {name} too much to guess to know the state when asked to move, {other}")


def _told(table: Table, player: int) -> tuple[Longs, Longs, Longs] | None:
    """What was known, done and seen: (group of each line, state before it or -1, state after it), sorted by group.

    None where every group leaves one state: then the player always knows it, and no sets of states need be walked over.
    """
    owner = np.repeat(np.arange(len(table.out) - 1), np.diff(table.out))
    before = np.concatenate([[-1], np.repeat(np.arange(table.size), np.diff(table.row))])[owner]
    did, seen = own_places(table, player)[owner], table.seen[table.event, player]
    going = table.actor_set[table.next] > 0  # that play is over need not be told from other ends
    columns = [column[going] for column in (before, did, seen, table.next)]
    order = np.lexsort(columns[::-1])
    columns = [column[order] for column in columns]
    once = heads(*columns)
    columns = [column[once] for column in columns]
    fresh = heads(*columns[:3])
    return None if fresh.all() else (np.cumsum(fresh) - 1, columns[0], columns[3])


def _confused_soon(asked: NDArray[np.bool_], group: Longs, before: Longs, after: Longs) -> list[int] | None:
    """Two states that ask the player to move, and that it confuses right after one that it knew; None = none there."""
    alone = np.bincount(group)[group] == 1
    confusing = np.bincount(group, asked[after]) > 1
    known = np.zeros(len(asked) + 1, bool)
    known[-1] = True  # the start
    while True:
        wrong = np.flatnonzero(confusing[group] & known[before] & asked[after])
        if len(wrong):
            first = after[wrong[group[wrong] == group[wrong[0]]]]
            return [int(state) for state in first[:2]]
        reached = after[alone & known[before]]
        if known[reached].all():
            return None
        known[reached] = True


def own_places(table: Table, player: int) -> Longs:
    """[R] which of its legal actions the player takes in each row of the table; -1 where it waits."""
    state = np.repeat(np.arange(table.size), np.diff(table.row))
    place = np.arange(len(state)) - np.repeat(table.row[:-1] - 1, np.diff(table.row))
    own = np.full(len(state), -1, np.int64)
    for k in reversed(range(table.legal.shape[1])):
        legal = table.legal[state, k]
        size = np.where(legal >= 0, table.legal_size[legal], 1)
        mine = table.actor_set_players[table.actor_set[state], k] == player
        own = np.where(mine, place % size, own)
        place = place // size
    return np.concatenate([[-1], own])


def require_discounted(form: MarkovGame, who: str) -> None:
    """Refuse what has only an average reward: discount 1, and play that need not end."""
    if form.discount < 1 or not len(form.endless):
        return
    state = brief(form.states[form.endless[0]])
    raise FormError(
        f"{who}: {form.spec} is not discounted and play can go on for ever, from state {state}: that asks for the "
        "average reward, which no solver here computes. Give it a discount below 1, or cut it, such as "
        f"{cut_short(form.spec)}"
    )


@dataclass(frozen=True, eq=False)
class MarkovModel(FormGame[MarkovGame, Hashable, Hashable]):
    """A given Markov game as one that is played: everybody sees the state. A step pays what is expected of it.

    Parameters
    ----------
    form
        The Markov game to be played.
    """

    name: ClassVar[str] = "markov"

    @cached_property
    def _number(self) -> dict[Hashable, int]:
        return {state: s for s, state in enumerate(self.form.states)}

    def start(self) -> Dist[Outcome[Hashable]]:
        begun, paid = np.flatnonzero(self.form.start), tuple(self.form.paid.tolist())
        return Dist.of({self._to(int(s), paid): float(self.form.start[s]) for s in begun})

    def actors(self, state: Hashable) -> tuple[int, ...]:
        return tuple(np.flatnonzero(self.form.legal[self._number[state]] >= 0).tolist())

    def actions(self, state: Hashable, player: int) -> Sequence[Hashable]:
        return self.form.actions(self._number[state], player)

    def step(self, state: Hashable, joint: tuple[Hashable, ...]) -> Dist[Outcome[Hashable]]:
        s, form, place = self._number[state], self.form, 0
        done = dict(zip(self.actors(state), joint))
        for player, wide in enumerate(form.width[s].tolist()):
            place = place * wide + (form.actions(s, player).index(done[player]) if player in done else 0)
        row = int(form.row[s]) + place
        paid = tuple(form.reward[row].tolist())
        outcomes = range(int(form.out[row]), int(form.out[row + 1]))
        return Dist.of({self._to(int(form.next[o]), paid): float(form.prob[o]) for o in outcomes})

    def _to(self, state: int, paid: tuple[float, ...]) -> Outcome[Hashable]:
        return Outcome(self.form.states[state], paid, public=self.form.states[state])


__all__ = ["OVER", "MarkovGame", "MarkovModel", "markov", "require_discounted"]
