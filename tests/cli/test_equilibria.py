"""`fogbound equilibria`: what is printed, JSON, refusals in one line, and the same answer from Python."""

from __future__ import annotations

import json

import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.cancel import Cancel, cancelling
from fogbound.core.errors import SpecError, Stopped


def told(capsys, *words):
    assert main(["equilibria", *words]) == 0
    return capsys.readouterr().out


def test_what_python_returns_is_what_is_printed(capsys):
    assert told(capsys, "beer-quiche") == f"{fb.equilibria('beer-quiche')}\n"


def test_beer_and_quiche_in_words(capsys):
    text = told(capsys, "beer-quiche")
    assert "4 x 4 strategies, 4 extreme equilibria in 2 components" in text
    assert "sender: bb; receiver: lf   pays 29/10, 9/10" in text
    assert text.count("survives the intuitive criterion") == 2
    assert "belief of receiver at beer: the sender is surly 9/10, the sender is a wimp 1/10" in text
    assert "component 2: maximal Nash subsets {3, 4}" in text
    assert "no proper subgames" in text


def test_json_has_fractions_and_floats(capsys, tmp_path):
    found = json.loads(told(capsys, "matrix-game(matrix=battle-of-the-sexes)", "--json"))
    assert found["complete"]
    assert [one["index"] for one in found["equilibria"]] == [1, 1, -1]
    assert found["equilibria"][2]["payoffs"][0] == {"exact": "2/3", "value": 2 / 3}
    assert found["equilibria"][0]["labels"]["strict"] is True
    assert found["components"][0] == {"equilibria": [1], "subsets": [[1]], "index": 1}
    answer = fb.equilibria("matrix-game(matrix=battle-of-the-sexes)")
    assert json.loads(answer.to_json(tmp_path / "all.json")) == found
    assert json.loads((tmp_path / "all.json").read_text()) == found


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("tiger", "two and more players"),
        ("leduc", "too large for its equilibria to be listed"),
        ("repeated(matrix=chicken)", "histories never end"),
        ("no-such-game", "unknown game"),
    ],
)
def test_refusals_are_one_line(capsys, game, said):
    assert main(["equilibria", game, "--limit", "1000"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_an_unknown_label_is_named():
    with pytest.raises(SpecError, match="expected one of pure, strict"):
        fb.equilibria("matrix-game(matrix=stag-hunt)").labelled("nice")


def test_it_can_be_stopped():
    cancel = Cancel()
    cancel.set("interrupted")
    with cancelling(cancel), pytest.raises(Stopped):
        fb.equilibria("beer-quiche")


def test_a_file_that_can_be_solved_and_not_played(tmp_path):
    fb.convert("beer-quiche", tmp_path / "breakfast.efg")
    answer = fb.equilibria(str(tmp_path / "breakfast.efg"))
    assert [one.payoffs for one in answer] == [one.payoffs for one in fb.equilibria("beer-quiche")]
    assert [one.has("survives the intuitive criterion") for one in answer] == [True, True, False, False]
