"""Stage games of one-sided games: compiled, by a double oracle and by one linear program they are the same games."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
import pytest

from fogbound import forms
from fogbound.core import Dist, Game, Outcome, SpecError
from fogbound.core.errors import FormError
from fogbound.driver.protocol import Until
from fogbound.forms.one_sided.form import OneSided
from fogbound.games import make
from fogbound.games.random_game import RandomGame
from fogbound.solvers import make as make_solver
from fogbound.solvers.linear_programs.highs import GrowingLP
from fogbound.solvers.one_sided.bounds import NAMES, OneSidedBounds, bound_pools
from fogbound.solvers.one_sided.heuristic_search import TrialSearch
from fogbound.solvers.one_sided.kernels import master, stage_game
from fogbound.solvers.one_sided.kernels.model import (
    BoundArrays,
    GameArrays,
    StageArrays,
    add_record,
    best_record,
    new_workspace,
    sawtooth,
)
from fogbound.solvers.one_sided.kernels.upper_bound import MOST_FACETS, hull
from fogbound.solvers.one_sided.shaping import largest_value
from fogbound.solvers.one_sided.stages.dense import StageGame, SuccessorBounds
from fogbound.solvers.one_sided.stages.double_oracle import RestrictedLower
from fogbound.solvers.one_sided.stages.kinds import KINDS
from fogbound.solvers.one_sided.stages.solvers import HullProgram, Stages, copied_bounds
from fogbound.transforms.horizon import Horizon
from tests.forms.test_one_sided import Shown
from tests.run import solve

NONE = np.zeros(0, np.int64)


def random_form(rng, discount=0.8, partitions=3, states=4, rows=3, slots=4, signals=2) -> OneSided:
    """A one-sided game from random arrays: ties, certain steps, steps that end play and useless actions are common."""
    parts = int(rng.integers(1, partitions + 1))
    first = np.concatenate([[0], np.cumsum(rng.integers(1, states + 1, parts))])
    row = np.concatenate([[0], np.cumsum(rng.integers(1, rows + 1, first[-1]))])
    slot = np.concatenate([[0], np.cumsum(rng.integers(1, slots + 1, parts))])
    branch, obs, target, entry, entries, rewards, widths = [0], [], [], [0], [], [], []
    for part in np.repeat(np.arange(parts), np.diff(slot)).tolist():
        lines = range(row[first[part]], row[first[part + 1]])
        goals = rng.integers(0, parts, int(rng.integers(1, signals + 1)))
        chance = {k: rng.dirichlet(np.ones(len(goals) + 1)) for k in lines}
        for o, goal in enumerate(goals.tolist()):
            own = list(range(first[goal], first[goal + 1]))
            found = []
            for k in lines:
                if len(own) == 1 or rng.random() < 0.5:
                    found.append((k, int(rng.choice(own)), chance[k][o]))
                elif rng.random() < 0.8:
                    found += [(k, s, chance[k][o] * p) for s, p in zip(own, rng.dirichlet(np.ones(len(own))))]
            if found:
                entries += found
                obs, target, entry = [*obs, o], [*target, goal], [*entry, len(entries)]
        branch.append(len(obs))
        widths.append(len(lines))
        exact = rng.random() < 0.5
        rewards += (rng.integers(-2, 3, len(lines)) if exact else rng.normal(size=len(lines))).tolist()
    start = np.zeros(first[-1])
    start[: first[1]] = rng.dirichlet(np.ones(first[1]))
    source, to, prob = (np.array(column) for column in zip(*entries)) if entries else (NONE, NONE, np.zeros(0))
    return OneSided(
        *("random", discount, 0, first, row, np.zeros(row[-1], int), slot, np.zeros(slot[-1], int)),
        *(np.array(branch), np.array(obs, int), np.array(target, int), np.array(entry), source, to, prob),
        *(np.array([0, *accumulate(widths)]), np.array(rewards), start, 0.0, "", [], ([], []), [], {}),
    )


def beliefs(rng, form, many):
    """(partition, belief): inside, on a face, at a corner, and with states that are next to impossible."""
    for turn in range(many):
        p = int(rng.integers(len(form.state_start) - 1))
        weight = rng.dirichlet(np.ones(int(form.state_start[p + 1] - form.state_start[p])))
        if turn % 4 == 1:
            weight *= rng.random(len(weight)) < 0.5
        if turn % 4 == 2:
            weight = np.where(np.arange(len(weight)) == weight.argmax(), 1.0, 0.0)
        if turn % 4 == 3:
            weight **= 20.0
        yield p, weight / weight.sum() if weight.sum() > 0 else np.full(len(weight), 1 / len(weight))


def explored(form, walks, gap=1e-3, **more) -> OneSidedBounds:
    bounds = OneSidedBounds(form, **more)
    for _ in range(walks):
        TrialSearch(bounds).explore(gap)
    return bounds


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(50))
def test_three_ways_to_solve_a_stage_agree(seed):
    rng = np.random.default_rng(seed)
    form = random_form(rng)
    bounds = explored(form, int(rng.integers(0, 6)))
    scale = bounds.scaled.scale
    for p, belief in beliefs(rng, form, 4):
        solved = [Stages(bounds, kind, 1e-8 * scale) for kind in KINDS]
        lower, upper = [s.lower(p, belief) for s in solved], [s.upper(p, belief) for s in solved]
        for found in (lower, upper):
            assert max(f.value for f in found) - min(f.value for f in found) < 1e-7 * scale
        for low, high in zip(lower, upper):
            assert low.vector @ belief >= low.value - 1e-9 * scale
            assert low.value <= high.value + 1e-7 * scale
            assert high.mixture.sum() == pytest.approx(1)
            assert (high.mixture >= 0).all()
            owner = form.state_of_reply[form.replies_of(p)] - form.state_start[p]
            for y in (low.y, high.y):
                assert np.bincount(owner, y) == pytest.approx(belief, abs=1e-12)


def one_partition(counts):
    """The shape of one partition with so many rows a state, for kernels that need no more."""
    row = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    empty = np.zeros(1, np.int64)
    return GameArrays(
        *(np.array([0, len(counts)]), row, np.array([0, 1]), empty, NONE, empty, NONE, NONE, np.zeros(0)),
        *(np.array([0, row[-1]]), np.zeros(row[-1]), np.ones(1, bool)),
    )


def room(states, rows=1):
    """Room to calculate in for one partition."""
    return new_workspace(states, rows, 1, 1)


def drawn_columns(rng, many, rows):
    """Columns of a restricted game, often degenerate: few levels, zeros, duplicates, nearly the same."""
    style = int(rng.integers(5))
    columns = rng.random((many, rows)) if style < 2 else rng.integers(0, 3, (many, rows)) / 2.0
    if style == 3:
        columns = columns[rng.integers(0, many, many)]
    if style == 4:
        columns = columns[0] + 1e-9 * rng.random((many, rows))
    return columns


def drawn_belief(rng, states, sharpest=8):
    """A belief that may leave states out, or next to out."""
    weight = rng.dirichlet(np.ones(states)) ** float(rng.choice([1, 1, sharpest])) * (rng.random(states) < 0.8)
    return weight / weight.sum() if weight.sum() > 0 else np.eye(states)[0]


@pytest.mark.slow
def test_compiled_master_agrees_with_highs():
    rng, model = np.random.default_rng(1), GrowingLP(new_rows=False)
    for _ in range(1_000):
        counts = rng.integers(1, 5, int(rng.integers(1, 7)))
        game, belief, rows = one_partition(counts), drawn_belief(rng, len(counts)), int(counts.sum())
        columns = drawn_columns(rng, int(rng.integers(1, 12)), rows)
        work = room(len(counts), rows)
        work.belief[:], work.columns[: len(columns)] = belief, columns
        for number in range(len(columns)):
            master.put_column(game, work, 0, number)
            assert master.dual_simplex(work)
        value, y, shares = master.read(work, rows), work.y, work.shares
        owner = np.repeat(np.arange(len(counts)), counts)
        restricted = RestrictedLower(model, StageGame(owner, NONE, columns, NONE, [], []), belief)
        restricted.add(columns)
        expected, _, _ = restricted.solve()
        assert value == pytest.approx(expected, abs=1e-8)
        assert np.bincount(owner, y) == pytest.approx(belief, abs=1e-9)
        assert max(columns @ y) <= value + 1e-8  # what y holds the columns to
        least = np.full(len(counts), np.inf)
        np.minimum.at(least, owner, shares[: len(columns)] @ columns)
        assert least @ belief >= value - 1e-8  # what the shares guarantee


def bounds_of(corner, points, values):
    """The bounds of one partition, as kernels keep them."""
    states = len(corner)
    arrays = {"corner": corner}
    pools = bound_pools(arrays)
    pools.begin(np.array([100, 2_000, 100]), {"partitions": 1, "states": states})
    bounds = pools.bundle(BoundArrays, NAMES)
    for belief, value in zip(points, values):
        at = bounds.at[add_record(bounds, bounds.points, 0, states + 2)]
        bounds.value[at : at + states + 2] = [*belief, value, value - corner @ belief]
    beliefs = np.vstack([np.eye(states), *(np.asarray(belief)[None] for belief in points)])
    return bounds, SuccessorBounds(np.zeros((1, states)), beliefs, np.array([*corner, *values]))


def drawn_bounds(rng, states, sharpest=8):
    """Corners and points above some convex function that is nowhere below 0: repeated, on faces, nearly the same."""
    vectors = rng.integers(0, 4, (3, states)) / 3.0 if rng.random() < 0.5 else rng.random((3, states))
    corner = vectors.max(axis=0) + rng.choice([0.0, 0.5, 1.0])
    points = [drawn_belief(rng, states, sharpest) for _ in range(int(rng.integers(0, 15)))]
    points = [*points, *points[:3]]
    points = [belief for belief in points if belief.max() < 1.0]
    least, most = np.array([(vectors @ b).max() for b in points]), np.array([corner @ b for b in points])
    return *bounds_of(corner, points, least + (most - least) * rng.choice([0.0, 0.5, 1.0], len(points))), vectors


@pytest.mark.slow
def test_compiled_hull_agrees_with_highs():
    rng = np.random.default_rng(2)
    for _ in range(1_000):
        states = int(rng.integers(1, 8))
        game, work = one_partition(np.ones(states, int)), room(states)
        bounds, after, vectors = drawn_bounds(rng, states)
        tau = drawn_belief(rng, states) * float(rng.choice([1, 0.3, 1e-6]))
        work.tau[:] = tau
        value, facet = hull(StageArrays(game, bounds, work), 0), work.facet
        assert value == pytest.approx(HullProgram(after).at(tau)[0], abs=1e-9)
        assert value <= sawtooth(game, bounds, 0, work.tau)[0] + 1e-9
        assert (facet >= 0).all()
        assert (after.beliefs @ facet <= after.values + 1e-9).all()
        assert facet @ tau == pytest.approx(value, abs=1e-9)
        assert value >= (vectors @ tau).max() - 1e-9
        used = work.cover > 0
        chosen = [bounds.value[at : at + states + 1] for at in bounds.at[work.chosen[used]]]
        left = tau - sum((w * point[:-1] for w, point in zip(work.cover[used], chosen)), np.zeros(states))
        priced = sum(w * point[-1] for w, point in zip(work.cover[used], chosen)) + np.maximum(left, 0) @ bounds.corner
        assert value == pytest.approx(priced, abs=1e-12)  # the cover says why


@pytest.mark.slow
def test_hull_is_not_below_the_truth_where_beliefs_are_tiny():
    rng = np.random.default_rng(1)
    for _ in range(1_000):
        states = int(rng.integers(5, 10))
        bounds, _, vectors = drawn_bounds(rng, states, sharpest=20)
        tau = drawn_belief(rng, states, sharpest=20)
        work = room(states)
        work.tau[:] = tau
        value = hull(StageArrays(one_partition(np.ones(states, int)), bounds, work), 0)
        assert value >= (vectors @ tau).max() - 1e-8


def test_bounds_do_not_cross_where_steps_are_rare():
    rng = np.random.default_rng(9)
    form = random_form(rng, 0.95, partitions=2, states=9, rows=2, slots=3, signals=3)
    bounds = explored(replace(form, prob=form.prob * 10.0 ** -rng.integers(0, 8, len(form.prob))), 1, 4e-4)
    for p in range(len(form.state_start) - 1):
        beliefs, values = bounds.points(p)
        assert ((beliefs @ bounds.vectors(p).T).max(axis=1) <= values + 1e-7).all()


@pytest.mark.parametrize("stay", [0.9, 0.999])
def test_play_that_may_last_for_ever_needs_a_discount(stay):
    """Sweeps from below would stop short of the value, and what they show would be no bound."""
    one, pair, zero = np.ones(1), np.array([0, 1]), np.zeros(1, np.int64)
    form = OneSided(
        *("lasting", 1.0, 0, pair, pair, zero, pair, zero, pair, zero, zero, pair, zero, zero, stay * one),
        *(pair, one, one, 0.0, "", ["on"], ([], []), [], {}),
    )
    with pytest.raises(FormError, match="bounded number of steps"):
        OneSidedBounds(form)


def test_no_value_of_a_looping_game_that_is_accepted_is_above_the_largest():
    """Where sweeps come to rest within S + 1 of them, none has added more than 1."""
    size, stay = 60, 0.25
    one, many, own, zero = np.ones(size), np.arange(size + 1), np.arange(size), np.zeros(size, np.int64)
    form = OneSided(
        *("looping", 1.0, 0, many, many, zero, many, zero, many, zero, own, many, own, own, stay * one),
        *(many, one, one / size, 0.0, "", [*own], ([], []), [], {}),
    )
    corner = OneSidedBounds(form).arrays["corner"]
    assert corner == pytest.approx(1 / (1 - stay))
    assert corner.max() <= largest_value(form)


def noisy_read(rng, size):
    """The master's answer with an error: the strategies are still strategies, but no longer the best ones."""

    def read(work, rows):
        value = master.read(work, rows)
        work.y[:] *= 1 + size * rng.uniform(-1, 1, len(work.y))
        work.shares[:] *= 1 + size * rng.uniform(-1, 1, len(work.shares))
        work.shares[:] /= work.shares.sum()
        return value + size * rng.uniform(-1, 1)

    return read


def disturb(rng, bounds, size):
    """Move what is known in the direction in which it stays true; facets are only hints and may move either way."""
    records = bounds.records
    for p in range(len(bounds.form.state_start) - 1):
        many = int(bounds.form.state_start[p + 1] - bounds.form.state_start[p])
        for lists, low, high in ((records.vectors, -1, 0), (records.facets, -1, 1), (records.points, 0, 1)):
            record = lists[p]
            while record >= 0:
                at = records.at[record]
                own = slice(at + many, at + many + 2) if lists is records.points else slice(at, at + many)
                error = size * rng.uniform(low, high, 1 if lists is records.points else many)
                records.value[own] = (
                    records.value[own] + error
                    if lists is records.points
                    else (np.maximum(records.value[own] + error, 0))
                )
                record = records.older[record]


def shown(seed):
    """A small random game in which the other player sees everything."""
    return Shown(RandomGame(seed, depth=3, width=4, actions_=3, signals=1, zero_sum=True, discount=0.9), 0)


def sequence_value(game):
    return solve(make_solver("sequence-lp"), forms.sequence(game), certified=False).value


def raw_bounds(bounds):
    """The bounds at the start without the promise that they do not cross."""
    form, scaled, found = bounds.form, bounds.scaled, np.zeros(2)
    for p in bounds.parts.tolist():
        own = form.start[form.states_of(p)]
        tau = np.concatenate([own, np.zeros(scaled.wide - len(own))])
        low = best_record(bounds.records, bounds.records.vectors, p, len(own), tau)[0]
        bounds.work.tau[:] = tau
        found += scaled.scale * np.array([low, hull(bounds.here, p)])
    return form.paid + form.start @ scaled.least + found


@pytest.mark.parametrize("seed", range(12))
def test_bounds_hold_the_value_of_the_sequence_form(seed):
    game = shown(seed)
    form = forms.one_sided(game)
    assert not form.relaxed
    value, bounds = sequence_value(game), OneSidedBounds(form)
    for _ in range(40):
        low, high = raw_bounds(bounds)
        assert low - 1e-9 <= value <= high + 1e-9
        if high - low < 1e-6:
            return
        TrialSearch(bounds).explore(1e-6)
    raise AssertionError(f"the bounds [{low}, {high}] do not meet at {value}")


@pytest.mark.parametrize("steps", [2, 3])
@pytest.mark.parametrize("game", ["pursuit(rows=2, columns=3)", "patrolling(nodes=3)"])
def test_bounds_meet_at_the_value_of_a_short_game(game, steps):
    short = Horizon(make(game), steps)
    value, bounds = sequence_value(short), explored(forms.one_sided(short), 30, 1e-5)
    low, high = raw_bounds(bounds)
    assert low - 1e-7 <= value <= high + 1e-7
    assert high - low < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-6, 1e-2, 0.5])
def test_noise_costs_tightness_only(size, monkeypatch):
    monkeypatch.setattr(stage_game, "solve_stage", stage_game.solve_stage.py_func)
    moved = False
    for seed, game in enumerate([Horizon(make("patrolling(nodes=3)"), 3), *map(shown, range(1, 7))]):
        rng = np.random.default_rng(seed)
        monkeypatch.setattr(stage_game, "read", noisy_read(rng, size))
        value, bounds = sequence_value(game), OneSidedBounds(forms.one_sided(game))
        first = bounds.interval()
        for _ in range(4):
            disturb(rng, bounds, size)
            TrialSearch(bounds).explore(1e-3)
            low, high = raw_bounds(bounds)
            assert low - 1e-9 <= value <= high + 1e-9
        moved |= low > first[0] or high < first[1]
    assert moved or size > 0.1


@dataclass(frozen=True, eq=False)
class Watched(Game):
    """A game of one, with somebody who sees everything, loses what it gains, and never moves."""

    game: Game
    name = "watched"
    players = ("you", "watcher")

    def __post_init__(self):
        object.__setattr__(self, "discount", self.game.discount)

    def start(self):
        return self._watched(self.game.start())

    def actors(self, state):
        return self.game.actors(state)

    def actions(self, state, player):
        return self.game.actions(state, player)

    def step(self, state, joint):
        return self._watched(self.game.step(state, joint), joint)

    def _watched(self, dist, joint=None):
        return Dist(tuple((self._outcome(o, joint), p) for o, p in dist))

    def _outcome(self, outcome, joint):
        pay = outcome.rewards[0] if outcome.rewards else 0.0
        observation = outcome.observation(0)
        return Outcome(outcome.state, (pay, -pay), None, (observation, (outcome.state, joint, observation)))

    def __str__(self):
        return f"watched({self.game})"


@pytest.mark.parametrize("game", ["tiger", "tiger(resets=False)", "rock-sample(size=2, rocks=2)"])
def test_an_adversary_without_a_choice_leaves_a_pomdp(game):
    answer = solve(make_solver("sarsop"), forms.pomdp(make(game)), Until(gap=1e-3))
    bounds = OneSidedBounds(forms.one_sided(Watched(make(game))))
    for _ in range(400):
        low, high = raw_bounds(bounds)
        if high - low < 0.05:
            break
        TrialSearch(bounds).explore(0.05)
    assert high - low < 0.05
    assert low <= answer.upper + 1e-9
    assert answer.lower <= high + 1e-9


def test_what_a_stage_finds_is_added_only_when_asked():
    form = random_form(np.random.default_rng(2))
    p, belief = 0, form.start[: form.state_start[1]]
    for kind in KINDS:
        bounds = OneSidedBounds(form)
        kept = {name: array.copy() for name, array in bounds.arrays.items()}
        for add in (False, True):
            solver = Stages(bounds, kind, 1e-8, add=add)
            low, high = solver.lower(p, belief), solver.upper(p, belief)
            same = all(np.array_equal(kept[name], bounds.arrays[name]) for name in kept)
            assert same == (not add)
        assert bounds.at(p, belief) == pytest.approx((low.value, high.value), abs=1e-7)
    with pytest.raises(SpecError, match="kind is 'guess', expected one of compiled, oracle, full"):
        Stages(OneSidedBounds(form), "guess")


def test_actions_that_are_masked_are_not_mixed():
    form = random_form(np.random.default_rng(8), partitions=2, slots=4)
    mask = np.zeros(len(form.action_label), bool)
    mask[form.action_start[:-1]] = True
    bounds = OneSidedBounds(form, mask)
    for p, belief in beliefs(np.random.default_rng(5), form, 4):
        found = [(Stages(bounds, kind).lower(p, belief), Stages(bounds, kind).upper(p, belief)) for kind in KINDS]
        for low, high in found:
            assert high.mixture.tolist() == [1.0] + [0.0] * (len(high.mixture) - 1)
            assert (low.value, high.value) == pytest.approx((found[0][0].value, found[0][1].value), abs=1e-6)


def test_stages_of_copied_bounds_leave_the_bounds_alone():
    form = random_form(np.random.default_rng(3))
    bounds = OneSidedBounds(form)
    kept = {name: array.copy() for name, array in bounds.arrays.items()}
    for kind in KINDS:
        stages = Stages(copied_bounds(bounds), kind, add=True)
        for p, belief in beliefs(np.random.default_rng(4), form, 2):
            assert stages.lower(p, belief).value <= stages.upper(p, belief).value + 1e-4
    assert all(np.array_equal(kept[name], bounds.arrays[name]) for name in kept)


def test_the_facet_that_is_never_wrong_is_never_forgotten():
    bounds = OneSidedBounds(forms.one_sided(make("pursuit(columns=3)")))
    zero = [bounds.record_numbers("facets", p) for p in range(len(bounds.form.action_start) - 1)]
    for _ in range(120):
        TrialSearch(bounds).explore(0.01)
    most = 0
    for p, (first,) in enumerate(zero):
        kept = bounds.record_numbers("facets", p)
        at, many = bounds.arrays["at"][first], int(np.diff(bounds.form.state_start)[p])
        assert kept[-1] == first
        assert not bounds.arrays["value"][at : at + many].any()
        assert len(kept) == len(set(kept)) <= MOST_FACETS
        most = max(most, len(kept))
    assert most > 20
