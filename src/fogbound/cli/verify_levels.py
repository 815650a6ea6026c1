"""What `fogbound verify` adds for ladders of levels: the policies that will be played, and a line for each level."""

from __future__ import annotations

from typing import Any

from fogbound import verify
from fogbound.cli.words import number, say
from fogbound.core.game import AnyGame
from fogbound.solve import Solution


def other_policies(stored: Solution, game: AnyGame, arrays: Any) -> bool:
    """Whether the file would play something else than what its certificate speaks of."""
    from fogbound.core.policy import kinds
    from fogbound.forms import table
    from fogbound.policies import alike
    from fogbound.solvers.ladder.reading import certified_policies

    claimed = certified_policies(table(game), arrays)
    top = max(level for level, _ in claimed)
    if not alike(stored.profile[stored.player], claimed[top, stored.player]):
        return True
    other = 1 - stored.player
    weights = arrays["prior"][top - 1].tolist()
    believed = [claimed[level, other] for level, weight in enumerate(weights) if weight > 0]
    listed = [policy for policy, _ in kinds(stored.profile[other])]
    return len(listed) != len(believed) or not all(map(alike, listed, believed))


def other_figures(stored: Solution, report: verify.Report, arrays: Any) -> str | None:
    """Whether the file names another prior, or other values of levels, than its certificate speaks of."""
    from fogbound.solvers import SOLVERS
    from fogbound.solvers.priors import weights

    named: Any = SOLVERS.make(str(stored.recipe["solver"]))
    for level, row in enumerate(arrays["prior"].tolist(), 1):
        if any(abs(a - b) > 1e-12 for a, b in zip(weights(named.prior, named.tau, level), row)):
            return f"the file names the prior {named.prior}, its certificate has {row[:level]} at level {level}"
    proven = {(level, seat): (lower, upper) for level, seat, lower, upper in report.levels}
    for rung in stored.details.get("levels", []):
        lower, upper = proven.get((rung["level"], rung["seat"]), (rung["value"], rung["value"]))
        slack = 1e-9 * max(1.0, abs(lower))
        if not lower - slack <= rung["value"] <= upper + slack:
            return f"the file reports {rung['value']!r} for level {rung['level']}, certified are {lower!r} to {upper!r}"
    return None


def tell_levels(report: verify.Report, players: tuple[str, ...]) -> None:
    """Every level's certified interval."""
    for level, seat, lower, upper in report.levels:
        width = abs(upper - lower)
        say(
            f"          level {level:>2} of {players[seat]:<10} [{number(lower, 12)}, {number(upper, 12)}]  {width:.1e}"
        )
