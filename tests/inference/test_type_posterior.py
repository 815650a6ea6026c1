"""Opponent inference during play: what the belief panel says is right, and nothing hidden is ever said."""

from __future__ import annotations

import io
import math
import textwrap

import numpy as np
import pytest

from fogbound.arena import Episode
from fogbound.arena.log import Record
from fogbound.cli.main import main
from fogbound.core.errors import FormError, SpecError
from fogbound.core.game import Observation
from fogbound.games import make
from fogbound.inference.levels.opponent import candidates, posterior
from fogbound.inference.online.nested_belief import BeliefController
from fogbound.inference.online.opponent_inference import OpponentInference, review
from fogbound.inference.online.own_belief import best_actions
from fogbound.inference.seat import ConsistentStates
from fogbound.inference.type_posterior import OpponentTypes, bayes
from fogbound.policies import Uniform, controller
from fogbound.policies.controller import Controller
from fogbound.policies.equivalence import equivalent
from fogbound.policies.mixture import trembling
from fogbound.solvers.level_k.hierarchy import solve_levels

TRUTH = "The whole truth"


@pytest.fixture
def play(capsys, monkeypatch):
    """A game typed in advance: (exit code, everything before the truth, everything after it, complaints)."""

    def call(typed, *words):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        code = main(["play", *words])
        out, err = capsys.readouterr()
        before, _, after = out.partition(TRUTH)
        return code, before, after, err

    return call


def lived(game, policies, player, seed, most_steps=12):
    """What a player did and saw in one game, and whether it is to move at the end."""
    table = Episode(game, policies, np.random.default_rng(seed))
    history = []
    for step in table.steps(most_steps):
        seen = step.outcome.observation(player)
        own = {} if step.joint is None else dict(zip(game.actors(step.before), step.joint))
        history.append(seen if step.joint is None else (own.get(player), seen))
    return tuple(history), player in game.actors(table.state)


def naive(game, player, policy, history, asked):
    """How likely a history is if the other plays `policy`, by the state it leads to: from the rules alone."""
    now = {}
    for outcome, p in game.start():
        if outcome.observation(player) == history[0]:
            key = outcome.state, policy.begin(outcome.observation(1 - player))
            now[key] = now.get(key, 0.0) + p
    for action, seen in history[1:]:
        after = {}
        for (state, memory), p in now.items():
            actors = game.actors(state)
            if not actors or (player in actors) != (action is not None):
                continue
            other = 1 - player
            choice = policy.act(memory, game.actions(state, other)) if other in actors else [(None, 1.0)]
            for move, q in choice:
                joint = tuple(action if i == player else move for i in actors)
                for outcome, r in game.step(state, joint):
                    if outcome.observation(player) == seen:
                        key = outcome.state, policy.update(memory, move, outcome.observation(other))
                        after[key] = after.get(key, 0.0) + p * q * r
        now = after
    states = {}
    for (state, _), p in now.items():
        if not asked or player in game.actors(state):
            states[state] = states.get(state, 0.0) + p
    return states


GAMES = ["po-nim(n=3)", "card-poker(ranks=3)", "battleship", "liars-dice(sides=2)", "random(seed=4, depth=4)"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_the_posterior_is_bayes_rule(spec, player):
    """Levels and states, against a count over all that the rules allow, after games of every kind of opponent."""
    game = make(spec)
    hierarchy = solve_levels(game, 3)
    inference = OpponentInference(hierarchy, player)
    prior = hierarchy.weights(4)
    for seed in range(8):
        them = hierarchy.policy(seed % 4, 1 - player)
        policies = [Uniform(), them] if player == 0 else [them, Uniform()]
        whole, _ = lived(game, policies, player, seed)
        for cut in range(1, len(whole) + 1):
            history = whole[:cut]
            shares = [naive(game, player, hierarchy.policy(k, 1 - player), history, False) for k in range(4)]
            joint = np.array([p * sum(share.values()) for p, share in zip(prior, shares)])
            found = inference.after(history)
            assert found.impossible_at is None
            assert found.weights == pytest.approx(joint / joint.sum(), abs=1e-9)
            for state, by_class in found.states():
                exact = sum(p * share.get(state, 0.0) for p, share in zip(prior, shares)) / joint.sum()
                assert by_class.sum() == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_a_log_of_one_game_says_the_same_as_the_game_did(spec, player):
    """Two filters, through the POMDP of all types and through each type's own model: the same likelihoods, to the bit
    of rounding, so the same posterior by level and by class."""
    game = make(spec)
    hierarchy = solve_levels(game, 3)
    online = OpponentInference(hierarchy, player)
    levels = [hierarchy.policy(k, 1 - player) for k in range(4)]
    from_logs = candidates(hierarchy.table, 1 - player, levels, hierarchy.weights(4))
    assert from_logs.classes == online.types.classes
    for seed in range(8):
        policies = [Uniform(), levels[seed % 4]] if player == 0 else [levels[seed % 4], Uniform()]
        history, _ = lived(game, policies, player, seed)
        during = online.after(history)
        seen = Record(tuple(history if i == player else None for i in range(2)), (0.0, 0.0))
        after = posterior(from_logs, [seen], rate=0.0, view=player)
        assert after.log_likelihood == pytest.approx(during.log_likelihood, abs=1e-9)
        assert after.weights == pytest.approx(during.weights, abs=1e-9)
        assert after.by_class == pytest.approx(during.by_class, abs=1e-9)


def test_impossible_evidence_is_met_in_one_way():
    types = OpponentTypes("a game", (Uniform(),) * 3, np.array([0.0, 0.5, 0.5]), ((0,), (1, 2)))
    never, along = -np.inf, np.array([[-1.0, -1.0, -2.0], [-2.0, -np.inf, -3.0], [-5.0, -np.inf, -4.0]])
    found = types.posterior(along)
    assert found.impossible_at is None
    assert found.weights.tolist() == [0.0, 0.0, 1.0]
    along[1:, 2] = never  # the prior holds the second step impossible: all types are taken for equally likely
    found = types.posterior(along)
    assert (found.impossible_at, found.prior.tolist(), found.weights.tolist()) == (1, [1 / 3] * 3, [1.0, 0.0, 0.0])
    assert found.by_class.tolist() == [1.0, 0.0]
    along[2, 0] = never
    with pytest.raises(FormError, match="a game: by its rules nobody can have seen this"):
        types.posterior(along)


def test_bayes_does_not_underflow():
    prior, logs = np.array([0.25, 0.75, 0.0]), np.array([-1e6, -1e6 - math.log(3), 0.0])
    assert bayes(prior, logs) == pytest.approx([0.5, 0.5, 0.0])
    assert bayes(prior, np.stack([logs, logs - 1e5])) == pytest.approx(np.array([[0.5, 0.5, 0.0]] * 2))


@pytest.mark.parametrize("spec", GAMES)
def test_a_belief_controller_plays_as_its_level_does(spec):
    hierarchy = solve_levels(make(spec), 3)
    for player in (0, 1):
        for level in (1, 2, 3):
            own = controller(hierarchy.table, player, BeliefController(hierarchy, level, player))
            assert equivalent(own, controller(hierarchy.table, player, hierarchy.policy(level, player)))


def test_levels_that_play_alike_are_one_class():
    """At N=3, level 2 and level 3 of the first player are one and the same player."""
    hierarchy = solve_levels(make("po-nim(n=3)"), 4)
    seats = [
        [type_class.levels for type_class in _at_start(OpponentInference(hierarchy, player)).type_classes]
        for player in (0, 1)
    ]
    assert seats == [[(0,), (1,), (2,), (3, 4)], [(0,), (1,), (2, 3), (4,)]]
    assert OpponentInference(hierarchy, 1).levels_like(hierarchy.policy(3, 0)) == (2, 3)
    assert OpponentInference(hierarchy, 1).levels_like(Uniform()) == (0,)
    assert OpponentInference(hierarchy, 1).levels_like(trembling(hierarchy.policy(4, 0), 0.1)) == ()
    assert OpponentInference(hierarchy, 1).levels_like(trembling(hierarchy.policy(4, 0), 0.0)) == (4,)


def _at_start(inference):
    return inference.after((Observation(None, 3),))


@pytest.mark.parametrize("level", [1, 2, 3, 5])
def test_the_best_move_is_worth_what_the_next_level_is(level):
    """Believing in levels 0 to k - 1 makes one level k: known values of the first player, exactly."""
    known = {1: 47 / 6, 2: 53 / 6, 3: 83 / 9, 5: 9.4078}
    inference = OpponentInference(solve_levels(make("po-nim(n=3)"), level - 1), 0)
    action_values = inference.action_values(inference.after((Observation(None, 3),), asked=True))
    assert max(value.lower for value in action_values) == pytest.approx(known[level], abs=1e-4 if level == 5 else 1e-9)
    assert all(value.exact for value in action_values)
    assert len(action_values) == 6


def test_the_second_player_is_worth_the_same_whatever_it_learns_first():
    """Averaged over the first observation, the best worth of the second player is the known value of its level."""
    game = make("po-nim(n=3)")
    hierarchy = solve_levels(game, 2)
    inference, total = OpponentInference(hierarchy, 1), 0.0
    for seen in {o.observation(1) for a in game.actions((3, 3, 0), 0) for o in game.step((3, 3, 0), (a,)).support()}:
        history = (Observation(None, 3), (None, seen))
        shares = [sum(naive(game, 1, hierarchy.policy(k, 0), history, False).values()) for k in range(3)]
        total += np.mean(shares) * max(w.lower for w in inference.action_values(inference.after(history, asked=True)))
    assert total == pytest.approx(2483 / 270)


@pytest.mark.parametrize("player", [0, 1])
def test_best_play_costs_nothing_and_other_play_costs_what_it_gives_up(player):
    game = make("po-nim(n=3)")
    hierarchy = solve_levels(game, 4)
    inference = OpponentInference(solve_levels(game, 3), player)
    for them in range(4):
        policies = (
            [hierarchy.policy(4, 0), hierarchy.policy(them, 1)]
            if player == 0
            else [hierarchy.policy(them, 0), hierarchy.policy(4, 1)]
        )
        history, _ = lived(game, policies, player, them)
        judged = review(inference, history)
        assert judged
        assert all(move.cost == (0.0, 0.0) for move in judged)
    taken, *_ = review(
        OpponentInference(solve_levels(game, 4), 0), (Observation(None, 3), (("own", 2), Observation("succeeded", 1)))
    )
    assert taken.cost == pytest.approx((9.4078 + 6.8,) * 2, abs=1e-4)
    assert [value.action for value in taken.best] == [("own", 1)]


def test_what_every_level_holds_impossible_is_said_and_replaced():
    game = make("po-nim(n=3)")
    hierarchy = solve_levels(game, 2)
    sure = OpponentInference(hierarchy, 0, prior=(0.0, 0.0, 1.0))
    surprises = 0
    for seed in range(30):
        history, _ = lived(game, [Uniform(), Uniform()], 0, seed)
        found = sure.after(history)
        if found.impossible_at is not None:
            surprises += 1
            assert sure.after(history[: found.impossible_at]).impossible_at is None
            assert found.weights == pytest.approx(OpponentInference(hierarchy, 0, (1 / 3,) * 3).after(history).weights)
    assert surprises > 5
    with pytest.raises(SpecError, match="expected 3 probabilities"):
        OpponentInference(hierarchy, 0, prior=(0.5, 0.5))
    with pytest.raises(FormError, match="nobody can have seen"):
        sure.after((Observation(None, 99),))


def test_a_level_0_that_excludes_something_leaves_room_for_somebody_else():
    game = make("po-nim(n=2)")
    stubborn = controller(game, 1, _First())
    inference = OpponentInference(solve_levels(game, 1, zero={1: stubborn}), 0)
    found = inference.after(
        (Observation(None, 2), (("own", 1), Observation("succeeded", 1)), (None, Observation("failed", 1)))
    )
    assert found.impossible_at == 2
    assert {type_class.levels for type_class in found.type_classes} >= {()}


class _First:
    """Always the first move on offer."""

    def begin(self, observation):
        return 0

    def update(self, memory, action, observation):
        return 0

    def act(self, memory, actions):
        from fogbound.core.dist import Dist

        return Dist.sure(actions[0])


def test_known_tells_only_what_follows():
    """In king-ace a call pays by cards that stay hidden; in po-nim all pay is known, and so is who moved."""
    nim = ConsistentStates(make("po-nim(n=3, discount=0.5)"), 0)
    assert nim.begin(Observation(None, 3)).paid == (0.0, 0.0)
    failed = nim.update(("hidden", 3), Observation("succeeded", 3))
    assert (failed.movers, failed.paid) == ((0,), (0.0, 0.0))
    assert nim.update(None, Observation("failed", 3)).movers == (1,)
    assert nim.update(("hidden", 3), Observation("failed", 3)).paid == (-0.25, -0.25)
    cards = ConsistentStates(make("king-ace"), 0)
    cards.begin(Observation(None, "A"))
    cards.update("raise", Observation("raise", None))
    low, high = cards.update(None, Observation("call", None)).paid
    assert low < high
    hasty = ConsistentStates(make("po-nim(n=3)"), 0, most=1)
    hasty.begin(Observation(None, 3))
    hasty.update(("own", 1), Observation("succeeded", 2))
    follows = hasty.update(None, Observation("succeeded", 2))
    assert (follows.movers, follows.paid) == ((1,), None)


def test_the_fog_is_lifted(play):
    words = ("po-nim", "--against", "level-k(level=3)", "--as", "second", "--levels", "4")
    code, before, after, _ = play(":f\n1\n" * 20, *words)
    assert code == 0
    assert "first moved; all see: the move succeeded; you see: a heap of 2" in before
    for words in ("who first is", "level 2 or 3", "what is hidden", "what first may believe", "● best", "(exact)"):
        assert words in before
    assert "+9.853" in before  # take 1 of theirs, against levels 0 to 4
    assert "your return so far: -10" in before
    assert "assisted" in after
    assert "first was level-k(level=3), level 2 or 3 (they play alike)" in after
    assert "take 1 of yours  value -9.158, cost 19.01; best was take 1 of theirs, +9.853" in after


def test_the_fog_is_about_the_policy_that_sits_there(play):
    """No level is in question unless somebody asks for levels."""
    code, before, after, _ = play(":f\n1\n" * 20, "po-nim", "--against", "level-k(level=3)", "--as", "second")
    assert code == 0
    assert "the values of your moves, against level-k(level=3), with optimal play from here on (exact)" in before
    assert "who first is" not in before
    assert "+10" in before  # take 1 of theirs wins against level 3 at once, whatever other levels would do
    assert "first was" not in after
    assert "when you made them, against level-k(level=3)" in after
    assert "take 1 of yours  value -10, cost 20; best was take 2 of yours or take 1 of theirs, +10" in after


def test_nothing_is_lifted_unasked(play):
    _, before, after, _ = play("1\n" * 9, "po-nim", "--against", "level-k(level=3)", "--as", "second")
    assert "level 2" not in before
    assert "value" not in before + after
    assert "assisted" not in after
    _, before, after, _ = play("1\n" * 9, "po-nim", "--against", "level-k(level=3)", "--as", "second", "--review")
    assert "value" not in before
    assert "cost 20; best was take 2 of yours or take 1 of theirs" in after
    assert "assisted" not in after


def test_lift_shows_it_at_every_move_and_levels_says_which(play):
    _, before, _, _ = play("1\n" * 9, "po-nim", "--against", "uniform", "--lift", "--levels", "1", "--seed", "5")
    assert before.count("who second is") == before.count("your move ›") > 1
    assert "level 1" in before
    assert "level 2" not in before
    _, before, _, _ = play(":q\n", "po-nim", "--against", "some-level", "--lift", "--seed", "5")
    assert "level 3" in before  # unless told
    assert "level 4" not in before


def test_some_level_is_drawn_and_told(play):
    named = set()
    for seed in range(12):
        _, before, after, _ = play(
            "1\n" * 40, "po-nim", "--against", "some-level", "--levels", "2", "--seed", str(seed)
        )
        assert "second is some-level" in before
        named.add(next(line for line in after.splitlines() if line.startswith("second was")))
    assert named == {f"second was level {k}." for k in range(3)}


def test_a_contradicted_prior_is_said(play):
    """Level 1 does what level 2 never would, and the hierarchy's prior holds everybody for level 2."""
    words = ("po-nim", "--against", "level-k(level=1, prior=previous)", "--as", "second", "--lift")
    code, before, after, _ = play("1\n" * 30, *words, "--levels", "2")
    assert code == 0
    assert "what you saw at step 1 had probability 0" in before
    assert "belief reset: levels 0 to 2 equally likely" in before
    assert "cost" in after


def test_moves_that_begin_as_a_command_does_are_told_apart(play):
    words = ("king-ace", "--as", "second", "--against", "uniform", "--no-rules")
    seed = next(str(k) for k in range(50) if "fold" in play(":q\n", *words, "--seed", str(k))[1])
    _, before, after, _ = play("f\nfo\n", *words, "--seed", seed)
    assert "a command is :fog" in before
    assert "you: fold" in before
    assert "assisted" not in after
    _, before, after, _ = play("?\n:fog\nfold\n", *words, "--seed", seed)
    assert ":fog lifts the fog" in before
    assert "what is hidden" in before
    assert "assisted" in after


def test_help_and_leaving(play):
    _, before, _, _ = play("?\nnonsense\n:q\n", "po-nim", "--no-rules")
    assert before.count("type what stands before a move, or the beginning of its words") == 2
    assert "You left the table" in before
    assert play("", "po-nim")[0] == 0


def test_the_fog_lifts_against_several(play):
    code, before, after, _ = play(":f\n1\n" * 30, "random(seats=3)", "--as", "1", "--seed", "0")
    assert code == 0
    assert "the values of your moves, against random play" in before
    assert "assisted" in after


def test_where_the_fog_cannot_be_lifted_play_goes_on(play):
    code, before, after, _ = play(":f\n1\n" * 30, "random(seats=3)", "--levels", "2", "--as", "1", "--seed", "0")
    assert code == 0
    assert "the fog stays: " in before
    assert "expected 2" in before
    assert "assisted" not in after
    assert "You get" in after
    code, _, _, err = play("1\n", "random(seats=3)", "--levels", "2", "--lift")
    assert code == 2
    assert err.count("\n") == 1
    assert play("1\n", "po-nim", "--levels", "9999", "--lift")[0] == 2


SECRET = """
    from dataclasses import dataclass
    from fogbound.core import Board, Dist, Game, Outcome

    @dataclass(frozen=True)
    class Vault(Game):
        '''The keeper knows a word and answers yes or no; you see the answer, are paid by the word, and guess it.'''

        players = ("guesser", "keeper")
        WORDS = ("plover", "dunlin", "turnstone")

        def start(self):
            return Dist.uniform([Outcome((word, 0), private=(None, word)) for word in self.WORDS])

        def actors(self, state):
            return ((0,), (1,), (0,), ())[state[1]]

        def actions(self, state, player):
            return ("wait", "look") if state[1] == 0 else ("yes", "no") if player == 1 else ("left", "right")

        def step(self, state, joint):
            word, turn = state
            gain = len(word) * (1 if joint[0] in ("look", "left", "yes") else -1)
            seen = joint[0] if turn != 2 else None
            return Dist.sure(Outcome((word, turn + 1), (gain, -gain), public=seen))

        def board(self, state, eye=None):
            return Board.of_text(state[0] if eye in (None, 1) else "a vault")
"""


@pytest.mark.slow
def test_no_word_depends_on_what_is_hidden(play, tmp_path):
    """Games that differ only in a planted secret, and in what it pays, read alike to the last letter before the end."""
    path = tmp_path / "vault.py"
    path.write_text(textwrap.dedent(SECRET))
    texts, ends = {}, set()
    for seed in range(40):
        _, before, after, _ = play(
            "f\n1\nf\n1\n", f"{path}:Vault", "--against", "uniform", "--lift", "--seed", str(seed)
        )
        answer = "yes" if "all see: yes" in before else "no"
        texts.setdefault(answer, set()).add(before)
        ends |= {word for word in ("plover", "dunlin", "turnstone") if word in after}
    assert {answer: len(read) for answer, read in texts.items()} == {"yes": 1, "no": 1}
    assert len(ends) == 3
    (text,) = texts["yes"]
    assert "your return so far: from " in text
    assert "turnstone" in text  # as one of three that may be: the belief names all of them
    assert "0.33" in text


def test_beliefs_of_the_other_are_exact():
    """Level 1 of the second player believes in level 0 alone: it thinks what Bayes' rule makes of uniform play."""
    game = make("po-nim(n=3)")
    hierarchy = solve_levels(game, 1)
    level_1 = BeliefController(hierarchy, 1, 1)
    for seed in range(10):
        history, asked = lived(game, [Uniform(), hierarchy.policy(1, 1)], 1, seed, most_steps=3)
        memory = level_1.begin(history[0])
        for action, seen in history[1:]:
            memory = level_1.update(memory, action, seen)
        if asked:
            exact = naive(game, 1, Uniform(), history, True)
            nested_belief = level_1.nested_belief(memory, True)
            found = {hierarchy.table.states[state]: p for state, levels, p in nested_belief}
            assert {levels for _, levels, _ in nested_belief} == {(0,)}
            assert found == pytest.approx({s: p / sum(exact.values()) for s, p in exact.items()})


def test_best_names_all_that_tie():
    inference = OpponentInference(solve_levels(make("rock-paper-scissors"), 2), 0)
    history = (next(iter(make("rock-paper-scissors").start().support())).observation(0),)
    action_values = inference.action_values(inference.after(history, asked=True))
    assert len(action_values) == 3
    top = max(value.lower for value in action_values)
    assert [w.action for w in best_actions(action_values)] == [
        w.action for w in action_values if w.lower == pytest.approx(top)
    ]
    assert isinstance(inference.hierarchy.policy(1, 1), Controller)
