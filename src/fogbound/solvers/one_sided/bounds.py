"""The two bounds of a one-sided game: vectors below, points above, and what was learnt while finding them.

Horak, Bosansky, Kovarik and Kiekintveld (2023). A vector is what one strategy of the blind player guarantees in every
state of a partition; a point is a belief with what the other player can hold it to. At first the blind player plays at
random (below) and sees everything (above).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.forms.arrays import Floats, Ints, Longs, ranges
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.growing_pools import GrowingPools
from fogbound.solvers.one_sided.kernels.initial_bounds import rising_sweep, seen_sweep
from fogbound.solvers.one_sided.kernels.model import MOST_COLUMNS, POOLS, SCHEMA, BoundArrays, GameArrays, StageArrays
from fogbound.solvers.one_sided.kernels.stage_game import UNMIXED, bounds_at
from fogbound.solvers.one_sided.kernels.upper_bound import MOST_FACETS, note_cover
from fogbound.solvers.one_sided.shaping import ShapedGame, shaped_game

CLOSE = 1e-5  # share of the scale up to which they are swept
SWEEPS = 2_000


def initial_bounds(scaled: ShapedGame, game: GameArrays) -> tuple[Floats, Floats]:
    """([S] at most, [S] at least) what the blind player has in a state with allowed actions, shifted and scaled."""
    form, work = scaled.form, scaled.work()
    high, low, parts = scaled.sweep(), scaled.sweep(), len(game.state_start) - 1
    change = _swept(form, lambda: rising_sweep(game, high, parts, True))
    if form.discount < 1:
        high.values[:] += change * form.discount / (1 - form.discount)
    _swept(form, lambda: seen_sweep(game, work, high, parts))
    _swept(form, lambda: rising_sweep(game, low, parts, False))
    return high.values, low.values


def seeing_all(scaled: ShapedGame) -> Floats:
    """[S] what the blind player could have at most if it saw the state, with all its actions."""
    corner, _ = initial_bounds(scaled, scaled.game)
    return corner


def _swept(form: OneSided, sweep: Callable[[], float]) -> float:
    """Sweep until little changes: the last change. Without a discount, until nothing does."""
    change, undiscounted = np.inf, form.discount == 1
    for _ in range(form.size + 2 if undiscounted else SWEEPS):
        change = sweep()
        if change <= (0.0 if undiscounted else CLOSE):
            return float(change)
    if undiscounted:
        raise FormError(f"{form.spec}: without a discount play must end within a bounded number of steps")
    return float(change)


def playing_evenly(game: GameArrays, vector: int) -> tuple[Ints, Ints, Floats]:
    """The derivations of vectors, numbered by partition from `vector` on, of one who always plays evenly.

    ([P] where each begins, links, weights) as `kernels.model.BoundArrays` has them.
    """
    actions, parts = np.flatnonzero(game.allowed), len(game.action_start) - 1
    part = np.repeat(np.arange(parts), np.diff(game.action_start))[actions]
    count, ways = np.bincount(part, minlength=parts), np.diff(game.successor_start)[actions]
    first = np.cumsum(1 + ways) - (1 + ways) + part + 1  # one link says how many columns a partition has
    heads = np.searchsorted(part, np.arange(parts))
    derivation = first[heads] - 1
    link = np.zeros(int(ways.sum()) + len(actions) + parts, np.int64)
    weight = np.zeros(len(link))
    link[derivation], link[first], weight[first] = count, actions, 1.0 / count[part]
    link[ranges(first + 1, ways)] = vector + game.target[ranges(game.successor_start[actions], ways)]
    return derivation, link, weight


LISTS = ("vectors", "facets", "free_facets", "points")
NAMES = tuple(place.name for place in fields(BoundArrays))
EARLIER = 1.1  # times as many records until the cover of the start is kept again
STAGE_TOLERANCE = 0.01  # of the gap that a trial aims at: how exactly stage games are solved


def stage_room(scaled: ShapedGame) -> Longs:
    """[records, values, links] that a stage of each bound may add together."""
    game, wide = scaled.game, scaled.wide
    most = int(np.diff(game.successor_start[game.action_start]).max(initial=0))  # successors of a partition
    ways = int(np.diff(game.successor_start).max(initial=0))  # of an action
    facets = MOST_FACETS * most
    column, cover = 1 + ways, 1 + 2 * wide
    links = 1 + MOST_COLUMNS * column + scaled.replies + most * cover
    return 1 + np.array([facets + 2, (facets + 2) * (wide + 2), links])


def bound_pools(arrays: MutableMapping[str, NDArray[Any]]) -> GrowingPools:
    """The records of bounds, their values and their derivations."""
    return GrowingPools(POOLS, SCHEMA, arrays)


class OneSidedBounds:
    """Bounds on the value of a one-sided game, improved by trials.

    Parameters
    ----------
    form : OneSided
        The game.
    mask : array of bool, optional
        [J] the actions of the blind player that count; all of them if there is none.
    arrays : mutable mapping, optional
        All that is found, by name: to be kept, and gone on with by whoever gives it again.
    scaled : ShapedGame, optional
        The form for kernels, where it is at hand.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> from fogbound.solvers.one_sided.bounds import OneSidedBounds
    >>> bounds = OneSidedBounds(forms.one_sided(games.make("pursuit(columns=3)")))
    >>> lower, upper = bounds.interval()  # it plays at random; it sees everything
    >>> lower < 83.5 < upper
    True
    """

    def __init__(
        self,
        form: OneSided,
        mask: NDArray[np.bool_] | None = None,
        arrays: MutableMapping[str, Any] | None = None,
        scaled: ShapedGame | None = None,
    ) -> None:
        self.form, self.scaled = form, scaled or shaped_game(form)
        self.base = form.paid + float((form.start * self.scaled.least).sum())
        self.mask = np.ones(len(form.action_label), bool) if mask is None else _checked(form, mask)
        self.game = replace(self.scaled.game, allowed=self.mask)
        self.arrays: MutableMapping[str, Any] = {} if arrays is None else arrays
        self.room, self.work = stage_room(self.scaled), self.scaled.work()
        self._here: StageArrays | None = None
        self.earlier: list[tuple[int, list[list[tuple[int, float]]]]] = []  # records, and what covered the start then
        if "corner" not in self.arrays:
            self._begin()
        begun = np.add.reduceat(form.start, form.state_start[:-1]) if form.size else np.zeros(0)
        self.parts = np.flatnonzero(begun > 0)

    @property
    def records(self) -> BoundArrays:
        """Vectors, points and facets, for kernels."""
        return self.here.bounds

    @property
    def here(self) -> StageArrays:
        """All that a stage is solved with, for kernels: made anew when pools have been."""
        if self._here is None:
            bounds = self.pools.bundle(BoundArrays, NAMES)
            self._here = StageArrays(self.game, bounds, self.work)
        return self._here

    @property
    def pools(self) -> GrowingPools:
        """The arrays that grow."""
        return bound_pools(self.arrays)

    def make_room(self, more: Longs | None = None) -> None:
        """Room for more records, values and links: for what a stage of each bound may add where nothing is said."""
        if self.pools.make_room(self.room if more is None else more):
            self._here = None

    @property
    def touched(self) -> NDArray[np.bool_]:
        """[J] whether the blind player ever mixed an action into a stage's strategy."""
        mask: NDArray[np.bool_] = self.arrays["touched"]
        return mask

    @property
    def trials(self) -> int:
        """How many trials were begun."""
        return int(self.arrays["trials"][0])

    def _begin(self) -> None:
        """The first bounds; vectors that are there already stay."""
        form, game, arrays, parts = self.form, self.game, self.arrays, len(self.game.state_start) - 1
        arrays["corner"], low = initial_bounds(self.scaled, game)
        arrays["touched"], arrays["trials"] = np.zeros(len(form.action_label), bool), np.zeros(1, np.int64)
        self.pools.begin(np.zeros(len(POOLS), np.int64), {"partitions": parts, "states": form.size})
        newest, _, links = arrays["used"].tolist()
        derivation, link, weight = playing_evenly(game, newest)
        self.make_room(np.array([2 * parts, 2 * form.size, len(link)]) + self.room)
        records, new = self.records, slice(links, links + len(link))
        records.derivation[self._add("vectors", low)] = links + derivation
        records.link[new], records.weight[new] = link, weight
        records.used[2] += len(link)
        self._add("facets", np.zeros(form.size))

    def _add(self, name: str, values: Floats) -> slice:
        """A record of each partition with its states' values, as the newest of its list: their numbers."""
        records, parts = self.records, len(self.game.state_start) - 1
        number, begin, _ = records.used.tolist()
        new, lists = slice(number, number + parts), self.arrays[name]
        records.older[new], records.at[new], records.derivation[new] = lists, begin + self.game.state_start[:-1], -1
        records.value[begin : begin + len(values)] = values
        lists[:] = np.arange(number, number + parts)
        records.used[:2] += parts, len(values)
        return new

    def interval(self) -> tuple[float, float]:
        """The value of the game lies between these."""
        lower = upper = self.base
        for p in self.parts.tolist():
            low, high = self.at(p, self.form.start[self.form.states_of(p)], shift=False)
            lower, upper = lower + low, upper + high
        return lower, upper

    def at(self, partition: int, belief: Floats, shift: bool = True) -> tuple[float, float]:
        """Bounds at a belief over a partition, which need not be normalised."""
        own = self.form.states_of(partition)
        self.work.tau[: own.stop - own.start] = belief
        low, high = bounds_at(self.here, partition)
        base = float((belief * self.scaled.least[own]).sum()) if shift else 0.0
        return base + self.scaled.scale * low, base + self.scaled.scale * max(low, high)

    def cover(self, partition: int, belief: Floats) -> list[tuple[int, float]]:
        """The points that the upper bound at a belief comes from, with weights; what they leave is for the corners."""
        self.at(partition, belief)
        self.make_room()
        records, first = self.records, int(self.arrays["used"][2])
        end = note_cover(self.here, partition, len(belief), first)
        return list(zip(records.link[first + 1 : end].tolist(), records.weight[first + 1 : end].tolist(), strict=True))

    def start_covers(self) -> list[list[tuple[int, float]]]:
        """[partitions] the cover of the start by points, where these came from all actions; else none."""
        form, whole = self.form, bool(self.mask.all())
        starts = [form.start[form.states_of(p)] for p in range(len(form.state_start) - 1)]
        return [self.cover(p, start) if whole and start.any() else [] for p, start in enumerate(starts)]

    def note_earlier(self) -> None:
        """Keep what covers the start, whenever there are some more records: points are found from older ones alone."""
        records = int(self.arrays["used"][0])
        if not self.earlier or records >= EARLIER * self.earlier[-1][0]:
            self.earlier.append((records, self.start_covers()))

    def touch(self, mixed: Iterable[tuple[int, float]]) -> None:
        """Remember which actions were mixed."""
        for action, share in mixed:
            if share > UNMIXED:
                self.touched[action] = True

    def vectors(self, partition: int) -> Floats:
        """[n, states] what strategies of the blind player guarantee in the states of a partition."""
        own = self.form.states_of(partition)
        size = own.stop - own.start
        values = self._values("vectors", partition, size)
        shifted: Floats = self.scaled.least[own] + self.scaled.scale * values
        return shifted

    def scaled_vectors(self, partition: int) -> Floats:
        """[n, states] the vectors of a partition, shifted and scaled as kernels see them."""
        least = self.scaled.least[self.form.states_of(partition)]
        vectors: Floats = (self.vectors(partition) - least) / self.scaled.scale
        return vectors

    def points(self, partition: int) -> tuple[Floats, Floats]:
        """[n, states] beliefs, and [n] what the blind player can have there at most; the states alone come first."""
        own = self.form.states_of(partition)
        size = own.stop - own.start
        kept = self._values("points", partition, size + 2)
        beliefs = np.concatenate([np.eye(size), kept[:, :size]])
        values = np.concatenate([self.arrays["corner"][own], kept[:, size]])
        return beliefs, (beliefs * self.scaled.least[own]).sum(axis=1) + self.scaled.scale * values

    def record_numbers(self, name: str, partition: int) -> list[int]:
        """The numbers of a partition's vectors or points, the newest first."""
        numbers, record = [], int(self.arrays[name][partition])
        while record >= 0:
            numbers.append(record)
            record = int(self.arrays["older"][record])
        return numbers

    def _values(self, name: str, partition: int, size: int) -> Floats:
        """[n, size] the values of a partition's records."""
        at = self.arrays["at"][self.record_numbers(name, partition)].astype(np.int64)
        values: Floats = self.arrays["value"][at[:, None] + np.arange(size)]
        return values


def _checked(form: OneSided, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask, contiguous; FormError where it is of another game, or leaves the blind player nothing to do."""
    if mask.shape != form.action_label.shape or mask.dtype != bool:
        raise FormError(f"{form.spec}: a mask of {mask.shape} {mask.dtype}, expected one truth value an action")
    empty = np.flatnonzero(~np.logical_or.reduceat(mask, form.action_start[:-1]))
    if len(empty):
        raise FormError(f"{form.spec}: the mask leaves no action in partition {empty[0]}")
    return np.ascontiguousarray(mask)
