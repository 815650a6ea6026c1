"""What the blind player's strategy guarantees: an interval around the best answer to it.

The one who answers sees everything, and so knows what the blind player remembers: value iteration over states and
memories. They are followed for some steps only, and what could come of those that are left makes the interval.
"""

from __future__ import annotations

import numpy as np

from fogbound.core.policy import AnyPolicy
from fogbound.forms.table import Floats
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.play.memories import Memories, Node, Ways

SWEEPS = 2_000
STILL = 1e-10


def guarantee(bounded: Bounded, policy: AnyPolicy, steps: int, limit: int = 10_000) -> tuple[float, float]:
    """What the blind player's `policy` is paid at least, whatever the other does: between these.

    Its memories are followed for `steps` steps; those that come back are followed for ever.
    """
    nodes, ways = Memories(bounded.form, policy, limit).followed(steps)
    first, corner = bounded.game.first, bounded.arrays["corner"]
    low = [np.zeros(first[p + 1] - first[p]) for p, _, _ in nodes]
    high = [corner[first[p] : first[p + 1]].copy() for p, _, _ in nodes]
    _iterate(bounded, nodes, ways, low, np.maximum)
    _iterate(bounded, nodes, ways, high, np.minimum)
    return _at_start(bounded, nodes, low), _at_start(bounded, nodes, high)


def _iterate(
    bounded: Bounded, nodes: list[Node], ways: dict[int, Ways], values: list[Floats], tighter: np.ufunc
) -> None:
    """Value iteration from a bound, in place: bounds all the way. Nodes that were not followed keep theirs."""
    for _ in range(SWEEPS):
        change = 0.0
        for number in reversed(range(len(ways))):
            found = tighter(values[number], _backed_up(bounded, nodes[number][0], ways[number], values))
            change = max(change, float(np.abs(found - values[number]).max()))
            values[number] = found
        if change <= STILL:
            return


def _backed_up(bounded: Bounded, part: int, ways: Ways, values: list[Floats]) -> Floats:
    game = bounded.game
    rows = game.row[game.first[part] : game.first[part + 1] + 1] - game.row[game.first[part]]
    paid = np.zeros(rows[-1])
    for share, slot, after in ways:
        paid += share * game.reward[game.pay[slot] : game.pay[slot + 1]]
        for branch, number in after.items():
            entries = slice(game.entry[branch], game.entry[branch + 1])
            led = game.prob[entries] * values[number][game.to[entries] - game.first[game.target[branch]]]
            paid += share * np.bincount(game.source[entries] - game.row[game.first[part]], led, rows[-1])
    found: Floats = np.minimum.reduceat(paid, rows[:-1])
    return found


def _at_start(bounded: Bounded, nodes: list[Node], values: list[Floats]) -> float:
    form, scaled = bounded.form, bounded.scaled
    worth = sum(
        float(form.start[form.first[nodes[k][0]] : form.first[nodes[k][0] + 1]] @ values[k])
        for k in range(len(form.opening))
    )
    return form.paid + float(form.start @ scaled.least) + scaled.scale * worth
