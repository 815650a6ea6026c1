"""The command line as people and scripts use it: answers, help, and one clear line for anything wrong."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fogbound.cli.main import COMMANDS, main
from fogbound.games import GAMES, make


@pytest.fixture
def run(capsys):
    def call(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def answer(run, *words):
    code, out, err = run(*words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_eight_card_poker(run):
    found = answer(run, "solve", "card-poker(ranks=8)", "--with", "sequence-lp")
    keys = "game form solver player value lower upper gap iterations seconds stopped seed version details"
    assert set(keys.split()) <= set(found)
    assert abs(found["value"] + 0.0625) < 1e-9
    assert found["gap"] < 1e-9
    assert found["player"] == 0
    dealer = answer(run, "solve", "card-poker(ranks=8)", "--with", "sequence-lp", "--player", "dealer")
    assert abs(dealer["value"] - 0.0625) < 1e-9


def test_best_reply_to_a_saved_policy(run, tmp_path):
    path = str(tmp_path / "nash.npz")
    assert run("solve", "card-poker(ranks=8)", "-o", path)[0] == 0
    game = "card-poker(ranks=8)"
    for player, opponent, value in (("0", path, -1 / 16), ("1", path, 1 / 16), ("0", "uniform", 0.5)):
        found = answer(run, "solve", game, "--with", "belief-mdp", "--player", player, "--against", opponent)
        assert abs(found["value"] - value) < 1e-9
    split = answer(run, "solve", game, "--with", "belief-mdp", "--against", path, "--ties", "split")
    assert split["solver"] == "belief-mdp(ties=split)"
    code, out, _ = run("match", game, path, "uniform", "--games", "50")
    assert code == 0
    assert "50 games" in out
    played = answer(run, "match", game, path, "uniform", "--games", "50")
    assert set(played) >= {"games", "ties", "players"}
    assert set(played["players"][0]) >= {"policy", "wins", "wins_interval", "score", "score_interval"}


def test_without_a_solver_one_is_chosen_and_named(run):
    code, out, err = run("solve", "king-ace")
    assert code == 0
    assert "using sequence-lp" in err
    assert "value    0 for first" in out


def test_listings(run):
    for command in ("games", "solvers"):
        assert run(command)[0] == 0
        assert json.loads(run(command, "--json")[1])
    assert "  Partially observable nim: po-nim(n=3" in run("games")[1]


def test_games_are_listed_by_their_records(run):
    """Every game with its title, below the heading of its group."""
    listed, heading = {}, ""
    for line in run("games")[1].splitlines():
        heading = heading if line.startswith(" ") else line
        if line.startswith("  ") and line[2] != " ":
            title, _, spec = line.strip().rpartition(": ")
            listed[spec.partition("(")[0]] = (title, heading)
    for name in GAMES:
        game = make(name)
        assert listed[name] == (game.title, game.record.group)
    (tiger,) = [one for one in json.loads(run("games", "--json")[1])["games"] if one["name"] == "tiger"]
    assert (tiger["title"], tiger["group"]) == ("Tiger", "Alone against chance")


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_explains_itself(command, capsys):
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    assert f"fogbound {command}" in capsys.readouterr().out


@pytest.mark.parametrize("spec", ["leduc", "po-nim(n=3)", "rock-sample(size=3)", "horizon(game=tiger, steps=3)"])
def test_check(run, spec):
    code, out, _ = run("check", spec)
    assert code == 0
    assert "✓ table" in out


@pytest.mark.slow
def test_check_says_what_to_use_when_there_is_no_tree(run):
    code, out, _ = run("check", "liars-dice(sides=7)")
    assert code == 0
    assert "over the limit of 1,000,000, so there is no tree" in out
    assert "belief-mdp" in out
    code, out, _ = run("check", "card-poker(ranks=200)", "--states", "1000")
    assert code == 0
    assert "more than 1,000 states" in out


def write_game(tmp_path, body, name="Mine"):
    source = f"""
        from dataclasses import dataclass
        from fogbound import Dist, Game, Outcome

        @dataclass(frozen=True)
        class {name}(Game):
            players = ("one", "two")

            def start(self):
                return Dist.sure(Outcome("begin"))

            def actors(self, state):
                return (0, 1) if state == "begin" else ()

            def actions(self, state, player):
                return ("a", "b")

            def step(self, state, joint):
                gain = 1.0 if joint[0] == joint[1] else -1.0
                return Dist.sure(Outcome("end", (gain, -gain)))
        """
    path = tmp_path / "mine.py"
    path.write_text(textwrap.dedent(source) + "\n" + textwrap.indent(textwrap.dedent(body), "    "))
    return f"{path}:{name}"


def test_a_game_of_ones_own(run, tmp_path):
    spec = write_game(tmp_path, "")
    assert answer(run, "solve", spec, "--with", "matrix-lp")["value"] == 0
    path = str(tmp_path / "s.npz")
    assert run("solve", spec, "-o", path)[0] == 0
    assert run("verify", spec, path)[0] == 0
    code, _, err = run("show", path)
    assert code == 2
    assert "--game" in err
    assert run("show", path, "--game", spec)[0] == 0


BROKEN = {
    "probabilities": (
        'def step(self, state, joint):\n    return Dist.of({Outcome("x"): 0.5, Outcome("y"): 0.4})',
        "sum to 0.9",
    ),
    "negative probability": (
        'def start(self):\n    return Dist.of({Outcome("a"): 1.5, Outcome("b"): -0.5})',
        "probability -0.5",
    ),
    "no action": ("def actions(self, state, player):\n    return ()", "has no action"),
    "repeated action": ('def actions(self, state, player):\n    return ("a", "a")', "one action twice"),
    "rewards": (
        'def step(self, state, joint):\n    return Dist.sure(Outcome("end", (1.0,)))',
        "has 1 entries, expected",
    ),
    "reward nan": (
        'def start(self):\n    return Dist.sure(Outcome("begin", (float("nan"), 0.0)))',
        "expected finite numbers",
    ),
    "private": ('def start(self):\n    return Dist.sure(Outcome("begin", private=(1, 2, 3)))', "private"),
    "unknown actor": ("def actors(self, state):\n    return (2,)", "expected a tuple of different players"),
    "unordered actors": ("def actors(self, state):\n    return (1, 0)", "increasing order"),
    "raises": ("def step(self, state, joint):\n    return 1 / 0", "ZeroDivisionError"),
    "no dist": ("def step(self, state, joint):\n    return Outcome('end')", "expected a Dist of Outcomes"),
    "unhashable": ("def start(self):\n    return Dist.sure(Outcome(['begin']))", "unhashable"),
    "random rules": (
        "def step(self, state, joint):\n    import random as r\n    return Dist.sure(Outcome(0, (r.random(), 0)))",
        "when asked again",
    ),
    "leak": (
        """
        def start(self):
            return Dist.uniform([Outcome("begin"), Outcome("other")])

        def actors(self, state):
            return (0,) if state in ("begin", "other") else ()

        def actions(self, state, player):
            return ("a", "b") if state == "begin" else ("a", "c")

        def step(self, state, joint):
            return Dist.sure(Outcome("end", (1.0, -1.0)))
        """,
        r"one cannot tell state 'begin' from 'other', but may do \('a', 'b'\) in one and \('a', 'c'\) in the other",
    ),
    "board leak": (
        """
        def start(self):
            return Dist.uniform([Outcome("begin"), Outcome("begin2")])

        def actors(self, state):
            return (0, 1) if state.startswith("begin") else ()

        def board(self, state, eye=None):
            from fogbound import Board
            return Board.of_text(state)
        """,
        "board\\(\\) shows a difference",
    ),
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_broken_games_get_one_clear_line(run, tmp_path, name):
    body, message = BROKEN[name]
    spec = write_game(tmp_path, body)
    code, out, err = run("check", spec)
    assert code == 2, out
    assert err.count("\n") == 1
    assert "Traceback" not in err
    import re

    assert re.search(message, err), err


ODD_HEADS = {
    "players a number": "players = 2",
    "players named alike": "players = ('a', 'a')",
    "players not names": "players = (0, 1)",
    "discount a word": "discount = 'a'",
    "discount above one": "discount = 1.5",
    "actions a set": "def actions(self, state, player):\n    return {'a', 'b'}",
    "board raises": "def board(self, state, eye=None):\n    return 1 / 0",
    "leaves the program": "def step(self, state, joint):\n    raise SystemExit(7)",
    "leaves the program in peace": "def step(self, state, joint):\n    raise SystemExit",
}


@pytest.mark.parametrize("name", list(ODD_HEADS))
def test_odd_games_get_one_line_from_every_command(run, tmp_path, name):
    spec = write_game(tmp_path, ODD_HEADS[name])
    for words in (("check", spec), ("match", spec, "uniform", "uniform", "--games", "2")):
        code, _, err = run(*words)
        if words[0] == "match" and name == "board raises":
            continue
        assert code == 2
        assert err.count("\n") == 1
        assert "Traceback" not in err


@pytest.mark.slow
def test_plain_characters_where_the_stream_knows_no_others():
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "fogbound", "check", "king-ace"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert "+ table" in done.stdout


@pytest.mark.slow
def test_closed_and_full_outputs():
    command = f"{sys.executable} -m fogbound games"
    assert subprocess.run(["bash", "-c", f"{command} >&-"], capture_output=True, check=False).returncode in (0, 74)
    full = subprocess.run(["bash", "-c", f"{command} > /dev/full"], capture_output=True, text=True, check=False)
    assert "Traceback" not in full.stderr


BAD_WORDS = [
    (("solve", "king-ace", "-o", "game.py"), "solutions are .npz files"),
    (("solve", "leduc", "--seed", "-1"), "whole number of 0 or more"),
    (("solve", "leduc", "--iterations", "0"), "1 or more"),
    (("check", "random(seats=50)"), "too large a game"),
    (("solve", "leduk"), "did you mean 'leduc'"),
    (("solve", "po-nim(m=3)"), "no parameter 'm'"),
    (("solve", "po-nim(n=x)"), "expected int"),
    (("solve", "po-nim(n=3"), "the closing ')' is missing"),
    (("solve", "leduc", "--with", "sequence-pl"), "did you mean 'sequence-lp'"),
    (("solve", "leduc", "--with", "sequence-lp", "--methd", "ipm"), "did you mean 'method'"),
    (("solve", "leduc", "--with", "sequence-lp", "--method", "magic"), "expected auto, simplex, ipm or hipo"),
    (("solve", "leduc", "--gap", "-1"), "0 or more"),
    (("solve", "leduc", "--gap", "few"), "expected a number"),
    (("solve", "leduc", "--player", "5"), "expected one of 0"),
    (("solve", "leduc", "--with", "belief-mdp"), "give --against"),
    (("solve", "leduc", "--with", "sequence-lp", "--against", "uniform"), "means nothing"),
    (("solve", "leduc", "--with", "belief-mdp", "--against", "unifrom"), "did you mean 'uniform'"),
    (("solve", "leduc", "--with", "belief-mdp", "--against", "gone.npz"), "no such file"),
    (("solve", "leduc", "--with", "belief-mdp", "--against", "belief-mdp"), "answers given opponents"),
    (("solve", "po-nim", "--with", "sequence-lp"), "histories never end"),
    (("solve", "po-nim", "--with", "belief-mdp", "--against", "uniform"), "beliefs"),
    (("solve", "leduc", "--with", "matrix-lp"), "no normal form"),
    (("solve", "random", "--with", "sequence-lp"), "not zero-sum"),
    (("solve", "random(seats=3)", "--with", "sequence-lp"), "has 3 players"),
    (("solve", "tiger.pomdp"), "tiger.pomdp"),
    (("solve", "tiger.efg"), "tiger.efg: cannot be read"),
    (("solve", "nowhere.py:Game"), "no such file"),
    (("solve", "king-ace", "-o", "/nonexistent/x.npz"), "there is no folder"),
    (("match", "leduc", "uniform"), "2 players"),
    (("match", "leduc", "uniform", "uniform", "--games", "0"), "1 or more"),
    (("play", "leduc", "--as", "third"), "expected one of"),
    (("show", "gone.npz"), "no such file"),
    (("show", "leduc", "-o", "x.gif"), "expected .svg"),
    (("verify", "leduc", "gone.npz"), "gone.npz"),
    (("check",), "required"),
    (("solve", "leduc", "--resume", "gone.npz"), "no such file"),
]


@pytest.mark.parametrize(("words", "message"), BAD_WORDS, ids=lambda w: " ".join(w) if isinstance(w, tuple) else "")
def test_bad_words_get_one_clear_line(run, words, message):
    code, _, err = run(*words)
    assert code == 2
    told = ("fogbound: using", "…")  # how it is solved, and how far it is on a slow machine
    lines = [line for line in err.splitlines() if not (line.startswith(told[0]) or line.endswith(told[1]))]
    assert len(lines) == 1
    assert message in lines[0]


def test_a_damaged_solution(run, tmp_path):
    path = tmp_path / "a.npz"
    path.write_bytes(b"PK\x03\x04 not really")
    for words in (("show", str(path)), ("verify", "leduc", str(path)), ("match", "leduc", str(path), "uniform")):
        code, _, err = run(*words)
        assert code == 2
        assert str(path) in err
        assert err.count("\n") == 1


def test_show(run, tmp_path):
    nash, reply = str(tmp_path / "n.npz"), str(tmp_path / "r.npz")
    run("solve", "card-poker(ranks=3)", "-o", nash)
    run("solve", "card-poker(ranks=3)", "--with", "belief-mdp", "--against", nash, "-o", reply)
    for words in (
        ("show", "card-poker(ranks=3)"),
        ("show", "tiger"),
        ("show", nash),
        ("show", nash, "--player", "dealer"),
        ("show", nash, "--view", "controller"),
        ("show", nash, "--view", "bounds"),
        ("show", reply, "--view", "strategy"),
        ("show", reply),
    ):
        code, out, err = run(*words)
        assert code == 0, err
        assert out
    for words in (
        ("show", "card-poker(ranks=3)"),
        ("show", "card-poker(ranks=3)", "--view", "board", "--player", "0"),
        ("show", "tiger"),
        ("show", nash),
        ("show", nash, "--view", "tree"),
        ("show", nash, "--view", "bounds"),
        ("show", reply, "--view", "controller"),
    ):
        path = tmp_path / "p.svg"
        code, _, err = run(*words, "-o", str(path))
        assert code == 0, err
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
    assert run("show", reply, "--view", "controller", "-o", str(tmp_path / "c.dot"))[0] == 0
    assert (tmp_path / "c.dot").read_text().startswith("digraph")


def typed(monkeypatch, text):
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_play(run, monkeypatch):
    typed(monkeypatch, "?\nnonsense\nb\n1\n1\n")
    code, out, _ = run("play", "card-poker(ranks=3)", "--against", "uniform", "--seed", "1")
    assert code == 0
    assert "you see: " in out
    assert "The whole truth" in out
    typed(monkeypatch, "q\n")
    assert "You left the table" in run("play", "po-nim", "--as", "second")[1]
    typed(monkeypatch, "")
    assert run("play", "tic-tac-toe")[0] == 0


def test_play_against_one_policy_for_all_others(run, monkeypatch):
    """One --against serves for everybody else, as in `fb.solve`; otherwise there is one for each."""
    typed(monkeypatch, "q\n")
    _, out, _ = run("play", "king-up", "--against", "uniform")
    assert "second is uniform, third is uniform" in out
    code, _, err = run("play", "king-up(seats=4)", *["--against", "uniform"] * 2)
    assert code == 2
    assert "--against is given 2 times, expected one for each of the 3 others, or one for all of them" in err
    code, _, err = run("play", "tiger", "--against", "uniform")
    assert code == 2
    assert "you play alone" in err


def test_play_shows_only_what_the_seat_sees(run, monkeypatch):
    """Two deals that the dealer cannot tell apart give the same words until the end of the hand."""
    typed(monkeypatch, "")
    texts = set()
    for seed in range(60):
        typed(monkeypatch, "")
        _, out, _ = run("play", "card-poker(ranks=4)", "--as", "gambler", "--against", "uniform", "--seed", str(seed))
        if "you see: card 2" in out:
            texts.add(out)
    assert len(texts) == 1


@pytest.mark.slow
def test_demo(run):
    code, out, _ = run("demo")
    assert code == 0
    assert "9 of 9 published figures reproduced" in out
    assert out.splitlines()[-1].endswith("fogbound serve")
    assert answer(run, "demo")["questions"]


@pytest.mark.parametrize("states", ["100000", "50"])
def test_check_enumerates_once(run, monkeypatch, states):
    from fogbound.forms.enumeration import Enumeration

    begun, whole = [], Enumeration.run
    monkeypatch.setattr(Enumeration, "run", lambda self: begun.append(self) or whole(self))
    code, out, _ = run("check", "leduc", "--states", states)
    assert code == 0
    assert ("not enumerated" in out) == (states == "50")
    assert len(begun) == 1


def test_checkpoint_and_resume(run, tmp_path):
    path = str(tmp_path / "c.npz")
    whole = answer(run, "solve", "tiger", "--with", "belief-mdp", "--gap", "1e-6")
    answer(run, "solve", "tiger", "--with", "belief-mdp", "--iterations", "20", "--checkpoint", path)
    resumed = answer(run, "solve", "tiger", "--with", "belief-mdp", "--gap", "1e-6", "--resume", path)
    assert {k: v for k, v in resumed.items() if k != "seconds"} == {k: v for k, v in whole.items() if k != "seconds"}


def test_interrupt_prints_and_saves_the_best_so_far(tmp_path):
    path = tmp_path / "s.npz"
    kept = tmp_path / "checkpoint.npz"  # written from the first answers on: until then Ctrl-C finds nothing to keep
    words = ["solve", "tiger(discount=0.9999999)", "--with", "belief-mdp", "-o", str(path), "--json"]
    words += ["--checkpoint", str(kept)]
    process = subprocess.Popen(
        [sys.executable, "-m", "fogbound.cli.main", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    waiting = time.monotonic() + 120  # a machine under load may take long to begin
    while not kept.exists() and process.poll() is None and time.monotonic() < waiting:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert json.loads(out)["stopped"] == "interrupted"
    assert path.exists()


def test_a_file_that_leaves_the_program_when_it_is_read_gets_one_line(run, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("import sys\nsys.exit()\n")
    code, _, err = run("solve", f"{path}:Mine")
    assert code == 2
    assert "left the program" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_bug_gets_one_line_and_its_place_only_for_those_who_ask(run, monkeypatch, debug):
    def bug(_words):
        raise KeyError("a bug")

    monkeypatch.setenv("FOGBOUND_DEBUG", debug)
    monkeypatch.setattr("fogbound.cli.games.main", bug)
    code, _, err = run("games")
    assert code == 2
    assert ("Traceback" in err) == bool(debug)
    assert "fogbound: KeyError: 'a bug'" in err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_before_there_is_anything_to_tell_gets_one_line(run, monkeypatch, number, code):
    def slow(_words):
        os.kill(os.getpid(), number)
        time.sleep(100)

    monkeypatch.setattr("fogbound.cli.games.main", slow)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs in the background ignores it
    try:
        left, _, err = run("games")
    finally:
        signal.signal(signal.SIGINT, before)
    assert left == code
    assert err in (
        "fogbound: interrupted before there was an answer\n",
        "fogbound: terminated before there was an answer\n",
    )


def test_check_is_stopped_and_says_what_it_saw(run, monkeypatch):
    monkeypatch.setattr("fogbound.driver.limits.GRACE", 0.05)
    spec = f"{Path(__file__).parents[1] / 'counting.py'}:Counting"
    code, out, err = run("check", spec, "--states", "999999999", "--seconds", "0.2")
    assert code == 0
    assert "forms: not looked at" in out
    assert "seconds before anything was checked (--seconds 0.2" in err


def test_a_share_of_the_answer_is_a_gap(run):
    found = answer(run, "solve", "card-poker(ranks=3)", "--with", "dcfr", "--gap", "2%")
    assert found["stopped"] == "gap"
    assert found["gap"] <= 0.02 * max(abs(found["lower"]), abs(found["upper"]))
    assert found["exploitability"] == pytest.approx(found["gap"] / 2)
    assert found["until"] == {"relative": 0.02, "default": False}
    code, _, err = run("solve", "tiger", "--gap", "x%")
    assert code == 2
    assert "expected a number, or a share such as 1%" in err


def test_what_nobody_limits_says_its_limits(run):
    out = run("solve", "card-poker(ranks=3)", "--with", "dcfr")[1]
    assert "stopped  gap reached (0.1 %, by default; --gap, --seconds change it) after" in out
    assert ", exploitability " in out
    err = run("match", "card-poker(ranks=3)", "dcfr", "cfr-plus(iterations=3)", "--games", "5")[2]
    assert "dcfr for gambler: gap reached (0.1 %, by default" in err
    assert "cfr-plus(iterations=3) for dealer: iteration limit after" in err


@pytest.mark.slow
def test_a_closed_pipe_is_quiet():
    shell = f"{sys.executable} -m fogbound.cli.main games | head -1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_help_imports_nothing_heavy():
    code = "import sys; from fogbound.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "heavy = {'numpy', 'scipy', 'numba', 'highspy', 'rich'} & set(sys.modules)\nassert not heavy, heavy"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_version_and_import_are_light():
    code = "import sys, fogbound; assert 'numpy' not in sys.modules; assert fogbound.__version__"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "LANG": "C"})


@pytest.mark.parametrize(
    ("words", "module", "limit", "why"),
    [
        (
            ("pursuit(columns=2)", "--with", "pg-hsvi", "--gap", "1"),
            "one_sided.evidence.proof",
            "MOST_RECORDS",
            "vectors, points and facets are more than the 0 that are certified",
        ),
        (
            ("po-nim(n=2)", "--with", "level-k", "--levels", "2"),
            "level_k.certificate",
            "MOST_WORK",
            "the proof of 2 levels has more rows than the 0 that are certified",
        ),
    ],
)
def test_an_answer_without_a_certificate_says_why(words, module, limit, why, run, monkeypatch):
    monkeypatch.setattr(f"fogbound.solvers.{module}.{limit}", 0)
    code, out, _ = run("solve", *words)
    assert code == 0
    assert "claimed by the solver; " in out
    assert why in out
    assert out.count("certified") == 1
    assert "uncertified" in answer(run, "solve", *words)["details"]


def test_how_long_compiling_takes_is_told_as_it_was_measured(capsys):
    """It used to be about ten seconds, whatever was compiled: level-k takes four times as long."""
    from fogbound.cli.progress import Following

    for solver, told in (("level-k", "usually about 38 s"), ("", "it may take some seconds")):
        followed = Following("a game")
        followed.solver = solver
        followed.tell("compiling")
        followed.tell("compiling")
        assert capsys.readouterr().err == f"fogbound: compiling for this machine, once: {told}\n"


INTERRUPTED = """
import sys
from fogbound.__main__ import main

class Late:
    def find_spec(self, name, *_):
        if name == "fogbound.cli.main":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Late())
sys.exit(main(["games"]))
"""


def test_ctrl_c_while_the_command_is_imported_is_told():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr == "fogbound: interrupted before there was an answer\n"


def test_ctrl_c_while_a_class_is_made_is_told(run, monkeypatch):
    """Until Python 3.12 whatever a class's part raises as it is named comes as the cause of a RuntimeError."""

    def importing(_words):
        raise RuntimeError("Error calling __set_name__ on 'Field'") from KeyboardInterrupt()

    monkeypatch.setattr("fogbound.cli.games.main", importing)
    code, _, err = run("games")
    assert code == 130
    assert err == "fogbound: interrupted before there was an answer\n"


LEAVING = """
import atexit, os, signal, sys
from fogbound.__main__ import main

signal.signal(signal.SIGINT, signal.default_int_handler)
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
sys.exit(main(["solve", "king-ace", "--with", "sequence-lp"]))
"""


@pytest.mark.slow
def test_ctrl_c_after_the_answer_changes_nothing():
    done = subprocess.run([sys.executable, "-c", LEAVING], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert not [line for line in done.stderr.splitlines() if not line.endswith("…")]  # how far it is, on a slow machine
    assert "value    0 for first" in done.stdout
