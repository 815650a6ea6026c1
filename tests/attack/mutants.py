"""`make mutants`: the checker, the certificates and the archive changed in small ways; tests must notice.

Everything is loaded once, and the tests run once as the code is, which shows who calls what. Each change is made in a
fork of that process, by giving a function that is there already another code, so every importer meets the change; then
those tests of its file that call the function run, the cheapest first, until one fails. `--sample 300 --seed 1` tries
some, drawn from all; names of files choose among them. The changes are shared out among as many processes as there are
cores (`--at-once`). What runs in a process of its own (`python -m fogbound.verify`) does not meet the change, so
`verify/__main__.py` is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import itertools
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FrameType, FunctionType

import pytest

from tests.attack.mutations import Mutant, mutants
from tests.verify.records import names

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
QUIET = ("-q", "-s", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow or one_in", "--no-header", "--tb=no")
SECONDS = 120.0  # of the tests of one change: those that never end are noticed
UNKNOWN = 97  # the exit code of a change that could not be made


def recorded(part: str) -> str:
    """The records whose names begin so (`tests/verify/records.py`): quick, and exact to the last bit."""
    test = "tests/verify/test_records.py::test_damage_changes_what_is_proven_as_recorded"
    return " ".join(f"{test}[{name}]" for name in names() if name.startswith(part))


CHECK = "tests/verify/test_check.py " + " ".join(  # but what starts processes, which do not meet a change
    f"--deselect=tests/verify/test_check.py::test_{name}"
    for name in ("the_folder_alone_judges_an_exported_form", "command_line")
)
LEVELS = "tests/verify/test_levels.py " + " ".join(  # but what takes seconds
    f"--deselect=tests/verify/test_levels.py::test_{name}"
    for name in ("honest_evidence_closes", "nim_that_need_not_end", "points_that_are_missing_or_wrong")
)
TEAM = "tests/verify/test_team_stage.py tests/verify/test_team_compared.py " + " ".join(
    f"tests/verify/test_team.py::test_{name}"
    for name in (
        "without_claims_the_state_is_seen",
        "players_who_are_paid_differently_are_no_team",
        "play_that_goes_on_must_be_cut",
        "garbage_stays_true[alone]",
        "garbage_stays_true[turns]",
    )
)
TESTS = {  # a part of a path, and the quick tests that speak of it: the first that fits
    "archive.py": "tests/test_archive.py tests/core/test_atomic.py",
    "verify/npz.py": "tests/verify/test_npz.py tests/test_archive.py",
    "verify/arithmetic.py": f"tests/verify/test_arrays.py tests/verify/test_edges.py {recorded('tree')}",
    "verify/arrays.py": f"tests/verify/test_arrays.py {recorded('one-sided')} {recorded('team-cut')}",
    "verify/__init__.py": f"{CHECK} {recorded('tree')} {recorded('markov')} {recorded('one-sided')}",
    "verify/tree": f"tests/verify/test_edges.py {recorded('tree')}",
    "verify/mediated": f"{recorded('mediated')} tests/solvers/correlated/test_correlated.py",
    "verify/memories": f"tests/verify/test_edges.py {recorded('memories')}",
    "verify/markov": f"tests/verify/test_edges.py {recorded('markov')}",
    "verify/chain": f"tests/verify/test_edges.py {recorded('chain')}",
    "verify/pomdp": f"tests/verify/test_edges.py tests/verify/test_pomdp_plan.py {recorded('pomdp')}",
    "verify/one_sided": f"tests/verify/test_edges.py {recorded('one-sided')}",
    "verify/levels": f"{recorded('levels')} {LEVELS}",
    "verify/team": f"{TEAM} {recorded('team')}",
    "certificates": "-mnot(slow) "
    + " ".join(
        f"tests/certificates/test_{name}.py"
        for name in (
            *("claimed", "bound", "costs", "kinds", "words", "unconfirmed", "statistical", "figures", "levels"),
            *("claims", "certificates", "pomdp", "one_sided"),
        )
    ),
}
FILES = sorted(
    path.relative_to(SOURCE / "fogbound").as_posix()
    for pattern in ("verify/**/*.py", "certificates/*.py", "archive.py")
    for path in (SOURCE / "fogbound").glob(pattern)
    if path.name != "__main__.py"
)


def tests_of(file: str) -> list[str]:
    """The tests that are to notice a change of a file."""
    return next(tests for part, tests in TESTS.items() if file.startswith(part)).split()


def drawn(files: list[str], sample: int, seed: int) -> list[tuple[str, Mutant]]:
    """Changes of these files, in order: all, or a sample of so many."""
    every = [(file, mutant) for file in files for mutant in mutants((SOURCE / "fogbound" / file).read_text())]
    if not 0 < sample < len(every):
        return every
    return [every[k] for k in sorted(random.Random(seed).sample(range(len(every)), sample))]


class Hunt:
    """A plugin of pytest that runs the collected tests once as the code is, and then in a fork for every change.

    What the tests import and collect is done once, so that a change costs what the tests themselves take.
    """

    def __init__(self, changes: list[tuple[str, Mutant]], told: Callable[[str, Mutant, str], None]) -> None:
        self.changes, self.told = changes, told

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        calls = called(session)
        for file, mutant in () if session.testsfailed else self.changes:
            items = [item for item, functions in calls.items() if (file, mutant.function) in functions]
            self.told(file, mutant, noticed(session, items, file, mutant) if items else "survived")
        return True


def called(session: pytest.Session) -> dict[pytest.Item, set[tuple[str, str]]]:
    """The functions of each file that each test calls, when nothing is remembered from other tests; the cheapest first.

    Tests of one module stay together, since they share what their fixtures made.
    """
    found: dict[pytest.Item, set[tuple[str, str]]] = {}
    seconds, modules = dict[pytest.Item, float](), Counter[str]()
    root = f"{SOURCE / 'fogbound'}{os.sep}"
    for item, after in itertools.pairwise([*session.items, None]):
        functions = found[item] = set()

        def watch(frame: FrameType, event: str, _: object, functions: set[tuple[str, str]] = functions) -> None:
            if event == "call" and frame.f_code.co_filename.startswith(root):
                functions.add((frame.f_code.co_filename[len(root) :], frame.f_code.co_qualname))

        forget()
        began = time.process_time()
        sys.setprofile(watch)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        sys.setprofile(None)
        seconds[item] = time.process_time() - began
        modules[item.nodeid.partition("::")[0]] += seconds[item]
        if session.testsfailed:
            break
    order = sorted(found, key=lambda item: (modules[item.nodeid.partition("::")[0]], seconds[item]))
    return {item: found[item] for item in order}


def forget() -> None:
    """Empty the caches of the tests and of what they judge: an answer from before a change says nothing about it."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("tests.", "fogbound.verify", "fogbound.certificates")):
            for value in list(vars(module).values()):
                if isinstance(value, _lru_cache_wrapper):
                    value.cache_clear()


def _passed(session: pytest.Session, items: list[pytest.Item]) -> bool:
    """Whether all these tests pass; they end with the first that does not."""
    for item, after in itertools.pairwise([*items, None]):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if session.testsfailed:
            return False
    return True


def noticed(session: pytest.Session, items: list[pytest.Item], file: str, mutant: Mutant) -> str:
    """What tests say to a change, in a process of its own: killed, survived, or endless."""
    child = os.fork()
    if child == 0:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            try:
                put(file, mutant)
            except LookupError:
                os._exit(UNKNOWN)
            try:
                forget()
                code = 0 if _passed(session, items) else 1
            except BaseException:  # whatever a change does to us, it was noticed
                code = 1
            os._exit(code)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            if os.waitstatus_to_exitcode(status) == UNKNOWN:
                raise LookupError(f"{file}: {mutant.function} is not loaded")
            return "survived" if status == 0 else "killed"
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "endless"


def put(file: str, mutant: Mutant) -> None:
    """Give a function the code of its mutant, whoever holds it."""
    path = str(SOURCE / "fogbound" / file)
    code = _code(compile(mutant.tree, path, "exec"), mutant.function)
    held = [
        function
        for function in gc.get_objects()
        if isinstance(function, FunctionType)
        and function.__code__.co_filename == path
        and function.__code__.co_qualname == mutant.function
    ]
    if not held:
        raise LookupError(f"{file}: nobody holds {mutant.function}")
    for function in held:
        function.__code__ = code


def _code(module: CodeType, name: str) -> CodeType:
    inner = [part for part in module.co_consts if isinstance(part, CodeType)]
    for part in inner:
        if part.co_qualname == name:
            return part
    return next(found for part in inner if name.startswith(f"{part.co_name}.") for found in [_code(part, name)])


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("files", nargs="*", help="parts of the names of files, such as verify/tree (default: all)")
    parser.add_argument("--sample", type=int, default=0, help="how many changes to try, drawn from all (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--again", type=Path, help="what an earlier run printed: try only what was not noticed there")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args(words)
    files = [file for file in FILES if not args.files or any(part in file for part in args.files)]
    if not files:
        parser.error(f"no file of that name, expected some of {', '.join(FILES)}")
    changes = drawn(files, args.sample, args.seed)
    if args.again:
        left = {line.partition(" ")[2] for line in args.again.read_text().splitlines() if line.startswith("survived ")}
        changes = [(file, mutant) for file, mutant in changes if described(file, mutant) in left]
    if args.part is None:
        return shared_out(words, args.at_once)
    return tried(changes[args.part :: args.at_once])


def shared_out(words: list[str], at_once: int) -> int:
    """Have `at_once` processes try a part of the changes each; add up what they say."""
    began, found = time.monotonic(), Counter[tuple[str, str]]()
    command = [sys.executable, "-m", "tests.attack.mutants", *words, "--at-once", str(at_once)]
    parts = [subprocess.Popen([*command, "--part", str(k)], stdout=subprocess.PIPE, text=True) for k in range(at_once)]
    with ThreadPoolExecutor(at_once) as pool:
        for said in pool.map(lambda part: part.communicate()[0], parts):
            for line in said.splitlines():
                outcome, file, *_ = line.split(" ", 2)
                found[file.partition(":")[0], outcome] += 1
                if outcome != "killed":
                    print(line)
    failed = any(part.returncode for part in parts)
    for file in sorted({file for file, _ in found}):
        print(f"{file:<40} {_summary(Counter({key: many for key, many in found.items() if key[0] == file}), began)}")
    print(_summary(found, began))
    return 2 if failed else 1 if any(outcome == "survived" for _, outcome in found) else 0


def described(file: str, mutant: Mutant) -> str:
    """A change in one line."""
    return f"{file}:{mutant.line} {mutant.function}: {mutant.before}  ->  {mutant.after}".replace("\n", " ")


def tried(changes: list[tuple[str, Mutant]]) -> int:
    """Try these changes; a line for each."""

    def told(file: str, mutant: Mutant, outcome: str) -> None:
        print(outcome, described(file, mutant), file=sys.__stdout__, flush=True)

    groups: dict[tuple[str, ...], list[tuple[str, Mutant]]] = {}
    for file, mutant in changes:
        importlib.import_module(f"fogbound.{file.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}")
        groups.setdefault(tuple(tests_of(file)), []).append((file, mutant))
    for tests, own in groups.items():
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            failed = pytest.main([*QUIET, *tests], plugins=[Hunt(own, told)])
        if failed:
            print(f"mutants: {' '.join(tests)} must pass before anything is changed", file=sys.stderr)
            return 2
    return 0


def _summary(found: Counter[tuple[str, str]], began: float) -> str:
    survived = sum(many for (_, outcome), many in found.items() if outcome == "survived")
    share, seconds = 100 * (1 - survived / found.total()), time.monotonic() - began
    return f"{found.total()} tried, {survived} not noticed: {share:.0f} % noticed; {seconds:,.0f} s so far"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
