"""Solution files: what is read is what was written, and damage costs one clear line."""

from __future__ import annotations

import json
import os
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogbound import archive, evaluation, files, forms
from fogbound.core import FileError, Observation
from fogbound.core.labels import from_json, to_json
from fogbound.driver.protocol import Until
from fogbound.games import make
from fogbound.policies import Controller, Mixture, Uniform
from fogbound.solvers import make as make_solver
from tests.run import solve


@pytest.fixture(scope="module")
def solution():
    return solve(make_solver("sequence-lp"), forms.sequence(make("card-poker(ranks=4)")))


def test_round_trip(tmp_path, solution):
    path = tmp_path / "a.npz"
    files.save(solution, path)
    read = files.load(path)
    for name in (
        "value",
        "lower",
        "upper",
        "gap",
        "iterations",
        "seconds",
        "stopped",
        "trace",
        "provenance",
        "details",
    ):
        assert getattr(read, name) == getattr(solution, name)
    assert read.certified == "none"  # a file is not believed: verify it
    game = make("card-poker(ranks=4)")
    assert evaluation.value(game, read.profile) == evaluation.value(game, solution.profile)
    files.save(read, tmp_path / "b.npz")
    assert files.load(tmp_path / "b.npz").value == solution.value


def test_mixtures_and_controllers_round_trip(tmp_path, solution):
    game = make("card-poker(ranks=4)")
    mixed = Mixture((Uniform(), solution.profile[1]), (0.25, 0.75))
    found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game, 0, {1: mixed})))
    files.save(found, tmp_path / "a.npz")
    read = files.load(tmp_path / "a.npz")
    assert isinstance(read.profile[0], Controller)
    assert evaluation.value(game, read.profile) == pytest.approx(evaluation.value(game, found.profile), abs=1e-12)


def test_infinite_bounds_survive(tmp_path):
    found = solve(
        make_solver("belief-mdp"),
        forms.belief_mdp(forms.pomdp(make("leduc"), 0, {1: Uniform()})),
        Until(iterations=1),
        certified=False,
    )
    assert found.upper == float("inf")
    files.save(found, tmp_path / "a.npz")
    assert files.load(tmp_path / "a.npz").trace == found.trace
    assert files.load(tmp_path / "a.npz").upper == float("inf")


def test_policies_of_ones_own_are_refused_by_name(tmp_path, solution):
    class Mine:
        def begin(self, observation):
            return 0

        def update(self, memory, action, observation):
            return 0

        def act(self, memory, actions):
            raise NotImplementedError

    from dataclasses import replace

    with pytest.raises(FileError, match="class Mine cannot be saved"):
        files.save(replace(solution, profile={0: Mine()}), tmp_path / "a.npz")
    assert not list(tmp_path.iterdir())


labels = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3)),
    max_leaves=6,
)


@given(labels)
def test_labels_round_trip(value):
    read = from_json(json.loads(json.dumps(to_json(value))))
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("label", [object(), [1], {"a": 1}, 1j, b"x", float("nan")])
def test_labels_that_files_cannot_hold(label):
    with pytest.raises(FileError, match="files cannot hold"):
        to_json(label)


def damaged(path, change):
    """Rewrite an archive with one change to its header or arrays."""
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    header = json.loads(np.lib.format.read_array(__import__("io").BytesIO(members["header.npy"])).tobytes())
    arrays = {
        k[:-4]: np.lib.format.read_array(__import__("io").BytesIO(v)) for k, v in members.items() if k != "header.npy"
    }
    header, arrays = change(header, arrays) or (header, arrays)
    kind = header.pop("fogbound", "solution")
    schema = header.pop("schema", 1)
    data = archive.dumps(kind, {**header, "schema": schema}, arrays)
    path.write_bytes(data)


def drop(key):
    def change(header, arrays):
        header.pop(key, None)
        arrays.pop(key, None)

    return change


def put(key, value):
    return lambda h, a: h.__setitem__(key, value)


def put_array(key, value):
    return lambda h, a: a.__setitem__(key, value)


CHANGES = {
    "newer schema": (put("schema", 99), "schema 99"),
    "other kind": (put("fogbound", "poem"), "'poem' file"),
    "no value": (drop("value"), "KeyError\\('value'\\)"),
    "value no float": (put("value", "many"), "damaged"),
    "no policies": (drop("policies"), "'policies'"),
    "odd policy": (put("policies", {"0": {"kind": "oracle"}}), "kind 'oracle'"),
    "policies a list": (put("policies", [1]), "damaged"),
    "no trace": (drop("trace"), "'trace'"),
    "arrow out of range": (put_array("policy/0/arrows", np.array([[0, 0, 0, 999999]])), "999999|spoken of"),
    "negative node": (put_array("policy/0/first", np.array([[0, -2]])), "-2"),
    "weights short": (put_array("policy/0/weight", np.zeros(1)), "unequal|sum to"),
    "weights off": (put_array("policy/0/weight", np.full(24, 0.7)), "unequal|sum to"),
    "claim no hex": (put("certificate", {"kind": "x", "player": 0, "claim": {"lower": 1, "upper": 2}}), "damaged"),
}


@pytest.mark.parametrize("name", list(CHANGES))
def test_damage_is_one_clear_line(tmp_path, solution, name):
    path = tmp_path / "a.npz"
    files.save(solution, path)
    change, message = CHANGES[name]
    damaged(path, change)
    with pytest.raises(FileError, match=message) as caught:
        files.load(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_flipped_or_missing_byte_is_survived(tmp_path_factory, solution, data):
    folder = tmp_path_factory.mktemp("bytes")
    path = folder / "a.npz"
    files.save(solution, path)
    raw = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        raw = raw[: data.draw(st.integers(0, len(raw)))]
    else:
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(bytes(raw))
    with suppress(FileError):  # anything else would be a traceback
        files.load(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip", bytes(range(250))])
def test_no_archive_at_all(tmp_path, content):
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    with pytest.raises(FileError, match="damaged or no fogbound file"):
        files.load(path)


def test_pickles_are_never_read(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, header=np.array([{"a": 1}], dtype=object))
    with pytest.raises(FileError, match="damaged"):
        files.load(path)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch, solution):
    path = tmp_path / "a.npz"
    files.save(solution, path)
    before = path.read_bytes()
    for step in ("fsync", "replace", "chmod"):
        with monkeypatch.context() as patch:

            def fail(*args, **kwargs):
                raise OSError(28, "No space left on device")

            patch.setattr(os, step, fail)
            with pytest.raises(FileError, match="No space left"):
                files.save(solution, path)
        assert path.read_bytes() == before
        assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


def test_saving_where_one_may_not(solution):
    with pytest.raises(FileError, match="cannot be written"):
        files.save(solution, "/nonexistent/folder/a.npz")


def test_seen_survives_as_seen(tmp_path, solution):
    files.save(solution, tmp_path / "a.npz")
    assert all(isinstance(seen, Observation) for seen in files.load(tmp_path / "a.npz").profile[0].first)


def test_files_of_older_schemas_are_refused_by_name(tmp_path, monkeypatch):
    path = tmp_path / "old.npz"
    monkeypatch.setattr(archive, "SCHEMA", 1)
    archive.write(path, archive.dumps("solution", {"recipe": {}}, {}))
    monkeypatch.undo()
    with pytest.raises(FileError, match="written in schema 1, by a version whose files had other names"):
        files.load(path)
