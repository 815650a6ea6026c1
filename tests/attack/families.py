"""One small solve of every family of solvers, and its whole answer without what a clock said."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

import fogbound as fb
from fogbound import archive
from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.files.solution import encode
from fogbound.forms.protocol import Question, derive
from fogbound.parallel import processes
from fogbound.solvers import make
from tests.run import solve


class Family(NamedTuple):
    """A game, the solver, and where it ends: all of it is the same in every run."""

    game: str
    solver: str
    iterations: int
    seed: int = 3


FAMILIES = {
    "sarsop": Family("tiger", "sarsop", 200),
    "hsvi": Family("tiger", "hsvi", 200),
    "pbvi": Family("tiger", "pbvi(points=30)", 30),
    "incremental-pruning": Family("tiger", "incremental-pruning", 12),
    "belief-mdp": Family("tiger", "belief-mdp", 150),
    "pg-hsvi": Family("pursuit(columns=3)", "pg-hsvi", 8),
    "hisg": Family("pursuit(columns=3)", "hisg", 3),
    "cfr-plus": Family("card-poker(ranks=4)", "cfr-plus", 3_000),
    "mccfr": Family("card-poker(ranks=4)", "mccfr", 20_000),
    "shapley": Family("soccer", "shapley", 40),
    "markov-fictitious-play": Family("random-markov", "markov-fictitious-play", 200),
    "level-k": Family("po-nim(n=4)", "level-k(levels=5)", 10),
    "level-k, discounted": Family("po-nim(n=4, discount=0.9)", "level-k(levels=4, prior=poisson)", 10),
    "level-k of three": Family("random(seed=1, seats=3)", "level-k(levels=3)", 10),
}
CLOCKS = ("seconds", "checked_seconds", "wall", "cpu", "pid")  # told beside the answer, no part of it


def solved(name: str, workers: int = 1, **files: Any) -> Solution:
    """The answer of a family; `files` are the driver's checkpoint, resume and every."""
    family, solver = FAMILIES[name], make(FAMILIES[name].solver)
    form = derive(fb.game(family.game), solver.form, Question(0, {}))
    until = Until(iterations=family.iterations)
    return solve(solver, form, until, seed=family.seed, engine=processes(workers), check_seconds=60.0, **files)


def parts(solution: Solution) -> dict[str, str]:
    """A digest of every part of the solution's file, without times."""
    header, arrays = encode(solution)
    trace = arrays.pop("trace")
    plain = {key: json.dumps(timeless(value), sort_keys=True) for key, value in header.items() if key not in CLOCKS}
    found = {key: hashlib.sha256(text.encode()).hexdigest() for key, text in plain.items()}
    arrays["trace"] = trace[:, [0, 2, 3, 4, 5]]  # column 1 is when it was
    return found | {name: hashlib.sha256(archive.canonical(a).tobytes()).hexdigest() for name, a in arrays.items()}


def digest(solution: Solution) -> str:
    """One digest of the whole."""
    return hashlib.sha256(json.dumps(parts(solution), sort_keys=True).encode()).hexdigest()


def timeless(value: Any) -> Any:
    """A JSON value without what a clock said."""
    if isinstance(value, dict):
        return {key: timeless(part) for key, part in value.items() if key not in CLOCKS}
    return [timeless(part) for part in value] if isinstance(value, list | tuple) else value


def differing(one: Solution, other: Solution) -> list[str]:
    """The parts in which two answers are not the same bytes."""
    mine, theirs = parts(one), parts(other)
    return sorted(name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name))
