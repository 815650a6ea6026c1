"""Published models, where they are at hand: our bounds beside those that APPL's C++ SARSOP reached.

The files are other people's and not part of this project: without them these tests are skipped, and say so.
"""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import fogbound as fb
from fogbound import evaluation, files, forms
from fogbound.driver.protocol import Until
from tests import shared
from tests.run import solve

FOLDER = shared.MODELS / "pomdp"
REFERENCE = FOLDER / "reference.json"
MODELS = json.loads(REFERENCE.read_text())["models"] if REFERENCE.is_file() else []
DIGITS = 1e-5  # the reference has six
LARGE = 1_000  # states beyond which a model is left to the benchmark

pytestmark = pytest.mark.skipif(not MODELS, reason=f"no published models at {FOLDER}")


def read(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows that are off by their rounding
        return files.read_model(FOLDER / name)


@pytest.mark.slow
@pytest.mark.parametrize("known", MODELS, ids=[m["file"] for m in MODELS])
def test_bounds_agree_with_the_reference(known):
    if known["states"] > LARGE:
        pytest.skip(f"{known['states']:,} states: in the benchmark")
    form = read(known["file"])
    found = solve(fb.solver("sarsop"), form, Until(gap=1e-3, iterations=30))
    slack = DIGITS * max(1.0, abs(known["lower"]), abs(known["upper"]))
    assert found.lower <= found.upper
    assert found.lower <= known["upper"] + slack
    assert found.upper >= known["lower"] - slack
    assert all(a.lower <= b.lower and a.upper >= b.upper for a, b in zip(found.trace, found.trace[1:]))


SMALL = [m for m in MODELS if m["converged"]]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("known", SMALL, ids=[m["file"] for m in SMALL])
def test_converged_models_are_certified(known):
    form = read(known["file"])
    found = solve(fb.solver("sarsop"), form, Until(gap=1e-3))
    last = found.trace[-1]
    assert found.stopped in ("gap", "finished")
    assert found.certified == "both"
    assert found.gap <= 1.1 * max(last.gap, 1e-9 * max(1.0, abs(last.upper)))
    assert found.value == found.lower
    rounding = DIGITS * max(1.0, abs(known["lower"]))
    assert known["lower"] - rounding <= found.upper
    assert found.lower <= known["upper"] + rounding
    again = evaluation.value(forms.ModelGame(form), found.profile)[0]
    assert again == pytest.approx(found.value, rel=1e-9, abs=1e-9)


GAMES = {
    "Tiger.pomdp": "tiger",
    "Tiger.pomdpx": "tiger",
    "RockSample_4_4.pomdp": "rock-sample(size=4, rocks=4, half_distance=0.6931471805599453)",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_games_have_the_bounds_of_their_files(name):
    one, two = (
        solve(fb.solver("sarsop"), form, Until(gap=1e-3)) for form in (read(name), forms.pomdp(fb.game(GAMES[name])))
    )
    assert one.certified == two.certified == "both"
    assert one.lower <= two.upper + 1e-5
    assert two.lower <= one.upper + 1e-5  # the file is rounded to six digits


@pytest.mark.slow
def test_tag_has_the_bounds_of_its_file():
    """Not closed: the same first upper bound, and after some trials intervals that meet. (The first lower bound depends
    on how ended play is written down: as an end, or as a state that goes on.)"""
    forms_ = read("TagAvoid.pomdp"), forms.pomdp(fb.game("tag(errata=true)"))
    one, two = (solve(fb.solver("sarsop"), form, Until(iterations=100), certified=False) for form in forms_)
    assert one.trace[0].upper == pytest.approx(two.trace[0].upper, rel=1e-3)
    assert max(one.lower, two.lower) <= min(one.upper, two.upper) + 1e-4


@pytest.mark.slow
def test_the_policy_is_worth_the_lower_bound_where_it_is_simulated():
    form = read("Hallway.pomdp")
    found = solve(fb.solver("sarsop"), form, Until(iterations=60))
    played = evaluation.simulate(form, found.profile[0], 2_000, np.random.default_rng(0), level=0.999)
    low, high = played.interval
    assert low <= found.value <= high
