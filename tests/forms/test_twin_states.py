"""States of a compiled twin, against the table of the same game; and what they cost and refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound.core import FormError, LimitError
from fogbound.forms import twin_states as module
from fogbound.forms.table import START
from fogbound.forms.twin_states import twin_states
from fogbound.testing import check_twin
from tests.forms.counter_twin import Counter, counter_twin

SPECS = [
    "king-up(seats=2, pieces=3, targets=1, height=2, width=2, rounds=1)",
    "king-up(pieces=3, targets=1, height=2, width=2, rounds=1)",
    "king-up(seats=2, pieces=3, targets=2, height=3, width=2, rounds=1, ground=rest, rejections=2)",
]


def described(twin, states):
    """{state: [for each joint move [(probability, next state, rewards)]]}, with the author's states."""
    names = [twin.state(row) for row in states.rows.tolist()]
    paid = dict(zip(states.paid.tolist(), states.payoff.tolist()))
    prob = states.prob if twin.most_outcomes > 1 else np.ones(len(states.next))
    nothing = [0.0] * len(twin.players)
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
    twin = counter_twin(game) if isinstance(game, Counter) else game.twin()
    table = fb.forms.table(game)
    states = twin_states(twin)
    assert described(twin, states) == of_table(table)
    assert [twin.state(states.rows[s]) for s in states.start] == [
        table.states[s] for s in table.next[: table.out[START + 1]]
    ]
    for s, row in enumerate(states.rows.tolist()):
        state = twin.state(row)
        sizes = {player: len(game.actions(state, player)) for player in game.actors(state)}
        assert states.choices[s].tolist() == [sizes.get(player, 0) for player in range(len(game.players))]


def test_room_that_grows_changes_nothing(monkeypatch):
    twin = fb.game(SPECS[2]).twin()
    ample = twin_states(twin)
    monkeypatch.setattr(module, "ROOM", 1)
    monkeypatch.setattr(module, "TOGETHER", 1)
    tight = twin_states(twin)
    for name in ("start", *module.COLUMNS):
        np.testing.assert_array_equal(getattr(ample, name), getattr(tight, name))


def test_the_twin_of_a_counter_is_one():
    assert check_twin(Counter(), plays=3, twin=counter_twin(Counter())) > 5


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1, 2**40])
def test_words_longer_than_32_bits(scale):
    """Rows are short words until one does not fit; wherever that is."""
    twin = counter_twin(Counter(scale=scale))
    states = twin_states(twin)
    assert states.rows.dtype == (np.int32 if scale == 1 else np.int64)
    assert described(twin, states) == of_table(fb.forms.table(Counter(scale=scale)))


def test_too_many_states():
    with pytest.raises(LimitError, match=r"more than 1,000 states.*Raise limit="):
        twin_states(fb.game("king-up(seats=2)").twin(), limit=1_000)
    few = fb.game(SPECS[0]).twin()
    assert twin_states(few, limit=331).size == 331
    with pytest.raises(LimitError, match="more than 330 states"):
        twin_states(few, limit=330)


def test_too_many_outcomes(monkeypatch):
    monkeypatch.setattr(module, "MOST", 1_000)
    monkeypatch.setattr(module, "ROOM", 64)
    with pytest.raises(LimitError, match="more than 1,000 outcomes"):
        twin_states(fb.game("king-up(seats=2)").twin())


def test_too_many_actions():
    twin = replace(fb.game(SPECS[0]).twin(), most_actions=40_000)
    with pytest.raises(LimitError, match="40,000 actions"):
        twin_states(twin)


def test_lists_decide_what_is_paid_and_nothing_else():
    game = fb.game(SPECS[1])
    twin = game.twin()
    rows = [twin.state_row(outcome.state) for outcome, _ in game.start()]
    first = twin_states(twin, rows[:1])
    for deal, row in enumerate(rows):
        other = twin_states(twin, [row])
        np.testing.assert_array_equal(first.next, other.next)
        np.testing.assert_array_equal(first.payoff_with(0, deal), other.payoff)


def test_a_word_that_decides_more_is_refused():
    with pytest.raises(FormError, match="word 3 of the states decides how play goes on"):
        twin_states(fb.game(SPECS[0]).twin()).payoff_with(3, 0)  # without cards nobody can say no
    with pytest.raises(FormError, match="word 1 of the states decides how play goes on"):
        twin_states(counter_twin(Counter())).payoff_with(1, 0)
