"""Value functions in other programs' files: what is written reads back, and acts as it did."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogbound import files, forms
from fogbound.api import solve
from fogbound.core import FileError, Observation, PolicyError
from fogbound.evaluation import simulate
from fogbound.files.vectors import read_alpha, read_policyx, write_alpha, write_policyx
from fogbound.forms.bayes_filter import START, condition
from fogbound.policies.alpha_vectors import AlphaVectors
from tests.shared import MODELS

ROOMS, DOORS = ["north", "south"], ["left", "mid", "right"]


def rooms(seen=True):
    """Two rooms, always seen when `seen`, three doors that are not: `go` changes the room, `stay` moves the door."""
    states = [(room, door) for room in ROOMS for door in DOORS]
    steps = [(s, a) for s in range(6) for a in range(2)]
    after = [s // 3 * 3 + (s + 1) % 3 if action else (s + 3) % 6 for s, action in steps]
    cells = [(s, action, to, to // 3 if seen else 0, 1.0) for (s, action), to in zip(steps, after)]
    columns = [np.array(column) for column in zip(*cells)]
    return forms.pomdp_from_arrays(
        "rooms",
        0.9,
        states,
        ["go", "stay"],
        ROOMS if seen else ["nothing"],
        np.array([0.5, 0.5, 0, 0, 0, 0]),
        tuple(columns),
        np.zeros((6, 2)),
        (ROOMS, np.arange(6) // 3) if seen else None,
    )


def flat_rooms():
    return rooms(seen=False)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(0, 10**6), st.sampled_from([1e-300, 1.0, 1e300]))
def test_alpha_files_read_back(tmp_path_factory, count, seed, scale):
    path, rng = tmp_path_factory.mktemp("a") / "a.alpha", np.random.default_rng(seed)
    policy = AlphaVectors(
        flat_rooms(), rng.normal(size=(count, 6)) * scale, rng.integers(2, size=count).astype(np.int32)
    )
    write_alpha(policy, path)
    read = read_alpha(path, policy.pomdp)
    assert (read.vectors == policy.vectors).all()
    assert (read.actions == policy.actions).all()


def test_alpha_files_are_laid_out_as_pomdp_solve_does(tmp_path):
    path = tmp_path / "a.alpha"
    write_alpha(AlphaVectors(flat_rooms(), np.arange(12.0).reshape(2, 6), np.array([1, 0], np.int32)), path)
    assert path.read_text() == "1\n0.0 1.0 2.0 3.0 4.0 5.0\n\n0\n6.0 7.0 8.0 9.0 10.0 11.0\n\n"


def test_alpha_vectors_may_be_broken_over_lines(tmp_path):
    path = tmp_path / "a.alpha"
    path.write_text("1\n1 2 3\n4 5 6\n\n\n0\n1e0 -2. +.3e1\n4 5 6")
    read = read_alpha(path, flat_rooms())
    assert read.vectors.tolist() == [[1, 2, 3, 4, 5, 6], [1, -2, 3, 4, 5, 6]]
    assert read.actions.tolist() == [1, 0]


@pytest.mark.parametrize("wrong", [np.inf, np.nan])
@pytest.mark.parametrize(("write", "ending"), [(write_alpha, "alpha"), (write_policyx, "policy")])
def test_what_is_no_value_is_not_written(tmp_path, wrong, write, ending):
    vectors = np.zeros((1, 6))
    vectors[0, 2] = wrong
    with pytest.raises(PolicyError, match="infinitely good or no number"):
        write(AlphaVectors(rooms(), vectors, np.zeros(1, np.int32)), tmp_path / f"a.{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("write", "read", "ending"), [(write_alpha, read_alpha, "alpha"), (write_policyx, read_policyx, "policy")]
)
def test_states_that_a_vector_is_not_meant_for_get_the_least_that_play_earns(tmp_path, write, read, ending):
    form = replace(flat_rooms(), reward=np.append(0.0, np.tile([-1.0, -2.0], 6)))  # going costs 1, staying 2
    vectors = np.array([[-10.0, -10, -10, -np.inf, -np.inf, -np.inf], [-np.inf] * 3 + [-12.0] * 3])
    write(AlphaVectors(form, vectors, np.array([0, 1], np.int32)), tmp_path / f"a.{ending}")
    found = read(tmp_path / f"a.{ending}", form).vectors
    assert (found[np.isfinite(vectors)] == vectors[np.isfinite(vectors)]).all()
    assert found[~np.isfinite(vectors)] == pytest.approx(-20, rel=1e-4)  # 2 a step at a discount of 0.9
    assert (found[~np.isfinite(vectors)] <= -20 + 1e-9).all()


def test_what_nothing_bounds_is_refused(tmp_path):
    form = replace(flat_rooms(), discount=1.0, reward=np.full(13, -1.0))
    policy = AlphaVectors(form, np.array([[0.0, 0, 0, 0, 0, -np.inf]]), np.zeros(1, np.int32))
    with pytest.raises(PolicyError, match="not discounted and need not end"):
        write_alpha(policy, tmp_path / "a.alpha")


def promised(policy):
    """What the best vectors promise before the first step, by each first observation."""
    form = policy.pomdp
    first = np.unique(form.obs[: form.out[1]])
    beliefs = [condition(form, np.array([START]), np.ones(1), first[k : k + 1])[0] for k in range(len(first))]
    return [float((policy.vectors.take(one.states, axis=1) @ one.weights).max()) for one in beliefs]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("ending", ["alpha", "policy"])
@pytest.mark.parametrize(
    "name", ["1d.pomdp", "marking.pomdp", "parr95.95.pomdp", "shuttle.95.pomdp", "stand-tiger.95.pomdp"]
)
def test_published_models_are_exported_and_earn_what_they_did(tmp_path, name, ending):
    """Models whose vectors are over blocks of what is always known: 18 of 28 could not be exported."""
    if not (MODELS / "pomdp" / name).is_file():
        pytest.skip("needs the published models beside the checkout")
    form = files.read_model(MODELS / "pomdp" / name)
    solved = solve(form, "sarsop(policy=vectors)", seconds=2, certify=False)
    policy, path = solved.policy(), tmp_path / f"a.{ending}"
    assert not np.isfinite(policy.vectors).all()
    files.write_vectors(policy, path)
    read = files.read_vectors(path, form)
    assert promised(read) == pytest.approx(promised(policy), rel=1e-9)
    played = simulate(form, read, games=4_000, rng=np.random.default_rng(1), level=0.9999)
    assert played.interval[0] <= solved.upper
    assert played.interval[1] >= solved.lower


def document(length, blocks, *vectors, count=None):
    head = f'<AlphaVector vectorLength="{length}" numObsValue="{blocks}" numVectors="{count or len(vectors)}">'
    return (
        f'<Policy version="0.1" type="value" model="a.pomdpx">\n{head}\n'
        + "\n".join(vectors)
        + "\n</AlphaVector> </Policy>"
    )


APPL = document(
    3,
    2,
    '<Vector action="1" obsValue="0">1 2 3 </Vector>',
    '<Vector action="0" obsValue="0">3 0 0 </Vector>',
    '<SparseVector action="0" obsValue="1"><Entry>1 -4.5</Entry><Entry>2 7</Entry></SparseVector>',
)


def test_a_vector_of_one_room_says_nothing_of_the_other(tmp_path):
    path = tmp_path / "a.policy"
    path.write_text(APPL)
    policy = read_policyx(path, rooms())
    none = -np.inf
    assert policy.vectors.tolist() == [
        [1, 2, 3, none, none, none],
        [3, 0, 0, none, none, none],
        [none] * 3 + [0, -4.5, 7],
    ]
    assert policy.actions.tolist() == [1, 0, 0]


def test_it_acts_by_the_room_it_sees(tmp_path):
    path = tmp_path / "a.policy"
    path.write_text(APPL)
    policy = read_policyx(path, rooms())
    with np.errstate(invalid="raise"):  # nothing may ever multiply zero by infinity
        memory = policy.begin(Observation(None, "north"))  # left or mid: 1.5 both, and the first vector wins
        assert policy.act(memory, ["go", "stay"]).pairs[0][0] == "stay"
        memory = policy.update(memory, "stay", Observation(None, "north"))  # mid or right: 2.5 against 0
        assert policy.act(memory, ["go", "stay"]).pairs[0][0] == "stay"
        memory = policy.update(memory, "go", Observation(None, "south"))
        assert policy.act(memory, ["go", "stay"]).pairs[0][0] == "go"


def test_policy_files_read_back(tmp_path):
    path, again = tmp_path / "a.policy", tmp_path / "b.policy"
    path.write_text(APPL)
    policy = read_policyx(path, rooms())
    write_policyx(policy, again)
    read = read_policyx(again, rooms())
    assert (read.vectors == policy.vectors).all()
    assert (read.actions == policy.actions).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 5), st.integers(0, 10**6), st.booleans())
def test_finite_vectors_are_written_once_for_each_room(tmp_path_factory, count, seed, seen):
    path, rng = tmp_path_factory.mktemp("a") / "a.policy", np.random.default_rng(seed)
    policy = AlphaVectors(rooms(seen), rng.normal(size=(count, 6)), rng.integers(2, size=count).astype(np.int32))
    write_policyx(policy, path)
    read = read_policyx(path, policy.pomdp)
    belief = rng.dirichlet(np.ones(3))
    for block in range(2):
        states = slice(3 * block, 3 * block + 3)
        worth, kept = policy.vectors[:, states] @ belief, read.vectors[:, states] @ belief
        assert kept.max() == pytest.approx(worth.max(), abs=1e-12)
        assert read.actions[kept.argmax()] == policy.actions[worth.argmax()]
    assert len(read.vectors) == count * (2 if seen else 1)


def test_a_room_without_vectors_is_warned_of(tmp_path):
    path = tmp_path / "a.policy"
    path.write_text(document(3, 2, '<Vector action="1" obsValue="0">1 2 3 </Vector>'))
    with pytest.warns(UserWarning, match="no vector for 1 of 2 values seen, as for obsValue 1"):
        read_policyx(path, rooms())


def test_rooms_that_are_not_seen_cannot_be_told_apart(tmp_path):
    path = tmp_path / "a.policy"
    path.write_text(APPL)
    with pytest.raises(FileError, match=r":2: found 2 values fully observed, expected observations of rooms"):
        read_policyx(path, flat_rooms())


def test_a_vector_of_part_of_a_room_is_completed_there_and_left_out_of_the_other(tmp_path):
    vectors = np.array([[0.0, 0, -np.inf, -np.inf, -np.inf, -np.inf], [-np.inf] * 3 + [0.0] * 3])
    policy = AlphaVectors(rooms(), vectors, np.zeros(2, np.int32))
    write_policyx(policy, tmp_path / "a.policy")
    read = read_policyx(tmp_path / "a.policy", rooms())
    assert read.vectors.tolist() == [[0, 0, 0, *[-np.inf] * 3], vectors[1].tolist()]


def test_what_is_written_is_worth_what_it_was(tmp_path):
    """A solver's vectors, through either file, promise the same at the start."""
    form = flat_rooms()
    policy = AlphaVectors(form, np.arange(12.0).reshape(2, 6), np.array([0, 1], np.int32))
    write_alpha(policy, tmp_path / "a.alpha")
    write_policyx(policy, tmp_path / "a.policy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for read in (read_alpha(tmp_path / "a.alpha", form), read_policyx(tmp_path / "a.policy", form)):
            memory = read.begin(Observation(None, None))
            assert read.act(memory, ["go", "stay"]) == policy.act(memory, ["go", "stay"])
