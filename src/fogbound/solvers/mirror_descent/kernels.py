"""Iterations of magnetic mirror descent on the sequence form, compiled.

Sequences of all players stand in one array, those of player i from `offset[i]` on. A player's sets are listed parents
first; set h hangs below sequence parent[h] and owns sequences first[h] .. first[h]+size[h]-1.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel
from fogbound.forms.kernels.treeplex import gains


@kernel
def descend(schedule, agent, layout, ends, payoff, chance, dual, behaviour, weight, value, reach):
    """One iteration for each row of `schedule`: (temperature, share of the new gradient in the dual variables).

    All players move at once. `dual` holds one number a sequence; `value` and `reach` are work space.
    """
    infoset_offset, offset, parent, first, size = layout
    for t in range(len(schedule)):
        temperature, share = schedule[t, 0], schedule[t, 1]
        for player in range(len(offset) - 1):
            mine = slice(offset[player], offset[player + 1])
            value[mine] = 0.0
            gains(ends, payoff, weight, offset, player, value[mine])
            if agent:
                reach[mine] = 0.0
                gains(ends, chance, weight, offset, player, reach[mine])
                action_values(infoset_offset, parent, first, size, behaviour, player, value, reach)
            for q in range(offset[player], offset[player + 1]):
                dual[q] += share * (value[q] / temperature - dual[q])
        respond_softly(agent, infoset_offset, offset, parent, first, size, dual, behaviour, weight, value)


@kernel
def action_values(infoset_offset, parent, first, size, behaviour, player, value, reach):
    """Turn what ending at each sequence brings into the value of each action, given that its set is reached."""
    for h in range(infoset_offset[player + 1] - 1, infoset_offset[player] - 1, -1):
        for q in range(first[h], first[h] + size[h]):
            value[parent[h]] += behaviour[q] * value[q]
            reach[parent[h]] += behaviour[q] * reach[q]
            if reach[q] > 0.0:
                value[q] /= reach[q]


@kernel
def respond_softly(agent, infoset_offset, offset, parent, first, size, dual, behaviour, weight, value):
    """The strategies of the dual variables: a softmax at every set, of the set's own or of whole plans."""
    value[:] = dual
    for player in range(len(offset) - 1):
        for h in range(infoset_offset[player + 1] - 1, infoset_offset[player] - 1, -1):
            own = slice(first[h], first[h] + size[h])
            top = value[own].max()
            behaviour[own] = np.exp(value[own] - top)
            total = behaviour[own].sum()
            behaviour[own] /= total
            if not agent:
                value[parent[h]] += top + np.log(total)
        weight[offset[player]] = 1.0
        for h in range(infoset_offset[player], infoset_offset[player + 1]):
            for q in range(first[h], first[h] + size[h]):
                weight[q] = weight[parent[h]] * behaviour[q]
