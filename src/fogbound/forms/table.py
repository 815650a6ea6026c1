"""The enumerated game: every state, legal action and outcome as arrays, found once by calling the author.

All other forms are views of this one. States are numbered breadth first, in the order of discovery; the
labels that the author wrote (states, actions, what is seen) stand beside the arrays, so that nothing above
ever has to ask the game again.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.contract import (
    no_action,
    ordered,
    require_discount,
    require_moderate,
    require_players,
    too_many_outcomes,
    too_many_states,
)
from fogbound.core.dist import Dist
from fogbound.core.errors import FogboundError, GameError, LimitError, brief, many, raised
from fogbound.core.game import AnyGame, Game, Observation, Outcome
from fogbound.core.memory import Cost, object_bytes
from fogbound.forms.arrays import Floats, Ints, largest_total
from fogbound.forms.breadth_first import array_cost, cut_off
from fogbound.forms.compiled_columns import compiled_columns, event_columns, padded
from fogbound.forms.form_game import FormGame
from fogbound.forms.protocol import NOTHING, Described, Question
from fogbound.forms.replay import Event, full_event, replay
from fogbound.forms.table_rows import MOST_OUTCOMES, RowBuilder, ends
from fogbound.forms.unpaid import unpaid_rounds

if TYPE_CHECKING:
    from fogbound.compiled.rules import CompiledRules

MOST_STATES = 1_000_000
BY_RULES = 2_000  # states up to which a game is enumerated by its plain rules, whatever it has
LOOK_UP = 32  # states between two looks at whether to stop: an author's steps may be slow
ENTRY, ROW = 250, 64  # bytes of a state and of a row, beside labels
SECONDS_EACH = 7e-6  # row
START = 0  # row 0 is the start distribution


# A table, such as a file describes, as a game: then all that works on games works on it.


@dataclass(frozen=True, eq=False)
class TableGame(FormGame["Table", Hashable, Hashable]):
    """The rules that a table lists.

    Parameters
    ----------
    form
        The table to be played.

    Examples
    --------
    >>> import fogbound as fb
    >>> played = fb.forms.TableGame(fb.forms.table(fb.game("tiger")))
    >>> played.players, len(played.start())
    (('you',), 2)
    """

    name: ClassVar[str] = "table"

    @cached_property
    def _number(self) -> dict[Hashable, int]:
        return {label: number for number, label in enumerate(self.form.states)}

    @cached_property
    def _rows(self) -> dict[int, Dist[Outcome[Hashable]]]:
        """What follows each row that was asked for: handed out again, it is enumerated once."""
        return {}

    def start(self) -> Dist[Outcome[Hashable]]:
        return self._follows(START)

    def actors(self, state: Hashable) -> tuple[int, ...]:
        movers = self.form.actor_set[self._number[state]]
        return tuple(self.form.actor_set_players[movers, : self.form.actor_set_size[movers]].tolist())

    def actions(self, state: Hashable, player: int) -> Sequence[Hashable]:
        place = self.actors(state).index(player)
        return self.form.legal_labels(int(self.form.legal[self._number[state], place]))

    def step(self, state: Hashable, joint: tuple[Hashable, ...]) -> Dist[Outcome[Hashable]]:
        place = 0
        for player, action in zip(self.actors(state), joint):
            offered = self.actions(state, player)
            place = place * len(offered) + offered.index(action)
        return self._follows(int(self.form.row[self._number[state]]) + place)

    def _follows(self, row: int) -> Dist[Outcome[Hashable]]:
        if row not in self._rows:
            self._rows[row] = Dist(tuple(map(self._outcome, range(self.form.out[row], self.form.out[row + 1]))))
        return self._rows[row]

    def _outcome(self, number: int) -> tuple[Outcome[Hashable], float]:
        form, event = self.form, self.form.event[number]
        views = [listed[k] for listed, k in zip(form.observations, form.seen[event].tolist())]
        rewards, private = tuple(form.reward[event].tolist()), tuple(view.private for view in views)
        outcome = Outcome(form.states[form.next[number]], rewards, views[0].public, private)
        return outcome, float(form.prob[number])


@dataclass(frozen=True, eq=False, repr=False)
class Table(Described):
    """S states, R rows (joint actions), O outcomes, E events, n players. Row 0 is `start()`.

    Parameters
    ----------
    spec
        The spec of the game.
    players
        The names of the players.
    discount
        Step t counts discount**t.
    actor_set : [S]
        Which set of actors moves; 0 is nobody: the game is over.
    actor_set_players : [C, W]
        The players of each set of actors, padded with -1.
    actor_set_size : [C]
        How many there are.
    legal : [S, W]
        The list of legal actions of the k-th actor, padded with -1.
    legal_actions : [M, K]
        The action labels of each list, padded with -1.
    legal_size : [M]
        How many there are.
    row : [S+1]
        Where the rows of a state begin: joint actions in mixed radix, the last actor fastest.
    out : [R+1]
        Where the outcomes of a row begin.
    next : [O]
        The state that follows.
    event : [O]
        What happens on the way: rewards and observations.
    prob : [O]
        The probability of the outcome.
    reward : [E, n]
        The reward of each player.
    seen : [E, n]
        The number of what each player sees, dense per player.
    states
        The states, by number.
    actions
        The actions, by label.
    observations
        What each player may see, by number.
    """

    kind: ClassVar[str] = "table"
    made_from: ClassVar[str] = "game"
    against: ClassVar[str] = NOTHING
    certified_as: ClassVar[str] = "table"

    spec: str
    players: tuple[str, ...]
    discount: float
    actor_set: Ints  # [S]
    actor_set_players: Ints  # [C, W]
    actor_set_size: Ints  # [C]
    legal: Ints  # [S, W]
    legal_actions: Ints  # [M, K]
    legal_size: Ints  # [M]
    row: Ints  # [S+1]
    out: Ints  # [R+1]
    next: Ints  # [O]
    event: Ints  # [O]
    prob: Floats  # [O]
    reward: Floats  # [E, n]
    seen: Ints  # [E, n]
    states: Sequence[Hashable] = field(repr=False)
    actions: list[Hashable] = field(repr=False)
    observations: tuple[list[Observation], ...] = field(repr=False)

    def __post_init__(self) -> None:
        require_discount(self.spec, self.discount)

    @property
    def size(self) -> int:
        return len(self.actor_set)

    @property
    def player(self) -> None:
        """A table is about nobody in particular."""

    @property
    def origin(self) -> None:
        """Made from the rules, which are no form."""

    @property
    def constant_sum(self) -> float | None:
        """0 where every step's rewards add up to 0; what other plays add up to is known by history: see the tree."""
        return None if self.reward.sum(axis=1).any() else 0.0

    @property
    def largest(self) -> float:
        return largest_total(self.reward, self.discount)

    def describe(self) -> str:
        return f"table, {many(self.size, 'state')}"

    @classmethod
    def derive(cls, source: AnyGame, question: Question) -> Table:
        return table(source, **question.most)

    def as_game(self) -> AnyGame:
        """The table as rules, for those who have nothing else: a game that knows no board and no words of its own."""
        return TableGame(self)

    def legal_labels(self, legal: int) -> tuple[Hashable, ...]:
        """The actions of a list of legal ones, as the author wrote them."""
        return tuple(self.actions[a] for a in self.legal_actions[legal, : self.legal_size[legal]])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The table in the canonical layout that certificates are hashed over and checked against."""
        ints = ("actor_set", "actor_set_players", "legal", "legal_actions", "row", "out", "next", "event", "seen")
        plain: dict[str, NDArray[Any]] = {name: getattr(self, name).astype("<i8") for name in ints}
        plain["prob"], plain["reward"] = self.prob.astype("<f8"), self.reward.astype("<f8")
        plain["players"] = np.array([len(self.players)], "<i8")
        plain["discount"] = np.array([self.discount], "<f8")
        return plain


def table(game: AnyGame, limit: int = MOST_STATES) -> Table:
    """Enumerate `game` by calling its four methods once a state and joint action.

    Parameters
    ----------
    game
        The rules.
    limit
        How many states there may be.

    Returns
    -------
    Table
        States numbered breadth first, rows of joint actions, outcomes; the author's labels stand beside the arrays.
        Without a discount, where play can go round for ever with nothing left to be paid, it is over there.

    Raises
    ------
    GameError
        The game breaks its contract; the message names the state.
    LimitError
        There are more than `limit` states.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> form = forms.table(games.make("king-ace"))
    >>> form
    <table, 9 states, of king-ace>
    >>> form.reward.shape, form.actions
    ((12, 2), ['raise', 'check', 'call', 'fold'])
    """
    held = getattr(game, "origin", None)
    cut = game.cut_from() if isinstance(game, Game) else None
    inner = getattr(cut[0], "origin", None) if cut else None
    if isinstance(held, Table):
        if held.size > limit:
            raise too_many_states(held.spec, limit, array_cost(held))
        return held
    if cut and isinstance(inner, Table):
        named = replace(inner, spec=str(game))
        return replace(named, **cut_off(named, cut[1], limit, most_outcomes(limit))._asdict())
    found = _enumerated(game, limit)
    return _ended(found) if found.discount == 1 else found


def _enumerated(game: AnyGame, limit: int) -> Table:
    """By the plain rules; what has more than `BY_RULES` states by its compiled rules, where there are some."""
    written = isinstance(game, Game) and type(game).compiled_rules is not Game.compiled_rules
    if limit > BY_RULES and written and type(game).canonical is Game.canonical:
        with suppress(LimitError):
            return Enumeration(game, BY_RULES).run()
        compiled = game.compiled_rules()
        if compiled is not None:
            return compiled_table(game, compiled, limit)
    return Enumeration(game, limit).run()


def compiled_table(game: AnyGame, compiled: CompiledRules, limit: int = MOST_STATES) -> Table:
    """The same table by compiled rules; a sample of it is held against the plain ones.

    Parameters
    ----------
    game
        The plain rules, without symmetries (`Game.canonical`).
    compiled
        Its compiled rules.
    limit
        How many states there may be.

    Returns
    -------
    Table
        States are made when they are asked for.
    """
    columns, states, events = compiled_columns(game, compiled, limit, most_outcomes(limit))
    found = Table(str(game), tuple(game.players), float(game.discount), **columns._asdict())
    replay(game, found, states, events, compiled=True)
    return found


def _ended(whole: Table) -> Table:
    """The table in which play is over where it could go round with nothing left to be paid to anybody (see `unpaid`).

    What those states led to is left out. Where nothing goes round the table is left alone, and so are rules that never
    pay anybody: their author is not done.
    """
    owner = np.repeat(np.arange(-1, whole.size), np.concatenate([[1], np.diff(whole.row)]))  # [R] -1: the start
    source, begun = np.repeat(owner, np.diff(whole.out)), int(whole.out[1])
    paying = np.zeros(whole.size, bool)
    paid = (whole.reward != 0).sum(axis=1) > 0  # [E]
    paying[source[begun:][paid[whole.event[begun:]]]] = True
    over = unpaid_rounds(paying, source[begun:], whole.next[begun:])
    if not over.any() or not paying.any():
        return whole
    stays = np.append(True, ~over[owner[1:]])  # [R]
    kept = np.repeat(stays, np.diff(whole.out))
    met = np.zeros(whole.size, bool)
    met[whole.next[kept]] = True
    number = np.cumsum(met) - 1
    return replace(
        whole,
        actor_set=np.where(over, 0, whole.actor_set)[met].astype(np.int32),
        legal=np.where(over[:, None], -1, whole.legal)[met].astype(np.int32),
        row=1 + ends(np.where(over, 0, np.diff(whole.row))[met]),
        out=ends(np.diff(whole.out)[stays]),
        next=number[whole.next[kept]].astype(np.int32),
        event=whole.event[kept],
        prob=whole.prob[kept],
        states=[whole.states[state] for state in np.flatnonzero(met).tolist()],
    )


def most_outcomes(limit: int) -> int:
    """How many outcomes a table of at most `limit` states may hold."""
    return min(OUTCOMES_PER_STATE * limit, MOST_OUTCOMES)


def _references() -> int:
    """What `sys.getrefcount` says of a distribution that nobody has but one variable."""
    lone: Dist[Any] = Dist(())
    return sys.getrefcount(lone)


ALONE = _references()


# Enumerating a game: calling its author once a state and joint action, and giving numbers to what comes back.
#
# Plain Python, since authors write plain Python; so the loop over states keeps everything it calls in local variables.


OUTCOMES_PER_STATE = 100  # a table may hold this many outcomes for each state that its limit allows


class Enumeration:
    """The builder's work space: id tables and growing columns."""

    def __init__(self, game: AnyGame, limit: int) -> None:
        require_players(game)
        self.game, self.limit, self.n = game, limit, len(game.players)
        plain = type(game).canonical is Game.canonical
        self.canonical = None if plain else game.canonical
        self.states: list[Any] = []
        self.state_ids: dict[Hashable, int] = {}
        self.actor_set_ids: dict[tuple[int, ...], int] = {(): 0}
        self.legal_ids: dict[tuple[Hashable, ...], int] = {}
        self.legal_sets: list[tuple[Hashable, ...]] = []
        self.solo: list[
            list[tuple[Hashable, ...]]
        ] = []  # per list of legal actions: these as joint actions of one actor
        self.event_ids: dict[tuple[Any, ...], int] = {}  # as the author wrote them
        self.events: dict[Event, int] = {}  # in full: what is paid to and seen by each player
        self.actor_set_of: list[int] = []
        self.rows = RowBuilder(most_outcomes(limit))
        self.add_next, self.add_event = self.rows.next.append, self.rows.event.append
        self.known_state = self.state_ids.get if plain else _unknown

    def run(self) -> Table:
        actor_set_of, legal_of, rows = self._states()
        table = self._pack(actor_set_of, legal_of, rows)
        replay(self.game, table, self.state_ids, self.events)
        return table

    def _states(self) -> tuple[list[int], list[int], list[int]]:
        """Breadth first over states; `self.states` grows while it is walked."""
        game, where = self.game, "start()"
        actor_set_of = self.actor_set_of
        legal_of: list[int] = []  # of every actor of every state: numbers alone are nothing to the collector
        rows = [1]
        state: Any = None
        try:
            self._outcomes(START, game.start(), None, None)
            actors, actions, step, outcomes = game.actors, game.actions, game.step, self._outcomes
            actor_set_ids, legal_ids, solo, builder = self.actor_set_ids, self.legal_ids, self.solo, self.rows
            kind_of, added, references, alone, kinds = builder.kind_of, builder.kind, sys.getrefcount, ALONE, 1
            add = added.append
            add(START)
            for state in self.states:
                if not len(rows) % LOOK_UP:
                    check()
                where = "actors"
                actor_set = actors(state)
                number = actor_set_ids.get(actor_set)
                if number is None:
                    number = self._new_actor_set(actor_set, state)
                actor_set_of.append(number)
                if number == 0:
                    rows.append(rows[-1])
                    continue
                for player in actor_set:
                    where = "actions"
                    offered = actions(state, player)
                    if type(offered) is not tuple:
                        offered = ordered(game, offered, state)
                    legal = legal_ids.get(offered)
                    if legal is None:
                        legal = self._new_legal(offered, state, player)
                    legal_of.append(legal)
                where = "step"
                joints = solo[legal_of[-1]] if len(actor_set) == 1 else self._joints(legal_of[-len(actor_set) :])
                for joint in joints:
                    dist = step(state, joint)
                    if references(dist) > alone:  # the author holds it as well, and may hand it out again
                        again = kind_of.get(id(dist))
                        if again is not None:
                            add(again)
                            continue
                        builder.hold(dist, kinds)
                    outcomes(kinds, dist, state, joint)
                    add(kinds)
                    kinds += 1
                rows.append(rows[-1] + len(joints))
                if len(added) > builder.batch:
                    self._require_room()
        except FogboundError:
            raise
        except Exception as error:
            at = f" at state {brief(state)}" if state is not None else ""
            raise GameError(f"{game}: {where} raised {raised(error)}{at}") from error
        return actor_set_of, legal_of, rows

    @property
    def each(self) -> Cost:
        """What a state takes: an entry in a list and a dict, its label, its rows and outcomes while they grow."""
        rows = len(self.rows) / max(1, len(self.actor_set_of))
        sample = self.states[:: 1 + len(self.states) // LOOK_UP]
        label = sum(map(object_bytes, sample)) / max(1, len(sample))
        return Cost(ENTRY + 1.5 * label + ROW * rows, SECONDS_EACH * (1 + rows))

    def _require_room(self) -> None:
        if self.rows.overfull():
            raise too_many_outcomes(str(self.game), self.rows.most, self.limit, self.each)

    def _joints(self, legal_sets: list[int]) -> list[tuple[Hashable, ...]]:
        """All joint actions of several movers, counted before they are listed."""
        many = math.prod(len(self.legal_sets[m]) for m in legal_sets)
        if many + len(self.rows) > self.rows.most:
            raise LimitError(
                f"{self.game}: {many:,} joint actions in one state, over what a limit of {self.limit:,} states allows. "
                "Raise limit=, or use a solver that only samples"
            )
        return list(product(*(self.legal_sets[m] for m in legal_sets)))

    def _outcomes(self, kind: int, dist: Dist[Any], state: Any, joint: Any) -> None:
        """The outcomes of one row: ids for states and events, equal outcomes merged, impossible ones dropped."""
        if type(dist) is not Dist:
            raise GameError(f"{self.game}: found {brief(dist)}, expected a Dist of Outcomes, {_where(state, joint)}")
        pairs = dist.pairs
        if len(pairs) == 1 and pairs[0][1] == 1.0:
            outcome = pairs[0][0]
            successor = self.known_state(outcome.state)
            self.add_next(self._new_state(outcome.state) if successor is None else successor)
            key = (outcome.rewards, outcome.public, outcome.private)
            event = self.event_ids.get(key)
            self.add_event(self._new_event(key, state, joint) if event is None else event)
            return
        fault = dist.fault()
        if fault:
            raise GameError(f"{self.game}: found {fault}, {_where(state, joint)}")
        merged: dict[tuple[int, int], float] = {}
        for outcome, p in pairs:
            if p > 0:
                key = (outcome.rewards, outcome.public, outcome.private)
                event = self.event_ids.get(key)
                if event is None:
                    event = self._new_event(key, state, joint)
                successor = self.known_state(outcome.state)
                pair = (self._new_state(outcome.state) if successor is None else successor, event)
                merged[pair] = merged.get(pair, 0.0) + p
        total = math.fsum(merged.values())  # 1 up to rounding, which must not add up over a long game
        for successor, event in merged:
            self.add_next(successor)
            self.add_event(event)
        if len(merged) > 1:
            self.rows.widen(kind, [p / total for p in merged.values()])

    def _new_state(self, state: Any) -> int:
        """The number of a state that is not known as the author wrote it."""
        if self.canonical:
            state = self.canonical(state)
            number = self.state_ids.get(state)
            if number is not None:
                return number
        number = self.state_ids[state] = len(self.states)
        self.states.append(state)
        if number >= self.limit:
            raise too_many_states(str(self.game), self.limit, self.each)
        return number

    def _new_actor_set(self, actor_set: Any, state: Any) -> int:
        if not isinstance(actor_set, tuple) or list(actor_set) != sorted(set(actor_set) & set(range(self.n))):
            raise GameError(
                f"{self.game}: actors is {brief(actor_set)} at state {brief(state)}, expected a tuple of different "
                f"players from 0 to {self.n - 1} in increasing order"
            )
        self.actor_set_ids[actor_set] = len(self.actor_set_ids)
        return self.actor_set_ids[actor_set]

    def _new_legal(self, offered: tuple[Hashable, ...], state: Any, player: int) -> int:
        if not offered:
            raise GameError(no_action(self.game, player, state))
        if len(set(offered)) != len(offered):
            raise GameError(f"{self.game}: actions {brief(offered)} at state {brief(state)} hold one action twice")
        self.legal_sets.append(offered)
        self.solo.append([(action,) for action in offered])
        self.legal_ids[offered] = len(self.legal_sets) - 1
        return len(self.legal_sets) - 1

    def _new_event(self, key: tuple[Any, ...], state: Any, joint: Any) -> int:
        rewards, _, private = key
        for name, value in (("rewards", rewards), ("private", private)):
            if not isinstance(value, tuple) or len(value) not in (0, self.n):
                length = f"{len(value)} entries" if isinstance(value, Sequence) else brief(value)
                raise GameError(
                    f"{self.game}: {name} {brief(value)} has {length}, expected a tuple with one a player "
                    f"({self.n}) or (), {_where(state, joint)}"
                )
        if not all(isinstance(r, int | float) and math.isfinite(r) for r in rewards):
            raise GameError(f"{self.game}: rewards {brief(rewards)}, expected finite numbers, {_where(state, joint)}")
        require_moderate(self.game, max(map(abs, rewards), default=0.0))
        full = full_event(Outcome(state, *key), self.n)
        number = self.event_ids[key] = self.events.setdefault(full, len(self.events))
        return number

    def _pack(self, actor_set_of: list[int], legal_of: list[int], rows: list[int]) -> Table:
        action_ids: dict[Hashable, int] = {}
        legal_sets = [[action_ids.setdefault(a, len(action_ids)) for a in legal] for legal in self.legal_sets]
        seen, observations = event_columns(list(self.events), self.n)
        actor_set, actor_set_players = np.array(actor_set_of, np.int32), padded(list(self.actor_set_ids))
        legal = actor_set_players[actor_set]
        legal[legal >= 0] = legal_of
        return Table(
            spec=str(self.game),
            players=tuple(self.game.players),
            discount=float(self.game.discount),
            actor_set=actor_set,
            actor_set_players=actor_set_players,
            actor_set_size=np.array([len(c) for c in self.actor_set_ids], np.int32),
            legal=legal,
            legal_actions=padded(legal_sets),
            legal_size=np.array([len(m) for m in legal_sets], np.int32),
            row=np.array(rows, np.int32),
            **self.rows.columns()._asdict(),
            reward=np.array([rewards for rewards, _, _ in self.events], np.float64).reshape(-1, self.n),
            seen=seen,
            states=self.states,
            actions=list(action_ids),
            observations=observations,
        )


def _unknown(_state: Any) -> int | None:
    """For games whose states must be made canonical before they can be looked up."""
    return None


def _where(state: Any, joint: Any) -> str:
    return "in start()" if joint is None else f"after {brief(joint)} at state {brief(state)}"
