"""What a seat knows: a representative that fits its history, whatever is true, and the search that finds one."""

from __future__ import annotations

import random

import pytest

from fogbound.core.cancel import Cancel
from fogbound.games import make
from fogbound.inference.fog import OpponentFog, OwnFog, SearchedFog, ready_fog
from fogbound.inference.opponent import Opponent
from fogbound.inference.seat import ConsistentStates, FittingCourse, Seat
from fogbound.policies import Uniform

GAMES = ["po-nim(n=4)", "leduc", "battleship", "stratego", "tiger", "king-up", "scotland-yard", "goofspiel(cards=3)"]
RANDOM = Opponent("random play", Uniform())


def played(game, player, seed, most=10):
    """The histories of one random game as it goes: (history, whether the player is asked, the true state)."""
    rng = random.Random(seed)
    outcome = game.start().sample(rng)
    history = [outcome.observation(player)]
    for _ in range(most):
        actors = game.actors(outcome.state)
        yield tuple(history), player in actors, outcome.state
        if not actors:
            return
        joint = tuple(rng.choice(list(game.actions(outcome.state, i))) for i in actors)
        outcome = game.step(outcome.state, joint).sample(rng)
        history.append((dict(zip(actors, joint)).get(player), outcome.observation(player)))


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_course_that_fits_ends_in_a_state_that_may_be(spec, seed):
    game = make(spec)
    for player in range(len(game.players)):
        consistent, course = ConsistentStates(game, player), FittingCourse(game, player)
        for history, asked, _ in played(game, player, seed):
            if len(history) == 1:
                consistent.begin(history[0])
            else:
                consistent.update(*history[-1])
            state = course.last(history, asked)
            assert state in {possible for possible, _ in consistent.possible}
            assert (player in game.actors(state)) == asked


@pytest.mark.parametrize("spec", GAMES)
def test_the_representative_looks_as_the_truth_does(spec):
    game = make(spec)
    for player in range(len(game.players)):
        for seed in range(3):
            seat = Seat(game, player)
            for history, asked, state in played(game, player, seed):
                if len(history) == 1:
                    seat.begin(history[0])
                else:
                    seat.update(*history[-1])
                found = seat.representative(asked)
                assert game.draw(found, player).svg == game.draw(state, player).svg
                if asked:
                    assert list(game.actions(found, player)) == list(game.actions(state, player))


def test_a_seat_as_it_was():
    game, seat = make("po-nim(n=4)"), Seat(make("po-nim(n=4)"), 0)
    for history, _, _ in played(game, 0, 2):
        if len(history) == 1:
            seat.begin(history[0])
        else:
            seat.update(*history[-1])
    before = seat.until(1)
    assert before.history == seat.history[:2]
    assert before.steps == seat.steps[:2]


def test_no_course_is_found_beyond_its_effort_or_the_rules():
    game = make("po-nim(n=3)")
    history = next(iter(played(game, 0, 1)))[0]
    assert FittingCourse(game, 0, most=0).last(history, True) is None
    assert FittingCourse(game, 0).last(history, False) is None  # the first player is asked, at the start


def test_the_fog_is_that_of_the_game():
    patience = Cancel()
    assert isinstance(ready_fog(make("tiger"), 0, {}, patience), OwnFog)
    assert isinstance(ready_fog(make("po-nim(n=2)"), 0, {1: RANDOM}, patience), OwnFog)
    assert isinstance(ready_fog(make("po-nim(n=2)"), 0, {1: Opponent()}, patience), OpponentFog)
    assert isinstance(ready_fog(make("king-up"), 0, {1: RANDOM, 2: Opponent()}, patience), SearchedFog)
    patience.set()
    assert isinstance(ready_fog(make("leduc"), 0, {1: RANDOM}, patience), SearchedFog)


@pytest.mark.parametrize(
    ("spec", "others", "says"),
    [
        ("king-up", [RANDOM, RANDOM], "against random play"),
        (
            "king-up",
            [RANDOM, Opponent()],
            "if every player searches for its own best move, which is not how random play",
        ),
        ("king-up", [Opponent(), Opponent()], "if every player searches for its own best move"),
        ("leduc", [RANDOM], "if every player searches for its own best move, which is not how random play plays"),
    ],
)
def test_a_search_says_whom_it_is_against(spec, others, says):
    """A game too large to be enumerated: compiled rules know random play, and nothing is said to be against another."""
    game = make(spec)
    stopped = Cancel()
    stopped.set()
    fog = ready_fog(game, 0, dict(enumerate(others, 1)), stopped)
    history, _, state = next(iter(played(game, 0, 1)))
    found = fog.inferred(history, game.actions(state, 0))
    assert says in found.source
    assert found.assumption == fog.assumption
    assert "exact" not in found.source


def test_a_search_says_that_its_figures_are_estimates():
    game = make("king-up")
    fog = ready_fog(game, 0, {1: Opponent(), 2: Opponent()}, Cancel())
    history, _, state = next(iter(played(game, 0, 1)))
    found = fog.inferred(history, game.actions(state, 0))
    assert "estimate" in found.source
    assert found.count == 30
    assert found.bits is None  # only the likeliest are listed
    assert not found.sampled
    assert {worth.action for worth in found.worths} <= set(game.actions(state, 0))
    assert sum(worth.tried for worth in found.worths) <= 2_000
