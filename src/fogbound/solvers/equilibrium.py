"""What every solver of equilibria reports: a profile, what it guarantees, what it leaves to be regretted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fogbound.core.errors import FormError, many
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Progress
from fogbound.evaluate.exploitability import exploitability
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.forms.sequence import SequenceForm
from fogbound.policies.tabular import Tabular


def answer(
    form: SequenceForm,
    played: Sequence[Floats],
    details: Mapping[str, Any] | None = None,
    iteration: int | None = None,
) -> Progress:
    """A profile of behaviours with its exploitability, from player 0's side.

    The value is the profile's own. Two players and a constant sum: the bounds are what each strategy guarantees, and
    the gap is NashConv. Otherwise nothing is guaranteed: the lower bound is the value, the upper one player 0's best
    reply, and the gap the largest regret.
    Without `details` every player's value and regret are reported.
    """
    measured = exploitability(form, played)
    value, lower, upper, gap = measured.values[0], measured.values[0], measured.best[0], max(measured.regrets)
    if form.constant_sum is not None and len(form.plexes) == 2:
        lower, upper = min(form.constant_sum - measured.best[1], value), max(upper, value)  # but for rounding
        gap = upper - lower

    def profile() -> dict[int, Strategy]:
        return {i: Tabular(form.decisions, i, b) for i, b in enumerate(played)}

    if details is None:
        details = {"regrets": list(measured.regrets), "values": list(measured.values)}
    return Progress(
        value, lower, upper, profile, details, gap=gap, iteration=iteration, values=measured.values, best=measured.best
    )


def behaviour_of(form: NormalForm, mixed: Sequence[Floats]) -> list[Floats]:
    """Mixed strategies of the matrix as behaviour on the tree, which pays the same (Kuhn 1953)."""
    plexes = form.sequence.plexes
    return [plex.behaviour(m @ w) for plex, m, w in zip(plexes, mixed, form.weights)]


def require_two(form: SequenceForm, who: str) -> None:
    """Refuse games that have no pair of payoff matrices."""
    if len(form.plexes) != 2:
        raise FormError(
            f"{who}: {form.spec} has {many(len(form.plexes), 'player')}, expected 2. For more: support-enumeration, "
            "quantal-response, or cfr, which reports regret"
        )
