"""Strategies that travel: tables out, tables, JSON, dicts and own bots in; nothing is guessed at."""

from __future__ import annotations

import csv
import io
import json
import sys
import types

import numpy as np
import pytest

import fogbound as fb
from fogbound.api import table
from fogbound.cli.main import main
from fogbound.core.errors import FileError, PolicyError, SpecError

KUHN = fb.game("card-poker(ranks=3)")


@pytest.fixture(scope="module")
def nash():
    return fb.solve(KUHN, "sequence-lp")


def values(profile, game=KUHN):
    return fb.evaluation.exploitability(game, profile).values


def test_a_table_says_who_knows_what_does_what_and_how_often(nash):
    rows = {(row.player, row.information_set, row.action): row for row in nash.table()}
    assert len(rows) == 24
    assert rows["gambler", "1 · check → bet", "fold"].probability == pytest.approx(1)
    assert rows["dealer", "3 · check", "bet"].probability == pytest.approx(1)
    assert rows["dealer", "3 · check", "bet"].reached == pytest.approx(1 / 3)
    assert {row.player for row in nash.table("dealer")} == {"dealer"}


@pytest.mark.parametrize("seed", range(8))
def test_what_is_reached_is_reached_as_often_as_games_come_there(seed):
    """Each action of a player is taken as often as its situation is reached times its probability: sums of rewards."""
    game = fb.game(f"random(seed={seed}, depth=3)")
    uniform = [fb.policies.Uniform()] * len(game.players)
    reached = fb.evaluation.reach(game, uniform)
    asked = np.zeros(len(game.players))
    rng = np.random.default_rng(seed)
    for _ in range(400):
        for step in fb.arena.Episode(game, uniform, rng).steps():
            if step.joint is not None:
                asked[list(game.actors(step.before))] += 1 / 400
    assert [sum(one.values()) for one in reached] == pytest.approx(asked.tolist(), abs=0.35)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("ending", ["csv", "json"])
@pytest.mark.parametrize(
    ("game", "solver"),
    [
        ("card-poker(ranks=3)", "sequence-lp"),
        ("leduc", "cfr-plus"),
        ("horizon(game=tiger, steps=3)", "belief-mdp"),
        ("goofspiel(cards=3)", "cfr-plus"),
        ("random(seed=3, depth=3)", "cfr(sampling=full)"),
        ("random-markov(seed=2)", "markov-nash"),
    ],
)
def test_what_leaves_comes_in_again(tmp_path, game, solver, ending):
    played = fb.game(game)
    answer = fb.solve(played, solver, iterations=20, certify=False)
    profile = [answer.policy(i) for i in range(len(played.players))]
    path = tmp_path / f"x.{ending}"
    getattr(answer, f"to_{ending}")(path)
    again = [fb.policy(path, played, i) for i in range(len(played.players))]
    assert fb.evaluation.value(played, again) == pytest.approx(fb.evaluation.value(played, profile), abs=1e-9)
    by_dict = [fb.policy(answer.table().to_dict(), played, i) for i in range(len(played.players))]
    assert fb.evaluation.value(played, by_dict) == pytest.approx(fb.evaluation.value(played, profile), abs=1e-9)


def test_a_policy_without_end_is_listed_by_its_nodes(tmp_path):
    answer = fb.solve("tiger", "sarsop", gap=1e-2).save(tmp_path / "tiger.npz")
    for one in (answer, fb.load(tmp_path / "tiger.npz")):
        rows = list(table(one))
        assert rows[0].information_set == "node 0: 0.50 left; 0.50 right"
        assert sum(row.reached or 0.0 for row in rows) == pytest.approx(20)
        assert rows[-1].then == {"·": 0}
    with pytest.raises(PolicyError, match=r"plays by vectors, which have no table: convert the answer to .alpha"):
        fb.solve("tiger", "sarsop(policy=vectors)").table()


def test_a_reply_alone_has_no_reach_where_the_others_are_not_in_the_answer():
    reply = fb.solve(KUHN, "belief-mdp", against="uniform")
    assert all(row.reached is not None for row in reply.table("gambler"))
    del reply.profile[1]
    assert all(row.reached is None for row in reply.table("gambler"))
    with pytest.raises(SpecError, match="no policy for player 1"):
        reply.table("dealer")


def test_pandas_is_asked_for_only_where_it_is_wanted(nash, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SpecError, match="pandas, which is not installed"):
        nash.to_pandas()
    made = types.SimpleNamespace(DataFrame=lambda rows, columns: (len(rows), columns))
    monkeypatch.setitem(sys.modules, "pandas", made)
    assert nash.to_pandas() == (24, ["player", "information_set", "action", "probability", "reached"])


def test_show_writes_tables(nash, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nash.save("nash.npz")
    assert main(["show", "nash.npz", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 24
    assert main(["show", "nash.npz", "--format", "json", "--player", "dealer"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 12
    assert main(["show", "nash.npz", "--format", "text"]) == 0
    assert capsys.readouterr().out.startswith("player   information set  action  probability")
    assert main(["show", "nash.npz", "-o", "nash.csv"]) == 0
    assert main(["match", str(KUHN), "nash.csv", "uniform", "--games", "20"]) == 0
    capsys.readouterr()
    for words, said in (
        (["show", str(KUHN), "--format", "csv"], "writes the strategies of a saved solution"),
        (["show", "nash.npz", "--format", "csv", "--view", "tree"], "a table of its own, without --view"),
        (["show", "nash.npz", "--format", "csv", "-o", "x.json"], "is not what --format csv says"),
        (["show", "nash.npz", "--format", "csv", "-o", "x.svg"], "a table is written to .csv, .json or .tex"),
    ):
        assert main(words) == 2
        assert said in capsys.readouterr().err


PASSIVE = {
    "1": {"check": 1},
    "2": {"check": 0.5, "bet": 0.5},
    "3": {"bet": 1},
    "1 · check → bet": {"fold": 1},
    "2 · check → bet": {"call": 1},
}  # who bets with a 3 need not say what follows a check


def test_a_dict_is_a_policy_and_may_leave_out_what_it_never_comes_to(nash):
    policy = fb.policy(PASSIVE, KUHN, "gambler")
    assert values([policy, nash.policy(1)]) == values([fb.policy({"gambler": PASSIVE}, KUHN, 0), nash.policy(1)])
    assert fb.match(KUHN, PASSIVE, "uniform", games=5).games == 5
    reply = fb.solve(KUHN, "belief-mdp", player="dealer", against=PASSIVE)
    assert reply.value >= -nash.value - 1e-9


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"9": {"check": 1}}, "never knows '9'"),
        ({"1": {"check": 1, "jump": 0}}, "'jump' is no action, expected check, bet"),
        ({"1": {"check": 0.5, "bet": 0.4}}, "probabilities sum to 0.9, expected 1"),
        ({"1": {"check": 1.5, "bet": -0.5}}, "the probability of 'check' is 1.5, expected a number from 0 to 1"),
        ({"1": {"check": float("nan")}}, "expected a number from 0 to 1"),
    ],
)
def test_words_that_mean_nothing_are_refused(wrong, said):
    with pytest.raises(SpecError, match=said):
        fb.policy({**PASSIVE, **wrong}, KUHN, 0)


def test_what_own_play_can_reach_must_be_said():
    short = {known: moves for known, moves in PASSIVE.items() if known != "2 · check → bet"}
    with pytest.raises(SpecError, match="says nothing for '2 · check → bet', which its own play can reach"):
        fb.policy(short, KUHN, 0)
    with pytest.raises(SpecError, match=r"expected a strategy: \{what is known: \{action: probability\}\}"):
        fb.policy({"1": "check"}, KUHN, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("player,action\n", "has no column 'information_set'"),
        ("player,information_set,action,probability\ndealer,1,check\n", ":2: found another number of columns"),
        ("player,information_set,action,probability\ndealer,1,check,1\n", "has no line for 'gambler'"),
        (
            "player,information_set,action,probability\ngambler,1,check,1\ngambler,1,check,1\n",
            ":3: 'check' is there a second",
        ),
        ("player,information_set,action,probability\ngambler,1,check,much\n", "is 'much', expected a number"),
        ('player,information_set,action,probability\ngambler,"1,check,1\n', "unexpected end"),
        ('"play', ":1: unexpected end"),  # in the first line already
    ],
)
def test_tables_that_are_none_are_refused(tmp_path, text, said):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises((FileError, SpecError), match=said):
        fb.policy(tmp_path / "x.csv", KUHN, 0)


@pytest.mark.parametrize(
    "text", ["", "[", "7", '{"rows": 3}', '{"rows": [3]}', '{"rows": [{"player": "gambler"}]}', "[" * 99999]
)
def test_json_that_is_none_is_refused(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(FileError, match=r"x.json"):
        fb.policy(tmp_path / "x.json", KUHN, 0)
    with pytest.raises(FileError, match="cannot be read"):
        fb.policy(tmp_path / "y.json", KUHN, 0)


BOT = '''
from dataclasses import dataclass
from fogbound import Dist

@dataclass(frozen=True)
class Caller:
    """Calls as often as it is told."""
    often: float = 1.0

    def begin(self, observation): return None
    def update(self, memory, action, observation): return None
    def act(self, memory, actions):
        return Dist.of({actions[-1]: self.often, actions[0]: 1 - self.often})

class Seated:
    def __init__(self, game, player): self.seat = (str(game), player)
    def begin(self, observation): return self.seat
    def update(self, memory, action, observation): return memory
    def act(self, memory, actions): return Dist.uniform(actions)

class Broken(Caller):
    def __init__(self): raise RuntimeError("no engine")
'''


@pytest.fixture
def bot(tmp_path):
    (tmp_path / "bot.py").write_text(BOT)
    return f"{tmp_path}/bot.py"


def test_a_bot_of_ones_own_is_a_policy_wherever_one_is_named(bot, capsys):
    caller = fb.policy(f"{bot}:Caller(often=0.75)", KUHN, 1)
    assert caller.often == 0.75
    assert fb.policy(f"{bot}:Seated", KUHN, "dealer").seat == (str(KUHN), 1)
    assert fb.match(KUHN, f"{bot}:Caller", f"{bot}:Seated", games=10).games == 10
    assert fb.solve(KUHN, "belief-mdp", against=f"{bot}:Caller").value > 0
    assert main(["match", str(KUHN), f"{bot}:Caller(often=0.5)", "uniform", "--games", "5"]) == 0
    assert fb.tournament(KUHN, f"{bot}:Caller", "uniform").exact


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Calller", "has no policy class 'Calller'; did you mean 'Caller'"),
        ("Caller(never=1)", "Caller has no parameter 'never'; it has: often"),
        ("Broken", "Broken cannot be made: RuntimeError: no engine"),
    ],
)
def test_a_bot_that_cannot_be_made_costs_one_line(bot, name, said, capsys):
    assert main(["match", str(KUHN), f"{bot}:{name}", "uniform"]) == 2
    assert said in capsys.readouterr().err


@pytest.fixture(scope="module")
def listener():
    return fb.solve("tiger", "sarsop", gap=1e-3)


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_controllers_that_go_on_for_ever_are_read_again(listener, ending, tmp_path):
    path, table = tmp_path / f"listener.{ending}", fb.api.table(listener)
    (table.to_csv if ending == "csv" else table.to_json)(path)
    exact = fb.evaluate("tiger", listener.policy(0)).values[0]
    assert fb.evaluate("tiger", str(path)).values[0] == exact
    assert fb.match("tiger", str(path), games=20, seed=3).games == 20


def test_controllers_of_model_files_are_read_again(tmp_path):
    model, path = str(tmp_path / "tiger.pomdp"), str(tmp_path / "listener.csv")
    fb.convert("tiger", model)
    answer = fb.solve(model, "sarsop", gap=1e-3)
    fb.api.table(answer).to_csv(path)
    assert fb.evaluate(model, path).values[0] == fb.evaluate(model, answer.policy(0)).values[0]


def test_controllers_that_only_sometimes_move_are_read_again(tmp_path):
    level = fb.solve("po-nim(n=2)", "level-k(level=1)")
    fb.api.table(level, level.player).to_csv(tmp_path / "level.csv")
    again = fb.policy(tmp_path / "level.csv", "po-nim(n=2)", level.player)
    mine, other = level.policy(level.player), fb.policy("uniform", "po-nim(n=2)", 1 - level.player)
    seats = [mine, other] if level.player == 0 else [other, mine]
    read = [again if one is mine else one for one in seats]
    assert fb.evaluate("po-nim(n=2)", *read).values == fb.evaluate("po-nim(n=2)", *seats).values


@pytest.mark.parametrize(
    ("found", "instead", "said"),
    [
        ("you,start", "me,start", "no row 'start' says at which node you begins"),
        ("growl-left", "smoke", "'smoke' is no observation of this game"),
        (",listen,", ",jump,", "'jump' is no action of this game"),
        ('"": 1,', '"": 17,', "no row says what node"),
        ("listen,1.0", "listen,0.5", "sum to 0.5, expected 1"),
        ("node 0", "knot 0", "expected 'start' or a node such as 'node 0'"),
    ],
)
def test_what_no_controller_can_be_is_named(listener, found, instead, said, tmp_path):
    path = tmp_path / "forged.csv"
    text = fb.api.table(listener).to_csv()
    assert found in text
    path.write_text(text.replace(found, instead))
    with pytest.raises(FileError, match=said):
        fb.policy(path, "tiger")
