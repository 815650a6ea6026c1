"""Read .npz files (zip archives of .npy arrays) with the standard library alone, trusting nothing in them.

Sizes, names and dtypes are judged from the zip directory and the .npy header before any data is unpacked, so
that a small hostile file cannot cost much; nothing is ever evaluated or unpickled.
"""

import hashlib
import io
import json
import math
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from .arrays import SIZES, Array, Refused


class Member(NamedTuple):
    """One array as it lies in the file: its bytes fit its shape, and say nothing yet."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


def read_header(arrays: Mapping[str, Array] | Mapping[str, Member]) -> dict[str, Any]:
    """The header as a dictionary; Refused unless it is one clean JSON object."""
    member = arrays.get("header")
    if member is None or member.dtype != "|u1" or len(member.shape) != 1:
        raise Refused("no header: expected member 'header.npy', one line of |u1 bytes")
    try:
        header = json.loads(
            member.data.decode("utf-8"),
            parse_constant=_constant,
            parse_float=_number,
            object_pairs_hook=_object,
        )
    except Refused:
        raise
    except RecursionError:
        raise Refused("the header's JSON is nested too deeply") from None
    except ValueError as fault:
        raise Refused(f"the header is not JSON: {fault}") from None
    if not isinstance(header, dict):
        raise Refused("the header is not a JSON object")
    return header


def _constant(name: str) -> NoReturn:
    raise Refused(f"the header holds {name}")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise Refused(f"the header holds the number {text[:40]}, which is no finite float")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different: with two, two readers could see two headers."""
    header = dict(pairs)
    if len(header) != len(pairs):
        raise Refused("the header names a key twice")
    return header


NAME = re.compile(r"[A-Za-z0-9_/.-]+")
HEADER = re.compile(
    r"\{'descr': '([^']{1,16})', 'fortran_order': (True|False), "
    r"'shape': \((|[0-9]{1,18},|[0-9]{1,18}(?:, [0-9]{1,18}){1,31})\), \} *\n"
)
FIRST, END, END_BYTES = b"PK\x03\x04", b"PK\x05\x06", 22  # of a member, of the whole; no comment comes after that
MOST_BYTES = 2**30
MOST_RATIO = 250  # what Fogbound writes stays below 200
MOST_MEMBERS = 30_000  # seconds to read; a hierarchy of many levels has so many
ROTTEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError),
    *(RuntimeError, ValueError, LookupError, OverflowError),
)


def read_npz(source: bytes | str | os.PathLike[str], most_bytes: int = MOST_BYTES, part: str = "") -> dict[str, Array]:
    """Every array of the archive whose name (without .npy) begins with `part`, all of finite numbers, or Refused."""
    arrays = {}
    for name, member in read_members(source, most_bytes).items():
        if name.startswith(part):
            try:
                arrays[name] = Array(*member)
            except Refused as fault:
                raise Refused(f"array {name!r}: {fault}") from None
    return arrays


def read_members(source: bytes | str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> dict[str, Member]:
    """Everything in the archive by name (without .npy), or Refused. Fogbound itself reads its files through this."""
    try:
        data = source if isinstance(source, bytes) else _bytes(source, most_bytes)
        if len(data) > most_bytes:
            raise Refused(f"the file is larger than {most_bytes} bytes")
        if data[:4] not in (FIRST, END) or data[-END_BYTES:][:4] != END:
            raise zipfile.BadZipFile("it is not one archive from its first byte to its last")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = _directory(archive, len(data), most_bytes)
            return {name: _member(name, _unpack(archive, info)) for name, info in members.items()}
    except Refused:
        raise
    except ROTTEN as fault:
        raise Refused(f"not a readable .npz file: {' '.join(str(fault).split())}") from None


def _bytes(path: str | os.PathLike[str], most_bytes: int) -> bytes:
    """All of a file at once, whoever writes it meanwhile; `zipfile` would call a disk that fails no zip file."""
    found = os.stat(path)
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        raise Refused("a pipe, a socket or a device, expected a regular file")  # opening one may block for ever
    size = found.st_size
    with Path(path).open("rb") as file:
        return file.read(min(size, most_bytes) + 1)


def _directory(archive: zipfile.ZipFile, size: int, most_bytes: int) -> dict[str, zipfile.ZipInfo]:
    """The members by array name, all judged before one of them is unpacked."""
    infos = archive.infolist()
    if len(infos) > MOST_MEMBERS:
        raise Refused(f"{len(infos)} members, more than {MOST_MEMBERS}")
    total = sum(info.file_size for info in infos)
    if total > most_bytes:
        raise Refused(f"the arrays would fill {total} bytes, more than {most_bytes}")
    if total > MOST_RATIO * max(size, 1):
        raise Refused(f"the arrays would fill {total} bytes, more than {MOST_RATIO} times the file's {size}")
    members: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = _name(info)
        if name in members:
            raise Refused(f"member {name!r} appears twice")
        members[name] = info
    return members


def _name(info: zipfile.ZipInfo) -> str:
    name = info.filename
    if not NAME.fullmatch(name) or ".." in name or name.startswith("/"):
        raise Refused(f"member name {name[:80]!r} is not allowed")
    if not name.endswith(".npy") or name == ".npy":
        raise Refused(f"member {name[:80]!r} is not a .npy array")
    if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(f"member {name[:80]!r} is encrypted or packed in an unknown way")
    if info.file_size > MOST_RATIO * max(info.compress_size, 1):
        raise Refused(f"member {name[:80]!r} unpacks to more than {MOST_RATIO} times its size")
    return name.removesuffix(".npy")


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The member's bytes. Asking for a stated number keeps a lying directory from unpacking more."""
    with archive.open(info) as stream:
        data = stream.read(info.file_size + 1)
    if len(data) != info.file_size:
        raise Refused(f"member {info.filename[:80]!r} does not have the {info.file_size} bytes it declares")
    return data


def _member(name: str, data: bytes) -> Member:
    """Parse one .npy: magic, version, header length, header, then the raw bytes in C order."""
    if data[:6] != b"\x93NUMPY" or data[6:8] not in (b"\x01\x00", b"\x02\x00", b"\x03\x00"):
        raise Refused(f"array {name!r} is not in .npy format 1, 2 or 3")
    width = 2 if data[6] == 1 else 4
    (length,) = struct.unpack("<H" if width == 2 else "<I", data[8 : 8 + width])
    start = 8 + width + length
    header = HEADER.fullmatch(data[8 + width : start].decode("latin-1"))
    if header is None or start > len(data):
        raise Refused(f"array {name!r} has a malformed .npy header")
    dtype, fortran, text = header.groups()
    if dtype not in SIZES:
        raise Refused(f"array {name!r} has dtype {dtype!r}; allowed are {', '.join(SIZES)}")
    if fortran == "True":
        raise Refused(f"array {name!r} is in Fortran order; only C order is read")
    shape = tuple(int(part) for part in text.split(",") if part)
    if math.prod(shape) * SIZES[dtype] != len(data) - start:
        raise Refused(f"array {name!r}: shape {shape} does not fit its {len(data) - start} bytes")
    return Member(dtype, shape, data[start:])


def digest(arrays: Mapping[str, Array]) -> str:
    """SHA-256 in hex over NAME NUL DTYPE NUL SHAPE NUL BYTES for each array, names in order.

    No two forms share the same bytes: a name holds no NUL, and dtype and shape say where the bytes end.
    """
    state = hashlib.sha256()
    for name in sorted(arrays):
        if not NAME.fullmatch(name):
            raise Refused(f"array name {name[:80]!r} is not allowed")
        item = arrays[name]
        shape = ",".join(map(str, item.shape))
        state.update(f"{name}\0{item.dtype}\0{shape}\0".encode())
        state.update(item.data)
    return state.hexdigest()


__all__ = ["Array", "Refused", "read_header", "read_npz"]
