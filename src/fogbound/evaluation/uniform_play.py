"""Exact values of uniform play on all states of compiled rules, and of best replies to it.

Players who choose uniformly reveal nothing, whatever they know. So whoever replies to them needs no belief about what
it does not see, as long as that decides neither how play goes on nor what the one who replies is paid: one sweep over
states is exact, in games far too large for a tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fogbound.core.errors import FormError, brief
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.recurrence import topological_order
from fogbound.forms.state_graph import StateGraph


@dataclass(frozen=True)
class UniformPlay:
    """Values by state and player.

    Parameters
    ----------
    uniform : [S, n]
        What each player gets where all choose uniformly.
    reply : [S, n]
        What each gets who alone does better, and sees the state.
    """

    uniform: Floats
    reply: Floats


@dataclass(frozen=True)
class UniformSweep:
    """Sweeps over the same states, as often as payoffs change.

    Parameters
    ----------
    states
        All states of a game that ends.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.evaluation.uniform_play import UniformSweep
    >>> from fogbound.forms.state_graph import state_graph
    >>> game = fb.game("king-up(seats=2, pieces=3, targets=1, height=2, width=2, rounds=1)")
    >>> states = state_graph(game.compiled_rules())
    >>> found = UniformSweep(states).run()
    >>> found.uniform[states.start].mean(axis=0).round(4).tolist()
    [0.2633, 0.2633]
    """

    states: StateGraph
    order: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        order, recurring = topological_order(self.states)
        if recurring >= 0:
            compiled = self.states.compiled
            state = brief(compiled.state(self.states.rows[recurring].tolist()))
            raise FormError(f"{compiled.spec}: play can come back to {state}, expected a game that ends")
        object.__setattr__(self, "order", order)

    def run(self, payoff: Floats | None = None) -> UniformPlay:
        """The values where outcomes pay `payoff`, as the compiled rules say where none is given.

        Parameters
        ----------
        payoff : [paying outcome, player]
            As `StateGraph.payoff` has it.

        Returns
        -------
        UniformPlay
        """
        from fogbound.evaluation.kernels import SweptStates, Values, sweep_states

        states, n = self.states, len(self.states.compiled.players)
        columns = {name: getattr(states, name) for name in ("choices", "row", "out", "next", "prob", "pays", "paid")}
        moves = SweptStates(order=self.order, payoff=states.payoff if payoff is None else payoff, **columns)
        own = np.zeros((n, states.compiled.most_actions))
        values = Values(np.zeros((states.size, 2 * n)), np.zeros(2 * n), np.zeros(2 * n), own)
        sweep_states(moves, float(states.compiled.discount), values)
        return UniformPlay(values.value[:, :n], values.value[:, n:])
