"""Values by state, compiled: what joint plans bring from each state of a stage."""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel

NEVER = -1e30  # the worth of what is not allowed


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
