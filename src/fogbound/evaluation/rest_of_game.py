"""What the rest of a game brings when everybody goes on by a simple rule: the yardstick of local best response.

The rule knows the legal actions and nothing else: the first of some preferred ones that is legal ("check", "call"), any
of them with equal chance where none is. So what a state is worth depends on the state alone: it is computed exactly,
once for each state, or estimated by playing on, where there are too many.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

from fogbound.core.cancel import check
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, LimitError, brief
from fogbound.core.simulator import RuleSimulator

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
