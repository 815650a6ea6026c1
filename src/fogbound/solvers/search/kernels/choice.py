"""Decision rules: how an action is chosen in a node, and what a node learns.

- UCB: UCB1 (Auer, Cesa-Bianchi and Fischer 2002): mean + exploration * spread * sqrt(log visits / tried), untried
  actions first. Where nodes are pooled, `visits` is how often the action was legal (Cowling, Powley and Whitehouse
  2012).
- MATCHING: document 004, section 3.4.2, as published: an action is drawn in proportion to its mean less that of the
  node, or to a floor where that is negative. Nothing is accumulated, so it stalls at its floor.
- REGRET: regret matching (Hart and Mas-Colell 2000) on regrets that are accumulated, each estimated from one sample
  with the means as baselines (Schmid et al. 2019); what it has learnt is the average of its strategies.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import uniform
from fogbound.compiled.kernel import kernel
from fogbound.solvers.search.kernels.pool import edge_of

UCB, MATCHING, REGRET = 0, 1, 2
RULE, ME, DEPTH, PLAYS_OUT, KNOWS, WORTHS, CAP, SINGLE, ROLLS, LEAF, PREFERS = range(11)  # of `Way.choices`
EXPLORATION, SPREAD, DISCOUNT, FLOOR, SHARE, PRIOR, TRIES = range(7)  # of `Way.numbers`
BY_RULES, BY_TABLE = 1, 2  # WORTHS: initial values of actions, from the rules' `worths` or from a table; 0: none
BY_PRIOR, BY_STATE = 1, 2  # LEAF: a new node's best initial value, or a table's value of its state; 0: a rollout


@dataclass(frozen=True, eq=False)
class Way(Bundle):
    """How to search: the rule, for whom, how deep, what the game offers; and the rule's numbers."""

    choices: np.ndarray  # [11]
    numbers: np.ndarray  # [7]
    share: np.ndarray  # [tried] 1 / (tried + prior), as far as it was computed beforehand
    width: np.ndarray  # [tried] its root
    growth: np.ndarray  # [visits] the root of log(visits + prior)
    entry: np.ndarray  # [state, player] where the entries of a player's legal actions begin, -1: it does not move
    chance: np.ndarray  # [entry] of the rollout policy
    initial: np.ndarray  # [entry] initial value of the action
    preferred: np.ndarray  # [entry] whether the action is preferred
    value: np.ndarray  # [state, player] leaf value


@kernel
def bonus(way, walk, player):
    """UCB1's constant: exploration * spread, which is given or that of the returns so far."""
    spread = way.numbers[SPREAD]
    if spread <= 0.0:
        spread = walk.high[player] - walk.low[player]
    if spread <= 0.0:
        spread = 1.0
    return way.numbers[EXPLORATION] * spread


@kernel
def _share(way, tried):
    """1 / (tried + prior): looked up, since a division takes as long as all the rest of an action's bound."""
    return way.share[tried] if tried < len(way.share) else 1.0 / (tried + way.numbers[PRIOR])


@kernel
def _width(way, tried):
    """The root of that."""
    return way.width[tried] if tried < len(way.width) else sqrt(1.0 / (tried + way.numbers[PRIOR]))


@kernel
def _growth(way, visits):
    """The root of the logarithm of the visits, `prior` among them."""
    return way.growth[visits] if visits < len(way.growth) else sqrt(log(max(visits + way.numbers[PRIOR], 1.0)))


@kernel
def ucb1(pool, node, size, way, room):
    """Untried actions first, in order; then the highest upper confidence bound. `room` is UCB1's constant."""
    best, most, first = -1e300, 0, pool.first[node]
    spread = room * _growth(way, pool.visits[node])
    for place in range(size):
        tried = pool.tried[first + place]
        if tried == 0:
            return place
        upper = pool.total[first + place] * _share(way, tried) + spread * _width(way, tried)
        if upper > best:
            best = upper
            most = place
    return most


@kernel
def ucb1_pooled(pool, node, legal, size, way, room):
    """UCB1 where other actions may be legal each time: visits are how often an action was."""
    best, most = -1e300, 0
    for place in range(size):
        edge = edge_of(pool, node, place, legal[place])
        pool.open[edge] += 1
        tried = pool.tried[edge]
        if tried == 0:
            if best < 1e300:
                best = 1e300
                most = place
            continue
        spread = room * _growth(way, pool.open[edge])
        upper = pool.total[edge] * _share(way, tried) + spread * _width(way, tried)
        if upper > best:
            best = upper
            most = place
    return most


@kernel
def ucb1_informed(pool, node, size, way, room):
    """UCB1 where something is known of all actions: the mean worth of the states that arrived counts `prior` tries."""
    best, most, first = -1e300, 0, pool.first[node]
    spread = room * _growth(way, pool.visits[node])
    scale = way.numbers[PRIOR] / pool.arrived[node]
    for place in range(size):
        edge = first + place
        tried = pool.tried[edge]
        upper = (pool.total[edge] + scale * pool.prior[edge]) * _share(way, tried) + spread * _width(way, tried)
        if upper > best:
            best = upper
            most = place
    return most


@kernel
def prefers(pool, node, size, way):
    """Whether a node is still at its preferred actions, each of which is tried so often before any other."""
    count, first = 0, pool.first[node]
    for edge in range(first, first + size):
        count += pool.preferred[edge]
    return count > 0 and pool.visits[node] < way.numbers[TRIES] * count


@kernel
def ucb1_preferred(pool, node, size, way, room):
    """UCB1 among the preferred actions, those never tried first, in order; initial values count where there are any."""
    best, most, first = -1e300, 0, pool.first[node]
    spread = room * _growth(way, pool.visits[node])
    scale = way.numbers[PRIOR] / pool.arrived[node] if way.choices[WORTHS] else 0.0
    for place in range(size):
        edge = first + place
        tried = pool.tried[edge]
        if pool.preferred[edge] == 0:
            continue
        if tried == 0 and scale == 0.0:
            return place
        known = scale * pool.prior[edge] if scale > 0.0 else 0.0
        upper = (pool.total[edge] + known) * _share(way, tried) + spread * _width(way, tried)
        if upper > best:
            best = upper
            most = place
    return most


@kernel
def mark_preferred(pool, node, size, way, state, player):
    """Write down which actions of a new node are preferred in the state that came there first."""
    entry, first = way.entry[state, player], pool.first[node]
    for place in range(size):
        pool.preferred[first + place] = way.preferred[entry + place]


@kernel
def match_means(pool, node, floor, policy):
    """Document 004's regret matching: in proportion to Q(I, a) - Q(I), or to the floor."""
    mean, visits, first, size = 0.0, 0, pool.first[node], pool.size[node]
    for edge in range(first, first + size):
        mean += pool.total[edge]
        visits += pool.tried[edge]
    mean = mean / visits if visits > 0 else 0.0
    whole = 0.0
    for place in range(size):
        tried = pool.tried[first + place]
        excess = (pool.total[first + place] / tried if tried > 0 else 0.0) - mean
        policy[place] = excess if excess > 0.0 else floor
        whole += policy[place]
    for place in range(size):
        policy[place] /= whole


@kernel
def strategy(pool, node, policy):
    """Regret matching: in proportion to positive cumulative regret, uniform where there is none."""
    whole, first, size = 0.0, pool.first[node], pool.size[node]
    for place in range(size):
        policy[place] = max(pool.regret[first + place], 0.0)
        whole += policy[place]
    for place in range(size):
        policy[place] = policy[place] / whole if whole > 0.0 else 1.0 / size


@kernel
def sampled_place(policy, size, share, random):
    left = uniform(random)
    for place in range(size - 1):
        left -= (1.0 - share) * policy[place] + share / size
        if left < 0.0:
            return place
    return size - 1


@kernel
def learn(pool, node, edge, gain, way, policy):
    """Count a try that brought `gain` to the mover, with its regrets where the rule is REGRET."""
    if way.choices[RULE] == REGRET:
        _learn_regret(pool, node, edge, gain, way.numbers[SHARE], policy)
    pool.visits[node] += 1
    pool.tried[edge] += 1
    pool.total[edge] += gain


@kernel
def _learn_regret(pool, node, edge, gain, share, policy):
    """The regrets of one sample, before it is counted: baselines are the means of the samples before."""
    first, size, value = pool.first[node], pool.size[node], 0.0
    strategy(pool, node, policy)
    for place in range(size):
        value += policy[place] * _estimate(pool, edge, first + place, gain, policy[place], share, size)
    for place in range(size):
        estimate = _estimate(pool, edge, first + place, gain, policy[place], share, size)
        pool.regret[first + place] += estimate - value
        pool.average[first + place] += policy[place]


@kernel
def _estimate(pool, edge, other, gain, chance, share, size):
    """What an action would have brought: its mean, corrected by the sample where it is the one that was tried."""
    tried = pool.tried[other]
    mean = pool.total[other] / tried if tried > 0 else 0.0
    if other != edge:
        return mean
    return mean + (gain - mean) / ((1.0 - share) * chance + share / size)
