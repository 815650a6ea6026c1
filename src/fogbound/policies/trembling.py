"""A hand that slips: now and then a player does something other than what it chose.

Without slips one odd move would prove for ever that a player is not who we think it is. The idea is that of the
trembling hand (Selten 1975); here the hand slips at one known rate, to every legal action alike.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError, SpecError
from fogbound.core.game import Observation
from fogbound.core.policy import AnyPolicy, Mixed, Strategy
from fogbound.policies.mixture import Mixture


@dataclass(frozen=True, eq=False)
class Trembling:
    """`policy`, except that with probability `rate` a legal action is drawn uniformly in place of its choice.

    The memory goes on from what was really done: a player notices its own slips. A controller that has no arrow for
    a slip is lost after it, as after anything that it was not made for.

    Parameters
    ----------
    policy
        A policy, but no mixture: see `trembling`.
    rate
        A probability.

    Raises
    ------
    SpecError
        `rate` is no probability.
    PolicyError
        `policy` is a mixture.
    """

    policy: AnyPolicy
    rate: float

    def __post_init__(self) -> None:
        if not 0 <= self.rate <= 1:
            raise SpecError(f"trembling: rate is {self.rate}, expected a probability from 0 to 1")
        if isinstance(self.policy, Mixed):
            raise PolicyError("a mixture is drawn before the game: let its members tremble, trembling(mixture, rate)")

    def begin(self, observation: Observation) -> Any:
        return self.policy.begin(observation)

    def update(self, memory: Any, action: Hashable | None, observation: Observation) -> Any:
        return self.policy.update(memory, action, observation)

    def act(self, memory: Any, actions: Sequence[Hashable]) -> Dist[Hashable]:
        steady = self.policy.act(memory, actions)
        shaken = dict.fromkeys(actions, self.rate / len(actions))
        for action, p in steady:
            shaken[action] = shaken.get(action, 0.0) + (1 - self.rate) * p
        return Dist(tuple(shaken.items()))


def trembling(policy: Strategy, rate: float) -> Strategy:
    """Any player with a trembling hand; of a mixture, each member trembles.

    Parameters
    ----------
    policy
        A policy or a mixture.
    rate
        How likely an action is drawn uniformly from the legal ones in place of the chosen one.

    Returns
    -------
    Trembling or Mixture

    Raises
    ------
    SpecError
        `rate` is no probability.

    Examples
    --------
    >>> from fogbound import Dist, policies
    >>> steady = policies.Controller({}, {}, (Dist.sure("call"),))
    >>> policies.trembling(steady, 0.5).act(0, ["call", "fold"]).pairs
    (('call', 0.75), ('fold', 0.25))
    """
    if isinstance(policy, Mixed):
        return Mixture.of([(Trembling(kind, rate), p) for kind, p in policy.kinds()])
    return Trembling(policy, rate)
