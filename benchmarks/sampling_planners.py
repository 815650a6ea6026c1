"""What planners that only sample earn at equal time, and how many simulations they make in a simulator in Python.

Light-dark: `pomcpow` and `pft-dpw` beside `pomcp` with observations in bins of width 1. RockSample(7,8) and Tag:
`despot` beside `pomcp` and `lookahead`. The tiger problem that ends and RockSample(4,4): `despot` beside `sarsop`.
A move takes 100 ms of wall time; CPU time is what was used of it. `GAMES=100` plays as many. Intervals are 95 %.
"""

from __future__ import annotations

import math
import os
import time
from typing import Any

import numpy as np

import fogbound as fb
from benchmarks.text import aligned
from fogbound.core.game import Observation
from fogbound.games.light_dark.game import LightDark

GAMES, SECONDS, MOVES = int(os.environ.get("GAMES", "20")), 0.1, 150
MANY = "simulations=1000000"
STEP = 10e-6  # seconds


class Binned(LightDark):
    """Light-dark with observations rounded down to a whole number, and weighed by the probability of that bin."""

    def step(self, state: float, action: int, rng: np.random.Generator) -> tuple[float, float, float, bool]:
        there, seen, reward, done = super().step(state, action, rng)
        return there, float(math.floor(seen)), reward, done

    def observation_density(self, state: float, action: int, next_state: float, observation: float) -> float:  # noqa: ARG002
        if action == 0:
            return 1.0
        scale = (abs(next_state - self.light) + 1e-4) * math.sqrt(2)
        low, high = (math.erf((edge - next_state) / scale) for edge in (observation, observation + 1))
        return max((high - low) / 2, 1e-12)


class Slow(fb.Simulator):
    """A random walk whose step takes 10 microseconds of computing, over after ten steps."""

    actions = ("left", "right")
    discount = 0.95

    def initial(self, rng: np.random.Generator) -> tuple[float, int]:
        return rng.normal(), 0

    def step(self, state: Any, action: str, rng: np.random.Generator) -> Any:
        until = time.perf_counter() + STEP
        where, steps = state
        where += (1 if action == "right" else -1) + rng.normal()
        while time.perf_counter() < until:
            pass
        return (where, steps + 1), where + rng.normal(), -abs(where), steps + 1 == 10

    def observation_density(self, state: Any, action: str, next_state: Any, observation: float) -> float:  # noqa: ARG002
        return math.exp(-0.5 * (observation - next_state[0]) ** 2)

    def value(self, state: Any) -> float:
        return -abs(float(state[0]))


ROWS: list[tuple[str, Any, str]] = [
    ("light-dark", LightDark(), f"pomcpow({MANY}, seconds={SECONDS})"),
    ("light-dark", LightDark(), f"pft-dpw({MANY}, seconds={SECONDS})"),
    ("light-dark, binned", Binned(), f"pomcp({MANY}, seconds={SECONDS})"),
    ("rock-sample(7,8)", "rock-sample(7, 8)", f"despot({MANY}, seconds={SECONDS})"),
    ("rock-sample(7,8)", "rock-sample(7, 8)", f"pomcp({MANY}, seconds={SECONDS})"),
    ("rock-sample(7,8)", "rock-sample(7, 8)", f"lookahead(nodes=1000000, milliseconds={1000 * SECONDS})"),
    ("tag", "tag", f"despot({MANY}, seconds={SECONDS})"),
    ("tag", "tag", f"pomcp({MANY}, seconds={SECONDS})"),
    ("tag", "tag", f"lookahead(nodes=1000000, milliseconds={1000 * SECONDS})"),
    ("tiger(resets=false)", "tiger(resets=false)", "despot"),
    ("rock-sample(4,4)", "rock-sample", "despot(simulations=300)"),
]


def measure(rounds: int) -> dict[str, Any]:  # noqa: ARG001 - games are the rounds
    """Each row's figures, ready for JSON."""
    return {
        "returns": [_played(*row) for row in ROWS],
        "sarsop": {name: fb.solve(name, "sarsop").value for name in ("tiger(resets=false)", "rock-sample")},
        "speed": {name: _speed(name) for name in ("pomcpow", "pomcp", "pft-dpw(m=1)")},
    }


def _played(name: str, game: Any, solver: str) -> dict[str, Any]:
    policy = fb.policy(solver, game)
    fb.match(game, [policy], games=1, seed=7, most_steps=2)  # compiled, and what is made once is made
    moves: list[int] = []
    began = time.process_time()
    result = fb.match(game, [policy], games=GAMES, seed=1, most_steps=MOVES, watch=moves.append, plain=True)
    one = result.players[0]
    half = one.score_interval[1] - one.score
    return {"game": name, "solver": solver, "mean": one.score, "half": half, "cpu": time.process_time() - began}


def _speed(solver: str) -> float:
    """Simulations a CPU second from the start of `Slow`."""
    planner: Any = fb.policy(solver, Slow())
    search = planner.search(planner.begin(Observation(None, None)), ("left", "right"))
    search.run(200)
    began, before = time.process_time(), search.done
    search.run(5000)
    return float(search.done - before) / (time.process_time() - began)


def show(results: dict[str, Any]) -> str:
    rows = []
    for row in results["returns"]:
        figure = f"{row['mean']:.2f} ± {row['half']:.2f}"
        rows.append([row["game"], row["solver"].partition("(")[0], figure, f"{row['cpu']:.0f}"])
    lines = [aligned(["game", "planner", f"return, {GAMES} games", "CPU s"], rows)]
    lines += [f"sarsop on {name}: {value:.2f}" for name, value in results["sarsop"].items()]
    lines += [
        f"{name}: {speed:,.0f} simulations a CPU second, a step takes 10 µs" for name, speed in results["speed"].items()
    ]
    return "\n".join(lines)
