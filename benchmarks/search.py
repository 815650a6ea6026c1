"""Planning in large POMDPs: what the search earns and takes a move, beside published figures, and simulations a second.

Games are played by `solvers/search/episodes`: the state is drawn, the belief is exact, every decision is searched anew.
Milliseconds are CPU time, the belief's included. `GAMES` in the environment: games a row.
"""

from __future__ import annotations

import os
import statistics
import time
from math import sqrt
from typing import Any

import fogbound as fb
from benchmarks.text import aligned
from fogbound.solvers.search.kernels.simulation import SearchRoot
from fogbound.solvers.search.planner import opening
from fogbound.solvers.search.pomcp import POMCP
from fogbound.solvers.search.simulator import modelled_simulator
from fogbound.solvers.search.tree_search import TreeSearch

GAMES = int(os.environ.get("GAMES", "1000"))
PLANS = (  # spec, solver, wanted return and milliseconds a move, DESPOT and POMCP at 1 s (quoted: Ye et al. 2017)
    ("rock-sample(size=7, rocks=8)", POMCP(8000, reuse=False), 20.3, 15.0, "20.93 / 16.80"),
    ("rock-sample(size=11, rocks=11)", POMCP(5000, reuse=False), 21.0, 10.0, "21.75 / 18.10"),
    ("rock-sample(size=15, rocks=15)", POMCP(6000, reuse=False), 18.3, 15.0, "18.64 / 12.23"),
    ("tag", POMCP(5000, reuse=False), None, None, "−6.23 / −7.14"),
    (
        "rock-sample(size=7, rocks=8)",
        POMCP(2000, value="rollout", exploration=1.0, reuse=False),
        None,
        None,
        "uniform rollouts",
    ),
)
RATES = (("rock-sample(size=7, rocks=8)", 5000, 0.6), ("tag", 1000, 1.0))  # simulations, wanted millions a second


def measure(rounds: int) -> dict[str, Any]:
    """All figures, ready for JSON."""
    return {"rates": [rate(*row, rounds) for row in RATES], "plans": [earned(*row) for row in PLANS]}


def rate(spec: str, simulations: int, wanted: float, rounds: int) -> dict[str, Any]:
    """Millions of simulations a second from the start, in the room of the search before: the best of the rounds."""
    found, solver = modelled_simulator(fb.game(spec), 0, {}), POMCP()
    root: SearchRoot = opening(found.compiled)
    search = TreeSearch(found.compiled, solver.way(), root, found.me, 0)
    search.run(simulations)
    seconds = []
    for seed in range(rounds):
        start = time.process_time()
        search.restart(root, seed)
        search.run(simulations)
        seconds.append(time.process_time() - start)
    return {"game": spec, "simulations": simulations, "millions": simulations / min(seconds) / 1e6, "wanted": wanted}


def earned(spec: str, solver: POMCP, least: float | None, most: float | None, beside: str) -> dict[str, Any]:
    """Mean discounted return of the games, its standard error, CPU milliseconds a move."""
    planner = solver.policy(fb.game(spec), 0)
    games = planner.episodes()
    games.play("compiled, or read from the cache")
    start = time.process_time()
    played = [games.play(str(number)) for number in range(GAMES)]
    spent, returns = time.process_time() - start, [each.gained for each in played]
    return {
        "game": spec,
        "leaf": planner.simulator.leaf,
        "simulations": solver.simulations,
        "games": GAMES,
        "mean": statistics.fmean(returns),
        "error": statistics.stdev(returns) / sqrt(GAMES) if GAMES > 1 else None,
        "milliseconds": 1e3 * spent / sum(each.decisions for each in played),
        "least": least,
        "most": most,
        "beside": beside,
    }


def show(found: dict[str, Any]) -> str:
    """The figures as tables."""
    rates = [
        [row["game"], f"{row['simulations']:,}", f"{row['millions']:.2f}", f"{row['wanted']:g}"]
        for row in found["rates"]
    ]
    plans = []
    for row in found["plans"]:
        error = "" if row["error"] is None else f" ± {row['error']:.2f}"
        wanted = "" if row["least"] is None else f"{row['least']:g} at {row['most']:g}"
        figures = [f"{row['games']:,}", f"{row['mean']:.2f}{error}", f"{row['milliseconds']:.1f}", wanted]
        plans.append([row["game"], row["leaf"], f"{row['simulations']:,}", *figures, row["beside"]])
    head = ["game", "leaf", "simulations", "games", "return", "ms a move", "wanted", "DESPOT / POMCP, 1 s"]
    return "\n\n".join(
        [
            "search, simulations a second",
            aligned(["game", "simulations", "millions/s", "wanted"], rates),
            "search, discounted return ± one standard error; published figures quoted",
            aligned(head, plans),
        ]
    )
