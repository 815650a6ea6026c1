"""Opponents learnt from logs: estimates against counting by hand, their calibration, and what they are worth."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from contextlib import suppress
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fogbound import arena, draw, evaluation, forms
from fogbound.arena import log as logs
from fogbound.arena.log import Record, record
from fogbound.cli.main import main
from fogbound.core import FileError, FormError, GameError, Observation, PolicyError, SpecError
from fogbound.games import make
from fogbound.inference.behaviour import DOUBT, dirichlet, estimate, hidden, pseudo_counts
from fogbound.inference.exploit import CurvePoint, MeanInterval, biased, learning_curve
from fogbound.policies import Tabular, Uniform
from fogbound.solvers import make as make_solver
from fogbound.solvers.linear_programs.restricted_nash import RestrictedGame
from fogbound.testing import check_solver, random_games
from tests.run import solve

some = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
KUHN, FOUR, EIGHT = (make(f"card-poker(ranks={n})") for n in (3, 4, 8))


def drawn(form, player, seed, strength=2.0):
    """A random policy, drawn from the prior that an estimate with this strength assumes."""
    prior = pseudo_counts(form, player, None, strength)
    return Tabular(form.tree, player, dirichlet(form.plexes[player], prior, np.random.default_rng(seed)))


def distance(found, true):
    return float(np.abs(found.policy.behaviour - true.behaviour)[1:].max(initial=0.0))


# Logs


@pytest.mark.parametrize("spec", ["card-poker(ranks=4)", "leduc", "goofspiel(cards=3)", "random(seed=3, signals=3)"])
def test_logs_round_trip(tmp_path, spec):
    game = make(spec)
    log = record(game, [Uniform()] * 2, 20, seed=1)
    logs.save_log(log, tmp_path / "log.jsonl", game)
    assert logs.load_log(tmp_path / "log.jsonl", game) == log
    mine = [kept.seen_by(0) for kept in log]
    logs.save_log(mine, tmp_path / "mine.jsonl", game)
    assert logs.load_log(tmp_path / "mine.jsonl") == mine
    assert all(kept.histories[1] is None for kept in mine)


def test_logs_are_the_games_of_a_match():
    log = record(FOUR, [Uniform()] * 2, 50, seed=4)
    scores = [standing.score for standing in arena.match(FOUR, [Uniform()] * 2, 50, seed=4).players]
    assert np.mean([kept.returns for kept in log], axis=0) == pytest.approx(scores)
    first, *rest = log[0].histories[0]
    assert isinstance(first, Observation)
    assert all(action in (None, "check", "bet", "fold", "call") for action, _ in rest)


HEADER = '{"fogbound":"log","schema":1,"game":"card-poker(ranks=3)"}'
GOOD = '{"histories":[[[null,1],["bet",["bet",null]],[null,["fold",null]]],null],"returns":[1,-1]}'


@pytest.mark.parametrize(
    ("lines", "number", "words"),
    [
        ([], 1, "empty"),
        (["{}"], 1, "no log of games"),
        (['{"fogbound":"log","schema":2,"game":"x"}'], 1, "update fogbound"),
        (['{"fogbound":"log","schema":1}'], 1, "names no game"),
        (['{"fogbound":"log","schema":1,"game":"leduc"}'], 1, "a log of leduc"),
        ([HEADER, GOOD, "{"], 3, "no JSON"),
        ([HEADER, ""], 2, "no JSON"),
        ([HEADER, "[" * 100_000], 2, "deep"),
        ([HEADER, "[1]"], 2, "histories and returns"),
        ([HEADER, '{"histories":[],"returns":[]}'], 2, "each player"),
        ([HEADER, '{"histories":[null],"returns":[1,2]}'], 2, "expected 1 of each"),
        ([HEADER, GOOD, '{"histories":[null],"returns":[1]}'], 3, "expected 2 of each"),
        ([HEADER, '{"histories":[null],"returns":[NaN]}'], 2, "NaN"),
        ([HEADER, '{"histories":[null],"returns":[1e999]}'], 2, "found the return"),
        ([HEADER, '{"histories":[null],"returns":[true]}'], 2, "found the return"),
        ([HEADER, '{"histories":[null],"returns":[1],"returns":[2]}'], 2, "twice"),
        ([HEADER, '{"histories":[[]],"returns":[1]}'], 2, "begins with the first observation"),
        ([HEADER, '{"histories":[[[1]]],"returns":[1]}'], 2, "expected a pair"),
        ([HEADER, '{"histories":[[[1,{"a":2}]]],"returns":[1]}'], 2, "plain value"),
        ([HEADER, '{"histories":[[[1,1e999]]],"returns":[1]}'], 2, "inf"),
    ],
)
def test_bad_lines_are_refused_with_file_and_line(tmp_path, lines, number, words):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(line + "\n" for line in lines))
    with pytest.raises(FileError, match=words) as raised:
        logs.load_log(path, KUHN)
    assert str(raised.value).startswith(f"{path}:{number}: ")
    assert "\n" not in str(raised.value)


def test_other_damage_to_logs(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(HEADER + "\n" + GOOD)
    with pytest.raises(FileError, match="log.jsonl:2: the line is cut off"):
        logs.load_log(path)
    path.write_bytes(HEADER.encode() + b"\n\xff\n")
    with pytest.raises(FileError, match="log.jsonl:2: "):
        logs.load_log(path)
    with pytest.raises(FileError, match="no such file"):
        logs.load_log(tmp_path / "none.jsonl")
    with pytest.raises(FileError, match="cannot be read"):
        logs.load_log(tmp_path)
    logs.save_log([], path, KUHN)
    with pytest.raises(FileError, match="files cannot hold"):
        logs.save_log([Record(((Observation(None, object()),),), (0.0,))], path, KUHN)
    assert logs.load_log(path) == []  # written whole or not at all
    assert [p.name for p in tmp_path.iterdir()] == ["log.jsonl"]


@given(data=st.data())
@some
def test_damaged_logs_cost_one_line(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("logs") / "log.jsonl"
    text = bytearray(f"{HEADER}\n{GOOD}\n".encode())
    for _ in range(data.draw(st.integers(1, 3))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(text))
    with suppress(FileError):  # anything else would be a traceback for whoever opened the file
        logs.load_log(path)


def test_only_whole_games_are_logged():
    with pytest.raises(GameError, match="cycle|did not end"):
        record(make("tiger"), [Uniform()], 1)
    with pytest.raises(SpecError, match="games is -1"):
        record(KUHN, [Uniform()] * 2, -1)


# Estimates where everything is shown


def counted(log, player):
    """The reference that counts: how often each action was taken after each history."""
    found = Counter()
    for kept in log:
        history = kept.histories[player]
        for k, (action, _) in enumerate(history[1:], 1):
            if action is not None:
                found[history[:k], action] += 1
    return found


@given(game=random_games(zero_sum=True), seed=st.integers(0, 99))
@some
def test_counts_are_those_counted_by_hand(game, seed):
    form = forms.sequence(game)
    log = record(game, [Uniform()] * 2, 30, seed)
    for player in (0, 1):
        found, expected = estimate(form, player, log), counted(log, player)
        for h in form.plexes[player].sets.tolist():
            known, first = form.tree.history(player, int(form.tree.set_memory[h])), int(form.tree.set_first[h])
            for k, move in enumerate(form.tree.moves(h)):
                assert found.seen[first + k] == expected.pop((known, move), 0)
        assert not expected


@pytest.mark.slow
def test_estimates_converge():
    form = forms.sequence(KUHN)
    true = drawn(form, 1, 3)
    log = record(KUHN, [Uniform(), true], 6_000, seed=1)
    errors = [distance(estimate(form, 1, log[:n]), true) for n in (60, 6_000)]
    assert errors[1] < 0.06 < errors[0]


def test_priors_matter_while_games_are_few():
    form = forms.sequence(FOUR)
    nash = solve(make_solver("sequence-lp"), form, certified=False).profile[1]
    true = biased(form, 1, nash, "call", 0.5)
    believed = (1 - DOUBT) * nash.behaviour + DOUBT * form.plexes[1].uniform
    assert estimate(form, 1, [], nash).policy.behaviour[1:] == pytest.approx(believed[1:])
    assert estimate(form, 1, [], view="mine").policy.behaviour[1:] == pytest.approx(form.plexes[1].uniform[1:])
    log = record(FOUR, [Uniform(), true], 400, seed=2)
    for few, view in ((10, "all"), (10, "mine")):
        stubborn, open_ = (estimate(form, 1, log[:few], nash, s, view) for s in (1e6, 1.0))
        assert stubborn.policy.behaviour[1:] == pytest.approx(believed[1:], abs=1e-3)
        assert distance(open_, nash) > 0.1
    sane, blank = (estimate(form, 1, log[:10], prior) for prior in (nash, None))
    assert np.abs(sane.policy.behaviour - true.behaviour).sum() < np.abs(blank.policy.behaviour - true.behaviour).sum()
    sane, blank = (estimate(form, 1, log, prior) for prior in (nash, None))
    assert sane.policy.behaviour == pytest.approx(blank.policy.behaviour, abs=0.05)


@pytest.mark.slow
def test_intervals_are_calibrated():
    """Opponents drawn from the prior must lie in 95 % of the 95 % intervals: 200 logs, six sets each."""
    form = forms.sequence(KUHN)
    inside = []
    for run in range(200):
        true = drawn(form, 1, run)
        found = estimate(form, 1, record(KUHN, [Uniform(), true], 30, run), strength=2.0)
        inside += covered(form, found, true)
    assert 0.92 <= np.mean(inside) <= 0.98


def covered(form, found, true):
    sets = form.plexes[found.player].sets.tolist()
    moves = [(h, form.tree.moves(h)[1]) for h in sets]
    intervals = [found.interval(h, move) for h, move in moves]
    return [low <= true.at(h)[move] <= high for (h, move), (low, high) in zip(moves, intervals)]


def test_samples_have_the_posterior_as_their_distribution():
    form = forms.sequence(KUHN)
    found = estimate(form, 1, record(KUHN, [Uniform()] * 2, 40, 0), strength=0.01)
    rng = np.random.default_rng(0)
    many = np.array([found.sample(rng).behaviour for _ in range(4_000)])
    assert many.mean(axis=0) == pytest.approx(found.policy.behaviour, abs=0.02)
    h = int(form.plexes[1].sets[0])
    q, move = int(form.tree.set_first[h]) + 1, form.tree.moves(h)[1]
    assert np.quantile(many[:, q], [0.025, 0.975]) == pytest.approx(found.interval(h, move), abs=0.02)
    assert np.isfinite(many).all()


def test_what_cannot_be_estimated_is_said():
    form, log = forms.sequence(KUHN), record(KUHN, [Uniform()] * 2, 5)
    h = int(form.plexes[1].sets[0])
    with pytest.raises(FormError, match="game 0 of the log does not say what dealer saw"):
        estimate(form, 1, [kept.seen_by(0) for kept in log])
    with pytest.raises(FormError, match="is no game of card-poker") as raised:
        estimate(form, 1, [*log, *record(EIGHT, [Uniform()] * 2, 30)])
    assert isinstance(raised.value.__cause__, PolicyError)
    with pytest.raises(FormError, match="before it is over"):
        estimate(form, 1, [Record(((Observation(None, 1),), None), (0.0, 0.0))], view="mine")
    with pytest.raises(FormError, match="player 2"):
        estimate(form, 2, log)
    three = forms.sequence(make("random(seats=3, seed=1)"))
    with pytest.raises(FormError, match="3 players"):
        estimate(three, 0, [], view="mine")
    for wrong in ({"view": "yours"}, {"strength": 0.0}):
        with pytest.raises(SpecError):
            estimate(form, 1, log, **wrong)
    with pytest.raises(SpecError, match="'raise'"):
        estimate(form, 1, log).interval(h, "raise")


# Estimates from one player


@given(game=random_games(zero_sum=True), player=st.integers(0, 1), seed=st.integers(0, 99))
@some
def test_expectations_are_those_over_whole_games(game, player, seed):
    """The E-step against its definition: every end of the tree, weighted by all that leads there."""
    form = forms.sequence(game)
    tree, watcher = form.tree, 1 - player
    log = record(game, [Uniform()] * 2, 20, seed)
    found = estimate(form, player, log, view="mine")
    played = [plex.uniform for plex in form.plexes]
    played[player] = dirichlet(form.plexes[player], pseudo_counts(form, player, None, 3.0), np.random.default_rng(seed))
    weights = [plex.weights(b) for plex, b in zip(form.plexes, played)]
    expected = np.zeros(form.plexes[player].sequences)
    alike = {}
    for end in tree.ends.tolist():
        w = tree.reach[end] * np.prod([weights[i][tree.memory_sequence[tree.memory[end, i]]] for i in (0, 1)])
        alike.setdefault(tree.history(watcher, int(tree.memory[end, watcher])), []).append((end, w))
    for kept in log:
        ends = alike[kept.histories[watcher]]
        for end, w in ends:
            node = end
            while tree.parent[node] >= 0:
                above = int(tree.parent[node])
                if tree.mover[above] == player:
                    q = tree.set_first[tree.infoset[above]] + node - tree.child[above]
                    expected[q] += w / sum(p for _, p in ends)
                node = above
    assert found.hidden.expected(played[player]) == pytest.approx(expected, abs=1e-9)


@given(game=random_games(zero_sum=True), seed=st.integers(0, 99))
@some
def test_expectation_maximisation_climbs(game, seed):
    form = forms.sequence(game)
    found = estimate(form, 1, record(game, [Uniform()] * 2, 20, seed), view="mine")
    plex, steps = form.plexes[1], [form.plexes[1].behaviour(found.prior)]
    for _ in range(10):
        steps.append(plex.behaviour(found.prior + found.hidden.expected(steps[-1])))
    worth = [found.hidden.objective(b, found.prior) for b in [*steps, found.policy.behaviour]]
    assert all(b >= a - 1e-9 * abs(a) for a, b in pairwise(worth))


@pytest.mark.parametrize("game", [KUHN, FOUR])
def test_one_seat_tells_all_in_the_long_run(game):
    """A log as long as one likes: each of my histories as often as it is likely. Cards that differ tell sets apart."""
    form = forms.sequence(game)
    true, tree = drawn(form, 1, 7, strength=6.0), form.tree
    weights = form.plexes[1].weights(true.behaviour)[tree.memory_sequence[tree.memory[tree.ends, 1]]]
    mine = form.plexes[0].weights(form.plexes[0].uniform)[tree.memory_sequence[tree.memory[tree.ends, 0]]]
    often = Counter()
    for memory, p in zip(tree.memory[tree.ends, 0].tolist(), tree.reach[tree.ends] * weights * mine):
        often[memory] += p
    kept = hidden(form, 1, {memory: round(1e9 * p) for memory, p in often.items() if p > 1e-9})
    prior = pseudo_counts(form, 1, None, 1.0)
    assert form.plexes[1].behaviour(prior + kept.fit(prior)) == pytest.approx(true.behaviour, abs=2e-3)


@pytest.mark.slow
def test_one_seat_converges_and_uses_nothing_else():
    form = forms.sequence(KUHN)
    true = drawn(form, 1, 3)
    log = record(KUHN, [Uniform(), true], 6_000, seed=1)
    errors = [distance(estimate(form, 1, log[:n], view="mine"), true) for n in (60, 6_000)]
    assert errors[1] < 0.15 < errors[0]
    blind = [Record(kept.seen_by(0).histories, (0.0, 0.0)) for kept in log[:300]]
    one, other = (estimate(form, 1, some_, view="mine").policy.behaviour for some_ in (log[:300], blind))
    assert np.array_equal(one, other)


@pytest.mark.slow
def test_intervals_from_one_seat_are_calibrated(monkeypatch):
    """Drawn from the posterior they hold; Betas over expected counts would pretend to know what was hidden."""
    estimates = importlib.import_module("fogbound.inference.behaviour")  # the module, not the function of that name
    monkeypatch.setattr(estimates, "SWEEPS", 800)
    form = forms.sequence(KUHN)
    inside, pretended = [], []
    for run in range(45):
        true = drawn(form, 1, run)
        found = estimate(form, 1, record(KUHN, [Uniform(), true], 50, run), strength=2.0, view="mine")
        inside += covered(form, found, true)
        pretended += covered(form, estimates.BehaviourEstimate(form, 1, 50, found.prior, found.seen), true)
    assert 0.90 <= np.mean(inside) <= 0.99
    assert np.mean(pretended) < np.mean(inside) - 0.05
    drawn_twice = [found.sample(np.random.default_rng(5)).behaviour for _ in range(2)]
    assert np.array_equal(*drawn_twice)
    assert evaluation.behaviour(form, 1, Tabular(form.tree, 1, drawn_twice[0])) is drawn_twice[0]


# Restricted Nash response

TRUSTS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)


def trade_off(form, player, fixed):
    found = [
        check_solver(make_solver(f"restricted-nash(trust={t})"), RestrictedGame(form, player, fixed)) for t in TRUSTS
    ]
    slack = 1e-7 * max(1.0, float(np.abs(form.payoff).max(initial=0.0)))
    played = [fixed, form.plexes[player].uniform] if player else [form.plexes[player].uniform, fixed]
    reply = evaluation.best_response(form, played, player)
    nash = solve(make_solver("sequence-lp"), form, certified=False, player=player)
    for t, answer in zip(TRUSTS, found):
        told = answer.details
        assert answer.value == pytest.approx(t * told["against_estimate"] + (1 - t) * told["guaranteed"], abs=slack)
        assert answer.upper - answer.lower <= slack
        assert told["safe"] == pytest.approx(nash.value, abs=slack)
        mine = evaluation.behaviours(form, answer.profile)
        assert evaluation.expected(form, mine)[player] == pytest.approx(told["against_estimate"], abs=slack)
        worst = (form.constant_sum or 0.0) - evaluation.best_response(form, mine, 1 - player).value
        assert worst == pytest.approx(told["guaranteed"], abs=slack)
    against, guaranteed = ([a.details[name] for a in found] for name in ("against_estimate", "guaranteed"))
    assert guaranteed[0] == pytest.approx(nash.value, abs=slack)
    assert against[-1] == pytest.approx(reply.value, abs=slack)
    assert all(b >= a - slack for a, b in pairwise(against))
    assert all(b <= a + slack for a, b in pairwise(guaranteed[:-1]))
    played[player] = reply.behaviour
    assert (
        guaranteed[-2] >= (form.constant_sum or 0.0) - evaluation.best_response(form, played, 1 - player).value - slack
    )
    return against, guaranteed


@pytest.mark.one_in(2)
@pytest.mark.parametrize("game", [FOUR, EIGHT, make("rock-paper-scissors")])
@pytest.mark.parametrize("player", [0, 1])
def test_trust_trades_safety_for_gain(game, player):
    form = forms.sequence(game)
    nash = solve(make_solver("sequence-lp"), form, certified=False).profile[1 - player]
    habit = form.tree.actions[-1]
    against, guaranteed = trade_off(form, player, biased(form, 1 - player, nash, habit, 0.3).behaviour)
    assert against[-1] > against[0] + 1e-3
    assert guaranteed[-2] < guaranteed[0] - 1e-3


@pytest.mark.slow
@given(game=random_games(zero_sum=True), player=st.integers(0, 1), seed=st.integers(0, 99))
@some
def test_trust_trades_in_random_games(game, player, seed):
    form = forms.sequence(game)
    trade_off(form, player, drawn(form, 1 - player, seed).behaviour)


def test_restricted_games_refuse_what_they_cannot_be():
    form = forms.sequence(KUHN)
    with pytest.raises(FormError, match="no distribution"):
        RestrictedGame(form, 0, np.zeros(form.plexes[1].sequences))
    with pytest.raises(FormError, match="no distribution"):
        RestrictedGame(form, 0, np.ones(3))
    with pytest.raises(FormError, match="one of two players"):
        RestrictedGame(form, 2, form.plexes[1].uniform)
    with pytest.raises(SpecError, match="trust is 2"):
        make_solver("restricted-nash(trust=2)")
    general = forms.sequence(make("random(seed=1)"))
    with pytest.raises(FormError, match="not zero-sum"):
        solve(make_solver("restricted-nash"), RestrictedGame(general, 0, general.plexes[1].uniform))


def test_restricted_nash_on_the_command_line(capsys, tmp_path):
    words = ["solve", "card-poker(ranks=4)", "--with", "restricted-nash", "--trust", "0.8", "--player", "dealer"]
    assert main([*words, "--against", "uniform", "--json", "-o", str(tmp_path / "a.npz")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["player"] == 1
    assert told["details"]["guaranteed"] <= told["details"]["safe"] <= told["details"]["against_estimate"]
    assert main(words) == 2
    assert "--against POLICY for gambler" in capsys.readouterr().err
    assert main(["solve", "horizon(game=tiger, steps=2)", "--with", "restricted-nash"]) == 2
    assert "1 player, expected 2" in capsys.readouterr().err


# What watching is worth


@pytest.mark.slow
@pytest.mark.parametrize("view", ["all", "mine"])
def test_watching_pays(view):
    form = forms.sequence(FOUR)
    nash = solve(make_solver("sequence-lp"), form, certified=False).profile[1]
    opponent = biased(form, 1, nash, "call", 0.3)
    points = learning_curve(FOUR, opponent, 0, counts=(0, 10, 100, 600), repeats=8, view=view, trust=0.8)
    again = learning_curve(FOUR, opponent, 0, counts=(0, 10), repeats=2, view=view, trust=0.8)
    assert again == learning_curve(FOUR, opponent, 0, counts=(0, 10), repeats=2, view=view, trust=0.8)
    for point in points:
        for spread in (point.response, point.restricted):
            assert spread.low <= spread.mean <= min(spread.high, point.full + 1e-9)
        assert point.restricted_worst.mean >= point.response_worst.mean - 1e-9
        assert point.value - 1e-9 <= point.nash <= point.full + 1e-9
    means = [point.response.mean for point in points]
    assert means[0] < means[-1]
    assert all(b >= a - 0.01 for a, b in pairwise(means))
    assert points[-1].full - means[-1] < 0.3 * (points[-1].full - points[0].nash)
    assert points[0].response.low == points[0].response.high  # nothing seen, nothing random


def test_the_gambler_can_be_watched_too():
    form = forms.sequence(KUHN)
    nash = solve(make_solver("sequence-lp"), form, certified=False).profile
    opponent = biased(form, 0, nash[0], "bet", 0.4)
    first, last = learning_curve(KUHN, opponent, 1, counts=(5, 300), repeats=5, prior=Uniform(), probe=nash[1])
    assert last.response.mean > first.response.mean - 0.02
    assert last.value == pytest.approx(1 / 18)
    with pytest.raises(SpecError, match="repeats"):
        learning_curve(KUHN, opponent, 1, repeats=1)


def test_habits():
    form = forms.sequence(KUHN)
    played = biased(form, 1, Uniform(), "call", 0.3)
    for (known, choice), h in zip(played.rows(), form.plexes[1].sets.tolist()):
        moves = form.tree.moves(h)
        assert [choice[m] for m in moves] == pytest.approx([0.35, 0.65] if "call" in moves else [0.5, 0.5]), known
    for wrong in (("raise", 0.3), ("call", 1.3)):
        with pytest.raises(SpecError, match="biased"):
            biased(form, 1, Uniform(), *wrong)


def point(games, response, restricted_, nash=0.0, full=1.0):
    low, high = MeanInterval(-2.0, -2.1, -1.9), MeanInterval(-1.0, -1.1, -0.9)
    spreads = [MeanInterval(v, v - 0.1, v + 0.1) for v in (response, restricted_)]
    return CurvePoint(games, *spreads, low, high, nash, full, -0.5)


@pytest.mark.parametrize(
    "points",
    [
        [],
        [point(10, 0.5, 0.2)],
        [point(0, -5.0, 0.0), point(10, 0.5, 0.2), point(1000, 0.9, 0.6)],
        [point(10, -5.0, -5.0, nash=-5.0, full=4.0), point(20, -5.0, -5.0, nash=-5.0, full=4.0)],
        [point(0, 0.0, 0.0, full=0.0)],
    ],
)
def test_learning_is_drawn(points):
    picture = draw.learning(points, title="A <title>")
    root = ElementTree.fromstring(picture.svg)
    texts = list(root.iter("{http://www.w3.org/2000/svg}text"))
    words = [e.text for e in texts]
    assert words[0] == "A <title>"
    if points:
        for name in ("full knowledge", "best response", "restricted Nash", "equilibrium", "at worst"):
            assert any(word.startswith(name) for word in words)
        assert all(0 < float(e.get("y")) < float(root.get("height")) for e in texts)
    assert "NaN" not in picture.plain()
