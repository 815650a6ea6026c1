"""POMCP: one player plans against chance, or against others whose play is modelled.

Silver and Veness, "Monte-Carlo planning in large POMDPs" (2010), Algorithm 1. `rules_search` is SEARCH, SIMULATE and
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
- The tree is kept from one decision to the next with `reuse` alone; what is played depends on the seed and the
  history either way.
- The action tried most is played (`final`), not the one of the highest mean.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from fogbound.core.errors import LimitError
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.core.policy import Strategy
from fogbound.forms.path_totals import reward_sums
from fogbound.policies.uniform import Uniform
from fogbound.simulators.game import SimulatedGame
from fogbound.solvers.search.belief import MOST_PARTICLES
from fogbound.solvers.search.episodes import Episodes, RuleEpisodes
from fogbound.solvers.search.estimated import EpisodeSolver
from fogbound.solvers.search.generative_search import GenerativeWay, HistorySearch
from fogbound.solvers.search.history import ActionObservationHistory
from fogbound.solvers.search.hooked_model import hooked_model
from fogbound.solvers.search.hooks import (
    INFORMED,
    ROLLOUT,
    GameHooks,
    InitialValues,
    LeafValue,
    PreferredActions,
    RolloutPolicy,
)
from fogbound.solvers.search.interactive import InducedSimulator
from fogbound.solvers.search.parameters import HookParameters
from fogbound.solvers.search.planner import Planner
from fogbound.solvers.search.row_search import sampled_rules
from fogbound.solvers.search.rules_search import BY_RULES, RulesSearch, RulesSimulator
from fogbound.solvers.search.sample_simulator import SampleSimulator, compiled_sampling
from fogbound.solvers.search.sampled import ModelledGame
from fogbound.solvers.search.simulator import (
    CompiledSimulator,
    OnlineSearch,
    SearchSimulator,
    hooked_simulator,
    method_facts,
    modelled_simulator,
    offline,
)
from fogbound.solvers.search.tree_search import SearchWay

UNTABULATED = "too many states to ask {} about each: the rules are sampled, in plain Python, about 50 times as slow"
FOLLOWED = "{} plays by what its player saw: its memory is followed and the rules are sampled, in plain Python"


@dataclass(frozen=True, eq=False)
class ModelPlanner(Planner):
    """POMCP at every decision of a player who plans against a model of the others.

    Parameters
    ----------
    game, player, way, final, simulations, seconds, particles, seed, solver, hooks, reuse
        As in `Planner`.
    others
        How the others play; empty: at random.
    by_rules
        Sample the rules in Python at once; otherwise only where the model cannot be enumerated.
    faithful
        Where the rules are sampled: beyond the tree the others play as they do; False: at random, which costs no
        thinking.
    """

    others: Mapping[int, Strategy] = field(default_factory=dict, repr=False)
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
        hooks = self.hooks
        found = hooks.on(self.game, (self.player,), self.others) if hooks.any else GameHooks()
        if not self.by_rules and found.followed is None:
            try:
                if hooks.any:
                    return hooked_simulator(self.game, self.player, self.others, hooks, found)
                return modelled_simulator(self.game, self.player, self.others, hooks.leaf)
            except LimitError:
                if hooks.leaf == INFORMED:
                    raise
        why = UNTABULATED.format(hooks.all_said) if hooks.any else BY_RULES
        if found.followed is not None:
            why = FOLLOWED.format(found.followed.said)
        return RulesSimulator(self.induced(), self.faithful, found, hooks.leaf_words(ROLLOUT), why)

    def search(self, memory: ActionObservationHistory, actions: Sequence[Hashable]) -> OnlineSearch | None:
        search = super().search(memory, actions)
        if isinstance(search, RulesSearch) and search.followed is not None:
            search.memory = search.followed.after(memory.steps())
        return search

    def induced(self) -> InducedSimulator:
        """The game with the others' policies, to be stepped through one state at a time."""
        rest = [other for other in range(len(self.game.players)) if other != self.player]
        return InducedSimulator(self.game, self.player, self.others or dict.fromkeys(rest, Uniform()))

    def _sampled(self, game: SimulatedGame) -> SampleSimulator:
        """A simulator, searched by the same algorithm."""
        way = GenerativeWay(self.way.explored(informed=False), self.way.spread, self.way.depth, self.hooks.leaf)
        compiled = sampled_rules(game)
        if compiled is not None and not self.hooks.any:
            return compiled_sampling(game.checked, compiled, "pomcp", way)
        model, known = hooked_model(game.checked, game, self.hooks)
        way = replace(way, known=known, prior=self.way.prior, cap=self.way.cap)
        return SampleSimulator(
            game.checked,
            lambda root, seed: HistorySearch(model, way, root, seed),
            self.hooks.leaf_words(way.leaf_of(model, "pomcp")),
            why=self.hooks.why_python(compiled is not None),
        )

    def episodes(self) -> Episodes | RuleEpisodes:
        """Games against the others that it models."""
        return RuleEpisodes(self) if isinstance(self.game, SimulatedGame) else Episodes(self, self.induced())


@dataclass(frozen=True)
class POMCP(HookParameters, EpisodeSolver[ModelPlanner]):
    """Good play by POMCP (Silver and Veness 2010), new nodes valued by the form; no guarantee.

    Works on the sampled game: one player against chance, or several, of whom the others play as given or at random.
    What it finds is told by playing: the value is the mean return of games in which every decision is searched.

    Parameters
    ----------
    rollout
        How the player goes on beyond the tree: a function (`RolloutPolicy`), or the name of a policy.
    value
        What a new node is worth: a function (`LeafValue`), the name of a policy with alpha vectors, or one of these
        words. informed: what its best action is worth to one who sees more from then on (the fast informed bound of
        the form, or what compiled rules or a simulator know); rollout: what a rollout brings; auto: informed where
        there is such a bound and no rollout policy is given.
    initial
        What is known of a new node's actions, the mean over the states that come there: a function (`InitialValues`),
        the name of a policy with alpha vectors, none, or auto: the informed values, where these value new nodes.
    prefer
        Actions of a new node that are tried before any other: a function (`PreferredActions`), the name of a policy,
        or none.
    exploration
        How much UCB1 favours actions seldom tried, in units of `spread`; 0: .3 where leaves are informed, 1 with
        rollouts.
    spread
        How far returns lie apart, to which UCB1 is scaled; 0: by how much the worth of the root's states varies, or,
        with rollouts, best minus worst return so far.
    cap
        States that came to a node, whose initial values are averaged, at most.
    reuse
        Go on from the subtree of the action that was taken and of what was seen, its statistics kept; the tree of a
        compiled simulator begins anew.
    """

    name: ClassVar[str] = "pomcp"
    preferred: ClassVar[bool] = True
    usual: ClassVar[int] = 1000  # simulations, where no limit is given

    simulations: int | None = None
    rollout: str | RolloutPolicy = "uniform"
    value: str | LeafValue = "auto"
    initial: str | InitialValues | None = "auto"
    prefer: str | PreferredActions | None = None
    exploration: float = 0.0
    spread: float = 0.0
    prior: float = 5.0
    cap: int = 128
    depth: int = 200
    final: Literal["visits", "value"] = "visits"
    reuse: bool = True
    seconds: float = 0.0
    particles: int = MOST_PARTICLES
    games: int = 100

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
            self.for_a_decision,
            self.seconds,
            self.particles,
            seed,
            self.stored_as,
            others=given,
            hooks=self.hooks(),
            reuse=self.reuse,
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
    advice = offline(simulator, form.game, form.player) if isinstance(simulator, CompiledSimulator) else ""
    return {**method_facts(simulator), **({"instead": advice} if advice else {})}


def _rest(simulator: SearchSimulator, steps: int) -> str:
    """What a game can still pay after this many steps, where the rewards bound it: a clause."""
    form = simulator.form if isinstance(simulator, CompiledSimulator) else None
    found = None if form is None else reward_sums(form.reward[1:], form.discount)
    if form is None or found is None:
        return ""
    low, high = (number(float(bound) * form.discount**steps, 3) for bound in found)
    return f"; the rest can add {low} to {high}"
