"""SARSOP beside APPL's C++: CPU seconds to pass its bounds on the same models, and the ratio.

APPL's figures come with the models (reference.json: once, on one arm64 core); ours are measured here, warm, with the
first bounds and without reading the file. FOGBOUND_MODELS names the folder of models; without it our own games of
the same kind are solved alone.
"""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import fogbound as fb
from benchmarks.text import aligned
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Context, Until
from fogbound.driver.solve import run_solver
from fogbound.forms import pomdp

OURS = ("tiger", "rock-sample(size=4, rocks=4)", "tag", "rock-sample(size=7, rocks=8)")
SECONDS = 10.0  # for a model that does not close; more for the largest
LONG, LARGE = 30.0, 5_000
GAP = 1e-3
Trace = list[tuple[float, float, float]]  # CPU seconds, lower, upper


def measure(rounds: int) -> dict[str, Any]:  # noqa: ARG001 - minutes a round: once is enough
    """Each model's figures, ready for JSON."""
    tiger = pomdp(fb.game("tiger"))  # so that kernels are compiled, or read from the cache
    run_solver(fb.solver("sarsop"), tiger, RunOptions(Until(gap=GAP)))
    folder = os.environ.get("FOGBOUND_MODELS")
    rows = list(_published(Path(folder))) if folder else []
    return {"published": rows, "own": [_own(spec) for spec in OURS]}


def _published(folder: Path) -> Iterator[dict[str, Any]]:
    for known in json.loads((folder / "reference.json").read_text())["models"]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            form = fb.files.read_model(folder / known["file"])
        trace = _trace(form, LONG if known["states"] > LARGE else SECONDS)
        slack = 1e-5 * max(abs(known["lower"]), abs(known["upper"]))  # its figures have six digits
        low = next((t for t, lower, _ in trace if lower >= known["lower"] - slack), None)
        up = next((t for t, _, upper in trace if upper <= known["upper"] + slack), None)
        yield {
            "model": known["file"],
            "seconds": trace[-1][0],
            "bounds": trace[-1][1:],
            "past_lower": low,
            "past_upper": up,
            "appl": [known["lower"], known["upper"]],
            "appl_seconds": known["cpu_seconds"],
        }


def _own(spec: str) -> dict[str, Any]:
    began = time.process_time()
    form = pomdp(fb.game(spec))
    built = time.process_time() - began
    trace = _trace(form, SECONDS)
    return {
        "game": spec,
        "form": built,
        "first": trace[0][0],
        "useful": next((t for t, lower, upper in trace if upper - lower <= 0.5 * (trace[0][2] - trace[0][1])), None),
        "seconds": trace[-1][0],
        "bounds": trace[-1][1:],
    }


def _trace(form: Any, seconds: float) -> Trace:
    began, found = time.process_time(), Trace()
    for progress in fb.solver("sarsop").run(form, Context(np.random.default_rng(0))):
        found.append((time.process_time() - began, progress.lower, progress.upper))
        if found[-1][0] >= seconds or progress.upper - progress.lower <= GAP:
            break
    return found


def show(result: dict[str, Any]) -> str:
    """The figures as text."""
    lines = ["POMDPs: SARSOP, CPU seconds, warm"]
    if result["published"]:
        header = ("model", "lower", "upper", "s", "APPL lower", "upper", "s", "past lower", "past upper", "sooner")
        lines.append(aligned(header, [_line(row) for row in result["published"]]))
    else:
        lines.append("  published models: skipped, FOGBOUND_MODELS names no folder")
    own = ("own game", "form s", "first bounds s", "gap halved s", "lower", "upper", "s")
    rows = [
        (r["game"], *map(_when, (r["form"], r["first"], r["useful"])), *_figures(r["bounds"]), _when(r["seconds"]))
        for r in result["own"]
    ]
    return "\n".join([*lines, "", aligned(own, rows)])


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    both = None if None in (row["past_lower"], row["past_upper"]) else max(row["past_lower"], row["past_upper"])
    ratio = f"{row['appl_seconds'] / both:.1f}x" if both else "-"
    ours, theirs = _figures(row["bounds"]), _figures(row["appl"])
    times = _when(row["past_lower"]), _when(row["past_upper"])
    return (row["model"], *ours, f"{row['seconds']:.2f}", *theirs, f"{row['appl_seconds']:.2f}", *times, ratio)


def _figures(bounds: Any) -> tuple[str, str]:
    return f"{bounds[0]:.6g}", f"{bounds[1]:.6g}"


def _when(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.2f}"
