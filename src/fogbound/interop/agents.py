"""A trained agent as a policy: what learned in an environment can be matched, evaluated and exploited here.

Any function will do that takes what the environment shows and says what to do. It is shown the same here, by the same
view; what it is asked does not depend on anything else, so that what is evaluated is what was trained.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError, SpecError, brief
from fogbound.core.game import Observation
from fogbound.interop.learner_view import LearnerView, Shown

ROUNDING = 1e-5  # how far the probabilities of a network in single precision may be from 1 in sum

Choose = Callable[[Shown], Any]  # what is shown -> an action's number, or the probability of each
Trained = Choose | NDArray[Any]  # a function, or all its answers as an array


@runtime_checkable
class Wraps(Protocol):
    """An environment of Gymnasium's or PettingZoo's, which may stand around another."""

    @property
    def unwrapped(self) -> Any: ...


@runtime_checkable
class HasViews(Protocol):
    """An environment of ours: it holds a view for each player that learns in it."""

    @property
    def views(self) -> Mapping[str, LearnerView]: ...


@dataclass(frozen=True, eq=False)
class TrainedAgent:
    """A policy that asks a function, and shows it what its environment would. Memory is the view's.

    Parameters
    ----------
    view
        What it is shown.
    choose
        From what is shown to an action's number, or to the probability of each action.
    masked
        Whether the probability of what is not legal is struck out, and the rest scaled up; otherwise it is an error.
    """

    view: LearnerView = field(repr=False)
    choose: Choose = field(repr=False)
    masked: bool = False

    def begin(self, observation: Observation) -> Any:
        return self.view.begin(observation)

    def update(self, memory: Any, action: Hashable | None, observation: Observation) -> Any:
        return self.view.update(memory, action, observation)

    def act(self, memory: Any, actions: Sequence[Hashable]) -> Dist[Hashable]:
        legal = tuple(actions)
        shown = self.view.shown(memory, legal)
        answer = np.asarray(self.choose(shown))
        if answer.size == 1 and np.issubdtype(answer.dtype, np.integer):
            return Dist.sure(self._one(int(answer.reshape(())), legal))
        if answer.shape != (self.view.size,) or not np.issubdtype(answer.dtype, np.floating):
            raise PolicyError(
                f"a trained agent answers {brief(answer.tolist())}, expected the number of an action, or "
                f"{self.view.size} probabilities"
            )
        return self._drawn(answer.astype(np.float64), shown["action_mask"] > 0)

    def _one(self, number: int, legal: tuple[Hashable, ...]) -> Hashable:
        place = self.view.chosen(number, legal)
        if place is None:
            raise PolicyError(self.view.refused(number, legal))
        return legal[place]

    def _drawn(self, probabilities: Any, legal: Any) -> Dist[Hashable]:
        if not (probabilities >= 0).all() or abs(probabilities.sum() - 1.0) > ROUNDING:
            raise PolicyError(f"a trained agent answers {brief(probabilities.tolist())}, expected probabilities")
        astray = float(probabilities[~legal].sum())
        if astray > 0 and not self.masked:
            raise PolicyError(
                f"{self.view.game}: {self.view.name} does what is not legal with probability {astray:.3g}; mask it "
                "in the agent (see action_mask), or say masked=True"
            )
        kept = np.where(legal, probabilities, 0.0)
        if not kept.sum() > 0:
            raise PolicyError(f"{self.view.game}: {self.view.name} does nothing that is legal with any probability")
        return Dist.weighted([(self.view.actions[a], float(kept[a])) for a in np.flatnonzero(kept)])


def trained_agent(
    choose: Trained, source: LearnerView | HasViews | Any, player: int | str | None = None, *, masked: bool = False
) -> TrainedAgent:
    """Make a policy of a trained agent.

    Parameters
    ----------
    choose
        Any function from what the environment shows, ``{"observation": …, "action_mask": …}``, to the number of an
        action or to the probability of each. It must answer the same whenever it is shown the same: what draws hands
        over its probabilities. Or an array that the observation is an index of: action numbers, or with one more axis
        the probability of each action, as a table that was trained on information sets or last observations is.
    source
        The environment or batch that it was trained in, wrapped or not, or a `view`.
    player
        Whose seat it plays, by index or name; the environment's own, where that is one seat alone.
    masked
        Strike out the probability of what is not legal and scale the rest up, as many learners do; otherwise that is an
        error. An illegal action always is.

    Returns
    -------
    TrainedAgent
        A policy: `match`, `evaluate`, `solve(against=)` and all else take it.

    Raises
    ------
    SpecError
        The source is no environment of Fogbound, or it is not said whose seat is meant.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound import interop
    >>> view = interop.view("kuhn", 0)
    >>> first = interop.agent(lambda shown: shown["action_mask"].argmax(), view)
    >>> fb.evaluate("kuhn", first, "uniform").values
    (-0.5, 0.5)
    """
    view = _view(source, player)
    return TrainedAgent(view, _lookup(choose, view) if isinstance(choose, np.ndarray) else choose, masked)


def _view(source: LearnerView | HasViews | Any, player: int | str | None) -> LearnerView:
    """The seat that is meant."""
    if isinstance(source, LearnerView):
        return source
    inner = source.unwrapped if isinstance(source, Wraps) else source
    if not isinstance(inner, HasViews):
        raise SpecError(f"found {brief(source)}, expected an environment of fogbound.interop, or a view")
    views = inner.views
    if player is None and len(views) == 1:
        return next(iter(views.values()))
    for name, seat in views.items():
        if player == name or (player == seat.player and not isinstance(player, bool)):
            return seat
    raise SpecError(f"player is {brief(player)}, expected one of the environment's: {', '.join(views)}")


def _lookup(table: NDArray[Any], view: LearnerView) -> Choose:
    """An array of answers as a function of what is shown."""
    drawn = np.issubdtype(table.dtype, np.floating)
    if drawn and table.shape[-1:] != (view.size,):
        raise SpecError(
            f"an array of shape {table.shape}, expected {view.size} probabilities along the last axis, one for each "
            f"action of {view.name}"
        )
    axes = table.ndim - 1 if drawn else table.ndim

    def choose(shown: Shown) -> Any:
        place = tuple(np.atleast_1d(shown["observation"]).tolist())
        if len(place) != axes or any(not 0 <= k < size for k, size in zip(place, table.shape)):
            raise PolicyError(f"an array of shape {table.shape} has no entry for observation {brief(place)}")
        return table[place]

    return choose
