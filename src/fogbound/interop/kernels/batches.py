"""Stepping all games of a batch: by the player to move, or by one seat against given strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel
from fogbound.interop.kernels.plays import choose_place, deal, drawn_place, place_of, show, step_game, write_mask

NEXT_STEP, SAME_STEP, DISABLED = np.int64(0), np.int64(1), np.int64(2)  # when a game that is over begins anew


@dataclass(frozen=True, eq=False)
class Turns(Bundle):
    """What a batch with all players says after a step."""

    player: np.ndarray  # [N] who is asked
    observation: np.ndarray  # [N, number] what it is shown
    mask: np.ndarray  # [N, action] what it may do
    rewards: np.ndarray  # [N, player] of this step
    done: np.ndarray  # [N] whether a game ended, or was cut, in this step
    cut: np.ndarray  # [N] whether it was cut
    returns: np.ndarray  # [N, player] of the last game that ended
    total: np.ndarray  # [N, player] of this game so far
    scale: np.ndarray  # [N] how much the next step counts
    due: np.ndarray  # [N, player] paid and not yet told


@kernel
def begin_turns(
    begin: Any, actors: Any, legal: Any, rules: Any, encoding: Any, plays: Any, turns: Any, kind: Any
) -> Any:
    """Begin every game; the number of one that is over before anybody moves, or -1."""
    for game in range(len(turns.player)):
        _begin_turn(begin, actors, rules, encoding, plays, turns, game)
        if plays.movers[game] == 0:
            return game
        _ask(legal, rules, encoding, plays, turns, game, kind)
    return -1


@kernel
def step_turns(
    begin: Any,
    actors: Any,
    legal: Any,
    chances: Any,
    follow: Any,
    rules: Any,
    encoding: Any,
    plays: Any,
    turns: Any,
    actions: Any,
    kind: Any,
    most: Any,
    discount: Any,
) -> Any:
    """One decision of the player to move in every game; the number of a game that is over at its start, or -1."""
    for game in range(len(actions)):
        player = turns.player[game]
        code = encoding.code[player, actions[game]]
        choose_place(plays, game, code, place_of(legal, rules, plays, game, player, code))
        turns.done[game] = turns.cut[game] = 0
        for i in range(len(turns.due[game])):
            turns.rewards[game, i] = 0.0
        if plays.turn[game] == plays.movers[game]:
            step_game(actors, chances, follow, rules, encoding, plays, game)
            _pay(plays, turns, game, discount)
            if plays.movers[game] == 0 or plays.time[game] >= most:
                turns.done[game], turns.cut[game] = 1, plays.movers[game] > 0
                for i in range(len(turns.due[game])):
                    turns.returns[game, i] = turns.total[game, i]
                _begin_turn(begin, actors, rules, encoding, plays, turns, game)
                if plays.movers[game] == 0:
                    return game
        _ask(legal, rules, encoding, plays, turns, game, kind)
    return -1


@kernel
def _begin_turn(begin: Any, actors: Any, rules: Any, encoding: Any, plays: Any, turns: Any, game: Any) -> Any:
    deal(begin, actors, rules, encoding, plays, game)
    turns.scale[game] = 1.0
    for i in range(len(turns.due[game])):
        turns.due[game, i] = turns.total[game, i] = plays.rewards[game, i]


@kernel
def _pay(plays: Any, turns: Any, game: Any, discount: Any) -> Any:
    for i in range(len(turns.due[game])):
        turns.rewards[game, i] = turns.due[game, i] + plays.rewards[game, i]
        turns.due[game, i] = 0.0
        turns.total[game, i] += turns.scale[game] * plays.rewards[game, i]
    turns.scale[game] *= discount


@kernel
def _ask(legal: Any, rules: Any, encoding: Any, plays: Any, turns: Any, game: Any, kind: Any) -> Any:
    player = plays.actors[game, plays.turn[game]]
    turns.player[game] = player
    show(encoding, plays, game, player, True, kind, turns.observation[game])
    write_mask(legal, rules, encoding, plays, game, player, turns.mask[game])


@dataclass(frozen=True, eq=False)
class Seats(Bundle):
    """What a batch with one seat says after a step, and what the seat is owed (`interop.course.Ledger`)."""

    observation: np.ndarray  # [N, number]
    mask: np.ndarray  # [N, action]
    reward: np.ndarray  # [N]
    terminated: np.ndarray  # [N]
    truncated: np.ndarray  # [N]
    discount: np.ndarray  # [N] how much what follows counts, seen from the last decision
    over: np.ndarray  # [N] whether the game waits for a new deal
    due: np.ndarray  # [N] paid and not yet told
    counts: np.ndarray  # [N] whether the seat has decided: what is paid counts from its last decision
    final_observation: np.ndarray  # [N, number] of games that ended in this step and began anew
    final_mask: np.ndarray  # [N, action]
    final_discount: np.ndarray  # [N]
    dealt: np.ndarray  # [N] whether the game began in this step


@kernel
def reset_seats(
    begin: Any,
    actors: Any,
    legal: Any,
    chances: Any,
    follow: Any,
    rules: Any,
    encoding: Any,
    plays: Any,
    seats: Any,
    chosen: Any,
    me: Any,
    kind: Any,
    most: Any,
    discount: Any,
) -> Any:
    """Begin the chosen games, and play until the seat is asked."""
    for game in range(len(chosen)):
        if chosen[game]:
            _begin_seat(
                begin, actors, legal, chances, follow, rules, encoding, plays, seats, game, me, kind, most, discount
            )
            seats.terminated[game] = seats.truncated[game] = 0


@kernel
def step_seats(
    begin: Any,
    actors: Any,
    legal: Any,
    chances: Any,
    follow: Any,
    rules: Any,
    encoding: Any,
    plays: Any,
    seats: Any,
    actions: Any,
    me: Any,
    kind: Any,
    most: Any,
    discount: Any,
    forfeit: Any,
    again: Any,
) -> Any:
    """One decision of the seat in every game; an illegal action ends its game and is paid `forfeit`."""
    for game in range(len(actions)):
        seats.dealt[game] = 0
        if again == NEXT_STEP and seats.over[game]:
            _begin_seat(
                begin, actors, legal, chances, follow, rules, encoding, plays, seats, game, me, kind, most, discount
            )
            seats.reward[game], seats.dealt[game] = 0.0, 1
            seats.terminated[game] = seats.truncated[game] = 0
            continue
        if seats.counts[game]:
            seats.discount[game] = 1.0
        seats.counts[game] = 1
        asked = _asked(plays, game, me)
        forfeited = seats.mask[game, actions[game]] == 0
        if forfeited:
            _owe(seats, game, forfeit, discount)
        elif asked:
            code = encoding.code[me, actions[game]]
            _turn(actors, legal, chances, follow, rules, encoding, plays, seats, game, me, code, discount)
            _until_asked(actors, legal, chances, follow, rules, encoding, plays, seats, game, me, most, discount)
        ended = forfeited or plays.movers[game] == 0
        seats.terminated[game], seats.truncated[game] = ended, not ended and plays.time[game] >= most
        seats.over[game] = ended or plays.time[game] >= most
        seats.reward[game], seats.due[game] = seats.due[game], 0.0
        _tell(legal, rules, encoding, plays, seats, game, me, kind, seats.observation[game], seats.mask[game])
        if again == SAME_STEP and seats.over[game]:
            for k in range(len(seats.observation[game])):
                seats.final_observation[game, k] = seats.observation[game, k]
            for k in range(len(seats.mask[game])):
                seats.final_mask[game, k] = seats.mask[game, k]
            seats.final_discount[game], seats.dealt[game] = seats.discount[game], 1
            _begin_seat(
                begin, actors, legal, chances, follow, rules, encoding, plays, seats, game, me, kind, most, discount
            )


@kernel
def _begin_seat(
    begin: Any,
    actors: Any,
    legal: Any,
    chances: Any,
    follow: Any,
    rules: Any,
    encoding: Any,
    plays: Any,
    seats: Any,
    game: Any,
    me: Any,
    kind: Any,
    most: Any,
    discount: Any,
) -> Any:
    deal(begin, actors, rules, encoding, plays, game)
    seats.due[game], seats.discount[game] = plays.rewards[game, me], 1.0
    seats.counts[game] = seats.over[game] = 0
    _until_asked(actors, legal, chances, follow, rules, encoding, plays, seats, game, me, most, discount)
    _tell(legal, rules, encoding, plays, seats, game, me, kind, seats.observation[game], seats.mask[game])


@kernel
def _asked(plays: Any, game: Any, me: Any) -> Any:
    for k in range(plays.movers[game]):
        if plays.actors[game, k] == me:
            return True
    return False


@kernel
def _until_asked(
    actors: Any,
    legal: Any,
    chances: Any,
    follow: Any,
    rules: Any,
    encoding: Any,
    plays: Any,
    seats: Any,
    game: Any,
    me: Any,
    most: Any,
    discount: Any,
) -> Any:
    while plays.movers[game] > 0 and plays.time[game] < most and not _asked(plays, game, me):
        _turn(actors, legal, chances, follow, rules, encoding, plays, seats, game, me, np.int64(-1), discount)


@kernel
def _turn(
    actors: Any,
    legal: Any,
    chances: Any,
    follow: Any,
    rules: Any,
    encoding: Any,
    plays: Any,
    seats: Any,
    game: Any,
    me: Any,
    code: Any,
    discount: Any,
) -> Any:
    """One step of the game, in which the seat takes the action of this code, if it is asked."""
    for k in range(plays.movers[game]):
        player = plays.actors[game, k]
        if player == me:
            choose_place(plays, game, code, place_of(legal, rules, plays, game, me, code))
        else:
            size = legal(rules, plays.state[game], player, plays.options)
            place = drawn_place(encoding, plays, game, player, size)
            choose_place(plays, game, plays.options[place], place)
    step_game(actors, chances, follow, rules, encoding, plays, game)
    _owe(seats, game, plays.rewards[game, me], discount)


@kernel
def _owe(seats: Any, game: Any, reward: Any, discount: Any) -> Any:
    seats.due[game] += seats.discount[game] * reward
    seats.discount[game] *= discount


@kernel
def _tell(
    legal: Any,
    rules: Any,
    encoding: Any,
    plays: Any,
    seats: Any,
    game: Any,
    me: Any,
    kind: Any,
    observation: Any,
    mask: Any,
) -> Any:
    """What the seat is shown; at the end every action is allowed, since none has an effect."""
    asked = _asked(plays, game, me)
    show(encoding, plays, game, me, asked, kind, observation)
    if asked and not seats.over[game]:
        write_mask(legal, rules, encoding, plays, game, me, mask)
        return
    for k in range(len(mask)):
        mask[k] = seats.over[game]
    mask[len(mask) - 1] = 1  # waiting, where the game ends before the seat was asked
