"""The journal of a tournament: every game that was played, in one file that is whole at any moment.

It is what a tournament goes on from. Results are kept as they fell, so that ties may be counted another way later. A
journal is read with suspicion: one of another tournament, or one that is damaged, is refused in a line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fogbound import archive
from fogbound.arena.episode import EpisodeResult
from fogbound.core.errors import FileError, brief

KIND = "tournament"
ENDS = ("over", "cycle", "faded", "cut")
Block = list[EpisodeResult]  # one deal under each seating
SHAPES = {"returns": "<f8", "steps": "<i8", "ended": "<i8", "lost": "|u1"}


def save(path: str | os.PathLike[str], about: Mapping[str, Any], blocks: Sequence[Block], seats: int) -> None:
    """Write all blocks so far, whole or not at all."""
    seatings = len(about["seatings"])
    shape = (len(blocks), seatings)
    arrays = {
        "returns": np.array([[g.returns for g in block] for block in blocks], float).reshape(*shape, seats),
        "steps": np.array([[g.steps for g in block] for block in blocks], np.int64).reshape(shape),
        "ended": np.array([[ENDS.index(g.ended) for g in block] for block in blocks], np.int64).reshape(shape),
        "lost": np.array([[g.lost for g in block] for block in blocks], np.uint8).reshape(*shape, seats),
    }
    archive.save(path, KIND, {"about": dict(about)}, arrays)


def load(path: str | os.PathLike[str], about: Mapping[str, Any], seats: int) -> list[Block]:
    """The blocks of a journal of this very tournament; none where there is no such file yet."""
    if not Path(path).exists():
        return []
    header, arrays = archive.load(path, KIND)
    kept = header.get("about")
    if not isinstance(kept, dict):
        raise FileError(f"{path}: does not say which tournament it is of")
    for name, wanted in about.items():
        if kept.get(name) != wanted:
            found = f"has {name} {brief(kept.get(name))}, expected {brief(wanted)}"
            raise FileError(f"{path}: is of another tournament: {found}; name another file, or remove this one")
    _require_shapes(path, arrays, len(about["seatings"]), seats)
    returns, steps, ended, lost = (arrays[name] for name in SHAPES)
    return [
        [
            EpisodeResult(tuple(paid), many, ENDS[end], tuple(map(bool, gone)))
            for paid, many, end, gone in zip(*(part.tolist() for part in block))
        ]
        for block in zip(returns, steps, ended, lost)
    ]


def _require_shapes(path: str | os.PathLike[str], arrays: archive.Arrays, seatings: int, seats: int) -> None:
    if set(arrays) != set(SHAPES):
        raise FileError(f"{path}: holds {', '.join(sorted(arrays)) or 'nothing'}, expected {', '.join(SHAPES)}")
    blocks = len(arrays["steps"]) if arrays["steps"].ndim else -1
    for name, kind in SHAPES.items():
        shape = (blocks, seatings, seats) if name in ("returns", "lost") else (blocks, seatings)
        if arrays[name].shape != shape or arrays[name].dtype != np.dtype(kind):
            raise FileError(f"{path}: {name} is {arrays[name].shape} {arrays[name].dtype}, expected {shape} {kind}")
    if not np.isfinite(arrays["returns"]).all():
        raise FileError(f"{path}: a return is not finite")
    if not ((arrays["ended"] >= 0) & (arrays["ended"] < len(ENDS))).all() or (arrays["steps"] < 0).any():
        raise FileError(f"{path}: a game has an end or a length that no game has")
