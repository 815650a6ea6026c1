"""What is known of a team's play so far: a distribution over everybody's memories and the state.

A joint policy makes the play of a team a deterministic process of occupancies (Dibangoye, Amato, Buffet and
Charpillet, 2016): the next one follows from the present one and the joint decision rule, and what it still can bring
depends on nothing else. Memories with equal futures are one, so occupancies stay small and the same one is met on many
ways.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from fogbound.forms.arrays import Floats, Longs, offsets
from fogbound.forms.posg import POSG
from fogbound.forms.table import START

TOLERANCE = 1e-11  # probabilities this close are equal: what is merged by mistake changes values by no more
GRAIN = 1e9  # masses that are equal on this grid have one name


class Occupancy:
    """J joint memories of n agents, each with a distribution over states; masses sum to 1.

    Attributes
    ----------
    memory : [J, n]
        The memory of each agent.
    first : [J+1]
        Where the states of a joint memory begin.
    state, mass : [E]
        The states, and how likely each is together with its joint memory.
    counts : [n]
        How many memories each agent has.
    """

    __slots__ = ("__dict__", "counts", "first", "mass", "memory", "state")

    def __init__(self, memory: Longs, first: Longs, state: Longs, mass: Floats, counts: Longs) -> None:
        self.memory, self.first, self.state, self.mass, self.counts = memory, first, state, mass, counts

    @cached_property
    def offset(self) -> Longs:
        """[n+1] where the memories of each agent begin in a rule."""
        return offsets(self.counts)

    @cached_property
    def weight(self) -> Floats:
        """[J] how likely each joint memory is."""
        return np.add.reduceat(self.mass, self.first[:-1])

    @cached_property
    def key(self) -> bytes:
        """Its name: equal for equal occupancies."""
        grid = np.floor(self.mass * GRAIN + 0.5).astype(np.int64)
        return b"|".join(part.tobytes() for part in (grid, self.state, self.memory, self.first))


class Step(NamedTuple):
    """What a joint decision rule leads to.

    `to[i, memory * observations + observation]` is the agent's next memory, or -1.
    """

    reward: float
    share: float  # how likely play goes on
    occupancy: Occupancy | None
    to: Longs


class OccupancyProcess:
    """Occupancies of one POSG: the first, and what follows a rule."""

    def __init__(self, form: POSG) -> None:
        from fogbound.solvers.teams.kernels.model import dynamics

        self.form, self.dynamics = form, dynamics(form)
        self.agents, self.observations = len(form.players), self.dynamics.observations
        self.mark = 0.5 + np.modf(np.arange(form.size) * 0.6180339887498949)[0]  # tells states apart in sums

    def start(self) -> Step:
        """Play begins: everybody has seen something, and may have been paid for it."""
        first = slice(int(self.form.out[START]), int(self.form.out[START + 1]))
        goes_on = ~self.form.over[self.form.next[first]]
        memory, state, mass = self.form.seen[first], self.form.next[first], self.form.prob[first]
        paid = float(self.form.reward[START, 0])
        return self._settled(paid, memory[goes_on], state[goes_on], mass[goes_on], self.observations.copy())

    def step(self, occupancy: Occupancy, rule: Longs) -> Step:
        """Everybody does what the rule says to its memory."""
        from fogbound.solvers.teams.kernels.occupancy import followed

        o = occupancy
        given = self.dynamics, o.memory, o.first, o.state, o.mass, rule, o.offset
        reward, memory, state, mass = followed(*given)
        return self._settled(reward, memory, state, mass, o.counts * self.observations)

    def revealed(self, state: Longs, chance: Floats) -> Occupancy:
        """Everybody knows what all know together: one memory each."""
        ones = np.ones(self.agents, np.int64)
        alone = np.zeros((1, self.agents), np.int64)
        return Occupancy(alone, np.array([0, len(state)]), state, chance, ones)

    def _settled(self, reward: float, memory: Longs, state: Longs, mass: Floats, counts: Longs) -> Step:
        from fogbound.solvers.teams.kernels.occupancy import occupancy

        to = np.full((self.agents, int(counts.max())), -1, np.int64)
        if not len(mass):
            return Step(reward, 0.0, None, to)
        given = memory, state, mass, counts, self.form.size, TOLERANCE, self.mark, to
        share, joint, first, states, masses = occupancy(*given)
        return Step(reward, share, Occupancy(joint, first, states, masses, counts), to)
