"""Checkpoints: a run's whole state in one file, so that it can go on to the same result."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound import archive
from fogbound.core.errors import FileError, brief
from fogbound.core.identity import PACKAGE, PACKAGES, VERSIONS, Inputs, difference
from fogbound.driver.kept import MOST, Kept
from fogbound.driver.protocol import Context, TraceEntry, inf
from fogbound.driver.solver import AnySolver
from fogbound.forms.protocol import Form

_HUGE = float(np.finfo(np.float64).max)
_COLUMNS = ("iteration", "seconds", "value", "lower", "upper", "gap")
_TYPES = {"<i8", "<f8", "|b1"}  # of arrays that solvers keep
_GENERATOR = {"state": 128, "inc": 128, "has_uint32": 1, "uinteger": 32}  # bits of the generator's state


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
    archive.write(path, archive.dumps("checkpoint", header, {**arrays, "trace": trace_array(trace)}, archive.QUICKLY))


def restore(
    path: str | os.PathLike[str], solver: AnySolver, form: Form, provenance: dict[str, Any], context: Context
) -> list[TraceEntry]:
    """Fill the context from a checkpoint of the same problem; refuse one of another, and one that no run wrote."""
    header, arrays = archive.load(path, "checkpoint")
    try:
        _compare(path, header["provenance"], provenance)
        state = _generator(header["rng"], context.rng.bit_generator.state)
        trace = _trace(arrays.pop("trace"))
        found = _arrays(header["arrays"], arrays)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise FileError(f"{path}: damaged checkpoint, {brief(error)} is missing or wrong") from error
    kept = Kept(str(path), found)
    solver.remembers(form, kept)
    kept.close()
    if found:  # a solver that keeps nothing begins again
        context.rng.bit_generator.state = state
    context.arrays.update(found)
    return trace


def _compare(path: str | os.PathLike[str], kept: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for key in ("game", "solver", "seed", "player"):
        _compare_key(path, key, kept, wanted)
    changed = difference(_inputs(kept), _inputs(wanted))
    if changed:
        raise FileError(f"{path}: is a checkpoint of other inputs, cannot go on: {changed}")
    _compare_key(path, "form_sha256", kept, wanted)


def _compare_key(path: str | os.PathLike[str], key: str, kept: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    if kept[key] != wanted[key] or type(kept[key]) is not type(wanted[key]):
        raise FileError(f"{path}: is a checkpoint of {key} {brief(kept[key])}, cannot go on with {brief(wanted[key])}")


def _inputs(provenance: Mapping[str, Any]) -> Inputs:
    """The files that a run depends on, and the versions that compute it."""
    computed_by = {name: provenance["versions"][name] for name in (PACKAGE, "python", *PACKAGES)}
    return {VERSIONS: computed_by, **provenance.get("inputs", {})}


def _generator(found: Mapping[str, Any], fresh: Mapping[str, Any]) -> dict[str, Any]:
    """The state of the random generator."""
    numbers = {key: int(found[key]) for key in _GENERATOR}
    for key, bits in _GENERATOR.items():
        if not 0 <= numbers[key] < 1 << bits:
            raise ValueError(f"rng {key}")
    inner = {key: numbers.pop(key) for key in ("state", "inc")}
    return {**fresh, **numbers, "state": inner}


def _trace(rows: NDArray[Any]) -> list[TraceEntry]:
    """The trace of a run so far: its bounds may be anything, its length and its times are counted on with.

    A value may be missing: of a player that searches nothing may be known but how it plays.
    """
    counted, bounds = rows[:, :2], rows[:, _COLUMNS.index("lower") :]
    if rows.shape[1] != len(_COLUMNS) or not ((counted >= 0) & (counted <= MOST)).all() or np.isnan(bounds).any():
        raise ValueError("trace")
    return trace_from(rows)


def _arrays(kinds: Mapping[str, Any], stored: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays in the types and shapes that the header says they had."""
    found = {}
    for name, (kind, shape) in kinds.items():
        if kind not in _TYPES or not all(isinstance(length, int) and length >= 0 for length in shape):
            raise ValueError(f"{name} of type {kind} and shape {shape}")
        array = stored[f"state/{name}"]
        if array.dtype != archive.canonical(np.zeros(0, kind)).dtype:
            raise ValueError(f"{name} of type {array.dtype}")
        found[name] = array.astype(np.dtype(kind)).reshape(shape)
    if len(found) != len(stored):
        raise ValueError("a member beside what the header lists")
    return found
