"""A game of OpenSpiel's move by move: a state is the history of moves, as OpenSpiel numbers them.

Chance is folded into what follows a move, or is a step of its own at which everybody waits. What players see is what
OpenSpiel tells them where somebody decides: whoever decides is told its information state, which holds all that it
knows. Games that have no such strings tell everybody an observation, at every decision.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from fogbound.core.board import Board
from fogbound.core.cancel import check
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, GameError, LimitError, brief, one_line
from fogbound.core.game import Game, Outcome
from fogbound.files.gambit.structure import menu
from fogbound.interop.openspiel.library import library

MOST_OUTCOMES = 20_000  # that one step may fold; a larger deal goes step by step
WAIT = "wait"
KEPT = 4_096  # states of OpenSpiel's that are kept, the latest ones

Moves = tuple[Any, ...]  # numbers of actions, in order; of simultaneous moves the tuple of them


class _Spot:
    """A state of OpenSpiel's and what was asked of it."""

    __slots__ = ("menus", "state")

    def __init__(self, state: Any) -> None:
        self.state = state
        self.menus: dict[int, tuple[tuple[str, ...], list[int]]] = {}


@dataclass(frozen=True, eq=False)
class MoveByMove(Game[Moves, str]):
    """The rules of a game of OpenSpiel's, at the pace of its moves.

    Parameters
    ----------
    source
        OpenSpiel's game.
    chance
        ``folded``, ``steps``, or ``auto``: folded, unless the deal at the start has more than 20,000 outcomes.
    """

    source: Any = field(repr=False)
    chance: str = "auto"
    kept: OrderedDict[Moves, _Spot] = field(init=False, repr=False, default_factory=OrderedDict)

    name: ClassVar[str] = "openspiel-moves"

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", tuple(f"player {k}" for k in range(self.source.num_players())))
        kind = self.source.get_type()
        if not (kind.provides_information_state_string or kind.provides_observation_string):
            raise FormError(
                f"{kind.short_name}: tells its players nothing in words, so nothing is known of what they know"
            )

    def __str__(self) -> str:
        return str(self.source)

    @cached_property
    def keeps_recall(self) -> bool:
        """Whether players are told information states, which hold all that they know, or observations."""
        return bool(self.source.get_type().provides_information_state_string)

    @cached_property
    def pays_on_the_way(self) -> bool:
        pyspiel = library()
        return bool(self.source.get_type().reward_model == pyspiel.GameType.RewardModel.REWARDS)

    @cached_property
    def folds(self) -> bool:
        """Whether chance is part of what follows a move."""
        if self.chance != "auto":
            return self.chance == "folded"
        decided, waiting = 0, [self.source.new_initial_state()]
        while waiting and decided + len(waiting) <= MOST_OUTCOMES:  # each of them has at least one outcome
            check()
            drawn = [
                (at, number) for at in waiting if at.is_chance_node() for number, p in at.chance_outcomes() if p > 0
            ]
            decided += sum(not at.is_chance_node() for at in waiting)
            waiting = [after_move(at, number) for at, number in drawn[: MOST_OUTCOMES + 1]]
        return not waiting

    def start(self) -> Dist[Outcome[Moves]]:
        return self._outcomes((), self.source.new_initial_state(), None)

    def actors(self, state: Moves) -> tuple[int, ...]:
        at = self.at(state)
        if at.is_terminal():
            return ()
        if at.is_chance_node():
            return tuple(range(len(self.players)))
        return self.deciding(at)

    def deciding(self, at: Any) -> tuple[int, ...]:
        """Who decides at a state of OpenSpiel's that is neither the end nor chance's."""
        if not at.is_simultaneous_node():
            return (int(at.current_player()),)
        return tuple(player for player in range(len(self.players)) if at.legal_actions(player))

    def actions(self, state: Moves, player: int) -> tuple[str, ...]:
        return self.menu_at(self._spot(state), player)[0]

    def step(self, state: Moves, joint: tuple[str, ...]) -> Dist[Outcome[Moves]]:
        spot = self._spot(state)
        at = spot.state
        if at.is_chance_node():
            return self._outcomes(state, at, at)
        chosen = dict(zip(self.deciding(at), joint))
        numbers = {player: self._number(spot, player, label) for player, label in chosen.items()}
        move: Any = next(iter(numbers.values()))
        if at.is_simultaneous_node():
            move = tuple(numbers.get(player, 0) for player in range(len(self.players)))
        return self._outcomes((*state, move), after_move(at, move), at)

    def board(self, state: Moves, player: int | None = None) -> Board | None:
        at = self.at(state)
        if player is None:
            return Board.of_text(str(at))
        told = None if at.is_terminal() or at.is_chance_node() else self.told(at)[player]
        return Board.of_text(told) if told else None

    # States of OpenSpiel's.

    def describe_state(self, state: Moves) -> str:
        return " ".join(str(self.at(state)).split()) or "the start"

    def at(self, state: Moves) -> Any:
        """OpenSpiel's state after these moves; whoever changes it changes a clone."""
        return self._spot(state).state

    def path(self, state: Moves) -> tuple[int, ...]:
        """The moves as OpenSpiel's own history has them, one after the other."""
        return tuple(one for move in state for one in (move if isinstance(move, tuple) else (move,)))

    def number(self, state: Moves, player: int, label: str) -> int:
        """OpenSpiel's number of a legal action."""
        return self._number(self._spot(state), player, label)

    def menu_at(self, spot: _Spot, player: int) -> tuple[tuple[str, ...], list[int]]:
        """What a player may do, in words and in OpenSpiel's numbers; (wait) where chance moves."""
        found = spot.menus.get(player)
        if found is None:
            found = spot.menus[player] = self.menu_of(spot.state, player)
        return found

    def menu_of(self, at: Any, player: int) -> tuple[tuple[str, ...], list[int]]:
        """The same of a state of OpenSpiel's: words that are all different, and its numbers."""
        if at.is_chance_node():
            return (WAIT,), [0]
        numbers = at.legal_actions(player)
        return menu(tuple(at.action_to_string(player, number) for number in numbers)), numbers

    def require_same_menu(self, known: tuple[str, ...], labels: tuple[str, ...], player: int) -> None:
        """Refuse legal actions that do not follow from what their player is told."""
        if known != labels:
            raise GameError(
                f"{self}: player {player} is told the same where it may do {brief(known)} and where it may do "
                f"{brief(labels)}, so its legal actions do not follow from what it knows"
            )

    def told(self, at: Any) -> tuple[str | None, ...]:
        """What OpenSpiel tells each player where somebody decides."""
        everybody = range(len(self.players))
        if not self.keeps_recall:
            return tuple(at.observation_string(player) for player in everybody)
        deciding = self.deciding(at)
        return tuple(at.information_state_string(player) if player in deciding else None for player in everybody)

    def _number(self, spot: _Spot, player: int, label: str) -> int:
        labels, numbers = self.menu_at(spot, player)
        if label not in labels:
            raise GameError(
                f"{self}: {brief(label)} is not legal here, expected one of {one_line(', '.join(labels), 200)}"
            )
        return int(numbers[labels.index(label)])

    def _spot(self, state: Moves) -> _Spot:
        kept = self.kept
        found = kept.get(state)
        if found is None:
            above = kept.get(state[:-1]) if state else None
            at = self.source.new_initial_state() if above is None else above.state.clone()
            for move in state if above is None else state[-1:]:
                _move(at, move)
            found = self._keep(state, at)
        else:
            kept.move_to_end(state)
        return found

    def _keep(self, state: Moves, at: Any) -> _Spot:
        spot = self.kept[state] = _Spot(at)
        if len(self.kept) > KEPT:
            self.kept.popitem(last=False)
        return spot

    # What may follow.

    def _outcomes(self, state: Moves, at: Any, before: Any) -> Dist[Outcome[Moves]]:
        """What may follow once OpenSpiel's state `at` is reached, from `before`; None at the start."""
        if at.is_chance_node() and (self.folds or before is at):
            listed = self._after_chance(state, at, 1.0) if self.folds else self._draws(state, at, 1.0)
            found = []
            for moves, after, likely in listed:
                found.append((self._outcome(moves, after, before), likely))
                if self.folds and len(found) > MOST_OUTCOMES:
                    raise LimitError(
                        f"{self}: over {MOST_OUTCOMES:,} outcomes of chance here: let it move by steps, chance=steps"
                    )
            return Dist.weighted(found)
        return Dist.sure(self._outcome(state, at, before))

    def _draws(self, state: Moves, at: Any, likely: float) -> Iterator[tuple[Moves, Any, float]]:
        """What one move of chance may lead to."""
        for number, p in at.chance_outcomes():
            if p > 0:
                yield (*state, number), after_move(at, number), likely * p

    def _after_chance(self, state: Moves, at: Any, likely: float) -> Iterator[tuple[Moves, Any, float]]:
        """All that chance may lead to until somebody decides or the game is over, in its own order."""
        waiting = [(state, at, likely)]
        while waiting:
            moves, here, p = waiting.pop()
            if here.is_chance_node():
                check()
                waiting += list(self._draws(moves, here, p))[::-1]
            else:
                yield moves, here, p

    def _outcome(self, state: Moves, at: Any, before: Any) -> Outcome[Moves]:
        self._keep(state, at)
        rewards: tuple[float, ...] = ()
        if self.pays_on_the_way:
            had = (0.0,) * len(self.players) if before is None else before.returns()
            rewards = tuple(now - then for now, then in zip(at.returns(), had))
        elif at.is_terminal():
            rewards = tuple(at.returns())
        seen = () if at.is_terminal() or at.is_chance_node() else self.told(at)
        return Outcome(state, rewards if any(rewards) else (), None, seen)


def after_move(at: Any, move: Any) -> Any:
    """OpenSpiel's state after one more move."""
    after = at.clone()
    _move(after, move)
    return after


def _move(at: Any, move: Any) -> None:
    if isinstance(move, tuple):
        at.apply_actions(list(move))
    else:
        at.apply_action(move)
