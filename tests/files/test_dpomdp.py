"""`.dpomdp`, `.posg`, `.zsposg` files: what is read is what the format says, what is written is read back, damage costs
one clear line.
"""

from __future__ import annotations

import random
import re
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fogbound as fb
from fogbound import files, forms
from fogbound.cli.main import main
from fogbound.core.errors import FileError, FogboundError, FormError, LimitError
from fogbound.files.dpomdp.reader import read_joint
from fogbound.files.dpomdp.writer import write_joint
from fogbound.games import make
from fogbound.testing import check_game
from tests import shared
from tests.forms.test_table_from_arrays import assert_same, meaning, table_of

MODELS = shared.MODELS / "dpomdp"
PUBLISHED = sorted(path for path in MODELS.glob("*") if path.suffix in files.JOINT)
published = pytest.mark.parametrize("path", PUBLISHED or [None], ids=lambda path: path.name if path else "none")

GOOD = """\
# two who meet
agents: 2
discount: 0.9
values: reward
states: near far
start:
0.25 0.75
actions:
go stay
2
observations:
2
yes no
T: * :
uniform
T: go 0 :
identity
T: stay 1 : near :
0.5 0.5
T: stay * : far : near : 0.25
T: stay * : far : far : 0.75
O: * :
uniform
O: go * : near :
0.1 0.2 0.3 0.4
O: stay 1 : far : 0 * : 0.5
O: stay 1 : far : 1 * : 0
R: * : * : * : * : -1
R: go * : near : far : * no : 3
R: stay 1 : near : near :
1 2 3 4
R: stay 0 : far :
1 2 3 4
5 6 7 8
R: 0 : far : * : * : + 7
"""


def read(text: str, tmp_path: Path, ending=".dpomdp", **options):
    path = tmp_path / f"model{ending}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_joint(path, **options)


# A second reader, in the plain and slow way: one loop over the entries, dense arrays.


def members(text, sizes, names):
    """The joint numbers that a field stands for."""
    words = text.split()
    if len(words) != len(sizes):
        return [int(words[0])] if words[0] != "*" else list(range(int(np.prod(sizes))))
    each = [
        range(n) if w == "*" else [listed.index(w)] if w in listed else [int(w)]
        for w, n, listed in zip(words, sizes, names)
    ]
    return [int(np.ravel_multi_index(chosen, sizes)) for chosen in product(*each)]


def dense_arrays(text: str, each: int = 1):
    """Start, T[s, a, s'], O[a, s', o] and R[s, a, s', o, each] of a file whose preamble is that of GOOD."""
    text = re.sub(r"#.*", "", text).replace('"', " ")
    states, actions, signals = ["near", "far"], [["go", "stay"], []], [[], ["yes", "no"]]
    moves, shown, paid = np.zeros((2, 4, 2)), np.zeros((4, 2, 4)), np.zeros((2, 4, 2, 4, each))
    for keyword, entry in re.findall(r"^\s*([TOR])\s*:((?:(?!^\s*[TOR]\s*:)[\s\S])*)", text, re.MULTILINE):
        *fields, tail = entry.split(":")
        tail = re.sub(r"([+-])\s+", r"\1", tail).split()
        named = [members(fields[0], (2, 2), actions)]
        named += [members(f, (2,), [states]) for f in fields[1 : 2 if keyword == "O" else 3]]
        if keyword in "OR" and len(fields) == (3 if keyword == "O" else 4):
            named.append(members(fields[-1], (2, 2), signals))
        array = {"T": moves.transpose(1, 0, 2), "O": shown, "R": paid.transpose(1, 0, 2, 3, 4)}[keyword]
        for at in product(*named):
            if tail == ["uniform"]:
                array[at] = 1 / array.shape[-1]
            elif tail == ["identity"]:
                array[at] = np.eye(2)
            elif keyword == "R" and len(tail) == each:
                array[at] = np.array(tail, float)
            else:
                array[at] = np.array(tail, float).reshape(array[at].shape)
    return moves, shown, paid


def labels():
    return forms.ModelLabels(("agent1", "agent2"), ("near", "far"), (("go", "stay"), (0, 1)), ((0, 1), ("yes", "no")))


def from_dense_arrays(text, start=(0.25, 0.75), each=1):
    moves, shown, paid = dense_arrays(text, each)
    return table_of("dense", 0.9, labels(), np.array(start), moves, shown, np.repeat(paid, 2 // each, axis=-1))


def test_every_way_to_say_something(tmp_path):
    form = read(GOOD, tmp_path)
    assert meaning(form) == meaning(from_dense_arrays(GOOD))
    assert form.players == ("agent1", "agent2")
    assert form.discount == 0.9
    assert (form.reward[:, 0] == form.reward[:, 1]).all()


def random_entries(seed: int, each: int = 1) -> str:
    """Entries in random order and spelling; the first ones speak of everything."""
    rng = random.Random(seed)
    joint = ["*", "* *", "0", "3", "go 0", "go *", "* 1", "stay 1", "1 0", "1 *"]
    state, signal = ["*", "near", "far", "0", "1"], ["*", "* *", "0 yes", "* no", "1 1", "2", "1 *"]
    lines = ["T: * : uniform", "O: * : uniform"]

    def row(size):
        cuts = sorted(rng.sample(range(9), size - 1))
        return " ".join(str((b - a) / 8) for a, b in zip([0, *cuts], [*cuts, 8]))

    def paid(size=1):
        return " ".join(str(rng.randint(-9, 9)) for _ in range(size))

    for _ in range(12):
        kind, a, s, t, o = rng.randrange(9), *(rng.choice(some) for some in (joint, state, state, signal))
        lines.append(
            [
                f"T: {a} :\nidentity",
                f"T: {a} : {s} :\n{row(2)}",
                f"T: {a} :\n{row(2)}\n{row(2)}",
                f"O: {a} : {s} :\n{row(4)}",
                f"O: {a} :\n{row(4)}\n{row(4)}",
                f"R: {a} : {s} : {t} : {o} : {paid(each)}",
                f"R: {a} : {s} : {paid(each)}",
                f"R: {a} : {s} : {t} :\n{paid(4 if each == 1 else each)}",
                f"R: {a} : {s} :\n{paid(8 if each == 1 else each)}",
            ][kind]
        )
    return "\n".join(lines) + "\n"


HEAD = GOOD[: GOOD.index("T: *")]


@pytest.mark.slow
@given(seed=st.integers(0, 100_000), quoted=st.booleans())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_both_readers_agree(tmp_path_factory, seed, quoted):
    text = HEAD + random_entries(seed)
    if quoted:
        text = re.sub(r"\b(go|stay|near|far|yes|no|uniform|identity|reward)\b|\*", lambda found: f'"{found[0]}"', text)
    form = read(text, tmp_path_factory.mktemp("file"))
    assert meaning(form) == meaning(from_dense_arrays(text))


@pytest.mark.slow
@given(seed=st.integers(0, 100_000))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_both_readers_agree_on_rewards_of_each_player(tmp_path_factory, seed):
    text = HEAD + random_entries(seed, 2)
    form = read(text, tmp_path_factory.mktemp("file"), ".posg")
    assert meaning(form) == meaning(from_dense_arrays(text, each=2))


def test_what_the_endings_say_of_rewards(tmp_path):
    short = HEAD + "T: * :\nuniform\nO: * :\nuniform\nR: * : near : {}\n"
    paid = {ending: read(short.format(what), tmp_path, ending) for ending, what in ENDINGS.items()}
    assert paid[".dpomdp"].reward.max(axis=0).tolist() == [2, 2]
    assert sorted(paid[".posg"].reward.tolist()) == [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], *[[2, 3]] * 4]
    assert paid[".zsposg"].constant_sum == 0
    assert paid[".zsposg"].reward[:, 0].max() == 2
    cost = read(short.format("2").replace("values: reward", "values: cost"), tmp_path)
    assert cost.reward.min(axis=0).tolist() == [-2, -2]


ENDINGS = {".dpomdp": "2", ".posg": "2 3", ".zsposg": "2"}


@pytest.mark.parametrize(
    ("start", "belief"),
    [
        ("start: uniform", [0.5, 0.5]),
        ("start:\nuniform", [0.5, 0.5]),
        ('start: "uniform"', [0.5, 0.5]),
        ("start: far", [0, 1]),
        ("start: 1", [0, 1]),
        ("start include: far", [0, 1]),
        ("start include: 0 far", [0.5, 0.5]),
        ("start exclude: far", [1, 0]),
        ("start:\n0.125 0.875", [0.125, 0.875]),
    ],
)
def test_starts(tmp_path, start, belief):
    form = read(GOOD.replace("start:\n0.25 0.75", start), tmp_path)
    begun = dict(zip((form.states[s] for s in form.next[: form.out[1]]), form.prob))
    assert [begun.get(state, 0) for state in ("near", "far")] == belief


@pytest.mark.parametrize("agents", ["agents: ann bob", "agents: ann, bob", 'agents: "ann" "bob"'])
def test_agents_by_name(tmp_path, agents):
    assert read(GOOD.replace("agents: 2", agents), tmp_path).players == ("ann", "bob")


def test_a_keyword_in_quotes_is_a_name(tmp_path):
    text = GOOD.replace("yes no", '"O" "T"').replace("* no", '"*" "T"')
    assert read(text, tmp_path).observations[1] == [
        fb.Observation(None, None),
        *(fb.Observation(None, o) for o in "OT"),
    ]


def test_three_players_and_one(tmp_path):
    for seats in (1, 3):
        form = forms.table(make(f"random-posg(seats={seats}, seed=4)"))
        files.write_table(form, tmp_path / "many.posg")
        assert meaning(files.read_table(tmp_path / "many.posg")) == meaning(form)


# Wrong files.

MALFORMED = {  # what is replaced in GOOD, by what, and how the message begins
    "empty": (GOOD, "", ":1: found the end of the text"),
    "nothing but a comment": (GOOD, "# no\n", ":1: found the end of the text"),
    "no text": (GOOD, b"\x1f\x8b\x00", ":1: found the byte 0x1f"),
    "zero byte": ("near far", "near\x00far", ":5: found the byte 0x00"),
    "latin letter": ("near far", "n\u00e9ar far", ":5: found the byte 0xc3"),
    "a word first": ("agents: 2", "hello\nagents: 2", ":2: found 'hello'"),
    "no agents": ("agents: 2\n", "", ":34: found the end of the text"),
    "agents misspelt": ("agents: 2", "agent: 2", ":2: found 'agent'"),
    "no number of agents": ("agents: 2", "agents:", ":3: found 'discount'"),
    "zero agents": ("agents: 2", "agents: 0", ":2: found '0'"),
    "half an agent": ("agents: 2", "agents: 2.5", ":2: found '2.5'"),
    "negative agents": ("agents: 2", "agents: -2", ":2: found '-2'"),
    "too many agents": ("agents: 2", "agents: 5000", ":2: found 5,000 agents"),
    "two numbers of agents": ("agents: 2", "agents: 2 3", ":2: found '3'"),
    "two agents of one name": ("agents: 2", "agents: ann ann", ":2: found the agent 'ann' a second time"),
    "three agents, two lines": ("agents: 2", "agents: 3", ":10: found 2 lines of actions"),
    "no discount": ("discount: 0.9\n", "", ":34: found the end of the text"),
    "discount above one": ("discount: 0.9", "discount: 1.5", ":3: found '1.5'"),
    "discount of nothing": ("discount: 0.9", "discount: 0", ":3: found the discount 0"),
    "discount nan": ("discount: 0.9", "discount: nan", ":3: found 'nan'"),
    "two discounts": ("discount: 0.9", "discount: 0.9 0.8", ":3: found '0.8'"),
    "discount twice": ("values: reward", "discount: 0.9", ":4: found a second discount: section"),
    "values of what": ("values: reward", "values: money", ":4: found 'money'"),
    "no states": ("states: near far\n", "", ":34: found the end of the text"),
    "two states of one name": ("near far", "near near", ":5: found the state 'near' a second time"),
    "a state with a star": ("near far", "near f*r", ":5: found 'f*r'"),
    "a keyword for a state": ("near far", "near T", ":5: found the keyword 'T'"),
    "no start": ("start:\n0.25 0.75\n", "", ":33: found the end of the text"),
    "start of one half": ("0.25 0.75", "0.25 0.25", ":7: found probabilities that sum to 0.5"),
    "start too short": ("0.25 0.75", "0.25 0.75 0", ":7: found '0' after 2 numbers"),
    "start nowhere": ("start:\n0.25 0.75", "start: away", ":6: found 'away'"),
    "start excludes all": ("start:\n0.25 0.75", "start exclude: near far", ":6: found every state excluded"),
    "start after entries": ("R: 0 : far", "start: near\nR: 0 : far", ":35: found a second start: section"),
    "actions of one agent": ("go stay\n2\n", "go stay\n", ":9: found 1 lines of actions"),
    "actions of three agents": ("go stay\n2\n", "go stay\n2\n2\n", ":11: found 3 lines of actions"),
    "an action twice": ("go stay\n", "go go\n", ":9: found the action 'go' a second time"),
    "no actions at all": ("go stay\n2\n", "", ":8: found 0 lines of actions"),
    "too many pairs": ("go stay\n2\n", "9999\n9999\n", ":8: found 2 states x 99,980,001 joint actions"),
    "observations of one agent": ("2\nyes no\n", "2\n", ":12: found 1 lines of observations"),
    "one word for two agents": ("T: go 0 :", "T: go :", ":16: found 'go'"),
    "three words for two agents": ("T: go 0 :", "T: go 0 0 :", ":16: found 3 words, '0' among them"),
    "no such action": ("T: go 0 :", "T: run 0 :", ":16: found 'run'"),
    "no such number": ("T: go 0 :", "T: go 2 :", ":16: found action 2"),
    "no such joint number": ("T: go 0 :", "T: 4 :", ":16: found joint action 4"),
    "no such state": ("stay 1 : near :\n0.5", "stay 1 : here :\n0.5", ":18: found 'here'"),
    "two states": ("stay 1 : near :\n0.5", "stay 1 : near far :\n0.5", ":18: found 'far'"),
    "no such observation": ("far : 0 * : 0.5", "far : 2 * : 0.5", ":26: found observation 2"),
    "no colon before the number": ("far : near : 0.25", "far : near 0.25", ":20: found"),
    "a number too many": ("far : near : 0.25", "far : near : 0.25 0.5", ":20: found '0.5' after 1 number"),
    "a word for a number": ("far : near : 0.25", "far : near : some", ":20: found 'some'"),
    "no number": ("far : near : 0.25", "far : near :", ":21: found 'T'"),
    "a field too many": ("far : near : 0.25", "far : near : near : 0.25", ":20: found ':'"),
    "an empty field": ("T: stay * : far : near", "T: stay * : : near", ":20: found ':'"),
    "more than sure": ("far : near : 0.25", "far : near : 1.25", ":20: found '1.25'"),
    "less than nothing": ("far : near : 0.25", "far : near : -0.25", ":20: found '-0.25'"),
    "not a number": ("far : near : 0.25", "far : near : nan", ":20: found 'nan'"),
    "a short row": ("0.5 0.5\n", "0.5\n", ":20: found 'T' after 1 of 2 probabilities"),
    "a long row": ("0.1 0.2 0.3 0.4", "0.1 0.2 0.3 0.2 0.2", ":25: found '0.2' after 4 numbers"),
    "transitions of nine tenths": (
        "far : far : 0.75",
        "far : far : 0.65",
        ":21: found transitions for action 'stay 0'",
    ),
    "observations of a half": ("0.1 0.2 0.3 0.4", "0.1 0.2 0.1 0.1", ":25: found observations for action 'go 0'"),
    "a matrix with a bad row": ("identity", "1 0\n0.5 0.4", ":18: found transitions for action 'go 0', state 'far'"),
    "no transitions": ("T: * :\nuniform\n", "", ":33: found no transitions for"),
    "no observations": ("O: * :\nuniform\n", "", ":33: found no observations for"),
    "reset is for others": ("identity", "reset", ":17: found 'reset'"),
    "identity of observations": ("O: * :\nuniform", "O: * :\nidentity", ":23: found 'identity'"),
    "uniform and more": ("T: * :\nuniform", "T: * :\nuniform 1", ":15: found '1'"),
    "a reward of a joint action": ("R: 0 : far : * : * : + 7", "R: 0 : 7", ":35: found '7'"),
    "an endless reward": ("+ 7", "1e999", ":35: found '1e999'"),
    "a word for a reward": ("+ 7", "much", ":35: found 'much'"),
    "a short matrix of rewards": ("5 6 7 8\n", "5 6 7\n", ":35: found 'R' after 7 of 8 rewards"),
    "an open quote": ("yes no", '"yes no', """:13: found '"yes no'"""),
    "two words in quotes": ("yes no", '"yes no"', """:13: found '"yes no"'"""),
    "cut off": ("R: 0 : far : * : * : + 7\n", "R: 0 :", ":35: found the end of the text"),
}


def malformed(name):
    old, new, words = MALFORMED[name]
    if isinstance(new, bytes):
        return new, words
    assert old in GOOD
    return GOOD.replace(old, new), words


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files_cost_one_clear_line(name, tmp_path, capsys):
    text, words = malformed(name)
    with pytest.raises(FileError) as caught:
        read(text, tmp_path)
    message, path = str(caught.value), str(tmp_path / "model.dpomdp")
    assert message.startswith(f"{path}{words}"), message
    assert re.fullmatch(r".*:\d+: found .+, expected .+", message)
    assert message.isprintable()
    assert len(message) <= 500
    assert main(["check", path]) == 2
    assert capsys.readouterr() == ("", f"fogbound: {message}\n")


def test_there_are_enough_of_them():
    assert len(MALFORMED) >= 50


@pytest.mark.parametrize(
    ("ending", "old", "new", "words"),
    [
        (".posg", "R: * : * : * : * : -1", "R: * : * : -1", ":29: found 'R' after 1 of 2 rewards"),
        (".posg", "R: * : * : * : * : -1", "R: * : * : -1 2 3", ":28: found '3' after 2 numbers"),
        (".zsposg", "R: * : * : * : * : -1", "R: * : * : -1 2", ":29: found 'R' after 2 of 8 rewards"),
        (".zsposg", "agents: 2", "agents: 3", ":"),
    ],
)
def test_malformed_files_of_other_endings(ending, old, new, words, tmp_path):
    with pytest.raises(FileError) as caught:
        read(GOOD.replace(old, new), tmp_path, ending)
    assert str(caught.value).startswith(f"{tmp_path / f'model{ending}'}{words}")


def test_zero_sum_is_for_two(tmp_path):
    files.write_table(forms.table(make("random-posg(seats=3)")), tmp_path / "three.posg")
    (tmp_path / "three.zsposg").write_bytes((tmp_path / "three.posg").read_bytes())
    with pytest.raises(FileError, match="found 3 agents, expected 2"):
        files.read_table(tmp_path / "three.zsposg")


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_damage_is_reported_or_harmless(tmp_path_factory, data):
    """A changed character gives another game or one clear line, never anything else."""
    at = data.draw(st.integers(0, len(GOOD) - 1))
    letter = data.draw(st.sampled_from(':* \n-+."0129#TORabz\x00'))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        words = said(lambda: read(GOOD[:at] + letter + GOOD[at + 1 :], tmp_path_factory.mktemp("file")))
    assert "\n" not in words


def said(call) -> str:
    """What the library complains of, if anything."""
    try:
        call()
    except FogboundError as error:
        return str(error)
    return ""


def test_sums_that_are_nearly_one_are_set_right(tmp_path):
    with pytest.warns(UserWarning, match="sum to 1 only within"):
        form = read(GOOD.replace("far : far : 0.75", "far : far : 0.75003"), tmp_path)
    total = np.add.reduceat(form.prob, form.out[:-1])
    assert np.abs(total - 1).max() < 1e-15


def test_wildcards_are_counted_before_they_are_multiplied_out(tmp_path):
    """However they are spelt: entries of a few bytes that stand for millions of numbers."""
    head = "agents: 2\ndiscount: 1\nstates: 1\nstart: 0\nactions:\n1000\n1000\nobservations:\n1\n1\n"
    many = "".join(f"T: * {' ' * (k % 7)}{k % 1000} : 0 : 0 : 1\n" for k in range(6_000))
    with pytest.raises(LimitError, match="wildcards for some agents"):
        read(head + "T: * :\nuniform\nO: * :\nuniform\n" + many, tmp_path)


def test_many_agents(tmp_path):
    """Thirty are possible where each has little to choose."""
    lines = "\n".join(["1"] * 29 + ["2"])
    text = f"agents: 30\ndiscount: 0.5\nstates: 1\nstart: 0\nactions:\n{lines}\nobservations:\n{lines}\n"
    form = read(text + "T: * :\nuniform\nO: * :\nuniform\nR: 1 : * : * : * : 1\n", tmp_path)
    assert len(form.players) == 30
    assert form.reward.max() == 1
    files.write_table(form, tmp_path / "again.dpomdp")
    assert_same(files.read_table(tmp_path / "again.dpomdp"), form)


def test_limits_are_kept(tmp_path):
    with pytest.raises(LimitError) as caught:
        read(GOOD, tmp_path, limit=64)
    assert str(caught.value).startswith(str(tmp_path / "model.dpomdp"))


# Published files.


@pytest.mark.one_in(6)
@published
def test_published_files_come_back_as_they_are(path, tmp_path):
    if path is None:
        pytest.skip("other people's files lie beside a checkout, never in it")
    form = files.read_table(path)
    files.write_table(form, tmp_path / path.name)
    assert_same(files.read_table(tmp_path / path.name), form, ulps=16)
    if path.suffix == ".dpomdp":
        write_joint(form, tmp_path / "quoted.dpomdp", quoted=True)
        assert_same(files.read_table(tmp_path / "quoted.dpomdp"), form, ulps=16)


def test_there_are_seventeen():
    if not MODELS.is_dir():
        pytest.skip("other people's files lie beside a checkout, never in it")
    assert len(PUBLISHED) == 17


@pytest.mark.one_in(6)
@published
def test_the_game_around_a_published_file_is_that_file(path):
    if path is None or path.stat().st_size > 100_000:
        pytest.skip("absent, or too large to be asked rule by rule")
    played = fb.game(path)
    check_game(played, 1_000)
    assert forms.derive(played, forms.Table) is played.form
    cut = forms.table(fb.game(f"horizon(game={path}, steps=2)"))
    assert cut.size <= 1 + 2 * played.form.size + len(played.form.next[: played.form.out[1]])


# Writing.


@pytest.mark.parametrize(
    "spec",
    [
        "multi-tiger",
        "broadcast-channel",
        "recycling-robots",
        "tiger",
        "random-posg(seed=5, seats=3, rewards=shared)",
        "horizon(game=multi-tiger, steps=2)",
    ],
)
def test_a_team_game_comes_back(spec, tmp_path):
    form = forms.table(fb.game(spec))
    for quoted in (False, True):
        write_joint(form, tmp_path / "game.dpomdp", quoted)
        again = read_joint(tmp_path / "game.dpomdp")
        assert again.size == form.size
        assert rows(again) == rows(form)


def rows(form):
    """What each row leads to, by state numbers, rewards and probabilities: what does not depend on names."""
    named = {s: k for k, s in enumerate(form.states)}
    return [
        sorted((named[state], paid, round(p, 12)) for (state, paid, _), p in follows.items())
        for follows in meaning(form).values()
    ]


def uniform_values(form, steps):
    """[n] what everybody expects when all choose uniformly: legal actions, ends and turns all matter to it."""
    total, belief, factor = (
        form.reward[form.event[: form.out[1]]].T @ form.prob[: form.out[1]],
        np.zeros(form.size),
        1.0,
    )
    np.add.at(belief, form.next[: form.out[1]], form.prob[: form.out[1]])
    first, last = form.row[:-1], form.row[1:]
    for _ in range(steps):
        weight = np.repeat(np.where(last > first, belief / np.maximum(last - first, 1), 0), last - first)
        flow = np.repeat(weight, np.diff(form.out)[1:]) * form.prob[form.out[1] :]
        total = total + factor * (form.reward[form.event[form.out[1] :]].T @ flow)
        belief = np.zeros(form.size)
        np.add.at(belief, form.next[form.out[1] :], flow)
        factor *= form.discount
    return total


@pytest.mark.parametrize("spec", ["tiger", "horizon(game=random-posg(seed=2), steps=3)", "crying-baby"])
def test_games_in_other_words_have_the_same_values(spec, tmp_path):
    """Where all actions are offered everywhere, uniform play is the same before and after."""
    form = forms.table(fb.game(spec))
    files.write_table(form, tmp_path / "game.posg")
    again = files.read_table(tmp_path / "game.posg")
    np.testing.assert_allclose(uniform_values(again, 5), uniform_values(form, 5), atol=1e-12)


EQUILIBRIA = [
    "goofspiel(cards=3)",
    "horizon(game=adversarial-tiger, steps=2)",
    "horizon(game=random-posg(rewards=opposed), steps=2)",
]


@pytest.mark.parametrize("spec", EQUILIBRIA)
def test_games_with_ends_and_legal_actions_keep_their_equilibrium(spec, tmp_path):
    game = fb.game(spec)
    sizes = files.write_table(forms.table(game), tmp_path / "game.zsposg")
    assert any("over" in note for note in sizes.notes)
    again = fb.solve(tmp_path / "game.zsposg", "sequence-lp")
    assert again.value == pytest.approx(fb.solve(game, "sequence-lp").value, abs=1e-9)


@pytest.mark.slow
def test_random_games_keep_their_equilibrium(tmp_path):
    """Turns, private and public signals, ends: all in other words. Those that begin with signals are refused."""
    written = 0
    for seed in range(80):
        game, path = make(f"random(seed={seed}, zero_sum=true)"), tmp_path / f"{seed}.zsposg"
        if words := said(lambda game=game, path=path: files.write_table(forms.table(game), path)):
            assert "before the first step" in words
            continue
        written += 1
        value = fb.solve(game, "sequence-lp").value
        assert fb.solve(path, "sequence-lp").value == pytest.approx(value, abs=1e-9)
    assert written >= 15


@pytest.mark.parametrize(
    ("spec", "ending", "words"),
    [
        ("king-ace", ".zsposg", "first is shown different things before the first step"),
        ("rock-paper-scissors", ".dpomdp", "players have different rewards, a .dpomdp file one for all"),
        ("po-nim", ".zsposg", "is no zero-sum game of two players"),
        ("multi-tiger", ".zsposg", "is no zero-sum game of two players"),
    ],
)
def test_what_a_format_cannot_say_is_refused(spec, ending, words, tmp_path):
    with pytest.raises(FormError) as caught:
        fb.convert(spec, tmp_path / f"game{ending}")
    assert words in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("spec", ["horizon(game=multi-tiger, steps=0)", "horizon(game=tiger, steps=0)"])
def test_a_game_that_is_over_at_once(spec, tmp_path):
    form = forms.table(fb.game(spec))
    files.write_table(form, tmp_path / "over.dpomdp")
    again = files.read_table(tmp_path / "over.dpomdp")
    assert (again.size, again.actor_set.any(), len(again.reward)) == (form.size, False, 1)


def test_conversion_says_what_it_did(tmp_path, capsys):
    assert main(["convert", "horizon(game=multi-tiger, steps=2)", str(tmp_path / "t.dpomdp")]) == 0
    out, _ = capsys.readouterr()
    assert out.splitlines()[0].endswith("6 states, 3 x 3 actions, 2 x 2 observations")
    assert "A state in which the game is over leads to itself and pays nothing." in out
    assert main(["convert", "multi-tiger", str(tmp_path / "t.posg"), "--against", "uniform"]) == 2


def test_the_text_is_that_of_the_dialects(tmp_path):
    form, path = forms.table(make("multi-tiger")), tmp_path / "a.dpomdp"
    write_joint(form, path)
    plain = path.read_text()
    write_joint(form, path, quoted=True)
    quoted = path.read_text()
    assert "R: listen listen : tiger-left : * : * : -2.0\n" in plain
    assert 'R: "listen" "listen" : "tiger-left" : -2.0\n' in quoted
    assert "\n\n" not in plain  # MADP allows no empty line
    assert "T: listen listen : tiger-left : tiger-left : 1.0\n" in plain


def test_rewards_of_what_comes_next_are_kept(tmp_path):
    form = read(GOOD, tmp_path)
    files.write_table(form, tmp_path / "again.dpomdp")
    assert_same(files.read_table(tmp_path / "again.dpomdp"), form, ulps=4)


def test_each_player_keeps_its_rewards(tmp_path):
    form = forms.table(make("crying-baby"))
    files.write_table(form, tmp_path / "baby.posg")
    again = files.read_table(tmp_path / "baby.posg")
    assert set(map(tuple, again.reward.tolist())) == set(map(tuple, form.reward.tolist()))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("horizon(game={}, steps=2)", "about the game as it was read from its file"),
        ("horizon(game=opposed(game={}), steps=2)", "enumerated from its rules, a sample of which was asked twice"),
    ],
)
def test_solutions_are_verified_and_say_what_was_asked(spec, words, tmp_path, monkeypatch, capsys):
    """No rules are asked for a file, nor for a file that is cut off."""
    monkeypatch.chdir(tmp_path)
    files.write_table(forms.table(make("adversarial-tiger")), "tiger.zsposg")
    assert main(["solve", spec.format("tiger.zsposg"), "-o", "tiger.npz"]) == 0
    capsys.readouterr()
    assert main(["verify", spec.format("tiger.zsposg"), "tiger.npz"]) == 0
    assert words in capsys.readouterr().out


@pytest.mark.slow
def test_files_are_shown_and_checked(tmp_path, capsys):
    path = str(tmp_path / "tigers.dpomdp")
    files.write_table(forms.table(make("multi-tiger")), path)
    for command in ("check", "show"):
        assert main([command, path]) == 0
        assert "2 states" in capsys.readouterr().out
