"""Hooks as tables of an enumerated model, which kernels can ask: every state is asked once, before the search."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from fogbound.compiled.rules import CompiledRules
from fogbound.core.cancel import check
from fogbound.core.errors import LimitError
from fogbound.core.game import AnyGame
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.compiled_rules import table_rules
from fogbound.forms.pomdp import POMDP, WAIT
from fogbound.forms.table import Table, enumerate_table
from fogbound.solvers.search.hooks import ByPlayer, Checked, GameHooks, Hooks


@dataclass(frozen=True, eq=False)
class HookTables:
    """What kernels ask of hooks; an array without entries stands for a hook that is not there.

    Parameters
    ----------
    entry : [state, player]
        Where the entries of a player's legal actions begin; -1: it does not move.
    chance, initial, preferred : [entry]
        The rollout policy, initial values, and whether an action is preferred.
    value : [state, player]
        Leaf values.
    """

    entry: Longs = field(default_factory=lambda: np.zeros((0, 1), np.int64), repr=False)
    chance: Floats = field(default_factory=lambda: np.zeros(0), repr=False)
    initial: Floats = field(default_factory=lambda: np.zeros(0), repr=False)
    preferred: Longs = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)
    value: Floats = field(default_factory=lambda: np.zeros((0, 1)), repr=False)


TABULATED = 50_000  # states of a model whose hooks are tabulated


def hooked_rules(game: AnyGame, hooks: Hooks, limit: int = TABULATED) -> tuple[CompiledRules, HookTables]:
    """The rules of a game's table, and the hooks of all players on its states.

    Parameters
    ----------
    game
        The game.
    hooks
        The hooks as they were given.
    limit
        States of the table, at most.

    Returns
    -------
    (CompiledRules, HookTables)

    Raises
    ------
    LimitError
        There are more states.
    SpecError
        A hook plays by what was seen, or is none here.
    """
    found = hooks.on(game, range(len(game.players)))
    if found.followed is not None:
        found.followed.refuse()
    try:
        table = enumerate_table(game, limit=limit)
    except LimitError as error:
        raise LimitError(f"{hooks.who} asks its hooks for each state of a table; {error}") from error
    return table_rules(table), table_tables(table, found)


class HookQuestion(NamedTuple):
    """A player in a state, for which hooks are asked."""

    labels: tuple[Any, Any]  # the game's state, and the model's: with what the others are and remember
    player: int  # of the game
    number: int  # of the state
    column: int  # of the player in the tables
    first: int = -1  # of its entries, where it moves
    legal: Sequence[Hashable] = ()

    def label(self, hook: ByPlayer | Checked) -> Any:
        """The state as a hook knows it."""
        return self.labels[hook.by_label]


def pomdp_tables(form: POMDP, hooks: GameHooks, informed: Floats | None = None) -> HookTables:
    """Hooks on the states and rows of a POMDP.

    Parameters
    ----------
    form
        The model.
    hooks
        The hooks.
    informed : [row]
        What rows are worth, where leaves are to be valued by that.

    Returns
    -------
    HookTables
    """
    waits = bool((form.action[1:] == WAIT).any())
    entry = np.full((form.size, 1 + waits), -1, np.int64)
    moves = np.diff(form.row) > 0
    moves[moves] = form.action[form.row[:-1][moves]] != WAIT
    entry[moves, 0] = form.row[:-1][moves]
    asked = [
        HookQuestion(
            _labels(form, s), form.player, s, 0, int(form.row[s]), [form.actions[a] for a in _actions(form, s)]
        )
        for s in np.flatnonzero(moves).tolist()
    ]
    states = [HookQuestion(_labels(form, s), form.player, s, 0) for s in np.flatnonzero(np.diff(form.row) > 0).tolist()]
    tables = _tables(entry, len(form.action), asked, states, hooks)
    if informed is None:
        return tables
    value = np.zeros((form.size, 1 + waits))
    rows = np.flatnonzero(np.diff(form.row) > 0)
    value[rows, 0] = np.maximum.reduceat(informed, form.row[:-1][rows])
    return HookTables(tables.entry, tables.chance, tables.initial, tables.preferred, value)


def table_tables(table: Table, hooks: GameHooks) -> HookTables:
    """Hooks on the states of a table, for every player who moves there."""
    entry, asked, size = np.full((len(table.states), len(table.players)), -1, np.int64), list[HookQuestion](), 0
    for s, state in enumerate(table.states):
        movers = table.actor_set[s]
        for k, player in enumerate(table.actor_set_players[movers, : table.actor_set_size[movers]].tolist()):
            legal = table.legal_labels(int(table.legal[s, k]))
            entry[s, player] = size
            asked.append(HookQuestion((state, state), player, s, player, size, legal))
            size += len(legal)
    playing, everybody = np.flatnonzero(table.actor_set_size[table.actor_set] > 0).tolist(), range(len(table.players))
    states = [
        HookQuestion((table.states[s], table.states[s]), player, s, player) for s in playing for player in everybody
    ]
    return _tables(entry, size, asked, states, hooks)


def _labels(form: POMDP, state: int) -> tuple[Any, Any]:
    """The game's state in a state of the POMDP, and that with what the others are and remember."""
    label, product = form.label(state), form.product
    return label if product is None else product.table.states[product.point[state][0]], label


def _actions(form: POMDP, state: int) -> list[int]:
    found: list[int] = form.action[form.row[state] : form.row[state + 1]].tolist()
    return found


def _tables(
    entry: Longs, size: int, asked: list[HookQuestion], states: list[HookQuestion], hooks: GameHooks
) -> HookTables:
    rollout, leaf, known, first = hooks.rollout, hooks.value, hooks.initial, hooks.preferred
    chance, initial = np.zeros(size if rollout else 0), np.zeros(size if known else 0)
    preferred, value = np.zeros(size if first else 0, np.int64), np.zeros(entry.shape if leaf else (0, 1))
    for one in asked:
        check()
        part, legal = slice(one.first, one.first + len(one.legal)), one.legal
        if rollout:
            dist = rollout(one.label(rollout), one.player, legal)
            chance[part] = [dist[action] for action in legal]
        if known:
            values = known(one.label(known), one.player, legal)
            initial[part] = [values[action] for action in legal]
        if first:
            chosen = first(one.label(first), one.player, legal)
            preferred[part] = [action in chosen for action in legal]
    for one in states if leaf else ():
        assert leaf is not None
        value[one.number, one.column] = leaf(one.label(leaf), one.player)
    return HookTables(entry, chance, initial, preferred, value)
