"""Forms as compiled rules: what is enumerated is handed to the compiled search as it is, with no code of its own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from fogbound.compiled.rules import CompiledRules, Rules, Words, functions_in
from fogbound.core.errors import FormError
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats, Longs, offsets
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import START, Table
from fogbound.forms.table_simulator import WAIT
from fogbound.forms.tree import CHANCE, Tree


def table_rules(table: Table) -> CompiledRules:
    """A table as compiled rules.

    Parameters
    ----------
    table
        The enumerated game. A state's row is its number, the code of an action its label's, of what is seen its own.

    Returns
    -------
    CompiledRules

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.forms.compiled_rules import table_rules
    >>> table_rules(fb.forms.table(fb.game("tiger"))).beginnings
    2
    """
    from fogbound.forms.kernels import table_rules as kernels

    sizes = [len(table.players), table.legal.shape[1], table.legal_actions.shape[1]]
    names = ("actor_set_players", "legal", "legal_actions", "legal_size", "out", "next", "event", "seen")
    integers = _laid_out([_turns(table), *(getattr(table, name) for name in names)], sizes, kernels.HEAD)
    integers[kernels.REWARD], integers[kernels.DISCOUNT] = table.prob.size, table.prob.size + table.reward.size
    return _compiled(
        (table.spec, table.players, table.discount),
        (kernels, integers, [table.prob, table.reward, np.array([table.discount])]),
        FormWords(table.actions, table.observations, table.states),
        beginnings=int(table.out[START + 1]),
        most_actions=int(table.legal_size.max(initial=1)),
        most_outcomes=int(np.diff(table.out).max(initial=1)),
    )


def _turns(table: Table) -> Longs:
    """[state, 4] How many move, their set, the first of them, and where the rows of the state begin."""
    sets = table.actor_set.astype(np.int64)
    movers = table.actor_set_size[sets]
    return np.column_stack([movers, sets, table.actor_set_players[sets, 0], table.row[: len(sets)]])


def tree_rules(tree: Tree) -> CompiledRules:
    """A tree as compiled rules: a state is the first node of a step, a player's knowledge the number of its memory.

    Parameters
    ----------
    tree
        The game tree.

    Returns
    -------
    CompiledRules

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.forms.compiled_rules import tree_rules
    >>> tree_rules(fb.forms.tree(fb.game("king-ace"))).beginnings
    4
    """
    from fogbound.forms.kernels import tree_rules as kernels

    chance = np.flatnonzero(tree.mover == CHANCE)
    below = tree.parent[chance]
    if (tree.mover[below[below >= 0]] == CHANCE).any():
        raise FormError(f"{tree.spec}: chance moves twice in a row, which a tree made from a table never has")
    number = {action: code for code, action in enumerate(tree.actions)}
    width = max(map(len, tree.legal_sets), default=1)
    codes = np.array([[number[a] for a in moves] + [-1] * (width - len(moves)) for moves in tree.legal_sets], np.int64)
    columns = [tree.mover, tree.child, tree.infoset, tree.set_legal, codes.reshape(-1, width)]
    columns += [tree.memory, movers_at_once(tree)]
    integers = _laid_out(columns, [len(tree.players), width, 0, len(tree.prob)], kernels.HEAD)
    return _compiled(
        (tree.spec, tree.players, 1.0),  # payoffs are discounted already
        (kernels, integers, [tree.prob, tree.payoff]),
        FormWords(tree.actions, tree.observations, tree.states),
        beginnings=int(tree.child[1] - tree.child[0]) if tree.mover[0] == CHANCE else 1,
        most_actions=width,
        most_outcomes=int(np.diff(tree.child)[chance].max(initial=1)),
    )


def levels(tree: Tree) -> list[tuple[int, int]]:
    """Where the nodes of each depth begin and end: breadth first, they lie side by side.

    Parameters
    ----------
    tree
        The game tree.

    Returns
    -------
    list of (int, int)
    """
    found, begin, end = [], 0, 1
    while begin < end:
        found.append((begin, end))
        begin, end = int(tree.child[begin]), int(tree.child[end])
    return found


def first_of_step(tree: Tree) -> Longs:
    """The node in which the first of those who move at once moves: they are written one below the other.

    Parameters
    ----------
    tree
        The game tree.

    Returns
    -------
    array
        [N] a node for each node.
    """
    first = np.arange(tree.size)
    for begin, end in levels(tree)[1:]:
        above = tree.parent[begin:end]
        moving = (tree.mover[above] >= 0) & (tree.mover[begin:end] >= 0)
        same = moving & (tree.memory[begin:end] == tree.memory[above]).all(axis=1)  # a step adds to every memory
        first[begin:end] = np.where(same, first[above], first[begin:end])
    return first


def movers_at_once(tree: Tree) -> Longs:
    """[node] How many move in the step that begins there.

    Parameters
    ----------
    tree
        The game tree.

    Returns
    -------
    array
        [N] 0 where no step begins.
    """
    first, height = first_of_step(tree), np.zeros(tree.size, np.int64)
    for depth, (begin, end) in enumerate(levels(tree)):
        height[begin:end] = depth
    movers = np.zeros(tree.size, np.int64)
    moving = np.flatnonzero(tree.mover >= 0)
    np.maximum.at(movers, first[moving], height[moving] - height[first[moving]] + 1)
    return movers


def pomdp_rules(form: POMDP, worths: Floats | None = None) -> CompiledRules:
    """A POMDP as compiled rules: player 0 decides, and another, without a choice, is asked where it waits.

    The beginnings show what is seen before the first step; rewards of the start are `reward[0]`.

    Parameters
    ----------
    form
        The POMDP. A state's row is its number, the code of an action its label's, of what is seen its place among the
        distinct observations, whatever may be done then: that is known from being asked.
    worths : [R]
        What each row is worth to one who sees more afterwards.

    Returns
    -------
    CompiledRules

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.forms.compiled_rules import pomdp_rules
    >>> pomdp_rules(fb.forms.pomdp(fb.game("tiger"))).players
    ('agent',)
    """
    from fogbound.forms.kernels import pomdp_rules as kernels

    codes: dict[Observation, int] = {}
    code = np.array([codes.setdefault(seen, len(codes)) for seen, _ in form.observations], np.int64)
    waits = bool((form.action[1:] == WAIT).any())
    columns = [form.row, form.action, form.out, form.next, code[form.obs]]
    integers = _laid_out(columns, [1 + waits], kernels.HEAD)
    integers[kernels.REWARD], integers[kernels.WORTH] = form.prob.size, form.prob.size + form.reward.size
    found = _compiled(
        (form.spec, ("agent", "the others") if waits else ("agent",), form.discount),
        (kernels, integers, [form.prob, form.reward, *([] if worths is None else [worths])]),
        FormWords(form.actions, [list(codes)] * (1 + waits), LazyLabels(form)),
        beginnings=int(form.out[1]),
        most_actions=int(np.diff(form.row).max(initial=1)),
        most_outcomes=int(np.diff(form.out).max(initial=1)),
    )
    return found if worths is not None else found.without_worths()


def _compiled(
    named: tuple[str, tuple[str, ...], float], laid_out: tuple[ModuleType, Longs, list[Any]], words: Words, **sizes: int
) -> CompiledRules:
    """The rules of a form whose states are numbers: (spec, players, discount), (functions, integers, reals), words."""
    kernels, integers, columns = laid_out
    reals = np.concatenate([np.ascontiguousarray(column, np.float64).ravel() for column in columns])
    spec, players, discount = named
    functions = functions_in(vars(kernels))
    return CompiledRules(spec, players, discount, Rules(integers, reals), words, width=1, **sizes, **functions)


def _laid_out(columns: list[Any], sizes: list[int], head: int) -> Longs:
    """Sizes, where each column begins, and the columns."""
    begins = head + offsets(np.array([column.size for column in columns]))
    integers = np.zeros(int(begins[-1]), np.int64)
    integers[: len(sizes)] = sizes
    integers[len(sizes) : len(sizes) + len(columns)] = begins[:-1]
    integers[head:] = np.concatenate([column.ravel() for column in columns])
    return integers


class LazyLabels(Sequence[Hashable]):
    """The labels of a POMDP's states."""

    def __init__(self, form: POMDP) -> None:
        self.form = form

    def __len__(self) -> int:
        return self.form.size

    def __getitem__(self, state: Any) -> Any:
        return self.form.label(state)


class FormWords:
    """The author's words for numbers that a form counts: a state's row is its number, a code the place of its label."""

    def __init__(
        self, actions: Sequence[Hashable], observations: Sequence[Sequence[Observation]], states: Sequence[Hashable]
    ) -> None:
        self.actions, self.observations, self.states = actions, observations, states

    @cached_property
    def _codes(self) -> dict[Hashable, int]:
        return _numbers(self.actions)

    @cached_property
    def _seen(self) -> list[dict[Hashable, int]]:
        return list(map(_numbers, self.observations))

    @cached_property
    def _rows(self) -> dict[Hashable, int]:
        return _numbers(self.states)

    def action(self, code: int) -> Hashable:
        return self.actions[code]

    def action_code(self, action: Hashable) -> int:
        return self._codes[action]

    def observation_code(self, player: int, seen: Observation) -> int:
        return self._seen[player].get(seen, -1)

    def state(self, row: Sequence[int]) -> Hashable:
        return self.states[int(row[0])]

    def state_row(self, state: Hashable) -> list[int] | None:
        return [self._rows[state]] if state in self._rows else None


def _numbers(labels: Sequence[Hashable]) -> dict[Hashable, int]:
    """The place of each label."""
    return {label: number for number, label in enumerate(labels)}
