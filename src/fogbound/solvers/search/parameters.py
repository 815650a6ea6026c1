"""Parameters that sampling planners share: declared, described and checked once.

A solver lists the fields that it has, in the order of its spec and with its defaults; what its own docstring does not
describe is described here (`core.parameter_docs`).
"""

from __future__ import annotations

from math import inf
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from fogbound.core.errors import SpecError, brief
from fogbound.core.spec import spec_of
from fogbound.solvers.search.budget import simulations_for
from fogbound.solvers.search.hooks import Hooks, InitialValues, LeafValue, PreferredActions, RolloutPolicy


class SearchParameters:
    """How much a planner searches for a decision.

    Parameters
    ----------
    simulations
        For a decision; none: 1,000, or as many as fit into `seconds` where those are given.
    depth
        Steps of one simulation.
    seconds
        To search for a decision; where `simulations` are given too, both limits hold. 0: no limit of time.
    particles
        States that the belief may hold; beyond that they are a sample.
    games
        Played to estimate what the search earns.
    """

    name: ClassVar[str]
    usual: ClassVar[int]  # simulations, where no limit is given

    simulations: int | None
    seconds: float

    def __post_init__(self) -> None:
        require_search_parameters(self.name, type(self), vars(self))
        self.hooks()

    def hooks(self) -> Hooks:
        """Its hooks, before there is a game."""
        return Hooks(self.name)

    @property
    def for_a_decision(self) -> int:
        """Simulations of a decision."""
        return simulations_for(self.simulations, self.seconds, self.usual)

    @property
    def stored_as(self) -> str:
        """The spec by which its planners are saved; empty where a hook is a function."""
        return spec_of(self) if self.hooks().named else ""


class HookParameters(SearchParameters):
    """How a planner with hooks chooses actions and values new nodes.

    Parameters
    ----------
    exploration
        How much UCB1 favours actions seldom tried, in units of `spread`.
    spread
        Best minus worst return, to which UCB1 is scaled; 0: as met so far in the search.
    rollout
        How players go on beyond the tree: a function (`RolloutPolicy`), or the name of a policy of the state.
    value
        What a new node is worth: a function (`LeafValue`), the name of a policy with alpha vectors, or rollout (auto).
    initial
        What is known of a new node's actions, the mean over the states that come there: a function (`InitialValues`),
        or the name of a policy with alpha vectors; auto, none: nothing.
    prefer
        Actions of a new node that are tried before any other: a function (`PreferredActions`), the name of a policy of
        the state, or none.
    prior
        Tries that the initial value of an action counts for, and that a preferred action has before any other.
    final
        The action that is played: tried most (visits) or of the highest mean (value).
    reuse
        Go on from the subtree of the action that was taken and of what was seen, its statistics kept.
    """

    rollout: str | RolloutPolicy
    value: str | LeafValue
    initial: str | InitialValues | None
    prefer: str | PreferredActions | None
    prior: float

    def hooks(self) -> Hooks:
        """Its hooks, before there is a game."""
        return Hooks(self.name, self.rollout, self.value, self.initial, self.prefer)


def require_search_parameters(who: str, kind: type, given: dict[str, Any]) -> None:
    """Refuse what no search can be made with, and words that a field's type does not list, in one line."""
    for name in ("simulations", "depth", "particles", "rollouts", "games", "cap"):
        if given.get(name) is not None and given[name] < 1:
            raise SpecError(f"{who}: {name} is {given[name]}, expected 1 or more")
    for name in ("exploration", "spread", "floor", "seconds", "megabytes"):
        if name in given and not 0 <= given[name] < inf:
            raise SpecError(f"{who}: {name} is {given[name]}, expected a number of 0 or more")
    if "prior" in given and not 0 < given["prior"] < inf:
        raise SpecError(f"{who}: prior is {given['prior']}, expected a number above 0")
    if "share" in given and not 0 < given["share"] <= 1:
        raise SpecError(f"{who}: share is {given['share']}, expected a number above 0 and at most 1")
    for name, hint in get_type_hints(kind).items():
        words = get_args(hint)
        if get_origin(hint) is Literal and given[name] not in words:
            expected = f"expected {', '.join(words[:-1])} or {words[-1]}"
            raise SpecError(f"{who}: {name} is {brief(given[name])}, {expected}")
