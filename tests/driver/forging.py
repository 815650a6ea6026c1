"""Checkpoints that no run has written: `python -m tests.driver.forging SEED COUNT NAME …` forges, resumes and counts.

Every family that keeps arrays is here. A forged checkpoint must be refused, or gone on with to an answer whose
certified bounds are true. Kernels run uncompiled, where an index past the end of an array is an error, and one below 0
is made one.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import fogbound as fb
from fogbound import archive
from fogbound.core.errors import FogboundError
from fogbound.driver.solver import Solver
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers import SOLVERS
from tests.compiled.guarded import guard_bundles

LONGEST = 60  # seconds of the processor for one resumed run: they take a second or two
HUNT, NIM, UNEVEN = "pursuit(columns=2)", "po-nim(n=2)", "repeated(matrix=uneven)"
TIGER, CAUGHT, DEAL = (19.3713, 19.3714), (92.066, 92.077), (-1e-9, 1e-9)  # known values


@dataclass(frozen=True)
class Case:
    """A solver, stopped after so many iterations and resumed for so many more; where its value is known to lie."""

    game: str
    solver: str
    stops: int
    more: int = 2
    value: tuple[float, float] = (-np.inf, np.inf)


SPECIAL = {  # by what is special about them: other games, fewer iterations, other parameters
    "sarsop": Case("tiger", "sarsop", 20, value=TIGER),
    "hsvi": Case("tiger", "hsvi(policy=vectors)", 12, value=TIGER),
    "average-reward": Case("tiger", "average-reward", 4),
    "pbvi": Case("tiger", "pbvi(points=20)", 4),
    "incremental-pruning": Case("tiger", "incremental-pruning", 3),
    "qmdp": Case("tiger", "qmdp(games=100)", 20, 20),
    "fib": Case("tiger", "fib(games=100)", 20, 20),
    "belief-mdp": Case("tiger", "belief-mdp", 3),
    "pg-hsvi": Case(HUNT, "pg-hsvi", 5, value=CAUGHT),
    "isg": Case(HUNT, "isg(trials=3)", 9, value=CAUGHT),
    "hisg, subsets": Case(HUNT, "hisg(runs=3, subset_trials=2)", 2, value=CAUGHT),
    "hisg": Case(HUNT, "hisg(runs=3, subset_trials=2, trials=3)", 7, value=CAUGHT),
    "level-k": Case(NIM, "level-k(levels=2)", 1, 1),
    "quantal levels": Case(NIM, "level-k(levels=2, precision=1)", 1, 1),
    "cfr in sweeps": Case("king-ace", "cfr(sampling=full)", 20, value=DEAL),
    "mccfr by outcome": Case("king-ace", "mccfr(sampling=outcome)", 20, value=DEAL),
    "mccfr with baselines": Case("king-ace", "mccfr(sampling=outcome, baseline=0.5)", 20, value=DEAL),
    "double-oracle": Case("card-poker(ranks=3)", "double-oracle", 3, value=(-1 / 18 - 1e-9, -1 / 18 + 1e-9)),
    "resolve": Case("king-ace", "resolve(budget=50)", 2, value=DEAL),
    "oos": Case("king-ace", "oos(walks=20)", 2, value=DEAL),
    "mcts": Case("tic-tac-toe", "mcts(simulations=20)", 10),
    "is-mcts": Case("card-poker(ranks=3)", "is-mcts(simulations=60)", 20, 20),
    "pomcp-pgt": Case("card-poker(ranks=3)", "pomcp-pgt(rule=regret, simulations=60)", 20, 20),
    "pomcp": Case("tiger", "pomcp(simulations=20, games=20)", 5, 2),
    "pomcpow": Case("tiger", "pomcpow(simulations=10, games=20, depth=20)", 5, 2),
    "pft-dpw": Case("tiger", "pft-dpw(simulations=10, games=20, depth=20, m=5)", 5, 2),
    "despot": Case("tiger", "despot(simulations=5, games=20, depth=20, scenarios=20)", 5, 2),
    "shapley": Case(UNEVEN, "shapley", 5, value=(7.4999, 7.5001)),
    "hoffman-karp": Case("random-markov(zero_sum=true)", "hoffman-karp", 2),
    "markov-nash": Case("random-markov(seed=3)", "markov-nash", 1),
    "stochastic-nlp": Case("random-markov(seed=3)", "stochastic-nlp", 1),
    "markov-fictitious-play": Case("random-markov(seed=3)", "markov-fictitious-play", 5),
    "value-iteration": Case("random-markov(seats=1)", "value-iteration", 5),
    "policy-iteration": Case("random-markov(seats=1)", "policy-iteration", 1),
    "belief-search": Case("tiger", "belief-search", 1, value=TIGER),
}


def derived() -> dict[str, Case]:
    """A case for every solver on the sequence form that declares arrays."""
    found = ((name, SOLVERS.load(name)) for name in SOLVERS)
    on_sequences = [name for name, cls in found if cls.form is SequenceForm and cls.remembers is not Solver.remembers]
    return {name: Case("king-ace", name, 20, value=DEAL) for name in on_sequences}


CASES = {**derived(), **SPECIAL}


class Forger:
    """Changes one or two things of a checkpoint: a number, an array, or what its header says."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def forge(self, header, arrays):
        """(what was done, header, arrays)"""
        header, arrays, done = copy.deepcopy(header), {name: array.copy() for name, array in arrays.items()}, []
        for _ in range(1 + (self.rng.random() < 0.2)):
            ways = [*[self.number] * 6, self.some, self.swap, self.shuffle, self.length, self.headline]
            done.append(self.pick(ways)(header, arrays))
        return "; ".join(done), header, arrays

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def name(self, arrays):
        return self.pick([name for name in arrays if arrays[name].size] or ["trace"])

    def place(self, array):
        """Mostly early: what is used comes first, then room to grow."""
        most = array.size if self.rng.random() < 0.3 else min(array.size, self.pick([4, 16, 64, 256]))
        return int(self.rng.integers(most))

    def strange(self, array, old):
        if array.dtype.kind == "f":
            wild = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 1e99, -1e99, 1e-320, 0.5, 2.0, 1e6]
            near = [old * 1.001, old * 0.5, -old, old + 1, old - 1, old * (1 + 1e-9), float(self.rng.normal())]
            return self.pick(wild + near)
        wild = [0, 1, -1, -2, -3, array.size, array.size - 1, array.size + 1, 2**31, 2**62, -(2**63), 2**63 - 1]
        flipped, low = int(old) ^ (1 << int(self.rng.integers(63))), self.rng.integers(50, size=6).tolist()
        near = [int(old) + 1, int(old) - 1, flipped, *low]
        return (
            int(np.clip(self.pick(wild + near), -(2**63), 2**63 - 1))
            if array.dtype.kind == "i"
            else self.pick([0, 1, 7])
        )

    def number(self, header, arrays):
        name = self.name(arrays)
        place = self.place(arrays[name])
        with np.errstate(all="ignore"):
            new = self.strange(arrays[name], arrays[name].flat[place])
        arrays[name].flat[place] = new
        return f"{name}[{place}] = {new}"

    def some(self, header, arrays):
        name = self.name(arrays)
        part = slice(self.place(arrays[name]), None)
        with np.errstate(all="ignore"):
            new = self.strange(arrays[name], arrays[name].flat[0])
        arrays[name].flat[part] = new
        return f"{name}[{part.start}:] = {new}"

    def swap(self, header, arrays):
        one, other = self.name(arrays), self.name(arrays)
        arrays[one], arrays[other] = arrays[other], arrays[one]
        if self.rng.random() < 0.5:
            kinds = header["arrays"]
            one, other = one.removeprefix("state/"), other.removeprefix("state/")
            if one in kinds and other in kinds:
                kinds[one], kinds[other] = kinds[other], kinds[one]
        return f"{one} and {other} swapped"

    def shuffle(self, header, arrays):
        name = self.name(arrays)
        flat, count = arrays[name].reshape(-1), int(self.pick([4, 16, arrays[name].size]))
        flat[:count] = self.pick([self.rng.permutation, np.flip, lambda part: np.roll(part, 1)])(flat[:count])
        return f"{name}[:{count}] in another order"

    def length(self, header, arrays):
        name = self.name(arrays)
        flat = arrays[name].reshape(-1)
        arrays[name] = self.pick(
            [flat[:-1], np.append(flat, flat[-1:]), flat[:0], flat[: len(flat) // 2], np.tile(flat, 2)]
        )
        own = name.removeprefix("state/")
        if own in header["arrays"] and self.rng.random() < 0.8:
            header["arrays"][own][1] = list(arrays[name].shape)
        return f"{name} of {arrays[name].size} entries"

    def headline(self, header, arrays):
        where = header
        while True:
            key = self.pick(list(where)) if isinstance(where, dict) else int(self.rng.integers(len(where)))
            if not isinstance(where[key], dict | list) or not where[key] or self.rng.random() < 0.1:
                break
            where = where[key]
        odd = [
            None,
            -1,
            0,
            1,
            2**70,
            1e300,
            "",
            "x",
            "<f4",
            "|O",
            "<U9",
            [],
            {},
            [[]],
            True,
            "9" * 5000,
            [2**40],
            -(2**70),
        ]
        where[key] = self.pick(odd)
        return f"header {key} = {str(where[key])[:20]}"


def written(case: Case, path: Path):
    """(header, arrays) of a real checkpoint."""
    fb.solve(case.game, case.solver, iterations=case.stops, checkpoint=path)
    return archive.load(path, "checkpoint")


def resumed(case: Case, path: Path) -> str:
    """What comes of going on: refused, went on, or what is bad about it."""
    try:
        solution = fb.solve(case.game, case.solver, iterations=case.stops + case.more, resume=path)
    except FogboundError as error:
        text = str(error)
        return "refused" if len(text) <= 600 and "\n" not in text else f"bad: a message of {len(text)} characters"
    except BaseException as error:  # whatever it is, it is bad
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"bad: {type(error).__name__}: {error} at {Path(last.filename).name}:{last.lineno}"
    low, high = case.value
    if solution.certified in ("both", "lower") and solution.lower > high:
        return f"bad: certified to be at least {solution.lower}, above {high}"
    if solution.certified in ("both", "upper") and solution.upper < low:
        return f"bad: certified to be at most {solution.upper}, below {low}"
    return "went on" if solution.certified == "none" else verified(solution, case, path.with_name("answer.npz"))


def verified(solution, case: Case, path: Path) -> str:
    """What is called certified is confirmed once it was written to a file."""
    solution.save(path)
    proof = fb.verify(path, case.game)
    return "went on" if proof else f"bad: certified, but refuted in its file: {proof.refuted}"


def tally(name: str, seed: int, count: int, folder: Path) -> tuple[Counter, list[str]]:
    """How often each came of forging a checkpoint of a case, and what was bad."""
    case, forger = CASES[name], Forger(seed)
    path, found, bad = folder / "run.npz", Counter(), []
    header, arrays = written(case, path)
    assert resumed(case, path) == "went on", name
    for _ in range(count):
        what, forged_header, forged_arrays = forger.forge(header, arrays)
        with contextlib.suppress(FogboundError, TypeError, ValueError):  # what cannot even be written
            plain = {k: v for k, v in forged_header.items() if k not in ("fogbound", "schema")}
            archive.write(path, archive.dumps("checkpoint", plain, forged_arrays))
            signal.setitimer(signal.ITIMER_PROF, LONGEST)
            outcome = resumed(case, path)
            signal.setitimer(signal.ITIMER_PROF, 0)
            found[outcome.split(":")[0]] += 1
            if outcome.startswith("bad"):
                bad.append(f"{name}: {what}: {outcome}")
    return found, bad


def tallies(seed: int, count: int, names: list[str]) -> dict[str, dict[str, int]]:
    """What another process finds, whose kernels are not compiled; what is bad is an error."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.driver.forging", str(seed), str(count), *names]
    root = Path(__file__).parents[2]
    told = subprocess.run(
        command, cwd=root, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True
    )
    assert told.returncode == 0, told.stdout[-3000:] + told.stderr[-3000:]
    return json.loads(told.stdout)


def main(seed: int, count: int, names: list[str]) -> int:
    def too_long(*_):
        raise TimeoutError(f"not done after {LONGEST} s")

    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, too_long)
    guard_bundles()
    table, wrong = {}, []
    for name in names or CASES:
        with tempfile.TemporaryDirectory() as folder:
            found, bad = tally(name, seed, count, Path(folder))
        table[name] = dict(found)
        wrong += bad
        sys.stderr.write("\n  ".join([f"{name}: {dict(found)}", *bad]) + "\n")
    json.dump(table, sys.stdout)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
