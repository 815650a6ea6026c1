"""Exact outcomes: one play where nothing is drawn, expectations elsewhere, never an estimate."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from fogbound import evaluation
from fogbound.arena import Episode, exact, log, match, play, round_robin
from fogbound.arena.match import expect
from fogbound.arena.outcome import only_play
from fogbound.cli.main import main
from fogbound.core import Dist, Game, Outcome
from fogbound.core.errors import FormError, LimitError, SpecError
from fogbound.core.game import Observation
from fogbound.draw import transcript
from fogbound.forms.belief_mdp import belief_mdp
from fogbound.forms.pomdp import pomdp
from fogbound.forms.sequence import sequence
from fogbound.forms.tree import tree
from fogbound.games import make
from fogbound.policies import Controller, Mixture, Uniform, uniform_mixture
from fogbound.solvers import make as make_solver
from fogbound.transforms.horizon import Horizon
from tests.run import solve


class Always:
    """A policy without memory: the first of its wishes that is legal."""

    def __init__(self, *wishes):
        self.wishes = wishes

    def begin(self, observation):
        return None

    def update(self, memory, action, observation):
        return None

    def act(self, memory, actions):
        return Dist.sure(next(wish for wish in self.wishes if wish in actions))


class First(Always):
    def act(self, memory, actions):
        return Dist.sure(actions[0])


class Counting(First):
    """Remembers how long it has played, so that no situation comes back."""

    def begin(self, observation):
        return 0

    def update(self, memory, action, observation):
        return memory + 1


@dataclass(frozen=True)
class Lane(Game[int, str]):
    """Steps 0, 1, 2, 1, 2, … for ever: from 0 everybody gets 1, from 1 the first gets 2."""

    discount: float = 1.0
    players = ("left", "right")

    def start(self):
        return Dist.sure(Outcome(0))

    def actors(self, state):
        return (0,)

    def actions(self, state, player):
        return ("go",)

    def step(self, state, joint):
        return Dist.sure(Outcome(2 if state == 1 else 1, ((1.0, 1.0), (2.0, 0.0), (0.0, 0.0))[state]))


@cache
def nash(spec):
    return solve(make_solver("sequence-lp"), sequence(tree(make(spec)))).profile


STUBBORN = Always(("hidden", 3))


def test_one_throw():
    throws = ("rock", "paper", "scissors")
    found = round_robin(make("rock-paper-scissors"), [Always(t) for t in throws], [Always(t) for t in throws])
    assert [[met.winner for met in line] for line in found.outcomes] == [[None, 1, 0], [0, None, 1], [1, 0, None]]
    assert found.outcomes[0][1].returns == (0.0, 1.0)
    assert {(met.ended, met.steps, met.one_play) for line in found.outcomes for met in line} == {("over", 1, True)}
    tie = found.outcomes[0][0]
    assert (tie.wins(), tie.wins("first"), tie.tied) == ((0.5, 0.5), (1.0, 0.0), 1.0)
    with pytest.raises(SpecError, match="expected split or first"):
        tie.wins("last")


def test_a_play_without_chance_decides():
    game = make("tic-tac-toe")
    met = exact(game, [First(), First()])  # crosses takes a1, c1, b2, then a3 on the diagonal
    assert (met.winner, met.returns, met.steps, met.one_play) == (0, (1.0, -1.0), 7, True)
    assert only_play(game, [First(), Uniform()]) is None
    assert only_play(game, [First(), uniform_mixture([First(), First()])]) is None


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["king-ace", "leduc", "card-poker(ranks=4)"])
def test_expectations_are_the_trees_and_the_simulations(spec):
    game, policies = make(spec), [nash(spec)[0], Uniform()]
    met = exact(game, policies)
    assert met.returns == pytest.approx(evaluation.value(game, dict(enumerate(policies))), abs=1e-12)
    assert sum(met.wins()) == pytest.approx(1)
    assert (met.ended, met.one_play) == ("over", False)
    played = match(game, policies, games=3_000, seed=5)
    for i, standing in enumerate(played.players):
        low, high = standing.score_interval
        assert low - (high - low) <= met.returns[i] <= high + (high - low)
        low, high = standing.wins_interval
        assert low - (high - low) <= met.wins()[i] <= high + (high - low)
    assert abs(met.tied - played.tied / played.games) < 0.04


def test_wins_by_hand():
    game = make("rock-paper-scissors")
    met = exact(game, [Uniform(), Always("rock")])
    assert met.returns == pytest.approx((0.5, 0.5))
    assert dict(met.best.pairs) == pytest.approx({(0,): 1 / 3, (1,): 1 / 3, (0, 1): 1 / 3})
    assert met.wins("first") == pytest.approx((2 / 3, 1 / 3))
    assert met.steps == pytest.approx(1)


@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_cycles_follow_the_rule_of_single_games(discount):
    game = Lane(discount)
    met = exact(game, [Uniform(), Uniform()])
    assert met.ended == "cycle"
    assert (met.cycle.begins, met.cycle.length, met.steps) == (1, 2, 3)
    assert met.returns == play(game, [Uniform(), Uniform()], np.random.default_rng(0)).returns
    if discount == 1:  # a tie, although the first has been paid more
        assert (met.returns, met.winner, met.wins()) == ((3.0, 1.0), None, (0.5, 0.5))
    else:
        assert met.returns == pytest.approx((1 + 2 * 0.9 / (1 - 0.81), 1.0))
        assert met.winner == 0
        assert met.returns == pytest.approx(evaluation.value(game, {0: Uniform(), 1: Uniform()}))


def test_controllers_of_po_nim_that_cycle():
    game = make("po-nim")
    observations = [("succeeded", k) for k in range(4)] + [("failed", k) for k in range(4)] + [(None, 3)]
    arrows = {(0, act, Observation(*observation)): 0 for act in (None, ("hidden", 3)) for observation in observations}
    stubborn = Controller({Observation(None, 3): 0}, arrows, (Dist.sure(("hidden", 3)),))
    won = exact(game, [stubborn, stubborn])  # three of theirs, then three of an empty board's last heap fail for ever
    assert won.ended == "cycle"
    assert won.winner is None
    assert won.lost == (False, False)
    assert won.returns == play(game, [stubborn, stubborn], np.random.default_rng(0)).returns
    assert match(game, [stubborn, stubborn], games=2).tied == 2
    faded = exact(make("po-nim(discount=0.9)"), [stubborn, stubborn])
    assert faded.returns == pytest.approx(evaluation.value(make("po-nim(discount=0.9)"), {0: stubborn, 1: stubborn}))


@cache
def level(k, player):
    """Level k of a player: the best reply to levels below, at a discount so mild that play is that of discount 1."""
    if k == 0:
        return Uniform()
    lower = uniform_mixture([level(below, 1 - player) for below in range(k)])
    form = belief_mdp(pomdp(make("po-nim(discount=0.9999)"), player, {1 - player: lower}))
    return solve(make_solver("belief-mdp"), form, certified=False).profile[player]


@pytest.mark.slow
def test_levels_of_document_000():
    game = make("po-nim")
    found = round_robin(game, [level(k, 0) for k in range(3)], [level(k, 1) for k in range(3)]).outcomes
    assert (found[1][2].returns, found[1][2].winner, found[1][2].steps) == ((-12.0, 10.0), 1, 6)  # Figure 2
    assert (found[1][1].ended, found[1][1].cycle, found[1][1].winner) == ("cycle", (2, 2), None)
    assert found[1][0].returns[0] == pytest.approx(47 / 6)
    assert found[0][1].returns[1] == pytest.approx(277 / 36)
    told = transcript(Episode(game, [level(1, 0), level(2, 1)], np.random.default_rng(0)))
    moves = [line.split(": ")[1] for line in told.splitlines() if line[:1].isdigit()]
    taken = ("1 of theirs", "1 of theirs", "3 of theirs", "2 of yours", "2 of yours", "1 of theirs")
    assert moves == [f"take {amount}" for amount in taken]
    assert told.endswith("second wins: first −12, second +10\n")


def test_what_cannot_be_known_is_none():
    game = make("po-nim")
    random = exact(game, [Uniform(), Uniform()])  # fails can be paid any number of times
    assert random.best is None
    assert (random.wins(), random.tied, random.winner) == (None, None, None)
    assert random.returns == pytest.approx(evaluation.value(game, {0: Uniform(), 1: Uniform()}))

    @dataclass(frozen=True)
    class Fork(Lane):
        def start(self):
            return Dist.uniform([Outcome(0), Outcome(1)])

    endless = exact(Fork(), [Uniform(), Uniform()])
    assert (endless.returns, endless.best, endless.steps, endless.ended) == (None, None, None, "varies")
    fading = exact(Fork(0.5), [Uniform(), Uniform()])
    assert fading.returns == pytest.approx(evaluation.value(Fork(0.5), {0: Uniform(), 1: Uniform()}))
    assert fading.best is None


def test_a_discount_counts_steps_for_the_winner_too():
    game = Horizon(make("po-nim(n=2, discount=0.8)"), 4)
    met = exact(game, [Uniform(), First()])
    played = match(game, [Uniform(), First()], games=3_000, seed=2)
    assert met.best is not None
    for i, standing in enumerate(played.players):
        low, high = standing.wins_interval
        assert low - (high - low) <= met.wins()[i] <= high + (high - low)


def test_mixtures_are_averaged_over_their_kinds():
    game = make("rock-paper-scissors")
    mixed = Mixture((Always("rock"), Always("paper")), (0.75, 0.25))
    met = exact(game, [mixed, Always("scissors")])
    assert met.returns == pytest.approx((0.75, 0.25))
    assert (met.one_play, met.ended, met.steps) == (False, "over", 1)
    cycling = exact(make("po-nim"), [uniform_mixture([STUBBORN, First()]), STUBBORN])
    parts = [exact(make("po-nim"), [one, STUBBORN]) for one in (STUBBORN, First())]
    assert cycling.returns == pytest.approx(np.mean([part.returns for part in parts], axis=0))
    assert cycling.wins() == pytest.approx(np.mean([part.wins() for part in parts], axis=0))
    assert {part.ended for part in parts} == {"cycle", "over"}
    assert cycling.ended == "varies"
    half = exact(make("leduc"), [uniform_mixture([nash("leduc")[0], Uniform()]), Uniform()])
    assert half.returns == pytest.approx(
        evaluation.value(make("leduc"), {0: uniform_mixture([nash("leduc")[0], Uniform()]), 1: Uniform()})
    )


def test_limits_and_wrong_numbers_are_said():
    with pytest.raises(LimitError, match="neither ended nor come back"):
        exact(Lane(), [Counting(), Uniform()], most_steps=50)
    with pytest.raises(LimitError):
        exact(make("leduc"), [Uniform(), Uniform()], limit=10)
    with pytest.raises(FormError, match="1 policy for 2"):
        exact(make("leduc"), [Uniform()])
    with pytest.raises(FormError, match="expected 2"):
        round_robin(make("tiger"), [Uniform()], [Uniform()])


@pytest.mark.slow
def test_all_pairs_equal_matches():
    game = make("po-nim")
    policies = [Uniform(), First(), STUBBORN, Always(("hidden", 1))]
    done = []
    found = round_robin(game, policies, policies, watch=done.append)
    assert done == list(range(1, 17))
    for j, mine in enumerate(policies):
        for k, theirs in enumerate(policies):
            met, played = found.outcomes[j][k], match(game, [mine, theirs], games=400, seed=1)
            for i, standing in enumerate(played.players):
                low, high = standing.score_interval
                wide = 1e-9 if met.one_play else high - low
                assert low - wide <= met.returns[i] <= high + wide
                if met.one_play:
                    assert standing.wins == met.wins()[i]
            assert (played.cycles > 0) <= (met.ended != "over")
    rows = json.loads(json.dumps(found.table(), allow_nan=False))
    assert [(row["row"], row["column"]) for row in rows] == [(j, k) for j in range(4) for k in range(4)]
    assert rows[10]["ended"] == "cycle"
    assert set(rows[10]["cycle"]) == {"begins", "length"}
    assert rows[0]["best"] is None


def test_a_game_as_text():
    game = make("po-nim")
    told = transcript(Episode(game, [Always(("hidden", 1)), First()], np.random.default_rng(0)))
    lines = told.splitlines()
    assert lines[0] == str(game)
    assert "1. first: take 1 of theirs" in lines
    assert lines[lines.index("1. first: take 1 of theirs") + 1 :][:2] == [
        "  first sees: the move succeeded; a heap of 3",
        "  second sees: the move succeeded; a heap of 2",
    ]
    assert "all see" not in told
    met = exact(game, [Always(("hidden", 1)), First()])
    assert f"after {met.steps} steps" in lines[-2]
    assert lines[-1].startswith(f"{game.players[met.winner]} wins: ")
    cycling = transcript(Episode(Lane(), [Uniform(), Uniform()], np.random.default_rng(0)))
    assert "would cycle for ever, after 3 steps" in cycling
    assert cycling.endswith("a tie: left +3, right +1\n")
    alone = transcript(Episode(make("tag"), [Uniform()], np.random.default_rng(0)))
    assert alone.splitlines()[-1].startswith("robot ")
    assert "all see: first throws rock, second paper" in transcript(
        Episode(make("rock-paper-scissors"), [Always("rock"), Always("paper")], np.random.default_rng(0))
    )


def run(capsys, *words):
    code = main(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.slow
def test_the_command_says_when_it_is_exact(capsys):
    code, out, _ = run(capsys, "match", "tic-tac-toe", "minimax", "alpha-beta")
    assert code == 0
    assert "Exact: nothing is left to chance, so playing more games would show the same." in out
    assert "Over after 9 steps." in out
    found = json.loads(run(capsys, "match", "tic-tac-toe", "minimax", "alpha-beta", "--json", "--ties", "first")[1])
    assert (found["exact"], found["ended"], found["steps"], found["returns"]) == (True, "over", 9, [0.0, 0.0])
    assert [standing["wins"] for standing in found["players"]] == [1.0, 0.0]


def test_the_command_gives_exact_scores_beside_the_simulated(capsys, tmp_path):
    words = ("match", "leduc", "uniform", "uniform", "--games", "20")
    found = json.loads(run(capsys, *words, "--json")[1])
    assert found["exact"] is False
    assert found["exact_scores"] == pytest.approx(exact(make("leduc"), [Uniform(), Uniform()]).returns)
    assert "Exact expected scores: first " in run(capsys, *words)[1]
    path = tmp_path / "games.jsonl"
    assert run(capsys, *words, "--seed", "3", "--log", str(path))[0] == 0
    records = log.load_log(path, make("leduc"))
    played = match(make("leduc"), [Uniform(), Uniform()], games=20, seed=3)
    assert len(records) == 20
    assert np.mean([kept.returns[0] for kept in records]) == pytest.approx(played.players[0].score)


def test_the_command_states_the_rule_for_cycles(capsys):
    with pytest.raises(SystemExit):
        main(["match", "--help"])
    assert "a tie of all, with what had been paid" in " ".join(capsys.readouterr().out.split())


class Pondering(Uniform):
    """Plays evenly, after much thought."""

    thinks = True


def test_nobody_waits_for_exact_scores_of_policies_that_think():
    game = make("card-poker(ranks=3)")
    assert expect(game, [Uniform(), Uniform()]).returns == pytest.approx((0.125, -0.125))
    assert expect(game, [Uniform(), Pondering()]) is None
    assert expect(game, [Mixture.of([(Uniform(), 0.5), (Pondering(), 0.5)]), Uniform()]) is None
