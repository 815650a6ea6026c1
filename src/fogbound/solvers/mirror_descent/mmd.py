"""Magnetic mirror descent (Sokota et al. 2023, "A unified approach to reinforcement learning, quantal response
equilibria, and two-player zero-sum games"), tabular, with full feedback.

With temperature alpha, step size eta, entropy psi and the uniform policy as the magnet, an iteration of the paper's
equation (5) is pi' = argmax_p eta <q, p> - eta alpha psi(p) - B_psi(p; pi). In the dual variables y = grad psi(pi) that
is y' = (y + eta q) / (1 + eta alpha), and pi' is the softmax of y'. A fixed point has y = q / alpha: a logit response
to itself, at rationality 1 / alpha.

Departures from the paper: dual variables are kept instead of policies, so that no probability underflows; the step
size follows from the temperature and the range of payoffs unless it is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.driver.kept import LARGEST, Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.equilibrium import EquilibriumSolver, answer
from fogbound.solvers.regret.minimiser import SequenceLayout, pace, sequence_layout

CONVERGED = 1e-12  # residual of a fixed point in floats
ALPHA, ETA = 0.2, 4.0  # over sqrt(t), in ranges of payoffs, when annealing: near the paper's for Kuhn and Leduc poker


@dataclass(frozen=True)
class MMD(EquilibriumSolver[SequenceForm]):
    """Magnetic mirror descent (Sokota et al. 2023): a logit quantal response equilibrium, or by annealing a Nash one.

    Works on the sequence form, and reports its last iterate: nothing is averaged. At a given rationality it converges
    to the logit equilibrium of two-player zero-sum games: that of the agent form, with q-values at every information
    set, or that of the reduced normal form, with dilated entropy (the same as `quantal-response` with the same
    `agent`). Without one the temperature falls with the square root of the iteration, and play approaches a Nash
    equilibrium. With more players or a general sum nothing is promised; regret and residual are computed exactly.

    Parameters
    ----------
    rationality
        1 / alpha: choices become proportional to exp(rationality x value). None: anneal towards a Nash equilibrium.
    agent
        Whether each information set chooses for itself (which needs the tree); otherwise players choose among whole
        plans.
    step
        eta, for payoffs divided by their range. None: alpha / range, for which the paper proves convergence;
        4 / sqrt(t) when annealing.
    """

    name = "mmd"

    rationality: float | None = None
    agent: bool = True
    step: float | None = None

    form: ClassVar[type[SequenceForm]] = SequenceForm

    def __post_init__(self) -> None:
        if self.rationality is not None and not 0 < self.rationality < np.inf:
            raise SpecError(f"mmd: rationality is {self.rationality}, expected a number above 0, or none")
        if self.step is not None and not 0 < self.step < np.inf:
            raise SpecError(f"mmd: step is {self.step}, expected a number above 0, or none")

    def remembers(self, form: SequenceForm, kept: Kept) -> None:
        kept.integers("iteration", (1,))
        kept.reals("dual", (form.size,), -LARGEST, LARGEST)

    def run(self, form: SequenceForm, context: Context) -> Iterator[Progress]:
        state = Iterates.on(form, self.agent)
        dual = context.arrays.setdefault("dual", np.zeros(form.size))
        done = context.arrays.setdefault("iteration", np.zeros(1, np.int64))
        while True:
            behaviour, residual = state.at(dual, self.temperature(int(done[0]) + 1, state.scale))
            over = self.rationality is not None and residual <= CONVERGED
            yield self._answer(state, behaviour, residual, int(done[0]), more=self.rationality is not None and not over)
            if over:
                return
            many = pace(int(done[0]), state.cost, context.most)
            state.descend(dual, self.schedule(int(done[0]) + 1, many, state.scale))
            done[0] += many

    def temperature(self, t: Any, scale: float) -> Any:
        """alpha of iteration t (1 is the first), in payoffs."""
        return ALPHA * scale / np.sqrt(t) if self.rationality is None else np.full(np.shape(t), 1 / self.rationality)

    def schedule(self, first: int, many: int, scale: float) -> Floats:
        """[iterations, 2] the temperature, and eta alpha / (1 + eta alpha): the share of the new gradient."""
        t = np.arange(first, first + many, dtype=np.float64)
        alpha = self.temperature(t, scale)
        eta = alpha / scale if self.rationality is not None else ETA / np.sqrt(t)
        ratio = (eta if self.step is None else self.step) * alpha / scale
        return np.stack([alpha, ratio / (1 + ratio)], axis=1)

    def _answer(self, state: Iterates, behaviour: Floats, residual: float, done: int, more: bool) -> Progress:
        progress = answer(state.form, state.layout.split(behaviour), iteration=max(done, 1))
        temperature = float(self.temperature(done + 1, state.scale))
        said = {"rationality": 1 / temperature, "residual": residual, "equilibrium": KINDS[self.agent]}
        return replace(progress, details={**progress.details, **said}, more=more)


KINDS = {True: "logit equilibrium of the agent form", False: "logit equilibrium of the reduced normal form"}


@dataclass(frozen=True, eq=False)
class Iterates:
    """A sequence form laid out for the kernels, and their work space."""

    form: SequenceForm
    layout: SequenceLayout
    agent: bool
    chance: Floats  # [K, n] the probability of chance's part at each combination of sequences; empty unless `agent`
    scale: float  # the widest range of a player's payoffs

    @classmethod
    def on(cls, form: SequenceForm, agent: bool) -> Iterates:
        spread = np.ptp(form.tree.payoff[form.tree.ends], axis=0) if agent else _range(form)
        chance = _chance(form) if agent else np.zeros((0, len(form.plexes)))
        return cls(form, sequence_layout(form), agent, chance, float(spread.max(initial=0.0)) or 1.0)

    @property
    def cost(self) -> int:
        """About how many steps of the inner loop one iteration takes."""
        return (1 + self.agent) * len(self.form.ends) * len(self.form.plexes)

    def descend(self, dual: Floats, schedule: Floats) -> Floats:
        """Iterate in place; the behaviour that the dual variables then stand for, of all players."""
        from fogbound.solvers.mirror_descent import kernels

        flat, form, shape = np.empty_like, self.form, self.layout.shape
        behaviour, weight, value = np.ones(len(dual)), flat(dual), flat(dual)
        kernels.respond_softly(self.agent, *shape, dual, behaviour, weight, value)
        ends = (form.ends, form.payoff, self.chance)
        kernels.descend(schedule, self.agent, shape, *ends, dual, behaviour, weight, value, flat(dual))
        return behaviour

    def at(self, dual: Floats, temperature: float) -> tuple[Floats, float]:
        """The behaviour of the dual variables, and how far it is from its own logit response: the residual."""
        behaviour = self.descend(dual.copy(), np.zeros((0, 2)))
        response = self.descend(dual.copy(), np.array([[temperature, 1.0]]))
        return behaviour, float(np.abs(response - behaviour).max(initial=0.0))


def _chance(form: SequenceForm) -> Floats:
    """[K, n] the probability of chance's part at each combination, in the order of `form.ends`."""
    tree = form.tree
    where = tree.memory_sequence[tree.memory[tree.ends]]
    order = np.lexsort(where.T[::-1])
    fresh = np.flatnonzero(np.concatenate([[True], (np.diff(where[order], axis=0) != 0).any(axis=1)]))
    chance = np.add.reduceat(tree.reach[tree.ends][order], fresh)
    return np.ascontiguousarray(np.repeat(chance[:, None], len(form.plexes), axis=1))


def _range(form: SequenceForm) -> Floats:
    """[n] how far apart the gains of a player's sequences can be, at most: a bound where there is no tree."""
    return np.full(len(form.plexes), 2 * form.largest)
