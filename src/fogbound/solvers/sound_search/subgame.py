"""One subgame, solved: my strategy in a public state, and what the opponent must be granted after it.

Burch, Johanson and Bowling, "Solving imperfect information games using decomposition" (2014). The opponent may have
come to the subgame in any of its memories, with whatever plan; all that is known of it is what each memory was worth
to it in the solution that I have been playing. So the gadget asks it at the top whether to follow or to terminate for
just that: if it cannot gain by following, in no memory, what I find here is as safe as what I have played so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.sound_search.layout import FOLLOW, TERMINATE, DecisionTree, ResolvingLayout

if TYPE_CHECKING:
    from fogbound.solvers.sound_search.kernels.subgame import Ends, SubgameLearner


@dataclass(frozen=True, eq=False)
class Gadget:
    """What is known at the top of a subgame.

    Attributes
    ----------
    plan : [my sequences]
        With which weight I have played each sequence above the subgame: my range.
    values : [gates at the top]
        What each is worth to the opponent (a counterfactual value); None where it is not asked.
    ranges : [gates at the top]
        Where it is not asked: with which weight it is taken to come to each.
    """

    plan: Floats
    values: Floats | None = None
    ranges: Floats | None = None


@dataclass(frozen=True, eq=False)
class Subgame:
    """The part of a layout below one public state, with both learners; `limit` is the moment at which it is cut off."""

    layout: ResolvingLayout
    state: int
    limit: int
    my_sets: Longs
    their_sets: Longs
    ends: Ends
    me: SubgameLearner
    they: SubgameLearner

    @property
    def size(self) -> int:
        """How many nodes of both players' decision trees a sweep visits: information sets, and the gadget's."""
        inner_gates = (self.layout.gate_memory[self.their_sets] >= 0) & (self.they.size[self.their_sets] == 1)
        return len(self.my_sets) + len(self.their_sets) - int(inner_gates.sum())


def subgame(layout: ResolvingLayout, state: int, gadget: Gadget, limit: int) -> Subgame:
    """Cut the subgame of a public state out, up to the `limit`-th moment at which I act."""
    from fogbound.solvers.sound_search.kernels.subgame import Ends, begin

    mine = np.arange(len(layout.my_state))[layout.run(layout.my_state, state)]
    mine = mine[layout.moment[layout.my_state[mine]] < limit]
    theirs = np.arange(len(layout.their_state))[layout.run(layout.their_state, state)]
    moment, is_gate = layout.moment[layout.their_state[theirs]], layout.gate_memory[theirs] >= 0
    theirs = theirs[moment < limit + is_gate]
    top = theirs[(layout.their_state[theirs] == state) & (layout.gate_memory[theirs] >= 0)]
    run = layout.run(layout.end_state, state)
    kept = np.flatnonzero(layout.moment[layout.end_state[run]] < limit) + run.start
    ends = Ends(layout.my_end[kept], layout.their_end[kept], layout.gain[kept])
    me, they = _learner(layout.mine, layout.my_sequences), _learner(layout.theirs, layout.their_sequences)
    me.weight[:] = gadget.plan
    they.size[theirs[layout.gate_memory[theirs] >= 0]] = 1
    they.weight[0] = 1.0
    first = layout.theirs.first[top]
    if gadget.values is not None:
        they.size[top] = 2
        they.weight[layout.theirs.parent[top]] = 1.0
        they.fixed[first + TERMINATE] = gadget.values
    elif gadget.ranges is not None:
        they.weight[first + FOLLOW] = gadget.ranges
        theirs = np.setdiff1d(theirs, top)
    begin(layout.mine, me, mine)
    begin(layout.theirs, they, theirs)
    return Subgame(layout, state, limit, mine, theirs, ends, me, they)


def _learner(decisions: DecisionTree, sequences: int) -> SubgameLearner:
    from fogbound.solvers.sound_search.kernels.subgame import SubgameLearner

    names = ("regret", "average", "behaviour", "weight", "fixed", "counterfactual")
    by_sequence = {name: np.zeros(sequences) for name in names}
    return SubgameLearner(size=decisions.size.copy(), value=np.zeros(len(decisions.size)), **by_sequence)
