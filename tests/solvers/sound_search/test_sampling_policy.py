"""Online outcome sampling without a tree: against the rules walk for walk, by exploitability, and in large games."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import FormError, GameError, LimitError
from fogbound.core.simulator import RuleSimulator
from fogbound.forms.compiled_rules import table_rules
from fogbound.policies.tabular import Tabular
from fogbound.solvers.search.history import ActionObservationHistory
from fogbound.solvers.search.kernels import pool as pools
from fogbound.solvers.search.kernels.simulation import mark, node_key
from fogbound.solvers.search.sampled import SampledGame
from fogbound.solvers.sound_search import walks_by_rules, walks_compiled
from fogbound.solvers.sound_search.oos import OOS
from fogbound.solvers.sound_search.walks_by_rules import WalksByRules
from fogbound.solvers.sound_search.walks_compiled import CompiledWalks

KUHN = "card-poker(ranks=3)"


def a_long_line(game, player, seed):
    """What a player did and saw at its decisions in one random play."""
    rules, rng = RuleSimulator(game), np.random.default_rng(seed)
    outcome = rules.opening().sample(rng)
    history, decisions = ActionObservationHistory(None, None, rules.observed(outcome, player)), []
    while actors := rules.actors(outcome.state):
        if player in actors:
            decisions.append(history)
        legal = rules.legal(outcome.state, actors)
        joint = tuple(offered[int(rng.integers(len(offered)))] for offered in legal)
        outcome = rules.drawn(outcome.state, joint, rng)
        own = joint[actors.index(player)] if player in actors else None
        history = ActionObservationHistory(history, own, rules.observed(outcome, player))
    return decisions


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [KUHN, "leduc", "liars-dice(sides=2)", "goofspiel(cards=4)", "horizon(adversarial-tiger, 3)"],
)
def test_the_compiled_walks_are_those_by_the_rules(spec):
    """The same draws, so the same regrets, averages and visits at every information set."""
    game = fb.game(spec)
    settings = OOS(walks=150)
    compiled, plain = CompiledWalks(table_rules(fb.forms.table(game)), settings), WalksByRules(game, settings)
    player = 1
    decisions = max((a_long_line(game, player, seed) for seed in range(20)), key=len)
    assert len(decisions) > 1 or spec == KUHN
    found, listed = compiled.nothing(), plain.nothing()
    for number, decision in enumerate(decisions):
        found, listed = (
            walks.walked(known, player, decision, 5 + number) for walks, known in ((compiled, found), (plain, listed))
        )
    assert found.sets == listed.sets > 5
    assert found.walks == listed.walks == 150 * len(decisions)
    rules, words = compiled.game, {}
    for (before, action, seen), number in plain._numbers.items():
        for owner in (0, 1):
            code = -1 if action is None else rules.action_code(action)
            known = np.int64(0) if before < 0 else words[before, owner]
            words[number, owner] = mark(known, np.int64(code), np.int64(rules.observation_code(owner, seen)))
    for (owner, number), there in listed.known.items():
        node = pools.lookup_node(found.pool, node_key(words[number, owner], owner))
        edges = slice(found.pool.first[node], found.pool.first[node] + len(there.actions))
        assert found.pool.visits[node] == there.visits
        assert found.pool.regret[edges] == pytest.approx(there.regret, abs=1e-9)
        assert found.pool.average[edges] == pytest.approx(there.average, abs=1e-9)


def asked_everywhere(spec, walks, seed):
    """Exploitability of the policies that sample at each information set, which never see the tree."""
    form = fb.forms.table(fb.game(spec))
    policies = [OOS(walks=walks).online(form, player, seed) for player in (0, 1)]
    return fb.evaluate(fb.game(spec), policies).exploitability[1]


@pytest.mark.parametrize("seed", [0, 1])
def test_kuhn(seed):
    """As good as on the tree."""
    assert asked_everywhere(KUHN, 100_000, seed) <= 0.04


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "few", "many"),
    [("liars-dice(sides=3)", 300, 10_000), ("leduc", 300, 3_000)],
)
def test_more_walks_help(spec, few, many):
    assert asked_everywhere(spec, many, 0) < 0.7 * asked_everywhere(spec, few, 0)


def test_the_rules_alone_come_to_the_same():
    """A game that has neither a table nor compiled rules is asked itself; answers are those of compiled walks."""
    game = fb.game(KUHN)
    settings, tree = OOS(walks=100), fb.forms.tree(game)
    for player in (0, 1):
        compiled = settings.online(fb.forms.table(game), player, 3)
        asked = settings.online(SampledGame(game, player), player, 3)
        for decision in a_long_line(game, player, seed=2):
            legal = legal_at(tree, player, decision)
            assert dict(compiled.act(decision, legal)) == pytest.approx(dict(asked.act(decision, legal)))


def test_what_is_played_is_a_function_of_seed_and_history(monkeypatch):
    """Whatever was asked before, kept or forgotten on the way."""
    game = fb.game("liars-dice(sides=3)")
    form, settings = fb.forms.table(game), OOS(walks=60)
    lines = [decision for seed in range(12) for decision in a_long_line(game, 0, seed)]
    tree = fb.forms.tree(game)
    legal = {decision: legal_at(tree, 0, decision) for decision in lines}
    forwards, backwards = (settings.online(form, 0, 3) for _ in range(2))
    one = {decision: forwards.act(decision, legal[decision]) for decision in lines}
    assert len(one) >= 10
    monkeypatch.setattr("fogbound.solvers.sound_search.sampling_policy.KEPT_SETS", 100)
    assert {decision: backwards.act(decision, legal[decision]) for decision in lines[::-1]} == one
    sent = pickle.loads(pickle.dumps(forwards))  # noqa: S301
    assert sent.act(lines[-1], legal[lines[-1]]) == one[lines[-1]]
    other = settings.online(form, 0, 4)
    assert {decision: other.act(decision, legal[decision]) for decision in lines} != one


def legal_at(tree, player, decision):
    known = Tabular(tree, player, np.ones(1))
    (_, first), *steps = decision.steps()
    memory = known.begin(first)
    for action, seen in steps:
        memory = known.update(memory, action, seen)
    return tuple(tree.moves(int(tree.memory_infoset[memory])))


def test_room_grows(monkeypatch):
    """Little room at first changes nothing but the time."""
    rules, decision = table_rules(fb.forms.table(fb.game("leduc"))), a_long_line(fb.game("leduc"), 0, 1)[0]
    wide = CompiledWalks(rules, OOS(walks=400))
    monkeypatch.setattr(walks_compiled, "FIRST_SETS", 1)
    monkeypatch.setattr(walks_compiled, "FIRST_CHOICES", 1)
    narrow = CompiledWalks(rules, OOS(walks=400))
    found = [walks.walked(walks.nothing(), 0, decision, 9).pool for walks in (wide, narrow)]
    (nodes, edges), _ = (pool.used.tolist() for pool in found)
    assert found[0].used.tolist() == found[1].used.tolist()
    assert (found[0].visits[:nodes] == found[1].visits[:nodes]).all()
    assert (found[0].regret[:edges] == found[1].regret[:edges]).all()
    monkeypatch.setattr(walks_compiled, "MEGABYTES", 0)
    with pytest.raises(LimitError, match="take fewer walks"):
        narrow.walked(narrow.nothing(), 0, decision, 9)


class Odd(fb.Game):
    """One player draws a card unseen and both guess; what is wrong with it is in its subclasses."""

    players = ("first", "second")
    pay, menu, ends = (1.0, -1.0), ("a", "b"), True

    def start(self):
        return fb.Dist.uniform([fb.Outcome((0, 0)), fb.Outcome((1, 0))])

    def actors(self, state):
        return (state[1] % 2,) if state[1] < 2 or not self.ends else ()

    def actions(self, state, player):
        return ("a", "b")

    def step(self, state, joint):
        return fb.Dist.sure(fb.Outcome((state[0], state[1] + 1), (1.0, -1.0) if joint == ("a",) else (0.0, 0.0), joint))


class Menu(Odd):
    def actions(self, state, player):
        return ("a", "b", "c")[: 2 + state[0]]


class Pay(Odd):
    def step(self, state, joint):
        return fb.Dist.sure(fb.Outcome((state[0], state[1] + 1), (1.0, 0.0) if joint == ("a",) else (0.0, 0.0), joint))


class Endless(Odd):
    ends = False

    def step(self, state, joint):
        return fb.Dist.sure(fb.Outcome((state[0], 1 - state[1]), (), joint))


@pytest.mark.parametrize(
    ("game", "error", "words"),
    [
        (Menu(), GameError, "offered other actions"),
        (Pay(), FormError, "constant sum"),
        (Endless(), LimitError, "has not ended"),
    ],
)
@pytest.mark.parametrize("compiled", [True, False])
def test_games_that_it_refuses(game, error, words, compiled, monkeypatch):
    for module in (walks_by_rules, walks_compiled, walks_by_rules):
        monkeypatch.setattr(module, "MOST_CHOICES", 500)
    form = fb.forms.table(game) if compiled else SampledGame(game)
    policy = OOS(walks=50).online(form, 0, 0)
    with pytest.raises(error, match=words):
        policy.act(policy.begin(fb.Observation(None, None)), ("a", "b"))


def test_three_players_are_refused():
    with pytest.raises(FormError, match="two players"):
        OOS().online(SampledGame(fb.game("liars-dice(seats=3)")), 0, 0)


@pytest.mark.slow
def test_where_the_tree_is_too_large_it_is_said_aloud_and_played_without():
    told = []
    player = fb.policy("oos(walks=300)", "liars-dice(dice=2)", 1, seed=2, tell=told.append)
    assert len(told) == 1
    assert "oos plays without a tree, by the table, 21,169 states: liars-dice" in told[0]
    assert fb.match("liars-dice(dice=2)", ["uniform", player], games=20).players[1].score > 0
    with pytest.warns(UserWarning, match="oos plays without a tree"):
        fb.policy("oos(walks=300)", "liars-dice(dice=2)", 1)


def test_where_there_is_a_tree_it_is_used():
    told = []
    assert type(fb.policy("oos(walks=300)", KUHN, 1, tell=told.append)).__name__ == "SearchingPolicy"
    assert not told


@pytest.mark.slow
@pytest.mark.parametrize(("command", "rest"), [("match", ["--games", "3"]), ("evaluate", ["--local", "--deals", "3"])])
def test_from_the_command_line(command, rest, capsys):
    assert main([command, "liars-dice(dice=2)", "oos(walks=20)", "uniform", *rest]) == 0
    assert capsys.readouterr().err.count("oos plays without a tree") == 1
