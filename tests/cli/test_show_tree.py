"""`fogbound show` in a terminal: the moves that are played, and trees."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound import draw, forms, policies
from fogbound.cli.main import main
from fogbound.core.errors import FormError, LimitError
from fogbound.draw.strategy.choices import information_set_choices
from fogbound.forms import words
from fogbound.forms.protocol import Question, derive
from fogbound.forms.table import Table
from fogbound.games import GAMES

MOST_STATES, MOST_NODES = 1_000, 4_000


@pytest.fixture
def run(capsys):
    def call(*words):
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        assert code == 0, err
        return out

    return call


def test_show_prints_the_breakfast_that_is_had(run, tmp_path):
    run("solve", "beer-quiche", "-o", tmp_path / "b.npz")
    shown = run("show", tmp_path / "b.npz", "--player", "sender").rstrip()
    assert shown.splitlines()[-1].split()[-3:] == ["beer", "1.00", "1.00"]
    assert "leave 1.00" in run("show", tmp_path / "b.npz", "--player", "receiver")


def small(name):
    try:
        table = derive(fb.game(name), Table, Question(limit=MOST_STATES))
        return forms.tree(table, limit=MOST_NODES)
    except (FormError, LimitError):
        pytest.skip("no tree of this size")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", [*GAMES])
def test_every_move_that_is_certain_is_printed(name):
    """A strategy without chance: each of its moves on the way stands in the text, whatever the shape of the table."""
    form = small(name)
    for player in range(len(form.players)):
        behaviour = forms.sequence(form).plexes[player].uniform.copy()
        for h in form.sets_of(player).tolist():
            first, size = int(form.set_first[h]), int(form.set_size[h])
            behaviour[first : first + size] = [1.0] + [0.0] * (size - 1)
        policy = policies.Tabular(form, player, behaviour)
        played = [choice.moves[0] for choice in information_set_choices(policy)[:40] if choice.reached]
        assert not [move for move in played if words.action(str, move) not in draw.strategy(policy).text]


def test_a_tree_is_printed_without_a_picture(run, tmp_path):
    shown = run("show", "beer-quiche", "--view", "tree")
    lines = shown.splitlines()
    assert lines[0] == "beer-quiche(surly=0.9): game tree"
    below = ["    beer: receiver #3", "      fight: 1, 0", "      leave: 3, 1"]
    assert lines[3:8] == ["chance", "  surly | · 9/10: sender #1", *below]
    assert shown.count("receiver #3") == shown.count("receiver #4") == 2
    run("solve", "beer-quiche", "-o", tmp_path / "b.npz")
    assert "sender #1" in run("show", tmp_path / "b.npz", "--view", "tree")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", [*GAMES])
def test_a_printed_tree_has_every_node_or_says_how_many_are_missing(name):
    form = small(name)
    text = draw.tree(form, most=100).text
    body = [line for line in text.splitlines()[3:] if line.strip() and "cannot be told apart" not in line]
    missing = sum(int(line.split()[1].replace(",", "")) for line in body if line.strip().startswith("…"))
    assert sum(not line.strip().startswith("…") for line in body) + missing == form.size
