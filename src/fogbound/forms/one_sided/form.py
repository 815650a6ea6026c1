"""Games in which one of two players sees nothing and the other everything: what can be guaranteed in the fog.

The blind player knows its own actions and observations; the seeing player knows the state, and all that the blind
one does and sees. One's gain is the other's loss. Whatever the blind player always knows is no part of its belief:
states are cut into partitions, and a slot (partition, action) with an observation leads to one partition.

Horak, Bosansky and Pechoucek (2017); Horak, Bosansky, Kovarik and Kiekintveld (2023).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, brief
from fogbound.core.game import AnyGame, Game, Observation, Outcome
from fogbound.forms.arrays import Floats, Ints, offsets, ranges, starts
from fogbound.forms.induced import WAIT
from fogbound.forms.one_sided.from_table import (
    InformationPartition,
    TwoPlayerTable,
    branches_from_table,
    information_partition,
    relaxation,
    two_player_table,
)
from fogbound.forms.protocol import NOTHING, Described, Question
from fogbound.forms.table import MOST_STATES, Table, table

# Whether a one-sided game without a discount surely ends: only then is every value finite.


SURE = 1e-9  # play that ends less likely than this in a step is taken to go on


def require_ending(form: OneSided) -> None:
    """FormError where play is not discounted and can go on for ever, naming a state."""
    if form.discount < 1:
        return
    stuck = endless(form)
    if len(stuck):
        raise FormError(
            f"{form.spec}: is not discounted and need not end: play can go on for ever from "
            f"{brief(form.states[int(stuck[0])])} (and {len(stuck) - 1:,} more states). Cut the game with "
            "horizon(game, steps), or give it a discount below 1"
        )


def endless(form: OneSided) -> Ints:
    """States from which some joint play goes on for ever: the largest set that can keep to itself."""
    state = np.repeat(np.arange(form.size), np.diff(form.row))  # of each row
    owner = state[ranges(form.row[form.first[form.part_of_slot]], np.diff(form.pay))]  # of each (slot, row)
    cell = form.cells()
    inside = np.ones(form.size, bool)
    while True:
        stays = np.bincount(cell, weights=form.prob * inside[form.to], minlength=len(form.reward)) > 1 - SURE
        keeps = inside & (np.bincount(owner, weights=stays, minlength=form.size) > 0)
        if (keeps == inside).all():
            return np.flatnonzero(inside)
        inside = keeps


INTS = ("first", "row", "seeing", "slot", "action", "branch", "obs", "target", "entry", "source", "to", "pay")
FLOATS = ("prob", "reward", "start")


@dataclass(frozen=True, eq=False, repr=False)
class OneSided(Described):
    """S running states in P partitions (what the blind player always knows), numbered partition by partition.

    K rows (state, the seeing player's action), J slots (partition, the blind player's action), B branches, E entries.
    States in which play is over are left out: what leads there leaves the game, so entries of a slot and a row may
    sum to less than 1. Values are the blind player's, who maximises: `paid`, and what the partitions of `start` are
    worth, where a step pays `reward` and what follows it counts `discount`.
    """

    kind: ClassVar[str] = "one-sided"
    made_from: ClassVar[str] = "table"
    against: ClassVar[str] = NOTHING
    certified_as: ClassVar[str] = "one-sided"

    spec: str
    discount: float
    blind: int  # the player that does not see
    first: Ints  # [P+1] the states of a partition
    row: Ints  # [S+1] rows of a state, at least one
    seeing: Ints  # [K] label of the row's action; WAIT = the seeing player does not move
    slot: Ints  # [P+1] slots of a partition, at least one
    action: Ints  # [J] label of the slot's action; WAIT = the blind player is not asked
    branch: Ints  # [J+1] branches of a slot: an observation with which play goes on
    obs: Ints  # [B] the observation
    target: Ints  # [B] the partition that follows
    entry: Ints  # [B+1] entries of a branch, sorted by row
    source: Ints  # [E] the row
    to: Ints  # [E] the state, of the target partition
    prob: Floats  # [E]
    pay: Ints  # [J+1] where a slot's rewards begin, one for each row of its partition
    reward: Floats  # [pay[J]] expected pay of (slot, row)
    start: Floats  # [S] probability that play begins there; what is missing to 1 is over at once
    paid: float  # expected pay before the first step
    relaxed: str  # "", or what the seeing player is granted beyond the game: then values are lower bounds
    states: list[Hashable] = field(repr=False)  # [S]
    actions: tuple[list[Hashable], list[Hashable]] = field(repr=False)  # the blind player's, the seeing player's
    observations: list[Observation] = field(repr=False)  # two may look alike and differ in the menu that follows
    opening: dict[int, Observation] = field(
        repr=False
    )  # what is seen first, for each partition in which play may begin
    table: Table | None = field(default=None, repr=False)  # where it came from, when from a game

    @property
    def size(self) -> int:
        return len(self.row) - 1

    @property
    def player(self) -> int:
        """The player that it is about."""
        return self.blind

    @property
    def origin(self) -> Table | None:
        """The table of the game, when it came from one."""
        return self.table

    @property
    def players(self) -> tuple[str, ...]:
        """The players of the game that it came from; of a file, by what they see."""
        if self.table is not None:
            return self.table.players
        return ("blind", "seeing") if self.blind == 0 else ("seeing", "blind")

    @property
    def constant_sum(self) -> float:
        return 0.0

    def describe(self) -> str:
        parts = f"{self.size:,} states in {len(self.slot) - 1:,} partitions"
        return f"one-sided game, {parts}, {len(self.action):,} actions"

    @classmethod
    def derive(cls, source: Table, question: Question) -> OneSided:
        return one_sided(source, question.player, **question.most)

    def as_game(self) -> AnyGame:
        """The form as a game of two players."""
        return OneSidedGame(self)

    @cached_property
    def part(self) -> Ints:
        """[S] the partition of a state."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    @cached_property
    def part_of_slot(self) -> Ints:
        """[J] the partition of a slot."""
        return np.repeat(np.arange(len(self.slot) - 1), np.diff(self.slot))

    def cells(self) -> Ints:
        """[E] which reward is paid in the step that an entry belongs to: its slot and row as one number."""
        slot = np.repeat(np.repeat(np.arange(len(self.action)), np.diff(self.branch)), np.diff(self.entry))
        return self.pay[slot] + self.source - self.row[self.first[self.part_of_slot[slot]]]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The form in the canonical layout that certificates are hashed over."""
        plain: dict[str, NDArray[Any]] = {name: getattr(self, name).astype("<i8") for name in INTS}
        plain |= {name: getattr(self, name).astype("<f8") for name in FLOATS}
        plain["blind"] = np.array([self.blind], "<i8")
        plain["discount"], plain["paid"] = np.array([self.discount], "<f8"), np.array([self.paid], "<f8")
        return plain


def one_sided(source: AnyGame | Table, blind: int = 0, limit: int = MOST_STATES) -> OneSided:
    """The game in which player `blind` knows what it sees and the other player knows everything.

    Where the game shows the other player less, `relaxed` says so: the form then bounds the game from below. FormError
    for a game that has not two players, is not zero-sum, or neither ends nor is discounted.
    """

    if isinstance(source, OneSidedGame) and source.form.blind == blind:
        return source.form
    game = two_player_table(source if isinstance(source, Table) else table(source, limit), blind)
    found = information_partition(game)
    if not len(found.state):
        raise FormError(f"{game.table.spec}: is over before the first step, and worth {game.paid:g}")
    form = _laid_out(game, found)
    require_ending(form)
    return form


def _laid_out(game: TwoPlayerTable, found: InformationPartition) -> OneSided:
    source, state, part = game.table, found.state, found.part
    relaxed = relaxation(game)
    first = starts(part, int(part[-1]) + 1)
    row, slot = offsets(game.tall[state]), offsets(game.wide[state[first[:-1]]])
    depth = np.diff(row[first])  # rows of a partition
    pay = offsets(np.repeat(depth, np.diff(slot)))
    ways, reward = branches_from_table(game, found, (first, row, slot, pay))
    return OneSided(
        spec=source.spec,
        discount=source.discount,
        blind=game.mine.player,
        first=first,
        row=row,
        seeing=_labels(source, game.legal, state),
        slot=slot,
        action=_labels(source, game.mine.legal, state[first[:-1]]),
        **vars(ways),
        pay=pay,
        reward=reward,
        start=found.start,
        paid=game.paid,
        relaxed=relaxed,
        states=[source.states[s] for s in state.tolist()],
        actions=(source.actions, source.actions),
        observations=[seen for seen, _ in game.mine.observations],
        opening=found.opening,
        table=source,
    )


def _labels(source: Table, legal_sets: Ints, state: Ints) -> Ints:
    """The labels of a player's actions in each of some states, one after the other; WAIT where it does not move."""
    legal = legal_sets[state]
    count = np.where(legal >= 0, source.legal_size[legal], 1)
    which = np.repeat(legal, count)
    inside = ranges(np.zeros(len(legal), np.int64), count)
    return np.where(which >= 0, source.legal_actions[which, inside], WAIT).astype(np.int64)


# A one-sided form, such as a file describes, as a game of two players: then all that works on games works on it.


OVER = -1
ROUNDING = 1e-12  # what adding up probabilities may leave


@dataclass(frozen=True, eq=False)
class OneSidedGame(Game[int, Hashable]):
    """The blind player sees its observations, the other everything. A step pays what the form expects it to pay.

    States are the form's numbers, which stay apart where labels do not; -1 is the end.
    """

    form: OneSided = field(repr=False)

    name: ClassVar[str] = "one-sided"

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", self.form.players)

    @property
    def origin(self) -> OneSided:
        return self.form

    @property
    def discount(self) -> float:  # type: ignore[override]
        return self.form.discount

    def start(self) -> Dist[Outcome[int]]:
        begun = np.flatnonzero(self.form.start).tolist()
        led = [(s, self.form.opening[int(self.form.part[s])], None, float(self.form.start[s])) for s in begun]
        return self._outcomes(led, self.form.paid, None)

    def actors(self, state: int) -> tuple[int, ...]:
        return tuple(player for player in (0, 1) if self._labels(state, player)[0] != WAIT) if state != OVER else ()

    def actions(self, state: int, player: int) -> Sequence[Hashable]:
        words = self.form.actions[0 if player == self.form.blind else 1]
        return tuple(words[label] for label in self._labels(state, player))

    def step(self, state: int, joint: tuple[Hashable, ...]) -> Dist[Outcome[int]]:
        form, taken = self.form, dict(zip(self.actors(state), joint))
        number = {player: self.actions(state, player).index(action) for player, action in taken.items()}
        part = int(form.part[state])
        slot = int(form.slot[part]) + number.get(form.blind, 0)
        row = int(form.row[state]) + number.get(1 - form.blind, 0)
        led = []
        for b in range(form.branch[slot], form.branch[slot + 1]):
            low, high = int(form.entry[b]), int(form.entry[b + 1])
            begin, end = low + np.searchsorted(form.source[low:high], [row, row + 1])
            seen = form.observations[form.obs[b]]
            led += [(int(form.to[e]), seen, int(form.obs[b]), float(form.prob[e])) for e in range(begin, end)]
        pay = float(form.reward[form.pay[slot] + row - form.row[form.first[part]]])
        return self._outcomes(led, pay, taken.get(form.blind))

    def _labels(self, state: int, player: int) -> list[int]:
        """The labels of what a player may do; WAIT alone where it does not move."""
        form = self.form
        if player == form.blind:
            part = int(form.part[state])
            return form.action[form.slot[part] : form.slot[part + 1]].tolist()  # type: ignore[no-any-return]
        return form.seeing[form.row[state] : form.row[state + 1]].tolist()  # type: ignore[no-any-return]

    def _outcomes(
        self, led: Sequence[tuple[int, Observation, int | None, float]], paid: float, action: Hashable
    ) -> Dist[Outcome[int]]:
        """Outcomes for (state, what the blind player sees, its number, probability); what is missing is the end."""
        player, pay = self.form.blind, (paid, 0.0 - paid)
        pay, pairs = pay if player == 0 else pay[::-1], []
        for state, seen, obs, p in led:
            shown = (seen.private, (state, action, obs))
            pairs.append((Outcome(state, pay, seen.public, shown if player == 0 else shown[::-1]), p))
        missing = 1.0 - math.fsum(p for _, p in pairs)
        if missing > ROUNDING:
            pairs.append((Outcome(OVER, pay, "over"), missing))
        return Dist.of(pairs)

    def __str__(self) -> str:
        return self.form.spec


__all__ = ["WAIT", "OneSided", "one_sided"]
