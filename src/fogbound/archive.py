"""Named arrays with a JSON header in one `.npz` file, written whole or not at all, read with suspicion.

There is one reader, that of the independent checker: whatever shows, plays or goes on with a file reads the same bytes
as whoever verifies it, and a damaged or hostile file costs one clear line.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.atomic import write as write  # also archive.write, for those who keep text
from fogbound.core.errors import FileError, brief, one_line
from fogbound.verify.npz import Refused, read_header, read_members

SCHEMA = 2  # 1: before forms, provenance and observations had their names of today; such files are refused
READABLE_RATIO = 200  # what is written stays below the ratio that is refused
_MEMBER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*\.npy", re.ASCII)

Arrays = dict[str, NDArray[Any]]


def dumps(kind: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The file as bytes; the same content gives the same bytes."""
    top = {"fogbound": kind, "schema": SCHEMA, **header}
    text = json.dumps(top, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    members: Arrays = {"header": np.frombuffer(text.encode(), np.uint8), **arrays}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in members.items():
            if not _MEMBER.fullmatch(name + ".npy"):
                raise FileError(f"an array is called {name!r}, expected letters, digits, _ . / -")
            part = io.BytesIO()
            np.lib.format.write_array(part, canonical(array), allow_pickle=False)
            data = part.getvalue()
            packs = len(data) < READABLE_RATIO * len(zlib.compress(data, 6))
            way = zipfile.ZIP_DEFLATED if packs else zipfile.ZIP_STORED  # readers refuse what unpacks too far
            archive.writestr(zipfile.ZipInfo(name + ".npy"), data, way)
    return buffer.getvalue()


def canonical(array: NDArray[Any]) -> NDArray[Any]:
    """An array in one of the three types that files hold, C-ordered."""
    kind = {"f": "<f8", "i": "<i8", "b": "|u1", "u": "|u1" if array.dtype == np.uint8 else "<i8"}[array.dtype.kind]
    return np.ascontiguousarray(array, dtype=kind)


def save(
    path: str | os.PathLike[str], kind: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write header and arrays to `path`, whole or not at all."""
    write(path, dumps(kind, header, arrays))


def load(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], Arrays]:
    """The header and arrays of a file of this `kind`; FileError with one clear line for anything else."""
    if not isinstance(path, str | os.PathLike):
        raise FileError(f"found {brief(path)}, expected the path of a file")
    name = str(path)
    try:
        members = read_members(path)
        header = read_header(members)
    except Refused as fault:
        if not os.path.exists(path):
            raise FileError(f"{name}: there is no such file") from None
        raise FileError(f"{name}: damaged or no fogbound file ({one_line(str(fault), 200)})") from fault
    arrays = {key: np.ndarray(m.shape, m.dtype, bytearray(m.data)) for key, m in members.items() if key != "header"}
    if header.get("fogbound") != kind:
        raise FileError(f"{name}: found a {header.get('fogbound')!r} file, expected a {kind!r} file")
    schema = header.get("schema")
    if not isinstance(schema, int) or schema > SCHEMA:
        raise FileError(f"{name}: written in schema {schema!r}, this version reads up to {SCHEMA}; update fogbound")
    if schema < SCHEMA:
        raise FileError(
            f"{name}: written in schema {schema}, by a version whose files had other names; this one reads schema "
            f"{SCHEMA}: solve again"
        )
    return header, arrays
