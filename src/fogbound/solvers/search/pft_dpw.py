"""PFT-DPW: a particle filter tree with double progressive widening.

Sunberg and Kochenderfer, "Online algorithms for POMDPs with continuous state, action, and observation spaces" (2018),
Algorithm 3: Monte Carlo tree search on the belief MDP, whose beliefs are sets of m particles. A belief steps by drawing
an observation from one of its states, letting every particle step, weighing each by how likely it shows that
observation, and resampling.

Departures from the paper:

- The particle that the observation was drawn from is one of the m that step, so that weights never all vanish.
- The end of an episode is known: where the drawn particle ends, the belief ends; else ended particles have weight 0.
- A leaf is valued by the mean of the model's estimates over its particles; a rollout follows one of them.
- UCB1's constant, action widening, and the action that is played are those of `pomcpow`. Means over particles lie
  closer together than what may happen, so the rewards of single particles count for the spread of returns as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from fogbound.core.errors import GameError, SpecError, brief
from fogbound.solvers.search.belief import ParticleBelief, resampled_places
from fogbound.solvers.search.generative import GenerativeModel
from fogbound.solvers.search.generative_search import GenerativeSearch, GenerativeWay, Path, WidenedNode, widened
from fogbound.solvers.search.hooks import InitialValues, LeafValue, PreferredActions, RolloutPolicy
from fogbound.solvers.search.progressive_widening import WideningSolver


class BeliefNode:
    """A belief of m particles of equal weight, and the decision there."""

    __slots__ = ("decision", "states")

    def __init__(self, states: list[Any], decision: WidenedNode) -> None:
        self.states, self.decision = states, decision


BeliefStep = tuple[BeliefNode | None, float]  # the belief after a step (None: the end), and the mean reward


class PFTDPWSearch(GenerativeSearch):
    """The search from one decision, with beliefs of `particles` states."""

    who = "pft-dpw"

    def __init__(
        self, model: GenerativeModel, way: GenerativeWay, root: ParticleBelief, seed: int, particles: int
    ) -> None:
        self.particles = particles
        super().__init__(model, way, root, seed)

    def simulate(self) -> float:
        """SIMULATE: down the tree of beliefs, one new belief, its value, and the return back up."""
        here = BeliefNode([], self.root)  # its particles are drawn anew where they step
        left, value, path = self.depth, 0.0, Path()
        while left > 0:
            node = here.decision
            place = self.select(node, self._one_of(here) if self.way.known.initial is not None else None)
            steps: list[BeliefStep] = node.edges[place] or []
            node.edges[place] = steps
            left -= 1
            way, fresh = self.way, False
            if widened(way.k_observation, way.alpha_observation, node.counts[place], len(steps)):
                steps.append(self.step(here, place))
                after, reward = steps[-1]
                fresh = True
            else:
                after, reward = steps[int(self.rng.random() * len(steps))]
            path.append((node, place, reward))
            if after is None:
                break
            if fresh:
                value = self._valued(after, left)
                break
            here = after
        return self.back_up(path, value)

    def _one_of(self, here: BeliefNode) -> Any:
        """A state of a belief, in turn; at the root, drawn."""
        return here.states[here.decision.count % len(here.states)] if here.states else self.belief.draw(self.rng)

    def step(self, here: BeliefNode, place: int) -> BeliefStep:
        """G_PF(m): a step of the belief MDP, drawn."""
        model, rng, action = self.model, self.rng, here.decision.legal[place]
        before = here.states or self.belief.resampled(self.particles, rng)
        drawn = int(rng.random() * len(before))
        steps = [model.step(state, action, rng) for state in before]
        rewards = [step.reward for step in steps]
        self.low, self.high = min(self.low, *rewards), max(self.high, *rewards)
        reward = sum(rewards) / len(rewards)
        if steps[drawn].done:
            return None, reward
        seen = steps[drawn].observation
        weights = np.array(
            [0.0 if step.done else model.density(state, action, step.state, seen) for state, step in zip(before, steps)]
        )
        if not weights[drawn] > 0:
            raise GameError(
                f"{model.spec}: observation_density is 0 for {brief(seen)}, which step drew after {brief(action)}; "
                "expected a positive number"
            )
        states = [steps[k].state for k in resampled_places(weights, self.particles, rng)]
        self.nodes += 1
        return BeliefNode(states, self.node(states[0])), reward

    def _valued(self, belief: BeliefNode, left: int) -> float:
        """The value of a new belief."""
        if not self.informed or left <= 0:
            return self.leaf(belief.states[int(self.rng.random() * len(belief.states))], left)
        return sum(map(self.model.estimate, belief.states)) / len(belief.states)


@dataclass(frozen=True)
class PFTDPW(WideningSolver):
    """Good play by PFT-DPW (Sunberg and Kochenderfer 2018), a tree of particle beliefs; no guarantee.

    Works on the sampled game of one player: a simulator with an observation density, or any other game. The value is
    the mean return of games in which every decision is searched.

    Parameters
    ----------
    simulations
        For a decision; none: 300, or as many as fit into `seconds` where those are given.
    m
        Particles of a belief in the tree.
    k_observation, alpha_observation
        Beliefs below an action are held to k N^alpha of its N visits.
    value
        What a new belief is worth, the mean over its states: a function (`LeafValue`), the name of a policy with alpha
        vectors, or one of these words. informed: what the model estimates of them; rollout: what a rollout brings;
        auto: informed where there is an estimate and no rollout policy is given.
    initial
        What is known of a new belief's actions, the mean over its states: a function (`InitialValues`), or the name of
        a policy with alpha vectors; auto, none: nothing.
    prefer
        Actions of a new belief that are tried before any other, by its first state: a function (`PreferredActions`),
        the name of a policy of the state, or none.
    particles
        Of the belief between decisions, at most.
    """

    name: ClassVar[str] = "pft-dpw"

    usual: ClassVar[int] = 300  # simulations, where no limit is given

    simulations: int | None = None
    m: int = 20
    k_observation: float = 4.0
    alpha_observation: float = 1 / 10
    k_action: float = 0.0
    alpha_action: float = 0.5
    exploration: float = 0.5
    spread: float = 0.0
    depth: int = 100
    rollout: str | RolloutPolicy = "uniform"
    value: str | LeafValue = "auto"
    initial: str | InitialValues | None = "auto"
    prefer: str | PreferredActions | None = None
    prior: float = 5.0
    final: Literal["visits", "value"] = "visits"
    seconds: float = 0.0
    particles: int = 1000
    games: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.m < 1:
            raise SpecError(f"pft-dpw: m is {self.m}, expected 1 or more")

    def tree_particles(self) -> int:
        return self.m

    def search(self, model: GenerativeModel, way: GenerativeWay, root: ParticleBelief, seed: int) -> PFTDPWSearch:
        return PFTDPWSearch(model, way, root, seed, self.m)
