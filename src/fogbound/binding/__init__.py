"""Is a certificate about what the file plays? One binder for each kind of certificate.

The independent checker judges evidence against a form. Whether that evidence speaks of the policies that `play` and
`match` would use, and of the figures that `show` prints, is decided here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable

import fogbound.verify as checker
from fogbound.binding import chain, levels, one_sided, pomdp, tree
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form

Binder = Callable[[Solution, AnyGame | Form, checker.Report], str | None]

BINDERS: dict[str, Binder] = {  # by kind of certificate
    "zero-sum-tree": tree.fault,
    "tree-profile": tree.fault,
    "restricted-tree": tree.fault,
    "chain-profile": chain.fault,
    "pomdp": pomdp.fault,
    "one-sided": one_sided.fault,
    "level-k": levels.fault,
}


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:
    """The first thing that the stored solution plays or says and its certificate does not speak of; None = bound."""
    if stored.certificate is None:
        return None
    if report.player not in stored.profile:
        return f"the certificate speaks of player {report.player}, for which the file has no policy"
    return BINDERS[report.kind](stored, game, report)


__all__ = ["BINDERS", "fault"]
