"""Alpha vectors stay with answers: exports read back to the answer's value, and actions have values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound import archive, files
from fogbound.core.errors import FileError, LimitError, PolicyError
from fogbound.files import vectors as vector_files
from fogbound.files.solution import KIND, encode
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import derive
from fogbound.naming.games import problem
from fogbound.policies import AlphaVectors, Controller, StoredVectors
from fogbound.policies.alpha_entries import AlphaEntries
from tests import shared

FOLDER = shared.MODELS / "pomdp"
MODELS = sorted(path.name for path in FOLDER.glob("*.pomdp*"))
LARGE = {"RockSample_7_8.pomdpx": 10}  # trials


def two_sided_coin():
    """Arrays: a coin that lands as it was guessed, with a sensor that errs."""
    moves = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]]])
    seen = np.array([[[0.8, 0.2], [0.2, 0.8]], [[0.5, 0.5], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]]])
    pay = np.array([[-1.0, -1.0], [5.0, -10.0], [-10.0, 5.0]])
    return fb.pomdp(moves, seen, pay, 0.9, start=[0.5, 0.5], axes={"T": "asn", "R": "as"})


def read_back(source, answer, form, path, **model):
    """The value at the start of the vectors that `path` holds after an export."""
    fb.convert(source, path, **model)
    found = files.read_vectors(path, form)
    assert found.at_start() == pytest.approx(answer.alpha_vectors.at_start(), rel=1e-12, abs=1e-12)
    return found.at_start()


def exported_values(game, answer, tmp_path):
    """What the exports are worth at the start, of the answer and, where the game has a name, of its file."""
    form = derive(problem(game), POMDP)
    saved = tmp_path / "answer.npz"
    answer.save(saved)
    named = not isinstance(game, POMDP | fb.Game)
    for ending in (".alpha", ".policy"):
        yield read_back(answer, answer, form, tmp_path / f"solved{ending}")
        if named:
            yield read_back(str(saved), answer, form, tmp_path / f"stored{ending}", model=game)


SMALL = {
    "tiger": {"gap": 1e-3},
    "rock-sample(4, 4)": {"iterations": 20},
    "rock-sample(2, 2)": {"seconds": 3},
    "a coin": {"iterations": 30},
    "horizon(game=tiger, steps=3)": {},
}


@pytest.mark.parametrize("solver", ["sarsop", pytest.param("hsvi", marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", SMALL)
def test_exports_read_back_to_the_lower_bound(game, solver, tmp_path):
    limits, game = SMALL[game], two_sided_coin() if game == "a coin" else game
    answer = fb.solve(game, solver, **limits)
    assert isinstance(answer.policy(), Controller)
    for value in exported_values(game, answer, tmp_path):
        assert value == pytest.approx(answer.lower, rel=1e-9, abs=1e-9)


@pytest.mark.slow
@pytest.mark.skipif(not MODELS, reason=f"no published models at {FOLDER}")
@pytest.mark.parametrize("name", MODELS)
def test_exports_of_published_models_read_back_to_the_lower_bound(name, tmp_path):
    answer = fb.solve(str(FOLDER / name), "sarsop", iterations=LARGE.get(name, 30), certify=False)
    for value in exported_values(str(FOLDER / name), answer, tmp_path):
        assert value == pytest.approx(answer.lower, rel=1e-9, abs=1e-9)


def test_vectors_are_stored_with_the_answer(tmp_path):
    answer = fb.solve("rock-sample(2, 2)", "sarsop").save(tmp_path / "answer.npz")
    read = fb.load(tmp_path / "answer.npz")
    assert isinstance(answer.alpha_vectors, AlphaVectors)
    assert isinstance(read.alpha_vectors, StoredVectors)
    again = read.alpha_vectors.on(answer.alpha_vectors.pomdp)
    assert np.array_equal(again.vectors, answer.alpha_vectors.vectors)
    assert again.actions.tolist() == answer.alpha_vectors.actions.tolist()
    one, two = answer.agent(), read.agent()
    assert one.act() == two.act()
    assert one.values == pytest.approx(two.values)


def test_vectors_of_a_policy_that_is_vectors_are_stored_once():
    assert fb.solve("tiger", "sarsop(policy=vectors)", gap=1e-3).alpha_vectors is None


def test_values_come_from_the_vectors_that_stay():
    """A controller of one plan says nothing of actions that it never takes; the vectors of the search do."""
    answer = fb.solve("rock-sample(4, 4)", "sarsop", iterations=100)
    agent = answer.agent()
    done = agent.act()
    assert agent.values[done] >= answer.lower - 1e-9
    worse = fb.agent(answer.policy(), "rock-sample(4, 4)")
    worse.act()
    assert all(agent.values[action] >= value - 1e-9 for action, value in worse.values.items())
    assert sum(agent.values.values()) > sum(worse.values.values()) + 1


def test_vectors_above_the_upper_bound_are_refused(tmp_path):
    answer = fb.solve("tiger", "sarsop", gap=1e-3)
    held = answer.alpha_vectors
    swollen = AlphaVectors(held.pomdp, held.vectors + 5.0, held.actions)
    with pytest.raises(PolicyError, match="above its upper bound"):
        fb.convert(replace(answer, alpha_vectors=swollen), tmp_path / "x.alpha")


def test_a_file_whose_vectors_are_another_policy_is_refused(tmp_path):
    header, arrays = encode(fb.solve("tiger", "sarsop", gap=1e-3))
    header["alpha_vectors"] = {"kind": "uniform"}
    archive.write(tmp_path / "forged.npz", archive.dumps(KIND, header, arrays))
    with pytest.raises(FileError, match="expected vectors"):
        fb.load(tmp_path / "forged.npz")


def test_merged_vectors_have_the_same_values_on_beliefs_that_occur(tmp_path, monkeypatch):
    """Too many numbers for a dense file: vectors of other states share a row, or the controller's are written."""
    answer = fb.solve("rock-sample(4, 4)", "sarsop", iterations=100)
    held = answer.alpha_vectors
    fewer, actions = held.entries.merged(held.actions)
    assert len(fewer) == len(actions) < len(held.entries)
    for group in held.entries.groups:
        belief = np.full(len(group.states), 1 / len(group.states))
        before, after = held.entries.at(group.states, belief), fewer.at(group.states, belief)
        assert after.max() == pytest.approx(before.max(), abs=1e-9)
    monkeypatch.setattr(vector_files, "MOST_NUMBERS", len(fewer) * held.pomdp.size)
    fb.convert(answer, tmp_path / "merged.alpha")
    assert files.read_vectors(tmp_path / "merged.alpha", held.pomdp).at_start() == pytest.approx(answer.lower)
    monkeypatch.setattr(vector_files, "MOST_NUMBERS", len(fewer) * held.pomdp.size - 1)
    fb.convert(answer, tmp_path / "played.alpha")
    assert files.read_vectors(tmp_path / "played.alpha", held.pomdp).at_start() == pytest.approx(answer.lower)
    with pytest.raises(LimitError, match="holds them sparsely"):
        files.write_vectors(held, tmp_path / "large.alpha")


@pytest.mark.parametrize("seed", range(5))
def test_sparse_vectors_are_the_matrix(seed):
    rng = np.random.default_rng(seed)
    dense = rng.normal(size=(30, 8))
    dense[rng.random(30) < 0.4, :3] = -np.inf
    dense[rng.random(30) < 0.3, 5:] = -np.inf
    sparse = AlphaEntries.of(dense)
    assert np.array_equal(sparse.dense(), dense)
    some = rng.permutation(30)[:10]
    assert np.array_equal(sparse.taken(some).dense(), dense[some])
    assert np.array_equal(sparse.joined(sparse.taken(some)).dense(), np.concatenate([dense, dense[some]]))
    for _ in range(20):
        states = rng.permutation(8)[: rng.integers(1, 9)]
        weights = rng.dirichlet(np.ones(len(states)))
        assert sparse.at(states, weights) == pytest.approx(dense[:, states] @ weights)
