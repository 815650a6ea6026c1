"""What a strategy with nodes guarantees, evaluated: needed where nodes were replaced by others."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats
from fogbound.solvers.one_sided.stages.dense import StageGame

SWEEPS, CLOSE = 2_000, 1e-9
Follow = list[tuple[int, float]]  # vectors, by records or nodes, with weights


def guaranteed_values(
    discount: float, stages: list[StageGame], shares: list[Floats], follows: list[Follow], values: list[Floats]
) -> tuple[list[Floats], float]:
    """([nodes] values of the states of each, from these on; by how much one step may still fall short of them).

    Parameters
    ----------
    discount : float
        For how close values must come to each other.
    stages, shares, values
        [nodes] the stage of a node's partition, discounted; its shares of actions; values that are not too low.
    follows
        [nodes and successors] what comes next, by numbers of nodes.
    """
    matrix, constant, heads = _one_step(stages, shares, follows, values)
    x, rest = np.concatenate(values), 0.0
    close = CLOSE * max(1.0 - discount, CLOSE) * max(1.0, float(np.abs(x).max(initial=0.0)))
    for _ in range(SWEEPS):
        check()
        after: Floats = np.minimum.reduceat(constant + matrix @ x, heads)
        rest = max(0.0, float((x - after).max()))
        x = after
        if rest <= close:
            break
    return np.split(x, np.cumsum([len(value) for value in values])[:-1]), rest


def _one_step(
    stages: list[StageGame], shares: list[Floats], follows: list[Follow], values: list[Floats]
) -> tuple[sparse.csr_matrix, Floats, list[int]]:
    """([replies, states] what a step leads to, [replies] what it brings, where the replies of each state begin)."""
    first = np.cumsum([0, *map(len, values)])
    lines, columns, weights, constant, heads, top, at = [], [], [], list[Floats](), list[int](), 0, 0
    for own, share in zip(stages, shares, strict=True):
        constant.append(share @ own.reward)
        heads += (top + np.searchsorted(own.owner, np.arange(own.owner[-1] + 1))).tolist()
        for action, step in zip(own.action.tolist(), own.step):
            reply, state = np.nonzero(step)
            for node, weight in follows[at] if share[action] > 0 else ():
                lines.append(top + reply)
                columns.append(first[node] + state)
                weights.append(share[action] * weight * step[reply, state])
            at += 1
        top += len(own.owner)
    shape = (top, int(first[-1]))
    if not lines:
        return sparse.csr_matrix(shape), np.concatenate(constant), heads
    places = np.concatenate(lines), np.concatenate(columns)
    return sparse.csr_matrix((np.concatenate(weights), places), shape), np.concatenate(constant), heads
