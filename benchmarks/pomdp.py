"""SARSOP beside APPL's: the same models, CPU seconds to pass its bounds, and the ratio.

APPL's figures are stored with the models (reference.json, one arm64 core); ours are measured here, warm, reading and
compiling left out, initial bounds included. `python -m benchmarks.pomdp FOLDER` names the folder of models; without it
our own games of the same kind are solved alone.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import fogbound as fb
from fogbound.forms import pomdp
from fogbound.progress import Desk
from fogbound.solve import Until, solve

OURS = ("tiger", "rock-sample(size=4, rocks=4)", "tag", "rock-sample(size=7, rocks=8)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="models with a reference.json")
    parser.add_argument("--seconds", type=float, default=10.0, help="CPU seconds a model (default 10)")
    parser.add_argument("--only", default="", help="models whose name contains this")
    args = parser.parse_args()
    solve(fb.solver("sarsop"), pomdp(fb.game("tiger")), Until(gap=1e-3))  # warm
    if args.folder is None:
        for spec in OURS:
            _alone(spec, args.seconds)
        return
    listed = json.loads((args.folder / "reference.json").read_text())["models"]
    heads = ("model", "lower", "upper", "CPU s", "APPL lower", "upper", "CPU s", "past lower", "past upper", "sooner")
    print("{:<22}{:>11}{:>11}{:>8}{:>12}{:>11}{:>8}{:>12}{:>12}{:>9}".format(*heads))
    for known in listed:
        if args.only in known["file"]:
            _beside(args.folder / known["file"], known, args.seconds)


def _beside(path: Path, known: dict[str, Any], seconds: float) -> None:
    form = fb.files.read_model(path)
    slack = 1e-5 * max(abs(known["lower"]), abs(known["upper"]))  # its figures have six digits
    trace = _trace(form, seconds, lambda low, up: up - low <= 1e-3)
    low = next((t for t, lower, _ in trace if lower >= known["lower"] - slack), None)
    up = next((t for t, _, upper in trace if upper <= known["upper"] + slack), None)
    both = max(low, up) if low is not None and up is not None else None
    ratio = f"{known['cpu_seconds'] / both:.3g}x" if both else "-"
    spent, lower, upper = trace[-1]
    shown = [f"{t:.2f}" if t is not None else "-" for t in (low, up)]
    print(
        f"{path.name:<22}{lower:>11.5g}{upper:>11.5g}{spent:>8.2f}{known['lower']:>12.6g}{known['upper']:>11.6g}"
        f"{known['cpu_seconds']:>8.2f}{shown[0]:>12}{shown[1]:>12}{ratio:>9}",
        flush=True,
    )


def _alone(spec: str, seconds: float) -> None:
    began = time.process_time()
    form = pomdp(fb.game(spec))
    built = time.process_time() - began
    trace = _trace(form, seconds, lambda low, up: up - low <= 1e-3)
    spent, lower, upper = trace[-1]
    print(
        f"{spec}: form {built:.2f} s; first bounds after {trace[0][0]:.2f} s; [{lower:.6g}, {upper:.6g}] {spent:.2f} s"
    )


def _trace(form: Any, seconds: float, enough: Any) -> list[tuple[float, float, float]]:
    """(CPU seconds, lower, upper) at every answer of SARSOP."""
    import numpy as np

    began, found = time.process_time(), []
    for progress in fb.solver("sarsop").run(form, Desk(np.random.default_rng(0))):
        found.append((time.process_time() - began, progress.lower, progress.upper))
        if found[-1][0] >= seconds or enough(progress.lower, progress.upper):
            break
    return found


if __name__ == "__main__":
    main()
