"""Locks from the front door: dicts, files and texts; answers that are saved, verified and played; refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest

import fogbound as fb
from fogbound import archive
from fogbound.cli.main import main
from fogbound.core.errors import FileError, FormError, SpecError
from tests.forms.test_locked_tree import restricted_value

BLUFF = {"player-1": {"1": {"check": 0.0, "bet": 1.0}}}
BRAVE = {"player-2": {"2 · bet": {"call": 0.5}, "1 · check": {"bet": 0.25, "check": 0.25}}}


def kuhn_value():
    """With `BLUFF` and `BRAVE`, by the program of the restricted game."""
    form = fb.forms.sequence(fb.game("kuhn"))
    table = fb.api.table(fb.solve("kuhn", "sequence-lp"))
    floors = [np.zeros(plex.sequences) for plex in form.plexes]
    for player, plex in enumerate(form.plexes):
        rows = [row for row in table if row.player == form.players[player]]
        given = (BLUFF | BRAVE)[form.players[player]]
        for q, row in enumerate(rows, 1):
            floors[player][q] = given.get(row.information_set, {}).get(row.action, 0.0)
        assert len(rows) == plex.sequences - 1
    return restricted_value(form, floors)


@pytest.mark.parametrize("solver", ["sequence-lp", "cfr-plus", "dcfr", "predictive-cfr", "cfr", "mccfr"])
def test_an_answer_of_the_game_with_locks(solver):
    found = fb.solve("kuhn", solver, locks=BLUFF, floors=BRAVE, gap=0.02, iterations=30_000)
    assert found.certified == "both"
    assert found.lower - 1e-9 <= kuhn_value() <= found.upper + 1e-9
    assert "of kuhn(seats=2) with 3 locks by" in repr(found)
    assert found.provenance["locks"] == BLUFF
    assert found.provenance["floors"] == BRAVE
    played = found.table().to_dict()
    assert played["player-1"]["1"] == {"check": 0.0, "bet": 1.0}
    assert played["player-2"]["2 · bet"]["call"] >= 0.5 - 1e-12
    free = fb.evaluate("kuhn", found)
    assert found.details["unlocked"]["exploitability"] == pytest.approx(free.exploitability[0])


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    path = tmp_path_factory.mktemp("locks") / "locked.npz"
    fb.solve("kuhn", "sequence-lp", locks=BLUFF, floors=BRAVE).save(path)
    return path


def test_a_saved_answer_is_verified_with_its_locks_and_played(answer, capsys):
    judged = fb.verify(answer)
    assert judged
    assert judged.lower <= kuhn_value() + 1e-12
    assert "The game is the one with these locks: player-1 at 1: check 0, bet 1; player-2 at 2 · bet" in str(judged)
    assert main(["verify", "kuhn", str(answer)]) == 0
    assert "these locks" in capsys.readouterr().out
    assert fb.match("kuhn", [answer, "uniform"], games=20, seed=1).games == 20


def test_the_exported_form_is_that_of_the_locked_game(answer, tmp_path):
    fb.api.export_form(answer, tmp_path / "form.npz")
    judged = fb.verify(answer)
    with np.load(tmp_path / "form.npz") as form:
        assert form["player"].size != fb.forms.tree(fb.game("kuhn")).size
    assert judged.holds


def forged(path, to, change):
    """The file with its header changed."""
    header, arrays = archive.load(path, "solution")
    change(header)
    plain = {key: value for key, value in header.items() if key not in ("fogbound", "schema")}
    archive.write(to, archive.dumps("solution", plain, arrays))
    return to


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said.pop("locks"),
        lambda said: said.pop("floors"),
        lambda said: said["floors"]["player-2"]["2 · bet"].update(call=0.4),
        lambda said: said["floors"].update({"player-1": {"2": {"bet": 0.1}}}),
        lambda said: said["locks"]["player-1"]["1"].update(bet=0.5, check=0.5),
    ],
)
def test_other_locks_in_the_file_are_refused(answer, tmp_path, change):
    with pytest.raises(FileError, match="about another game"):
        fb.verify(forged(answer, tmp_path / "forged.npz", lambda header: change(header["provenance"])))


def test_policies_that_break_a_lock_are_refuted(answer, tmp_path):
    """The locked player has no choice there, so the checker's form does not show it: the policies are compared."""
    held = fb.load(answer)
    free = fb.solve("kuhn", "sequence-lp")
    held.profile[0] = free.profile[0]
    held.save(tmp_path / "other.npz")
    judged = fb.verify(tmp_path / "other.npz")
    assert not judged
    assert "the stored policy of player-1 does not keep the lock of set" in judged.refuted


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_locks_travel_as_the_table_of_a_strategy(ending, tmp_path):
    """A whole strategy as locks: then the other's best reply is all that is left."""
    given = fb.solve("kuhn", "cfr-plus", iterations=5)
    path = tmp_path / f"locks.{ending}"
    {"csv": given.to_csv, "json": given.to_json}[ending](path, player="player-2")
    found = fb.solve("kuhn", "sequence-lp", locks=path)
    assert found.value == pytest.approx(fb.evaluation.best_response(fb.game("kuhn"), given, 0).value)
    same = fb.solve("kuhn", "sequence-lp", locks=given.table("player-2").to_dict())
    assert same.value == found.value
    assert same.provenance["form_sha256"] == found.provenance["form_sha256"]


def test_the_command_line(tmp_path, capsys):
    (tmp_path / "floors.json").write_text(
        json.dumps([{"player": "player-2", "information_set": "2 · bet", "action": "call", "probability": 0.5}])
    )
    words = ["solve", "kuhn", "--lock", "player-1: 1: bet=1", "--floors", str(tmp_path / "floors.json")]
    assert main([*words, "--with", "sequence-lp"]) == 0
    said = capsys.readouterr().out
    assert "locks    player-1 at 1: bet 1\n         player-2 at 2 · bet: call at least 0.5\n" in said
    assert "value and bounds are of the game with these locks" in said
    assert "unlocked exploitability" in said
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["solver"].startswith("sequence-lp")  # chosen for the game with locks
    assert len(found["details"]["unlocked"]["regrets"]) == 2
    assert found["locks"] == {"player-1": {"1": {"bet": 1.0}}}


def test_a_game_of_perfect_information_is_solved_with_locks_as_well():
    found = fb.solve("nim(heaps=[1, 2])", locks=None)
    tree = fb.forms.sequence(fb.game("nim(heaps=[1, 2])"))
    name, first = tree.players[0], found.table(tree.players[0]).rows[0]
    moves = found.table(name).to_dict()[name][first.information_set]
    locked = fb.solve("nim(heaps=[1, 2])", locks={name: {first.information_set: {min(moves, key=moves.get): 1.0}}})
    assert locked.provenance["solver"].startswith("sequence-lp")
    assert locked.value <= found.value


def test_a_run_with_locks_is_resumed_with_the_same_locks_only(tmp_path):
    whole = fb.solve("kuhn", "cfr-plus", iterations=40, locks=BLUFF)
    fb.solve("kuhn", "cfr-plus", iterations=15, locks=BLUFF, checkpoint=tmp_path / "run.npz")
    again = fb.solve("kuhn", "cfr-plus", iterations=40, locks=BLUFF, resume=tmp_path / "run.npz")
    assert (again.value, again.gap) == (whole.value, whole.gap)
    with pytest.raises(FileError):
        fb.solve("kuhn", "cfr-plus", iterations=40, resume=tmp_path / "run.npz")


def test_a_run_with_locks_begins_from_any_profile():
    free = fb.solve("kuhn", "sequence-lp")
    found = fb.solve("kuhn", "cfr-plus", iterations=1, locks=BLUFF, start=free)
    assert found.table().to_dict()["player-1"]["1"]["bet"] == 1.0


REFUSED = {
    "a set that does not exist": ({"player-1": {"9": {"bet": 1}}}, None, "player-1 has no information set '9'"),
    "a near one": ({"player-2": {"2 . bet": {"call": 1}}}, None, "did you mean '2 · bet'"),
    "no player": ({"dealer": {"1": {"bet": 1}}}, None, "locks: player 'dealer', expected"),
    "no action": ({"player-1": {"1": {"raise": 1}}}, None, "'raise' is no action, expected check, bet"),
    "not 1": ({"player-1": {"1": {"bet": 0.9}}}, None, "sum to 0.9, expected 1; give least ones as floors"),
    "over 1": (None, {"player-1": {"1": {"bet": 0.9, "check": 0.2}}}, "sum to 1.1, expected at most 1"),
    "below 0": (None, {"player-1": {"1": {"bet": -0.1}}}, "is -0.1, expected a number from 0 to 1"),
    "both": (BLUFF, {"player-1": {"1": {"bet": 0.2}}}, "expected an exact lock or a floor, not both"),
    "twice": ([BLUFF, "player-1: 1: bet=1"], None, "at '1': is there a second time"),
    "no numbers": (["player-1: 1: bet=often"], None, "found 'bet=often', expected ACTION=P"),
    "no lock": ("player-1 bets", None, "expected {player: {information set: {action: probability}}}"),
    "no mapping": ({"player-1": {"1": 0.5}}, None, "player-1 has {'1': 0.5}, expected"),
    "nothing of it": (7, None, "locks: found 7, expected"),
    "no file": ("missing.csv", None, "missing.csv"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_locks_are_refused_in_one_line(case):
    locks, floors, message = REFUSED[case]
    with pytest.raises((SpecError, FileError)) as refused:
        fb.solve("kuhn", "sequence-lp", locks=locks, floors=floors)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_solvers_of_other_forms_keep_no_locks():
    with pytest.raises(FormError, match=r"level-k works on a .* keeps no locks; solvers that do: sequence-lp"):
        fb.solve("kuhn", "level-k", locks=BLUFF)
    with pytest.raises(SpecError, match="leave one of them out"):
        fb.solve("kuhn", "sequence-lp", locks=BLUFF, against="uniform")


def test_the_exit_code_of_a_bad_lock(capsys, tmp_path):
    (tmp_path / "bad.csv").write_text("player,information_set,action,probability\nplayer-1,1,bet,many\n")
    for lock in ("player-1: 9: bet=1", str(tmp_path / "bad.csv")):
        assert main(["solve", "kuhn", "--with", "sequence-lp", "--lock", lock]) == 2
    assert "bad.csv:2: probability is 'many', expected a number from 0 to 1" in capsys.readouterr().err
