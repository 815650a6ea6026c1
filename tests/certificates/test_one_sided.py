"""One-sided games: a file plays what its certificate proves, or `verify` says that it does not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import fogbound as fb
from fogbound import archive, forms
from fogbound.cli.main import main
from fogbound.files.solution import encode
from fogbound.forms.one_sided.form import OneSided
from fogbound.forms.protocol import Question, derive
from fogbound.games import make
from fogbound.naming import policies as policy_naming
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from tests.forms.test_one_sided import Shown
from tests.solvers.one_sided.best_response import best_response_bounds, guarantee

CASES = {
    "pursuit": ("pursuit(rows=3, columns=2)", "pg-hsvi", {"gap": 0.5}),
    "patrol": ("patrolling(nodes=5)", "pg-hsvi(stage=oracle)", {"gap": 1.0}),
    "some actions": ("pursuit(rows=3, columns=2)", "isg(portions=[60, 100], trials=4)", {"iterations": 3}),
    "best subset": (
        "pursuit(rows=3, columns=2)",
        "hisg(portions=[50, 100], runs=2, subset_trials=2)",
        {"iterations": 2},
    ),
}
KIND = "solution"


@cache
def solved(case):
    spec, solver, until = CASES[case]
    solution = fb.solve(spec, solver, **until)
    return solution, *encode(solution)


def judged(case, header, arrays, folder, capsys):
    """(exit code, what `verify` says) of a file with these parts."""
    path = folder / "file.npz"
    archive.write(path, archive.dumps(KIND, header, arrays))
    code = main(["verify", CASES[case][0], str(path)])
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    return code, told.out + told.err


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_an_honest_file_is_certified(case, tmp_path, capsys):
    solution, header, arrays = solved(case)
    assert judged(case, header, arrays, tmp_path, capsys)[0] == 0
    assert solution.verify()
    played = {name: array for name, array in arrays.items() if name.startswith("policy/")}
    shown = solution.certificate.evidence
    assert len(played) == 2 + 5
    assert all(np.array_equal(array, shown[name.split("/")[-1]]) for name, array in played.items())


def nudged(place, by):
    def change(array):
        changed = array.copy()
        changed[place % len(array)] += by
        return changed

    return change


def without_last(arrays, prefix, form):
    """The last vector left out."""
    size = int(np.diff(form.state_start)[arrays[f"{prefix}/node_part"][-1]])
    return {
        f"{prefix}/node_part": arrays[f"{prefix}/node_part"][:-1],
        f"{prefix}/node_value": arrays[f"{prefix}/node_value"][:-size],
    }


CHANGES = {
    **{f"promise {k} {by:+}": ("node_value", nudged(k, by)) for k in (0, 7, 31, -1) for by in (1e-9, -1e-9, 5.0, -5.0)},
    "another partition": ("node_part", lambda a: a[::-1].copy()),
    "a corner higher": ("corner", nudged(3, 1e-9)),
    "a corner lower": ("corner", nudged(-1, -2.0)),
    "corners of nothing": ("corner", np.zeros_like),
    "a point's value": ("point_value", nudged(0, -1e-9)),
    "points in another order": ("point_value", lambda a: a[::-1].copy()),
    "a belief": ("point_weight", nudged(1, 1e-9)),
    "a state": ("point_state", lambda a: a[::-1].copy()),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_changed_in_a_policy_is_found(case, change, tmp_path, capsys):
    _, header, arrays = solved(case)
    name, changed = CHANGES[change]
    (whole,) = (key for key in arrays if key.startswith("policy/") and key.endswith(f"/{name}"))
    spoilt = changed(arrays[whole]) if len(arrays[whole]) else arrays[whole]
    if np.array_equal(spoilt, arrays[whole]):
        pytest.skip("this answer has nothing of the kind")
    code, told = judged(case, header, {**arrays, whole: spoilt}, tmp_path, capsys)
    assert code == 1
    assert "not those of its certificate" in told


def test_a_vector_that_is_missing_is_missed(tmp_path, capsys):
    solution, header, arrays = solved("pursuit")
    form = derive(make(CASES["pursuit"][0]), OneSided, Question(solution.player))
    fewer = {**arrays, **without_last(arrays, f"policy/{solution.player}", form)}
    assert judged("pursuit", header, fewer, tmp_path, capsys)[0] == 1


@pytest.mark.parametrize("case", CASES)
def test_players_who_change_seats_are_found(case, tmp_path, capsys):
    _, header, arrays = solved(case)
    seats = {"policy/0/": "policy/1/", "policy/1/": "policy/0/"}
    moved = {seats.get(name[:9], name[:9]) + name[9:]: array for name, array in arrays.items()}
    policies = {"0": header["policies"]["1"], "1": header["policies"]["0"]}
    assert judged(case, {**header, "policies": policies}, moved, tmp_path, capsys)[0] == 1


@pytest.mark.parametrize("player", ["0", "1"])
@pytest.mark.parametrize("said", ["flipped", 1, None, "yes"])
def test_a_file_that_confuses_its_players_is_damaged(player, said, tmp_path, capsys):
    _, header, arrays = solved("pursuit")
    entry = header["policies"][player]
    word = not entry["partially_informed"] if said == "flipped" else said
    policies = {**header["policies"], player: {**entry, "partially_informed": word}}
    code, told = judged("pursuit", {**header, "policies": policies}, arrays, tmp_path, capsys)
    assert code == 2
    assert "damaged" in told


@pytest.mark.parametrize("other", ["uniform", "both blind"])
def test_other_kinds_of_policies_are_found(other, tmp_path, capsys):
    solution, header, arrays = solved("pursuit")
    blind, sees = str(solution.player), str(1 - solution.player)
    entry = {"kind": "uniform"} if other == "uniform" else header["policies"][blind]
    more = {f"policy/{sees}/{name}": arrays[f"policy/{blind}/{name}"] for name in ("node_part", "node_value")}
    policies = {**header["policies"], sees: entry}
    code, _ = judged("pursuit", {**header, "policies": policies}, {**arrays, **more}, tmp_path, capsys)
    assert code in (1, 2)  # arrays are left over that such a file would not have


WIDE = {"lower": (-1e9).hex(), "upper": (1e9).hex()}


SPOILT = [("node_value", 1.0), ("node_value", -1.0), ("point_value", -1.0), ("corner", 1.0), ("corner", -1.0)]


@pytest.mark.parametrize(("name", "by"), SPOILT)
@pytest.mark.parametrize("size", [1.0, 1e-4])
def test_claims_that_need_repair_are_no_ground_to_play_on(name, by, size, tmp_path, capsys):
    """Certificate, policy and figures agree, and the interval is true; but the policies would not reach it."""
    _, header, arrays = solved("pursuit")
    loose = {**header, **WIDE, "gap": (2e9).hex(), "certificate": {**header["certificate"], "claim": WIDE}}
    noise = by * size * np.random.default_rng(0).random(len(arrays[f"certificate/{name}"]))
    spoilt = {key: array + noise if key.endswith(f"/{name}") else array for key, array in arrays.items()}
    code, told = judged("pursuit", loose, spoilt, tmp_path, capsys)
    assert code == 1
    assert "wrong by up to" in told


def test_points_that_were_never_shown_are_not_certified(tmp_path, capsys):
    _, header, arrays = solved("pursuit")
    few = {key: a for key, a in arrays.items() if not key.startswith(("certificate/point", "certificate/corner"))}
    assert judged("pursuit", header, few, tmp_path, capsys)[0] in (1, 2)


def test_one_who_does_not_see_enough_has_no_policy_to_be_certified(tmp_path, capsys):
    """Where the form tells the other player more than the game does, no file may pretend that it could be played."""
    spec = next(spec for seed in range(50) if (spec := _two_sided(seed)))
    solution = fb.solve(spec, "pg-hsvi", iterations=5)
    assert list(solution.profile) == [0]
    assert solution.verify()
    header, arrays = encode(solution)
    names = ("corner", "point_start", "point_state", "point_weight", "point_value")
    more = {f"policy/1/{name}": solution.certificate.evidence[name] for name in names}
    policies = {**header["policies"], "1": {"kind": "bounds", "partially_informed": False}}
    archive.write(tmp_path / "file.npz", archive.dumps(KIND, {**header, "policies": policies}, {**arrays, **more}))
    assert main(["verify", spec, str(tmp_path / "file.npz")]) == 1
    assert "cannot be played" in capsys.readouterr().out


def _two_sided(seed):
    spec = f"random(seed={seed}, seats=2, zero_sum=true, loops=true, discount=0.5)"
    try:
        return spec if forms.one_sided(make(spec)).relaxed else ""
    except fb.core.FogboundError:
        return ""


# What is played from a file, followed against the best answer to it.


EXACT = 1e-6
STEPS = 9


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", range(8))
def test_stored_policies_keep_the_certified_bounds(seed, tmp_path):
    """With a discount of a half, nine steps leave nearly nothing of what could still happen."""
    game = Shown(make(f"random(seed={seed}, seats=2, zero_sum=true, loops=true, discount=0.5, depth=2, width=2)"), 0)
    solution = fb.solve(game, "pg-hsvi", gap=0.01)
    assert solution.certified == "both"
    solution.save(tmp_path / "file.npz")
    stored = fb.load(tmp_path / "file.npz").profile
    bounds = OneSidedBounds(forms.one_sided(game, 0))
    left = bounds.scaled.scale * 2 * 0.5**STEPS
    low, high = guarantee(bounds, policy_naming.bound(stored[0], game, 0, stored), STEPS, limit=5_000)
    assert low >= solution.lower - left - EXACT
    assert high >= solution.lower - EXACT
    low, high = best_response_bounds(bounds, policy_naming.bound(stored[1], game, 1, stored), steps=5, limit=20_000)
    assert low <= solution.upper + EXACT
    assert high <= solution.upper + bounds.scaled.scale * 2 * 0.5**5 + EXACT


@pytest.mark.parametrize("case", CASES)
def test_a_blind_player_from_a_file_keeps_its_word(case, tmp_path):
    solution, header, arrays = solved(case)
    archive.write(tmp_path / "file.npz", archive.dumps(KIND, header, arrays))
    stored, game = fb.load(tmp_path / "file.npz").profile, make(CASES[case][0])
    bounds = OneSidedBounds(derive(game, OneSided, Question(solution.player)))
    policy = policy_naming.bound(stored[solution.player], game, solution.player, stored)
    _, high = guarantee(bounds, policy, steps=6, limit=20_000)
    assert high >= solution.lower - EXACT
