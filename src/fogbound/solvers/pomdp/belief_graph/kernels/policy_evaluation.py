"""Values state by state: of a policy over beliefs, and bounds of single states, which bound every belief over them.

A policy's own plan is followed through the process, exactly. States are bounded by the value of playing at random, of
seeing everything, and of seeing one step late, the fast informed bound (Hauskrecht 2000). Only states from `first` on
are worked on: those before never lead here.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from fogbound.compiled.kernel import kernel
from fogbound.driver.checkpoint_schema import Entries, Schema


class BeliefPolicy(NamedTuple):
    """n beliefs of a graph, and the rows that are taken at each; where none is, play goes on at random."""

    listed: Annotated[np.ndarray, Entries("listed", into="beliefs")]
    number: np.ndarray  # [B] the place of a belief in `listed`, -1 when it is not there
    take: Annotated[np.ndarray, Entries("listed", begins="taken", extra=1)]
    row: Annotated[np.ndarray, Entries("taken", into="rows")]  # of the graph
    share: Annotated[np.ndarray, Entries("taken", float, low=0.0, high=1.0)]  # how likely it is taken
    at: np.ndarray  # [n+1] where the values of a belief's states begin


SCHEMA = Schema.of({"": BeliefPolicy})


@kernel
def _find(keys, low, high, wanted):
    """Where a key stands in keys[low:high], which rise; -1 where it does not."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and keys[low] == wanted else -1


@kernel
def pair_after(graph, plan, row, seen, state):
    """Where the value of a state stands when a plan goes on after a row; -1 where it does not: play is at random."""
    out = _find(graph.obs, graph.out[row], graph.out[row + 1], seen)
    if out < 0 or plan.number[graph.child[out]] < 0:  # < 0: only states too faint to be believed (`FAINT`) show it
        return -1
    after = graph.child[out]
    entry = _find(graph.state, graph.first[after], graph.first[after + 1], state)
    return plan.at[plan.number[after]] + entry - graph.first[after] if entry >= 0 else -1


@kernel
def row_value(model, graph, plan, belief, state, row, value, paid):
    """The value of a row in one state, when the plan goes on after it; without `paid`, the steps until it stops."""
    r = model.row[state] + row - graph.rows[belief]
    total = model.reward[r] if paid else 1.0
    for o in range(model.out[r], model.out[r + 1]):
        if not model.over[model.obs[o]] and model.prob[o] > 0:
            after = pair_after(graph, plan, row, model.obs[o], model.next[o])
            if after >= 0:
                ahead = value[after]
            else:
                ahead = model.low[model.next[o]] if paid else 0.0
            total += model.discount * model.prob[o] * ahead
    return total


@kernel
def value_sweep(model, graph, plan, value, paid):
    """One sweep over the pairs (belief, state), last first, in place. Returns the largest change."""
    change = 0.0
    for k in range(len(plan.listed) - 1, -1, -1):
        belief = plan.listed[k]
        for e in range(graph.first[belief], graph.first[belief + 1]):
            state, total = graph.state[e], 0.0
            if plan.take[k] == plan.take[k + 1]:
                total = model.low[state] if paid else 1.0
            for t in range(plan.take[k], plan.take[k + 1]):
                total += plan.share[t] * row_value(model, graph, plan, belief, state, plan.row[t], value, paid)
            where = plan.at[k] + e - graph.first[belief]
            if total != value[where]:
                change = max(change, abs(total - value[where]))
                value[where] = total
    return change


@kernel
def list_moves(model, graph, plan, source, target, chance, reward):
    """The moves between pairs (belief, state) that a plan makes, and each pair's own reward. How many moves there are.

    With arrays of length 0 they are only counted. Where the plan stops, play at random adds its value to the reward.
    """
    count = 0
    for k in range(len(plan.listed)):
        belief = plan.listed[k]
        for e in range(graph.first[belief], graph.first[belief + 1]):
            state, pair = graph.state[e], plan.at[k] + e - graph.first[belief]
            own = model.low[state] if plan.take[k] == plan.take[k + 1] else 0.0
            for t in range(plan.take[k], plan.take[k + 1]):
                row = plan.row[t]
                r = model.row[state] + row - graph.rows[belief]
                own += plan.share[t] * model.reward[r]
                for o in range(model.out[r], model.out[r + 1]):
                    if not model.over[model.obs[o]] and model.prob[o] > 0:
                        after = pair_after(graph, plan, row, model.obs[o], model.next[o])
                        weight = plan.share[t] * model.discount * model.prob[o]
                        if after < 0:
                            own += weight * model.low[model.next[o]]
                        else:
                            if len(source):
                                source[count], target[count] = pair, after
                                chance[count] = weight
                            count += 1
            if len(source):
                reward[pair] = own
    return count


@kernel
def mark_ends(row, out, next, first, last, ends):
    """[P] whether play can end from there, given that of the states before `first`. Ends have no rows."""
    changed = True
    while changed:
        changed = False
        for s in range(last - 1, first - 1, -1):
            if not ends[s]:
                may_end = row[s] == row[s + 1]
                for e in range(out[row[s]], out[row[s + 1]]):
                    may_end = may_end or ends[next[e]]
                if may_end:
                    ends[s] = changed = True


@kernel
def random_sweep(row, out, next, prob, reward, discount, first, last, low):
    """One sweep of the value of uniform play, in place. Returns the largest change."""
    change = 0.0
    for s in range(last - 1, first - 1, -1):
        many = row[s + 1] - row[s]
        if many:
            total = 0.0
            for r in range(row[s], row[s + 1]):
                total += reward[r]
                for e in range(out[r], out[r + 1]):
                    total += discount * prob[e] * low[next[e]]
            change = max(change, abs(total / many - low[s]))
            low[s] = total / many
    return change


@kernel
def mdp_sweep(row, out, next, prob, reward, discount, first, last, high, q_values):
    """One sweep of the value of a player that sees everything, in place and only upwards; fills `q_values` of rows."""
    change = 0.0
    for s in range(last - 1, first - 1, -1):
        best = -np.inf
        for r in range(row[s], row[s + 1]):
            total = reward[r]
            for e in range(out[r], out[r + 1]):
                total += discount * prob[e] * high[next[e]]
            q_values[r] = total
            best = max(best, total)
        if best > high[s]:
            change = max(change, best - high[s])
            high[s] = best
    return change


@kernel
def informed_value(row, out, next, obs, prob, reward, discount, r, q_values):
    """R(s, a) + discount sum over o of max over a' of the sum over s' of P(s', o | s, a) Q(s', a'), for row r."""
    total = reward[r]
    for e in range(out[r], out[r + 1]):
        begins = True
        for f in range(out[r], e):
            begins = begins and obs[f] != obs[e]
        many = row[next[e] + 1] - row[next[e]]
        if begins and many:
            best = -np.inf
            for a in range(many):
                ahead = 0.0
                for f in range(e, out[r + 1]):
                    if obs[f] == obs[e]:
                        ahead += prob[f] * q_values[row[next[f]] + a]
                best = max(best, ahead)
            total += discount * best
    return total


@kernel
def informed_rows(row, out, next, obs, prob, reward, discount, first, last, q_values):
    """One sweep of the fast informed bound, in place and only downwards. Returns the largest change."""
    change = 0.0
    for s in range(last - 1, first - 1, -1):
        for r in range(row[s], row[s + 1]):
            total = informed_value(row, out, next, obs, prob, reward, discount, r, q_values)
            if total < q_values[r]:
                change = max(change, q_values[r] - total)
                q_values[r] = total
    return change


@kernel
def lift_sweep(row, out, next, obs, prob, reward, discount, kept, margin, q_values):
    """Raise the informed bound of the states `kept` until each row exceeds what follows from it by `margin`.

    One sweep in place; returns the largest change. It comes to rest unless play can go round for nothing.
    """
    change = 0.0
    for k in range(len(kept) - 1, -1, -1):
        for r in range(row[kept[k]], row[kept[k] + 1]):
            total = informed_value(row, out, next, obs, prob, reward, discount, r, q_values) + margin
            if total > q_values[r]:
                change = max(change, total - q_values[r])
                q_values[r] = total
    return change
