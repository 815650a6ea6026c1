"""Whether two policies are the same player: by what they do, not by how they are numbered.

Two controllers behave alike when one walk through both at once never finds nodes that choose differently (Hopcroft
and Karp 1971). Uniform play is the controller that is lost from the start, since whoever is lost plays uniformly.
"""

from __future__ import annotations

from collections.abc import Hashable

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError
from fogbound.core.policy import Strategy
from fogbound.policies.controller import LOST, Arrows, Controller
from fogbound.policies.mixture import Trembling
from fogbound.policies.uniform import Uniform

CLOSE = 1e-9  # probabilities that differ by less are equal
ADRIFT = Controller({}, {}, ())  # lost from the first observation on


def equivalent(one: Strategy, two: Strategy, slips: bool = False) -> bool:
    """Whether two policies do the same after everything that a player can see.

    Parameters
    ----------
    one, two
        Controllers, uniform play, or these with a trembling hand.
    slips
        Without, only play by their own choices counts; with, also what follows after actions that they would not
        choose, which tells trembling players apart.

    Returns
    -------
    bool

    Raises
    ------
    PolicyError
        One of them is neither a controller nor uniform play.

    Examples
    --------
    >>> from fogbound import games, policies
    >>> policies.equivalent(policies.Uniform(), policies.Controller({}, {}, ()))
    True
    """
    if one is two:
        return True
    if isinstance(one, Trembling) and isinstance(two, Trembling):
        return one.rate == two.rate and equivalent(one.policy, two.policy, slips or one.rate > 0)
    return _same_walk(_as_controller(one), _as_controller(two), slips)


def _as_controller(policy: Strategy) -> Controller:
    if isinstance(policy, Uniform):
        return ADRIFT
    if isinstance(policy, Controller):
        return policy
    raise PolicyError(
        f"found a {type(policy).__name__}, expected controllers or uniform play to compare; "
        "make it one with policies.controller(game, player, policy)"
    )


def _same_walk(one: Controller, two: Controller, slips: bool) -> bool:
    """Follow both from the start, every pair of nodes once."""
    after = _arrows(one, slips), _arrows(two, slips)
    pairs = {(one.first.get(seen, LOST), two.first.get(seen, LOST)) for seen in (*one.first, *two.first)}
    waiting = list(pairs)
    while waiting:
        here, there = waiting.pop()
        if not _same_choice(_choice(one, here), _choice(two, there)):
            return False
        mine, theirs = after[0].get(here, {}), after[1].get(there, {})
        for word in mine.keys() | theirs.keys():
            pair = mine.get(word, LOST), theirs.get(word, LOST)
            if pair not in pairs:
                pairs.add(pair)
                waiting.append(pair)
    return True


def _arrows(controller: Controller, slips: bool) -> dict[int, Arrows]:
    """Each node's arrows; without slips those left out whose action the node never chooses."""
    after: dict[int, Arrows] = {}
    for (node, action, seen), target in controller.arrows.items():
        choice = controller.choices[node]
        if slips or action is None or choice is None or choice[action] > 0:
            after.setdefault(node, {})[action, seen] = target
    return after


def _choice(controller: Controller, node: int) -> Dist[Hashable] | None:
    return None if node == LOST else controller.choices[node]


def _same_choice(one: Dist[Hashable] | None, two: Dist[Hashable] | None) -> bool:
    if one is None or two is None:
        return one is two
    return all(abs(one[action] - two[action]) <= CLOSE for action in {*one.support(), *two.support()})
