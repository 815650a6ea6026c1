"""One-sided games: seconds and memory to close the bounds, beside targets and the figures of document 002.

Each game is solved in a process of its own, since only the peak of a whole process says what memory was needed. The
maps of the document are not printed, so its figures are of games of the same size. FOGBOUND_MODELS names a folder
with peg03.osposg to peg05.osposg; without it the same games are made from their rules.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import one_sided_stages
from benchmarks.levels_far import peak_gib
from benchmarks.text import aligned
from fogbound import files, forms, games
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.heuristic_search import TrialSearch, approach

PATIENCE = 120.0  # CPU seconds
FINE = 0.01  # what walks aim at, as the solver's do
MOST_ROUNDS = 3


@dataclass(frozen=True)
class Case:
    """A game, the gap to be reached, what is aimed at (CPU seconds, MiB) and what the document reports."""

    spec: str
    gap: float
    file: str = ""
    target: str = "-"
    published: str = "-"
    rounds: int = MOST_ROUNDS


CASES = (
    Case("scotland-yard(map=18)", 1.0, target="1.5 s, 300 MiB", published="535 s"),
    Case("scotland-yard(map=24)", 1.0, target="4 s, 450 MiB", published="5,239 s to gap 6, 31 GB"),
    Case("pursuit(columns=3)", 1.0, "peg03", "0.3 s"),
    Case("pursuit(columns=4)", 1.0, "peg04", "8 s"),
    Case("pursuit(columns=5)", 1.0, "peg05", "60 s", rounds=1),
    Case("scotland-yard(map=12)", 1.0, published="a few seconds", rounds=1),
    Case("scotland-yard(map=random, nodes=30, seed=4)", 1.0, rounds=1),
    Case("pursuit(rows=4, columns=5, pursuers=3)", 1.0, rounds=1),
)


def measure(rounds: int) -> list[dict[str, Any]]:
    """Each game's figures, the fastest round of several, or why there are none; then those of stage games."""
    return [_best(number, min(rounds, case.rounds)) for number, case in enumerate(CASES)] + one_sided_stages.measure()


def _best(number: int, rounds: int) -> dict[str, Any]:
    """Other processes only ever add time."""
    found = [_apart(number) for _ in range(rounds)]
    return min(found, key=lambda row: row.get("cpu", 0.0))


def _apart(number: int) -> dict[str, Any]:
    command = [sys.executable, "-m", __name__, str(number)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing"]
        return {"game": CASES[number].spec, "skipped": f"exit code {done.returncode}: {said[-1]}"}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def closed(case: Case) -> dict[str, Any]:
    """One game from its rules, or its file, to the gap, or as far as it comes."""
    small = OneSidedBounds(forms.one_sided(games.make("pursuit(rows=2, columns=2, pursuers=1)")))
    TrialSearch(small).explore(1.0)  # kernels are loaded
    marks, wall = [time.process_time()], time.perf_counter()
    form, made = _form(case)
    marks += [made, time.process_time()]
    known = OneSidedBounds(form)
    marks.append(time.process_time())
    *before, (lower, upper) = _walked(known, case.gap, marks[0])
    marks.append(time.process_time())
    names = ("table", "form", "bounds", "search")
    spent = {name: after - before for name, before, after in zip(names, marks, marks[1:])}
    sizes = {"states": form.size, "triples": len(form.reward), "slots": len(form.action_label)}
    solving = marks[-1] - marks[0]
    result = {"lower": lower, "upper": upper, "walks": len(before), "used": int(known.touched.sum())}
    clock = {"cpu": solving, "wall": time.perf_counter() - wall, "peak_gib": peak_gib()}
    return {"game": case.spec, **sizes, **spent, **result, **clock}


def _walked(known: OneSidedBounds, gap: float, begun: float) -> Iterator[tuple[float, float]]:
    """The bounds after each walk, until the gap or the end of patience."""
    for lower, upper in approach(known, FINE):
        yield lower, upper
        if upper - lower <= gap or time.process_time() - begun > PATIENCE:
            return


def _form(case: Case) -> tuple[OneSided, float]:
    """The game, and when its table was made; a file has none."""
    folder = os.environ.get("FOGBOUND_MODELS")
    if folder and case.file:
        return files.read_one_sided(Path(folder) / f"{case.file}.osposg"), time.process_time()
    table = forms.table(games.make(case.spec))
    made = time.process_time()
    return forms.one_sided(table), made


def show(result: list[dict[str, Any]]) -> str:
    """The figures as text."""
    title = f"One-sided games: CPU seconds, warm, to gap 1 or for {PATIENCE:.0f} s; `solve`: from the rules on"
    header = ("game", "states", "triples", "table", "form", "bounds", "search", "solve", "wall", "peak MiB")
    reached = ("game", "bounds", "gap", "walks", "actions used", "solve", "target", "document 002")
    stages = [row for row in result if "stages" in row]
    rows = [row for row in result if not {"skipped", "stages"} & row.keys()]
    targets = {case.spec: (case.target, case.published) for case in CASES}
    notes = [f"  {row['game']}: skipped, {row['skipped']}" for row in result if "skipped" in row]
    found = [(*_reached(row), *targets[row["game"]]) for row in rows]
    tables = [aligned(header, [_spent(row) for row in rows]), "", aligned(reached, found), *notes]
    return "\n".join([title, *tables, "", one_sided_stages.show(stages)])


def _spent(row: dict[str, Any]) -> tuple[str, ...]:
    times = (f"{row[name]:.2f}" for name in ("table", "form", "bounds", "search", "cpu", "wall"))
    peak = "-" if row["peak_gib"] is None else f"{1024 * row['peak_gib']:.0f}"
    return row["game"], f"{row['states']:,}", f"{row['triples']:,}", *times, peak


def _reached(row: dict[str, Any]) -> tuple[str, ...]:
    low, high = row["lower"], row["upper"]
    used = f"{row['used']:,} of {row['slots']:,}"
    return (
        row["game"],
        f"[{low:.2f}, {high:.2f}]",
        f"{high - low:.2f}",
        f"{row['walks']:,}",
        used,
        f"{row['cpu']:.2f} s",
    )


if __name__ == "__main__":
    print(json.dumps(closed(CASES[int(sys.argv[1])])))
