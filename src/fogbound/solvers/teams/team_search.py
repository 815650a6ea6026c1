"""Team search: the best joint plan of players who share one reward and cannot talk, exactly.

Small-step multi-agent A* over occupancies with lossless merging of memories; bounds by revealing memories, made tight
by moving payoffs between joint memories until the stage's Bayesian games agree, and whole plans as choices in the last
stages. See `problem.py` for the recursion.

Szer, Charpillet and Zilberstein (2005); Oliehoek, Spaan, Amato and Whiteson (2013); Dibangoye, Amato, Buffet and
Charpillet (2016); Koops, Jansen, Junges and Simao (2023).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import FormError, SpecError
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.driver.solver import Solver
from fogbound.driver.stops import StopReason
from fogbound.evaluation.chain import value as exact_value
from fogbound.forms.posg import POSG
from fogbound.forms.recurrence import topological_order
from fogbound.solvers.teams.controllers import Act, best_plan, controllers
from fogbound.solvers.teams.problem import TeamProblem, deep
from fogbound.solvers.teams.proof import proof

FIRST, MOST = 50, 5_000  # steps between two answers
MOST_CELLS = 400_000_000  # numbers that may be kept
LEFT_OUT = 1e-4  # of the largest total: what the steps beyond the horizon may be worth, where nobody asked for less


@dataclass(frozen=True)
class TeamSearch(Solver[POSG]):
    """What should a team do that cannot talk: the optimum of a Dec-POMDP, with both bounds at any time.

    Works on the POSG of a game in which everybody is paid alike. Exact where play ends, as in `horizon(game=…,
    steps=…)`; with a discount below 1 play is cut after `horizon` steps, and what those beyond may be worth widens the
    bounds: at most discount**horizon * max|reward| / (1 - discount) to either side. Small-step multi-agent A* (Koops
    et al. 2023) over occupancies.

    Parameters
    ----------
    horizon
        After how many steps to cut a discounted game that need not end; 0: late enough for the gap that is asked for.
    effort
        Steps that may be spent on one bound by revealing memories.
    """

    name = "team-search"

    horizon: int = 0
    effort: int = 300

    form: ClassVar[type[POSG]] = POSG
    finds: ClassVar[str] = "team optimum"
    preferred: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.horizon < 0:
            raise SpecError(f"team-search: horizon is {self.horizon}, expected 0 (as the gap needs) or more")
        if self.effort < 1:
            raise SpecError(f"team-search: effort is {self.effort}, expected 1 or more")

    def run(self, form: POSG, context: Context) -> Iterator[Progress]:
        require_team(form)
        cut = self._cut(form, context)
        search = TeamProblem(form, cut, self.effort, context.stopping)
        with deep(search.stages.horizon):
            yield from _answers(form, search, cut, context)

    def _cut(self, form: POSG, context: Context) -> int | None:
        """After how many steps to cut; None where play ends by itself, or cannot be cut."""
        if form.discount == 1 or topological_order(form)[1] < 0:
            return None
        if self.horizon:
            return self.horizon
        aim = context.gap / 4 if context.gap > 0 else LEFT_OUT * form.largest
        return max(1, math.ceil(math.log(max(aim, 1e-300) / max(form.largest, 1e-300), form.discount)))


def require_team(form: POSG) -> None:
    """FormError for players who are paid differently, naming what to do."""
    if form.common_reward:
        return
    event = int(np.flatnonzero((form.table.reward != form.table.reward[:, :1]).any(axis=1))[0])
    paid = tuple(form.table.reward[event].tolist())
    raise FormError(
        f"team-search: in {form.spec} the players are no team: {paid} is paid at once. Team play "
        "needs equal rewards; join those who share their gains with team(game=…, members=[…]), or look for an "
        "equilibrium (sequence-lp, cfr)"
    )


def _answers(form: POSG, search: TeamProblem, cut: int | None, context: Context) -> Iterator[Progress]:
    """One answer after the other, each with the best plan so far and both bounds.

    Within the horizon a plan has `won` the most so far; where play goes on beyond it the plan is begun anew, and earns
    `best`.
    """
    best, won, upper, plan, budget = -math.inf, -math.inf, math.inf, list[Act](), FIRST
    tail = 0.0 if cut is None else form.discount**cut * max(0.0, float(form.reward.max())) / (1 - form.discount)
    while True:
        value, acts = best_plan(search, again=cut is not None)
        won = max(won, value)
        if cut is not None:
            value = exact_value(form.table, controllers(form, search.first, acts, again=True))[0]
        if value > best:
            best, plan = value, acts
        upper = min(upper, max(search.upper, won) + tail)
        solved, full = search.upper <= won or search.root is None or search.root.solved, search.cells > MOST_CELLS
        details: dict[str, Any] = {
            "horizon": search.stages.horizon,
            "subproblems": len(search.known),
            "steps": search.steps,
        }
        if cut is not None:
            details["left_out"] = tail
        cut_off = StopReason.HORIZON if solved and tail and upper > best else None
        why = StopReason.MEMORY if full and not solved else cut_off
        high, n, made = max(upper, best), len(form.players), partial(_profile, form, search, plan, cut)
        shown = partial(_evidence, form, search, cut, won)
        each = Progress(best, best, high, made, details, unfinished=why, evidence=shown)
        yield replace(each, values=(best,) * n, best=(high,) * n)
        if solved or full or context.stopping():
            return
        search.improve(won, budget)
        budget = min(2 * budget, MOST)


def _profile(form: POSG, search: TeamProblem, plan: list[Act], cut: int | None) -> dict[int, Strategy]:
    return controllers(form, search.first, plan, again=cut is not None)


def _evidence(form: POSG, search: TeamProblem, cut: int | None, won: float) -> Evidence:
    return Evidence(proof(form, search, cut, won))
