"""A POSG with one reward, as kernels see it, and what joint plans bring from each state of a stage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.posg import POSG

NEVER = -1e30  # the worth of what is not allowed


@dataclass(frozen=True, eq=False)
class Dynamics(Bundle):
    """The arrays of a POSG; `observations` [n] says how many each agent can make."""

    row: Longs
    stride: Longs
    places: Longs
    out: Longs
    next: Longs
    seen: Longs
    prob: Floats
    reward: Floats
    over: NDArray[np.bool_]
    observations: Longs


def dynamics(form: POSG) -> Dynamics:
    """Everybody's reward is the first one's."""
    counts = np.array([len(known) for known in form.observations], np.int64)
    shared = form.reward[:, 0]
    whole = (form.row, form.stride, form.places, form.out, form.next, form.seen)
    longs = [np.ascontiguousarray(array) for array in whole]
    chances = np.ascontiguousarray(form.prob), np.ascontiguousarray(shared)
    return Dynamics(*longs, *chances, np.ascontiguousarray(form.over), counts)  # type: ignore[call-arg, arg-type]


@kernel
def plan_values(model, states, following, digit, action, after, radix, discount, later):
    """[states, joint plans] what a joint plan brings: its joint action, then the joint plan that the observations lead
    to.

    digit [P, n] is each agent's plan in a joint plan; action [n, plans] is what a plan does now and after [n, plans,
    observations] what it becomes. later [states of the next stage, joint plans there] has no column at the last step;
    its joint plans are numbered with `radix` [n] plans an agent, and `following` says where a state stands in it.
    """
    plans, n = digit.shape
    value = np.full((len(states), plans), NEVER)
    last = later.shape[1] == 0
    for k in range(len(states)):
        s = states[k]
        for x in range(plans):
            r = model.row[s]
            legal = True
            for i in range(n):
                a = action[i, digit[x, i]]
                legal = legal and a < model.places[s, i]
                r += a * model.stride[s, i]
            if not legal:
                continue
            total = model.reward[r]
            if not last:
                for o in range(model.out[r], model.out[r + 1]):
                    if model.over[model.next[o]]:
                        continue
                    y = 0
                    for i in range(n):
                        y = y * radix[i] + after[i, digit[x, i], model.seen[o, i]]
                    total += discount * model.prob[o] * later[following[model.next[o]], y]
            value[k, x] = max(total, NEVER)
    return value
