"""Answers to a POMDP: the controller that was checked, or vectors that promise no more."""

from __future__ import annotations

from typing import Any

import fogbound.verify as checker
from fogbound import forms
from fogbound.binding.stored import OTHER_POLICIES, array, claimed, question
from fogbound.core.errors import PolicyError
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms import bayes_filter as bayes
from fogbound.forms.protocol import Form, derive
from fogbound.policies import StoredVectors
from fogbound.policies.policy_graph import PolicyGraph

evidence = claimed


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:
    """Whether the stored policy is the certificate's controller."""
    form, mine = derive(game, forms.POMDP, question(stored)), stored.profile[report.player]
    if isinstance(mine, StoredVectors):
        try:
            return _beyond(mine.on(form), report)
        except PolicyError as error:  # they fit no policy of this form, or promise what none can earn
            return str(error)
    followed = PolicyGraph(form, *(array(stored, name) for name in ("node_action", "begin", "arrow"))).controller()
    return None if _alike(mine, followed) else OTHER_POLICIES


def _alike(one: Any, two: Any) -> bool:
    """Whether two controllers are the same, node by node."""
    parts = ("first", "arrows", "choices")
    return all(getattr(one, part, None) == getattr(two, part) for part in parts)


def _beyond(policy: Any, report: checker.Report) -> str | None:
    """Whether vectors promise something else at the start than what is certified; what comes later is not checked."""
    form, promised = policy.pomdp, float(policy.pomdp.reward[0])
    chances = {z: float(form.prob[: form.out[1]][form.obs[: form.out[1]] == z].sum()) for z in bayes.begin(form)}
    for z, belief in bayes.begin(form).items():
        if form.observations[z][1] < 0:
            return None  # the first step is not ours: nothing is promised yet
        promised += chances[z] * float((policy.vectors[:, belief.states] @ belief.weights).max())
    slack = 1e-3 * max(1.0, report.upper - report.lower, abs(report.lower)) + report.upper - report.lower
    if report.lower - slack <= promised <= report.upper + slack:
        return None
    return (
        f"the vectors in the file promise {promised!r} at the start, certified are {report.lower!r} to {report.upper!r}"
    )
