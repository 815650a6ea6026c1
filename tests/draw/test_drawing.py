"""A drawing is a value: it shows itself, is written whole, and refuses what it cannot be."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pickle

import pytest

from fogbound import draw
from fogbound.core import Board, Drawing, FileError, PolicyError, SpecError, Tile
from fogbound.games import make
from fogbound.policies import Tabular, Uniform
from tests.draw.made import NastyGame, checked, replied, solved, words_in

OTHERS = ("Drawing", "GapPoint", "controller_dot", "matrix_latex", "transcript")
PICTURES = [name for name in draw.__all__ if name not in OTHERS]
MODULES = sorted({inspect.getmodule(getattr(draw, name)).__name__ for name in draw.__all__} | {"fogbound.core.board"})


@pytest.fixture
def picture():
    return draw.tree(make("king-ace"))


def test_a_drawing_is_a_value(picture):
    assert picture == draw.tree(make("king-ace"))
    assert pickle.loads(pickle.dumps(picture)) == picture  # noqa: S301
    assert len({picture, draw.tree(make("king-ace"))}) == 1
    with pytest.raises(AttributeError):
        picture.svg = ""


def test_it_shows_itself(picture):
    assert picture._repr_svg_() == str(picture) == picture.svg
    assert repr(picture) == "<Drawing 560 × 473: Game tree of king-ace with 21 nodes, 4 information sets.>"
    assert picture.text.startswith("king-ace: game tree\n21 nodes, 4 information sets; ")
    long = Drawing(picture.svg, "word " * 1000, "")
    assert len(repr(long)) < 130
    assert "\n" not in repr(Drawing(picture.svg, "a\nb", ""))


def test_files_have_no_css_variables(picture, tmp_path):
    assert "var(--" in picture.svg
    picture.save(tmp_path / "tree.svg")
    written = (tmp_path / "tree.svg").read_text()
    assert written == picture.plain()
    assert "var(" not in written
    assert words_in(checked(written)) == words_in(checked(picture))


@pytest.mark.parametrize("name", ["tree.gif", "tree", "tree.SVG", "tree.svg.gz"])
def test_other_endings_are_refused_by_name(picture, tmp_path, name):
    with pytest.raises(SpecError, match=rf"{name}: found the ending '.*', expected \.svg or \.png or \.pdf or \.tex$"):
        picture.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_file_is_written_whole_or_not_at_all(picture, tmp_path, monkeypatch):
    path = tmp_path / "tree.svg"
    path.write_text("before")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(FileError, match="cannot be written: No space left"):
            picture.save(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileError, match="cannot be written"):
        picture.save(tmp_path / "nowhere" / "tree.svg")


@pytest.mark.parametrize("name", PICTURES)
def test_the_subject_comes_first_and_all_else_by_name(name):
    call = getattr(draw, name)
    first, *others = inspect.signature(call).parameters.values()
    assert first.default is first.empty
    assert {p.kind for p in others} == {inspect.Parameter.KEYWORD_ONLY}
    assert "title" in {p.name for p in others}
    assert inspect.signature(call).return_annotation == "Drawing"
    assert all(part in call.__doc__ for part in ("Parameters\n", "Returns\n", "Examples\n"))


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module):
    ran = doctest.testmod(importlib.import_module(module))
    assert ran.attempted
    assert not ran.failed


def test_policies_are_found_in_every_shape_of_profile():
    nash = solved("king-ace")
    first, second = nash.profile[0], nash.profile[1]
    for given in (nash, nash.profile, [first, second]):
        assert draw.strategy(given, player=1) == draw.strategy(second)
    with pytest.raises(PolicyError, match="which player's policy"):
        draw.strategy(nash)
    with pytest.raises(PolicyError, match="found a Uniform, expected a Tabular"):
        draw.strategy(Uniform())
    with pytest.raises(PolicyError, match="found a Tabular, expected a Controller"):
        draw.controller(nash, player=0)
    reply = replied("tiger")
    assert draw.controller(reply) == draw.controller(reply.profile[0])
    assert draw.controller_dot(reply) == draw.controller_dot(reply.profile[0])
    assert "claimed upper bound" in draw.bounds(reply).label
    assert "to 19.3" in draw.bounds(reply.trace).label  # who only has a trace is not told what the bounds mean


def test_titles_stand_in_the_first_line():
    game = make("king-ace")
    policy = solved("king-ace").profile[0]
    assert isinstance(policy, Tabular)
    drawn = [
        draw.tree(game, title="A <title>"),
        draw.matrix(game, title="A <title>"),
        draw.minimax(make("slide-tree"), title="A <title>"),
        draw.strategy(policy, title="A <title>"),
        draw.panels([(policy, policy)], title="A <title>"),
    ]
    assert {words_in(checked(picture))[0] for picture in drawn} == {"A <title>"}


def test_games_and_boards_draw_themselves():
    game = make("tic-tac-toe")
    state = next(iter(game.start()))[0].state
    board = game.board(state)
    assert isinstance(board, Board)
    assert game.draw(state) == board.draw()
    assert board._repr_svg_() == board.draw().svg
    assert board.draw().text == board.text()
    assert NastyGame().draw(0, 1).text == "nothing to see"  # it has no board for a player
    assert "&lt;b&gt;" in Board.grid([[Tile("<b>")]]).draw().svg
