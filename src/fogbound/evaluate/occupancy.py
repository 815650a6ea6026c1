"""Where a controller spends its time: how often play is at each node, and what is true there.

A node stands for every history that leads to it, so the belief that it holds is what is true there on average, a
visit counting for as much as the discount has left of it. Where a controller follows beliefs exactly this is the
belief itself; where one node stands for several it is their mixture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fogbound.core.errors import PolicyError
from fogbound.core.game import AnyGame, Seen
from fogbound.core.policy import Player
from fogbound.evaluate.occupancy_visits import visits
from fogbound.evaluate.occupancy_walk import Walk
from fogbound.forms.bayes import START
from fogbound.forms.pomdp import POMDP, pomdp
from fogbound.forms.product import MOST_POINTS
from fogbound.forms.table import Floats, Table
from fogbound.policies.controller import LOST, Arrow, Controller

DIGITS = 12  # probabilities that agree so far are equal, and their states are listed in the model's order

Likely = tuple[tuple[Any, float], ...]  # states of the game with their probabilities, the likeliest first


@dataclass(frozen=True, eq=False)
class Occupancy:
    """What happens at each node of a controller, from the start of the game on.

    The chances of a node's arrows for one action sum to 1 less the chance that the step ends the game.
    """

    visits: tuple[float, ...]  # [node] how often play comes there, discounted
    beliefs: tuple[Likely, ...] = field(repr=False)  # [node] empty where play never comes
    chances: Mapping[Arrow, float] = field(repr=False)  # of an arrow, given that its action is taken at its node
    first: Mapping[Seen, float] = field(repr=False)  # how likely each first sight is
    lost: float = 0.0  # how often play is where the controller was not made for


def occupancy(
    game: AnyGame | Table | POMDP, profile: Mapping[int, Player], me: int = 0, limit: int = MOST_POINTS
) -> Occupancy:
    """Visits, beliefs and chances when all play as in `profile`, in which seat `me` plays a controller.

    A POMDP is what `me` faces already: of the profile only the controller is asked for. LimitError past `limit`
    pairs of a node and a state; FormError where nothing is discounted and some play never ends.
    """
    policy = profile.get(me)
    if not isinstance(policy, Controller):
        found = "no policy" if policy is None else f"a policy of class {type(policy).__name__}"
        raise PolicyError(f"seat {me} has {found}, expected a controller: make one with policies.controller")
    others = {seat: player for seat, player in profile.items() if seat != me}
    form = game if isinstance(game, POMDP) else pomdp(game, me, others, limit)
    walk = Walk(form, policy, limit)
    often = visits(walk)
    times = np.bincount(walk.pairs // form.size, often, policy.size + 1).tolist()
    return Occupancy(tuple(times[:-1]), _beliefs(walk, often), _chances(walk, often), _first(form), times[-1])


def _beliefs(walk: Walk, often: Floats) -> tuple[Likely, ...]:
    """What is true at each node: states of the game alone, what the others remember is summed out."""
    form, (node, state) = walk.form, np.divmod(walk.pairs, walk.form.size)
    own = state if form.product is None else form.product.point[state, 0].astype(np.int64)
    wide = int(own.max(initial=0)) + 1
    keys, place = np.unique(node * wide + own, return_inverse=True)
    shares: Floats = np.bincount(place, often, len(keys)).astype(np.float64)
    nodes, where = np.unique(keys // wide, return_inverse=True)
    total = np.bincount(where, shares, len(nodes))[where]
    keys, shares = keys[total > 0], shares[total > 0] / total[total > 0]
    listed: list[list[tuple[Any, float]]] = [[] for _ in range(walk.policy.size + 1)]
    for k in np.lexsort((keys, -shares.round(DIGITS))).tolist():
        if shares[k] > 0:
            node_, state_ = divmod(int(keys[k]), wide)
            label = form.label(state_) if form.product is None else form.product.table.states[state_]
            listed[node_].append((label, float(shares[k])))
    return tuple(map(tuple, listed[:-1]))


def _chances(walk: Walk, often: Floats) -> dict[Arrow, float]:
    """How likely each arrow is followed. Two observations may be one sight: asked to move, or not."""
    followed = often[walk.source] * walk.weight
    keys, place = np.unique(walk.arrow, return_inverse=True)
    along = np.bincount(place, followed * (walk.target >= 0), len(keys))
    ways, way = np.unique(keys // walk.sights, return_inverse=True)  # (node, action)
    left = np.bincount(way, np.bincount(place, followed, len(keys)), len(ways))[way]
    chances: dict[Arrow, float] = {}
    for key, p, total in zip(keys.tolist(), along.tolist(), left.tolist()):
        words = walk.words(key)
        if p > 0 and words[0] != LOST:
            chances[words] = chances.get(words, 0.0) + p / total
    return chances


def _first(form: POMDP) -> dict[Seen, float]:
    first: dict[Seen, float] = {}
    for o in range(form.out[START], form.out[START + 1]):
        seen, _ = form.observations[form.obs[o]]
        first[seen] = first.get(seen, 0.0) + float(form.prob[o])
    return first
