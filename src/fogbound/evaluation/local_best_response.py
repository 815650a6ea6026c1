"""Local best response: a reply that looks one decision ahead, and so tells how far a policy can be exploited at least.

Lisý and Bowling, "Equilibrium approximation quality of current no-limit poker bots" (2017). The replier knows how the
others play. It follows exactly what they may hold and remember (their range), by reweighing every possibility by how
likely they would have done what was seen. At its decisions it asks what each action brings: the others answer as they
do, once or more often, and from then on everybody goes on by a simple rule. It need not be a good reply, but it is one:
what it gains, no best reply gains less. That holds in games that have no tree as well.

What the rest of a game brings when everybody goes on by a simple rule: the yardstick of local best response.

The rule knows the legal actions and nothing else: the first of some preferred ones that is legal ("check", "call"), any
of them with equal chance where none is. So what a state is worth depends on the state alone: it is computed exactly,
once for each state, or estimated by playing on, where there are too many.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import product
from random import Random
from typing import Any, ClassVar

from fogbound.core.cancel import check
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, LimitError, SpecError, brief
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import Strategy
from fogbound.core.simulator import RuleSimulator
from fogbound.forms.induced import MOST_POINTS, InducedGame, Point

MOST_STATES = 200_000
MOST_STEPS = 1_000  # of one play
LOOK_UP = 1_024  # states between two looks at whether to stop

Step = tuple[Any, float, float]  # the state that follows, what the player is paid, its probability


@dataclass(frozen=True, eq=False)
class RestOfGame:
    """The discounted return of a player from a state on, when all play by the same rule.

    Parameters
    ----------
    rules
        The game.
    player
        Whose return.
    prefer
        Actions, or their descriptions; the first that is legal is played, any legal one where none is.
    plays
        How many plays a state's worth is the mean of; 0: it is computed.
    limit
        How many states are too many to be computed.

    Examples
    --------
    >>> import fogbound as fb
    >>> game = fb.game("king-ace")
    >>> rest = RestOfGame(RuleSimulator(game), 0)
    >>> round(sum(p * rest.worth(outcome.state) for outcome, p in game.start()), 6)
    0.25
    """

    rules: RuleSimulator
    player: int
    prefer: tuple[Hashable, ...] = ()
    plays: int = 0
    limit: int = MOST_STATES
    _known: dict[Any, float] = field(default_factory=dict, init=False, repr=False)

    def worth(self, state: Any) -> float:
        """What the player may expect from a state on.

        Parameters
        ----------
        state
            As the rules have it.

        Raises
        ------
        LimitError
            More states follow than may be computed.
        FormError
            Play can come back to where it was, so that nothing can be computed.
        """
        if state not in self._known:
            if self.plays:
                self._known[state] = self._sampled(state)
            else:
                self._compute(state)
        return self._known[state]

    def _compute(self, state: Any) -> None:
        """Depth first; what was opened and is not known yet lies on the way to where we are."""
        known, opened, stack = self._known, dict[Any, list[Step]](), [state]
        while stack:
            here = stack[-1]
            if here in known:
                stack.pop()
                continue
            if here in opened:
                steps = opened.pop(here)
                known[here] = sum(p * (paid + self._discount * known[after]) for after, paid, p in steps)
                continue
            opened[here] = self._steps(here)
            ahead = [after for after, _, _ in opened[here] if after not in known]
            again = next((after for after in ahead if after in opened), None)
            if again is not None:
                raise FormError(
                    f"{self.rules.spec}: play can come back to {brief(again)}, so what the rest is worth cannot be "
                    "computed; estimate it by plays=20 (--plays 20)"
                )
            self._require_room(len(known) + len(opened))
            stack += ahead

    def _require_room(self, count: int) -> None:
        if count > self.limit:
            raise LimitError(
                f"{self.rules.spec}: more than {self.limit:,} states follow, too many to compute what the rest is "
                "worth; estimate it by plays=20 (--plays 20)"
            )
        if count % LOOK_UP == 0:
            check()

    def _steps(self, state: Any) -> list[Step]:
        """All that may follow; nothing where the game is over."""
        actors = self.rules.actors(state)
        if not actors:
            return []
        found = []
        choices = [self.choice(legal) for legal in self.rules.legal(state, actors)]
        for joint in product(*choices):
            chance = 1.0
            for _, p in joint:
                chance *= p
            for outcome, p in self.rules.outcomes(state, tuple([action for action, _ in joint])):
                found.append((outcome.state, self.rules.paid(outcome)[self.player], chance * p))
        return found

    def choice(self, legal: Sequence[Hashable]) -> Dist[Hashable]:
        """What the rule plays.

        Parameters
        ----------
        legal
            The legal actions.
        """
        describe = self.rules.game.describe
        for wanted in self.prefer:
            for action in legal:
                if action == wanted or describe(action) == wanted:
                    return Dist.sure(action)
        return Dist.uniform(legal)

    def _sampled(self, state: Any) -> float:
        """Plays with the same random numbers from every state, so that actions are compared by the same luck."""
        rng, total = Random(self.player), 0.0
        for _ in range(self.plays):
            check()
            here, scale = state, 1.0
            for _ in range(MOST_STEPS):
                actors = self.rules.actors(here)
                if not actors:
                    break
                joint = tuple([self.choice(legal).sample(rng) for legal in self.rules.legal(here, actors)])
                outcome = self.rules.drawn(here, joint, rng)
                total += scale * self.rules.paid(outcome)[self.player]
                here, scale = outcome.state, scale * self._discount
        return total / self.plays

    @cached_property
    def _discount(self) -> float:
        return float(self.rules.game.discount)


@dataclass(frozen=True)
class OthersRange:
    """What may be true: states with what the others remember, and how likely each is.

    Parameters
    ----------
    points
        States together with memories, each once.
    weights
        Their probabilities, not normalised.
    """

    points: tuple[Point, ...] = field(repr=False)
    weights: tuple[float, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class LocalBestResponse:
    """The reply of `player` to given others that looks to their next answers.

    Parameters
    ----------
    game
        The rules.
    player
        Who replies.
    others
        How the others play, by player.
    answers
        For how many steps after an action the others are taken to play as they do; after that they go on by a rule, as
        the player itself does from its next decision on.
    prefer
        The rule: the first of these actions (or descriptions of actions) that is legal, any legal one where none is.
        Poker's is ("check", "call").
    plays
        How many plays by that rule a state's worth is the mean of; 0: it is computed.
    limit
        How many states are too many for that.

    Examples
    --------
    >>> import fogbound as fb
    >>> game = fb.game("card-poker(ranks=3)")
    >>> reply = LocalBestResponse(game, 0, {1: fb.policies.Uniform()})
    >>> local = fb.evaluation.expected(game, [reply, fb.policies.Uniform()])[0]
    >>> best = fb.evaluation.best_response(game, {1: fb.policies.Uniform()}, 0).value
    >>> bool(0 < local <= best)
    True
    """

    thinks: ClassVar[bool] = True

    game: AnyGame
    player: int
    others: Mapping[int, Strategy] = field(repr=False)
    answers: int = 1
    prefer: tuple[Hashable, ...] = ()
    plays: int = 0
    limit: int = MOST_STATES

    def __post_init__(self) -> None:
        for name in ("answers", "plays"):
            if getattr(self, name) < 0:
                raise SpecError(f"local best response: {name} is {getattr(self, name)}, expected 0 or more")
        wanted = [other for other in range(len(self.game.players)) if other != self.player]
        if sorted(self.others) != wanted:
            raise SpecError(
                f"{self.game}: player {self.player} replies to policies of players {sorted(self.others)}, expected "
                f"{wanted}"
            )

    def begin(self, observation: Observation) -> OthersRange:
        if len(self._induced.points) > MOST_POINTS:
            self._induced.forget()
            self._worths.clear()
        return _gathered((point, p) for point, _, p in self._induced.start(observation))

    def update(self, memory: OthersRange, action: Hashable | None, observation: Observation) -> OthersRange:
        """Bayes' rule: every possibility by how likely it leads to what was seen."""
        observed, found = self._induced.simulator.observed, []
        for point, weight in zip(memory.points, memory.weights):
            if (point.place >= 0) != (action is not None) or (action is not None and action not in point.legal):
                continue
            place = -1 if action is None else point.legal.index(action)
            found += [
                (after, weight * p)
                for after, event, p in self._induced.after(point, place)
                if observed(event, self.player) == observation
            ]
        return _gathered(found)

    def act(self, memory: OthersRange, actions: Sequence[Hashable]) -> Dist[Hashable]:
        """The action that brings most; the first of several, any where the others would not do what was seen."""
        legal = tuple(actions)
        asked = [(point, weight) for point, weight in zip(memory.points, memory.weights) if point.legal == legal]
        if not asked or len(legal) == 1:
            return Dist.uniform(legal)
        worths = [sum(w * self._worth(point, place, self.answers) for point, w in asked) for place in range(len(legal))]
        return Dist.sure(legal[worths.index(max(worths))])

    def _worth(self, point: Point, place: int, answers: int) -> float:
        """What an action (-1: it is not asked) brings at one possibility, and so many answers of the others to it."""
        key = (point, place, answers)
        if key not in self._worths:
            paid, total = self._induced.simulator.paid, 0.0
            for after, event, p in self._induced.after(point, place):
                total += p * (paid(event)[self.player] + self.game.discount * self._then(after, answers))
            self._worths[key] = total
        return self._worths[key]

    def _then(self, point: Point, answers: int) -> float:
        """What is left, the others playing as they do for so many steps."""
        if not point.actors:
            return 0.0
        if answers == 0:
            return self._rest.worth(point.state)
        if point.place < 0:
            return self._worth(point, -1, answers - 1)
        rule = self._rest.choice(point.legal)
        return sum(p * self._worth(point, point.legal.index(action), answers - 1) for action, p in rule)

    @cached_property
    def _induced(self) -> InducedGame:
        return InducedGame(RuleSimulator(self.game), self.others, limit=10 * MOST_POINTS)

    @cached_property
    def _rest(self) -> RestOfGame:
        return RestOfGame(RuleSimulator(self.game), self.player, self.prefer, self.plays, self.limit)

    @cached_property
    def _worths(self) -> dict[tuple[Point, int, int], float]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}  # what was met is met again elsewhere


def _gathered(pairs: Any) -> OthersRange:
    """Weighted points, equal ones added up."""
    summed: dict[Point, float] = {}
    for point, weight in pairs:
        if weight > 0:
            summed[point] = summed.get(point, 0.0) + weight
    return OthersRange(tuple(summed), tuple(summed.values()))
