"""A one-sided form from a table: joint actions taken apart, what the blind player always knows, and the successors.

A table of two players seen from the one who is blind: whose move each joint action is, and what is seen of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, GameError, brief, many
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats, Ints, Longs, heads, offsets, ranges, runs_of, starts
from fogbound.forms.knowledge import clash
from fogbound.forms.player_view import PlayerView, legal_by_state, player_view
from fogbound.forms.table import START, Table

if TYPE_CHECKING:
    from fogbound.forms.one_sided.kernels import FormLayout, OneSidedTableArrays


ROUNDING = 1e-9  # what two payments that should cancel may leave, for each unit paid


@dataclass(frozen=True, eq=False)
class Transitions:
    """Steps with which play goes on, in any order: an action and a reply are played, something is seen, play moves."""

    action: Ints
    obs: Ints
    source: Ints  # reply
    to: Ints  # state
    prob: Floats


@dataclass(frozen=True, eq=False)
class Successors:
    """The arrays of `OneSided` of the same names."""

    successor_start: Ints
    obs: Ints
    target: Ints
    transition_start: Ints
    source: Ints
    to: Ints
    prob: Floats


def sorted_successors(steps: Transitions, part: Ints, actions: int) -> Successors:
    """Sort steps by action, observation, reply and next state; equal ones are added up.

    part [S] is the partition of a state; it must follow from action and observation.
    """
    observations = int(steps.obs.max(initial=0)) + 1
    pair = steps.action.astype(np.int64) * observations + steps.obs
    order = np.lexsort((steps.to, steps.source, pair))
    pair, source, to = pair[order], steps.source[order], steps.to[order]
    fresh = heads(pair, source, to)
    prob = np.add.reduceat(steps.prob[order], np.flatnonzero(fresh)) if len(order) else np.zeros(0)
    pair, source, to = pair[fresh], source[fresh], to[fresh]
    first = np.flatnonzero(heads(pair))  # the first transition of each successor
    return Successors(
        successor_start=starts(pair[first] // observations, actions),
        obs=pair[first] % observations,
        target=part[to[first]],
        transition_start=np.append(first, len(pair)),
        source=source,
        to=to,
        prob=prob,
    )


@dataclass(frozen=True, eq=False)
class TwoPlayerTable:
    """S states, R rows (joint actions; row 0 is the start) and O outcomes of a table, by player."""

    table: Table
    mine: PlayerView  # of the player who is blind
    legal: Ints  # [S] of the player who sees
    wide: Ints  # [S] how many actions the blind player has; 1 where it waits
    tall: Ints  # [S] the same for the one who sees
    paid: float  # what the blind player is expected to be paid at the start

    @cached_property
    def theirs(self) -> PlayerView:
        """What the other player sees in the game."""
        return player_view(self.table, 1 - self.mine.player)

    @cached_property
    def move(self) -> Ints:
        """[R] which of its actions the blind player takes."""
        return self.digits(self.mine.player)

    @cached_property
    def reply(self) -> Ints:
        """[R] which of its actions the other takes."""
        return self.digits(1 - self.mine.player)

    def digits(self, player: int) -> Ints:
        """[R] which of its actions a player takes: player 1 varies faster."""
        rows = np.diff(self.table.row)
        faster = np.repeat((self.tall if self.mine.player == 0 else self.wide).astype(np.int32), rows)
        inside = np.arange(len(faster), dtype=np.int32)
        inside -= np.repeat(self.table.row[:-1] - self.table.row[0], rows)
        taken = inside // faster if player == 0 else inside % faster
        return np.concatenate([np.zeros(1, np.int32), taken])

    def origin(self, outcome: Ints) -> tuple[Ints, Ints]:
        """The row of some outcomes, and the state where it is played; -1 = the start."""
        row = runs_of(self.table.out, outcome)
        return row, runs_of(self.table.row, row)


def two_player_table(table: Table, player: int) -> TwoPlayerTable:
    """Take the rows of a table of two players apart; FormError where it has not two, or is not zero-sum."""
    if len(table.players) != 2:
        raise FormError(f"{table.spec}: has {many(len(table.players), 'player')}; a one-sided game has 2")
    if player not in (0, 1):
        raise FormError(f"{table.spec}: player {player}, expected a player from 0 to 1")
    mine, legal = player_view(table, player), legal_by_state(table, 1 - player)
    sizes = np.append(table.legal_size, 1).astype(np.int64)  # the last for those who do not move
    wide, tall = sizes[np.maximum(mine.legal, -1)], sizes[np.maximum(legal, -1)]
    first = slice(table.out[START], table.out[START + 1])
    begun = table.prob[first] * table.reward[table.event[first], player]
    paid = np.bincount(np.zeros(len(begun), np.int64), weights=begun, minlength=1)  # added in order, as all are
    game = TwoPlayerTable(table, mine, legal, wide, tall, float(paid[0]))
    _require_zero_sum(game)
    return game


def _require_zero_sum(game: TwoPlayerTable) -> None:
    """What one player wins the other must lose, in every step; otherwise say where it does not."""
    table = game.table
    left = np.abs(table.reward.sum(axis=1))
    wrong = left > ROUNDING * np.maximum(1.0, np.abs(table.reward).max(axis=1, initial=0.0))
    if wrong.any():
        outcome = int(np.argmax(wrong[table.event]))
        at = int(game.origin(np.array([outcome]))[1][0])
        where = "at the start" if at < 0 else f"after {brief(table.states[at])}"
        paid = brief(tuple(table.reward[table.event[outcome]].tolist()))
        raise FormError(f"{table.spec}: is not zero-sum: {paid} is paid {where}; a one-sided game must be")


def relaxation(game: TwoPlayerTable) -> str:
    """In words what the form shows it that the game does not; "" where it sees everything anyway.

    It sees everything when its observation of a step, the state and its own action leave open neither the next state
    nor what the blind player did and saw: the blind player's belief follows from these, and good replies from that.
    """
    from fogbound.forms.one_sided.kernels import StepInformation, unobserved

    table, mine, theirs = game.table, game.mine, game.theirs
    last = np.zeros((4, len(theirs.observations)), np.int64)
    steps = (table.row, table.out, table.next, table.actor_set, game.wide, game.tall, mine.obs, theirs.obs, *last)
    states, doings = map(bool, unobserved(StepInformation(*steps), mine.player))
    if not states and not doings:
        return ""
    blind, informed = table.players[mine.player], table.players[theirs.player]
    what = " and of ".join(["the state"] * states + [f"what {blind} does and sees"] * doings)
    return f"{informed} is also informed of {what}, so values are lower bounds of what {blind} can secure"


def check_legal_actions(game: TwoPlayerTable, label: Ints) -> None:
    """GameError for two states that look alike to the blind player and offer it different actions.

    label [S + outcomes of the start]: what the player knows in a state, and after a start, as
    `forms.kernels.partition.confusable` finds it.
    """
    if _several(game.mine).any() and _legal_actions_differ(game, label):
        _raise_difference(game, label)


def _legal_actions_differ(game: TwoPlayerTable, label: Ints) -> bool:
    from fogbound.forms.one_sided.kernels import OfferedActions, legal_actions_clash

    table, mine = game.table, game.mine
    state = np.concatenate([np.arange(table.size), table.next[: table.out[1]]])
    order = np.argsort(label, kind="stable")
    order = order[np.count_nonzero(label < 0) :]
    steps = (table.row, table.out, table.next, table.event, np.ascontiguousarray(table.seen[:, mine.player]))
    offers = (mine.legal, game.wide, game.tall, label[order], state[order])
    seen = len(table.observations[mine.player])
    offered = OfferedActions(*steps, *offers, np.full(seen, -1, np.int64), np.zeros(seen, np.int64))
    return bool(legal_actions_clash(offered, mine.player))


def _raise_difference(game: TwoPlayerTable, label: Ints) -> None:
    """GameError with the first two states that clash."""
    table, player = game.table, game.mine.player
    suspects = np.flatnonzero(_several(game.mine)[game.mine.obs])
    state = np.concatenate([np.arange(table.size), table.next[: table.out[1]], [table.size]])
    knowledge = np.append(label, label.max() + 1)  # the last is what is known before the start
    order = np.argsort(state, kind="stable")
    order = order[knowledge[order] >= 0]
    first = starts(state[order], table.size + 1)
    source = game.origin(suspects)[1]
    source = np.where(source < 0, table.size, source)
    count = np.diff(first)[source]
    outcome = np.repeat(suspects, count)
    before = knowledge[order[ranges(first[source], count)]]
    key = (before * (int(game.wide.max()) + 1) + game.move[game.origin(outcome)[0]]) * len(table.observations[player])
    key += table.seen[table.event[outcome], player]
    legal = game.mine.legal[table.next[outcome]]
    order = np.lexsort((legal, key))
    wrong = np.flatnonzero((np.diff(key[order]) == 0) & (np.diff(legal[order]) != 0))
    one, other = ((int(table.next[outcome[k]]), int(legal[k])) for k in (order[wrong[0]], order[wrong[0] + 1]))
    raise GameError(clash(table, player, one, other))


def _several(view: PlayerView) -> Ints:
    """[observations] 1 where the player is asked, and its observation also comes with other legal actions."""
    legal_sets: dict[object, set[int]] = {}
    for seen, legal in view.observations:
        if legal >= 0:
            legal_sets.setdefault(seen, set()).add(legal)
    return np.array([legal >= 0 and len(legal_sets[seen]) > 1 for seen, legal in view.observations], np.int64)


@dataclass(frozen=True, eq=False)
class InformationPartition:
    """N members, which are states in which play goes on, sorted by their partition.

    A state has one member, and one more for each first observation that must be remembered: where two first
    observations lead into one partition, or one into several, what begins so is a partition of its own. Play never
    returns to it, so nothing is forgotten of the start, and nothing that only the start confuses stays confused.
    """

    state: Ints  # [N] the table's state
    part: Ints  # [N] its partition
    place: Ints  # [S] the member to which steps lead; -1 = none does, or play is over there
    start: Floats  # [N] probability that play begins there
    opening: dict[int, Observation]  # partitions in which play may begin: what is seen then


def information_partition(game: TwoPlayerTable) -> InformationPartition:
    """Unite what the blind player cannot tell apart. GameError where its legal actions would tell it."""
    from fogbound.forms.kernels.partition import confusable

    check()
    table = game.table
    move, moves = game.digits(game.mine.player), int(game.wide.max(initial=1))
    steps = (table.row, move, table.out, table.next, game.mine.obs)
    label = confusable(*steps, moves, len(game.mine.observations))
    check()
    check_legal_actions(game, label)
    observations = _first_observations(game)
    shared = _shared(game, observations, label)
    apart = [np.unique(table.next[begun]) for observation, begun in observations.items() if observation not in shared]
    return _members(game, label, observations, shared, apart)


def _first_observations(game: TwoPlayerTable) -> dict[int, Ints]:
    """The outcomes of the start with which play goes on, by what the blind player sees of them."""
    table = game.table
    begun = np.flatnonzero(table.actor_set[table.next[: table.out[1]]] != 0)
    begun = begun[np.argsort(game.mine.obs[begun], kind="stable")]
    seen = game.mine.obs[begun]
    first = np.flatnonzero(heads(seen))
    return {int(seen[head]): lot for head, lot in zip(first, np.split(begun, first[1:]))}


def _shared(game: TwoPlayerTable, observations: dict[int, Ints], label: Ints) -> dict[int, int]:
    """The first observations that leave the player with what it may know later too, each with that set's label."""
    shared: dict[int, int] = {}
    taken = set[int]()
    for observation, begun in observations.items():
        check()
        labels = set(label[game.table.next[begun]].tolist())
        if len(labels) == 1 and not labels & ({-1} | taken):
            shared[observation] = min(labels)
            taken |= labels
    return shared


def _members(
    game: TwoPlayerTable, label: Ints, observations: dict[int, Ints], shared: dict[int, int], apart: list[Ints]
) -> InformationPartition:
    """Number the members: first those of openings apart, then states by the partition that came up first."""
    table = game.table
    live = np.flatnonzero((label[: table.size] >= 0) & (table.actor_set != 0))
    _, head, block = np.unique(label[live], return_index=True, return_inverse=True)
    rank = np.empty(len(head), np.int64)
    rank[np.argsort(head)] = np.arange(len(head))
    order = np.argsort(rank[block], kind="stable")
    ahead = np.repeat(np.arange(len(apart)), [len(lot) for lot in apart])
    state = np.concatenate([*apart, live[order]]).astype(np.int64)
    part = np.concatenate([ahead, len(apart) + rank[block][order]]).astype(np.int64)
    place = np.full(table.size, -1)
    place[live[order]] = len(ahead) + np.arange(len(live))
    start, opening = np.zeros(len(state)), dict[int, Observation]()
    offset, waiting = 0, iter(apart)
    for observation, begun in observations.items():
        member = place[table.next[begun]]
        if observation not in shared:
            lot = next(waiting)
            member, offset = offset + np.searchsorted(lot, table.next[begun]), offset + len(lot)
        np.add.at(start, member, table.prob[begun])
        opening[int(part[member[0]])] = game.mine.observations[observation][0]
    return InformationPartition(state, part, place, start, opening)


def successors_from_table(
    game: TwoPlayerTable, partition: InformationPartition, shape: tuple[Longs, Longs, Longs, Longs]
) -> tuple[Successors, Floats]:
    """All steps of members with which play goes on, as `sorted_successors` would sort them, and the rewards.

    shape is (state_start, reply_start, action_start, reward_start) of the form, as `OneSided` has them.
    """
    from fogbound.forms.one_sided.kernels import FormLayout, OneSidedTableArrays, SuccessorTransitions, lay_out

    table, player, observations = game.table, game.mine.player, len(game.mine.observations)
    paid = np.ascontiguousarray(table.reward[:, player])
    steps = OneSidedTableArrays(
        table.row, table.out, table.next, table.event, table.prob, game.mine.obs, paid, np.array([player])
    )
    first, reply_start, action_start, reward_start = shape
    parts = len(first) - 1
    placed = FormLayout(first, reply_start, action_start, partition.state, partition.place, reward_start)
    check()
    key, count = _counted(steps, placed, parts, observations)
    order = np.argsort(key)
    key, transition_start = key[order], offsets(count[order])
    successor_start, obs = np.searchsorted(key // observations, np.arange(action_start[-1] + 1)), key % observations
    size = int(transition_start[-1])
    source, to, prob = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size)
    reward = np.empty(reward_start[-1])
    check()
    ends = np.empty(observations, np.int64), np.empty(observations, np.int64)
    filled = SuccessorTransitions(successor_start, obs, transition_start, source, to, prob, reward, *ends)
    alike = lay_out(steps, placed, filled, parts)
    target = partition.part[to[transition_start[:-1]]]
    sorted_steps = Successors(successor_start, obs, target, transition_start, source, to, prob)
    return (_added_up(sorted_steps) if alike else sorted_steps), reward


def _counted(steps: OneSidedTableArrays, placed: FormLayout, parts: int, observations: int) -> tuple[Longs, Longs]:
    """(action * observations + observation, transitions) of every successor, as they come up."""
    from fogbound.forms.one_sided.kernels import FULL, SuccessorCounts, find_successors

    room = 1024 + 4 * int(placed.action_start[-1])
    while True:
        counts = SuccessorCounts(np.empty(room, np.int64), np.empty(room, np.int64), np.full(observations, -1))
        used = find_successors(steps, placed, counts, parts, observations, room)
        if used != FULL:
            return counts.key[:used], counts.count[:used]
        room *= 4


def _added_up(steps: Successors) -> Successors:
    """Transitions of a successor with one reply and one next state as one: they differ in what only the other sees."""
    fresh = heads(steps.source, steps.to)
    fresh[steps.transition_start[:-1]] = True
    prob = np.add.reduceat(steps.prob, np.flatnonzero(fresh))
    transition_start = offsets(fresh)[steps.transition_start]
    return Successors(
        steps.successor_start, steps.obs, steps.target, transition_start, steps.source[fresh], steps.to[fresh], prob
    )
