"""A hundred thousand games of a tournament, whole and in shares that are merged: the same bytes, and in what time."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import fogbound as fb
from benchmarks.text import aligned, rate
from fogbound.experiments.tournaments.result import Tournament

DEALS = 50_000  # each of them under two seatings
PLAYERS = ("rock-paper-scissors", "uniform", "uniform")


def whole_and_shared(folder: Path, deals: int) -> tuple[Tournament, bool]:
    """A tournament by two processes; whether four shares of it, one of them cut off once, merge to the same bytes."""
    run: dict[str, Any] = {"exact": False, "seed": 11, "workers": 2}
    whole, merged = folder / "whole.jsonl", folder / "merged.jsonl"
    parts = [folder / f"{k}.jsonl" for k in (1, 2, 3, 4)]
    result = fb.tournament(*PLAYERS, games=deals, resume=whole, **run)
    fb.tournament(*PLAYERS, games=deals // 3, resume=parts[2], shard="3/4", **run)
    parts[2].write_bytes(parts[2].read_bytes()[:-17])  # killed in the middle of a line
    for k, part in enumerate(parts, 1):
        fb.tournament(*PLAYERS, games=deals, resume=part, shard=f"{k}/4", **run)
    fb.merge(*reversed(parts), into=merged)
    again = fb.tournament(*PLAYERS, games=deals, resume=merged, **run)
    return result, merged.read_bytes() == whole.read_bytes() and again == result


def measure(rounds: int) -> dict[str, Any]:  # noqa: ARG001 - a minute a round: once is enough
    """All figures, ready for JSON."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        result, same = whole_and_shared(Path(folder), DEALS)
        seconds = time.perf_counter() - began
    games = result.deals * len(result.rows)
    return {"games": games, "seconds": seconds, "rate": 2 * games / seconds, "same": same}


def show(found: dict[str, Any]) -> str:
    """The figures as a table."""
    row = [f"{found['games']:,}", f"{found['seconds']:.0f}", rate(found["rate"]), "yes" if found["same"] else "NO"]
    head = ["games, whole and by shares", "seconds", "games a second", "the same bytes"]
    return f"{PLAYERS[0]}, uniform play by two processes\n{aligned(head, [row])}"
