"""How one player plays. Memory is a value: handed in, handed back.

Because memory is a value, one policy object can sit inside a derived POMDP's hidden state, in a file, and
in many games at once. A finite-state controller is simply a policy whose memory is a node.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from fogbound.core.dist import Dist
from fogbound.core.game import Observation

M = TypeVar("M", bound=Hashable)
A = TypeVar("A", bound=Hashable)


@runtime_checkable
class Policy(Protocol[M, A]):
    """Begin with what is seen at the start, update after every step, act when asked.

    `update` is called for every step of the game, also for steps in which the player did not move: then
    `action` is None. `act` must return a distribution over `actions`, which are the legal ones.

    Examples
    --------
    >>> from fogbound.core import Dist, Policy
    >>> class First:  # three methods suffice, no base class is needed
    ...     def begin(self, observation):
    ...         return None
    ...     def update(self, memory, action, observation):
    ...         return None
    ...     def act(self, memory, actions):
    ...         return Dist.sure(actions[0])
    >>> isinstance(First(), Policy)
    True
    """

    def begin(self, observation: Observation) -> M: ...

    def update(self, memory: M, action: A | None, observation: Observation) -> M: ...

    def act(self, memory: M, actions: Sequence[A]) -> Dist[A]: ...


AnyPolicy = Policy[Any, Any]


@runtime_checkable
class Mixed(Protocol):
    """A mixed strategy: one of several policies, drawn once before the game and kept throughout."""

    def kinds(self) -> Dist[AnyPolicy]: ...


Strategy = AnyPolicy | Mixed


def thinks(policy: AnyPolicy) -> bool:
    """Whether a policy works out what to do when it is asked, which takes time: those say so by `thinks = True`."""
    return bool(getattr(policy, "thinks", False))


def kinds(policy: Strategy) -> Dist[AnyPolicy]:
    """The policies that `policy` may turn out to be; itself, surely, when it is not mixed.

    Parameters
    ----------
    policy
        A policy, or a mixture of policies.

    Returns
    -------
    Dist
        Over policies, none of them mixed: whoever plays or evaluates draws one and keeps it for the whole game.

    Examples
    --------
    >>> from fogbound.core import kinds
    >>> from fogbound.policies import Trembling, Uniform, uniform_mixture
    >>> [p for _, p in kinds(uniform_mixture([Uniform(), Trembling(Uniform(), 0.5)]))]
    [0.5, 0.5]
    >>> len(kinds(Uniform()))
    1
    """
    if isinstance(policy, Mixed):
        return policy.kinds()
    return Dist.sure(policy)
