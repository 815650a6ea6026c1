"""Zero-sum partially observable stochastic games by horizon: from the rules to an exact equilibrium, CPU seconds.

The sequence form is made straight from what players remember; the tree that a solver of extensive games would need is
counted beside it, exactly, without being built. The players of the models are opposed: the second one wants the
first one's loss. Reference values are those of an independent implementation.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import fogbound as fb
from benchmarks.text import aligned
from fogbound import forms
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.solve import run_solver
from fogbound.forms.tree import tree_size
from fogbound.solvers import make
from fogbound.solvers.linear_programs.sequence_lp import optimal_weights

ADVERSARIAL = "adversarial-tiger"
CHANNEL = "opposed(game=broadcast-channel)"
ROBOTS = "opposed(game=recycling-robots)"


@dataclass(frozen=True)
class Case:
    """A model, how many steps, its known value, and the CPU seconds aimed at."""

    spec: str
    steps: int
    value: float | None = None
    target: float | None = None
    solver: str = "sequence-lp"
    gap: float = 1e-9


CASES = (
    Case(ADVERSARIAL, 4, -3.000313043, 1),
    Case(ADVERSARIAL, 5, -3.773733812),
    Case(ADVERSARIAL, 6, -4.527330819, 15),
    Case(CHANNEL, 4, 1.109391952, 1),
    Case(CHANNEL, 5, 1.229268470, 5),
    Case(CHANNEL, 6, solver="predictive-cfr", gap=1e-3),
    Case(ROBOTS, 4, 3.596187301, 1),
)


def measure(rounds: int) -> list[dict[str, Any]]:  # noqa: ARG001
    """Every case once: these take seconds."""
    forms.memories(fb.game(f"horizon(game={ADVERSARIAL}, steps=2)"))  # kernels are loaded
    return [_solved(case) for case in CASES]


def _solved(case: Case) -> dict[str, Any]:
    spec = f"horizon(game={case.spec}, steps={case.steps})"
    marks = [time.process_time()]
    table = forms.table(fb.game(spec))
    form = forms.sequence(forms.memories(table))
    marks.append(time.process_time())
    if case.solver == "sequence-lp":
        x, y, _ = optimal_weights(form, 0, lambda: False)
        marks.append(time.process_time())
        payoff = form.payoff[:, 0] @ (x[form.ends[:, 0]] * y[form.ends[:, 1]])
        low = high = float(payoff)
    else:
        found = run_solver(make(case.solver), form, RunOptions(Until(gap=case.gap), check_seconds=None))
        marks.append(time.process_time())
        low, high = found.lower, found.upper
    spent = {"form": marks[1] - marks[0], "solve": marks[2] - marks[1]}
    sizes = {"nodes": tree_size(table)[0], "combinations": form.decisions.size, "payoffs": len(form.ends)}
    return {"game": case.spec, "steps": case.steps, "solver": case.solver, **sizes, **spent, "low": low, "high": high}


def show(result: list[dict[str, Any]]) -> str:
    """The figures as text."""
    title = "Zero-sum POSGs: CPU seconds, warm, from the rules on"
    header = ("game", "steps", "nodes of the tree", "payoffs", "form", "solve", "target", "ours", "known")
    rows = []
    for row, case in zip(result, CASES, strict=True):
        ours = f"{row['low']:.9f}" if case.gap < 1e-6 else f"{row['low']:.4f} to {row['high']:.4f}"
        known = "-" if case.value is None else f"{case.value:.9f}"
        target = "-" if case.target is None else f"{case.target:g}"
        sizes = (str(row["steps"]), f"{row['nodes']:.3g}", f"{row['payoffs']:,}")
        rows.append((row["game"], *sizes, f"{row['form']:.2f}", f"{row['solve']:.2f}", target, ours, known))
    return "\n".join([title, aligned(header, rows)])
