"""`make attack`: everything that is tried against Fogbound, in one table. Names of parts choose some of them."""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import NamedTuple

from tests.attack import families, interrupts, kills, planted, repeats
from tests.attack.related import LENGTHS, RELATIONS

AT_ONCE = int(os.environ.get("ATTACK_AT_ONCE", "2"))  # processes
ONLY = os.environ.get("ATTACK_ONLY", "")  # families whose names hold this are killed, or play games of variable length
SEEDS = 40  # models for each relation
VARIABLE = 500  # games of variable length for each family of solvers
KILLS = 50  # for each family
INTERRUPTS = 100
FORGERIES = 0.1  # of all of a solution file's
CHECKPOINTS = 25  # forged ones of each family
FORGED = {
    "forged solution files": "tests/certificates/test_forgery.py",
    "forged checkpoints": "tests/driver/test_forged.py",
    "damaged machine code": "tests/compiled/test_cache.py",
    "files whose writing fails": "tests/core/test_atomic.py",
    "relations of trees": "tests/test_relations.py tests/test_forms_agree.py",
}


class Row(NamedTuple):
    """A line of the table."""

    what: str
    tried: int
    right: int
    remarks: str = ""


def _relation(name: str, seeds: int) -> Row:
    began = time.monotonic()
    wrong = [seed for seed in range(seeds) if not _holds(name, seed)]
    took = f"{time.monotonic() - began:,.0f} s"
    return Row(name, seeds, seeds - len(wrong), f"seeds {wrong[:8]}, {took}" if wrong else took)


def _holds(name: str, seed: int) -> bool:
    try:
        return (RELATIONS | LENGTHS)[name](seed)
    except AssertionError:
        return False


def related(share: float) -> Iterator[Row]:
    """Relations, each on many models."""
    seeds = partial(_relation, seeds=math.ceil(SEEDS * share))
    with ProcessPoolExecutor(AT_ONCE, get_context("spawn")) as pool:
        yield from pool.map(seeds, RELATIONS)


def variable_lengths(share: float) -> Iterator[Row]:
    """Games whose length depends on what is done, altered without altering how they should be played."""
    seeds = partial(_relation, seeds=math.ceil(VARIABLE * share))
    with ProcessPoolExecutor(AT_ONCE, get_context("spawn")) as pool:
        yield from pool.map(seeds, [name for name in LENGTHS if ONLY in name])


def planted_bugs(share: float) -> Iterator[Row]:
    """Bugs, each of which must be found by tests that pass without it."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        selections = sorted({bug.found_by for bug in planted.BUGS})
        sound = list(pool.map(partial(planted.passes, planted.SOURCE), selections))
    failing = [selection for selection, (passed, _) in zip(selections, sound) if not passed]
    yield Row(
        "tests that are to find them pass without", len(selections), len(selections) - len(failing), str(failing or "")
    )
    hunted = list(planted.hunts(at_once=AT_ONCE))
    missed = [bug.file for bug, found, _ in hunted if not found]
    yield Row("planted bugs found", len(hunted), len(hunted) - len(missed), ", ".join(missed))


def _killed(name: str, many: int) -> Row:
    found = kills.killed(name, many)
    right, resumed = found[kills.SAME] + found[kills.OVER], found.total() - found[kills.NOTHING]
    told = "; ".join(f"{number} {word}" for word, number in sorted(found.items()))
    return Row(f"killed: {name}", resumed, right, told)


def killed_runs(share: float) -> Iterator[Row]:
    """Runs that are killed and gone on with."""
    times = partial(_killed, many=math.ceil(KILLS * share))
    with ProcessPoolExecutor(AT_ONCE, get_context("spawn"), max_tasks_per_child=1) as pool:
        yield from pool.map(times, [name for name in families.FAMILIES if ONLY in name])


def interrupted_commands(share: float) -> Iterator[Row]:
    """Ctrl-C at random times."""
    many = math.ceil(INTERRUPTS * share)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(interrupts.interrupted, range(many)))
    faults = Counter(f"{one.command[0]}: {one.fault}" for one in found if one.fault)
    times, busy = sorted(one.took for one in found), max(one.busy for one in found)
    told = f"median {times[len(times) // 2]:.2f} s, slowest {times[-1]:.2f} s, {busy:.2f} s of a processor at most; "
    told += f"load {os.getloadavg()[0]:.1f}; {dict(faults) or ''}"
    yield Row(f"interrupted within {interrupts.SOON:g} s", many, many - faults.total(), told)


def repeated(share: float) -> Iterator[Row]:
    """Hash seeds, threads and workers."""
    found = repeats.different()
    wrong = {name: many for name, many in found.items() if many != 1}
    many = len(repeats.SETTINGS)
    yield Row(f"{many} runs each, one digest", len(found), len(found) - len(wrong), str(wrong or ""))


def outcomes(said: str) -> Counter[str]:
    """The letters of pytest's lines of progress; words of warnings have dots as well."""
    words = (line.partition(" ")[0] for line in said.splitlines())
    return Counter(letter for word in words if set(word) <= set(".FEsxX") for letter in word)


def counted(what: str, code: int, said: str, complained: str) -> Row:
    """What a run of pytest came to. One that did not end by itself is not right, however its tests went until then."""
    letters = outcomes(said)
    wrong = letters["F"] + letters["E"] or int(code != 0)
    last = (said.strip() or complained.strip()).splitlines()[-1:]
    remark = f"exit code {code}: {''.join(last)[-200:]}" if code else ""
    return Row(what, letters["."] + wrong, letters["."], remark)


def forged(share: float) -> Iterator[Row]:
    """What the slow tests forge and damage; of forged solution files `FORGERIES`, as all took over 20 minutes."""
    environment = {**os.environ, "FORGED_SHARE": str(FORGERIES * share), "FORGED_CHECKPOINTS": str(CHECKPOINTS)}
    for what, selection in FORGED.items():
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            str(AT_ONCE),
            "-p",
            "no:cacheprovider",
            *selection.split(),
        ]
        done = subprocess.run(
            [*command, "-rN", "--tb=no"], capture_output=True, text=True, check=False, env=environment
        )
        yield counted(what, done.returncode, done.stdout, done.stderr)


PARTS: dict[str, Callable[[float], Iterator[Row]]] = {
    "planted": planted_bugs,
    "related": related,
    "lengths": variable_lengths,
    "killed": killed_runs,
    "interrupted": interrupted_commands,
    "repeated": repeated,
    "forged": forged,
}


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="attack", description="Everything that is tried against Fogbound.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--share", type=float, default=1.0, help="of the models, kills and interrupts (default 1)")
    args = parser.parse_args(words)
    unknown = [name for name in args.parts if name not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}, expected some of {', '.join(PARTS)}")
    wrong, began = 0, time.monotonic()
    print(f"{'what':<62} {'tried':>6} {'right':>6} {'not':>5}")
    for name in args.parts or PARTS:
        for row in PARTS[name](args.share):
            print(f"{row.what:<62} {row.tried:>6} {row.right:>6} {row.tried - row.right:>5}  {row.remarks}", flush=True)
            wrong += row.tried - row.right
    print(f"{wrong} not as they should be, {time.monotonic() - began:,.0f} s")
    return 1 if wrong else 0
