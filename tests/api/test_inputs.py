"""Identity of inputs: whatever resumes, merges or plays a stored answer refuses an input that changed, by its name."""

from __future__ import annotations

import io
import json
import uuid
from functools import partial

import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import FileError, SpecError
from fogbound.core.identity import class_files, difference, named_files, packages, source_files
from fogbound.driver.solve import versions
from fogbound.forms.identity import game_files
from fogbound.naming.games import problem
from fogbound.policies.controller import controller

RULES = "WIN = {win}\n"
GAME = """
from dataclasses import dataclass
import {rules}
import fogbound as fb

BONUS = 0.0

@dataclass(frozen=True)
class Hide(fb.Game):
    players = ("hider", "seeker")
    def start(self):
        return fb.Dist.sure(fb.Outcome(""))
    def actors(self, state):
        return (0,) if state == "" else (1,) if len(state) == 1 else ()
    def actions(self, state, player):
        return ("a", "b")
    def step(self, state, joint):
        after = state + joint[0]
        if len(after) < 2:
            return fb.Dist.sure(fb.Outcome(after))
        paid = float({rules}.WIN if after[0] == after[1] else -1) + BONUS
        return fb.Dist.sure(fb.Outcome(after, (-paid, paid)))

@dataclass(frozen=True)
class Solo(fb.Game):
    players = ("one",)
    def start(self):
        return fb.Dist.uniform([fb.Outcome(door) for door in "ab"])
    def actors(self, state):
        return () if state == "over" else (0,)
    def actions(self, state, player):
        return ("a", "b")
    def step(self, state, joint):
        return fb.Dist.sure(fb.Outcome("over", (float({rules}.WIN) * (joint[0] == state) + BONUS,)))
"""
BOT = """
import random
import {rules}
import fogbound as fb

class Bot:
    def begin(self, observation):
        return None
    def update(self, memory, action, observation):
        return None
    def act(self, memory, actions):
        return fb.Dist.uniform(actions)
"""


class Folder:
    """Files of one's own: a game with a module beside it, models, an answer, a bot with a module of its own."""

    def __init__(self, path):
        self.path, unique = path, uuid.uuid4().hex
        self.rules, self.habits = f"rules_{unique}.py", f"habits_{unique}.py"
        (path / self.rules).write_text(RULES.format(win=1))
        (path / self.habits).write_text(RULES.format(win=1))
        (path / "my_game.py").write_text(GAME.format(rules=self.rules[:-3]))
        (path / "bot.py").write_text(BOT.format(rules=self.habits[:-3]))
        fb.convert("tiger", path / "tiger.pomdp")
        fb.convert("kuhn", path / "kuhn.efg")
        fb.solve("kuhn", "cfr", iterations=3).save(path / "kuhn.npz")

    def edit(self, name):
        """Change what a file means."""
        path = self.path / {"rules": self.rules, "habits": self.habits}.get(name, name)
        if name == "kuhn.npz":
            fb.solve("kuhn", "cfr", iterations=4).save(path)
        elif name in ("tiger.pomdp", "kuhn.efg"):
            text = path.read_text()
            old, new = ("100", "1000") if name == "tiger.pomdp" else ("{ 2, -2 }", "{ 9, -9 }")
            assert old in text
            path.write_text(text.replace(old, new))
        elif name == "my_game.py":
            path.write_text(path.read_text().replace("BONUS = 0.0", "BONUS = 25.0"))
        else:
            path.write_text(RULES.format(win=77) if name in ("rules", "habits") else path.read_text() + "\nTIRED = 1\n")
        return path.name


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path)


SOLVE = ["solve", "--iterations", "3", "--checkpoint", "k.npz", "--gap", "0"]
SWEEP = ["sweep", "--iterations", "3", "--no-times", "--resume", "j.jsonl"]
TOURNAMENT = ["tournament", "--games", "3", "--resume", "j.jsonl"]
POMCP = ["--with", "pomcp(simulations=5, depth=3, games=3)"]
OWN, SOLO, EFG, POMDP = "my_game.py:Hide", "my_game.py:Solo", "kuhn.efg", "tiger.pomdp"
RESUMED = [  # a command, and the input of it that is edited before it goes on
    *(([*SOLVE, OWN, "--with", "cfr"], name) for name in ("my_game.py", "rules")),
    *(([*SOLVE, SOLO, *POMCP], name) for name in ("my_game.py", "rules")),
    *(([*SOLVE, f"horizon(game={SOLO}, steps=2)", *POMCP], name) for name in ("my_game.py", "rules")),
    ([*SOLVE, EFG, "--with", "cfr"], EFG),
    ([*SOLVE, POMDP, "--with", "sarsop"], POMDP),
    ([*SOLVE, POMDP, *POMCP], POMDP),
    ([*SOLVE, f"horizon(game={POMDP}, steps=2)", *POMCP], POMDP),
    ([*SOLVE, "kuhn", *POMCP, "--against", "kuhn.npz"], "kuhn.npz"),
    *(([*SOLVE, "kuhn", *POMCP, "--against", "bot.py:Bot"], name) for name in ("bot.py", "habits")),
    *(([*SWEEP, OWN, "--with", "cfr"], name) for name in ("my_game.py", "rules")),
    *(([*SWEEP, game, "--with", "cfr"], game) for game in (EFG,)),
    ([*SWEEP, POMDP, "--with", "sarsop"], POMDP),
    ([*SWEEP, "kuhn", "--with", "belief-mdp", "--against", "kuhn.npz"], "kuhn.npz"),
    *(([*SWEEP, "kuhn", "--with", "belief-mdp", "--against", "bot.py:Bot"], name) for name in ("bot.py", "habits")),
    *(([*TOURNAMENT, OWN, "uniform", "level-k"], name) for name in ("my_game.py", "rules")),
    ([*TOURNAMENT, EFG, "uniform", "cfr(iterations=2)"], EFG),
    ([*TOURNAMENT, "kuhn", "uniform", "kuhn.npz"], "kuhn.npz"),
    ([*TOURNAMENT, "kuhn", "uniform", "resolve(budget=50, depth=1, value=kuhn.npz)"], "kuhn.npz"),
    ([*SWEEP, "kuhn", "--with", "resolve(budget=50, depth=1, value=kuhn.npz)"], "kuhn.npz"),
    ([*SOLVE, "kuhn", "--with", "resolve(budget=50, depth=1, value=kuhn.npz)"], "kuhn.npz"),
    *(([*TOURNAMENT, "kuhn", "uniform", "bot.py:Bot"], name) for name in ("bot.py", "habits")),
]


def ran(words):
    return main(words) if words[0] != "tournament" else main([*words, "--sampled"])


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("words", "name"), RESUMED)
def test_a_run_does_not_go_on_with_an_input_that_changed(words, name, folder, capsys):
    """Same call, same inputs: it goes on. Another content of any input: exit code 2, and the name of that input."""
    again = [*words, "--resume", "k.npz"] if words[0] == "solve" else words
    assert ran(words) == 0, capsys.readouterr().err
    assert ran(again) == 0, capsys.readouterr().err
    changed = folder.edit(name)
    capsys.readouterr()
    assert ran(again) == 2
    *_, said = capsys.readouterr().err.splitlines()
    assert f"{changed}, an input of " in said
    assert "has changed" in said


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("words", "name"), [(words, name) for words, name in RESUMED if words[0] != "solve"])
def test_shares_of_other_inputs_do_not_merge(words, name, folder, capsys):
    shared = [word for word in words if word != "j.jsonl"]
    at = shared.index("--resume") + 1
    parts = [[*shared[:at], f"{k}.jsonl", *shared[at:], "--shard", f"{k}/2"] for k in (1, 2)]
    if words[0] == "sweep":
        parts = [[*part, "--seeds", "2"] for part in parts]
    assert ran(parts[0]) == 0, capsys.readouterr().err
    changed = folder.edit(name)
    assert ran(parts[1]) == 0, capsys.readouterr().err
    capsys.readouterr()
    assert main(["merge", "1.jsonl", "2.jsonl"]) == 2
    assert f"{changed}, an input of " in capsys.readouterr().err


SOLVED = [  # what is solved, with what, and the input of it that is edited
    *((OWN, ["--with", "cfr"], name) for name in ("my_game.py", "rules")),
    *((SOLO, POMCP, name) for name in ("my_game.py", "rules")),
    (EFG, ["--with", "cfr"], EFG),
    (POMDP, POMCP, POMDP),
    (POMDP, ["--with", "sarsop"], POMDP),
]
USED = {
    "match": lambda game, seats: ["match", game, *["a.npz"] * seats, "--games", "5"],
    "evaluate": lambda game, seats: ["evaluate", game, *["a.npz"] * seats],
    "tournament": lambda game, seats: ["tournament", game, "a.npz", "uniform", "--games", "3"],
    "play": lambda game, seats: ["play", game, "--against", "a.npz"] if seats > 1 else None,
    "show": lambda game, seats: ["show", "a.npz", "--game", game],
    "verify": lambda game, seats: ["verify", "a.npz", "--game", game],
    "solve --against": lambda game, seats: ["solve", game, "--against", "a.npz"] if seats > 1 else None,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("command", USED)
@pytest.mark.parametrize(("game", "solver", "name"), SOLVED)
def test_an_answer_of_rules_that_changed_is_refused(game, solver, name, command, folder, capsys, monkeypatch):
    """The identity that `verify` checks holds for every command that takes an answer and a game."""
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr(
        "fogbound.api.looking.controller", partial(controller, limit=100)
    )  # a planner has no end of them
    assert main(["solve", game, *solver, "--iterations", "3", "--gap", "0", "-o", "a.npz"]) == 0
    words = USED[command](game, len(problem(game).players))
    if words is None:
        pytest.skip("alone there is nobody to play against")
    capsys.readouterr()
    main(words)
    assert "has changed" not in capsys.readouterr().err
    changed = folder.edit(name)
    capsys.readouterr()
    assert main(words) in ((1, 2) if command == "verify" else (2,))
    told = capsys.readouterr()
    if command != "verify":
        assert f"{changed}, an input of the game, has changed" in told.err.splitlines()[-1]


def test_a_comment_changes_nothing_where_the_form_tells(folder):
    answer = fb.solve(OWN, "cfr", iterations=3)
    answer.save("a.npz")
    (folder.path / "my_game.py").write_text("# of hiding and seeking\n" + (folder.path / "my_game.py").read_text())
    fb.match(OWN, "a.npz", "a.npz", games=3)
    assert fb.verify("a.npz", OWN)


def test_a_file_is_known_by_its_content_not_by_its_place(folder):
    fb.solve(OWN, "cfr", iterations=3).save("a.npz")
    fb.solve(SOLO, "pomcp(simulations=5, depth=3, games=3)", iterations=3).save("b.npz")
    (folder.path / "elsewhere").mkdir()
    for name in (folder.rules, "my_game.py"):
        (folder.path / name).rename(folder.path / "elsewhere" / name)
    fb.match("elsewhere/my_game.py:Hide", "a.npz", "a.npz", games=3)
    fb.match("elsewhere/my_game.py:Solo", "b.npz", games=3)


def test_an_edited_module_is_imported_anew(folder):
    """A long-lived process plays by the rules that are on disk, as their digest says."""
    assert fb.solve(SOLO, "belief-mdp").value == 0.5
    folder.edit("rules")
    assert fb.solve(SOLO, "belief-mdp").value == 38.5


@pytest.mark.parametrize("package", packages())
def test_another_version_does_not_go_on(package, folder, monkeypatch, capsys):
    for module in (
        "fogbound.driver.solve",
        "fogbound.experiments.sweeps.plan",
        "fogbound.experiments.tournaments.run",
    ):
        monkeypatch.setattr(f"{module}.packages", lambda: {**packages(), package: "0.0.1"})
    kinds = [[*SOLVE, "kuhn", "--with", "cfr"], [*SWEEP, "kuhn", "--with", "cfr"]]
    kinds[1][kinds[1].index("j.jsonl")] = "s.jsonl"
    kinds.append([*TOURNAMENT, "kuhn", "uniform", "uniform"])
    for words in kinds:
        assert ran(words) == 0, capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.chdir(folder.path)
    capsys.readouterr()
    for words in kinds:
        assert ran([*words, "--resume", "k.npz"] if words[0] == "solve" else words) == 2
        assert f"computed with {package} 0.0.1, this is {package}" in capsys.readouterr().err


def test_opponents_that_are_objects_count_by_what_they_play(folder):
    one, other = (fb.solve("kuhn", "cfr", iterations=k) for k in (3, 30))
    pomcp = {"solver": "pomcp(simulations=5, depth=3, games=3)", "iterations": 2, "gap": 0}
    fb.solve("kuhn", **pomcp, against=one, checkpoint="k.npz")
    fb.solve("kuhn", **pomcp, against=one, resume="k.npz")
    fb.solve("kuhn", **pomcp, against={1: one.policy(1)}, checkpoint="l.npz")
    fb.solve("kuhn", **pomcp, against={1: one.policy(1)}, resume="l.npz")
    for path, given in (("k.npz", other), ("l.npz", {1: other.policy(1)})):
        with pytest.raises(FileError, match="an input of against, has changed"):
            fb.solve("kuhn", **pomcp, against=given, resume=path)


def test_modules_are_found_however_they_are_imported(tmp_path):
    for name, text in {
        "main.py": "import one\nfrom pack import two\ndef late():\n    import late_one\nimport random, numpy\n",
        "one.py": "from pack.deep.three import x\n",
        "late_one.py": "",
        "random.py": "",
        "unused.py": "",
        "pack/__init__.py": "from . import sibling\n",
        "pack/two.py": "from .deep import four as renamed\n",
        "pack/sibling.py": "from .. import nothing\n",
        "pack/deep/__init__.py": "",
        "pack/deep/three.py": "x = 1\nfrom ..two import *\n",
        "pack/deep/four.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = source_files(tmp_path / "main.py")
    assert set(found) == {
        "main.py", "one.py", "late_one.py", "pack/__init__.py", "pack/two.py", "pack/sibling.py",
        "pack/deep/__init__.py", "pack/deep/three.py", "pack/deep/four.py",
    }  # fmt: skip
    assert set(named_files(f"x(bot={tmp_path}/main.py:Bot(depth=2), other=[{tmp_path}/one.py])")) >= {"one.py"}


BASED = """
import fogbound as fb
from shared_rules import Rules
class Paid(Rules):
    players = ("one",)
"""
BASE = """
import fogbound as fb
class Rules(fb.Game):
    def start(self):
        return fb.Dist.sure(fb.Outcome("go"))
    def actors(self, state):
        return (0,) if state == "go" else ()
    def actions(self, state, player):
        return ("on",)
    def step(self, state, joint):
        return fb.Dist.sure(fb.Outcome("over", ({paid}.0,)))
"""


def test_files_in_two_folders_have_neighbours_of_their_own(tmp_path):
    """Modules of one name beside two files: each file gets its own, keeps it, and counts by it."""
    named = {}
    for paid in (1, 2):
        folder = tmp_path / str(paid)
        folder.mkdir()
        (folder / "paid.py").write_text(BASED)
        (folder / "shared_rules.py").write_text(BASE.format(paid=paid))
        named[paid] = f"{folder / 'paid.py'}:Paid"
    games = {paid: fb.game(name) for paid, name in named.items()}
    for paid in (1, 2, 1):
        assert fb.solve(fb.game(named[paid])).value == paid
        assert type(fb.game(named[paid])).__mro__[1] is type(games[paid]).__mro__[1]  # a game and a bot share classes
    files = [class_files(type(game)) for game in games.values()]
    assert [set(one) for one in files] == [{"paid.py", "shared_rules.py"}] * 2
    assert files[0]["paid.py"] == files[1]["paid.py"]
    assert files[0]["shared_rules.py"] != files[1]["shared_rules.py"]


def test_a_class_without_a_file_counts_by_its_code():
    def made(paid):
        space = {"__name__": "nowhere"}
        exec(f"class C:\n    def step(self):\n        return {{'a', 'b'}}, {paid}\n", space)
        return space["C"]

    assert class_files(made(1)) == class_files(made(1))
    assert class_files(made(1)) != class_files(made(2))


def test_fogbounds_own_games_have_no_files():
    for name in fb.games.GAMES:
        if name in ("kuhn", "tiger", "leduc", "king-up"):
            assert game_files(fb.game(name)) == {}
    assert set(versions()) > set(packages())


def test_differences_are_named():
    assert difference({}, {}) == ""
    assert difference({"a": {"x": "1"}}, {}) == "x, an input of a, is no longer used"
    assert difference({}, {"a": {"x": "1"}}) == "x, an input of a, is new"


def test_a_forged_journal_of_inputs_costs_a_line(tmp_path):
    path = tmp_path / "j.jsonl"
    fb.sweep("kuhn", "cfr", iterations=2, times=False, resume=path)
    header, *rows = path.read_text().splitlines()
    for wrong in (3, {}, {"versions": 3}, {"versions": {"numpy": 2}}, None):
        told = json.loads(header)
        told["about"]["inputs"] = wrong
        path.write_text("\n".join([json.dumps(told), *rows]) + "\n")
        for call in (
            lambda: fb.merge(path),
            lambda: fb.merge(path, path),
            lambda: fb.sweep("kuhn", "cfr", iterations=2, times=False, resume=path),
        ):
            with pytest.raises((FileError, SpecError)) as caught:
                call()
            assert "\n" not in str(caught.value)
