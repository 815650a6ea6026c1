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


def tell_levels(report: verify.Report, players: tuple[str, ...]) -> None:
    """Every level's certified interval."""
    for level, seat, lower, upper in report.levels:
        width = abs(upper - lower)
        say(
            f"          level {level:>2} of {players[seat]:<10} [{number(lower, 12)}, {number(upper, 12)}]  {width:.1e}"
        )
