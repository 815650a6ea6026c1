"""Games that are not followed to their end: they count with their return so far, and the answer says how many."""

import math

import numpy as np
import pytest

import fogbound as fb
from fogbound.driver.protocol import Context
from fogbound.forms.protocol import derive
from fogbound.solvers.search import episodes
from fogbound.solvers.search.sampled import ModelledGame


def test_the_answer_says_how_many_games_were_truncated(monkeypatch):
    monkeypatch.setattr(episodes, "MOST_STEPS", 3)
    found = fb.solve("tiger", "pomcp(simulations=10, games=4)")
    assert found.details["truncated"] == found.details["games"] == 4
    assert math.isfinite(found.value)


def test_a_first_game_that_the_time_limit_truncates_counts_with_its_return_so_far():
    asked = iter([False] * 40 + [True] * 1000)
    context = Context(np.random.default_rng(0), stopping=lambda: next(asked))
    (found,) = fb.solver("pomcp(games=1, simulations=10)").run(derive(fb.game("tiger"), ModelledGame), context)
    assert found.details["truncated"] == found.details["games"] == 1
    assert found.passing  # a resumed run plays it from its start
    assert f"with a return of {found.value:.6g} so far".replace("-", "−") in found.details["shown"]


def test_progress_tells_the_running_mean_and_its_interval():
    told = []
    fb.solve("tiger", "pomcp(simulations=10, games=5)", watch=told.append)
    assert told[0].interval is None  # of one game
    low, high = told[-1].interval
    assert low < told[-1].value < high
    assert told[-1].value == pytest.approx((low + high) / 2)
