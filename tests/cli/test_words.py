"""What a newcomer types and reads: the first words, errors in games of one's own, numbers that are piped."""

from __future__ import annotations

import io
import re
import shlex

import pytest

import fogbound as fb
from fogbound.api import player_index
from fogbound.cli import console
from fogbound.cli.main import COMMANDS, LESSON, main
from fogbound.games import GAMES

BAD = """
from dataclasses import dataclass
from fogbound.core import Dist, Game, Outcome


@dataclass(frozen=True)
class Bad(Game):
    n: int = 2
    players = ("caller",)

    def __post_init__(self):
        if self.n > 5:
            raise RuntimeError("too large")

    def start(self):
        return Dist.sure(Outcome(self.n))

    def actors(self, state):
        return (0,) if state else ()

    def actions(self, state, player):
        return ("heads", "tails")

    def step(self, state, joint):
        return Dist.sure(Outcome(state - 1, (1 / (state - 1),)))
"""
LINE = 1 + BAD.splitlines().index("        return Dist.sure(Outcome(state - 1, (1 / (state - 1),)))")


@pytest.fixture
def run(capsys):
    def call(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(BAD)
    return tmp_path


def test_fogbound_alone_teaches(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert "fogbound play" in out
    assert max(map(len, out.splitlines())) <= 60


@pytest.mark.usefixtures("here")
def test_what_the_lesson_says_can_be_typed(run):
    lines = [line.strip().split("   ")[0] for line in LESSON.splitlines() if line.startswith("  fogbound ")]
    assert len(lines) >= 6
    for line in lines:
        words = shlex.split(line)[1:]
        if words[0] != "play":  # which waits for a person
            code, _, err = run(*words)
            assert code == 0, (line, err)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("words", [("solve",), ("check",), ("match", "uniform")])
def test_exceptions_in_own_games_show_file_and_line(run, words):
    code, _, err = run(words[0], "bad.py:Bad", *words[1:])
    assert code == 2
    assert f"ZeroDivisionError: division by zero (bad.py:{LINE})" in err
    assert "Traceback" not in err


@pytest.mark.usefixtures("here")
def test_exceptions_while_a_game_is_made_show_the_line(run):
    code, _, err = run("solve", "bad.py:Bad:9")
    assert code == 2
    assert "Bad cannot be made: RuntimeError: too large (bad.py:" in err


@pytest.mark.usefixtures("here")
def test_debug_shows_the_whole_traceback(run):
    code, _, err = run("solve", "--debug", "bad.py:Bad")
    assert code == 2
    assert "Traceback" in err
    assert "ZeroDivisionError" in err
    assert err.splitlines()[-1].startswith("fogbound: ")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("stream", "seen"), [(Terminal, "−1.5\n"), (io.StringIO, "-1.5\n")])
def test_minus_signs_are_plain_where_a_program_reads(monkeypatch, stream, seen):
    monkeypatch.setattr("sys.stdout", stream())
    console.say("−1.5")
    assert console.sys.stdout.getvalue() == seen


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("words", [("games",), ("solvers",), ("check", "kuhn"), ("solve", "card-poker:3")])
def test_what_is_said_fits_the_terminal(monkeypatch, columns, words):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout", Terminal())
    assert main(list(words)) == 0
    lines = console.sys.stdout.getvalue().splitlines()
    assert max(map(len, lines)) <= columns
    assert len(lines) > 5


def test_json_is_one_line_in_a_terminal_too(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout", Terminal())
    assert main(["games", "--json"]) == 0
    assert console.sys.stdout.getvalue().count("\n") == 1


def test_documents_are_introduced_by_author_and_title(capsys):
    with pytest.raises(SystemExit):
        main(["reproduce", "--help"])
    out = capsys.readouterr().out
    for word in ("Rosello", "Oliehoek", "Bošanský", "Dynamic Games", "Gao Peng"):
        assert word in out


def test_one_word_for_one_thing(run):
    """`--limit` bounds what is enumerated and `--as` says through whose eyes; the old words go on."""
    for word in ("--limit", "--states"):
        code, out, _ = run("check", "tic-tac-toe", word, "100", "--json")
        assert code == 0
        assert "100" in out
    from fogbound.cli.infer import _parser

    for word in ("--as", "--view"):
        assert _parser().parse_args(["po-nim", "x.jsonl", "--player", "0", word, "1"]).view == "1"


def test_one_of_a_thing_is_not_many(run):
    code, out, _ = run("solve", "card-poker:3", "--with", "cfr", "--iterations", "1")
    assert code == 0
    assert " after 1 step, " in out
    assert run("match", "card-poker:3", "uniform")[2].strip().endswith("but 1 policy is given")


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize(
    "words",
    [
        ("match", "kuhn", "uniform", "uniform", "--games", "9"),
        ("evaluate", "kuhn", "uniform", "uniform"),
        ("tournament", "kuhn", "uniform", "uniform", "--sampled", "--games", "9"),
        ("tournament", "rps", "uniform", "uniform", "uniform", "uniform"),
    ],
)
def test_no_row_of_a_table_is_wrapped(monkeypatch, columns, words):
    """A row that was wrapped by the terminal goes on, four columns in, with nothing that says what it is."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout", Terminal())
    assert main(list(words)) == 0
    lines = console.sys.stdout.getvalue().splitlines()
    assert max(map(len, lines)) <= columns
    assert not [line for line in lines if re.match(r" {4}[−-]?\d", line)]


def test_a_table_too_wide_names_every_figure(monkeypatch):
    rows = [("who", "first figure", "second figure"), ("somebody", "1", "2"), ("somebody else", "3", "4")]
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "60")
    assert console.tabled(rows, "<>")[0] == "who            first figure  second figure"
    monkeypatch.setenv("COLUMNS", "30")
    assert console.tabled(rows, "<>")[:4] == [
        "who",
        "  first figure  second figure",
        "somebody",
        "             1              2",
    ]
    monkeypatch.setenv("COLUMNS", "20")
    assert console.tabled(rows, "<>")[:3] == ["somebody", "  first figure   1", "  second figure  2"]


def test_claims_are_paragraphs_in_a_terminal(monkeypatch):
    from fogbound_papers.claim import Claim

    claims = [
        Claim("the value", "p. 3", "1/2", "0.5", "reproduced", "certified"),
        Claim("more", "–", "–", "7", "not stated"),
    ]
    assert console.claim_lines(claims)[1] == "  ✓  the value  p. 3         1/2   0.5   certified"
    monkeypatch.setattr("sys.stdout", Terminal())
    assert console.claim_lines(claims) == [
        *("  ✓  the value (p. 3)", "     published 1/2, ours 0.5", "     certified"),
        *("  ·  more", "     ours 7"),
    ]


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_eighty_columns(monkeypatch, capsys, command):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


UNHASHABLE = {"[1]": "use a tuple)", "{1}": "use a frozenset)", "{1: 2}": "use a tuple of pairs)"}
PLACES = {
    "start": ("Outcome(self.n)", "Outcome({})"),
    "actions": ('("heads", "tails")', "({},)"),
    "step": ("Outcome(state - 1, (1 / (state - 1),))", "Outcome({})"),
    "observation": ("Outcome(self.n)", "Outcome(self.n, public={})"),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("value", UNHASHABLE)
@pytest.mark.parametrize("place", PLACES)
def test_a_value_that_cannot_be_hashed_is_named_with_what_to_use(run, here, place, value):
    old, new = PLACES[place]
    (here / "bad.py").write_text(BAD.replace(old, new.format(value)))
    code, _, err = run("solve", "bad.py:Bad")
    assert code == 2
    assert UNHASHABLE[value] in err
    assert f"{'start' if place == 'observation' else place}" in err.partition("raised")[0]


@pytest.mark.parametrize("spec", ["horizon(game=card-poker(ranks=8), steps=2)", "nim(heaps=[1, 2], misere=true)"])
def test_a_spec_that_is_cut_off_says_which_bracket_is_missing(run, spec):
    """Wherever a spec ends inside brackets after a value, the first one that is open is named."""
    for end in range(spec.index("(") + 1, len(spec)):
        cut = spec[:end]
        code, _, err = run("solve", cut)
        assert code == 2
        assert "expected ','" not in err
        if cut[-1] in "82)]":
            still_open = [mark for mark in re.sub(r"\([^()]*\)|\[[^][]*\]", "", cut) if mark in "(["]
            closing = {"(": ")", "[": "]"}[still_open[-1]]
            assert f"the closing '{closing}' is missing" in err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "words", [("solve", "bad.py"), ("check", "bad.py"), ("show", "bad.py"), ("match", "bad.py", "uniform")]
)
def test_a_file_without_a_class_lists_its_classes(run, words):
    code, _, err = run(*words)
    assert code == 2
    assert "bad.py: which game? Name its class: bad.py:Bad" in err
    assert run("solve", "nowhere.py")[2].strip().endswith("nowhere.py: there is no such file")


@pytest.mark.usefixtures("here")
def test_a_bot_without_a_class_is_asked_for_too(run):
    code, _, err = run("match", "kuhn", "uniform", "bad.py")
    assert code == 2
    assert "bad.py: has no policy class" in err


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", [*GAMES])
def test_the_only_player_is_not_one_of_several(name):
    game = fb.game(name)
    with pytest.raises(fb.core.SpecError) as refused:
        player_index("nobody", game)
    assert ("one of" in str(refused.value)) == (len(game.players) > 1)
    assert all(f"{i} ({player})" in str(refused.value) for i, player in enumerate(game.players))


def test_a_solution_prints_whose_value_it_is_and_why_it_stopped():
    said = repr(fb.solve("kuhn"))
    assert "value -0.0555556 for player-1, bounds -0.0555556 to -0.0555556 (certified), gap " in said
    assert said.endswith("stopped: gap reached>")
