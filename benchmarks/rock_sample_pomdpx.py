"""A factored RockSample of any size as a `.pomdpx`, and how long it takes to read.

`python -m benchmarks.rock_sample_pomdpx --size 11 --rocks 11`, from the repository's root.

The rules are those of the game `rock-sample` (Smith and Simmons 2004): the rover's cell is fully observed, each
rock is good or bad, a check is right with probability (1 + 2^(-distance / 20)) / 2, sampling a good rock pays 10
and spoils it, a bad one costs 10, the eastern edge pays 10; everything else that leaves the map costs 100.
"""

from __future__ import annotations

import argparse
import math
import resource
import tempfile
import time
from itertools import product
from pathlib import Path

import numpy as np

from fogbound.files.pomdpx.reader import read_pomdpx

HALF_DISTANCE = 20
MOVES = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
Cell = tuple[int, int]


def rock_sample(size: int, rocks: int, rng: np.random.Generator) -> str:
    """The text of a RockSample on `size` x `size` cells, its rocks placed by `rng`."""
    places = [divmod(int(k), size) for k in rng.choice(size * size, rocks, replace=False)]
    actions = [*MOVES, *(f"check{i}" for i in range(rocks)), "sample"]
    cells = _cells(size)
    parents = " ".join(f"rock{i}_0" for i in range(rocks))
    parts = [
        "<?xml version='1.0'?>\n<pomdpx version='1.0' id='rock-sample'>\n<Discount>0.95</Discount>\n<Variable>",
        _state("rover", " ".join([*map(_name, cells), "out"]), True),
        *(_state(f"rock{i}", "bad good", False) for i in range(rocks)),
        "<ObsVar vname='sight'><ValueEnum>good bad</ValueEnum></ObsVar>",
        f"<ActionVar vname='action'><ValueEnum>{' '.join(actions)}</ValueEnum></ActionVar>",
        "<RewardVar vname='pay'/>\n</Variable>\n<InitialStateBelief>",
        _function("rover_0", "null", [(_name((0, size // 2)), "1")]),
        *(_function(f"rock{i}_0", "null", [("-", "uniform")]) for i in range(rocks)),
        "</InitialStateBelief>\n<StateTransitionFunction>",
        _function("rover_1", "action rover_0", _moves(size, places, actions)),
        *(_function(f"rock{i}_1", f"action rover_0 rock{i}_0", _spoiled(places[i])) for i in range(rocks)),
        "</StateTransitionFunction>\n<ObsFunction>",
        _function("sight", f"action rover_1 {parents.replace('_0', '_1')}", _checks(cells, places)),
        "</ObsFunction>\n<RewardFunction>",
        _function("pay", f"action rover_0 {parents}", _pays(size, places, actions), "Func", "ValueTable"),
        "</RewardFunction>\n</pomdpx>\n",
    ]
    return "\n".join(parts)


def _cells(size: int) -> list[Cell]:
    return list(product(range(size), range(size)))


def _name(cell: Cell) -> str:
    return f"x{cell[0]}y{cell[1]}"


def _state(name: str, values: str, observed: bool) -> str:
    told = f"vnamePrev='{name}_0' vnameCurr='{name}_1' fullyObs='{str(observed).lower()}'"
    return f"<StateVar {told}><ValueEnum>{values}</ValueEnum></StateVar>"


def _function(
    name: str, parents: str, rows: list[tuple[str, str]], tag: str = "CondProb", table: str = "ProbTable"
) -> str:
    entries = [f"<Entry><Instance>{key}</Instance><{table}>{told}</{table}></Entry>" for key, told in rows]
    head = f"<{tag}><Var>{name}</Var><Parent>{parents}</Parent><Parameter type='TBL'>"
    return "\n".join([head, *entries, f"</Parameter></{tag}>"])


def _step(size: int, places: list[Cell], action: str, cell: Cell) -> tuple[Cell | None, float]:
    """Where a rover comes to, none when off the map, and what that pays."""
    if action in MOVES:
        x, y = cell[0] + MOVES[action][0], cell[1] + MOVES[action][1]
        inside = 0 <= x < size and 0 <= y < size
        return ((x, y), 0) if inside else (None, 10 if x == size else -100)
    return (None, -100) if action == "sample" and cell not in places else (cell, 0)


def _moves(size: int, places: list[Cell], actions: list[str]) -> list[tuple[str, str]]:
    rows = [("* out out", "1")]
    for cell, action in product(_cells(size), actions):
        to, _ = _step(size, places, action, cell)
        rows.append((f"{action} {_name(cell)} {_name(to) if to else 'out'}", "1"))
    return rows


def _spoiled(place: Cell) -> list[tuple[str, str]]:
    return [("* * - -", "identity"), (f"sample {_name(place)} * -", "1 0")]


def _checks(cells: list[Cell], places: list[Cell]) -> list[tuple[str, str]]:
    rows = [("* * " + "* " * len(places) + "-", "1 0")]
    for (i, place), cell in product(enumerate(places), cells):
        right = (1 + 2 ** (-math.dist(cell, place) / HALF_DISTANCE)) / 2
        signs = " ".join("-" if k == i else "*" for k in range(len(places)))
        rows.append((f"check{i} {_name(cell)} {signs} -", f"{1 - right!r} {right!r} {right!r} {1 - right!r}"))
    return rows


def _pays(size: int, places: list[Cell], actions: list[str]) -> list[tuple[str, str]]:
    every, rows = "* " * len(places), []
    for cell, action in product(_cells(size), actions):
        _, pay = _step(size, places, action, cell)
        if pay:
            rows.append((f"{action} {_name(cell)} {every}", str(pay)))
    for i, place in enumerate(places):
        signs = " ".join("-" if k == i else "*" for k in range(len(places)))
        rows.append((f"sample {_name(place)} {signs}", "-10 10"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the reading of a RockSample .pomdpx.")
    parser.add_argument("--size", type=int, default=11)
    parser.add_argument("--rocks", type=int, default=11)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="keep the file here")
    told = parser.parse_args()
    text = rock_sample(told.size, told.rocks, np.random.default_rng(told.seed))
    with tempfile.TemporaryDirectory() as folder:
        path = told.out or Path(folder) / "rock_sample.pomdpx"
        path.write_text(text)
        began = time.perf_counter()
        form = read_pomdpx(path)
        seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"RockSample({told.size}, {told.rocks}): {form.size:,} states, {len(form.actions)} actions, ", end="")
    print(f"{len(form.prob):,} outcomes in {seconds:.1f} s, {peak:.2f} GiB")


if __name__ == "__main__":
    main()
