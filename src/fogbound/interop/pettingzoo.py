"""All seats of a game as a PettingZoo environment: one agent after the other (AEC), or all at once (parallel).

Needs the extra `fogbound[environments]`. Agents have the names of the game's players. Who moves simultaneously moves
one after the other in an AEC environment and sees nothing of the others' moves; who is not asked waits in a parallel
one. An agent whose player never moves has one action, to wait, which an AEC environment never asks for.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.arena.episode import MOST_STEPS
from fogbound.core.errors import PolicyError
from fogbound.interop.course import Course, Ledger
from fogbound.interop.extra import environments_extra
from fogbound.interop.learner_view import LearnerView, Shown, price_of
from fogbound.interop.rendering import MODES, rendered, require_mode
from fogbound.interop.views import (
    MOST_STATES,
    Observing,
    Others,
    believed_strategies,
    enumerate_game,
    is_ever_idle,
    over_at_start,
    require_start,
    view_of,
)
from fogbound.naming.games import GameLike
from fogbound.naming.games import game as game_named

with environments_extra():
    from pettingzoo import AECEnv, ParallelEnv

METADATA: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 2, "is_parallelizable": False}


class _Seats:
    """What both environments share: the play, what every agent remembers and is owed.

    Parameters
    ----------
    source
        Whatever `fogbound.game` takes.
    waits
        Whether agents that are never idle apart have an action for waiting.
    observing, others, actions, most_steps, limit, render_mode
        As for the environments.
    """

    def __init__(
        self,
        source: GameLike,
        waits: bool,
        observing: Observing,
        others: Others | None,
        actions: Sequence[Hashable] | None,
        most_steps: int,
        limit: int,
        render_mode: str | None,
    ) -> None:
        require_mode(render_mode)
        self.game, self.most_steps, self.render_mode = game_named(source), most_steps, render_mode
        form = enumerate_game(self.game, observing, actions, limit)
        require_start(form)
        self.course = Course(self.game if form is None else form)
        self.views: list[LearnerView] = []
        for i in range(len(self.game.players)):
            believed = believed_strategies(self.game, observing, others, i)
            idle = waits and is_ever_idle(form, i)
            self.views.append(view_of(self.game, form, i, observing, believed, actions, idle, most_steps))
        self.ledgers = [Ledger(self.game.discount, told_at_first=True) for _ in self.views]
        self.memories: list[Any] = []
        self.chosen: dict[int, int] = {}  # in a step that is not complete: who has moved, by place
        self.rng: np.random.Generator | None = None
        self.done = True

    def begin(self, seed: int | None) -> None:
        """Deal. Without a seed the numbers go on where they were, and begin anywhere the first time."""
        if seed is not None or self.rng is None:
            self.rng = np.random.default_rng(seed)
        self.course.begin(self.rng)
        if self.course.over:  # in a game that was not enumerated
            raise over_at_start(str(self.game))
        self.chosen, self.done = {}, False
        self.memories = [view.begin(self.course.seen(i)) for i, view in enumerate(self.views)]
        for ledger, reward in zip(self.ledgers, self.course.rewards):
            ledger.begin(reward)

    def step(self, places: Sequence[int]) -> None:
        """One step of the game: the actors do what stands at these places among their legal actions."""
        course = self.course
        assert self.rng is not None
        did = {i: legal[place] for i, legal, place in zip(course.actors, course.legal, places)}
        course.step(places, self.rng)
        self.chosen = {}
        for i, view in enumerate(self.views):
            self.memories[i] = view.update(self.memories[i], did.get(i), course.seen(i))
            self.ledgers[i].step(course.rewards[i])
        self.done = course.over or self.cut

    def forfeit(self, player: int, price: float) -> None:
        """Whoever did what is not legal pays for it, and all is over."""
        for i, ledger in enumerate(self.ledgers):
            ledger.step(price if i == player else 0.0)
        self.done = True

    @property
    def cut(self) -> bool:
        return not self.course.over and self.course.time >= self.most_steps

    def shown(self, player: int) -> Shown:
        """What a player is shown; who has moved, in a step that is not complete, is not asked any more."""
        return self.views[player].shown(self.memories[player], self.legal(player), self.done)

    def legal(self, player: int) -> tuple[Hashable, ...]:
        return () if player in self.chosen else self.course.legal_of(player)

    def picture(self) -> Any:
        """All that there is to see, as spectators do."""
        if self.render_mode is None:
            return None
        return rendered(self.game, self.course.label, None, self.render_mode)


class _Seated:
    """What both environments are to their library: agents by name, their spaces, pictures; made in one way."""

    metadata: dict[str, Any] = METADATA
    waits: bool  # whether agents that are not asked have an action for it

    def __init__(
        self,
        game: GameLike,
        *,
        observing: Observing = "history",
        others: Others | None = None,
        forfeit: float | None = None,
        actions: Sequence[Hashable] | None = None,
        most_steps: int = MOST_STEPS,
        limit: int = MOST_STATES,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._seats = _Seats(game, self.waits, observing, others, actions, most_steps, limit, render_mode)
        self.game, self.render_mode, self.forfeit = self._seats.game, render_mode, forfeit
        self.metadata = {**METADATA, "name": str(self.game)}
        self.views = {view.name: view for view in self._seats.views}
        self.possible_agents = list(self.game.players)
        self.observation_spaces = {name: view.space for name, view in self.views.items()}
        self.action_spaces = {name: view.action_space for name, view in self.views.items()}
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def render(self) -> Any:
        """All that there is to see, as `render_mode` says; None without one."""
        return self._seats.picture()

    def close(self) -> None:
        """Nothing is held open."""


class TurnsEnv(_Seated, AECEnv):
    """All players of a game, one after the other.

    `last()` gives what was paid since the agent's own last decision, discounted to that decision, and
    ``info["discount"]`` how much all that follows counts: 1 unless the game discounts.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes.
    observing
        What agents are shown: ``"observation"``, ``"history"``, ``"information-set"``, ``"belief"``, or a function from
        a player's index to an encoder.
    others
        For beliefs: how everybody else is said to play, a policy for all or a dict by player.
    forfeit
        What an agent is paid for an illegal action, which ends the game for all; None: it is an error.
    actions
        All that may ever be done, in a game too large to be enumerated (with an encoder of one's own).
    most_steps
        After how many steps of the game an episode is truncated.
    limit
        How many states the game may have.
    render_mode
        ``"ansi"``, ``"rgb_array"`` (needs `fogbound[pictures]`) or ``"svg"``: all that there is to see.

    Examples
    --------
    >>> table = TurnsEnv("card-poker(ranks=3)")
    >>> table.reset(seed=1)
    >>> for agent in table.agent_iter():
    ...     shown, reward, ended, cut, info = table.last()
    ...     table.step(None if ended or cut else int(np.flatnonzero(shown["action_mask"])[0]))
    >>> table.agents
    []
    """

    waits = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Deal; no options are known."""
        self._seats.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {"discount": 1.0} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self._asked()

    def step(self, action: Any) -> None:
        """The selected agent's decision; None where it is over for it."""
        if not self.agents:
            raise PolicyError(f"{self.game}: the game is over, or was not begun: reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        player, seats, view = self.possible_agents.index(agent), self._seats, self.views[agent]
        legal = seats.legal(player)
        place = view.chosen(action, legal)
        why = view.refused(int(action), legal) if place is None else ""
        price = price_of(why, self.forfeit) if why else 0.0
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        seats.ledgers[player].decide()
        if place is None:
            seats.forfeit(player, price)
            self.infos[agent] = {"illegal": why}
            self._settle(terminated=True, truncated=False)
            return
        seats.chosen[player] = place
        if len(seats.chosen) == len(seats.course.actors):
            seats.step([seats.chosen[i] for i in seats.course.actors])
            self._settle(seats.course.over, seats.cut)
        else:
            self.agent_selection = self._asked()

    def observe(self, agent: str) -> Shown:
        """What an agent is shown; while not asked, its mask is empty or holds the waiting action if it has one."""
        return self._seats.shown(self.possible_agents.index(agent))

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions of the selected agent are legal now."""
        player = self.possible_agents.index(self.agent_selection)
        return self._seats.views[player].mask(self._seats.legal(player), self._seats.done).astype(bool)

    def _asked(self) -> str:
        return self.possible_agents[next(i for i in self._seats.course.actors if i not in self._seats.chosen)]

    def _settle(self, terminated: bool, truncated: bool) -> None:
        """After a step of the game: pay everybody, and say who is next."""
        for agent, ledger in zip(self.possible_agents, self._seats.ledgers):
            self.rewards[agent] = ledger.collect()
            self.terminations[agent], self.truncations[agent] = terminated, truncated
            self.infos[agent] = {**self.infos[agent], "discount": ledger.factor}
        self._accumulate_rewards()
        self.agent_selection = self.agents[0] if terminated or truncated else self._asked()


class TogetherEnv(_Seated, ParallelEnv):
    """All players of a game at once: a step here is a step of the game, and whoever is not asked waits.

    Waiting is the last action of every agent that is ever idle. Rewards are those of the step, and ``info["discount"]``
    is the game's discount. What is paid at the start is part of the first step's reward.

    Parameters
    ----------
    game, observing, others, forfeit, actions, most_steps, limit, render_mode
        As for `TurnsEnv`.

    Examples
    --------
    >>> robots = TogetherEnv("recycling-robots", observing="observation")
    >>> shown, infos = robots.reset(seed=1)
    >>> shown, rewards, ended, cut, infos = robots.step(dict.fromkeys(robots.agents, 0))
    >>> rewards, infos
    ({'first': 0.0, 'second': 0.0}, {'first': {'discount': 1.0}, 'second': {'discount': 1.0}})
    """

    waits = True

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, Shown], dict[str, dict[str, Any]]]:
        """Deal; no options are known."""
        self._seats.begin(seed)
        self.agents = list(self.possible_agents)
        return self._shown(), {agent: {"discount": 1.0} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Shown], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Everybody's decision, waiting included."""
        seats = self._seats
        if seats.done:
            raise PolicyError(f"{self.game}: the game is over, or was not begun: reset() first")
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        for ledger in seats.ledgers:
            ledger.decide()
        places, illegal = self._places(actions)
        if illegal is None:
            seats.step(places)
        else:
            player, why = illegal
            seats.forfeit(player, price_of(why, self.forfeit))
            infos[self.possible_agents[player]]["illegal"] = why
        over, cut = illegal is not None or seats.course.over, illegal is None and seats.cut
        rewards = {agent: ledger.collect() for agent, ledger in zip(self.agents, seats.ledgers)}
        for agent, ledger in zip(self.agents, seats.ledgers):
            infos[agent]["discount"] = ledger.factor
        shown, ended = self._shown(), dict.fromkeys(self.agents, over)
        truncated = dict.fromkeys(self.agents, cut)
        self.agents = [] if seats.done else self.agents
        return shown, rewards, ended, truncated, infos

    def action_masks(self) -> dict[str, NDArray[np.bool_]]:
        """Which actions of each agent are legal now."""
        seats = self._seats
        return {view.name: view.mask(seats.legal(i), seats.done).astype(bool) for i, view in enumerate(seats.views)}

    def _shown(self) -> dict[str, Shown]:
        return {agent: self._seats.shown(i) for i, agent in enumerate(self.possible_agents)}

    def _places(self, actions: dict[str, Any]) -> tuple[list[int], tuple[int, str] | None]:
        """What the actors do, by place; or the first who does what is not legal, and the complaint."""
        places = []
        for i, (agent, view) in enumerate(zip(self.possible_agents, self._seats.views)):
            legal = self._seats.legal(i)
            if agent not in actions:
                raise PolicyError(f"{self.game}: no action is given for {agent}, expected one for every agent")
            place = view.chosen(actions[agent], legal)
            if place is None:
                return [], (i, view.refused(int(actions[agent]), legal))
            if legal:
                places.append(place)
        return places, None


env, parallel_env = TurnsEnv, TogetherEnv  # the names that users of environments look for
