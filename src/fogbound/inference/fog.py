"""What a player may infer from what it did and saw, in one value that a terminal and a page can show.

Beliefs and values are computed against the policies that sit at the table, and every result names them. A person's
policy is unknown: levels of reasoning stand for it in a game of two, a search in which all play for themselves in any
other, and the result says which. Nothing here is handed the state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan, log2
from typing import TYPE_CHECKING, Any

from fogbound.core.cancel import Stoppable, cancelling, check
from fogbound.core.errors import FogboundError, FormError, LimitError, Stopped
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.core.spec import parse
from fogbound.inference.opponent import Opponent, opponent_names

if TYPE_CHECKING:
    from fogbound.forms.bayes_filter import Belief
    from fogbound.forms.decisions import History
    from fogbound.inference.online.opponent_inference import JointPosterior, OpponentInference
    from fogbound.inference.online.own_belief import ActionValue, OwnBelief, ReviewedMove

LEVELS = 3  # the highest level that stands for an opponent whose policy is unknown
MOST_BELIEFS = 20_000
LEVEL_K = "level-k"
SEARCH = "is-mcts(simulations=2000)"
RESPONSE = "pomcp(simulations=2000, value=rollout, reuse=false)"  # against random play
OPTIMAL = "with optimal play from here on"

Kind = tuple[tuple[int, ...], float, float]  # levels that play alike, how likely before the game and now
Announce = Callable[[str], AbstractContextManager[Any]]  # what is worked on, while it is


def _silently(_: str) -> AbstractContextManager[Any]:
    return nullcontext()


@dataclass(frozen=True)
class Worth:
    """What one move earns from here on.

    Attributes
    ----------
    action
        The move.
    lower, upper
        Its bounds; the same number twice where it is exact, or an estimate.
    best
        Whether it is as good as any, as far as this tells.
    tried
        Of an estimate: in how many simulations it was tried.
    half_width
        Of an estimate: half of its 95% interval.
    """

    action: Hashable
    lower: float
    upper: float
    best: bool
    tried: int = 0
    half_width: float = 0.0


@dataclass(frozen=True)
class PossibleState:
    """A state that may be.

    Attributes
    ----------
    state
        The state.
    chance
        How likely it is.
    shares
        Jointly with each kind of opponent, in the order of `Inferred.kinds`; empty where kinds are not considered.
    """

    state: Any
    chance: float
    shares: tuple[float, ...] = ()


@dataclass(frozen=True)
class Inferred:
    """All that follows from a history for a player who is to move.

    Attributes
    ----------
    worths
        The moves with what they earn; empty where that cannot be said.
    source
        Where these figures come from and what they assume of the others, in a few words; or why there are none.
    states
        What may be hidden, the likeliest first; of a search, the likeliest alone.
    kinds
        Who the other may be: levels, how likely before the game and now. Empty where that is not considered.
    notes
        What else must be said: an observation of probability 0, levels that are not settled.
    count
        How many states are held possible in all, those that are not listed included.
    sampled
        Whether these are a sample of what is possible.
    assumption
        What beliefs and values assume of the others, as a clause; empty for one who plays alone.
    """

    worths: tuple[Worth, ...]
    source: str
    states: tuple[PossibleState, ...]
    kinds: tuple[Kind, ...] = ()
    notes: tuple[str, ...] = ()
    count: int = 0
    sampled: bool = False
    assumption: str = ""

    @property
    def bits(self) -> float | None:
        """How much is hidden: the entropy of the states, in bits; None where they are not all listed."""
        if self.count > len(self.states):
            return None
        return max(0.0, -sum(s.chance * log2(s.chance) for s in self.states if s.chance > 0))


@dataclass(frozen=True)
class Review:
    """What a player's moves cost.

    Attributes
    ----------
    moves
        The moves, in order, each with its value and the best one's.
    assumption
        What the values assume of the others, as a clause; empty for one who plays alone.
    """

    moves: tuple[ReviewedMove, ...]
    assumption: str


@dataclass(eq=False)
class Fog(ABC):
    """What a player may infer, worked out when it is first asked for.

    Parameters
    ----------
    game
        The rules.
    player
        Whose knowledge it is.
    announce
        Told what is worked on, while it is.
    """

    game: AnyGame
    player: int
    announce: Announce = _silently

    @property
    @abstractmethod
    def assumption(self) -> str:
        """What beliefs and values assume of the others, as a clause: "against random play"; empty without others."""

    @abstractmethod
    def prepare(self) -> object:
        """Do what takes long, once; raises what stands against inferring anything."""

    @abstractmethod
    def inferred(self, history: History, actions: Sequence[Hashable]) -> Inferred:
        """What follows for a player who is to choose from `actions`."""

    @abstractmethod
    def review(self, history: History) -> Review:
        """What the player's moves cost."""


@dataclass(eq=False)
class OwnFog(Fog):
    """For one whose opponents' policies are known, or who has none: Bayes' rule, and the value of each move.

    Parameters
    ----------
    game, player, announce
        As for any fog.
    opponents
        Everybody else, by player; each has a policy.
    """

    opponents: Mapping[int, Opponent] = field(default_factory=dict)

    @property
    def assumption(self) -> str:
        return f"against {opponent_names(self.opponents.values())}" if self.opponents else ""

    @cached_property
    def inference(self) -> OwnBelief:
        from fogbound.forms.pomdp import pomdp
        from fogbound.inference.online.own_belief import OwnBelief

        policies = {i: one.policy for i, one in self.opponents.items() if one.policy is not None}
        with self.announce(f"enumerating {self.game} {self.assumption}".rstrip()):
            return OwnBelief(pomdp(self.game, self.player, policies))

    def prepare(self) -> None:
        self.inference  # noqa: B018

    def inferred(self, history: History, actions: Sequence[Hashable]) -> Inferred:  # noqa: ARG002
        belief = self.inference.after(history)
        worths, source = _valued(lambda: self.inference.action_values(belief), self.assumption)
        other = next((i for i, one in self.opponents.items() if one.levels and len(self.opponents) == 1), None)
        if other is None:
            states = tuple(PossibleState(state, p) for state, p in self.inference.states(belief))
            return Inferred(worths, source, states, count=len(states), assumption=self.assumption)
        states, kinds = self._with_levels(belief, other)
        return Inferred(worths, source, states, kinds, count=len(states), assumption=self.assumption)

    def _with_levels(self, belief: Belief, other: int) -> tuple[tuple[PossibleState, ...], tuple[Kind, ...]]:
        """The possible states jointly with the opponent's levels; levels that play alike are one class."""
        from fogbound.inference.type_posterior import classes

        product, levels = self.inference.form.product, self.opponents[other].levels
        assert product is not None  # it has an opponent, so it was made from a game
        kinship, prior = classes(product.fixed[other].types), product.fixed[other].prior
        listed = self.inference.states_by_type(belief, other)
        states = tuple(
            PossibleState(state, float(shares.sum()), tuple(float(shares[list(kin)].sum()) for kin in kinship))
            for state, shares in listed
        )
        now = [sum(state.shares[k] for state in states) for k in range(len(kinship))]
        return states, tuple(
            (tuple(levels[t] for t in kin), sum(prior[t] for t in kin), p) for kin, p in zip(kinship, now)
        )

    def review(self, history: History) -> Review:
        return Review(tuple(self.inference.review(history)), self.assumption)


@dataclass(eq=False)
class OpponentFog(Fog):
    """What one of two players may infer about another whose level of reasoning is not known.

    Parameters
    ----------
    game, player, announce
        As for any fog.
    name
        What the other is called.
    levels
        The highest level that is considered.
    options
        Of the hierarchy: prior, tau, precision.
    most
        Beliefs of one player at which a level is left at what was found by then.
    """

    name: str = ""
    levels: int = LEVELS
    options: dict[str, Any] = field(default_factory=dict)
    most: int = MOST_BELIEFS

    @property
    def assumption(self) -> str:
        other = self.game.players[1 - self.player]
        said = f"{other}, {self.name}," if self.name else other
        prior, tau = self.options.get("prior", "uniform"), self.options.get("tau")
        before = {"uniform": "equally likely", "poisson": f"Poisson, mean {tau}"}.get(str(prior), f"prior {prior}")
        return f"if {said} plays at one of levels 0 to {self.levels} ({before} before the game)"

    @cached_property
    def inference(self) -> OpponentInference:
        from fogbound.inference.online.opponent_inference import OpponentInference
        from fogbound.solvers.level_k.hierarchy import solve_levels
        from fogbound.solvers.pomdp.belief_graph.search import SearchLimits

        if len(self.game.players) != 2:
            raise FormError(
                f"{self.game}: players are {len(self.game.players)}, expected 2: levels are about one opponent"
            )
        with self.announce(f"solving levels 0 to {self.levels} of {self.game}"):
            return OpponentInference(
                solve_levels(self.game, self.levels, limits=SearchLimits(most=self.most), **self.options), self.player
            )

    def prepare(self) -> None:
        self.inference  # noqa: B018

    def inferred(self, history: History, actions: Sequence[Hashable]) -> Inferred:  # noqa: ARG002
        posterior = self.inference.after(history, asked=True)
        states = tuple(PossibleState(state, float(s.sum()), tuple(s.tolist())) for state, s in posterior.states())
        kinds = tuple((kind.levels, kind.before, kind.now) for kind in posterior.type_classes)
        worths, source = _valued(lambda: self.inference.action_values(posterior), self.assumption)
        notes = (*unsettled(self.inference), *surprise(posterior))
        return Inferred(worths, source, states, kinds, notes, len(states), assumption=self.assumption)

    def review(self, history: History) -> Review:
        from fogbound.inference.online.opponent_inference import review

        return Review(tuple(review(self.inference, history)), self.assumption)

    def some_level(self) -> Strategy:
        """An opponent who is one of the levels considered, drawn from the hierarchy's prior."""
        from fogbound.policies.mixture import Mixture

        inference = self.inference
        weights = inference.hierarchy.weights(inference.hierarchy.levels + 1)
        return Mixture.of([(inference.hierarchy.policy(k, inference.other), p) for k, p in enumerate(weights) if p > 0])


@dataclass(eq=False)
class SearchedFog(Fog):
    """For larger games, and for more players some of whom are people: a search from what the player knows.

    Its figures are estimates, and nothing in them is a bound. The others play at random where they do so and the game
    has compiled rules; in any other case everybody plays for themselves, and the assumption says whom that is unlike.

    Parameters
    ----------
    game, player, announce
        As for any fog.
    opponents
        Everybody else, by player.
    """

    opponents: Mapping[int, Opponent] = field(default_factory=dict)

    @property
    def assumption(self) -> str:
        known = [one for one in self.opponents.values() if one.policy is not None]
        if self._at_random:
            return f"against {opponent_names(known)}"
        unlike = f", which is not how {opponent_names(known)} plays" if known else ""
        return f"if every player searches for its own best move{unlike}"

    @cached_property
    def _at_random(self) -> bool:
        from fogbound.policies.uniform import Uniform

        policies = [one.policy for one in self.opponents.values()]
        return all(isinstance(policy, Uniform) for policy in policies) and self.game.compiled_rules() is not None

    @cached_property
    def _planner(self) -> Any:
        from fogbound.forms.protocol import Question, derive
        from fogbound.solvers import SOLVERS

        solver: Any = SOLVERS.make(parse(RESPONSE if self._at_random else SEARCH))
        with self.announce(f"preparing a search of {self.game}"):
            return solver.online(derive(self.game, solver.form, Question(self.player)), self.player, 0)

    def prepare(self) -> None:
        self._planner  # noqa: B018

    def inferred(self, history: History, actions: Sequence[Hashable]) -> Inferred:
        planner = self._planner
        memory = planner.begin(history[0])
        for action, observation in history[1:]:
            memory = planner.update(memory, action, observation)
        found = planner.explain(memory, tuple(actions))
        if found is None:
            raise FormError(f"{self.game}: nothing that was tried fits what was done and seen")
        tried = [action for action in found.actions if not isnan(action.mean)]
        top = max((action.mean for action in tried), default=0.0)
        worths = tuple(
            Worth(a.action, a.mean, a.mean, a.mean == top, a.visits, a.mean.half_width or 0.0) for a in tried
        )
        states = tuple(PossibleState(state, p) for state, p in found.belief)
        said = f"an estimate from {found.simulations:,} simulations, {self.assumption}; no bound"
        return Inferred(worths, said, states, count=found.states, sampled=not found.exact, assumption=self.assumption)

    def review(self, history: History) -> Review:  # noqa: ARG002
        raise FormError("this game is too large, or has too many players, to say exactly what each move cost")


def fog_for(game: AnyGame, player: int, opponents: Mapping[int, Opponent], announce: Announce = _silently) -> Fog:
    """The fog against the opponents that sit there; levels stand for a person in a game of two.

    Parameters
    ----------
    game
        The rules.
    player
        Whose knowledge it is.
    opponents
        Everybody else, by player.
    announce
        Told what is worked on, while it is.

    Returns
    -------
    Fog

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.inference.opponent import Opponent
    >>> game = fb.game("kuhn")
    >>> fog_for(game, 0, {1: Opponent("random play", fb.policy("uniform", game, 1))}).assumption
    'against random play'
    >>> fog_for(game, 0, {1: Opponent()}).assumption
    'if player-2, a person, plays at one of levels 0 to 3 (equally likely before the game)'
    """
    people = [one for one in opponents.values() if one.policy is None]
    if not people:
        return OwnFog(game, player, announce, opponents)
    if len(opponents) == 1:
        return OpponentFog(game, player, announce, people[0].name)
    return SearchedFog(game, player, announce, opponents)


def levels_fog(
    game: AnyGame, player: int, text: str, levels: int | None, announce: Announce = _silently
) -> OpponentFog:
    """The fog of a player who models the other as one of levels 0 to `levels`.

    Parameters
    ----------
    game, player, announce
        As for any fog.
    text
        How the other is named: of a `level-k`, prior and precision are those of the hierarchy.
    levels
        The highest level; None: one above that of a `level-k`, or 3.
    """
    from fogbound.solvers import SOLVERS
    from fogbound.solvers.level_k.solver import LevelK

    fog = OpponentFog(game, player, announce)
    if text.partition("(")[0].strip() == LEVEL_K:
        solver = SOLVERS.make(parse(text))
        if isinstance(solver, LevelK):
            fog.levels = (solver.level or solver.height) + 1
            fog.most = solver.most
            fog.options = {"prior": solver.prior, "tau": solver.tau}
            if solver.precision is not None:
                fog.options["precision"] = solver.precision
    if levels is not None:
        fog.levels = levels
    return fog


def ready_fog(
    game: AnyGame,
    player: int,
    opponents: Mapping[int, Opponent],
    patience: Stoppable,
    announce: Announce = _silently,
) -> Fog:
    """The same as `fog_for`, prepared; a search where the game is too large to be enumerated, or patience is over."""
    fog = fog_for(game, player, opponents, announce)
    try:
        with cancelling(patience):
            fog.prepare()
    except (LimitError, FormError, Stopped):
        check()
        fog = SearchedFog(game, player, announce, opponents)
        fog.prepare()
    return fog


def unsettled(inference: OpponentInference) -> list[str]:
    """Levels are only as good as what is known of them."""
    from fogbound.inference.type_posterior import describe_levels

    loose = sorted({solution.level for solution in inference.hierarchy.solutions if not solution.converged})
    return [f"not settled, so only about right: {describe_levels(loose)}"] if loose else []


def surprise(posterior: JointPosterior) -> list[str]:
    """What is said where play has left the model."""
    if posterior.impossible_at is None:
        return []
    when = f"step {posterior.impossible_at}" if posterior.impossible_at else "the start"
    inference = posterior.inference
    anybody = "" if inference.level_of(len(inference.types.policies) - 1) is not None else " and random play"
    return [
        f"what you saw at {when} had probability 0 in all that you held possible: they tremble, or are no such level",
        f"belief reset: levels 0 to {inference.hierarchy.levels}{anybody} equally likely, given all that you have seen",
    ]


def _valued(values: Callable[[], Sequence[ActionValue]], assumption: str) -> tuple[tuple[Worth, ...], str]:
    """The worth of each move, where it comes from and what it assumes; or nothing, and why."""
    from fogbound.inference.online.own_belief import best_actions

    try:
        found = tuple(values())
    except FogboundError as error:
        return (), f"the values of your moves cannot be said: {error}"
    top = best_actions(found)
    exact = "exact" if all(value.exact for value in found) else "bounds"
    worths = tuple(Worth(v.action, v.lower, v.upper, v in top) for v in found)
    return worths, ", ".join([f"{exact} {assumption}".rstrip(), OPTIMAL])
