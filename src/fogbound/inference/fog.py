"""Lifting the fog: what a player may infer from what it did and saw, in one value that a terminal and a page can show.

For one who plays alone it is Bayes' rule; against one other, levels of reasoning that the other may be; in games of
more players, or too large for that, a search from the player's own knowledge. Nothing here is handed the state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
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

if TYPE_CHECKING:
    from fogbound.forms.decisions import History
    from fogbound.inference.online import ActionValue, JointPosterior, OpponentInference, OwnBelief, ReviewedMove

LEVELS = 3  # that are considered when the opponent is no level
MOST_BELIEFS = 20_000
LEVEL_K = "level-k"
SEARCH = "is-mcts(simulations=2000)"

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
    """

    action: Hashable
    lower: float
    upper: float
    best: bool
    tried: int = 0


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
        Where these figures come from, in a few words; or why there are none.
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
    """

    worths: tuple[Worth, ...]
    source: str
    states: tuple[PossibleState, ...]
    kinds: tuple[tuple[tuple[int, ...], float, float], ...] = ()
    notes: tuple[str, ...] = ()
    count: int = 0
    sampled: bool = False

    @property
    def bits(self) -> float | None:
        """How much is hidden: the entropy of the states, in bits; None where they are not all listed."""
        if self.count > len(self.states):
            return None
        return max(0.0, -sum(s.chance * log2(s.chance) for s in self.states if s.chance > 0))


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

    @abstractmethod
    def prepare(self) -> None:
        """Make sure that it can be lifted; raises what stands against it."""

    @abstractmethod
    def inferred(self, history: History, actions: Sequence[Hashable]) -> Inferred:
        """What follows for a player who is to choose from `actions`."""

    @abstractmethod
    def review(self, history: History) -> Sequence[ReviewedMove]:
        """What the player's moves cost."""


@dataclass(eq=False)
class OwnFog(Fog):
    """For one who plays alone: what may be hidden, and the value of each move."""

    @cached_property
    def inference(self) -> OwnBelief:
        from fogbound.forms.pomdp import pomdp
        from fogbound.inference.online import OwnBelief

        with self.announce(f"enumerating {self.game}"):
            return OwnBelief(pomdp(self.game))

    def prepare(self) -> None:
        self.inference  # noqa: B018

    def inferred(self, history: History, actions: Sequence[Hashable]) -> Inferred:  # noqa: ARG002
        belief = self.inference.after(history)
        states = tuple(PossibleState(state, p) for state, p in self.inference.states(belief))
        worths, source = _valued(lambda: self.inference.action_values(belief))
        return Inferred(worths, source, states, count=len(states))

    def review(self, history: History) -> Sequence[ReviewedMove]:
        return self.inference.review(history)


@dataclass(eq=False)
class OpponentFog(Fog):
    """What one of two players may infer about the other.

    Parameters
    ----------
    game, player, announce
        As for any fog.
    levels
        The highest level that is considered.
    options
        Of the hierarchy: prior, tau, precision.
    most
        Beliefs of one player at which a level is left at what was found by then.
    """

    levels: int = LEVELS
    options: dict[str, Any] = field(default_factory=dict)
    most: int = MOST_BELIEFS

    @cached_property
    def inference(self) -> OpponentInference:
        from fogbound.inference.online import OpponentInference
        from fogbound.solvers.level_k.hierarchy import solve_levels
        from fogbound.solvers.pomdp.belief_graph.search import SearchLimits

        if len(self.game.players) != 2:
            raise FormError(
                f"{self.game}: players are {len(self.game.players)}, expected 2: the belief panel is about one opponent"
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
        worths, source = _valued(lambda: self.inference.action_values(posterior))
        notes = (*unsettled(self.inference), *surprise(posterior))
        return Inferred(worths, source, states, kinds, notes, len(states))

    def review(self, history: History) -> Sequence[ReviewedMove]:
        from fogbound.inference.online import review

        return review(self.inference, history)

    def some_level(self) -> Strategy:
        """An opponent who is one of the levels considered, drawn from the hierarchy's prior."""
        from fogbound.policies.mixture import Mixture

        inference = self.inference
        weights = inference.hierarchy.weights(inference.hierarchy.levels + 1)
        return Mixture.of([(inference.hierarchy.policy(k, inference.other), p) for k, p in enumerate(weights) if p > 0])


@dataclass(eq=False)
class SearchedFog(Fog):
    """For more players and larger games: a search from what the player knows, everybody playing for themselves.

    Its figures are estimates, and nothing in them is a bound.
    """

    @cached_property
    def _planner(self) -> Any:
        from fogbound.forms.protocol import Question, derive
        from fogbound.solvers import SOLVERS

        solver: Any = SOLVERS.make(parse(SEARCH))
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
        worths = tuple(Worth(a.action, a.mean, a.mean, a.mean == top, a.visits) for a in tried)
        states = tuple(PossibleState(state, p) for state, p in found.belief)
        said = f"an estimate from {found.simulations:,} simulations, in which all play for themselves; no bound"
        return Inferred(worths, said, states, count=found.states, sampled=not found.exact)

    def review(self, history: History) -> Sequence[ReviewedMove]:  # noqa: ARG002
        raise FormError("this game is too large, or has too many players, to say exactly what each move cost")


def fog_for(
    game: AnyGame, player: int, others: Sequence[str], levels: int | None = None, announce: Announce = _silently
) -> Fog:
    """The fog against opponents that are named so: the hierarchy is theirs where they are levels.

    Parameters
    ----------
    game
        The rules.
    player
        Whose knowledge it is.
    others
        How the others are named, in order.
    levels
        The highest level to consider, where somebody decided that.
    announce
        Told what is worked on, while it is.

    Returns
    -------
    Fog
    """
    from fogbound.solvers import SOLVERS
    from fogbound.solvers.level_k.solver import LevelK

    if len(game.players) == 1:
        return OwnFog(game, player, announce)
    fog = OpponentFog(game, player, announce)
    named = [text for text in others if text.partition("(")[0].strip() == LEVEL_K]
    if len(others) == 1 and named:
        solver = SOLVERS.make(parse(named[0]))
        if isinstance(solver, LevelK):
            fog.levels = (solver.level or solver.height) + 1
            fog.most = solver.most
            fog.options = {"prior": solver.prior, "tau": solver.tau}
            if solver.precision is not None:
                fog.options["precision"] = solver.precision
    if levels is not None:
        fog.levels = levels
    return fog


def ready_fog(game: AnyGame, player: int, others: Sequence[str], patience: Stoppable) -> Fog:
    """The same, prepared; a search instead in a game of more players, too large for levels, or beyond all patience."""
    fog = fog_for(game, player, others)
    try:
        with cancelling(patience):
            fog.prepare()
    except (LimitError, FormError, Stopped):
        check()
        fog = SearchedFog(game, player)
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


def _valued(values: Callable[[], Sequence[ActionValue]]) -> tuple[tuple[Worth, ...], str]:
    """The worth of each move and where it comes from; or nothing, and why."""
    from fogbound.inference.online import best_actions

    try:
        found = tuple(values())
    except FogboundError as error:
        return (), f"the values of your moves cannot be said: {error}"
    top = best_actions(found)
    exact = all(value.exact for value in found)
    return (
        tuple(Worth(v.action, v.lower, v.upper, v in top) for v in found),
        "exact, if you play on as well as can be" if exact else "bounds, if you play on as well as can be",
    )
