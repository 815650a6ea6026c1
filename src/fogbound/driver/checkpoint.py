"""Checkpoints: a run's whole state in one file, so that it can go on to the same result."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound import archive
from fogbound.core.errors import FileError
from fogbound.driver.protocol import Context, TraceEntry, inf

_HUGE = float(np.finfo(np.float64).max)
_COLUMNS = ("iteration", "seconds", "value", "lower", "upper", "gap")


def trace_array(trace: list[TraceEntry] | tuple[TraceEntry, ...]) -> NDArray[np.float64]:
    """The trace as rows of numbers, for files."""
    rows = np.array([[getattr(m, c) for c in _COLUMNS] for m in trace], np.float64).reshape(-1, len(_COLUMNS))
    finite: NDArray[np.float64] = np.clip(rows, -_HUGE, _HUGE)  # files hold finite numbers only
    return finite


def trace_from(rows: NDArray[Any]) -> list[TraceEntry]:
    """The trace that `trace_array` wrote."""
    rows = np.where(rows >= _HUGE, inf, np.where(rows <= -_HUGE, -inf, rows))
    return [TraceEntry(int(row[0]), *map(float, row[1:])) for row in rows]


def save(path: str | os.PathLike[str], provenance: dict[str, Any], context: Context, trace: list[TraceEntry]) -> None:
    """Write the state of a run: its arrays, its random generator, its trace."""
    state = context.rng.bit_generator.state
    inner = {key: str(number) for key, number in state["state"].items()}  # 128 bits: too long for JSON numbers
    kinds = {name: [array.dtype.str, list(array.shape)] for name, array in context.arrays.items()}
    rng = {**inner, "has_uint32": state["has_uint32"], "uinteger": state["uinteger"]}
    header = {"provenance": provenance, "rng": rng, "arrays": kinds}
    arrays = {f"state/{name}": array for name, array in context.arrays.items()}
    archive.save(path, "checkpoint", header, {**arrays, "trace": trace_array(trace)})


def restore(path: str | os.PathLike[str], provenance: dict[str, Any], context: Context) -> list[TraceEntry]:
    """Fill the context from a checkpoint of the same problem; refuse one of another."""
    header, arrays = archive.load(path, "checkpoint")
    try:
        for key in ("game", "solver", "seed", "player", "form_sha256"):
            kept, wanted = header["provenance"][key], provenance[key]
            if kept != wanted:
                raise FileError(f"{path}: is a checkpoint of {key} {kept!r}, cannot go on with {wanted!r}")
        saved = {key: int(number) for key, number in header["rng"].items()}
        inner = {key: saved.pop(key) for key in ("state", "inc")}
        context.rng.bit_generator.state = {**context.rng.bit_generator.state, **saved, "state": inner}
        trace = trace_from(arrays["trace"])
        for name, (kind, shape) in header["arrays"].items():
            context.arrays[name] = arrays[f"state/{name}"].astype(np.dtype(kind)).reshape(shape)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FileError(f"{path}: damaged checkpoint, {error!r} is missing or wrong") from error
    return trace
