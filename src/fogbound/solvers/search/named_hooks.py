"""What the name of a policy means as a hook: alpha vectors, a policy of the state, or one that is followed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property
from math import inf
from typing import Any, NoReturn

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.errors import FogboundError, SpecError
from fogbound.core.game import AnyGame
from fogbound.core.policy import AnyPolicy, Mixed, Policy, Strategy
from fogbound.core.registry import located
from fogbound.core.spec import parse
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.solve import run_solver
from fogbound.forms.arrays import Floats
from fogbound.forms.protocol import OTHERS, Question, derive
from fogbound.forms.table import Table
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.perfect_information import MarkovPolicy, StatePolicy
from fogbound.policies.uniform import Uniform
from fogbound.solvers import SOLVERS

LIMITS = Until(relative=1e-3, seconds=60.0, default=True)  # of a solver that a hook names


class NamedHook(ABC):
    """What a name came to, for one player: the hooks that it can be, and why it cannot be another."""

    def __init__(self, who: str, said: str) -> None:
        self.who, self.said = who, said

    @abstractmethod
    def rollout(self, state: Any, player: int, actions: Sequence[Hashable]) -> Dist[Hashable]:
        """What it plays in a state."""

    def value(self, state: Any, player: int) -> float:  # noqa: ARG002
        """What a state is worth."""
        raise self.lacks("value")

    def initial(self, state: Any, player: int, actions: Sequence[Hashable]) -> Mapping[Hashable, float]:  # noqa: ARG002
        """What each action is worth."""
        raise self.lacks("initial")

    def prefer(self, state: Any, player: int, actions: Sequence[Hashable]) -> Collection[Hashable]:
        """What it may play."""
        return self.rollout(state, player, actions).support()

    def hook(self, name: str) -> Any:
        """The function of this hook."""
        self.require(name)
        known = {"rollout": self.rollout, "value": self.value, "initial": self.initial, "prefer": self.prefer}
        return known[name]

    def require(self, hook: str) -> None:
        """Refuse a hook that this cannot be."""
        if hook in ("value", "initial"):
            raise self.lacks(hook)

    def lacks(self, hook: str) -> SpecError:
        """Why this cannot be a hook."""
        return SpecError(
            f"{self.who}: {hook}={self.said} names a policy without values; name one with alpha vectors, such as qmdp "
            "or fib, or give a function"
        )


class StateHook(NamedHook):
    """A policy that plays by the state."""

    def __init__(self, who: str, said: str, choose: Callable[[Any, Sequence[Hashable]], Dist[Hashable]]) -> None:
        super().__init__(who, said)
        self.choose = choose

    def rollout(self, state: Any, player: int, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        return self.choose(state, actions)


class FollowedPolicy(NamedHook):
    """A policy that plays by what its player saw: a search follows its memory, and asks `chosen`."""

    def __init__(self, who: str, said: str, policy: AnyPolicy) -> None:
        super().__init__(who, said)
        self.policy = policy
        self._chosen: dict[tuple[Any, tuple[Hashable, ...]], Dist[Hashable]] = {}
        self._after: dict[tuple[Any, Hashable | None, Any], Any] = {}

    def chosen(self, memory: Any, actions: tuple[Hashable, ...]) -> Dist[Hashable]:
        """What it plays."""
        found = self._chosen.get((memory, actions))
        if found is None:
            found = self._chosen[memory, actions] = self.policy.act(memory, actions)
        return found

    def after(self, steps: Sequence[tuple[Hashable | None, Any]]) -> Any:
        """What it remembers after a history."""
        (_, first), *rest = steps
        memory = self.policy.begin(first)
        for action, seen in rest:
            memory = self.update(memory, action, seen)
        return memory

    def update(self, memory: Any, action: Hashable | None, seen: Any) -> Any:
        """What it remembers one step later."""
        key = memory, action, seen
        if key not in self._after:
            self._after[key] = self.policy.update(memory, action, seen)
        return self._after[key]

    def rollout(self, state: Any, player: int, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        self.refuse()

    def refuse(self) -> NoReturn:
        """Say that a search cannot follow it."""
        raise SpecError(
            f"{self.who} cannot follow {self.said}: it plays by what its player saw, and this search knows states "
            "alone; pomcp follows it in the rules of a game, and alpha vectors (qmdp, fib) or a function of the state "
            "serve everywhere"
        )


class VectorHook(NamedHook):
    """Alpha vectors as action values of states: Q(s, a), as if the state were seen.

    Parameters
    ----------
    who, said
        For messages.
    policy
        The vectors.
    """

    def __init__(self, who: str, said: str, policy: AlphaVectors) -> None:
        super().__init__(who, said)
        self.policy = policy
        form = policy.pomdp
        self.q = np.full((form.size, len(form.actions)), -inf)  # [state, action]
        for action in np.unique(policy.actions[policy.actions >= 0]).tolist():
            self.q[:, action] = policy.vectors[policy.actions == action].max(axis=0)

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        form = self.policy.pomdp
        return {form.label(s): s for s in range(form.size)}

    @cached_property
    def _codes(self) -> dict[Hashable, int]:
        return {action: code for code, action in enumerate(self.policy.pomdp.actions)}

    def _place(self, state: Any) -> int | None:
        """The number of a state; None where nothing is left to be paid."""
        if state not in self._places and len(self.policy.pomdp.players) > 1:
            raise SpecError(
                f"{self.who} cannot use {self.said} on plain rules: its vectors are over the others' memories"
            )
        return self._places.get(state)

    def action_values(self, state: Any, actions: Sequence[Hashable]) -> Floats:
        """[action] in a state."""
        place = self._place(state)
        if place is None:
            return np.zeros(len(actions))
        found: Floats = self.q[place, [self._codes[action] for action in actions]]
        return found

    def rollout(self, state: Any, player: int, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        return Dist.sure(actions[int(self.action_values(state, actions).argmax())])

    def value(self, state: Any, player: int) -> float:  # noqa: ARG002
        place = self._place(state)
        best = 0.0 if place is None else float(self.q[place].max())
        return best if best > -inf else 0.0  # where it does not move, or play is over

    def initial(self, state: Any, player: int, actions: Sequence[Hashable]) -> Mapping[Hashable, float]:  # noqa: ARG002
        return dict(zip(actions, self.action_values(state, actions).tolist()))

    def require(self, hook: str) -> None:
        """Vectors can be any hook."""


def named_hook(who: str, hook: str, name: str, game: AnyGame, player: int, others: Mapping[int, Strategy]) -> NamedHook:
    """What a name means as a hook for a player of a game."""
    try:
        policy = _named_policy(name, game, player, others)
    except FogboundError as error:
        raise SpecError(f"{who}: {hook}={name}: {error}") from error
    if isinstance(policy, AlphaVectors):
        return VectorHook(who, name, policy)
    if isinstance(policy, Uniform):
        return StateHook(who, name, lambda _, actions: Dist.uniform(actions))
    if isinstance(policy, MarkovPolicy):
        markov, (table, number) = policy, policy.form.enumerated
        return _by_number(who, name, table, lambda state, _: markov.at(int(number[state])))
    if isinstance(policy, StatePolicy):
        if isinstance(policy.game, Table):
            return _by_number(who, name, policy.game, policy.choose)
        return StateHook(who, name, policy.choose)
    if isinstance(policy, Mixed) or not isinstance(policy, Policy):
        raise SpecError(f"{who}: {hook}={name} is drawn from several policies, expected one")
    return FollowedPolicy(who, name, policy)


def _by_number(who: str, name: str, table: Table, choose: Callable[[int, Sequence[Any]], Dist[Any]]) -> StateHook:
    """A policy that plays by the number of a state in a table."""
    numbers = {label: number for number, label in enumerate(table.states)}
    return StateHook(who, name, lambda state, actions: choose(numbers[state], actions))


def _named_policy(name: str, game: AnyGame, player: int, others: Mapping[int, Strategy]) -> Strategy:
    """The policy of a name; a solver that answers given opponents answers those that the planner models."""
    spec = parse(name).name if not name.endswith((".npz", ".csv", ".json")) and "/" not in name else ""
    if len(game.players) > 1 and spec in SOLVERS and SOLVERS.load(spec).form.against == OTHERS:
        rest = [other for other in range(len(game.players)) if other != player]
        question = Question(player, others or dict.fromkeys(rest, Uniform()))
        solver = SOLVERS.make(name)
        found = run_solver(solver, lambda: derive(game, solver.form, question), RunOptions(LIMITS, check_seconds=None))
        return found.profile[player]
    policy: Strategy = located("fogbound.naming.policies:policy")(name, game, player)
    return policy
