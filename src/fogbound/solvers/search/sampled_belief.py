"""Beliefs over the states of a generative model, whose outcomes are drawn: in Python, or compiled many at a time.

Each particle steps as the model draws, and is weighed by how likely it shows what was observed: by the model's density,
or by rejection where it has none. `RowTracker` is the compiled step of the same update.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from fogbound.compiled.asking_sampled import RowParticles, draw_particles, row_particles, step_particles
from fogbound.compiled.sampled_rules import SampledRules
from fogbound.solvers.search.belief import BeliefTracker, ParticleBelief, StepEvidence, uniform_belief
from fogbound.solvers.search.generative import GenerativeModel
from fogbound.solvers.search.history import ActionObservationHistory


def likelihood(model: GenerativeModel, state: Any, action: Hashable, step: Any, observation: Any) -> float:
    """How likely a step that was drawn shows what was seen; what is over shows nothing."""
    if step.done:
        return 0.0
    if model.has_density:
        return model.density(state, action, step.state, observation)
    return float(np.array_equal(step.observation, observation))


class SampledTracker(BeliefTracker):
    """Follows the particles of a generative model.

    Parameters
    ----------
    model
        The model.
    seed, count
        As in `BeliefTracker`.
    """

    def __init__(self, model: GenerativeModel, seed: int, count: int) -> None:
        super().__init__(seed, count)
        self.model = model

    def evidence(self, history: ActionObservationHistory) -> StepEvidence:
        """The action, and the observation as the model's author knows it."""
        return super().evidence(history)._replace(observation=self.model.observed(history.seen.public))

    def first(self, history: ActionObservationHistory) -> ParticleBelief:
        rng = history.array_generator(self.seed, "begin")
        return uniform_belief([self.model.initial(rng) for _ in range(self.count)])

    def update(self, believed: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        """The belief one step later; the player moves in every step of a generative model."""
        return believed.emptied() if evidence.action is None else super().update(believed, evidence)

    def propagate(self, before: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        model, (action, observation, rng, _) = self.model, evidence
        states, weights = [], []
        for state, weight in zip(before.states, before.weights.tolist()):
            if action in model.legal(state):
                step = model.step(state, action, rng)
                weighed = weight * likelihood(model, state, action, step, observation)
                if weighed > 0:
                    states.append(step.state)
                    weights.append(weighed)
        return ParticleBelief(states, np.array(weights), before.skipped)

    def skip(self, believed: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        model, (action, _, rng, _) = self.model, evidence
        drawn = [state for state in believed.resampled(self.count, rng) if action in model.legal(state)]
        alive = [step.state for state in drawn if not (step := model.step(state, action, rng)).done]
        return uniform_belief(alive, believed.skipped + 1)

    def offered(self, believed: ParticleBelief, legal: Sequence[Hashable]) -> ParticleBelief:
        offered = tuple(legal)
        return believed.given(np.array([self.model.legal(state) == offered for state in believed.states], bool))


class RowTracker(SampledTracker):
    """Follows the particles of a compiled simulator: all of them step in one kernel.

    Parameters
    ----------
    model
        The same model, asked from Python.
    compiled
        Its compiled rules.
    seed, count
        As in `BeliefTracker`.
    """

    def __init__(self, model: GenerativeModel, compiled: SampledRules, seed: int, count: int) -> None:
        super().__init__(model, seed, count)
        self.compiled = compiled

    def first(self, history: ActionObservationHistory) -> ParticleBelief:
        rng = history.array_generator(self.seed, "begin")
        room = row_particles(self.compiled, self.count, int(rng.integers(2**63)))
        draw_particles(self.compiled.functions["initial"], self.compiled.rules, room)
        return uniform_belief(room.state)

    def propagate(self, before: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        room = self._stepped(before.states, evidence, evidence.observation)
        weights = before.weights * room.weights
        shows = weights > 0
        return ParticleBelief(room.state[shows], weights[shows], before.skipped)

    def _stepped(self, before: Any, evidence: StepEvidence, observation: Any) -> RowParticles:
        compiled, place = self.compiled, self.compiled.actions.index(evidence.action)
        room = row_particles(compiled, len(before), int(evidence.rng.integers(2**63)))
        room.before[:], room.observed[:] = before, observation
        functions = compiled.functions["step"], compiled.functions["observation_density"]
        step_particles(*functions, compiled.rules, room, place, compiled.has_density)
        return room

    def skip(self, believed: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        room = self._stepped(believed.resampled(self.count, evidence.rng), evidence, 0.0)
        return uniform_belief(room.state[room.over == 0], believed.skipped + 1)

    def offered(self, believed: ParticleBelief, legal: Sequence[Hashable]) -> ParticleBelief:  # noqa: ARG002
        """The belief: every action is legal in every state."""
        return believed
