"""What planners earn at equal time a move, and how many simulations they make a second.

    python -m benchmarks.sampling_planners --workers 16 --minutes 60 --pomdp-py PYTHON

plays games of every row in turn until the time is over, one game a process, and prints a table: the mean discounted
return with its 95 % interval, games, milliseconds and simulations a decision, simulations a second of thinking.
`--only` takes words that a row must have, `--games` is the most games of a row, `--json` a file for all figures.

- Light-dark and laser tag: `pomcpow` and `pft-dpw` with the parameters of Sunberg and Kochenderfer (2018), as in the
  programs of that paper (`exploration` is its c, since `spread=1`), beside `pomcp`, on light-dark with observations
  in bins. Every game of laser tag has obstacles of its own, as there.
- RockSample and Tag: `despot` beside `pomcp` and `lookahead` at 10 ms, 100 ms and 1 s a move.
- The tiger problem and RockSample(7,8) at 100 ms a move: `pomcp`, with random rollouts and as it is by default, beside
  pomdp-py's POUCT on the same rules (`pomdp_py_peer.py`), all from exact beliefs, with a new tree for every decision;
  depth and exploration of POUCT are those of pomdp-py's own examples, and rollouts have its depth.

A simulation is one descent from the root to a new node and the return back up: for `pomcp` and `pomcpow` one step of
the model for every level, for `pft-dpw` m=20 steps where a belief is new. For `despot` it is a trial, which expands
one belief at least: every action in all of its scenarios.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import fogbound as fb
from benchmarks.text import aligned
from fogbound.core.game import Observation

MANY = 100_000_000
LIGHT = (
    "exploration={c}, spread=1, k_observation={k}, alpha_observation={alpha}, depth=20, final=value, particles=10000"
)
LASER = "exploration=26, spread=1, k_observation=4, alpha_observation=0.02857142857142857, depth=90, particles=10000"
POMCPOW_LIGHT = LIGHT.format(c=90, k=5, alpha=1 / 15)
PFT_LIGHT = LIGHT.format(c=100, k=4, alpha=0.1) + ", m=20"
PEER = {
    "tiger": {"problem": "tiger", "accuracy": 0.85, "moves": 40, "depth": 3, "exploration": 50.0},
    "rock-sample(7,8)": {
        "problem": "rock-sample",
        "size": 7,
        "half": 20.0,
        "rocks": [[2, 0], [0, 1], [3, 1], [6, 3], [2, 4], [3, 4], [5, 5], [1, 6]],
        "moves": 100,
        "depth": 30,
        "exploration": 5.0,
    },
}


@dataclass(frozen=True)
class Row:
    """A planner in a game, at so many seconds a move; `python`: pomdp-py's interpreter."""

    game: str
    planner: str
    seconds: float
    moves: int = 100
    python: str = ""

    @property
    def solver(self) -> str:
        name, _, rest = self.planner.partition("(")
        clock = f"nodes={MANY}, milliseconds={1e3 * self.seconds:g}" if name == "lookahead" else ""
        clock = clock or f"seconds={self.seconds:g}"
        return f"{name}({clock}{', ' + rest if rest else ')'}"

    @property
    def name(self) -> str:
        return f"{self.game} {self.planner.partition('(')[0]} {self.seconds:g}"


def rows(python: str = "") -> list[Row]:
    """Every row of the table."""
    found = []
    for seconds in (0.1, 1.0):
        found.append(Row("light-dark", f"pomcpow({POMCPOW_LIGHT})", seconds))
        found.append(Row("light-dark", f"pft-dpw({PFT_LIGHT})", seconds))
        binned = "pomcp(exploration=100, spread=1, depth=20, final=value, particles=10000)"
        found += [Row(f"light-dark, bins of {width}", binned, seconds) for width in (1.0, 0.05)]
        found.append(Row("laser-tag", f"pomcpow({LASER})", seconds))
        found.append(Row("laser-tag", f"pft-dpw({LASER}, m=20)", seconds))
        found.append(Row("laser-tag", "pomcp(exploration=26, spread=1, depth=90, particles=10000)", seconds))
    for game in ("rock-sample(7,8)", "rock-sample(11,11)", "rock-sample(15,15)", "tag"):
        for seconds in (0.01, 0.1, 1.0):
            planners = ["despot(scenarios=500, particles=65536)", "pomcp"]
            planners += [] if game == "rock-sample(15,15)" else ["lookahead"]  # which needs a form
            found += [Row(game, planner, seconds) for planner in planners]
    for game in ("tiger", "rock-sample(7,8)"):
        moves, depth = int(str(PEER[game]["moves"])), PEER[game]["depth"]
        found.append(Row(game, f"pomcp(value=rollout, reuse=false, depth={depth})", 0.1, moves))
        if game == "tiger":  # RockSample's stands above
            found.append(Row(game, "pomcp(reuse=false)", 0.1, moves))
        if python:
            found.append(Row(game, "pomdp-py", 0.1, moves, python))
    return found


def play(row: Row, number: int) -> dict[str, float]:
    """One game of a row."""
    if row.python:
        given = {**PEER[row.game], "games": 1, "seconds": row.seconds, "seed": number, "discount": 0.95}
        ran = subprocess.run(
            [row.python, str(Path(__file__).with_name("pomdp_py_peer.py")), json.dumps(given)],
            capture_output=True,
            text=True,
            check=True,
        )
        found: dict[str, float] = json.loads(ran.stdout)[0]
        return found
    layout = number + 1 if row.game == "laser-tag" else 0
    game, policy = planner_of(row, layout)
    counted = row.planner != "lookahead"  # which has no simulations
    before, began = policy.tally.copy() if counted else Counter[str](), time.perf_counter()
    result = fb.match(game, [policy], games=1, seed=number, most_steps=row.moves, plain=True)
    seconds = time.perf_counter() - began
    spent = policy.tally - before if counted else before
    figures = {"simulations": spent["simulations"], "decisions": spent["decisions"]}
    return {"return": result.players[0].score, "seconds": seconds, **figures}


@cache
def planner_of(row: Row, layout: int) -> tuple[Any, Any]:
    """The game and the planner of a row, which has played two moves: what is compiled or made once is there."""
    if row.game.startswith("light-dark, bins"):
        from benchmarks.binned_light_dark import Binned

        game = fb.game(Binned(bins=float(row.game.rpartition(" ")[2])))
    else:
        game = fb.game(f"laser-tag(layout={layout})" if row.game == "laser-tag" else row.game)
    policy = fb.policy(row.solver, game)
    fb.match(game, [policy], games=1, seed=0, most_steps=2, plain=True)
    return game, policy


def played(chosen: list[Row], workers: int, minutes: float, most: int) -> dict[Row, list[dict[str, float]]]:
    """Games of all rows in turn, until the time is over; games under way are finished."""
    found: dict[Row, list[dict[str, float]]] = {row: [] for row in chosen}
    ends = time.monotonic() + 60 * minutes
    order = iter((row, number) for number in range(most) for row in chosen)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        under_way: dict[Future[dict[str, float]], Row] = {}
        for row, number in _until(order, ends):
            under_way[pool.submit(play, row, number)] = row
            if len(under_way) >= workers:
                _collect(under_way, found)
        while under_way:
            _collect(under_way, found)
    return found


def _until(order: Iterator[tuple[Row, int]], ends: float) -> Iterator[tuple[Row, int]]:
    for job in order:
        if time.monotonic() > ends:
            return
        yield job


def _collect(under_way: dict[Future[dict[str, float]], Row], found: dict[Row, list[dict[str, float]]]) -> None:
    for future in wait(under_way, return_when=FIRST_COMPLETED).done:
        row = under_way.pop(future)
        try:
            found[row].append(future.result())
        except Exception as error:  # a row that cannot be played is named, and the others go on
            print(f"{row.name}: {error}", file=sys.stderr)
        print(".", end="", file=sys.stderr, flush=True)


def table(found: dict[Row, list[dict[str, float]]]) -> str:
    """The figures, one line a row."""
    lines = []
    for row, games in found.items():
        if not games:
            continue
        returns = np.array([game["return"] for game in games])
        half = 1.96 * returns.std(ddof=1) / math.sqrt(len(returns)) if len(returns) > 1 else math.nan
        sums = {key: sum(game[key] for game in games) for key in ("simulations", "decisions", "seconds")}
        decisions = max(sums["decisions"], 1)
        lines.append(
            [
                row.game,
                row.planner.partition("(")[0] + (" (rollouts)" if "value=rollout" in row.planner else ""),
                f"{1e3 * row.seconds:g}",
                f"{returns.mean():.2f} ± {half:.2f}",
                str(len(returns)),
                f"{1e3 * sums['seconds'] / decisions:.0f}" if sums["decisions"] else "",
                f"{sums['simulations'] / decisions:,.0f}" if sums["simulations"] else "",
                f"{sums['simulations'] / sums['seconds']:,.0f}" if sums["simulations"] else "",
            ]
        )
    header = ["game", "planner", "ms given", "return", "games", "ms a decision", "simulations", "a second"]
    return aligned(header, lines)


def speeds() -> dict[str, dict[str, float]]:
    """Simulations and steps of the model a CPU second, from the start, in plain numpy and compiled."""
    from benchmarks.glider import CompiledGlider, Glider

    found = {}
    for model, count in ((Glider(), 3_000), (CompiledGlider(), 100_000)):
        game = fb.game(model)
        for solver in ("pomcpow", "pomcp", "pft-dpw"):
            planner: Any = fb.policy(solver, game)
            memory = planner.begin(Observation(None, None))
            search = planner.search(memory, model.actions)
            search.run(count)
            search = planner.search(memory, model.actions)
            began = time.process_time()
            search.run(count)
            name = f"{type(model).__name__}, {solver}"
            found[name] = {"simulations a second": search.done / (time.process_time() - began)}
    rng = np.random.default_rng(0)
    state, model = Glider().initial(rng), Glider()
    began = time.process_time()
    for _ in range(20_000):
        model.step(state, "north", rng)
    found["Glider, a step in numpy"] = {"µs": (time.process_time() - began) / 0.02}
    return found


def measure(rounds: int) -> dict[str, Any]:  # noqa: ARG001 - games are the rounds
    """A short run of everything, for `python -m benchmarks`."""
    quick = [row for row in rows() if row.seconds == 0.1]
    return {"table": table(played(quick, os.cpu_count() or 1, 5.0, 20)), "speed": speeds()}


def show(results: dict[str, Any]) -> str:
    speed = [f"{name}: {value:,.0f} {unit}" for name, one in results["speed"].items() for unit, value in one.items()]
    return "\n".join([results["table"], *speed])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sampling_planners", description=__doc__)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes, one game each")
    parser.add_argument("--minutes", type=float, default=30.0, help="until no more games begin (30)")
    parser.add_argument("--games", type=int, default=1000, help="the most games of a row (1000)")
    parser.add_argument("--only", nargs="*", default=[], help="words that a row must have: a game, a planner, seconds")
    parser.add_argument("--pomdp-py", default="", metavar="PYTHON", help="an interpreter that has pomdp-py")
    parser.add_argument("--json", default="", metavar="FILE", help="write every game's figures there")
    options = parser.parse_args()
    chosen = [row for row in rows(options.pomdp_py) if all(word in row.name for word in options.only)]
    print(show({"table": "", "speed": {} if options.only else speeds()}), flush=True)
    found = played(chosen, options.workers, options.minutes, options.games)
    if options.json:
        figures = {f"{row.game} | {row.planner} | {row.seconds}": games for row, games in found.items()}
        Path(options.json).write_text(json.dumps(figures, indent=1))
    print("", table(found), sep="\n")


if __name__ == "__main__":
    main()
