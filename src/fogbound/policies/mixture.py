"""Policies made of policies: mixtures, and hands that tremble.

A mixed strategy is one of several policies, drawn before the game and kept throughout: what an opponent of unknown type
looks like, and what a mixed strategy of the normal form is. It has no memory of its own: a match, an evaluation or a
best response draws one of its `kinds`.

A hand that trembles (Selten 1975) now and then does something other than what it chose; here it slips at one known
rate, to every legal action alike. Without slips one odd move would prove for ever that a player is not who we think it
is.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError, SpecError, many
from fogbound.core.game import Observation
from fogbound.core.policy import AnyPolicy, Mixed, Strategy, kinds
from fogbound.forms.pomdp import POMDP

DEEPEST = 32  # mixtures inside each other


@dataclass(frozen=True, eq=False, repr=False)
class Mixture(Mixed):
    """`weights[k]` is the probability of being `policies[k]`; members may be mixtures themselves, `DEEPEST` at most.

    Parameters
    ----------
    policies
        The members.
    weights
        Their probabilities, which sum to 1.

    Raises
    ------
    PolicyError
        The weights are no distribution over the members, or mixtures are nested too deeply.

    Examples
    --------
    >>> from fogbound.policies import Mixture, Uniform
    >>> len(Mixture((Uniform(), Uniform()), (0.25, 0.75)).kinds())
    2
    """

    policies: tuple[Strategy, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        fault = self.fault()
        if fault:
            raise PolicyError(f"a mixture of {many(len(self.policies), 'policy')} with {fault}")

    def fault(self) -> str | None:
        """What is not valid, in words, or None: a probability for each member, and not too many levels."""
        if len(self.policies) != len(self.weights) or not self.policies:
            return f"{many(len(self.weights), 'weight')}, expected one for each member"
        if self.depth > DEEPEST:
            return f"mixtures inside each other {self.depth} deep, expected at most {DEEPEST}"
        return Dist(tuple(zip(self.policies, self.weights))).fault()

    @cached_property
    def depth(self) -> int:
        """How many mixtures are inside each other, this one counted."""
        return 1 + max((member.depth for member in self.policies if isinstance(member, Mixture)), default=0)

    @classmethod
    def of(cls, members: Sequence[tuple[Strategy, float]]) -> Mixture:
        policies, weights = zip(*members)
        return cls(policies, weights)

    def __repr__(self) -> str:
        return f"<Mixture of {many(len(self.policies), 'policy')}, weights {[round(w, 6) for w in self.weights[:6]]}>"

    def kinds(self) -> Dist[AnyPolicy]:
        return Dist(
            tuple(
                (kind, weight * p)
                for member, weight in zip(self.policies, self.weights)
                for kind, p in kinds(member)
                if weight * p > 0
            )
        )


def uniform_mixture(policies: Sequence[Strategy]) -> Mixture:
    """Each of `policies` equally likely.

    Parameters
    ----------
    policies
        Policies or mixtures of them, at least one.

    Returns
    -------
    Mixture

    Raises
    ------
    PolicyError
        There are no policies.

    Examples
    --------
    >>> from fogbound import policies
    >>> policies.uniform_mixture([policies.Uniform()] * 4).weights
    (0.25, 0.25, 0.25, 0.25)
    """
    return Mixture(tuple(policies), tuple(1.0 / len(policies) for _ in policies))


def fixed_others(form: POMDP) -> dict[int, Strategy]:
    """By player, the policies (or mixtures of them) that the POMDP was made with; none where it is a model of one."""
    if form.product is None:
        return {}
    return {
        player: fixed.types[0] if len(fixed.types) == 1 else Mixture(tuple(fixed.types), tuple(fixed.prior))
        for player, fixed in form.product.fixed.items()
    }


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
