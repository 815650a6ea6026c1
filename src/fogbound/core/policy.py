"""How one player plays. Memory is a value: handed in, handed back.

Because memory is a value, one policy object can sit inside a derived POMDP's hidden state, in a file, and
in many games at once. A finite-state controller is simply a policy whose memory is a node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from fogbound.core.dist import Dist, Rng
from fogbound.core.game import Observation

if TYPE_CHECKING:
    from fogbound.core.q_value import QValue

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


class Mixed(ABC):
    """A mixed strategy: one of several policies, drawn once before the game and kept throughout.

    A base class and no protocol: every game asks its policies, and the question would take half of a short one.
    """

    @abstractmethod
    def kinds(self) -> Dist[AnyPolicy]:
        """The policies, none of them mixed, and how likely each is drawn."""


Strategy = AnyPolicy | Mixed


@runtime_checkable
class Thinker(Protocol):
    """A policy that may work out what to do when it is asked, which takes time; `thinks` says whether it does."""

    thinks: bool


@runtime_checkable
class Storable(Protocol):
    """A policy of a solver's own class that a file holds as another: `stored()` is that one."""

    def stored(self) -> Strategy: ...


@runtime_checkable
class Explains(Protocol):
    """A policy that can say what it found at a decision, or None where nothing that may be true fitted."""

    def explain(self, memory: Any, actions: Sequence[Any]) -> Any: ...


@runtime_checkable
class ValuesActions(Protocol):
    """A policy that knows what the actions of a decision are worth, since it searches there."""

    def action_values(self, memory: Any, actions: Sequence[Any]) -> Mapping[Any, QValue]:
        """By action; without those it knows nothing of, and empty where nothing fits what was seen."""


@runtime_checkable
class HoldsBelief(Protocol):
    """A policy that knows what it believes at a decision, whatever the size of the game."""

    def believed(self, memory: Any, actions: Sequence[Any]) -> Mapping[Any, float]:
        """The states that may be true, with their probabilities; empty where nothing fits what was seen."""


def thinks(policy: Strategy) -> bool:
    """Whether a policy works out what to do when it is asked."""
    return isinstance(policy, Thinker) and policy.thinks


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


@runtime_checkable
class Mediator(Protocol):
    """One who draws what several players are told, together: `draws()` are the numbers of what may be drawn."""

    def draws(self) -> Dist[int]: ...

    def told(self, draw: int, player: int) -> AnyPolicy: ...


class Mediated(Mixed):
    """A mixed strategy that is a player's part of what a mediator draws; alone it is its `kinds`."""

    mediator: Mediator
    player: int


def drawn(policies: Sequence[Strategy], seats: Sequence[Rng]) -> list[AnyPolicy]:
    """What each of several policies turns out to be in one game; whom one mediator tells, it tells of one draw.

    Parameters
    ----------
    policies
        A policy or mixture for each player.
    seats
        Each one's source of chance; a mediator's is that of the first whom it tells.

    Returns
    -------
    list
        A policy for each player, none of them mixed.
    """
    kept: list[AnyPolicy] = []
    draws: dict[int, int] = {}
    for policy, seat in zip(policies, seats):
        if not isinstance(policy, Mixed):
            kept.append(Dist.sure(policy).sample(seat))
        elif isinstance(policy, Mediated):
            if id(policy.mediator) not in draws:
                draws[id(policy.mediator)] = policy.mediator.draws().sample(seat)
            kept.append(policy.mediator.told(draws[id(policy.mediator)], policy.player))
        else:
            kept.append(kinds(policy).sample(seat))
    return kept


def combinations(policies: Sequence[Strategy]) -> Iterator[tuple[list[AnyPolicy], float]]:
    """All that several policies may turn out to be, and how likely; whom one mediator tells, it tells of one draw.

    Parameters
    ----------
    policies
        A policy or mixture for each player.

    Yields
    ------
    tuple
        A policy for each player, none of them mixed, and a probability above 0.
    """
    mediators = list({id(p.mediator): p.mediator for p in policies if isinstance(p, Mediated)}.values())
    for draws in product(*(mediator.draws() for mediator in mediators)):
        told = {id(mediator): draw for mediator, (draw, _) in zip(mediators, draws)}
        listed = [
            Dist.sure(p.mediator.told(told[id(p.mediator)], p.player)) if isinstance(p, Mediated) else kinds(p)
            for p in policies
        ]
        for each in product(*listed):
            weight = prod(p for _, p in (*draws, *each))
            if weight > 0:
                yield [kind for kind, _ in each], weight
