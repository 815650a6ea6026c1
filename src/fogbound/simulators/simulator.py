"""A simulator: a model of one player that can be sampled and need not be written down.

`Game` lists the outcomes of every step. A simulator draws one of them, which is all that a physics engine, a program
from elsewhere or a model with continuous states and observations can do. Planners that only sample need no more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from fogbound.core.board import Board
from fogbound.core.drawing import Drawing
from fogbound.core.errors import FormError
from fogbound.core.record import GameRecord
from fogbound.core.spec import spec_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from fogbound.compiled.sampled_rules import SampledRules


class Simulator(ABC):
    """A model of one player, as a generative model: `initial` and `step` draw.

    Authors write a class (a frozen dataclass where it has parameters) with two methods and a list of actions. States
    may be anything, also numpy arrays; no method may change the state that it is given. Observations are hashable
    values or arrays. All that is drawn comes from `rng`, so that the same seed gives the same result.

    What a class declares:

    - `actions`: a list, or a method `actions(state)`, which must follow from what the player knows.
    - `initial(rng)`: draws the state in which an episode begins. Nothing is seen of it.
    - `step(state, action, rng)`: draws ``(next state, observation, reward, done)``.
    - `discount`: step t pays discount**t.

    What it may declare:

    - `observation_density(state, action, next_state, observation)`: how likely the observation is, up to a factor that
      depends on the observation alone. Needed by `pomcpow` and `pft-dpw`, and for beliefs over continuous observations.
    - `value(state)`: an estimate of the return from a state on, by which planners value new nodes. Without it they play
      out.
    - `upper(state)`: an upper bound of the return from a state on, for one who sees everything. Needed by `despot`.
    - `lower(state)`: a lower bound: the return of some policy that does not look at the state. `despot` begins with it.
    - `rollout(state, rng)`: the action of the rollout policy; any legal action by default.
    - `compiled_rules()`: the same as compiled functions on rows of numbers (`fogbound.compiled.sampled_rules`).
    - `players`, `record`, `describe(action)`, `board(state, player)`, `draw(state, player)`: as in `Game`.

    Examples
    --------
    >>> from math import exp
    >>> import fogbound as fb
    >>> class Thermostat(fb.Simulator):
    ...     actions = ["heat", "wait"]
    ...     discount = 0.9
    ...     def initial(self, rng):
    ...         return rng.normal(18.0, 2.0)
    ...     def step(self, state, action, rng):
    ...         state = state + (action == "heat") - 0.5
    ...         return state, state + rng.normal(), -abs(state - 20.0), False
    ...     def observation_density(self, state, action, next_state, observation):
    ...         return exp(-((observation - next_state) ** 2) / 2)
    >>> fb.game(Thermostat()).players
    ('agent',)
    """

    name: ClassVar[str] = ""
    record: ClassVar[GameRecord] = GameRecord()
    players: tuple[str, ...] = ("agent",)
    discount: float = 1.0
    actions: Any = ()

    @abstractmethod
    def initial(self, rng: Generator) -> Any:
        """Draw the state in which an episode begins."""

    @abstractmethod
    def step(self, state: Any, action: Any, rng: Generator) -> tuple[Any, Any, float, bool]:
        """Draw the next state, what is seen of it, the reward, and whether the episode is over."""

    def observation_density(self, state: Any, action: Any, next_state: Any, observation: Any) -> float:  # noqa: ARG002
        """How likely an observation is after a step, up to a factor that depends on the observation alone."""
        raise self._lacks("observation_density")

    def value(self, state: Any) -> float:  # noqa: ARG002
        """An estimate of the return from a state on."""
        raise self._lacks("value")

    def upper(self, state: Any) -> float:  # noqa: ARG002
        """An upper bound of the return from a state on, for one who sees everything."""
        raise self._lacks("upper")

    def lower(self, state: Any) -> float:  # noqa: ARG002
        """A lower bound of the return from a state on: that of some policy that does not look at the state."""
        raise self._lacks("lower")

    def _lacks(self, method: str) -> FormError:
        return FormError(f"{self} has no {method}: write the method, or ask has_{method.split('_')[-1]} before")

    def rollout(self, state: Any, rng: Generator) -> Any:
        """The action of the rollout policy: any legal action by default."""
        legal = self.legal(state)
        return legal[int(rng.random() * len(legal))]

    def describe(self, action: Any) -> str:
        """An action in words."""
        return str(action)

    def board(self, state: Any, player: int | None = None) -> Board | None:
        """The state as the player sees it, or everything when `player` is None. None = nothing to draw."""
        return Board.of_text(str(state)) if player is None else None

    def draw(self, state: Any, player: int | None = None) -> Drawing:
        """The state as a picture: the board by default."""
        board = self.board(state, player)
        return (Board.of_text("") if board is None else board).draw()

    def compiled_rules(self) -> SampledRules | None:
        """The same model as compiled functions on rows of numbers, by which planners step a hundred times as fast.

        None by default: every simulator can do without. `ArraySimulator` is written as these alone.
        """
        return None

    def legal(self, state: Any) -> Sequence[Any]:
        """The actions of a state, as the author lists them."""
        offered: Sequence[Any] = self.actions(state) if callable(self.actions) else self.actions
        return offered

    @property
    def has_density(self) -> bool:
        """Whether it declares `observation_density`."""
        return type(self).observation_density is not Simulator.observation_density

    @property
    def has_value(self) -> bool:
        """Whether it declares `value`."""
        return type(self).value is not Simulator.value

    @property
    def has_upper(self) -> bool:
        """Whether it declares `upper`."""
        return type(self).upper is not Simulator.upper

    @property
    def has_lower(self) -> bool:
        """Whether it declares `lower`."""
        return type(self).lower is not Simulator.lower

    @property
    def has_rollout(self) -> bool:
        """Whether it declares `rollout`."""
        return type(self).rollout is not Simulator.rollout

    def __str__(self) -> str:
        return spec_of(self)
