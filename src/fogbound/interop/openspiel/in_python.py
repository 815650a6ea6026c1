"""A game of ours that is too large for a tree, or never ends, as a game in Python of OpenSpiel's.

Chance moves where something is drawn, and whoever moves at the same time chooses in the order of the players without
hearing of the others. An action's number is its place in the list of legal ones. What a player knows, its own actions
and all that it saw, is its information state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyspiel

from fogbound.core.dist import Dist
from fogbound.core.errors import LimitError, PolicyError
from fogbound.core.game import AnyGame, Observation, Outcome
from fogbound.core.policy import AnyPolicy
from fogbound.core.simulator import RuleSimulator
from fogbound.forms import words
from fogbound.forms.decisions import History
from fogbound.inference.seat import FittingCourse
from fogbound.interop.openspiel.imported import ask_player, remembered, require_player
from fogbound.naming.games import game as named

MOST_ACTIONS, MOST_OUTCOMES, MOST_STEPS = 1_000, 20_000, 10_000
NAME = "fogbound"


def _kind(players: int, game: str, why: str = "") -> Any:
    return pyspiel.GameType(
        short_name=NAME,
        long_name=f"Fogbound: {game} {why}".strip(),
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.REWARDS,
        max_num_players=players,
        min_num_players=1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        parameter_specification={"game": game},
    )


class FogboundGame(pyspiel.Game):  # type: ignore[misc]
    """A game of ours by its rules: ``pyspiel.load_game("fogbound", {"game": "king-up"})``, once this was imported.

    Parameters
    ----------
    params
        By OpenSpiel's custom: ``{"game": spec}``.
    ours
        The game, where it is at hand.
    why
        Why it is not a tree, for its long name.
    """

    def __init__(self, params: dict[str, Any] | None = None, ours: AnyGame | None = None, why: str = "") -> None:
        spec = (params or {}).get("game", "leduc")
        self.ours = named(spec) if ours is None else ours
        self.rules = RuleSimulator(self.ours)
        many = len(self.ours.players)
        info = pyspiel.GameInfo(
            num_distinct_actions=MOST_ACTIONS,
            max_chance_outcomes=MOST_OUTCOMES,
            num_players=many,
            min_utility=float("-inf"),
            max_utility=float("inf"),
            utility_sum=None,
            max_game_length=MOST_STEPS,
        )
        super().__init__(_kind(many, str(self.ours), why), info, params or {})

    def new_initial_state(self) -> FogboundState:
        return FogboundState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> None:
        """Strings are told by states; there are no tensors."""


class _Shared:
    """A value that is never changed, so that copies of a state share it: OpenSpiel copies all that states hold."""

    def __deepcopy__(self, memo: Any) -> _Shared:
        return self


@dataclass(frozen=True)
class _Rules(_Shared):
    """The game of ours and who asks it."""

    game: AnyGame
    asks: RuleSimulator


@dataclass(frozen=True)
class _Situation(_Shared):
    """How far a game has come."""

    drawing: Dist[Outcome[Any]] | None  # what chance is about to draw from
    state: Any = None
    actors: tuple[int, ...] = ()
    chosen: tuple[Any, ...] = ()  # what the first of them do
    known: tuple[tuple[Any, ...], ...] = ()  # by player: (own action or None, observation) of each step
    paid: tuple[float, ...] = ()
    latest: tuple[float, ...] = ()  # of it, by the last step
    scale: float = 1.0


class FogboundState(pyspiel.State):  # type: ignore[misc]
    """A state of ours on its way: chance to be drawn, somebody to choose, or the end.

    Parameters
    ----------
    game
        The game.
    """

    def __init__(self, game: FogboundGame) -> None:
        super().__init__(game)
        self.rules = _Rules(game.ours, game.rules)
        nothing = (0.0,) * len(game.ours.players)
        opening = game.rules.opening()
        self.now = _Situation(opening, known=((),) * len(nothing), paid=nothing, latest=nothing)
        self._settle()

    def current_player(self) -> int:
        now = self.now
        if now.drawing is not None:
            return int(pyspiel.PlayerId.CHANCE)
        return now.actors[len(now.chosen)] if now.actors else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        return self.now.drawing is None and not self.now.actors

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(place, p) for place, (_, p) in enumerate(self.now.drawing or ()) if p > 0]

    def _legal_actions(self, player: int) -> list[int]:
        return list(range(len(self._menu(player))))

    def _menu(self, player: int) -> tuple[Any, ...]:
        now = self.now
        menu = tuple(self.rules.asks.legal(now.state, now.actors)[now.actors.index(player)])
        if len(menu) > MOST_ACTIONS:
            raise LimitError(f"{self.rules.game}: {len(menu):,} legal actions, over the {MOST_ACTIONS:,} declared")
        return menu

    def _apply_action(self, action: int) -> None:
        now = self.now
        if now.drawing is not None:
            self._arrive(now.drawing.pairs[action][0])
            return
        chosen = (*now.chosen, self._menu(self.current_player())[action])
        self.now = replace(now, chosen=chosen)
        if len(chosen) == len(now.actors):
            self.now = replace(self.now, drawing=self.rules.asks.outcomes(now.state, chosen))
            self._settle()

    def _settle(self) -> None:
        """What is sure need not be drawn."""
        drawing = self.now.drawing
        if drawing is not None and len(drawing) == 1:
            self._arrive(drawing.pairs[0][0])

    def _arrive(self, outcome: Outcome[Any]) -> None:
        """A step of ours is over: everybody sees its own part of it, and is paid."""
        now, (game, asks) = self.now, (self.rules.game, self.rules.asks)
        own = dict(zip(now.actors, now.chosen))
        known = tuple((*past, (own.get(i), asks.observed(outcome, i))) for i, past in enumerate(now.known))
        latest = tuple(now.scale * reward for reward in asks.paid(outcome))
        paid = tuple(have + more for have, more in zip(now.paid, latest))
        scale = now.scale * (game.discount if now.known[0] else 1.0)
        self.now = _Situation(None, outcome.state, tuple(game.actors(outcome.state)), (), known, paid, latest, scale)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"outcome {action}" if player < 0 else self.rules.game.describe(self._menu(player)[action])

    def information_state_string(self, player: int | None = None) -> str:
        who = self.current_player() if player is None else player
        steps = [f"{'' if own is None else repr(own)}|{tuple(seen)!r}" for own, seen in self.now.known[who]]
        return f"{who}: " + " ".join(steps)

    def sit(self, state: Any, player: int, known: History) -> None:
        """Go to a state of ours at which `player` chooses and knows this; whoever chooses before it does anything."""
        game, asks = self.rules.game, self.rules.asks
        actors = tuple(game.actors(state))
        chosen = tuple(offered[0] for offered in asks.legal(state, actors)[: actors.index(player)])
        past = ((None, known[0]), *known[1:])
        everybody = tuple(past if i == player else () for i in range(len(game.players)))
        self.now = replace(self.now, drawing=None, state=state, actors=actors, chosen=chosen, known=everybody)

    def asked(self, policy: AnyPolicy, player: int) -> dict[int, float]:
        """What a policy of ours does here: the probability of every legal action, by its number."""
        (_, first), *rest = self.now.known[player]
        menu = self._menu(player)
        chosen = policy.act(remembered(policy, (first, *rest)), menu)
        return {number: chosen[move] for number, move in enumerate(menu)}

    def returns(self) -> list[float]:
        return list(self.now.paid)

    def rewards(self) -> list[float]:
        return list(self.now.latest)

    def __str__(self) -> str:
        return words.label(self.now.state) if self.now.known[0] else "before the start"


@dataclass(frozen=True, eq=False)
class PlayerInPython:
    """A policy or a bot of OpenSpiel's for a game of ours that went there as a game in Python, as a policy of ours.

    It is asked at a state that fits what its player knows; of the moves that led there the state knows nothing.

    Parameters
    ----------
    game
        The game in Python.
    player
        Who plays so, by index.
    plays
        The policy or the bot.
    """

    game: FogboundGame
    player: int
    plays: Any = field(repr=False)

    thinks = True

    def __post_init__(self) -> None:
        require_player(self.plays)

    def begin(self, observation: Observation) -> History:
        return (observation,)

    def update(self, memory: History, action: Any, observation: Observation) -> History:
        return (*memory, (action, observation))

    def act(self, memory: History, actions: Sequence[Any]) -> Dist[Any]:
        ours = self.game.ours
        state = FittingCourse(ours, self.player).last(memory, asked=True)
        if state is None:
            raise PolicyError(f"{ours}: no history was found that fits what player {self.player} knows")
        at = self.game.new_initial_state()
        at.sit(state, self.player, memory)
        chances = ask_player(self.plays, at, self.player)
        return Dist(tuple((move, chances[n]) for n, move in enumerate(actions) if chances.get(n, 0.0) > 0))


def python_game(game: AnyGame, why: str = "") -> FogboundGame:
    """A game of ours as one in Python.

    Parameters
    ----------
    game
        The game.
    why
        Why it is not a tree.
    """
    return FogboundGame({"game": str(game)}, game, why)


if NAME not in pyspiel.registered_names():
    pyspiel.register_game(_kind(10, "leduc"), FogboundGame)
