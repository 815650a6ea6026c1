"""Matches in compiled loops: the same statistics as plain play, and only where they mean the same."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.arena.match import cheap_table, fast_form

POKER = fb.game("card-poker(ranks=3)")


def form_of(spec, *policies):
    game = fb.game(spec)
    return fast_form(game, [fb.policy(one, game, i) for i, one in enumerate(policies)], cheap_table(game))


def test_what_is_played_so():
    assert form_of("card-poker(ranks=3)", "uniform", "sequence-lp").kind == "table"
    assert form_of("tiger", "sarsop").kind == "table"
    assert form_of("card-poker(ranks=3)", "uniform", "is-mcts(simulations=5)") is None  # searches
    assert form_of("po-nim(n=2)", "uniform", "uniform") is None  # may come back to where it was, undiscounted
    assert form_of("king-up", "uniform", "uniform", "uniform") is None  # too large for a table


@pytest.mark.parametrize("ties", ["split", "first"])
def test_it_agrees_with_plain_play(ties):
    policies = [fb.policy("sequence-lp", POKER, 0), fb.policies.Uniform()]
    fast = fb.match(POKER, *policies, games=20_000, ties=ties)
    slow = fb.match(POKER, *policies, games=2_000, ties=ties, plain=True)
    for one, other in zip(fast.players, slow.players):
        assert one.score == pytest.approx(other.score, abs=0.2)
        assert one.wins == pytest.approx(other.wins, abs=0.05)
    low, high = fast.players[0].score_interval
    assert low - 0.02 <= fast.exact.returns[0] <= high + 0.02
    assert (fast.games, fast.ties, fast.cut) == (20_000, ties, 0)


def test_the_same_seed_is_the_same_match():
    one, two = (fb.match("leduc", "uniform", "uniform", games=300, seed=4) for _ in range(2))
    assert one.players == two.players
    assert one.players != fb.match("leduc", "uniform", "uniform", games=300, seed=5).players


def test_a_log_holds_the_games_that_were_counted(tmp_path, monkeypatch, capsys):
    from fogbound.arena import log
    from fogbound.cli.main import main

    monkeypatch.chdir(tmp_path)
    assert main(["match", str(POKER), "uniform", "uniform", "--games", "40", "--log", "x.jsonl", "--json"]) == 0
    plain = fb.match(POKER, "uniform", "uniform", games=40, plain=True)
    kept, _ = log.record_whole(POKER, [fb.policies.Uniform()] * 2, 40)
    assert sum(one.returns[0] for one in kept) / 40 == pytest.approx(plain.players[0].score)


def test_what_was_cut_is_counted():
    assert fb.match("tiger", "uniform", games=50, most_steps=5).cut == 50
