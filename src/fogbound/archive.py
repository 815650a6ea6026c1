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
PACKED, QUICKLY = 6, 1  # how hard arrays are packed: for files that are kept, and for those that are soon written over,
# where numbers with fractions are left as they are, since packing them takes long and gains little
_PIECE = 1 << 16  # bytes that are packed at a time, to see whether they pack too well
_MEMBER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*\.npy", re.ASCII)

Arrays = dict[str, NDArray[Any]]


def dumps(kind: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], level: int = PACKED) -> bytes:
    """The file as bytes; the same content gives the same bytes.

    Parameters
    ----------
    kind, header, arrays
        What is in it.
    level
        How hard it is packed, from 1 to 9; all of them are read alike.
    """
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
            packs = (level > QUICKLY or array.dtype.kind != "f") and _readable(data, level)
            way = zipfile.ZIP_DEFLATED if packs else zipfile.ZIP_STORED
            archive.writestr(zipfile.ZipInfo(name + ".npy"), data, way, level)
    return buffer.getvalue()


def _readable(data: bytes, level: int) -> bool:
    """Whether packed data stay below the ratio that readers refuse; known as soon as enough has been packed."""
    packer, packed = zlib.compressobj(level), 0
    for first in range(0, len(data), _PIECE):
        packed += len(packer.compress(data[first : first + _PIECE]))
        if len(data) < READABLE_RATIO * packed:
            return True
    return len(data) < READABLE_RATIO * (packed + len(packer.flush()))


def canonical(array: NDArray[Any]) -> NDArray[Any]:
    """An array in one of the three types that files hold, C-ordered."""
    kind = {"f": "<f8", "i": "<i8", "b": "|u1", "u": "|u1" if array.dtype == np.uint8 else "<i8"}[array.dtype.kind]
    return np.ascontiguousarray(array, dtype=kind)


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
