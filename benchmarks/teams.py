"""Teams that cannot talk: horizon, our value, the known one, seconds to both bounds equal."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from benchmarks.text import aligned
from fogbound import forms
from fogbound.api import game
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.solve import run_solver
from fogbound.solvers import make as solver

MODELS = Path(__file__).parent.parent.parent / "shared" / "models" / "dpomdp"
LONGEST = 120.0  # CPU seconds of one search, about
KNOWN: dict[str, dict[int, float]] = {  # multi-tiger from 7 on, broadcast-channel 100: published; others: earlier runs
    "multi-tiger": {3: 5.1908125, 4: 4.802755, 5: 7.026451, 6: 10.381625, 7: 9.9935, 8: 12.217, 9: 15.572},
    "broadcast-channel": {6: 5.69, 10: 9.29, 20: 18.313228, 100: 90.760423},
    "recycling-robots": {5: 16.486, 20: 62.633136},
    "recycling-robots(discount=0.9)": {100: 31.928317},
    "GridSmall.dpomdp": {4: 2.2415766, 5: 2.970496},
    "boxPushingUAI07.dpomdp": {3: 66.081, 4: 98.593613},
    "fireFighting_2_3_3.dpomdp": {3: -5.736969, 4: -6.578834},
    "Grid3x3corners.dpomdp": {3: 0.1332, 4: 0.4329},
}


def measure(rounds: int) -> dict[str, Any]:  # noqa: ARG001
    """One run each: a search is exact or it is not. Files that are not at hand are left out."""
    _run("multi-tiger", 3)  # compiles
    rows = [
        _run(name, steps) | {"known": value}
        for name, known in KNOWN.items()
        if not name.endswith(".dpomdp") or (MODELS / name).exists()
        for steps, value in known.items()
    ]
    return {"rows": rows}


def _run(name: str, steps: int) -> dict[str, Any]:
    inner = str(MODELS / name) if name.endswith(".dpomdp") else name
    began = time.process_time()
    form = forms.posg(_undiscounted(game(f"horizon(game={inner}, steps={steps})"), name))
    built = time.process_time()
    found = run_solver(solver("team-search"), form, RunOptions(Until(gap=0.0, seconds=LONGEST), check_seconds=None))
    return {
        "game": name,
        "horizon": steps,
        "ours": found.value,
        "upper": found.upper,
        "form": built - began,
        "seconds": time.process_time() - built,
        "subproblems": found.details["subproblems"],
    }


def _undiscounted(source: Any, name: str) -> Any:
    """Known values of finite horizons are undiscounted, whatever the files say."""
    from dataclasses import replace

    table = forms.table(source)
    return replace(table, discount=1.0) if name.endswith(".dpomdp") else table


def show(results: dict[str, Any]) -> str:
    """The rows, for people."""
    head = ("game", "horizon", "ours", "known", "gap", "CPU s", "subproblems")
    rows = [
        (
            row["game"],
            str(row["horizon"]),
            f"{row['ours']:.9g}",
            f"{row['known']:.8g}",
            f"{row['upper'] - row['ours']:.1g}",
            f"{row['seconds']:.2f}",
            f"{row['subproblems']:,}",
        )
        for row in results["rows"]
    ]
    return "Teams: what plans earn, with nothing left between the bounds\n" + aligned(head, rows)
