"""At the table: what is typed means what it says, and the fog can be lifted alone as well."""

from __future__ import annotations

import pytest

from fogbound import rules
from fogbound.cli.main import main
from fogbound.cli.play import panel
from fogbound.cli.play.panel import _signed_bar
from fogbound.cli.play.person import chosen_move, command, move_keys
from fogbound.games import make
from fogbound.inference import fog


@pytest.fixture
def table(monkeypatch, capsys):
    """Play with what is typed, and return what is shown."""

    def play(typed, *words):
        lines = iter(typed)

        def answer(_prompt):
            try:
                return next(lines)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        code = main(["play", *words])
        return code, capsys.readouterr().out

    return play


def test_a_typed_number_is_the_number_of_the_move(table):
    _, out = table(["4", "5"], "goofspiel", "--seed", "1")
    assert "you: bid the 4" in out
    assert "you: bid the 5" in out
    _, out = table(["4", "4"], "goofspiel", "--seed", "1")
    assert out.count("you: bid") == 1


def test_keys_are_numbers_of_moves_only_where_all_have_one():
    assert move_keys(["a", "b"], ["bid the 3", "bid the 7"]) == ["3", "7"]
    assert move_keys(["a", "b"], ["bid the 3", "pass"]) == ["1", "2"]
    assert move_keys(["a", "b"], ["2 fives", "3 fives 6"]) == ["1", "2"]
    assert move_keys(["a", "b"], ["bid 3 now", "bid 3 later"]) == ["1", "2"]
    assert move_keys(["a", "b"], ["a1", "a0"]) == ["1", "2"]
    assert move_keys([0, 4], ["nothing", "all"]) == ["0", "4"]


@pytest.mark.parametrize(
    ("against", "assumed"),
    [
        ("uniform", "searches for its own best move, which is not how random play plays"),
        ("is-mcts(simulations=5)", "searches for its own best move, which is not how is-mcts(simulations=5) plays"),
    ],
)
def test_the_fog_of_a_game_too_large_to_enumerate_is_searched(table, monkeypatch, against, assumed):
    """At once where time to enumerate is over, as estimates that name what they assume."""
    monkeypatch.setattr(panel, "ENUMERATING", 1e-6)
    monkeypatch.setattr(fog, "SEARCH", "is-mcts(simulations=50)")
    monkeypatch.setattr(fog, "RESPONSE", "pomcp(simulations=50, value=rollout)")
    _, out = table([":fog"], "liars-dice", "--against", against, "--seed", "1")
    assert "what is hidden" in out
    assert f"an estimate from 50 simulations, {assumed}; no bound" in out.replace("if every player ", "")
    assert out.count("highest estimate") >= 1
    assert "the fog stays" not in out


def test_a_review_that_only_a_search_could_give_is_refused_before_the_game(table, monkeypatch):
    monkeypatch.setattr(panel, "ENUMERATING", 1e-6)
    code, out = table(["1"], "liars-dice", "--review", "--seed", "1")
    assert code
    assert "your move" not in out


def test_nobody_folds_who_wants_to_lift_the_fog(table):
    words, keys = ["fold", "call"], ["1", "2"]
    assert chosen_move("f", words, keys) is None
    assert chosen_move("fo", words, keys) == 0
    assert chosen_move("fold", words, keys) == 0
    assert chosen_move("c", words, keys) == 1
    assert chosen_move("fog", ["fog", "rain"], keys) == 0
    assert [command(text) for text in (":f", ":fog", "fog", ":", ":x", "?", ":Q")] == [
        "fog", "fog", None, None, None, "help", "quit",
    ]  # fmt: skip
    _, out = table(["f"], "tiger")
    assert "a command is :fog" in out


def test_a_game_begins_with_its_rules(table):
    _, out = table([], "leduc")
    assert "six cards" in out
    assert "six cards" not in table([], "leduc", "--no-rules")[1]
    _, out = table([":rules"], "leduc", "--no-rules")
    assert "six cards" in out


def test_rules_are_the_class_where_it_says_more():
    class Own(type(make("tiger"))):
        """A line.

        And another.

        Parameters
        ----------
        none
        """

    assert rules(Own()) == "A line.\n\nAnd another."
    assert rules(make("tiger")).startswith("The tiger problem")


def test_the_fog_lifts_for_one_who_plays_alone(table):
    _, out = table([":fog", "1", ":f"], "tiger", "--seed", "3")
    assert "0.50" in out
    assert "0.85" in out
    assert "+19.37" in out
    _, out = table(["1", "1", "3"], "tiger(resets=false)", "--seed", "3", "--review")
    assert "What your moves cost" in out
    assert "This game was assisted" not in out


def test_the_last_board_says_when_it_was(table):
    _, out = table(["1"] * 4, "card-poker(ranks=3)", "--seed", "3")
    assert "before the last move:" in out


def test_bars_of_losses_go_to_the_left():
    assert _signed_bar(-2.0, 4.0, losing=True) == "      ━━━━━━│            "
    assert _signed_bar(4.0, 4.0, losing=True) == "            │━━━━━━━━━━━━"
    assert _signed_bar(4.0, 4.0, losing=False) == "━" * 24
