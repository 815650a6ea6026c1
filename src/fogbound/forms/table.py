"""The enumerated game: every state, legal action and outcome as arrays, found once by calling the author.

All other forms are views of this one. States are numbered breadth first, in the order of discovery; the
labels that the author wrote (states, actions, what is seen) stand beside the arrays, so that nothing above
ever has to ask the game again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_discount, too_many_states
from fogbound.core.dist import Dist
from fogbound.core.errors import LimitError, many
from fogbound.core.game import AnyGame, Game, Outcome
from fogbound.forms.arrays import largest_total, offsets
from fogbound.forms.columns import EnumeratedGame, TableColumns, array_cost, cut_off
from fogbound.forms.enumeration import Enumeration, most_outcomes
from fogbound.forms.protocol import FormGame, PlayersForm, Question, canonical_arrays
from fogbound.forms.recurrence import unpaid_rounds
from fogbound.forms.replay import COMPILED, VECTORISED, replay

if TYPE_CHECKING:
    from fogbound.compiled.rules import CompiledRules
    from fogbound.forms.vector_rules import VectorRules

MOST_STATES = 1_000_000
BY_RULES = 2_000  # states up to which a game is enumerated by its plain rules, whatever it has
START = 0  # row 0 is the start distribution


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
class Table(PlayersForm, TableColumns):
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
    certified_as: ClassVar[str] = "table"

    def __post_init__(self) -> None:
        require_discount(self.spec, self.discount)

    @property
    def size(self) -> int:
        return len(self.actor_set)

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
        return enumerate_table(source, **question.most)

    def as_game(self) -> AnyGame:
        """The table as rules, for those who have nothing else: a game that knows no board and no words of its own."""
        return TableGame(self)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The table in the canonical layout that certificates are hashed over and checked against."""
        ints = ("actor_set", "actor_set_players", "legal", "legal_actions", "row", "out", "next", "event", "seen")
        return canonical_arrays(
            self, ints, ("prob", "reward"), players=len(self.players), discount=float(self.discount)
        )


def enumerate_table(game: AnyGame, limit: int = MOST_STATES) -> Table:
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
    held, cut = (game.origin, game.cut_from()) if isinstance(game, Game) else (None, None)
    inner = cut[0].origin if cut else None
    if isinstance(held, Table):
        if held.size > limit:
            raise too_many_states(held.spec, limit, array_cost(held))
        return held
    if cut and isinstance(inner, Table):
        return cut_off(replace(inner, spec=str(game)), cut[1], limit, most_outcomes(limit))
    found = _enumerated(game, limit)
    return _ended(found) if found.discount == 1 else found


def _enumerated(game: AnyGame, limit: int) -> Table:
    """By the plain rules; what has more than `BY_RULES` states by its vectorised or compiled rules, if it has some."""
    own = type(game)
    if not isinstance(game, Game) or limit <= BY_RULES or own.canonical is not Game.canonical:
        return plain_table(game, limit)
    if own.vector_rules is Game.vector_rules and own.compiled_rules is Game.compiled_rules:
        return plain_table(game, limit)
    with suppress(LimitError):
        return plain_table(game, BY_RULES)
    vectorised = game.vector_rules()
    if vectorised is not None:
        return vector_table(game, vectorised, limit)
    compiled = game.compiled_rules()
    return plain_table(game, limit) if compiled is None else compiled_table(game, compiled, limit)


def plain_table(game: AnyGame, limit: int = MOST_STATES) -> Table:
    """The table by the plain rules, which are asked again for a sample of it.

    Parameters
    ----------
    game
        The rules.
    limit
        How many states there may be.

    Returns
    -------
    Table
    """
    return _replayed(game, Enumeration(game, limit).run())


def compiled_table(game: AnyGame, compiled: CompiledRules, limit: int = MOST_STATES) -> Table:
    """The same table by compiled rules, a sample of which is compared with the plain ones.

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
    from fogbound.forms.compiled_columns import compiled_columns

    return _replayed(game, compiled_columns(game, compiled, limit, most_outcomes(limit)), COMPILED)


def vector_table(game: AnyGame, rules: VectorRules, limit: int = MOST_STATES) -> Table:
    """The same table by vectorised rules, a sample of which is compared with the plain ones.

    Parameters
    ----------
    game
        The plain rules, without symmetries (`Game.canonical`).
    rules
        Its vectorised rules.
    limit
        How many states there may be.

    Returns
    -------
    Table
    """
    from fogbound.forms.vector_columns import vector_columns

    return _replayed(game, vector_columns(game, rules, limit), VECTORISED)


def _replayed(game: AnyGame, found: EnumeratedGame, other: str = "") -> Table:
    made = Table(**vars(found.columns))
    replay(game, made, found.states, found.events, other)
    return made


def _ended(whole: Table) -> Table:
    """The table in which play is over where it could go round with nothing left to be paid (`unpaid_rounds`).

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
        row=(1 + offsets(np.where(over, 0, np.diff(whole.row))[met])).astype(np.int32),
        out=offsets(np.diff(whole.out)[stays]).astype(np.int32),
        next=number[whole.next[kept]].astype(np.int32),
        event=whole.event[kept],
        prob=whole.prob[kept],
        states=[whole.states[state] for state in np.flatnonzero(met).tolist()],
    )
