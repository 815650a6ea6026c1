"""Sound search: exploitability by budget, and what a decision costs; what goes wrong without each part of it.

A budget is what may be spent on one decision: nodes of both players' decision trees for `resolve`, walks for `oos`.
"From the start" is one CFR+ solve of the whole game with the budget of one decision, never solved again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import fogbound as fb
from benchmarks.text import aligned, milliseconds

KUHN, LEDUC, DICE = "card-poker(ranks=3)", "leduc", "liars-dice(sides=3)"
RESOLVE = "resolve(budget={budget})"


@dataclass(frozen=True)
class Case:
    """A planner on a game at some budgets, and the exploitability aimed at."""

    planner: str
    spec: str
    budgets: tuple[int, ...]
    targets: tuple[tuple[int, float], ...] = ()


CASES = (
    Case(RESOLVE, KUHN, (1_000, 10_000, 100_000), ((10_000, 0.0003),)),
    Case(RESOLVE, LEDUC, (10_000, 100_000, 1_000_000), ((100_000, 0.025), (1_000_000, 0.0007))),
    Case(RESOLVE, DICE, (1_000, 10_000, 100_000), ((100_000, 0.0001),)),
    Case("resolve(budget={budget}, values=best-reply)", LEDUC, (10_000, 100_000, 1_000_000)),
    Case("resolve(budget={budget}, grant=after)", LEDUC, (10_000, 100_000, 1_000_000)),
    Case("resolve(budget={budget}, values=average)", LEDUC, (10_000, 100_000, 1_000_000)),
    Case("resolve(budget={budget}, values=average, grant=after)", LEDUC, (10_000, 100_000, 1_000_000)),
    Case("resolve(budget={budget}, unsafe=true)", KUHN, (1_000, 10_000, 100_000)),
    Case("resolve(budget={budget}, unsafe=true)", LEDUC, (10_000, 100_000, 1_000_000)),
    Case("oos(walks={budget})", KUHN, (1_000, 10_000, 100_000), ((100_000, 0.04),)),
    Case("oos(walks={budget})", DICE, (1_000, 10_000)),
    Case("oos(walks={budget})", LEDUC, (1_000, 10_000)),
)


def measure(rounds: int) -> list[dict[str, Any]]:  # noqa: ARG001
    """Every case once: these take seconds."""
    for spec in ("resolve(budget=10)", "oos(walks=10)"):
        fb.solve("king-ace", spec)  # kernels are loaded
    return [_row(case, budget) for case in CASES for budget in case.budgets]


def _row(case: Case, budget: int) -> dict[str, Any]:
    tree = fb.forms.tree(fb.game(case.spec))
    begin = time.process_time()
    solution = fb.solve(tree, case.planner.format(budget=budget), certify=False, seconds=600)
    spent = time.process_time() - begin
    start = solution.trace[0].gap / 2 if case.planner == RESOLVE else None
    return {
        "planner": case.planner,
        "game": case.spec,
        "budget": budget,
        "exploitability": solution.gap / 2,
        "from_start": start,
        "seconds_a_decision": spent / solution.details["decisions"],
        "target": dict(case.targets).get(budget),
    }


def show(rows: list[dict[str, Any]]) -> str:
    """The table, with targets."""
    lines = []
    for row in rows:
        met = "met" if row["target"] and row["exploitability"] <= row["target"] else "NOT met"
        lines.append(
            [
                row["planner"].format(budget="…"),
                row["game"],
                f"{row['budget']:,}",
                f"{row['exploitability']:.6f}",
                "-" if row["from_start"] is None else f"{row['from_start']:.6f}",
                milliseconds(row["seconds_a_decision"]),
                f"<= {row['target']:g}: {met}" if row["target"] else "-",
            ]
        )
    head = ["planner", "game", "budget", "exploitability", "from the start", "ms a decision", "target"]
    return "Sound search (exploitability = NashConv / 2, exact; CPU time)\n" + aligned(head, lines)
