"""Levels inferred from logs: against counting by hand, all hidden histories, and known truths."""

from __future__ import annotations

import json
import math
import zlib
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pytest

from fogbound import forms
from fogbound.arena import log as logs
from fogbound.arena import record
from fogbound.arena.log import Record, record_until
from fogbound.cli import infer
from fogbound.core import Dist, FormError, Game, GameError, Observation, Outcome, PolicyError, SpecError
from fogbound.evaluation.belief_words import track
from fogbound.games import make
from fogbound.inference.levels.calibration import calibrate, judged, simulated
from fogbound.inference.levels.likelihood import histories_for, log_likelihoods
from fogbound.inference.levels.opponent import LogEvidence, candidates, posterior
from fogbound.inference.levels.population import (
    fit_mixture,
    fitted,
    population,
    posterior_draws,
    rate_of_many,
    rate_of_one,
)
from fogbound.policies import Controller, Mixture, Uniform, controller
from fogbound.policies.mixture import Trembling, trembling
from fogbound.policies.vocabulary import Vocabulary

KING_ACE, TWO, THREE = make("king-ace"), make("po-nim(n=2)"), make("po-nim(n=3)")
ACE, KING = Observation(None, "A"), Observation(None, "K")
RAISE, CHECK = Dist.sure("raise"), Dist.sure("check")
WORDS = Vocabulary.of(forms.table(KING_ACE), 0)
HONEST = Controller({ACE: 0, KING: 1}, {}, (RAISE, CHECK), vocabulary=WORDS)
BOLD = Controller({ACE: 0, KING: 0}, {}, (RAISE,), vocabulary=WORDS)


@dataclass(frozen=True)
class Habit:
    """A deterministic player that remembers its last action and sight, and chooses by a hash of them."""

    seed: int

    def begin(self, observation):
        return (None, observation)

    def update(self, memory, action, observation):
        return (action, observation)

    def act(self, memory, actions):
        place = zlib.crc32(repr((self.seed, memory)).encode()) % len(actions)
        return Dist.sure(actions[place])


def habit(game, player, seed):
    """A habit as a controller that also knows what to do after its own slips."""
    shaky = controller(game, player, Trembling(Habit(seed), 0.1))
    steady = tuple(c and Dist.sure(max(c, key=lambda pair: pair[1])[0]) for c in shaky.choices)
    return replace(shaky, choices=steady)


def ladder(game, player, many=3):
    return [Uniform(), *(habit(game, player, seed) for seed in range(1, many + 1))]


def likelihood(game, player, policy, kept, view=None):
    table = forms.table(game)
    return float(log_likelihoods(histories_for(table, player, [kept], view), player, [policy])[0, 0])


def probability(*args, **kwargs):
    return math.exp(likelihood(*args, **kwargs))


# By hand


def king_ace(mine, theirs, action, reply=None):
    first, second = (
        [Observation(None, mine), (action, Observation(action, None))],
        [Observation(None, theirs), (None, Observation(action, None))],
    )
    if reply:
        first.append((None, Observation(reply, None)))
        second.append((reply, Observation(reply, None)))
    return Record((tuple(first), tuple(second)), (0.0, 0.0))


@pytest.mark.parametrize(
    ("card", "action", "honest"),
    [("A", "raise", 0.95), ("A", "check", 0.05), ("K", "raise", 0.05), ("K", "check", 0.95)],
)
def test_king_ace_with_hands_shown(card, action, honest):
    kept = king_ace(card, "A", action, "call" if action == "raise" else None)
    assert probability(KING_ACE, 0, Trembling(HONEST, 0.1), kept) == pytest.approx(honest)
    assert probability(KING_ACE, 0, Uniform(), kept) == pytest.approx(0.5)


def test_king_ace_with_hands_hidden():
    """Second holds an ace: first has the other one with 1/3. Second's own call has probability one: it is given."""
    kept = king_ace("K", "A", "raise", "call")
    honest = 1 / 2 * (1 / 3 * 0.95 + 2 / 3 * 0.05)
    assert probability(KING_ACE, 0, Trembling(HONEST, 0.1), kept.seen_by(1), 1) == pytest.approx(honest)
    assert probability(KING_ACE, 0, BOLD, kept.seen_by(1), 1) == pytest.approx(1 / 2)
    assert probability(KING_ACE, 0, HONEST, kept.seen_by(1), 1) == pytest.approx(1 / 6)
    both = probability(KING_ACE, 0, Mixture((HONEST, BOLD), (0.25, 0.75)), kept.seen_by(1), 1)
    assert both == pytest.approx(0.25 / 6 + 0.75 / 2)


def test_nim_with_one_heap_hidden():
    """n=2: first takes one of its own, second sees a success and fails twice over: (1, 2), then taking 2 hidden."""
    start, ok, failed = Observation(None, 2), Observation("succeeded", 2), Observation("failed", 2)
    second = (start, (None, ok), (("hidden", 2), failed))
    first = (start, (("own", 1), Observation("succeeded", 1)), (None, Observation("failed", 1)))
    kept = Record((first, second), (0.0, -1.0))
    assert probability(TWO, 0, Uniform(), kept) == pytest.approx(1 / 4)
    # hidden from second: first's four moves are own 1, own 2, hidden 1, hidden 2, and all of them succeed; second
    # keeps both objects after the first two, and then fails to take 2 of (1, 2), and of (0, 2)
    assert probability(TWO, 0, Uniform(), kept.seen_by(1), 1) == pytest.approx(1 / 2)
    sure = Controller({start: 0}, {}, (Dist.sure(("own", 2)),), vocabulary=Vocabulary.of(forms.table(TWO), 0))
    assert probability(TWO, 0, Trembling(sure, 0.2), kept.seen_by(1), 1) == pytest.approx(0.8 + 0.2 / 2)
    assert probability(TWO, 0, Trembling(sure, 0.2), kept) == pytest.approx(0.05)
    assert likelihood(TWO, 0, sure, kept) == -math.inf


def test_mixtures_are_drawn_once():
    kept = king_ace("K", "A", "raise", "call")
    mixed = Mixture((Trembling(HONEST, 0.1), Uniform()), (0.25, 0.75))
    assert probability(KING_ACE, 0, mixed, kept) == pytest.approx(0.25 * 0.05 + 0.75 * 0.5)


# The filter, against all hidden histories


def by_enumeration(game, player, policy, history):
    """The probability of my observations, given my moves, summed over everything that may have happened unseen."""

    def seen_from(state, memory, k):
        if k == len(history):
            return 1.0
        action, observation = history[k]
        actors = game.actors(state)
        if (player in actors) != (action is not None) or not actors:
            return 0.0
        theirs = policy.act(memory, tuple(game.actions(state, 1 - player))) if 1 - player in actors else Dist.sure(None)
        if player in actors and action not in game.actions(state, player):
            return 0.0
        total = 0.0
        for move, p in theirs:
            joint = tuple(action if actor == player else move for actor in actors)
            for outcome, chance in game.step(state, joint):
                if outcome.observation(player) == observation and p * chance > 0:
                    after = policy.update(memory, move, outcome.observation(1 - player))
                    total += p * chance * seen_from(outcome.state, after, k + 1)
        return total

    starts = [(o, p) for o, p in game.start() if o.observation(player) == history[0]]
    return sum(p * seen_from(o.state, policy.begin(o.observation(1 - player)), 1) for o, p in starts)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(
    "spec", ["king-ace", "po-nim(n=2)", "leduc", "goofspiel(cards=3)", "random(seed=3, signals=3)", "random(seed=8)"]
)
def test_the_filter_is_exact(spec, player):
    game = make(spec)
    policies = [Trembling(Habit(4), 0.3), Uniform(), Habit(2)]
    log = record_until(game, [Trembling(Habit(4), 0.6)] * 2, 12, most_steps=5, seed=player)
    found = log_likelihoods(histories_for(forms.table(game), 1 - player, log, player), 1 - player, policies)
    for kept, row in zip(log, found):
        wanted = [by_enumeration(game, player, policy, kept.histories[player]) for policy in policies]
        assert np.exp(row) == pytest.approx(wanted, abs=1e-12)
    assert np.exp(found).max() > 0


@dataclass(frozen=True)
class Relay(Game):
    """Whoever holds the stick keeps it or passes it on, three times; nobody sees where it is unless asked to act."""

    players = ("first", "second")

    def start(self):
        return Dist.uniform([Outcome((0, 0)), Outcome((1, 0))])

    def actors(self, state):
        return (state[0],) if state[1] < 3 else ()

    def actions(self, state, player):
        return ("keep", "pass")

    def step(self, state, joint):
        holder, turn = state
        return Dist.sure(Outcome((holder if joint == ("keep",) else 1 - holder, turn + 1)))


@pytest.mark.parametrize("player", [0, 1])
def test_being_asked_is_evidence(player):
    game, policies = Relay(), [Trembling(Habit(1), 0.2), Uniform()]
    log = record(game, [Uniform()] * 2, 40, seed=player)
    found = log_likelihoods(histories_for(forms.table(game), 1 - player, log, player), 1 - player, policies)
    wanted = [[by_enumeration(game, player, policy, kept.histories[player]) for policy in policies] for kept in log]
    assert np.exp(found) == pytest.approx(np.array(wanted))
    assert len({tuple(row) for row in wanted}) > 3


def test_the_filter_agrees_with_beliefs_in_the_derived_pomdp():
    policy = Trembling(Habit(5), 0.2)
    form = forms.pomdp(TWO, 1, {0: policy})
    for kept in record_until(TWO, [policy, Uniform()], 20, most_steps=12):
        tracked = math.prod(step.probability for step in track(form, kept.histories[1]))
        assert probability(TWO, 0, policy, kept.seen_by(1), 1) == pytest.approx(tracked, rel=1e-9)


# Logs


def stubborn(player):
    """Takes one of the hidden heap, then reaches for three for ever, of which there are only two."""
    return controller(THREE, player, _Stubborn())


class _Stubborn:
    def begin(self, observation):
        return ("hidden", 1)

    def update(self, memory, action, observation):
        return memory if action is None else ("hidden", 3)

    def act(self, memory, actions):
        return Dist.sure(memory)


def test_a_game_that_never_ends_is_evidence_until_it_is_broken_off():
    players = [stubborn(0), stubborn(1)]
    with pytest.raises(GameError, match="cycle"):
        record(THREE, players, 1)
    (kept,) = record_until(THREE, players, 1, most_steps=50)
    assert [len(history) for history in kept.histories] == [51, 51]
    assert kept.returns == (-24.0, -24.0)
    found = posterior(candidates(THREE, 0, [Uniform(), stubborn(0)]), [kept], rate=0.0)
    assert found.by_class[1] > 1 - 1e-12
    assert record_until(KING_ACE, [Uniform()] * 2, 30, seed=5) == record(KING_ACE, [Uniform()] * 2, 30, seed=5)
    with pytest.raises(SpecError, match="most"):
        record_until(THREE, players, 1, most_steps=0)


def test_logs_that_are_no_games_are_refused():
    good = king_ace("A", "K", "raise", "call")
    table = forms.table(KING_ACE)
    for kept, words in [
        (king_ace("A", "K", "fold"), "no game of it"),
        (king_ace("Q", "K", "raise"), "no game of it: first cannot have met"),
        (Record((good.histories[0][:1] + good.histories[0][2:], None), (0, 0)), "no game of it"),
        (good.seen_by(1), "game 1 of the log does not say what first saw"),
        (Record(good.histories[:1], (0.0,)), "does not say"),
    ]:
        with pytest.raises(FormError, match=words):
            histories_for(table, 0, [good, kept])
    for player, view in ((0, 0), (1, 1), (0, 2)):
        with pytest.raises(FormError, match="expected 2 players and the other player"):
            histories_for(table, player, [good], view)


# One opponent


@pytest.fixture(scope="module")
def threes():
    return candidates(THREE, 1, ladder(THREE, 1), [0.4, 0.3, 0.2, 0.1])


@pytest.mark.parametrize("view", [None, 0])
@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_the_true_level_is_found(threes, level, view):
    them = trembling(threes.policies[level], 0.02)
    log = record_until(THREE, [Uniform(), them], 60, seed=level)
    found = posterior(threes, log, 0.02, view)
    assert found.by_class.sum() == pytest.approx(1)
    assert found.weights.sum() == pytest.approx(1)
    assert found.ranking[0] == level
    assert found.by_class[level] > 0.9
    assert f"level {level}" in found.words()


def test_one_odd_move_excludes_only_those_who_never_slip(threes):
    level, start, after = threes.policies[1], Observation(None, 3), Observation("succeeded", 3)
    log = record_until(THREE, [Uniform(), level], 40, seed=3)
    assert posterior(threes, log, 0.0).ranking[0] == 1
    chosen = level.choices[level.update(level.begin(start), None, after)]
    odd = next(action for action in (("hidden", 2), ("hidden", 3)) if chosen[action] == 0)
    slip = Record((None, (start, (None, after), (odd, after))), (0.0, 0.0))
    excluded = posterior(threes, [*log, slip], 0.0)
    assert excluded.by_class[1] == 0
    assert excluded.class_log_likelihood[1] == -math.inf
    kept = posterior(threes, [*log, slip], 0.02)
    assert kept.ranking[0] == 1
    assert kept.by_class[1] > 0.99


def test_nothing_seen_leaves_the_prior(threes):
    assert posterior(threes, []).by_class == pytest.approx(threes.class_prior)
    assert posterior(threes, [], 0.3).weights == pytest.approx([0.4, 0.3, 0.2, 0.1])


def test_a_log_that_nobody_can_have_played_says_so(threes):
    only = candidates(THREE, 1, threes.policies[1:2])
    log = record_until(THREE, [Uniform(), Uniform()], 20)
    with pytest.raises(FormError, match="let hands tremble"):
        posterior(only, log, 0.0)
    assert posterior(only, log, 0.01).by_class == pytest.approx([1.0])


def test_alike_levels_are_one_class_and_share_its_probability():
    one = habit(THREE, 1, 1)
    key = next(arrow for arrow in one.arrows if arrow[1] is not None and one.choices[arrow[0]][arrow[1]] == 0)
    lost = replace(one, arrows={k: v for k, v in one.arrows.items() if k != key})  # the same but for one slip
    them = candidates(THREE, 1, [Uniform(), one, one.minimal(), Uniform(), lost], [0.1, 0.2, 0.3, 0.1, 0.3])
    assert them.classes == ((0, 3), (1, 2, 4))
    assert them.class_prior == pytest.approx([0.2, 0.8])
    log = record_until(THREE, [Uniform(), trembling(one, 0.3)], 30)
    found = posterior(them, log, 0.3)
    assert found.by_class[1] == pytest.approx(found.weights[[1, 2, 4]].sum())
    steady = posterior(them, record_until(THREE, [Uniform(), one], 30), 0.0)
    assert steady.weights[[1, 2, 4]] == pytest.approx(np.array([0.2, 0.3, 0.3]) / 0.8)
    assert "level 1, 2 or 4" in found.words()
    # Bayes' rule by hand, a level at a time
    table = forms.table(THREE)
    each = log_likelihoods(histories_for(table, 1, log), 1, [trembling(p, 0.3) for p in them.policies]).sum(axis=0)
    joint = np.exp(each - each.max()) * them.prior
    assert found.weights == pytest.approx(joint / joint.sum())
    together = np.log(np.exp(each[[1, 2, 4]] - each[1]) @ [0.2, 0.3, 0.3] / 0.8) + each[1]
    assert found.class_log_likelihood == pytest.approx([each[0], together])


@pytest.mark.slow
@pytest.mark.parametrize("view", [None, 0])
def test_ten_thousand_moves_do_not_underflow(view):
    them = candidates(THREE, 1, [Uniform(), stubborn(1)])
    log = record_until(THREE, [stubborn(0), trembling(stubborn(1), 0.0)], 1, most_steps=20_000)
    assert len(log[0].histories[1]) == 20_001
    found = posterior(them, log, 0.02, view)
    assert np.isfinite(found.class_log_likelihood).all()
    assert found.class_log_likelihood[1] - found.class_log_likelihood[0] > 2_000
    assert found.by_class.sum() == pytest.approx(1)
    assert found.by_class[1] == pytest.approx(1)


@dataclass(frozen=True)
class Counted(Game):
    """A game that counts how often its rules are asked for a step."""

    inner: Game
    asked: list = field(default_factory=list, compare=False)

    @property
    def players(self):
        return self.inner.players

    def start(self):
        return self.inner.start()

    def actors(self, state):
        return self.inner.actors(state)

    def actions(self, state, player):
        return self.inner.actions(state, player)

    def step(self, state, joint):
        self.asked.append((state, joint))
        return self.inner.step(state, joint)


def test_candidates_enumerate_a_game_once():
    once, game = Counted(TWO), Counted(TWO)
    table = forms.table(once)
    them = candidates(game, 1, [Uniform()])
    assert len(game.asked) == len(once.asked) > 0
    assert them.table.size == table.size
    candidates(them.table, 1, [Uniform()])
    assert len(game.asked) == len(once.asked)


def test_candidates_are_checked():
    for prior in ([1.0], [1.0, 0.0], [1.0, math.nan], [0.5, -0.5]):
        with pytest.raises(SpecError, match="a number above 0 each"):
            candidates(KING_ACE, 0, [HONEST, BOLD], prior)
    with pytest.raises(SpecError, match="0 policies"):
        candidates(KING_ACE, 0, [])
    with pytest.raises(FormError, match="a player from 0 to 1"):
        candidates(KING_ACE, 2, [HONEST])
    with pytest.raises(PolicyError, match="controllers"):
        candidates(KING_ACE, 0, [Habit(1), Uniform()])
    with pytest.raises(SpecError, match="no logs"):
        LogEvidence(candidates(KING_ACE, 0, [HONEST]), [])


# A population


def test_em_never_goes_down_and_ends_at_the_greatest_likelihood():
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = rng.normal(size=(40, 5)) * rng.uniform(0.1, 5)
        found = fit_mixture(table, close=1e-7, most=100_000)
        assert all(b >= a - 1e-9 for a, b in pairwise(found.trace))
        assert found.weights.sum() == pytest.approx(1)
        assert found.below <= 1e-7
        others = rng.dirichlet(np.ones(5), size=200)
        assert (np.log(np.exp(table) @ others.T).sum(axis=0) <= found.trace[-1] + found.below + 1e-9).all()


@pytest.mark.slow
def test_the_chain_has_the_posterior_of_labels_that_are_certain():
    """Where everybody's class is known the posterior is a plain Dirichlet."""
    counts = np.array([3, 7, 0])
    table = np.where(np.eye(3)[np.repeat(np.arange(3), counts)] > 0, 0.0, -np.inf)
    source = posterior_draws(table, 1.0, np.random.default_rng(1))
    drawn = np.array([next(source) for _ in range(20_000)])
    mean = (counts + 1) / 13
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=0.005)
    assert drawn.var(axis=0) == pytest.approx(mean * (1 - mean) / 14, rel=0.06)
    with pytest.raises(SpecError, match="concentration"):
        next(posterior_draws(table, 0.0, np.random.default_rng(1)))


@pytest.mark.slow
def test_the_chain_has_the_posterior_of_labels_that_are_not():
    """One person, two classes, flat prior: the weight's posterior density is proportional to a w + b (1 - w)."""
    a, b = 0.9, 0.2
    source = posterior_draws(np.log(np.array([[a, b]])), 1.0, np.random.default_rng(2))
    drawn = np.array([next(source)[0] for _ in range(20_000)])
    assert drawn.mean() == pytest.approx((a / 3 + b / 6) / ((a + b) / 2), abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("view", [None, 0])
def test_a_known_mixture_is_recovered(threes, view):
    truth, rng = [0.5, 0.3, 0.15, 0.05], np.random.default_rng(7)
    mixed = replace(threes, prior=np.array(truth))
    _, played = simulated(THREE, mixed, Uniform(), 300, 3, 0.05, rng)
    evidence = LogEvidence(threes, played, view)
    found = population(evidence, 0.05, rng)
    assert ((found.low <= truth) & (truth <= found.high)).all()
    assert found.likeliest == pytest.approx(truth, abs=0.08)
    assert found.mean.sum() == pytest.approx(1)
    assert found.members.sum(axis=1) == pytest.approx(np.ones(300))
    again = population(evidence, 0.05, np.random.default_rng(3)), population(evidence, 0.05, np.random.default_rng(3))
    assert (again[0].low == again[1].low).all()


@pytest.mark.slow
@pytest.mark.parametrize("view", [None, 0])
def test_the_rate_of_slips_is_fitted(threes, view):
    rng = np.random.default_rng(11)
    _, played = simulated(THREE, threes, Uniform(), 150, 3, 0.08, rng)
    for fit in (rate_of_many, rate_of_one):
        found = fit(LogEvidence(threes, played, view))
        assert found.low < 0.08 < found.high
        assert found.low < found.best < found.high
        tops = dict(found.profile)
        assert tops[found.best] == max(tops.values())


def test_a_rate_by_hand():
    """Seven slips in a hundred moves that show every slip: a binomial likelihood."""

    def binomial(rate):
        return 7 * math.log(rate) + 93 * math.log1p(-rate) if 0 < rate < 1 else -math.inf

    found = fitted(binomial)
    assert found.best == pytest.approx(0.07, abs=0.002)
    for end in (found.low, found.high):
        assert binomial(end) == pytest.approx(binomial(0.07) - 1.92, abs=0.1)
    none = fitted(lambda rate: 50 * math.log1p(-rate) if rate < 1 else -math.inf)
    assert (none.best, none.low) == (0.0, 0.0)
    assert none.high == pytest.approx(1 - math.exp(-1.9207 / 50), abs=0.001)


def test_a_log_impossible_without_slips_still_has_a_rate(threes):
    only = candidates(THREE, 1, threes.policies[1:3])
    log = record_until(THREE, [Uniform(), trembling(only.policies[0], 0.2)], 40)
    found = rate_of_one(LogEvidence(only, [log]))
    assert found.low > 0
    assert found.low < 0.2 < found.high


# Calibration


@pytest.mark.slow
@pytest.mark.parametrize("view", [None, 0])
def test_a_thousand_simulated_logs_keep_their_word(threes, view):
    found = calibrate(THREE, threes, Uniform(), np.random.default_rng(5), logs=1_000, rate=0.05, view=view)
    assert sum(each.count for each in found.bins) == 4_000
    large = [each for each in found.bins if each.count >= 30]
    outside = [e for e in large if not e.interval[0] <= e.predicted <= e.interval[1]]
    assert len(large) >= 4
    assert len(outside) <= 1
    assert found.brier < found.prior_brier
    assert found.log_score < found.prior_log_score
    # the wrong rate is found out: who is taken never to slip is excluded too surely
    levels, played = simulated(THREE, threes, Uniform(), 1_000, 3, 0.3, np.random.default_rng(6))
    bold = judged(LogEvidence(threes, played, view).posterior_by_level(0.01), levels, threes.prior)
    honest = judged(LogEvidence(threes, played, view).posterior_by_level(0.3), levels, threes.prior)
    assert bold.log_score > honest.log_score
    assert any(e.count >= 30 and not e.interval[0] <= e.predicted <= e.interval[1] for e in bold.bins)


def test_scores_by_hand():
    found = judged(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0, 0]), np.array([0.5, 0.5]), bins=4)
    assert found.brier == pytest.approx((2 * 0.0625 + 2 * 0.5625) / 2)
    assert found.log_score == pytest.approx(-(math.log(0.75) + math.log(0.25)) / 2)
    assert (found.prior_brier, found.right) == (0.5, 0.5)
    assert [(e.low, e.count, e.predicted, e.true) for e in found.bins] == [(0.25, 2, 0.25, 0.5), (0.75, 2, 0.75, 0.5)]


# The command


@pytest.fixture
def command(monkeypatch, tmp_path, capsys):
    """A log of fifty games in which second plays habit 2, and the command with habits in place of levels."""
    monkeypatch.setattr(
        infer, "levels_of", lambda game, player, levels, prior: (ladder(game, player, levels), [1.0] * (levels + 1))
    )
    log = record_until(THREE, [Uniform(), trembling(habit(THREE, 1, 2), 0.03)], 50, seed=2)
    path = tmp_path / "log.jsonl"
    logs.save_log(log, path, THREE)

    def run(*words, times=1):
        assert infer.main(["po-nim(n=3)", *[str(path)] * times, "--player", "second", *words]) == 0
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("words", [[], ["--view", "first"], ["--tremble", "fit"], ["--prior", "poisson"]])
def test_the_command_names_the_level(command, words):
    out = command("--levels", "3", *words)
    assert out.splitlines()[1].startswith("level 2")
    assert "second is almost certainly level 2" in out
    assert "50 games" in out
    answer = json.loads(command("--levels", "3", "--json", *words))
    assert answer["classes"][0]["levels"] == [2]
    assert sum(each["posterior"] for each in answer["classes"]) == pytest.approx(1)
    if "fit" in words:
        low, high = answer["tremble"]["interval"]
        assert low <= answer["tremble"]["rate"] <= high
    else:
        assert answer["tremble"] == {"rate": 0.02, "interval": None}


@pytest.mark.slow
def test_the_command_speaks_of_populations(command):
    out = command("--levels", "3", "--population", "--games-each", "5")
    assert "10 persons, 50 games" in out
    answer = json.loads(command("--levels", "3", "--population", "--games-each", "5", "--json"))
    assert [each["levels"] for each in answer["classes"]] == [[0], [1], [2], [3]]
    assert max(answer["classes"], key=lambda each: each["mean"])["levels"] == [2]
    two = json.loads(command("--levels", "3", "--population", "--json", times=2))
    assert (two["persons"], two["games"]) == (2, 100)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--tremble", "2"], "from 0 to 1"),
        (["--tremble", "much"], "from 0 to 1"),
        (["--view", "second"], "the other player"),
        (["--view", "third"], "expected one of"),
        (["--games-each", "5"], "add --population"),
        (["--population"], "one log a person"),
        (["--population", "--games-each", "7"], "no multiple"),
    ],
)
def test_the_command_refuses(command, words, complaint):
    with pytest.raises((SpecError, FormError), match=complaint):
        command(*words)


def test_real_levels_are_found_from_what_the_other_saw(tmp_path, capsys):
    policies, prior = infer.levels_of(THREE, 1, 4, "poisson")
    assert len(policies) == len(prior) == 5
    log = record_until(THREE, [Uniform(), trembling(policies[2], 0.03)], 60, seed=1)
    logs.save_log([kept.seen_by(0) for kept in log], tmp_path / "log.jsonl", THREE)
    words = ["po-nim(n=3)", str(tmp_path / "log.jsonl"), "--player", "1", "--view", "0", "--prior", "poisson", "--json"]
    assert infer.main(words) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["classes"][0]["levels"] == [2]
    assert answer["classes"][0]["posterior"] > 0.9
    assert [3, 4] in [each["levels"] for each in answer["classes"]]
