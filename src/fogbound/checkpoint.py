"""Checkpoints: a run's whole state in one file, so that it can go on to the same result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound import archive
from fogbound.core.errors import FileError
from fogbound.progress import Desk, Moment, inf

_HUGE = float(np.finfo(np.float64).max)
_COLUMNS = ("iteration", "seconds", "value", "lower", "upper", "gap")


def trace_array(trace: list[Moment] | tuple[Moment, ...]) -> NDArray[np.float64]:
    """The trace as rows of numbers, for files."""
    rows = np.array([[getattr(m, c) for c in _COLUMNS] for m in trace], np.float64).reshape(-1, len(_COLUMNS))
    finite: NDArray[np.float64] = np.clip(rows, -_HUGE, _HUGE)  # files hold finite numbers only
    return finite


def trace_from(rows: NDArray[Any]) -> list[Moment]:
    """The trace that `trace_array` wrote."""
    rows = np.where(rows >= _HUGE, inf, np.where(rows <= -_HUGE, -inf, rows))
    return [Moment(int(row[0]), *map(float, row[1:])) for row in rows]


def keep(path: str | Path, recipe: dict[str, Any], desk: Desk, trace: list[Moment]) -> None:
    """Write the state of a run: its arrays, its random generator, its trace."""
    state = desk.rng.bit_generator.state
    inner = {key: str(number) for key, number in state["state"].items()}  # 128 bits: too long for JSON numbers
    kinds = {name: [array.dtype.str, list(array.shape)] for name, array in desk.arrays.items()}
    rng = {**inner, "has_uint32": state["has_uint32"], "uinteger": state["uinteger"]}
    header = {"recipe": recipe, "rng": rng, "arrays": kinds}
    arrays = {f"state/{name}": array for name, array in desk.arrays.items()}
    archive.save(path, "checkpoint", header, {**arrays, "trace": trace_array(trace)})


def restore(path: str | Path, recipe: dict[str, Any], desk: Desk) -> list[Moment]:
    """Fill the desk from a checkpoint of the same problem; refuse one of another."""
    header, arrays = archive.load(path, "checkpoint")
    try:
        for key in ("game", "solver", "seed", "player", "form_sha256"):
            if header["recipe"][key] != recipe[key]:
                raise FileError(
                    f"{path}: is a checkpoint of {key} {header['recipe'][key]!r}, cannot go on with {recipe[key]!r}"
                )
        saved = {key: int(number) for key, number in header["rng"].items()}
        inner = {key: saved.pop(key) for key in ("state", "inc")}
        desk.rng.bit_generator.state = {**desk.rng.bit_generator.state, **saved, "state": inner}
        trace = trace_from(arrays["trace"])
        for name, (kind, shape) in header["arrays"].items():
            desk.arrays[name] = arrays[f"state/{name}"].astype(np.dtype(kind)).reshape(shape)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FileError(f"{path}: damaged checkpoint, {error!r} is missing or wrong") from error
    return trace
