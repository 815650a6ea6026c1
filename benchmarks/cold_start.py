"""How long a person waits: a new process, and the first time that kernels are compiled. Wall seconds."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.text import aligned
from benchmarks.timing import CommandError, Timing, wall

TIGER = ("solve", "tiger", "--with", "sarsop", "--gap", "1e-3")
HUNT = ("solve", "pursuit(columns=3)", "--with", "pg-hsvi", "--gap", "1")
LEDUC = "from fogbound.forms.sequence import sequence; from fogbound.games import make; sequence(make('leduc'))"


def measure(rounds: int) -> dict[str, Any]:
    """Each command's seconds, ready for JSON; a command that fails says why instead."""
    python = sys.executable
    command = str(Path(python).parent / "fogbound")
    with tempfile.TemporaryDirectory(prefix="fogbound-bench-") as empty:
        cache, other = {"NUMBA_CACHE_DIR": f"{empty}/one"}, {"NUMBA_CACHE_DIR": f"{empty}/two"}
        rows = [
            _row("python -c pass", [python, "-c", "pass"], rounds),
            _row("python -c 'import fogbound'", [python, "-c", "import fogbound"], rounds),
            _row("fogbound --help", [command, "--help"], rounds),
            _row("leduc's sequence form, nothing compiled yet", [python, "-c", LEDUC], 1, cache),
            _row("leduc's sequence form, every process after that", [python, "-c", LEDUC], rounds, cache),
            _row("tiger by sarsop, no kernel of POMDPs compiled yet", [command, *TIGER], 1, cache),
            _row("tiger by sarsop, every process after that", [command, *TIGER], rounds, cache),
            _row("a hunt by pg-hsvi, nothing compiled yet", [command, *HUNT], 1, other),
            _row("a hunt by pg-hsvi, every process after that", [command, *HUNT], rounds, other),
        ]
    return {"rows": rows}


def _row(what: str, command: list[str], rounds: int, extra: dict[str, str] | None = None) -> dict[str, Any]:
    try:
        timing = Timing.of([wall(command, extra) for _ in range(rounds)])
    except CommandError as error:
        return {"what": what, "rounds": 0, "skipped": str(error)}
    return {"what": what, "rounds": rounds, "seconds": vars(timing)}


def show(result: dict[str, Any]) -> str:
    """The figures as text."""
    header = ("a new process", "rounds", "best s", "median s")
    lines = [_line(row) for row in result["rows"]]
    notes = [f"  {row['what']}: skipped, {row['skipped']}" for row in result["rows"] if "skipped" in row]
    return "\n".join(["Cold start: wall seconds", aligned(header, lines), *notes])


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    seconds = row.get("seconds")
    if not seconds:
        return row["what"], "-", "skipped", "skipped"
    return row["what"], str(row["rounds"]), f"{seconds['best']:.2f}", f"{seconds['median']:.2f}"
