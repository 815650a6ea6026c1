"""Hostile files: every one is refused with one clear line, whatever is in it."""

import contextlib
import hashlib
import io
import json
import random
import struct
import tracemalloc
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest

from fogbound.verify import Array, Refused, digest, npz, read_header, read_npz
from tests.verify.made import kuhn, stored

KUHN, _ = kuhn()


def packed(members, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


def npy(values, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(values), **options)
    return file.getvalue()


def raw(header, data=b""):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def refused(source, why, **options):
    with pytest.raises(Refused, match=why) as caught:
        read_npz(source, **options)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_what_numpy_writes_is_read(tmp_path):
    arrays = {
        "a": np.arange(6.0).reshape(2, 3),
        "b/c": np.array([-1, 2**62]),
        "d": np.zeros((0, 4)),
        "e": np.array(2.5),
    }
    arrays["f"] = np.array([1, 255], "u1")
    for write in (np.savez, np.savez_compressed):
        write(tmp_path / "x.npz", **arrays)
        for source in (tmp_path / "x.npz", str(tmp_path / "x.npz"), (tmp_path / "x.npz").read_bytes()):
            found = read_npz(source)
            assert {k: v.shape for k, v in found.items()} == {k: v.shape for k, v in arrays.items()}
            assert all(found[k].values() == arrays[k].reshape(-1).tolist() for k in arrays)
    for version in ((2, 0), (3, 0)):
        assert read_npz(packed([("v.npy", npy([1.5], version=version))]))["v"].values() == [1.5]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_not_finite(value):
    refused(packed([("a.npy", npy([1.0, value]))]), "'a': holds NaN or infinity")
    with pytest.raises(Refused, match="NaN or infinity"):
        stored([value])


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<i4", "<u8", "|b1", "<c16", "<U3", "|S2"])
def test_bad_dtypes(dtype):
    refused(packed([("a.npy", npy(np.zeros(2, dtype)))]), "dtype")


def test_objects_are_never_unpickled():
    refused(packed([("a.npy", npy(np.array([{}], object), allow_pickle=True))]), "dtype '.O'")


def test_fortran_order():
    refused(packed([("a.npy", npy(np.asfortranarray(np.zeros((2, 3)))))]), "Fortran")


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1_0,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1, }\n",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n",
        "{'descr': '<f8', 'fortran_order': __import__('os'), 'shape': (1,), }\n",
        "",
    ],
)
def test_npy_headers(header):
    refused(packed([("a.npy", raw(header, bytes(8)))]), "malformed")


def test_npy_shapes_that_do_not_fit():
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }\n"
    for shape in ("2,", "3, 3", "4294967296, 4294967296", "999999999999999999,", ""):
        refused(packed([("a.npy", raw(head % shape, bytes(24)))]), "does not fit")
    refused(packed([("a.npy", raw(head % "3,", bytes(24))[:30])]), "malformed")
    refused(packed([("a.npy", b"\x93NUMPY\x09\x00")]), "format")
    refused(packed([("a.npy", b"\x93NUMPY\x01\x00\x01")]), "readable")


@pytest.mark.parametrize(
    "name", ["../a.npy", "a/../b.npy", "/a.npy", "a b.npy", "ä.npy", "a.txt", ".npy", "a\n.npy", "C:\\a.npy"]
)
def test_names(name):
    refused(packed([(name, npy([1.0]))]), "allowed|not a .npy")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_members():
    refused(packed([("a.npy", npy([1.0])), ("a.npy", npy([2.0]))]), "'a' appears twice")


def test_zip_bombs():
    refused(packed([("a.npy", npy(np.zeros(3_000_000)))]), "250 times")
    refused(packed([("a.npy", npy(np.zeros(9)))] * 1, zipfile.ZIP_STORED), "larger than 100 bytes", most_bytes=100)
    many = [(f"a{k}.npy", npy(np.zeros(2))) for k in range(40)]
    refused(packed(many, zipfile.ZIP_DEFLATED), "the file is larger than 5000 bytes|more than 5000", most_bytes=5000)


def listed(name, size, packed_size, way=zipfile.ZIP_DEFLATED, flags=0):
    """What a directory says about a member."""
    info = zipfile.ZipInfo(name)
    info.file_size, info.compress_size, info.compress_type, info.flag_bits = size, packed_size, way, flags
    return info


def test_ratios_may_be_met_and_not_passed():
    for size, limit in ((4, 1000), (1, 250), (0, 250)):  # of the file, then of a member
        whole = SimpleNamespace(infolist=lambda limit=limit: [listed("a.npy", limit, limit)])
        assert list(npz._directory(whole, size, 10**6)) == ["a"]
        more = SimpleNamespace(infolist=lambda limit=limit: [listed("a.npy", limit + 1, limit)])
        with pytest.raises(Refused, match=f"would fill {limit + 1} bytes, more than 250 times the file's {size}"):
            npz._directory(more, size, 10**6)
        assert npz._name(listed("a.npy", limit, size)) == "a"
        with pytest.raises(Refused, match="member 'a.npy' unpacks to more than 250 times its size"):
            npz._name(listed("a.npy", limit + 1, size))


def test_one_member_that_unpacks_too_far_is_found_among_others():
    bomb, ballast = npy(np.zeros(300_000)), npy(np.random.default_rng(0).random(40_000))
    refused(packed([("bomb.npy", bomb), ("ballast.npy", ballast)]), "member 'bomb.npy' unpacks to more than 250 times")


def test_packings_are_judged_from_the_directory():
    for flags, way in ((1, zipfile.ZIP_DEFLATED), (3, zipfile.ZIP_STORED), (0, zipfile.ZIP_LZMA)):
        with pytest.raises(Refused, match="encrypted or packed in an unknown way"):
            npz._name(listed("a.npy", 8, 8, way, flags))
    for flags, way in ((2, zipfile.ZIP_DEFLATED), (0, zipfile.ZIP_STORED)):
        assert npz._name(listed("a.npy", 8, 8, way, flags)) == "a"


def test_a_directory_that_lies_about_sizes():
    data = bytearray(packed([("a.npy", npy(np.random.default_rng(0).random(200)))]))
    place = data.index(b"PK\x01\x02") + 24
    data[place : place + 4] = struct.pack("<I", 300)
    refused(bytes(data), "readable|declares|fit")
    bomb = bytearray(packed([("a.npy", npy(np.zeros(5_000_000)))]))
    place = bomb.index(b"PK\x01\x02") + 24
    bomb[place : place + 4] = struct.pack("<I", 300)
    tracemalloc.start()
    refused(bytes(bomb), "readable|declares|fit")
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()


def test_other_packings_and_no_file(tmp_path):
    refused(packed([("a.npy", npy([1.0]))], zipfile.ZIP_BZIP2), "unknown way")
    refused(tmp_path / "none.npz", "readable")
    refused(tmp_path, "readable")
    refused(b"", "readable")
    refused(b"not a zip at all", "readable")


def test_nothing_stands_before_or_after_the_archive():
    """Where one reader looks from the front and another from the end, they could see two files."""
    whole = packed([("a.npy", npy([1.0]))])
    assert list(read_npz(whole)) == ["a"]
    assert read_npz(packed([])) == {}
    commented = io.BytesIO(whole)
    with zipfile.ZipFile(commented, "a") as archive:
        archive.comment = b"more"
    for other in (whole + b"x", b"x" + whole, whole + whole[-22:] + b"x", commented.getvalue(), whole[1:]):
        refused(other, "not one archive from its first byte to its last")


def test_truncated_and_damaged_files():
    rng = random.Random(0)
    whole = packed([(f"{name}.npy", npy(np.frombuffer(a.data, a.dtype).reshape(a.shape))) for name, a in KUHN.items()])
    for size in range(0, len(whole) - 1, 7):
        refused(whole[:size], ".")
    for _ in range(2500):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 1, 2, 5])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        with contextlib.suppress(Refused):
            read_npz(bytes(data))


def head(text):
    data = text if isinstance(text, bytes) else text.encode()
    return {"header": Array("|u1", (len(data),), data)}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": NaN}', "holds NaN"),
        ('{"a": -Infinity}', "holds -Infinity"),
        ('{"a": 1e999}', "no finite float"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a":' * 200_000, "too deeply"),
        ("[" * 200_000, "too deeply"),
        ("[1]", "not a JSON object"),
        ('{"a": ' + "9" * 5000 + "}", "not JSON"),
        ("{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        ("", "not JSON"),
    ],
)
def test_headers(text, why):
    with pytest.raises(Refused, match=why):
        read_header(head(text))


def test_header_present_and_well_typed():
    assert read_header(head(json.dumps({"a": [1, 2.5, "ü"]}))) == {"a": [1, 2.5, "ü"]}
    for arrays in ({}, {"header": stored([1.0])}, {"header": Array("|u1", (1, 2), b"{}")}):
        with pytest.raises(Refused, match="no header"):
            read_header(arrays)


def test_arrays_are_sound_by_construction():
    for dtype, shape, data in (
        ("<f4", (2,), bytes(8)),
        ("<f8", (-1, -1), bytes(8)),
        ("<i8", (2,), bytes(8)),
        ("<i8", (1.0,), bytes(8)),
    ):
        with pytest.raises(Refused):
            Array(dtype, shape, data)


def test_digest_tells_forms_apart():
    one = {"a": stored([1, 2]), "b": stored([1.0])}
    assert digest(one) == digest(dict(reversed(one.items())))
    text = b"a\0<i8\0002\0" + struct.pack("<qq", 1, 2) + b"b\0<f8\0001\0" + struct.pack("<d", 1.0)
    assert digest(one) == hashlib.sha256(text).hexdigest()
    flat = b"a\0<i8\0001,2\0" + struct.pack("<qq", 1, 2)
    assert digest({"a": stored([[1, 2]])}) == hashlib.sha256(flat).hexdigest()
    others = [
        {"a": stored([2, 1]), "b": one["b"]},
        {"a": stored([[1, 2]]), "b": one["b"]},
        {"a": one["a"], "c": one["b"]},
        {"a": one["a"], "b": Array("<i8", (1,), one["b"].data)},
        {"a": one["a"]},
    ]
    assert len({digest(form) for form in [one, *others]}) == 6
    with pytest.raises(Refused, match="array name 'a.*b' is not allowed"):
        digest({"a\0b": one["a"]})


def test_limits_may_be_met_and_not_passed(monkeypatch):
    loose, tight = npy(np.arange(100)), packed([("a.npy", npy(np.arange(100)))])
    assert len(tight) < len(loose)  # so that what is unpacked meets its limit first
    read_npz(tight, most_bytes=len(loose))
    refused(tight, f"would fill {len(loose)} bytes, more than {len(loose) - 1}", most_bytes=len(loose) - 1)
    plain = packed([("a.npy", loose)], zipfile.ZIP_STORED)
    read_npz(plain, most_bytes=len(plain))
    refused(plain, f"the file is larger than {len(plain) - 1} bytes", most_bytes=len(plain) - 1)
    monkeypatch.setattr("fogbound.verify.npz.MOST_MEMBERS", 2)
    read_npz(packed([(f"{name}.npy", npy([1])) for name in "ab"]))
    refused(packed([(f"{name}.npy", npy([1])) for name in "abc"]), "3 members, more than 2")


def test_whoever_is_refused_is_named():
    for data, why in (
        (npy(["x"]), "array 'who' has dtype '<U1'; allowed are <f8, <i8"),
        (b"other", "array 'who' is not in .npy format 1, 2 or 3"),
        (
            npy(
                [[1, 2], [3, 4]],
            )[:-8],
            "array 'who': shape .2, 2. does not fit its 24 bytes",
        ),
        (raw("{}"), "array 'who' has a malformed"),
    ):
        refused(packed([("who.npy", data)]), why)
    refused(packed([("who.txt", b"")]), "member 'who.txt' is not a .npy array")
    refused(packed([("who.npy", npy([1]))]).replace(b"who.npy", b"wh .npy"), "member name 'wh .npy' is not allowed")
