"""Hooks of sampling planners: their rollout policy, leaf values, initial values and preferred actions.

A hook is a function of the game's state and the player who moves, or a name. A name means what it means everywhere in
Fogbound: a policy (`uniform`, a solver's spec, `answer.npz`). What is made of it:

- A policy of the state (`value-iteration`, `minimax`) plays by it.
- Alpha vectors (`qmdp`, `fib`, `sarsop(policy=vectors)`) become action values Q(s, a), the best entry of an action's
  vectors at a state: the rollout policy and the preferred actions are greedy, a leaf is worth its best action.
- Any other policy (a controller, a strategy) plays by what its player saw. Planners on plain rules follow its memory
  in rollouts and at new nodes; it has no values.

Kernels ask tables (`hook_tables`), for which each state of an enumerated model is asked once.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from numbers import Real
from types import FunctionType, MethodType
from typing import Any, Protocol, TypeAlias

from fogbound.core.dist import Dist, Rng
from fogbound.core.errors import FogboundError, GameError, SpecError, brief, raised
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.solvers.search.named_hooks import FollowedPolicy, NamedHook, VectorHook, named_hook

AUTO, UNIFORM = "auto", "uniform"
INFORMED, ROLLOUT = "informed", "rollout"
HOOKS = ("rollout", "value", "initial", "prefer")
IN_PYTHON = "hooks are Python ({}): the model is stepped in Python too, without its compiled rules"


class RolloutPolicy(Protocol):
    """How a player goes on beyond the tree."""

    def __call__(self, state: Any, player: int, actions: Sequence[Hashable], /) -> Hashable | Dist[Hashable]:
        """One of the legal actions, or a `Dist` over them."""


class LeafValue(Protocol):
    """What a new node is worth."""

    def __call__(self, state: Any, player: int, /) -> float:
        """The player's return from a state on."""


class InitialValues(Protocol):
    """What is known of a new node's actions."""

    def __call__(self, state: Any, player: int, actions: Sequence[Hashable], /) -> Mapping[Hashable, float]:
        """The player's return after each legal action."""


class PreferredActions(Protocol):
    """Which of a new node's actions are tried first."""

    def __call__(self, state: Any, player: int, actions: Sequence[Hashable], /) -> Collection[Hashable]:
        """Some of the legal actions; none: no action is preferred."""


Hook: TypeAlias = RolloutPolicy | LeafValue | InitialValues | PreferredActions


@dataclass(frozen=True)
class Hooks:
    """The hooks that a planner was given, before there is a game.

    Parameters
    ----------
    who
        The planner's name, for messages.
    rollout, value, initial, prefer
        A function, or a name.
    """

    who: str
    rollout: str | RolloutPolicy = UNIFORM
    value: str | LeafValue = AUTO
    initial: str | InitialValues | None = AUTO
    prefer: str | PreferredActions | None = None

    def __post_init__(self) -> None:
        for name in HOOKS:
            given = self.given(name)
            optional = name in ("initial", "prefer") and given is None
            if not (isinstance(given, str) or callable(given) or optional):
                raise SpecError(f"{self.who}: {name} is {brief(given)}, expected a function, or the name of a policy")
        if self.rolls and self.value not in (AUTO, ROLLOUT):
            raise SpecError(
                f"{self.who}: rollout={self.said('rollout')} is never used with value={self.said('value')}, which "
                "values new nodes: leave one of them out"
            )

    def given(self, name: str) -> str | Hook | None:
        """The hook of this name, as it was given."""
        known = {"rollout": self.rollout, "value": self.value, "initial": self.initial, "prefer": self.prefer}
        return known[name]

    @property
    def rolls(self) -> bool:
        """Whether a rollout policy is given: then new nodes are rolled out."""
        return self.rollout != UNIFORM

    @property
    def values(self) -> bool:
        """Whether a leaf value is given, by name or as a function."""
        return self.value not in (AUTO, INFORMED, ROLLOUT)

    @property
    def leaf(self) -> str:
        """What values a new node where no leaf value is given: auto, informed or rollout."""
        return ROLLOUT if self.rolls or self.values else str(self.value)

    @property
    def any(self) -> bool:
        """Whether any hook is given."""
        return self.rolls or self.values or self.initial != AUTO or self.prefer is not None

    @property
    def named(self) -> bool:
        """Whether all hooks are names, so that a file can hold the planner's spec."""
        return all(self.given(name) is None or isinstance(self.given(name), str) for name in HOOKS)

    def said(self, name: str) -> str:
        """A hook in words."""
        given = self.given(name)
        return given if isinstance(given, str) else "none" if given is None else function_name(given)

    @property
    def all_said(self) -> str:
        """The hooks that are given, in words."""
        usual = {part.name: part.default for part in fields(self)}
        return ", ".join(f"{name}={self.said(name)}" for name in HOOKS if self.given(name) != usual[name])

    def leaf_words(self, own: str) -> str:
        """What values a new node, in words; `own` where no leaf value is given."""
        return self.said("value") if self.values else own

    def why_python(self, compiled: bool) -> str:
        """Why a model with compiled rules is stepped in Python all the same; empty where there is no reason."""
        return IN_PYTHON.format(self.all_said) if compiled and self.any else ""

    def refuse_informed(self) -> None:
        """Refuse `value=informed` for a planner that knows no bound of values."""
        if self.value == INFORMED:
            raise SpecError(f"{self.who}: value is 'informed', expected rollout, a function, or the name of a policy")

    def refuse(self, *names: str, why: str) -> None:
        """Refuse hooks that this planner has no use for with its other parameters."""
        usual = {part.name: part.default for part in fields(self)}
        for name in names:
            if self.given(name) not in (usual[name], None):
                raise SpecError(f"{self.who}: {name}={self.said(name)} has no use here: {why}")

    def on(self, game: AnyGame, players: Sequence[int], others: Mapping[int, Strategy] | None = None) -> GameHooks:
        """The hooks in a game.

        Parameters
        ----------
        game
            The game.
        players
            Whose decisions are searched.
        others
            How the others play, where they are modelled.

        Returns
        -------
        GameHooks

        Raises
        ------
        SpecError
            A name means no policy here, or one that has no values.
        """
        known = dict[tuple[str, int], NamedHook]()

        def made(name: str, usual: tuple[str | None, ...]) -> Any:
            given = self.given(name)
            if given in usual:
                return None
            if not isinstance(given, str):
                return Checked(self.who, name, given, game)
            for player in players:
                if (given, player) not in known:
                    known[given, player] = named_hook(self.who, name, given, game, player, others or {})
            return ByPlayer(name, {player: known[given, player] for player in players})

        return GameHooks(
            made("rollout", (UNIFORM,)),
            made("value", (AUTO, INFORMED, ROLLOUT)),
            made("initial", (AUTO, None)),
            made("prefer", (None,)),
        )


NO_HOOKS = Hooks("a planner")


@dataclass(frozen=True)
class GameHooks:
    """Hooks in a game, each checked; None where there is none."""

    rollout: ByPlayer | Checked | None = None
    value: ByPlayer | Checked | None = None
    initial: ByPlayer | Checked | None = None
    preferred: ByPlayer | Checked | None = None

    @property
    def followed(self) -> FollowedPolicy | None:
        """The policy whose memory a search must follow, where one of these plays by what was seen."""
        for hook in (self.rollout, self.preferred):
            if isinstance(hook, ByPlayer):
                for one in hook.by_player.values():
                    if isinstance(one, FollowedPolicy):
                        return one
        return None


class ByPlayer:
    """A named hook of several players."""

    def __init__(self, name: str, by_player: Mapping[int, NamedHook]) -> None:
        self.by_player, self.by_label = by_player, any(isinstance(one, VectorHook) for one in by_player.values())
        self.follows = any(isinstance(one, FollowedPolicy) for one in by_player.values())
        self._asked = {player: one.hook(name) for player, one in by_player.items()}

    def __call__(self, state: Any, player: int, *actions: Any) -> Any:
        return self._asked[player](state, player, *actions)


class Checked:
    """A person's function: what it returns is checked, and what is wrong is said in one line."""

    def __init__(self, who: str, name: str, function: Any, game: AnyGame) -> None:
        self.who, self.name, self.function, self.game = who, name, function, game
        self.by_label = self.follows = False

    def __call__(self, state: Any, player: int, *actions: Any) -> Any:
        try:
            found = self.function(state, player, *actions)
        except FogboundError:
            raise
        except Exception as error:
            raise GameError(f"{self._called} raised {raised(error)}") from error
        if self.name == "rollout":
            return self._dist(found, *actions)
        if self.name == "value":
            return self._number(found)
        return self._numbers(found, *actions) if self.name == "initial" else self._some(found, *actions)

    @property
    def _called(self) -> str:
        return f"{self.game}: the {self.name} function {function_name(self.function)} of {self.who}"

    def _dist(self, found: Any, actions: Sequence[Hashable]) -> Dist[Hashable]:
        dist = found if isinstance(found, Dist) else Dist.sure(found)
        strange = next((action for action in dist.support() if action not in actions), None)
        if strange is not None:
            raise GameError(f"{self._called} returned {brief(strange)}, expected one of {brief(list(actions))}")
        return dist

    def _number(self, found: Any) -> float:
        if not isinstance(found, Real) or isinstance(found, bool) or not isfinite(found):
            raise GameError(f"{self._called} returned {brief(found)}, expected a finite number")
        return float(found)

    def _numbers(self, found: Any, actions: Sequence[Hashable]) -> dict[Hashable, float]:
        if not isinstance(found, Mapping) or not all(action in found for action in actions):
            raise GameError(f"{self._called} returned {brief(found)}, expected a number for each of {brief(actions)}")
        return {action: self._number(found[action]) for action in actions}

    def _some(self, found: Any, actions: Sequence[Hashable]) -> Collection[Hashable]:
        if isinstance(found, str) or not isinstance(found, Collection):
            raise GameError(f"{self._called} returned {brief(found)}, expected a list of actions")
        strange = next((action for action in found if action not in actions), None)
        if strange is not None:
            raise GameError(f"{self._called} returned {brief(strange)}, expected some of {brief(list(actions))}")
        return found


def function_name(function: object) -> str:
    """The name of a function, or of the class of another callable."""
    return function.__qualname__ if isinstance(function, FunctionType | MethodType) else type(function).__name__


def likeliest(chosen: Hashable | Dist[Hashable]) -> Hashable:
    """The likeliest action of a rollout policy, of equals the first."""
    return max(chosen.pairs, key=lambda pair: pair[1])[0] if isinstance(chosen, Dist) else chosen


def drawn_action(dist: Dist[Hashable], rng: Rng) -> Hashable:
    """An action of a rollout policy; nothing is drawn where there is no choice."""
    return dist.pairs[0][0] if len(dist.pairs) == 1 else dist.sample(rng)
