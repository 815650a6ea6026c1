"""Trained agents as policies: shown what their environment shows, matched, evaluated and exploited, without extras."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import PolicyError, SpecError
from fogbound.interop import agent, view


def first(shown):
    return int(shown["action_mask"].argmax())


def test_an_equilibrium_in_an_agents_clothes_is_that_equilibrium():
    """A table of probabilities by information set, as a network would give them, in single precision."""
    answer = fb.solve("kuhn", "sequence-lp")
    seats = [view("kuhn", i, observing="information-set") for i in (0, 1)]

    def network(seat):
        policy, table = answer.policy(seat.player), {}
        for number in range(1, len(seat.encoder.decisions.sets_of(seat.player)) + 1):
            history = seat.encoder.history(number)
            memory = policy.begin(history[0])
            for action, seen in history[1:]:
                memory = policy.update(memory, action, seen)
            infoset = int(seat.encoder.decisions.sets_of(seat.player)[number - 1])
            choice = policy.act(memory, seat.encoder.decisions.moves(infoset))
            table[number] = np.array([choice[action] for action in seat.actions], np.float32)
        return lambda shown: table[int(shown["observation"])]

    found = fb.evaluate("kuhn", [agent(network(seat), seat) for seat in seats])
    assert found.values[0] == pytest.approx(-1 / 18, abs=1e-6)
    assert found.nash_conv[1] < 1e-5


@pytest.mark.parametrize("observing", ["observation", "history", "information-set", "belief"])
def test_every_way_to_observe_gives_a_policy(observing):
    others = "uniform" if observing == "belief" else None
    seat = view("card-poker(ranks=3)", 0, observing=observing, others=others)
    policy = agent(first, seat)
    assert fb.evaluate("card-poker(ranks=3)", policy, "uniform").values[0] == -0.5  # always checks, and folds
    assert fb.match("card-poker(ranks=3)", policy, "uniform", games=50).games == 50


def test_an_agent_is_exploited_by_the_certified_best_reply():
    policy = agent(first, view("card-poker(ranks=3)", 0, observing="history"))
    best = fb.solve("card-poker(ranks=3)", player=1, against={0: policy})
    replied = fb.evaluation.best_response(fb.game("card-poker(ranks=3)"), {0: policy}, 1)
    assert best.certified == "both"
    assert (
        best.value
        == pytest.approx(replied.value)
        == pytest.approx(fb.evaluate("card-poker(ranks=3)", policy, "uniform").best[1][0])
    )


def test_an_agent_without_memory_plays_games_that_never_end():
    policy = agent(lambda shown: 0, view("tiger", observing="observation"))  # listens for ever
    assert fb.evaluate("tiger", policy, seconds=0).values[0] == pytest.approx(-20.0)


def test_probabilities_of_illegal_actions_are_an_error_unless_masked():
    seat = view("kuhn", 0)
    anything = np.full(4, 0.25)
    with pytest.raises(PolicyError, match=r"does what is not legal with probability 0.5; mask it .* masked=True"):
        fb.evaluate("kuhn", agent(lambda shown: anything, seat), "uniform")
    masked = agent(lambda shown: anything, seat, masked=True)
    assert fb.evaluate("kuhn", masked, "uniform").values == pytest.approx(fb.evaluate("kuhn", "uniform").values)
    with pytest.raises(PolicyError, match="does nothing that is legal with any probability"):
        agent(lambda shown: np.array([0.0, 0.0, 1.0, 0.0]), seat, masked=True).act(
            seat.begin(fb.Observation(None, 1)), ("check", "bet")
        )


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (2, "player-1 does 'fold', which is not legal now; it may 'check' or 'bet'"),
        (7, "expected a whole number from 0 to 3"),
        ("bet", "expected the number of an action, or 4 probabilities"),
        (0.5, "expected the number of an action, or 4 probabilities"),
        ([0.5, 0.5], "expected the number of an action, or 4 probabilities"),
        ([0.9, 0.9, 0.0, 0.0], "expected probabilities"),
        ([1.5, -0.5, 0.0, 0.0], "expected probabilities"),
        ([float("nan")] * 4, "expected probabilities"),
    ],
)
def test_what_is_no_answer_is_refused(answer, complaint):
    seat = view("kuhn", 0)
    with pytest.raises(PolicyError, match=complaint):
        agent(lambda shown: answer, seat).act(seat.begin(fb.Observation(None, 1)), ("check", "bet"))


def test_whose_seat_it_is_must_be_known():
    with pytest.raises(SpecError, match="expected an environment of fogbound.interop, or a view"):
        agent(first, "kuhn")
