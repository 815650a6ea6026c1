"""Checkpoints are untrusted: a forged one is refused, or gone on with to bounds that are certified only if true."""

from __future__ import annotations

import os

import numpy as np
import pytest

import fogbound as fb
from fogbound import archive
from fogbound.core.errors import FileError
from fogbound.driver.kept import Kept
from fogbound.forms.protocol import derive
from fogbound.solvers import SOLVERS
from tests.driver.forging import CASES, TIGER, tallies, written

COUNT = int(os.environ.get("FORGED_CHECKPOINTS", "10"))  # forged ones of each family
QUICK = ["sarsop", "pbvi", "level-k", "cfr", "dcfr", "mcts"]


def forged(path, header, arrays, **changes):
    """Write a checkpoint with some of its arrays changed."""
    changed = {f"state/{name}": change(arrays[f"state/{name}"].copy()) for name, change in changes.items()}
    plain = {key: value for key, value in header.items() if key not in ("fogbound", "schema")}
    archive.write(path, archive.dumps("checkpoint", plain, {**arrays, **changed}))
    return path


def put(place, value):
    def change(array):
        array[place] = value
        return array

    return change


def lowered(by):
    return lambda array: array - by


@pytest.fixture(scope="module")
def tiger(tmp_path_factory):
    """(header, arrays) of SARSOP on its way."""
    return written(CASES["sarsop"], tmp_path_factory.mktemp("tiger") / "run.npz")


@pytest.mark.slow
def test_forged_checkpoints_of_quick_families_are_refused_or_harmless():
    found = tallies(seed=1, count=5, names=QUICK)
    assert all(found[name].get("refused") and "bad" not in found[name] for name in QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_forged_checkpoints_are_refused_or_harmless(name):
    """Which of the two is a matter of what was drawn: a run that keeps little has little to refuse."""
    found = tallies(seed=2, count=COUNT, names=[name])[name]
    assert sum(found.values()) > COUNT / 2  # the rest could not even be written
    assert "bad" not in found


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"tree_child": put(0, 2**40)}, r"tree_child\[0\] is 1099511627776, expected at most"),
        ({"vectors_successor": put(1, -1)}, r"vectors_successor\[1\] is -1, expected at least 0"),
        ({"vectors_older": put(0, 0)}, r"vectors_older\[0\] is 0, expected at most -1"),
        ({"points_weight": put(0, np.nan)}, r"points_weight\[0\] is nan"),
        ({"tree_weight": put(0, 0.5)}, "tree_weight.* probabilities that sum to 1"),
        ({"used": put(0, 5000)}, r"capacity\[0\] is 4096, expected at least 5000"),
        ({"met": lambda array: array[:0]}, "damaged checkpoint"),
        ({"tree_looked": put(0, 10**9)}, "tree_looked"),
    ],
)
def test_what_does_not_fit_is_named(tiger, tmp_path, changes, told):
    path = forged(tmp_path / "run.npz", *tiger, **changes)
    with pytest.raises(FileError, match=told) as error:
        fb.solve("tiger", "sarsop", resume=path, iterations=22)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sarsop", "hsvi", "pg-hsvi", "isg", "hisg"])
def test_an_array_shorter_than_those_it_grows_with_is_refused(name, tmp_path):
    """Kernels ask one array of a pool whether there is room: a shorter one beside it would be written past its end."""
    case = CASES[name]
    header, arrays = written(case, tmp_path / "run.npz")
    sizes = [array.size for key, array in arrays.items() if key.startswith("state/")]
    for key in [
        key for key, array in arrays.items() if array.ndim == 1 and array.size > 1 and key.startswith("state/")
    ]:
        if sizes.count(arrays[key].size) == 1:
            continue  # alone in its pool, and made larger alone
        own = key.removeprefix("state/")
        kinds = {**header["arrays"], own: [header["arrays"][own][0], [arrays[key].size - 1]]}
        path = forged(tmp_path / "cut.npz", {**header, "arrays": kinds}, arrays, **{own: lambda array: array[:-1]})
        with pytest.raises(FileError, match="cannot be gone on with"):
            fb.solve(case.game, case.solver, resume=path, iterations=case.stops + case.more)


@pytest.mark.parametrize("by", [8.0, -8.0], ids=["upper bounds too low", "upper bounds too high"])
def test_a_wrong_upper_bound_is_not_certified(tiger, tmp_path, by):
    """It is well formed, so the run goes on; but what is certified comes from the form."""
    names = ("tree_V_upper", "tree_Q_upper", "points_value", "points_corner", "informed")
    path = forged(tmp_path / "run.npz", *tiger, **dict.fromkeys(names, lowered(by)))
    solution = fb.solve("tiger", "sarsop", resume=path, iterations=21)
    assert solution.certified == "both"
    assert solution.lower <= TIGER[1]
    assert solution.upper >= TIGER[0]


def test_a_wrong_lower_bound_is_not_certified(tiger, tmp_path):
    path = forged(tmp_path / "run.npz", *tiger, vectors_value=lowered(-8.0), tree_V_lower=lowered(-8.0))
    solution = fb.solve("tiger", "sarsop", resume=path, iterations=21)
    assert solution.trace[-1].lower > TIGER[1]  # what the search believes by now
    assert solution.certified == "both"
    assert solution.lower <= TIGER[1]


def test_arrays_that_nobody_declares_are_refused(tiger, tmp_path):
    header, arrays = tiger
    kinds = {**header["arrays"], "more": ["<f8", [1]]}
    path = forged(tmp_path / "run.npz", {**header, "arrays": kinds}, {**arrays, "state/more": np.zeros(1)})
    with pytest.raises(FileError, match="'more', which no run of this solver keeps"):
        fb.solve("tiger", "sarsop", resume=path)


@pytest.mark.parametrize(
    ("key", "value"),
    [("arrays", {"used": ["|O", [9]]}), ("arrays", []), ("rng", {"state": "9" * 5000}), ("rng", None)],
)
def test_headers_that_no_run_wrote_are_refused(tiger, tmp_path, key, value):
    header, arrays = tiger
    path = forged(tmp_path / "run.npz", {**header, key: value}, arrays)
    with pytest.raises(FileError, match="damaged checkpoint"):
        fb.solve("tiger", "sarsop", resume=path)


def test_lists_that_turn_back_or_meet_are_refused():
    kept = Kept("run.npz", {})
    older = np.array([-1, 0, 1, -1])
    assert kept.lists("older", np.array([2, 3, -1]), older, "records").tolist() == [0, 0, 0, 1]
    for newest, wrong in (([2], [2, 0, 1, -1]), ([2, 1], [-1, 0, 1, -1]), ([1, 1], [-1, 0, 1, -1])):
        with pytest.raises(FileError, match="neither meet nor turn back"):
            kept.lists("older", np.array(newest), np.array(wrong), "records")


def declared(case, arrays):
    """The limits of all numbers that a solver declares, for a checkpoint that it accepts."""
    solver = fb.solvers.make(case.solver)
    kept = Kept("run.npz", arrays)
    solver.remembers(derive(fb.game(case.game), type(solver).form), kept)
    kept.close()
    return kept.limits


def refused(case, arrays):
    try:
        declared(case, arrays)
    except FileError:
        return True
    return False


def violations(array, limits, optional):
    """An array that is missing, of another type or length, and one with an entry beyond each of its limits."""
    low, high, used = limits
    if not optional:
        yield "missing", None
    yield "type", array.astype(np.float64 if array.dtype == np.int64 else np.int64)
    yield "dimensions", array.reshape(*array.shape, 1)
    end = array.size if used is None else used
    for place in {0, end - 1} if end else ():
        for limit, beyond in ((low, -1), (high, 1)):
            bound = float(np.broadcast_to(limit, np.shape(limit) or array.shape).flat[place])
            if abs(bound) < 2**53:  # beyond it there is no next number, or none that is a limit
                wrong = array.copy()
                wrong.flat[place] = bound + beyond
                yield f"[{place}] = {wrong.flat[place]}", wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sarsop", "pg-hsvi", "isg", "level-k", "quantal levels", "pbvi"])
def test_whatever_is_declared_is_checked(name, tmp_path):
    """Derived from the declarations alone: each array by itself, beyond each limit that it has."""
    case = CASES[name]
    header, stored = written(case, tmp_path / "run.npz")
    kinds = header["arrays"].items()
    arrays = {own: stored[f"state/{own}"].astype(kind).reshape(shape) for own, (kind, shape) in kinds}
    tried = 0
    for own, limits in declared(case, arrays).items():
        for what, wrong in violations(arrays[own], limits, own == "mark"):
            forged = {key: array for key, array in arrays.items() if key != own}
            assert refused(case, forged if wrong is None else {**forged, own: wrong}), f"{name}: {own} {what}"
            tried += 1
    assert tried > 20


def test_every_solver_that_declares_arrays_is_forged():
    forgeable = {fb.solvers.make(case.solver).name for case in CASES.values()}
    for name in SOLVERS:
        if SOLVERS.load(name).remembers is not fb.Solver.remembers:
            assert name in forgeable, f"{name}: add it to tests/driver/forging.py"


def test_an_answer_that_its_file_would_not_confirm_is_not_called_certified(tmp_path):
    """The checker pays for a forged vector with wider bounds, but the policies rely on it: `verify` refutes that."""
    case = CASES["pg-hsvi"]
    path = forged(tmp_path / "run.npz", *written(case, tmp_path / "run.npz"), value=put(3, -1.0))
    with pytest.warns(UserWarning, match="not certified: claims of the certificate are wrong"):
        found = fb.solve(case.game, case.solver, iterations=case.stops + case.more, resume=path)
    assert found.certified == "none"
    assert "claims of the certificate are wrong" in found.details["uncertified"]
    assert "certified by the independent checker" not in fb.api.trust(found)
    assert not found.verify(case.game)
