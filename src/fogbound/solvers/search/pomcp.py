"""POMCP: one player plans against chance, or against others whose play is modelled.

Silver and Veness, "Monte-Carlo planning in large POMDPs" (2010), Algorithm 1. `RulesSearch` is its SEARCH, SIMULATE and
ROLLOUT on plain rules; `kernels.pomcp` are the same on compiled rules, where most models end up: the game's own, or the
POMDP that it induces with the others' policies. Where that has too many states the rules are sampled in Python, and the
answer says so. Modelled others are part of the hidden state: what they are and remember is drawn with it, which is how
document 000 turns an opponent of unknown level into a hidden state.

Departures from the paper:

- The belief is exact as long as there is room for it (`belief`, `interactive`); the paper's is a set of
  particles that the simulations leave behind.
- On compiled rules a new leaf is not played out at random but valued by the form, where there is a bound: at most what
  the best action is worth to one who sees more afterwards, the mean over all states that came there before the best is
  taken. That mean is also what a node knows of its actions at first. In RockSample with uniform rollouts most of the
  return is lost.
- UCB1's constant is `exploration` times how far returns lie apart as far as was seen: with rollouts the paper's best
  minus worst return, where leaves are informed .3 of how much the worth of the root's states varies.
- The tree is not kept from one decision to the next: what is played depends on the seed and the history alone.
- The action tried most is played (`final`), not the one of the highest mean.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, inf, log, nan, sqrt
from random import Random
from typing import Any, ClassVar, Literal

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import GameError, LimitError, SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.core.policy import Strategy
from fogbound.core.spec import spec_of
from fogbound.forms.path_totals import reward_sums
from fogbound.policies.uniform import Uniform
from fogbound.simulators.game import SimulatedGame
from fogbound.solvers.search.belief import MOST_PARTICLES
from fogbound.solvers.search.episodes import Episodes, RuleEpisodes
from fogbound.solvers.search.estimated import EpisodeSolver
from fogbound.solvers.search.generative_search import ROLLOUT as PLAYED_OUT
from fogbound.solvers.search.generative_search import VALUE, GenerativeWay, HistorySearch
from fogbound.solvers.search.interactive import (
    InducedSimulator,
    InteractiveBelief,
    InteractiveState,
    InteractiveTracker,
    Legal,
)
from fogbound.solvers.search.mcts import UCBNode
from fogbound.solvers.search.planner import Planner, require_search_parameters
from fogbound.solvers.search.row_search import sampled_rules
from fogbound.solvers.search.sample_simulator import SampleSimulator, compiled_sampling
from fogbound.solvers.search.sampled import ModelledGame
from fogbound.solvers.search.simulator import (
    INFORMED,
    ROLLOUT,
    CompiledSimulator,
    SearchSimulator,
    modelled_simulator,
    offline,
)
from fogbound.solvers.search.tree_search import Decision, SearchWay, decision_of

FADED = 0.01  # a simulation by plain rules is as long as a discount counts
MOST_BY_RULES = 1_000  # particles where the rules are sampled in Python
BY_RULES = "too many states, or memories of the others, to be enumerated: the rules are sampled, in plain Python"


class HistoryNode(UCBNode):
    """T(h): a decision of mine, by what I did and saw."""

    __slots__ = ("children", "legal")

    def __init__(self, legal: Legal) -> None:
        super().__init__(len(legal))
        self.legal = legal
        self.children: list[dict[Any, HistoryNode]] = [{} for _ in legal]


class RulesSearch:
    """POMCP on plain rules: the tree of one player's own histories, from states drawn from its belief.

    Parameters
    ----------
    simulator
        How states step, with what the others are and remember.
    way
        UCB1's constant, its scale, and the steps of a simulation.
    faithful
        Beyond the tree the others play as they do; False: at random, without being asked.
    root
        The belief at the decision.
    seed
        What is drawn depends on it.
    """

    def __init__(
        self, simulator: InducedSimulator, way: SearchWay, faithful: bool, root: InteractiveBelief, seed: int
    ) -> None:
        self.simulator, self.way, self.faithful = simulator, way, faithful
        self.discount, self.exploration = simulator.game.discount, way.explored(informed=False)
        faded = ceil(log(FADED) / log(self.discount)) if self.discount < 1 else way.depth
        self.depth = min(way.depth, faded)
        self.restart(root, seed)

    def restart(self, root: InteractiveBelief, seed: int) -> None:
        """Forget everything, and search from another belief."""
        self.simulator.trim()
        self.belief, self.rng, self.done, self.nodes = root, Random(seed), 0, 1
        self.root = HistoryNode(root.states[0].legal)
        self.low, self.high, self.total, self.squares = inf, -inf, 0.0, 0.0

    def run(self, simulations: int, stopping: Callable[[], bool] | None = None) -> int:
        """SEARCH: simulations from states drawn from the belief, fewer where `stopping` says so; how many in all."""
        for _ in range(simulations):
            check()
            value = self.simulate(self.belief.draw(self.rng))
            self.done += 1
            self.low, self.high = min(self.low, value), max(self.high, value)
            self.total, self.squares = self.total + value, self.squares + value * value
            if stopping is not None and stopping():
                break
        return self.done

    def simulate(self, point: InteractiveState) -> float:
        """SIMULATE: down the tree by UCB1, one new node, a rollout from there, and the return back up."""
        path: list[tuple[HistoryNode, int, float, float]] = []
        node, left, value = self.root, self.depth, 0.0
        while True:
            action = self.select(node)
            point, reward, discount, left, seen = self._step(point, action, left)
            path.append((node, action, reward, discount))
            if point.place < 0 or left <= 0:
                break
            child = node.children[action].get(seen)
            if child is None:
                self._expand(node, action, seen, point)
                value = self.rollout(point, left)
                break
            if child.legal is not point.legal and child.legal != point.legal:
                raise GameError(
                    f"{self.simulator.game}: player {self.simulator.player} is offered {brief(child.legal)} or "
                    f"{brief(point.legal)} after the same observations, expected what follows from what the player "
                    "knows"
                )
            node = child
        return self.back_up(path, value)

    def select(self, node: HistoryNode) -> int:
        """UCB1, scaled by how far returns lie apart."""
        return node.ucb1(self.exploration * (self.way.spread or (self.high - self.low) or 1.0))

    def _expand(self, node: HistoryNode, action: int, seen: Any, point: InteractiveState) -> None:
        node.children[action][seen] = HistoryNode(point.legal)
        self.nodes += 1

    def rollout(self, point: InteractiveState, left: int) -> float:
        """ROLLOUT: what random play of mine brings from here."""
        step, draw = self.simulator.step if self.faithful else self.simulator.stray, self.rng.random
        value, scale = 0.0, 1.0
        while left > 0 and point.actors:
            point, reward, _ = step(point, int(draw() * len(point.legal)), draw)
            value += scale * reward
            scale *= self.discount
            left -= 1
        return value

    def back_up(self, path: list[tuple[HistoryNode, int, float, float]], value: float) -> float:
        """Tell every action on the way what came of it, the last first; the return of the simulation."""
        for node, action, reward, discount in reversed(path):
            value = reward + discount * value
            node.learn(action, value)
        return value

    def _step(self, point: InteractiveState, action: int, left: int) -> tuple[InteractiveState, float, float, int, Any]:
        """Act and go on until I am asked again: where, what was paid, its discount, steps left, what was seen."""
        step, draw, discount = self.simulator.step, self.rng.random, self.discount
        point, reward, seen = step(point, action, draw)
        scale, left, observations = discount, left - 1, [seen]
        while point.place < 0 and left > 0 and point.actors:
            point, more, seen = step(point, -1, draw)
            reward += scale * more
            scale *= discount
            left -= 1
            observations.append(seen)
        return point, reward, scale, left, tuple(observations)

    def decision(self, legal: Sequence[Hashable]) -> Decision:  # noqa: ARG002  the belief is over states that offer these
        """What was found at the root; of the others' returns nothing is known."""
        player, players = self.simulator.player, len(self.simulator.game.players)
        values, errors, n = np.full(players, nan), np.full(players, nan), max(self.done, 1)
        values[player] = self.total / n
        errors[player] = sqrt(max(self.squares / n - values[player] ** 2, 0.0) / n)
        visits = np.array(self.root.counts)
        return decision_of(visits, np.array(self.root.totals), (values, errors), self.done, self.nodes)


@dataclass(frozen=True, eq=False)
class RulesSimulator:
    """Plain rules with modelled others, sampled in Python.

    Parameters
    ----------
    induced
        How states step, with what the others are and remember.
    faithful
        Beyond the tree the others play as they do; False: at random, without being asked.
    """

    induced: InducedSimulator
    faithful: bool = True

    leaf: ClassVar[str] = ROLLOUT

    def codes(self, actions: Sequence[Hashable]) -> Sequence[Hashable]:
        return actions

    def tracker(self, way: SearchWay, seed: int, particles: int) -> InteractiveTracker:  # noqa: ARG002
        return InteractiveTracker(self.induced, seed, min(particles, MOST_BY_RULES))

    def search(self, way: SearchWay, root: InteractiveBelief, seed: int) -> RulesSearch:
        return RulesSearch(self.induced, way, self.faithful, root, seed)


@dataclass(frozen=True, eq=False)
class ModelPlanner(Planner):
    """POMCP at every decision of a player who plans against a model of the others.

    Parameters
    ----------
    game
        The game.
    player
        Who plans.
    way
        How it searches.
    final
        What is played in the end: the action tried most (visits) or of the highest mean (value).
    simulations
        For a decision.
    seconds
        To think for a decision, if that is shorter; 0: as long as it takes. What is played then depends on the clock.
    particles
        Of the belief, at most.
    seed
        What is drawn depends on it.
    others
        How the others play; empty: at random.
    leaf
        What a new node is valued by: see `POMCP`.
    by_rules
        Sample the rules in Python at once; otherwise only where the model cannot be enumerated.
    faithful
        Where the rules are sampled: beyond the tree the others play as they do; False: at random, which costs no
        thinking.
    """

    others: Mapping[int, Strategy] = field(default_factory=dict, repr=False)
    leaf: str = "auto"
    by_rules: bool = False
    faithful: bool = True

    def __post_init__(self) -> None:
        if self.others:
            self.induced()  # refuses players that do not fit

    @cached_property
    def simulator(self) -> SearchSimulator:
        """The game as the player faces it: compiled where it can be."""
        if isinstance(self.game, SimulatedGame):
            return self._sampled(self.game)
        if not self.by_rules:
            try:
                return modelled_simulator(self.game, self.player, self.others, self.leaf)
            except LimitError:
                if self.leaf == INFORMED:
                    raise
        return RulesSimulator(self.induced(), self.faithful)

    def induced(self) -> InducedSimulator:
        """The game with the others' policies, to be stepped through one state at a time."""
        rest = [other for other in range(len(self.game.players)) if other != self.player]
        return InducedSimulator(self.game, self.player, self.others or dict.fromkeys(rest, Uniform()))

    def _sampled(self, game: SimulatedGame) -> SampleSimulator:
        """A simulator, searched by the same algorithm."""
        leaf = {"informed": VALUE, "rollout": PLAYED_OUT}.get(self.leaf, self.leaf)
        way = GenerativeWay(self.way.explored(informed=False), self.way.spread, self.way.depth, leaf)
        model, compiled = game.checked, sampled_rules(game)
        if compiled is not None:
            return compiled_sampling(model, compiled, "pomcp", way)
        return SampleSimulator(
            model, lambda root, seed: HistorySearch(model, way, root, seed), way.leaf_of(model, "pomcp")
        )

    def episodes(self) -> Episodes | RuleEpisodes:
        """Games against the others that it models."""
        return RuleEpisodes(self) if isinstance(self.game, SimulatedGame) else Episodes(self, self.induced())


@dataclass(frozen=True)
class POMCP(EpisodeSolver[ModelPlanner]):
    """Good play by POMCP (Silver and Veness 2010), leaves valued by the form; no guarantee.

    Works on the sampled game: one player against chance, or several, of whom the others play as given or at random.
    What it finds is told by playing: the value is the mean return of games in which every decision is searched.

    Parameters
    ----------
    simulations
        For a decision.
    leaf
        informed: a new node is worth what its best action is to one who sees more from then on (the fast informed
        bound of the form, or what compiled rules know), which also counts as some tries of each action; rollout: what
        random play brings; auto: informed where there is such a bound.
    exploration
        How much UCB1 favours actions seldom tried, in units of `spread`; 0: .3 where leaves are informed, 1 with
        rollouts.
    spread
        How far returns lie apart, to which UCB1 is scaled; 0: by how much the worth of the root's states varies, or,
        with rollouts, best minus worst return so far.
    prior
        Tries that what is known of a node's actions counts for.
    cap
        States that came to a node, of which that is the mean, at most.
    depth
        Steps of one simulation.
    final
        The action that is played: tried most (visits) or of the highest mean (value).
    seconds
        To think for a decision, if that is shorter than its simulations; 0: as long as they take.
    particles
        States that the belief may hold; beyond that they are a sample.
    games
        Played to estimate what the search earns.
    """

    name: ClassVar[str] = "pomcp"
    preferred: ClassVar[bool] = True

    simulations: int = 1000
    leaf: Literal["auto", "informed", "rollout"] = "auto"
    exploration: float = 0.0
    spread: float = 0.0
    prior: float = 5.0
    cap: int = 128
    depth: int = 200
    final: Literal["visits", "value"] = "visits"
    seconds: float = 0.0
    particles: int = MOST_PARTICLES
    games: int = 100

    def __post_init__(self) -> None:
        require_search_parameters(self)
        if not 0 < self.prior < inf:
            raise SpecError(f"pomcp: prior is {self.prior}, expected a number above 0")

    def policy(
        self,
        game: AnyGame,
        player: int,
        seed: int = 0,
        others: Mapping[int, Strategy] | None = None,
        by_rules: bool = False,
        faithful: bool = True,
    ) -> ModelPlanner:
        """The policy that searches at every decision.

        Parameters
        ----------
        game
            The game.
        player
            Who plays.
        seed
            What is drawn depends on it.
        others
            How the others play; None: at random.
        by_rules
            Sample the rules in Python at once; otherwise only where the model cannot be enumerated.
        faithful
            Where the rules are sampled: beyond the tree the others play as they do; False: at random.

        Returns
        -------
        ModelPlanner
        """
        given = {} if all(isinstance(one, Uniform) for one in (others or {}).values()) else dict(others or {})
        return ModelPlanner(
            game,
            player,
            self.way(),
            self.final,
            self.simulations,
            self.seconds,
            self.particles,
            seed,
            spec_of(self),
            others=given,
            leaf=self.leaf,
            by_rules=by_rules,
            faithful=faithful,
        )

    def way(self) -> SearchWay:
        """How it searches."""
        exploration = self.exploration or None
        return SearchWay("ucb", "alone", exploration, self.spread, self.depth, prior=self.prior, cap=self.cap)

    def online(self, form: ModelledGame, player: int, seed: int) -> Strategy:
        """How it plays: it thinks at each decision, so nothing is solved beforehand."""
        return self.policy(form.game, player, seed, form.others)

    def planner(self, form: ModelledGame, seed: int) -> ModelPlanner:
        return self.policy(form.game, form.player, seed, form.others)

    def facts(self, planner: ModelPlanner, form: ModelledGame) -> dict[str, Any]:
        """By what leaves are valued, and what a limit has changed."""
        return _facts(planner.simulator, form)

    def rest(self, planner: ModelPlanner, steps: int) -> str:
        return _rest(planner.simulator, steps)


def _facts(simulator: SearchSimulator, form: ModelledGame) -> dict[str, Any]:
    """What there is to say of the method: by what leaves are valued, and what a limit has changed."""
    if isinstance(simulator, SampleSimulator):
        return {"leaf": simulator.leaf}
    if not isinstance(simulator, CompiledSimulator):
        return {"leaf": simulator.leaf, "search": BY_RULES}
    advice = offline(simulator, form.game, form.player)
    return {"leaf": simulator.leaf, **({"instead": advice} if advice else {})}


def _rest(simulator: SearchSimulator, steps: int) -> str:
    """What a game can still pay after this many steps, where the rewards bound it: a clause."""
    form = simulator.form if isinstance(simulator, CompiledSimulator) else None
    found = None if form is None else reward_sums(form.reward[1:], form.discount)
    if form is None or found is None:
        return ""
    low, high = (number(float(bound) * form.discount**steps, 3) for bound in found)
    return f"; the rest can add {low} to {high}"
