"""Policies for games that came from OpenSpiel: ours on its states, its policies and bots at our table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, PolicyError, SpecError, brief
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import AnyPolicy, kinds
from fogbound.core.profile import Profile, as_profile
from fogbound.core.simulator import RuleSimulator
from fogbound.forms.decisions import History
from fogbound.forms.protocol import derive
from fogbound.forms.tree import Tree
from fogbound.inference.seat import FittingCourse
from fogbound.interop.openspiel.game import OpenSpielGame
from fogbound.interop.openspiel.information_sets import Counterpart, Passage, chances_of
from fogbound.interop.openspiel.library import library
from fogbound.interop.openspiel.moves import WAIT

MOST_COURSES = 10_000


def passage(game: OpenSpielGame, source: Any = None) -> Passage:
    """Our tree of a game beside OpenSpiel's.

    Parameters
    ----------
    game
        The game.
    source
        The game of OpenSpiel's that the other side is; the same one in turns, `pyspiel.load_game_as_turn_based`, where
        moves are simultaneous. Its own unless given.

    Returns
    -------
    Passage
    """
    require_imported(game)
    other, tree = source or game.source, derive(game, Tree)

    def counterpart(infoset: int, node: int) -> Counterpart | None:
        player, at = int(tree.set_owner[infoset]), node
        while tree.state[at] < 0 and tree.parent[at] >= 0:  # of a simultaneous move, the state is where it begins
            at = int(tree.parent[at])
        where = game.spiel_state(tree.states[int(tree.state[at])], other)
        while not where.is_simultaneous_node() and not where.is_chance_node() and where.current_player() < player:
            if tree.moves(infoset) == (WAIT,) or not _in_turns(other):
                break
            where.apply_action(where.legal_actions()[0])  # whoever chooses first in turns is not heard
        return _asked(game, where, player, tree.moves(infoset))

    return Passage(tree, other, counterpart)


def _in_turns(source: Any) -> bool:
    return bool(source.get_type().short_name == "turn_based_simultaneous_game")


def _asked(game: OpenSpielGame, at: Any, player: int, moves: tuple[Any, ...]) -> Counterpart | None:
    if at.is_terminal() or at.is_chance_node() or not at.legal_actions(player):
        return None
    labels, numbers = game.moves.menu_of(at, player)
    return Counterpart(at, tuple(numbers)) if labels == moves else None


@dataclass(frozen=True, eq=False)
class OpenSpielPlayer:
    """A policy or a bot of OpenSpiel's as a policy of ours: it is asked at a state that fits what the player knows.

    A policy's answer depends on nothing else. A bot in search of a move is told a state as if it were true; those for
    hidden information draw others that fit, as ISMCTS does, and those for perfect information are told the truth.

    Parameters
    ----------
    game
        The game.
    player
        Who plays so, by index.
    plays
        A `pyspiel.Policy`, an `open_spiel.python.policy.Policy`, or a `pyspiel.Bot`.
    """

    game: OpenSpielGame
    player: int
    plays: Any = field(repr=False)

    thinks = True  # a bot may take its time, and is asked once a move

    def __post_init__(self) -> None:
        require_imported(self.game)
        require_player(self.plays)

    @cached_property
    def _courses(self) -> dict[History, list[Any]]:
        """Courses of play that were found to fit what was known, the latest ones."""
        return {}

    def _fitting(self, memory: History) -> Any:
        """A state that fits what the player knows; the course that fitted before is led on where it still fits."""
        search = FittingCourse(self.game, self.player)
        for known in range(len(memory), 0, -1):
            if (course := self._courses.get(memory[:known])) is not None:
                search.course = list(course)
                break
        state = search.last(memory, asked=True)
        if state is None:
            raise PolicyError(f"{self.game}: no history was found that fits what player {self.player} knows")
        if len(self._courses) >= MOST_COURSES:
            self._courses.clear()
        self._courses[memory] = search.course
        return state

    def begin(self, observation: Observation) -> History:
        return (observation,)

    def update(self, memory: History, action: str | None, observation: Observation) -> History:
        return (*memory, (action, observation))

    def act(self, memory: History, actions: Sequence[str]) -> Dist[str]:
        if tuple(actions) == (WAIT,):
            return Dist.sure(WAIT)
        at = self.game.spiel_state(self._fitting(memory))
        labels, numbers = self.game.moves.menu_of(at, self.player)
        chances = ask_player(self.plays, at, self.player)
        return Dist(tuple((label, chances[n]) for label, n in zip(labels, numbers) if chances.get(n, 0.0) > 0))


@runtime_checkable
class SpielPolicy(Protocol):
    """A policy of OpenSpiel's."""

    def action_probabilities(self, state: Any, player_id: int | None = None) -> Any: ...


@runtime_checkable
class SpielBot(Protocol):
    """A bot of OpenSpiel's."""

    def step(self, state: Any) -> int: ...


def ask_player(plays: Any, at: Any, player: int) -> dict[int, float]:
    """What a policy or a bot of OpenSpiel's does at a state, by the numbers of actions."""
    if isinstance(plays, SpielPolicy):
        return dict(chances_of(plays, at, player))
    plays.restart_at(at)
    if plays.provides_policy():
        return {int(number): p for number, p in plays.get_policy(at) if p > 0}
    return {int(plays.step(at)): 1.0}


def replayed(game: OpenSpielGame, player: int, path: Sequence[int]) -> History:
    """What a player of ours has seen when OpenSpiel's history is `path`, replayed by our rules.

    Parameters
    ----------
    game
        The game.
    player
        Whose eyes these are.
    path
        OpenSpiel's history, flat; it ends where the player decides, or where others have chosen at the same time.

    Returns
    -------
    tuple
        The first observation, then (own action or None, observation).
    """
    rules, path = RuleSimulator(game), tuple(path)
    outcome = _on_the_way(game, rules.opening(), path)
    seen: History = (rules.observed(outcome, player),)
    while True:
        state = outcome.state
        at, actors = game.spiel_state(state), game.actors(state)
        here = len(game.path(state))
        legal = rules.legal(state, actors)
        if player in actors and legal[actors.index(player)] != (WAIT,):
            together = at.is_simultaneous_node()
            if len(path) - here < (len(game.players) if together else 1):
                return seen
        joint = tuple(_did(game, at, actor, offered, path[here:]) for actor, offered in zip(actors, legal))
        outcome = _on_the_way(game, rules.outcomes(state, joint), path)
        own = joint[actors.index(player)] if player in actors else None
        seen = (*seen, (own, rules.observed(outcome, player)))


def _did(game: OpenSpielGame, at: Any, player: int, offered: tuple[Any, ...], ahead: tuple[int, ...]) -> Any:
    """What a player did, by the numbers that follow in OpenSpiel's history."""
    if len(offered) == 1:
        return offered[0]
    labels, numbers = game.moves.menu_of(at, player)
    return labels[numbers.index(ahead[player if at.is_simultaneous_node() else 0])]


def _on_the_way(game: OpenSpielGame, outcomes: Dist[Any], path: tuple[int, ...]) -> Any:
    """The outcome that leads along OpenSpiel's history."""
    for outcome, _ in outcomes:
        reached = game.path(outcome.state)
        if reached == path[: len(reached)]:
            return outcome
    raise SpecError(f"{game}: no history of this game begins with {brief(path)}")


def asked_at(game: OpenSpielGame, policy: AnyPolicy, player: int, at: Any) -> dict[int, float]:
    """What a policy of ours does at a state of OpenSpiel's: the probability of every legal action, zeros too.

    Parameters
    ----------
    game
        The game.
    policy
        The policy; no mixture.
    player
        Who plays it.
    at
        The state, of OpenSpiel's game or of the same in turns.

    Returns
    -------
    dict
        By OpenSpiel's number of the action.
    """
    memory = remembered(policy, replayed(game, player, at.history()))
    labels, numbers = game.moves.menu_of(at, player)
    chosen = policy.act(memory, labels)
    return {int(number): chosen[label] for label, number in zip(labels, numbers)}


def remembered(policy: AnyPolicy, history: History) -> Any:
    """What a policy remembers of what its player did and saw."""
    first, *rest = history
    memory = policy.begin(first)
    for own, observation in rest:
        memory = policy.update(memory, own, observation)
    return memory


def behaving(profile: Profile) -> dict[int, AnyPolicy]:
    """The policies of a profile, none of them a mixture: of those nobody could say at one state what they do there."""
    found = {}
    for player, policy in as_profile(profile).items():
        kind = kinds(policy)
        if len(kind) > 1:
            raise PolicyError(f"player {player} plays a mixture of {len(kind)} policies: passage(game).policy takes it")
        found[player] = kind.pairs[0][0]
    return found


def require_player(plays: Any) -> None:
    """Refuse what is neither a policy nor a bot of OpenSpiel's."""
    if not isinstance(plays, SpielPolicy | SpielBot):
        raise PolicyError(f"found {brief(plays)}, expected a policy or a bot of OpenSpiel's")


def require_imported(game: AnyGame) -> None:
    """Refuse games that did not come from OpenSpiel."""
    library()
    if not isinstance(game, OpenSpielGame):
        raise FormError(
            f"{game}: not a game of OpenSpiel's; to_openspiel(game) makes one of it, with a passage of its own"
        )


def seats(game: OpenSpielGame, plays: Any) -> list[OpenSpielPlayer]:
    """A policy of OpenSpiel's for every player, or a list of policies and bots, one each, as a profile of ours.

    Parameters
    ----------
    game
        The game.
    plays
        One policy for all, or one policy or bot each.

    Returns
    -------
    list
        For `match`, `evaluate` and whatever takes a profile.
    """
    each = list(plays) if isinstance(plays, list | tuple) else [plays] * len(game.players)
    if len(each) != len(game.players):
        raise SpecError(f"{game}: found {len(each)} policies, expected one for each of {len(game.players)} players")
    return [OpenSpielPlayer(game, player, one) for player, one in enumerate(each)]
