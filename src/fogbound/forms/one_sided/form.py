"""Games in which one of two players sees nothing and the other everything: what can be guaranteed in the fog.

The blind player knows its own actions and observations; the other knows the state, and all that the blind
one does and sees. One's gain is the other's loss. Whatever the blind player always knows is no part of its belief:
states are cut into partitions, and an action with an observation leads from one partition to one other.

Horak, Bosansky and Pechoucek (2017); Horak, Bosansky, Kovarik and Kiekintveld (2023).

Whether a one-sided game without a discount surely ends: only then is every value finite.

A one-sided form, such as a file describes, as a game of two players: then all that works on games works on it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_discount, require_moderate
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, brief, cut_short, many
from fogbound.core.game import AnyGame, Observation, Outcome
from fogbound.core.record import plain_words
from fogbound.forms.arrays import Floats, Ints, largest_total, offsets, ranges
from fogbound.forms.induced import WAIT
from fogbound.forms.one_sided.from_table import (
    InformationPartition,
    TwoPlayerTable,
    information_partition,
    relaxation,
    successors_from_table,
    two_player_table,
)
from fogbound.forms.protocol import NOTHING, Described, Form, FormGame, Question, canonical_arrays, derive
from fogbound.forms.table import MOST_STATES, Table

SURE = 1e-9  # play that ends less likely than this in a step is taken to go on


def require_play_to_end(form: OneSided) -> None:
    """FormError where play is not discounted and can go on for ever, naming a state."""
    if form.discount < 1:
        return
    stuck = endless(form)
    if len(stuck):
        raise FormError(
            f"{form.spec}: is not discounted and need not end: play can go on for ever from "
            f"{brief(form.states[int(stuck[0])])} (and {many(len(stuck) - 1, 'more state')}). Cut it, such as "
            f"{cut_short(form.spec)}, or give it a discount below 1"
        )


def endless(form: OneSided) -> Ints:
    """States from which some joint play goes on for ever: the largest set that can keep to itself."""
    owner = form.state_of_reply[form.reply_of_reward]  # of each reward
    cell = form.cells()
    inside = np.ones(form.size, bool)
    while True:
        stays = np.bincount(cell, weights=form.prob * inside[form.to], minlength=len(form.reward)) > 1 - SURE
        keeps = inside & (np.bincount(owner, weights=stays, minlength=form.size) > 0)
        if (keeps == inside).all():
            return np.flatnonzero(inside)
        inside = keeps


OFFSETS = ("state_start", "reply_start", "action_start", "successor_start", "transition_start", "reward_start")
INTS = (*OFFSETS, "reply_label", "action_label", "obs", "target", "source", "to")
FLOATS = ("prob", "reward", "start")


@dataclass(frozen=True, eq=False, repr=False)
class OneSided(Described):
    """S running states in P partitions (what the blind player always knows), numbered partition by partition.

    The blind player is the partially informed one, `player`; the other is fully informed. There are

    - J actions: of the blind player, in a partition;
    - K replies: a state and an action of the other there. Both choose at once; but the other knows the state;
    - B successors: an action and an observation with which play goes on, to one target partition;
    - E transitions: a successor and a reply, to a state of the target.

    What belongs to one thing lies together: `x_start` says where the x of each begin, and ends with where the last ones
    end. States in which play is over are left out: what leads there leaves the game, so transitions of an action and a
    reply may sum to less than 1. Values are the blind player's, who maximises: `paid`, and the values of the partitions
    of `start`, where a step brings `reward` and what follows it counts `discount`.

    Parameters
    ----------
    spec
        The spec of the game, or the name of the model.
    discount
        What follows a step counts so much less.
    player
        The partially informed player.
    state_start : [P+1]
        Where the states of a partition begin.
    reply_start : [S+1]
        Where the replies of a state begin; it has at least one.
    reply_label : [K]
        The label of the action; WAIT where the fully informed player does not move.
    action_start : [P+1]
        Where the actions of a partition begin; it has at least one.
    action_label : [J]
        The label of the action; WAIT where the blind player is not asked.
    successor_start : [J+1]
        Where the successors of an action begin.
    obs : [B]
        The observation, as an index into `observations`.
    target : [B]
        The partition that follows.
    transition_start : [B+1]
        Where the transitions of a successor begin, sorted by reply.
    source : [E]
        The reply that it belongs to.
    to : [E]
        The state that follows, of the target partition.
    prob : [E]
        The probability of the transition.
    reward_start : [J+1]
        Where the rewards of an action begin, one for each reply of its partition.
    reward : [reward_start[J]]
        The expected reward of an action and a reply.
    start : [S]
        The probability that play begins there; what is missing to 1 is over at once.
    paid
        The expected reward before the first step.
    relaxed
        Of what the other is informed beyond the game, so that values are lower bounds; empty where of nothing.
    states : [S]
        The states, by label.
    actions
        The labels of the blind player's actions, and of the other's.
    observations
        The observations, by number; two may look alike and differ in the legal actions that follow.
    opening
        What is seen first, for each partition in which play may begin.
    table
        The table that it came from, when from a game.
    """

    kind: ClassVar[str] = "one-sided"
    made_from: ClassVar[str] = "table"
    against: ClassVar[str] = NOTHING
    certified_as: ClassVar[str] = "one-sided"

    spec: str
    discount: float
    player: int
    state_start: Ints  # [P+1]
    reply_start: Ints  # [S+1]
    reply_label: Ints  # [K]
    action_start: Ints  # [P+1]
    action_label: Ints  # [J]
    successor_start: Ints  # [J+1]
    obs: Ints  # [B]
    target: Ints  # [B]
    transition_start: Ints  # [B+1]
    source: Ints  # [E]
    to: Ints  # [E]
    prob: Floats  # [E]
    reward_start: Ints  # [J+1]
    reward: Floats  # [reward_start[J]]
    start: Floats  # [S]
    paid: float
    relaxed: str
    states: list[Hashable] = field(repr=False)  # [S]
    actions: tuple[list[Hashable], list[Hashable]] = field(repr=False)
    observations: list[Observation] = field(repr=False)
    opening: dict[int, Observation] = field(repr=False)
    table: Table | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        require_discount(self.spec, self.discount, zero=True)
        require_moderate(self.spec, float(np.abs(self.reward).max(initial=0.0)))

    @property
    def size(self) -> int:
        """How many states there are."""
        return len(self.reply_start) - 1

    @property
    def origin(self) -> Table | None:
        """The table of the game, when it came from one and nothing was granted beyond it."""
        return None if self.relaxed else self.table

    @property
    def players(self) -> tuple[str, ...]:
        """The players of the game that it came from; of a file, by what they see."""
        if self.table is not None:
            return self.table.players
        return ("blind", "seeing") if self.player == 0 else ("seeing", "blind")

    @property
    def constant_sum(self) -> float:
        return 0.0

    @property
    def largest(self) -> float:
        return largest_total(self.reward, self.discount)

    def describe(self) -> str:
        parts = f"{many(self.size, 'state')} in {many(len(self.action_start) - 1, 'partition')}"
        return f"one-sided game, {parts}, {many(len(self.action_label), 'action')}"

    @classmethod
    def derive(cls, source: Table, question: Question) -> OneSided:
        return one_sided(source, question.player, **question.most)

    def as_game(self) -> AnyGame:
        """The form as a game of two players."""
        return OneSidedGame(self)

    @cached_property
    def part(self) -> Ints:
        """[S] the partition of a state."""
        return np.repeat(np.arange(len(self.state_start) - 1), np.diff(self.state_start))

    @cached_property
    def part_of_action(self) -> Ints:
        """[J] the partition of an action."""
        return np.repeat(np.arange(len(self.action_start) - 1), np.diff(self.action_start))

    @property
    def state_of_reply(self) -> Ints:
        """[K] the state of a reply."""
        return np.repeat(np.arange(self.size), np.diff(self.reply_start))

    @property
    def reply_of_reward(self) -> Ints:
        """[rewards] the reply for which a reward is."""
        return ranges(self.reply_start[self.state_start[self.part_of_action]], np.diff(self.reward_start))

    def cells(self) -> Ints:
        """[E] the reward of the step that a transition belongs to: its action and reply as one number."""
        actions = np.repeat(np.arange(len(self.action_label)), np.diff(self.successor_start))
        action = np.repeat(actions, np.diff(self.transition_start))
        return self.reward_start[action] + self.source - self.reply_start[self.state_start[self.part_of_action[action]]]

    def states_of(self, part: int) -> slice:
        """The states of a partition."""
        return slice(int(self.state_start[part]), int(self.state_start[part + 1]))

    def actions_of(self, part: int) -> range:
        """The blind player's actions in a partition."""
        return range(int(self.action_start[part]), int(self.action_start[part + 1]))

    def replies_of(self, part: int) -> slice:
        """The other's replies in all states of a partition."""
        states = self.states_of(part)
        return slice(int(self.reply_start[states.start]), int(self.reply_start[states.stop]))

    def successors_of(self, action: int) -> range:
        """What may follow an action."""
        return range(int(self.successor_start[action]), int(self.successor_start[action + 1]))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The form in the canonical layout that certificates are hashed over."""
        numbers = {"discount": float(self.discount), "paid": float(self.paid)}
        return canonical_arrays(self, INTS, FLOATS, player=self.player, **numbers)


def one_sided(source: AnyGame | Form, player: int = 0, limit: int = MOST_STATES) -> OneSided:
    """The game in which `player` knows what it sees and the other player knows everything.

    Where the game shows the other player less, `relaxed` says so: the form then bounds the game from below.

    Parameters
    ----------
    source : AnyGame or Form
        A zero-sum game of two players.
    player : int
        The partially informed player, who maximises.
    limit : int
        The most states that are looked at.

    Returns
    -------
    OneSided

    Raises
    ------
    FormError
        For a game that has not two players, is not zero-sum, or neither ends nor is discounted.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> form = forms.one_sided(games.make("pursuit(columns=3)"))
    >>> form.size, len(form.state_start) - 1  # states, partitions
    (140, 40)
    """
    if isinstance(source, OneSidedGame) and source.form.player == player:
        return source.form
    game = two_player_table(derive(source, Table, Question(player, limit=limit)), player)
    partition = information_partition(game)
    if not len(partition.state):
        raise FormError(f"{game.table.spec}: is over before the first step, with value {game.paid:g}")
    form = _laid_out(game, partition)
    require_play_to_end(form)
    return form


def _laid_out(game: TwoPlayerTable, partition: InformationPartition) -> OneSided:
    source, state, part = game.table, partition.state, partition.part
    relaxed = relaxation(game)
    first = np.searchsorted(part, np.arange(int(part[-1]) + 2))
    reply_start, action_start = offsets(game.tall[state]), offsets(game.wide[state[first[:-1]]])
    replies = np.diff(reply_start[first])  # of a partition
    reward_start = offsets(np.repeat(replies, np.diff(action_start)))
    steps, reward = successors_from_table(game, partition, (first, reply_start, action_start, reward_start))
    return OneSided(
        spec=source.spec,
        discount=source.discount,
        player=game.mine.player,
        state_start=first,
        reply_start=reply_start,
        reply_label=_labels(source, game.legal, state),
        action_start=action_start,
        action_label=_labels(source, game.mine.legal, state[first[:-1]]),
        **vars(steps),
        reward_start=reward_start,
        reward=reward,
        start=partition.start,
        paid=game.paid,
        relaxed=relaxed,
        states=[source.states[s] for s in state.tolist()],
        actions=(source.actions, source.actions),
        observations=[seen for seen, _ in game.mine.observations],
        opening=partition.opening,
        table=source,
    )


def _labels(source: Table, legal_sets: Ints, state: Ints) -> Ints:
    """The labels of a player's actions in each of some states, one after the other; WAIT where it does not move."""
    legal = legal_sets[state]
    count = np.where(legal >= 0, source.legal_size[legal], 1)
    which = np.repeat(legal, count)
    inside = ranges(np.zeros(len(legal), np.int64), count)
    return np.where(which >= 0, source.legal_actions[which, inside], WAIT).astype(np.int64)


OVER = -1
ROUNDING = 1e-12  # what adding up probabilities may leave


@dataclass(frozen=True, eq=False)
class OneSidedGame(FormGame[OneSided, int, Hashable]):
    """The blind player sees its observations, the other everything. A step brings the form's expected reward.

    States are the form's numbers, which stay apart where labels do not; -1 is the end.

    Parameters
    ----------
    form
        The one-sided form to be played.
    """

    name: ClassVar[str] = "one-sided"

    def start(self) -> Dist[Outcome[int]]:
        begun = np.flatnonzero(self.form.start).tolist()
        led = [(s, self.form.opening[int(self.form.part[s])], None, float(self.form.start[s])) for s in begun]
        return self._outcomes(led, self.form.paid, None)

    def actors(self, state: int) -> tuple[int, ...]:
        return tuple(player for player in (0, 1) if self._labels(state, player)[0] != WAIT) if state != OVER else ()

    def actions(self, state: int, player: int) -> Sequence[Hashable]:
        words = self.form.actions[0 if player == self.form.player else 1]
        return tuple(words[label] for label in self._labels(state, player))

    def step(self, state: int, joint: tuple[Hashable, ...]) -> Dist[Outcome[int]]:
        form, taken = self.form, dict(zip(self.actors(state), joint))
        number = {player: self.actions(state, player).index(action) for player, action in taken.items()}
        part = int(form.part[state])
        action = int(form.action_start[part]) + number.get(form.player, 0)
        reply = int(form.reply_start[state]) + number.get(1 - form.player, 0)
        led = []
        for b in form.successors_of(action):
            low, high = int(form.transition_start[b]), int(form.transition_start[b + 1])
            begin, end = low + np.searchsorted(form.source[low:high], [reply, reply + 1])
            seen = form.observations[form.obs[b]]
            led += [(int(form.to[e]), seen, int(form.obs[b]), float(form.prob[e])) for e in range(begin, end)]
        reward = float(form.reward[form.reward_start[action] + reply - form.replies_of(part).start])
        return self._outcomes(led, reward, taken.get(form.player))

    def describe_state(self, state: int) -> str:
        return "over" if state == OVER else plain_words(self.form.states[state])

    def describe_private(self, seen: Hashable, player: int) -> str:
        if player == self.form.player or not isinstance(seen, tuple):
            return plain_words(seen)
        state, action, obs = seen  # what the fully informed player sees
        told = [self.describe_state(state)] + ([] if action is None else [f"the other's {plain_words(action)}"])
        return "; ".join(told if obs is None else [*told, f"observation {plain_words(self.form.observations[obs])}"])

    def _labels(self, state: int, player: int) -> list[int]:
        """The labels of what a player may do; WAIT alone where it does not move."""
        form = self.form
        if player == form.player:
            part = int(form.part[state])
            return form.action_label[form.actions_of(part)].tolist()  # type: ignore[no-any-return]
        return form.reply_label[form.reply_start[state] : form.reply_start[state + 1]].tolist()  # type: ignore[no-any-return]

    def _outcomes(
        self, led: Sequence[tuple[int, Observation, int | None, float]], paid: float, action: Hashable
    ) -> Dist[Outcome[int]]:
        """Outcomes for (state, what the blind player sees, its number, probability); what is missing is the end."""
        player, rewards = self.form.player, (paid, 0.0 - paid)
        rewards, pairs = rewards if player == 0 else rewards[::-1], []
        for state, seen, obs, p in led:
            shown = (seen.private, (state, action, obs))
            pairs.append((Outcome(state, rewards, seen.public, shown if player == 0 else shown[::-1]), p))
        missing = 1.0 - math.fsum(p for _, p in pairs)
        if missing > ROUNDING:
            pairs.append((Outcome(OVER, rewards, "over"), missing))
        return Dist.of(pairs)


__all__ = ["WAIT", "OneSided", "one_sided"]
