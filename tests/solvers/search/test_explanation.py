"""What a search says about itself: the same numbers as its decision, a line of legal moves, in words and curves."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.game import Observation
from fogbound.core.simulator import RuleSimulator
from fogbound.draw import sweep
from fogbound.solvers.search.curves import value_curves
from tests.draw.made import checked
from tests.solvers.search.plain_search import PlainSearch, believed
from tests.solvers.search.test_oracle import asked, decisions, history_of

CASES = [
    ("leduc", "is-mcts(simulations=200)"),
    ("liars-dice(sides=3)", "is-mcts(simulations=200, observer=single)"),
    ("goofspiel", "pomcp-pgt(simulations=200, rule=rm)"),
    ("tiger", "is-mcts(simulations=200, depth=10)"),
]


@pytest.mark.parametrize(("spec", "planner"), CASES)
def test_an_explanation_is_the_decision_with_its_reasons(spec, planner):
    game = fb.game(spec)
    for player, known, offered in decisions(game, 2, most=3):
        policy, memory = fb.policy(planner, game, player), history_of(known)
        explained, found = policy.explain(memory, offered), policy.look(memory, offered)
        assert [one.action for one in explained.actions] == list(offered)
        assert [one.visits for one in explained.actions] == found.visits.tolist()
        assert {one.action: one.chance for one in explained.actions if one.chance} == dict(policy.act(memory, offered))
        held = asked(game, believed(game, player, known), player, offered)
        assert explained.exact
        assert explained.states == len({state for state, *_ in held})
        assert sum(p for _, p in explained.belief) <= 1 + 1e-9


@pytest.mark.parametrize(("spec", "planner"), CASES)
def test_the_principal_line_is_what_movers_tried_most(spec, planner):
    """Followed in the plain search, on the plain game, by the likeliest outcomes."""
    game = fb.game(spec)
    player, known, offered = decisions(game, 2, most=1)[0]
    policy = fb.policy(planner, game, player)
    line = policy.explain(history_of(known), offered).line
    seed = int(policy.search(history_of(known), offered).walk.random[0])
    plain = PlainSearch(game, policy.way, asked(game, believed(game, player, known), player, offered), player, seed)
    plain.run(200)
    assert [(move.player, move.action, move.visits) for move in line] == plain_line(plain)
    assert line[0].step == 0
    assert len(line) > 1


def plain_line(search):
    """The same line by the nodes of the plain search."""
    from tests.solvers.search.plain_search import once, remembered

    rules, line = RuleSimulator(search.rules.game), []
    state, known, _ = max(search.root, key=lambda particle: round(particle[2], 12))
    while actors := rules.actors(state):
        legal, places, moves = rules.legal(state, actors), [], []
        for player, offered in zip(actors, legal):
            node = search.nodes.get((player, known[search.me if search.way.observer == "single" else player]))
            tried = [node.edges[action].tried for action in offered] if node else [0]
            if not max(tried):
                return line
            places.append(tried.index(max(tried)))
            moves.append((player, offered[places[-1]], max(tried)))
        line += moves
        branches = once(rules, rules.step(state, legal, places))
        state, event, _ = branches[int(np.argmax([p for *_, p in branches]))]
        known = remembered(rules, known, actors, legal, places, event)
    return line


def test_in_words():
    game = fb.game("leduc")
    player, known, offered = decisions(game, 2, most=1)[0]
    words = fb.policy("is-mcts(simulations=50)", game, player).explain(history_of(known), offered).words(game)
    assert words[0].startswith("50 simulations, ")
    assert "(no guarantee)" in words[0]
    assert any(line.startswith("  expected: first ") for line in words)
    assert "  belief: 5 states, all that may be true" in words


def test_what_nothing_fits_is_not_explained():
    game = fb.game("leduc")
    policy = fb.policy("is-mcts(simulations=5)", game, 0)
    assert policy.explain(policy.begin(Observation("a comet", None)), ("check", "bet")) is None


def test_curves_of_values_end_where_the_search_does():
    game = fb.game("rock-paper-scissors(biased=true)")
    policy = fb.policy("pomcp-pgt(rule=regret)", game, 0)
    search = policy.search(policy.begin(game.start().pairs[0][0].observation(0)), game.actions((), 0))
    points = value_curves(search, [10, 100, 1000])
    assert [point.simulations for point in points] == [10, 10, 100, 100, 1000, 1000]
    assert [point.value for point in points[-2:]] == search.returns()[0].tolist()
    for first, second in zip(points[::2], points[1::2]):
        assert first.value + second.value == pytest.approx(1)
    checked(sweep(points, x="simulations", lower="lower", upper="upper", log_x=True))


def test_play_tells_thoughts_afterwards(capsys, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda _: "1")
    against = ["--against", "is-mcts(simulations=30)", "--thoughts", "--seed", "1"]
    assert main(["play", "leduc", *against]) == 0
    before, after = capsys.readouterr().out.split("What second thought")
    assert "mean return" not in before
    assert "30 simulations" in after
    assert main(["play", "leduc", "--thoughts", "--seed", "1"]) == 0
    assert "second does not search as it plays" in capsys.readouterr().out


def test_solve_says_what_is_expected():
    assert all(step.split()[0] in ("first", "second") for step in fb.solve("leduc", CASES[0][1]).details["expected"])
