"""A replay of an answer from samples: how long it may take, and what it compares."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import fogbound as fb
from fogbound.certificates.statistical import FIGURES, FOUND, SECONDS, SOON, Projection, replayed_answer
from fogbound.certificates.verification import judge_replay
from fogbound.core.errors import FileError
from fogbound.files.lookup import LOOKUP
from fogbound.policies import Uniform


@pytest.fixture(scope="module")
def answer():
    return fb.solve("tiger", "pomcp(games=2, simulations=4)", seed=3, iterations=2)


@pytest.fixture(scope="module")
def game():
    return fb.game("tiger")


@pytest.mark.parametrize(
    ("seconds", "iteration", "late"),
    [
        (SOON, 10, True),  # 10 of 1,000 in 2 s: 200 s for all
        (math.nextafter(SOON, 0.0), 1, False),  # too early to say
        (SOON, 20, False),  # 100 s exactly
        (3.0, 31, False),
        (3.0, 29, True),
        (3.0, 0, True),  # nothing done yet counts as one
    ],
)
def test_a_replay_is_cancelled_as_soon_as_it_is_known_to_take_too_long(seconds, iteration, late):
    projection = Projection(1_000, 100.0)
    projection.watch(seconds, iteration)
    assert bool(projection.cancel.reason) == late


def test_a_replay_without_progress_counts_as_one_iteration_and_no_more():
    projection = Projection(30, 100.0)
    projection.watch(3.0, 0)  # 3 s for the first of 30: 90 s
    assert not projection.cancel.reason


def test_a_refused_replay_says_how_long_it_would_take():
    assert "reports 1,000 iterations, whose replay takes more than 600 s" in str(Projection(1_000, SECONDS).refusal())


def refuted(stored, found, game):
    return replayed_answer(stored, game, lambda: found, LOOKUP)[1]


def test_the_same_answer_is_confirmed_however_long_it_took(answer, game):
    assert refuted(answer, answer, game) is None
    slower = replace(answer, seconds=99.0, details={**answer.details, "seconds": 99.0})
    assert refuted(answer, slower, game) is None


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_compared(answer, game, name):
    other = replace(answer, **{name: 1 if getattr(answer, name) != 1 else 2})
    assert f"the file reports the {name}" in refuted(other, answer, game)


def test_what_was_not_evaluated_is_the_same_only_as_what_was_not_evaluated(answer, game):
    unknown = replace(answer, value=math.nan)
    assert refuted(unknown, replace(answer, value=math.nan), game) is None
    assert "the value nan" in refuted(unknown, answer, game)
    assert "gives nan" in refuted(answer, unknown, game)


@pytest.mark.parametrize("name", FOUND)
def test_everything_that_was_found_is_compared(answer, game, name):
    other = replace(answer, provenance={**answer.provenance, name: "another"})
    assert f"the file names the {name} 'another'" in refuted(other, answer, game)


def test_policies_and_details_are_compared(answer, game):
    assert "policies" in refuted(replace(answer, profile={0: Uniform()}), answer, game)
    assert "details" in refuted(replace(answer, details={**answer.details, "more": 1}), answer, game)


def test_another_game_is_refuted_before_anything_is_solved(answer):
    found, why = replayed_answer(answer, fb.game("tiger(discount=0.5)"), pytest.fail, LOOKUP)
    assert found is answer
    assert "which is not the one that was checked" in why


def test_a_player_whom_the_game_lacks_is_refused_before_anything_is_solved(answer, game):
    for changed in (replace(answer, player=7), replace(answer, profile={**answer.profile, 7: Uniform()})):
        with pytest.raises(FileError, match="7"):
            judge_replay(changed, game, "tiger", pytest.fail, LOOKUP)


def test_a_replay_is_reported_with_its_estimate_and_interval(answer, game):
    found = judge_replay(answer, game, "tiger", lambda: answer, LOOKUP)
    assert (found.holds, found.kind, found.proves) == (True, "statistical", "none")
    assert found.lower == found.upper == answer.value
    assert found.interval == answer.interval
    assert found.statistical == answer.details["statistical"]
