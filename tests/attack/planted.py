"""Bugs planted on purpose, each of one line: the tests must find every one of them.

Each is a slip that somebody could make and that would matter. `found_by` is what pytest is told: the tests that are
meant to stand in its way, so that a bug found only by chance, far away, counts as missed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"


class Bug(NamedTuple):
    """One line of the library changed for the worse."""

    file: str  # under src/fogbound
    old: str
    new: str
    why: str
    found_by: str


BUGS = [
    # The checker.
    Bug(
        "verify/memories.py",
        "gain[before] += max(gain[",
        "gain[before] += min(gain[",
        "where histories were summed out the best reply would be the worst",
        "tests/verify/test_memories.py",
    ),
    Bug(
        "forms/memories.py",
        "(scale * level.weight[entry])",
        "(level.weight[entry])",
        "what comes later would count as much as what comes now",
        "tests/test_forms_agree.py",
    ),
    Bug(
        "verify/pomdp/bounds.py",
        "factor = 1 / (1 - pomdp.discount)",
        "factor = Fraction(1)",
        "a violation would be paid once, not in every step: forged values would be certified",
        "tests/verify/test_pomdp.py",
    ),
    Bug(
        "verify/pomdp/supports.py",
        "least = min(quotients)",
        "least = max(quotients)",
        "more of a point would be taken out of a belief than it holds: upper bounds too low",
        "tests/verify/test_pomdp.py",
    ),
    Bug(
        "verify/one_sided/bounds.py",
        "least = min(had[",
        "least = max(had[",
        "the opponent would be taken to reply as one likes",
        "tests/verify/test_one_sided.py",
    ),
    Bug(
        "verify/tree.py",
        "gain[tree.before[row]] += max(gain[",
        "gain[tree.before[row]] += min(gain[",
        "the best reply would be the worst: every profile an equilibrium",
        "tests/verify/test_tree.py",
    ),
    Bug(
        "verify/levels/bounds.py",
        "return earned / total",
        "return earned / min(total, 1)",
        "a level would be worth the sum of what it earns against all kinds that it believes in",
        "tests/verify/test_levels.py",
    ),
    Bug(
        "verify/arithmetic.py",
        "return -down(-x)",
        "return down(x)",
        "upper bounds would be rounded inward, past the exact one",
        "tests/verify/test_check.py",
    ),
    Bug(
        "verify/npz.py",
        "if name in members:",
        "if name in ():",
        "two members of one name: two readers could see two files",
        "tests/verify/test_npz.py",
    ),
    # What a certificate is about.
    Bug(
        "certificates/fields.py",
        "below = held.same(stored.lower, report.lower) or",
        "below = stored.lower <= report.upper or",
        "a file could claim any lower bound up to the proven upper one",
        "tests/certificates/test_figures.py",
    ),
    Bug(
        "certificates/level_k.py",
        "or _other_zero(held, policies)",
        "or None",
        "a file could say that level 0 plays at random and prove something about another level 0",
        "tests/certificates/test_levels.py",
    ),
    Bug(
        "certificates/tree.py",
        "return self.certificate(whole, evaluation.behaviours(whole, profile), player)",
        "return tree_certificate(whole, evaluation.behaviours(whole, profile), player)",
        "a best reply would be certified as an equilibrium",
        "tests/certificates/test_certificates.py",
    ),
    Bug(
        "archive.py",
        "return np.ascontiguousarray(array, dtype=kind)",
        "return np.asarray(array, dtype=kind)",
        "an array in Fortran order would be written as one that no reader takes",
        "tests/test_archive.py",
    ),
    # The forms.
    Bug(
        "forms/enumeration.py",
        "merged[pair] = merged.get(pair, 0.0) + p",
        "merged[pair] = p",
        "of equal outcomes that an author lists twice only the last would count",
        "tests/test_forms_agree.py",
    ),
    Bug(
        "forms/tree.py",
        "power = game.discount ** np.arange(depth + 2, dtype=np.float64)",
        "power = game.discount ** (np.arange(depth + 2, dtype=np.float64) + 1)",
        "the first step would be discounted already: every discounted tree worth less",
        "tests/test_forms_agree.py",
    ),
    Bug(
        "forms/sequence.py",
        "reward = at_hand.payoff[ends] * at_hand.reach[ends, None]",
        "reward = at_hand.payoff[ends] * (at_hand.reach[ends, None] > 0)",
        "chance would weigh nothing",
        "tests/test_forms_agree.py",
    ),
    Bug(
        "forms/pomdp.py",
        "keys = paired.seen.astype(np.int64) * spread + legal_sets[paired.next] + 2",
        "keys = paired.seen.astype(np.int64) * spread + 0 * legal_sets[paired.next] + 2",
        "being asked, and for what, would not be seen",
        "tests/test_forms_agree.py",
    ),
    Bug(
        "forms/one_sided/from_table.py",
        "if len(labels) == 1 and not labels & ({-1} | taken):",
        "if len(labels) == 1 and not labels & {-1}:",
        "two first observations would be taken for one",
        "tests/forms/test_one_sided.py",
    ),
    # What is evaluated and played.
    Bug(
        "evaluation/exploitability.py",
        "return self.nash_conv / len(self.values)",
        "return self.nash_conv",
        "exploitability would be twice what the literature calls so",
        "tests/evaluation",
    ),
    Bug(
        "policies/controller.py",
        "if target != LOST and (action is None or choice is None or choice[action] > 0):",
        "if target != LOST and (action is None or choice is None):",
        "a smaller controller would forget where its own moves lead",
        "tests/policies",
    ),
    # The solvers.
    Bug(
        "solvers/linear_programs/sequence_lp.py",
        "np.abs(solution.dual[len(plan) :])",
        "np.maximum(solution.dual[len(plan) :], 0.0)",
        "the second player's part would be lost with the sign of the dual",
        "tests/test_known_values.py",
    ),
    Bug(
        "solvers/regret/cfr.py",
        "self.sweep(iteration_of(context) + 1, many,",
        "self.sweep(1, many,",
        "iterations would be weighed as if each batch were the first",
        "tests/solvers/regret/test_cfr.py",
    ),
    Bug(
        "solvers/pomdp/initial_bounds.py",
        "return np.asarray(np.maximum.reduceat(q_values[self.order], self.begin))",
        "return np.asarray(np.minimum.reduceat(q_values[self.order], self.begin))",
        "the first upper bound would be too low, and all others after it",
        "tests/attack/test_related.py -k sarsop",
    ),
    Bug(
        "solvers/one_sided/bounds.py",
        "self.base = form.paid + float((form.start * self.scaled.least).sum())",
        "self.base = float((form.start * self.scaled.least).sum())",
        "what is paid before the first step would be lost",
        "tests/attack/test_related.py -k pg-hsvi",
    ),
    Bug(
        "solvers/level_k/form.py",
        "raw = [0.0] * (level - 1) + [1.0]",
        "raw = [1.0] + [0.0] * (level - 1)",
        "every level would reply to level 0",
        "tests/solvers/level_k",
    ),
    # The driver.
    Bug(
        "driver/limits.py",
        "now) + more, self.wrap_up, now)",
        "now) + more, 0.0, now)",
        "Ctrl-C would cost the certificate of an answer that is there",
        "tests/driver/test_cancel.py",
    ),
    Bug(
        "driver/report.py",
        "upper = max(progress.upper, lower)",
        "upper = lower",
        "a policy's value would be reported as the best there is",
        "tests/driver/test_driver.py",
    ),
]

MOST_SECONDS = 600
QUIETLY = ["-q", "-n", "0", "-x", "-p", "no:cacheprovider", "--no-header", "--tb=line", "-m", "not slow or one_in"]


def planting(folder: Path, bug: Bug) -> Path:
    """A copy of the sources with the bug in it, beside what was compiled of them."""
    copy = folder / "src"
    shutil.copytree(SOURCE, copy)
    file = copy / "fogbound" / bug.file
    text = file.read_text()
    if text.count(bug.old) != 1:
        raise ValueError(f"{bug.file} has {text.count(bug.old)} times {bug.old!r}, expected once: plant another bug")
    file.write_text(text.replace(bug.old, bug.new))
    return copy


def passes(source: Path, selection: str) -> tuple[bool, str]:
    """Whether tests pass with these sources, and the last line that pytest says."""
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", *QUIETLY, *selection.split()]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        return False, f"did not end within {MOST_SECONDS} s"
    if done.returncode not in (0, 1, 2):  # passed, failed, could not be imported; but not: nothing selected
        raise RuntimeError(f"pytest {selection}: {done.stdout[-500:]}{done.stderr[-500:]}")
    found = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return done.returncode == 0, (found or done.stdout.strip().splitlines()[-1:])[0]


def hunt(bug: Bug) -> tuple[bool, str]:
    """Whether the bug is found, and by what."""
    with tempfile.TemporaryDirectory() as folder:
        passed, said = passes(planting(Path(folder), bug), bug.found_by)
        return not passed, said


def hunts(bugs: Sequence[Bug] = BUGS, at_once: int = 2) -> Iterator[tuple[Bug, bool, str]]:
    """Every bug, whether it was found, and by what."""
    with ThreadPoolExecutor(at_once) as pool:
        yield from ((bug, *result) for bug, result in zip(bugs, pool.map(hunt, bugs)))


def without() -> Iterator[tuple[str, bool, str]]:
    """Every selection of tests, and whether it passes where nothing is planted."""
    for selection in sorted({bug.found_by for bug in BUGS}):
        yield selection, *passes(SOURCE, selection)
