"""The one file format: what is written is read back, to the bit, whatever its order and type in memory."""

from __future__ import annotations

import io
import zipfile
import zlib

import numpy as np
import pytest

from fogbound import archive
from fogbound.core.errors import FileError

GRID = np.arange(12.0).reshape(3, 4)
ARRAYS = {
    "rows first": GRID,
    "columns first": np.asfortranarray(GRID),
    "every other one": GRID[:, ::2],
    "backwards": GRID[::-1],
    "nothing": np.zeros((0, 3)),
    "zeros that pack well": np.zeros(100_000),
    "truth": np.array([True, False]),
    "short integers": np.array([1, -2], np.int32),
    "long naturals": np.array([70_000, 2**31], np.uint32),
    "bytes": np.arange(3, dtype=np.uint8),
    "other end first": np.array([1.5, -2.0], ">f8"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_written_is_read_back(name, tmp_path):
    path, array = tmp_path / "a.npz", ARRAYS[name]
    archive.write(path, archive.dumps("solution", {"note": "ü"}, {"part/x": array}))
    header, arrays = archive.load(path, "solution")
    assert header == {"fogbound": "solution", "schema": archive.SCHEMA, "note": "ü"}
    assert list(arrays) == ["part/x"]
    assert arrays["part/x"].shape == array.shape
    assert np.array_equal(arrays["part/x"], array)
    arrays["part/x"][...] = 0  # one's own, to write on


def test_the_same_content_gives_the_same_bytes():
    assert len({archive.dumps("solution", {"a": 1}, {"x": array}) for array in (GRID, np.asfortranarray(GRID))}) == 1


def test_headers_are_short_and_arrays_are_packed_where_that_may_be():
    data = archive.dumps("solution", {"note": "ü"}, {"few": np.arange(1_000) % 7, "none": np.zeros(100_000)})
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        header = file.read("header.npy")
        ways = {info.filename: info.compress_type for info in file.infolist()}
    assert header.endswith(f'{{"fogbound":"solution","schema":{archive.SCHEMA},"note":"ü"}}'.encode())
    assert ways["few.npy"] == zipfile.ZIP_DEFLATED
    assert ways["none.npy"] == zipfile.ZIP_STORED  # packed further than readers take


@pytest.mark.parametrize("level", [archive.QUICKLY, archive.PACKED])
@pytest.mark.parametrize("size", [1, 100, 5_000, 80_000, 1_000_000])
@pytest.mark.parametrize("noise", [0, 3, 4_000])
def test_what_packs_too_well_is_known_before_all_of_it_is_packed(level, size, noise):
    data = np.random.default_rng(0).bytes(noise) + bytes(size)
    assert archive._readable(data, level) == (len(data) < archive.READABLE_RATIO * len(zlib.compress(data, level)))


def test_what_is_soon_written_over_is_packed_quickly_and_read_alike(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {"x": rng.integers(0, 50, 20_000), "f": rng.integers(0, 50, 20_000) / 7}
    quick, kept = (archive.dumps("solution", {}, arrays, level) for level in (archive.QUICKLY, archive.PACKED))
    assert len(quick) > len(kept)
    (tmp_path / "a.npz").write_bytes(quick)
    read = archive.load(tmp_path / "a.npz", "solution")[1]
    assert all(np.array_equal(read[name], arrays[name]) for name in arrays)
    with zipfile.ZipFile(tmp_path / "a.npz") as file:
        ways = {info.filename: info.compress_type for info in file.infolist()}
    assert ways["x.npy"] == zipfile.ZIP_DEFLATED
    assert ways["f.npy"] == zipfile.ZIP_STORED  # takes long to pack, and gains little


@pytest.mark.parametrize("name", ["", "a b", "../x", "ü", "/x", "x\n", "-x"])
def test_strange_names_are_not_written(name):
    with pytest.raises(FileError, match="expected letters"):
        archive.dumps("solution", {}, {name: GRID})


def test_numbers_that_json_does_not_have_are_not_written():
    with pytest.raises(ValueError, match="JSON"):
        archive.dumps("solution", {"a": float("nan")}, {})


def test_other_kinds_and_other_schemas_are_refused_by_name(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    archive.write(path, archive.dumps("checkpoint", {}, {}))
    with pytest.raises(FileError, match="found a 'checkpoint' file, expected a 'solution' file"):
        archive.load(path, "solution")
    for schema, told in ((archive.SCHEMA + 1, "update fogbound"), (archive.SCHEMA - 1, "solve again")):
        with monkeypatch.context() as patch:
            patch.setattr(archive, "SCHEMA", schema)
            archive.write(path, archive.dumps("solution", {}, {}))
        with pytest.raises(FileError, match=f"schema {schema}.*{told}"):
            archive.load(path, "solution")
    archive.write(path, archive.dumps("solution", {"schema": "2"}, {}))
    with pytest.raises(FileError, match="schema '2'"):
        archive.load(path, "solution")


def test_what_is_no_path_and_no_file(tmp_path):
    with pytest.raises(FileError, match="found 3, expected the path of a file"):
        archive.load(3, "solution")
    with pytest.raises(FileError, match="there is no such file"):
        archive.load(tmp_path / "none.npz", "solution")
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04")
    with pytest.raises(FileError, match=r"a.npz: damaged or no fogbound file \("):
        archive.load(tmp_path / "a.npz", "solution")
