"""Named arrays with a JSON header in one `.npz` file, written whole or not at all, read with suspicion.

Nothing is ever unpickled. Sizes, names and types are taken from the zip directory and checked before a byte
of data is read, so a damaged or hostile file costs one clear line.
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

SCHEMA = 2  # 1: before forms, provenance and observations had their names of today; such files are refused
MOST_BYTES = 1 << 30
MOST_RATIO = 1_000
READABLE_RATIO = 200  # what is written stays far from the ratio that is refused
ROTTEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
_TYPES = {"<f8", "<i8", "|u1"}
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
        with zipfile.ZipFile(path) as archive:
            _check_directory(name, archive)
            arrays = {info.filename[:-4]: _member(name, archive, info) for info in archive.infolist()}
    except FileNotFoundError:
        raise FileError(f"{name}: there is no such file") from None
    except ROTTEN as error:
        raise FileError(f"{name}: damaged or no fogbound file ({one_line(str(error), 120)})") from error
    header = _header(name, arrays.pop("header", None))
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


def _check_directory(name: str, archive: zipfile.ZipFile) -> None:
    infos = archive.infolist()
    names = [info.filename for info in infos]
    if len(set(names)) != len(names):
        raise FileError(f"{name}: a member stands twice in the file")
    for info in infos:
        if not _MEMBER.fullmatch(info.filename) or ".." in info.filename:
            raise FileError(f"{name}: member {one_line(repr(info.filename), 60)}, expected plain names ending in .npy")
        if info.file_size > MOST_RATIO * max(info.compress_size, 1):
            raise FileError(f"{name}: member {info.filename} unpacks over {MOST_RATIO}-fold, refused")
    total = sum(info.file_size for info in infos)
    if total > MOST_BYTES:
        raise FileError(f"{name}: {total:,} bytes of arrays, expected at most {MOST_BYTES:,}")


def _member(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.lib.format.read_array(io.BytesIO(archive.read(info)), allow_pickle=False)
    except (ValueError, EOFError, TypeError, MemoryError, OverflowError, SyntaxError) as error:
        raise FileError(f"{name}: member {info.filename} is damaged ({one_line(str(error), 120)})") from error
    if array.dtype.str not in _TYPES:
        raise FileError(f"{name}: member {info.filename} has type {array.dtype.str}, expected float64, int64 or bytes")
    return array


def _header(name: str, array: NDArray[Any] | None) -> dict[str, Any]:
    if array is None or array.dtype != np.uint8:
        raise FileError(f"{name}: has no header, so it is no fogbound file")

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is no number")

    try:
        header = json.loads(array.tobytes().decode(), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name}: its header is damaged ({one_line(str(error), 120)})") from error
    if not isinstance(header, dict):
        raise FileError(f"{name}: its header is damaged (no JSON object)")
    return header
