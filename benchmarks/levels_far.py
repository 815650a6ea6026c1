"""How large heaps can grow: levels 1 to 5 in 60 CPU seconds, each game in a process of its own.

What stops a search is the number of beliefs that a player may hold (about 1 KB each, more while room is made) or the
clock. With a discount SARSOP goes on from there, so less is left to the search. A level that is stopped is reported
with the bounds it had, and higher levels reply to what it could play.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from math import sqrt
from pathlib import Path
from typing import Any

import fogbound as fb
from benchmarks.text import aligned
from fogbound.forms.table import enumerate_table
from fogbound.solvers.level_k.hierarchy import SolvedHierarchy, solve_levels
from fogbound.solvers.pomdp.belief_graph.search import SearchLimits

LEVELS, SECONDS = 5, 60.0
ENDLESS = tuple((f"po-nim(n={heaps})", 1_500_000) for heaps in (12, 14, 16, 20))  # and the most beliefs of a player
FADING = tuple((f"po-nim(n={heaps}, discount={sqrt(0.999):.7f})", 300_000) for heaps in (14, 20))
MOST_BYTES = 8 << 30  # of addresses: the machine is other people's too
STATUS = Path("/proc/self/status")  # of Linux
FIGURES = ("level", "player", "value", "upper", "nodes", "converged", "by", "seconds")


def measure() -> list[dict[str, Any]]:
    """Each game's figures, or why there are none."""
    return [_apart(spec, beliefs) for spec, beliefs in (*ENDLESS, *FADING)]


def _apart(spec: str, beliefs: int) -> dict[str, Any]:
    command = [sys.executable, "-m", __name__, spec, str(beliefs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing"]
        return {"game": spec, "rungs": [], "skipped": f"exit code {done.returncode}: {said[-1]}"}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def climbed(spec: str, beliefs: int) -> dict[str, Any]:
    """All levels, each as far as it comes."""
    solve_levels(fb.game("po-nim(n=2)"), 1)  # kernels are read from the cache
    began = time.process_time()
    limits = SearchLimits(lambda: time.process_time() - began > SECONDS, beliefs)
    found, solutions = SolvedHierarchy(enumerate_table(fb.game(spec))), []
    for _ in range(LEVELS):
        if time.process_time() - began <= SECONDS:
            solutions += [{name: getattr(solution, name) for name in FIGURES} for solution in found.solve_next(limits)]
    spent = time.process_time() - began
    return {"game": spec, "cpu": spent, "peak_gib": peak_gib(), "rungs": solutions, **sizes(found)}


def peak_gib() -> float | None:
    """The most memory this process has held; getrusage would count that of the parent. None where nobody says."""
    if not STATUS.exists():
        return None
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines() if ":" in line)
    return int(lines["VmHWM"].split()[0]) / 2**20  # from KiB


def sizes(found: SolvedHierarchy) -> dict[str, list[int]]:
    """What each player of a game of two holds: beliefs, points (pairs of a state and a node), kinds of controllers."""
    belief_graphs = [side.belief_graph for side in found.sides]
    return {
        "beliefs": [belief_graph.beliefs for belief_graph in belief_graphs],
        "points": [belief_graph.states for belief_graph in belief_graphs],
        "kinds": [len(set(own[1:])) for own in found.kinds],
    }


def show(result: list[dict[str, Any]]) -> str:
    """The figures as text: a line a game and player, with the first level and the last that was reached."""
    header = ("game", "player", "level 1", "last level", "converged", "by SARSOP", "beliefs", "CPU s", "peak GiB")
    lines = [_line(row, player) for row in result if row["rungs"] for player in (0, 1)]
    notes = [f"  {row['game']}: skipped, {row['skipped']}" for row in result if "skipped" in row]
    limits = f"How far: levels 1 to {LEVELS} in {SECONDS:.0f} CPU seconds, so many beliefs a player"
    return "\n".join([limits, aligned(header, lines), *notes])


def _line(row: dict[str, Any], player: int) -> tuple[str, ...]:
    solutions = [solution for solution in row["rungs"] if solution["player"] == player]
    converged, planes = (
        sum(solution["converged"] for solution in solutions),
        sum(solution["by"] == "sarsop" for solution in solutions),
    )
    last = f"{solutions[-1]['level']}: {_bounds(solutions[-1])}"
    shares = (f"{converged} of {len(solutions)}", str(planes), f"{row['beliefs'][player]:,}")
    return row["game"], str(player), _bounds(solutions[0]), last, *shares, f"{row['cpu']:.1f}", gib(row["peak_gib"])


def gib(peak: float | None) -> str:
    return "-" if peak is None else f"{peak:.2f}"


def _bounds(solution: dict[str, Any]) -> str:
    low, high = solution["value"], solution["upper"]
    return f"{low:.5f}" if high - low < 1e-5 else f"[{low:.3f}, {high:.3f}]"


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    print(json.dumps(climbed(sys.argv[1], int(sys.argv[2]))))
