"""States of compiled rules, against the table of the same game; and what they cost and refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound.core import LimitError
from fogbound.forms import state_graph as module
from fogbound.forms.state_graph import state_graph
from fogbound.forms.table import START
from fogbound.testing import check_compiled_rules
from tests.forms.counter_rules import Counter, counter_rules

SPECS = [
    "king-up(seats=2, pieces=3, targets=1, height=2, width=2, rounds=1)",
    "king-up(pieces=3, targets=1, height=2, width=2, rounds=1)",
    "king-up(seats=2, pieces=3, targets=2, height=3, width=2, rounds=1, ground=rest, rejections=2)",
]


def described(compiled, states):
    """{state: [for each joint move [(probability, next state, rewards)]]}, with the author's states."""
    names = [compiled.state(row) for row in states.rows.tolist()]
    paid = dict(zip(states.paid.tolist(), states.payoff.tolist()))
    prob = states.prob if compiled.most_outcomes > 1 else np.ones(len(states.next))
    nothing = [0.0] * len(compiled.players)
    return {
        names[s]: [
            [(prob[o], names[states.next[o]], paid.get(o, nothing)) for o in range(states.out[r], states.out[r + 1])]
            for r in range(states.row[s], states.row[s + 1])
        ]
        for s in range(states.size)
    }


def of_table(table):
    """The same of a table."""
    return {
        state: [
            [
                (table.prob[o], table.states[table.next[o]], table.reward[table.event[o]].tolist())
                for o in range(table.out[r], table.out[r + 1])
            ]
            for r in range(table.row[s], table.row[s + 1])
        ]
        for s, state in enumerate(table.states)
    }


@pytest.mark.parametrize("game", [*map(fb.game, SPECS), Counter()], ids=str)
def test_states_are_those_of_the_table(game):
    compiled = counter_rules(game) if isinstance(game, Counter) else game.compiled_rules()
    table = fb.forms.table(game)
    states = state_graph(compiled)
    assert described(compiled, states) == of_table(table)
    assert [compiled.state(states.rows[s]) for s in states.start] == [
        table.states[s] for s in table.next[: table.out[START + 1]]
    ]
    for s, row in enumerate(states.rows.tolist()):
        state = compiled.state(row)
        sizes = {player: len(game.actions(state, player)) for player in game.actors(state)}
        assert states.choices[s].tolist() == [sizes.get(player, 0) for player in range(len(game.players))]


def test_room_that_grows_changes_nothing(monkeypatch):
    compiled = fb.game(SPECS[2]).compiled_rules()
    ample = state_graph(compiled)
    monkeypatch.setattr(module, "ROOM", 1)
    monkeypatch.setattr(module, "TOGETHER", 1)
    tight = state_graph(compiled)
    for name in ("start", *module.COLUMNS):
        np.testing.assert_array_equal(getattr(ample, name), getattr(tight, name))


def test_the_compiled_rules_of_a_counter_are_the_same():
    assert check_compiled_rules(Counter(), plays=3, compiled=counter_rules(Counter())) > 5


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1, 2**40])
def test_words_longer_than_32_bits(scale):
    """Rows are short words until one does not fit; wherever that is."""
    compiled = counter_rules(Counter(scale=scale))
    states = state_graph(compiled)
    assert states.rows.dtype == (np.int32 if scale == 1 else np.int64)
    assert described(compiled, states) == of_table(fb.forms.table(Counter(scale=scale)))


def test_too_many_states():
    with pytest.raises(LimitError, match=r"more than 1,000 states.*raise limit="):
        state_graph(fb.game("king-up(seats=2)").compiled_rules(), limit=1_000)
    few = fb.game(SPECS[0]).compiled_rules()
    assert state_graph(few, limit=331).size == 331
    with pytest.raises(LimitError, match="more than 330 states"):
        state_graph(few, limit=330)


def test_too_many_outcomes(monkeypatch):
    monkeypatch.setattr(module, "MOST", 1_000)
    monkeypatch.setattr(module, "ROOM", 64)
    with pytest.raises(LimitError, match="more than 1,000 outcomes"):
        state_graph(fb.game("king-up(seats=2)").compiled_rules())


def test_too_many_actions():
    compiled = replace(fb.game(SPECS[0]).compiled_rules(), most_actions=40_000)
    with pytest.raises(LimitError, match="40,000 actions"):
        state_graph(compiled)
