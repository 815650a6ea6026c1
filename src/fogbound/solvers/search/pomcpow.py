"""POMCPOW: partially observable Monte Carlo planning with observation widening.

Sunberg and Kochenderfer, "Online algorithms for POMDPs with continuous state, action, and observation spaces" (2018),
Algorithm 2 with the procedures of Listing 1. Where observations are continuous, no history is met twice, and POMCP
looks one step ahead. POMCPOW holds the observations below an action to k_o N(ha)^alpha_o; a simulation beyond that
goes on with one of them, and its state joins the particles there, weighed by how likely it shows that observation.

Departures from the paper:

- The reward and the end of an episode are drawn with the state, and remembered with its particle: R(s, a, s') is not
  asked for, since a simulator has none.
- UCB1's constant is `exploration` times best minus worst return, as far as was seen; the paper's is a number.
- Actions are listed, so that action widening opens them in a drawn order; by default all of them are open, as in the
  experiments of the paper.
- The action tried most is played (`final`), not the one of the highest mean.
- Between decisions the belief is followed by a particle filter; the subtree is carried over with `reuse`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from fogbound.core.errors import GameError, brief
from fogbound.core.game import Observation
from fogbound.simulators.checked import SimulatedStep
from fogbound.solvers.search.belief import ParticleBelief
from fogbound.solvers.search.generative import GenerativeModel
from fogbound.solvers.search.generative_search import GenerativeSearch, GenerativeWay, Path, WidenedNode, widened
from fogbound.solvers.search.hooks import InitialValues, LeafValue, PreferredActions, RolloutPolicy
from fogbound.solvers.search.progressive_widening import WideningSolver


class ObservationNode:
    """C(ha)'s entry hao: the observation, M(hao), its particles B(hao) with weights W(hao), and the decision below."""

    __slots__ = ("decision", "observation", "steps", "times", "upto")

    def __init__(self, observation: Any) -> None:
        self.observation, self.times = observation, 0
        self.steps: list[SimulatedStep] = []
        self.upto: list[float] = []  # weights added up
        self.decision: WidenedNode | None = None

    def append(self, step: SimulatedStep, weight: float) -> None:
        """A particle."""
        self.steps.append(step)
        self.upto.append(weight + (self.upto[-1] if self.upto else 0.0))

    def draw(self, point: float) -> SimulatedStep:
        """The particle that a number from 0 to 1 falls on, by weight."""
        return self.steps[min(bisect_right(self.upto, point * self.upto[-1]), len(self.steps) - 1)]


class ActionNode:
    """C(ha): the observations below an action, by value and in the order of their first visits."""

    __slots__ = ("children", "known", "times")

    def __init__(self) -> None:
        self.children: list[ObservationNode] = []
        self.known: dict[Hashable, ObservationNode] = {}
        self.times = 0  # M(hao) added up

    def draw(self, point: float) -> ObservationNode:
        """An observation, by how often it was drawn: with probability M(hao) / sum of M."""
        left = point * self.times
        for child in self.children:
            left -= child.times
            if left < 0:
                return child
        return self.children[-1]


class POMCPOWSearch(GenerativeSearch):
    """The search from one decision."""

    who = "pomcpow"

    def child(self, node: WidenedNode, place: int, seen: Observation) -> WidenedNode | None:
        below: ActionNode | None = node.edges[place]
        found = None if below is None else below.known.get(seen) or below.known.get(seen.public)  # of a game, or not
        return None if found is None else found.decision

    def simulate(self) -> float:
        """SIMULATE: down the tree, one new observation, its value, and the return back up."""
        model, rng = self.model, self.rng
        state, node, left, value = self.belief.draw(rng), self.root, self.depth, 0.0
        path: Path = []
        while left > 0:
            place = self.select(node, state)
            action = node.legal[place]
            step = model.step(state, action, rng)
            left -= 1
            if step.done:  # an end is known, whatever is seen of it
                path.append((node, place, step.reward))
                break
            below = self._observed(node, place, step)
            weight = model.density(state, action, step.state, below.observation)
            below.append(step, weight)
            if below.decision is None:
                if not weight > 0:
                    raise GameError(
                        f"{model.spec}: observation_density is 0 for {brief(below.observation)}, which step drew after "
                        f"{brief(action)}; expected a positive number"
                    )
                below.decision = self.node(step.state)
                self.nodes += 1
                path.append((node, place, step.reward))
                value = self.leaf(step.state, left)
                break
            step = below.draw(rng.random())
            path.append((node, place, step.reward))
            state, node = step.state, below.decision
        return self.back_up(path, value)

    def _observed(self, node: WidenedNode, place: int, step: SimulatedStep) -> ObservationNode:
        """The observation that a simulation goes on with: its own, or one that is there already."""
        below: ActionNode | None = node.edges[place]
        if below is None:
            below = node.edges[place] = ActionNode()
        if not widened(self.way.k_observation, self.way.alpha_observation, node.counts[place], len(below.children)):
            return below.draw(self.rng.random())
        key = self.model.remembered(step.observation)
        child = below.known.get(key)
        if child is None:
            child = below.known[key] = ObservationNode(step.observation)
            below.children.append(child)
        child.times += 1
        below.times += 1
        return child


@dataclass(frozen=True)
class POMCPOW(WideningSolver):
    """Good play by POMCPOW (Sunberg and Kochenderfer 2018), for continuous observations; no guarantee.

    Works on the sampled game of one player: a simulator with an observation density, or any other game. The value is
    the mean return of games in which every decision is searched.

    Parameters
    ----------
    k_observation, alpha_observation
        Observations below an action are held to k N^alpha of its N visits.
    reuse
        Go on from the subtree of the action that was taken and of what was seen, its statistics kept; the tree of a
        compiled simulator begins anew.
    """

    name: ClassVar[str] = "pomcpow"

    usual: ClassVar[int] = 1000  # simulations, where no limit is given

    simulations: int | None = None
    k_observation: float = 5.0
    alpha_observation: float = 1 / 15
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
    reuse: bool = False
    seconds: float = 0.0
    particles: int = 1000
    games: int = 100

    def reuses(self) -> bool:
        return self.reuse

    def search(self, model: GenerativeModel, way: GenerativeWay, root: ParticleBelief, seed: int) -> POMCPOWSearch:
        return POMCPOWSearch(model, way, root, seed)
