"""`.osposg` files: what is read is what a plain reader reads, what is written is read back, damage costs one line."""

from __future__ import annotations

import json
import re
import time
import warnings
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import fogbound as fb
from fogbound import evaluation, files, forms
from fogbound.cli.main import main
from fogbound.core.cancel import cancelling
from fogbound.core.errors import FileError, FormError, Stopped
from fogbound.files.osposg import text as layout
from fogbound.files.osposg.reader import read_osposg
from fogbound.files.osposg.writer import dumps_osposg, label_words, write_osposg
from fogbound.policies import Uniform
from fogbound.testing import random_games
from tests import shared

BAD = Path(__file__).parent / "malformed" / "osposg"
EXPECTED = json.loads((BAD / "index.json").read_text())
MODELS = shared.MODELS / "osposg"
SIZES = {"peg03": (142, 20, 144), "peg04": (362, 36, 289), "peg05": (730, 56, 484)}  # the end is left out
SMALL = """\
4 3 2 2 3 10 3 0.9
left 0
told 1
right 0
end 2
go
stay
up
down
hush
bell
over
0 1
1
0
0
0 1
1
0
0 0 0 0 0 0.5
0 0 0 1 1 0.5
0 0 1 1 1 1
0 1 0 0 2 1
0 1 1 2 3 1
2 0 0 0 2 1
2 1 0 0 0 .25
2 1 0 2 3 75e-2
1 1 1 2 3 1.
3 0 0 2 3 1
0 0 0 10
2 1 0 -5
1 1 1 +2.5
0 0.25 0.75
"""
some = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def read(text, folder):
    path = folder / "model.osposg"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_osposg(path)


def plain(text):
    """The file as dictionaries: (state, a1, a2) -> {(observation, next state): p} and -> pay; start; what is over."""
    lines = [line.split() for line in text.splitlines()]
    states, parts, ones, twos, observations, moves, pays = map(int, lines[0][:7])
    named, lines = lines[1 : 1 + states], lines[1 + states :]
    names, lines = [line[0] for line in lines[: ones + twos + observations]], lines[ones + twos + observations :]
    blind, seeing, seen = names[:ones], names[ones : ones + twos], names[ones + twos :]
    lines = lines[states + parts :]
    led, pay = {}, {}
    for s, a, b, o, t, p in lines[:moves]:
        key = named[int(s)][0], blind[int(a)], seeing[int(b)]
        led.setdefault(key, {})[seen[int(o)], named[int(t)][0]] = float(p)
    for s, a, b, r in lines[moves : moves + pays]:
        pay[named[int(s)][0], blind[int(a)], seeing[int(b)]] = float(r)
    (first, *belief) = lines[-1]
    start = dict(zip([name for name, part in named if part == first], map(float, belief)))
    over = {name for name, _ in named if all({t for _, t in to} == {name} for key, to in led.items() if key[0] == name)}
    return led, pay, start, {name for name in over if not any(r for key, r in pay.items() if key[0] == name)}


def dictionaries(form):
    """The same of a form, read through the game that it is."""
    game, led, pay = forms.OneSidedGame(form), {}, {}
    for s, name in enumerate(form.states):
        for one in game.actions(s, 0):
            for two in game.actions(s, 1):
                led[name, one, two] = found = {}
                for outcome, p in game.step(s, (one, two)):
                    pay[name, one, two] = outcome.rewards[0]
                    if outcome.state >= 0:
                        found[outcome.private[0], form.states[outcome.state]] = p
    return led, pay, {name: p for name, p in zip(form.states, form.start.tolist()) if p}


def check_like_plain(form, text):
    led, pay, start, over = plain(text)
    mine, paid, begun = dictionaries(form)
    assert begun == pytest.approx({name: p for name, p in start.items() if p})
    kept = {key: {to: p for to, p in led[key].items() if to[1] not in over} for key in led if key[0] not in over}
    assert {key: pytest.approx(to) for key, to in kept.items()} == mine
    assert {key: pay.get(key, 0.0) for key in kept} == paid


def test_a_small_file(tmp_path):
    form = read(SMALL, tmp_path)
    assert form.states == ["left", "right", "told"]
    assert form.state_start.tolist() == [0, 2, 3]
    assert form.action_start.tolist() == [0, 2, 3]
    assert form.reward.tolist() == [10, 0, 0, 0, 0, -5, 2.5]
    assert form.start.tolist() == [0.25, 0.75, 0]
    assert (form.discount, form.player, form.paid, form.relaxed) == (0.9, 0, 0.0, "")
    assert form.prob.tolist() == [0.5, 1, 0.5, 1, 1, 0.25]
    check_like_plain(form, SMALL)


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n\n\n", ""])
def test_how_lines_end_does_not_matter(ending, tmp_path):
    text = SMALL.replace("\n", ending) if "\r" in ending else SMALL.rstrip() + ending
    assert_same(read(SMALL, tmp_path), read(text, tmp_path))


def test_blanks_and_other_scripts(tmp_path):
    text = "\ufeff" + SMALL.replace(" ", " \t ").replace("told", "gesägt")
    form = read(text, tmp_path)
    assert form.states == ["left", "right", "gesägt"]
    assert_same(form, read(SMALL, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_published_models(name, tmp_path):
    path = MODELS / f"{name}.osposg"
    if not path.is_file():
        pytest.skip(f"no published model at {path}")
    form = files.read_one_sided(path)
    assert (form.size, len(form.state_start) - 1, len(form.action_label)) == SIZES[name]
    assert set(form.reward.tolist()) == {0.0, 95.0, 100.0}
    check_like_plain(form, path.read_text())
    sizes = files.write_one_sided(form, tmp_path / "again.osposg")
    assert (sizes.states, sizes.partitions) == (form.size + 1, len(form.state_start))
    assert_same(form, files.read_one_sided(tmp_path / "again.osposg"))


def assert_same(one, other):
    """The same arrays, up to the numbers of labels; and these labels in the same order."""
    for name, array in one.arrays().items():
        if name in ("reply_label", "action_label", "obs"):
            array, theirs = (np.unique(a, return_inverse=True)[1] for a in (array, other.arrays()[name]))
            assert np.array_equal(array, theirs), name
        elif name != "player":
            assert np.array_equal(array, other.arrays()[name]), name


def writable(form):
    return form.paid == 0 and len(form.opening) == 1 and abs(form.start.sum() - 1) < 1e-12


@pytest.mark.slow
@some
@given(
    game=st.one_of(random_games(zero_sum=True), random_games(zero_sum=True, loops=True)),
    blind=st.integers(0, 1),
)
def test_what_is_written_is_read_back(game, blind, tmp_path_factory):
    assume(any(game.actors(outcome.state) for outcome, _ in game.start()))
    form = forms.one_sided(game, blind)
    assume(writable(form))
    again = read(dumps_osposg(form), tmp_path_factory.mktemp("osposg"))
    idle = idle_states(form)
    assert again.size == form.size - idle
    if not idle:
        assert_same(form, again)
    values = [evaluation.value(forms.OneSidedGame(f), {0: Uniform(), 1: Uniform()})[f.player] for f in (form, again)]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def idle_states(form):
    """How many running states are, to a reader, ended ones: they lead nowhere else and pay nothing."""
    game, led, pay = forms.OneSidedGame(form), {}, {}
    for s in range(form.size):
        offers = [game.actions(s, player) if player in game.actors(s) else (None,) for player in (0, 1)]
        for joint in [tuple(a for a in (x, y) if a is not None) for x in offers[0] for y in offers[1]]:
            for outcome, _ in game.step(s, joint):
                led.setdefault(s, set()).add(outcome.state)
                pay[s] = pay.get(s, False) or any(outcome.rewards)
    return sum(led[s] == {s} and not pay[s] for s in led)


def test_what_a_file_cannot_say(tmp_path):
    form = read(SMALL, tmp_path)
    path = tmp_path / "out.osposg"
    for changes, wrong in (
        ({"paid": 2.0}, "2 is paid before the first step"),
        ({"start": np.array([0.5, 0.25, 0.25])}, "2 different observations are shown before the first step"),
        ({"start": np.array([0.5, 0.25, 0.0])}, "is over at once with probability 0.25"),
    ):
        altered = replace(form, **changes)
        with pytest.raises(FormError, match=wrong):
            write_osposg(altered, path)
        assert not path.exists()


def vars_of(form):
    return {place.name: getattr(form, place.name) for place in fields(form)}


def test_a_game_that_never_ends_needs_no_end(tmp_path):
    text = "2 1 1 1 1 2 1 0.5\na 0\nb 0\ngo\nup\no\n0\n0\n0\n0 0 0 0 1 1\n1 0 0 0 0 1\n0 0 0 1\n0 1 0\n"
    form = read(text, tmp_path)
    assert form.size == 2
    assert str(write_osposg(form, tmp_path / "x.osposg")) == "2 states in 1 partition, 1 and 1 action, 1 observation"
    assert_same(form, read_osposg(tmp_path / "x.osposg"))
    with pytest.raises(FormError, match="not discounted and need not end"):
        read(text.replace("0.5", "1", 1), tmp_path)


def test_impossible_steps_are_left_out(tmp_path):
    text = SMALL.replace("10 3 0.9", "11 3 0.9").replace("3 0 0 2 3 1\n", "3 0 0 2 3 1\n0 0 1 0 1 0\n")
    assert_same(read(SMALL, tmp_path), read(text, tmp_path))


def test_sums_are_set_right_and_said_so(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        form = read(SMALL.replace("75e-2", "0.7500001"), tmp_path)
    assert form.prob[-1] == pytest.approx(0.25 / 1.0000001, abs=1e-15)
    with pytest.warns(UserWarning, match=r"1 rows of probabilities sum to 1 only within 5e-05"):
        read(SMALL.replace("75e-2", "0.75005"), tmp_path)


def test_names_are_words_that_differ():
    assert label_words(["a", "a b", "a_b", "a", ("x", 1), 1, "1", "", "\x1b"]) == [
        "a",
        "a_b_2",
        "a_b",
        "a_2",
        "('x',_1)",
        "1_2",
        "1",
        "_",
        "\\x1b",
    ]


def test_every_malformed_file_is_expected():
    assert sorted(EXPECTED) == sorted(path.name for path in BAD.glob("*.osposg"))
    assert len(EXPECTED) >= 70


@pytest.mark.parametrize("name", EXPECTED)
def test_malformed_files_cost_one_clear_line(name):
    with pytest.raises(FileError) as caught:
        files.read_one_sided(BAD / name)
    message = str(caught.value)
    assert re.match(EXPECTED[name], message.removeprefix(str(BAD / name))), message
    assert re.fullmatch(r".*:\d+: found .+, expected .+", message)
    assert len(message) <= 500
    assert message.isprintable()


class Later:
    """A token that says stop when it has been asked so many times."""

    def __init__(self, asked):
        self.left = asked

    @property
    def reason(self):
        self.left -= 1
        return "cancelled" if self.left < 0 else ""


def test_reading_can_be_stopped_at_any_time(tmp_path, monkeypatch):
    monkeypatch.setattr(layout, "LOOK_UP", 1)
    path = tmp_path / "a.osposg"
    path.write_text(SMALL)
    patient = Later(10**9)
    with cancelling(patient):
        read_osposg(path)
    asked = 10**9 - patient.left
    assert asked >= 2 * SMALL.count("\n")  # while the lines are found, and while each is read
    for times in range(asked):
        with pytest.raises(Stopped), cancelling(Later(times)):
            read_osposg(path)


def test_a_file_is_solved_as_what_it_is_without_naming_a_solver(tmp_path, capsys):
    (tmp_path / "a.osposg").write_text(SMALL)
    answer = fb.solve(tmp_path / "a.osposg", gap=1e-3)
    assert answer.provenance["solver"].startswith("pg-hsvi")
    assert "blind" in answer.provenance["chosen"]
    assert main(["solve", str(tmp_path / "a.osposg"), "--gap", "0.001"]) == 0
    assert "using pg-hsvi" in capsys.readouterr().err


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileError, match="cannot be read"):
        read_osposg(tmp_path / "none.osposg")
    with pytest.raises(FileError, match=r"found the ending '\.pomdp', expected \.osposg"):
        files.read_one_sided(tmp_path / "none.pomdp")
    (tmp_path / "a.osposg").write_text(SMALL)
    with pytest.raises(FileError, match="found more than 100 bytes"):
        read_osposg(tmp_path / "a.osposg", largest=100)


@pytest.mark.slow
@settings(some, max_examples=300)
@given(at=st.integers(0, len(SMALL) - 1), what=st.sampled_from(["", "0", "9", "-", " ", "\n", "x", ".", "1e9", "\0"]))
def test_damage_is_refused_or_harmless(at, what, tmp_path_factory):
    """No crash of another kind, whatever a character is changed into."""
    with suppress(FileError, FormError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        form = read(SMALL[:at] + what + SMALL[at + 1 :], tmp_path_factory.getbasetemp())
        assert form.start.sum() == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("last", ["0 0 0 x", "0 0 0 1 1", "9 0 0 1", "0 0 0 1"])
def test_a_fault_at_the_end_of_a_large_file_is_found_soon(last, tmp_path):
    many = 100_000
    head = f"1 1 1 {many} 1 {many} {many} 0.9\na 0\ngo\n" + "".join(f"b{k}\n" for k in range(many)) + "o\n"
    head += " ".join(map(str, range(many))) + "\n0\n"
    body = "".join(f"0 0 {k} 0 0 1\n" for k in range(many)) + "".join(f"0 0 {k} 1\n" for k in range(many - 1))
    began = time.process_time()
    with pytest.raises(FileError) as caught:
        read(f"{head}{body}{last}\n0 1\n", tmp_path)
    assert time.process_time() - began < 10
    assert f":{3 * many + 6}: found" in str(caught.value)
