"""`.pomdp` files: what is read is what the grammar says, what is written is read back, damage costs one clear line."""

from __future__ import annotations

import json
import re
import time
import warnings
from contextlib import suppress
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogbound import forms
from fogbound.core.errors import FileError, FogboundError, FormError, LimitError
from fogbound.files.cassandra import entries as scan
from fogbound.files.cassandra.reader import read_pomdp
from fogbound.files.cassandra.writer import write_pomdp
from fogbound.files.reading import count, fault_at, finite_number
from fogbound.forms.pomdp import pomdp_from_arrays
from fogbound.games import make
from fogbound.policies import Uniform
from tests import shared

BAD = Path(__file__).parent / "malformed" / "pomdp"
EXPECTED = json.loads((BAD / "index.json").read_text())
MODELS = shared.MODELS / "pomdp"
PUBLISHED = sorted(MODELS.glob("*.pomdp"))
HEAD = "discount: 0.9\nvalues: reward\nstates: a b c\nactions: go stay\nobservations: x y\n"
REST = "T: * identity\nO: * uniform\n"

published = pytest.mark.parametrize("path", PUBLISHED or [None], ids=lambda path: path.name if path else "none")


def read(text: str, tmp_path: Path, **options):
    path = tmp_path / "model.pomdp"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_pomdp(path, **options)


def quietly(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_pomdp(path)


def dense(form):
    """Start, P[a, s, s', o] and reward[a, s] of a form in which every action is legal everywhere."""
    states, actions, observations = form.size, len(form.actions), len(form.observations)
    start, joint, reward = (
        np.zeros(states),
        np.zeros((actions, states, states, observations)),
        np.zeros((actions, states)),
    )
    np.add.at(start, form.next[: form.out[1]], form.prob[: form.out[1]])
    for s in range(states):
        for r in range(form.row[s], form.row[s + 1]):
            reward[form.action[r], s] = form.reward[r]
            for o in range(form.out[r], form.out[r + 1]):
                joint[form.action[r], s, form.next[o], form.obs[o]] += form.prob[o]
    return start, joint[..., :-1], reward  # the last sight is the one before the first step


def dense_reference(text: str):
    """The same, read naively into dense tables: one list of words, one loop, nothing clever."""
    words = re.sub(r"#.*", "", text).replace(":", " : ").split()
    keys = {"discount", "values", "states", "actions", "observations", "start", "T", "O", "R"}
    heads = [k for k, w in enumerate(words) if w in keys and ":" in words[k + 1 : k + 3] and words[k - 1] != ":"]
    sections = [words[i:j] for i, j in zip(heads, [*heads[1:], len(words)])]
    listed = {s[0]: s[2:] for s in sections if s[0] in ("states", "actions", "observations", "values")}
    names = {k: [str(i) for i in range(int(v[0]))] if v[0].isdigit() else v for k, v in listed.items()}
    kinds = {"T": ("actions", "states", "states"), "O": ("actions", "states", "observations")}
    kinds["R"] = ("actions", "states", "states", "observations")
    tables = {k: np.zeros([len(names[kind]) for kind in v]) for k, v in kinds.items()}
    size = len(names["states"])
    start = np.full(size, 1 / size)
    for section in sections:
        if section[0] == "start" and section[1] == ":":
            start = np.array(section[2:], float) if len(section) == size + 2 else start
        elif section[0] == "start":
            named = np.array([n in section[3:] or str(i) in section[3:] for i, n in enumerate(names["states"])])
            start = (named if section[1] == "include" else ~named) / (named.sum() if section[1] == "include" else 1)
        if section[0] not in tables:
            continue
        table, place_ = tables[section[0]], []
        while len(section) > 1 and section[1] == ":":
            known = names[kinds[section[0]][len(place_)]]
            word = section[2]
            place_.append(slice(None) if word == "*" else known.index(word) if word in known else int(word))
            section = [section[0], *section[3:]]
        shape, tail = table.shape[len(place_) :], section[1:]
        special = {"uniform": lambda n=shape: np.full(n, 1 / n[-1]), "identity": lambda n=size: np.eye(n)}
        values = special[tail[0]]() if tail[0] in special else np.array(tail, float)
        table[tuple(place_)] = values.reshape(shape) if values.size > 1 or not shape else values[0]
    move, observation = (tables[k] / tables[k].sum(-1, keepdims=True) for k in "TO")
    joint = move[..., None] * observation[:, None]
    sign = -1 if listed.get("values") == ["cost"] else 1
    return start / start.sum(), joint, sign * (joint * tables["R"]).sum((2, 3))


def same(form, other, exactly=True):
    one, two = form.arrays(), other.arrays()
    for name in one:
        if name == "prob" and not exactly:
            np.testing.assert_allclose(one[name], two[name], rtol=1e-15, atol=0)
        else:
            np.testing.assert_array_equal(one[name], two[name], err_msg=name)


def value(form, horizon):
    """The best expected sum of rewards in so many steps, over all plans: beliefs unnormalised, no array tricks."""

    def best(belief, left):
        legal = {form.action[r] for s in belief for r in range(form.row[s], form.row[s + 1])}
        if not left or not legal:
            return 0.0
        return max(total(belief, action, left) for action in legal)

    def total(belief, action, left):
        pay, after = 0.0, {}
        for s, weight in belief.items():
            r = next(r for r in range(form.row[s], form.row[s + 1]) if form.action[r] == action)
            pay += weight * form.reward[r]
            for o in range(form.out[r], form.out[r + 1]):
                part = after.setdefault(form.obs[o], {})
                part[form.next[o]] = part.get(form.next[o], 0.0) + weight * form.prob[o]
        return pay + form.discount * sum(best(part, left - 1) for part in after.values())

    start = {}
    for o in range(form.out[1]):
        start[form.next[o]] = start.get(form.next[o], 0.0) + form.prob[o]
    return best(start, horizon)


# numbers


@pytest.mark.parametrize("text", ["0", "+1", "-1.", ".5", "1e3", "1.5E-300", "007"])
def test_numbers_that_are_numbers(text):
    assert finite_number(text) == float(text)


@pytest.mark.parametrize(
    "text", ["", ".", "1_9", "nan", "inf", "Infinity", "٣", "1e", "1e1000", "1e999", " 1", "1\n", "0x1", "--1"]
)
def test_numbers_that_are_none(text):
    assert finite_number(text) is None


def test_counts():
    assert (count("12"), count("0"), count("999999999")) == (12, 0, 999_999_999)
    assert [count(t) for t in ("-1", "+1", "1.0", "", "1234567890", "٣")] == [None] * 6


def test_places_are_one_printable_line():
    message = str(fault_at("a\nb.pomdp", 7, "x\x1b" * 400, "y" * 900))
    assert message.startswith("a\\nb.pomdp:7: found x\\x1b")
    assert len(message) <= 500
    assert message.isprintable()


# reading


@published
def test_published_models_agree_with_the_dense_reference(path):
    if path is None:
        pytest.skip("no models beside the checkout")
    form = quietly(path)
    known = {m["file"]: m for m in json.loads((MODELS / "reference.json").read_text())["models"]}.get(path.name)
    if known:
        sizes = (form.size, len(form.actions), len(form.observations) - 1, form.discount)
        assert sizes == tuple(known[k] for k in ("states", "actions", "observations", "discount"))
    if form.size <= 100:
        for mine, naive in zip(dense(form), dense_reference(path.read_text())):
            np.testing.assert_allclose(mine, naive, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("start", "belief"),
    [
        ("", [1 / 3, 1 / 3, 1 / 3]),
        ("start: uniform\n", [1 / 3, 1 / 3, 1 / 3]),
        ("start: 0.5 0.25\n0.25\n", [0.5, 0.25, 0.25]),
        ("start: b\n", [0, 1, 0]),
        ("start: 2\n", [0, 0, 1]),
        ("start include: a 2\n", [0.5, 0, 0.5]),
        ("start\n exclude : a\n", [0, 0.5, 0.5]),
    ],
)
def test_every_spelling_of_the_start(tmp_path, start, belief):
    np.testing.assert_array_equal(dense(read(HEAD + start + REST, tmp_path))[0], belief)


@pytest.mark.parametrize(
    "entries",
    [
        "T: * identity T: go:a:b 1.0 T:go:a:a 0 O: * : * : x 1",
        "T:\n*\nuniform\nO :go\n.5 .5\n1 0\n0 1\nO: stay : *\n0.25 0.75",
        "T: * : * : * 0.0\nT: 0 : * : c 1\nT: stay : 1 : 0 .5\nT: stay : b : b .5\nT: stay : a uniform\n"
        "T: 1 : c\n0 0 1\nO: * uniform O: go : 2 : 0 0.125 O: go : c : y 0.875",
    ],
)
@pytest.mark.parametrize(
    "rewards",
    [
        "",
        "R: * : * : * : * 1\nR: go : a : b : x - 2.5\nR: go : * : * : x +3",
        "R: go : a : a\n1 2\nR: stay : *\n1 2 3 4 5 6\nR: * : b : * : y 7",
        "R: go : a 5\nR: stay : b : c 6\nR: * : c : c : * 1e1",
    ],
)
def test_every_shape_of_entry(tmp_path, entries, rewards):
    text = HEAD + entries + "\n" + rewards
    plain = text.replace("- 2.5", "-2.5")
    for mine, naive in zip(dense(read(text, tmp_path)), dense_reference(plain)):
        np.testing.assert_allclose(mine, naive, atol=1e-15)


def test_a_sign_may_stand_apart_from_its_number(tmp_path):
    text = HEAD + REST + "R: go : a - 5\nR: go : b : * 1 - 2\nR: stay : c : * : * + 3\n"
    assert dense(read(text, tmp_path))[2].tolist() == [[-5, -0.5, 0], [0, 0, 3]]


@pytest.mark.parametrize("lot", [1, 3, 20_000])
def test_the_last_entry_counts_however_they_are_collected(tmp_path, monkeypatch, lot):
    monkeypatch.setattr(scan, "LOT", lot)
    row = "T: go : a : * 0\nT: go : a : b 1"
    for order in permutations(["R: go : a : b : x 1", "R: go : a 2", "R: go : a : b 3", row, "T: go uniform"]):
        text = HEAD + REST + "\n".join(order)
        for mine, naive in zip(dense(read(text, tmp_path)), dense_reference(text)):
            np.testing.assert_allclose(mine, naive, atol=1e-15)


def test_the_preamble_may_stand_in_any_order_before_what_uses_it(tmp_path):
    """Published files begin with the values, or name the actions before the states."""
    first, start = HEAD.splitlines(), "start: b"
    for order in permutations(first):
        same(read("\n".join([*first, start, REST]), tmp_path), read("\n".join([*order, start, REST]), tmp_path))
    after = [*first[:3], start, *first[3:], REST]
    same(read("\n".join([*first, start, REST]), tmp_path), read("\n".join(after), tmp_path))


def test_reset_leads_back_to_the_start(tmp_path):
    form = read(HEAD + "start: 0.5 0.5 0\nT: * identity\nT: go : b reset\nO: * uniform\n", tmp_path)
    np.testing.assert_array_equal(dense(form)[1][0, 1].sum(-1), [0.5, 0.5, 0])


def test_costs_are_negative_rewards(tmp_path):
    text = HEAD.replace("reward", "cost") + REST + "R: go : a : * : * 4\n"
    assert dense(read(text, tmp_path))[2].tolist() == [[-4, 0, 0], [0, 0, 0]]


def test_comments_and_line_ends_mean_nothing(tmp_path):
    text = HEAD + REST + "R: go : a : * : * 4\n"
    odd = "\ufeff# naïve\n".encode() + text.replace("\n", " # T: é 5\r\n").encode("latin-1")
    same(read(text, tmp_path), read(odd, tmp_path))


def test_sums_that_are_nearly_one(tmp_path):
    def moved(a, b):
        return read(HEAD + f"T: * identity\nT: go : a : b {b}\nT: go : a : a {a}\nO: * uniform\n", tmp_path)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dense(moved(0.333333, 0.666666))[1][0, 0].sum() == pytest.approx(1, abs=1e-15)
    with pytest.warns(UserWarning, match="1 rows .* within 4e-05"):
        assert dense(moved(0.3333, 0.66666))[1][0, 0].sum() == pytest.approx(1, abs=1e-15)
    with pytest.raises(FileError, match=r":8: found transitions for action 'go', state 'a' that sum to 0.9996"):
        moved(0.333, 0.6666)


def test_what_the_form_is_called(tmp_path):
    form = read(HEAD.replace("a b c", "3") + REST, tmp_path)
    assert form.spec == str(tmp_path / "model.pomdp")
    assert [form.label(s) for s in range(3)] == [0, 1, 2]
    assert form.actions == ["go", "stay"]


@st.composite
def texts(draw):
    """Files whose rows all sum to 1, made of entries of all shapes that override each other."""
    lines = ["discount: 0.5", "states: a b", "actions: 2", "observations: x y z", "T: * uniform", "O: * uniform"]
    act, state = st.sampled_from("*01"), st.sampled_from(["*", "a", "b", "0", "1"])
    for _ in range(draw(st.integers(0, 12))):
        a, s = draw(act), draw(state)
        kind = draw(st.integers(0, 7))
        p = draw(st.sampled_from([0.0, 0.25, 0.3, 1.0]))
        to = draw(st.permutations("ab"))
        if kind == 0:
            lines.append(f"T: {a} {draw(st.sampled_from(['identity', 'uniform']))}")
        elif kind == 1:
            lines.append(f"T: {a} : {s} {p} {1 - p}")
        elif kind == 2:
            lines += [f"T: {a} : {s} : {to[0]} {p}", f"T: {a} : {s} : {to[1]} {1 - p}"]
        elif kind == 3:
            lines += [f"T: {a} : {s} : * 0", f"T: {a} : {s} : {to[0]} 1"]
        elif kind == 4:
            lines.append(f"O: {a}\n{p} 0 {1 - p}\n0.5 0.25 0.25")
        elif kind == 5:
            lines += [f"O: {a} : {s} : * 0", f"O: {a} : {s} : {draw(st.sampled_from('xyz'))} 1.0"]
        else:
            fields = [a, s, draw(state), draw(st.sampled_from(["*", "x", "2"]))][: draw(st.sampled_from([4, 4, 3, 2]))]
            many = {4: 1, 3: 3, 2: 6}[len(fields)]
            pays = " ".join(str(draw(st.integers(-9, 9))) for _ in range(many))
            lines.append(f"R: {' : '.join(fields)} {pays}")
    return "\n".join(lines) + "\n"


@pytest.mark.slow
@given(texts())
@settings(max_examples=150, deadline=None)
def test_any_overriding_agrees_with_the_dense_reference(tmp_path_factory, text):
    form = read(text, tmp_path_factory.mktemp("any"))
    for mine, naive in zip(dense(form), dense_reference(text)):
        np.testing.assert_allclose(mine, naive, atol=1e-14)


# writing


@pytest.mark.one_in(4)
@published
def test_published_models_round_trip_to_the_last_bit(path, tmp_path):
    if path is None:
        pytest.skip("no models beside the checkout")
    form = quietly(path)
    write_pomdp(form, tmp_path / "a.pomdp")
    again = read_pomdp(tmp_path / "a.pomdp")
    same(form, again)
    assert (form.names, form.actions, form.observations) == (again.names, again.actions, again.observations)


@st.composite
def models(draw):
    """Models with any probabilities, zeros among them, whose T and O exist."""
    states, actions, observations = (draw(st.integers(1, 4)) for _ in range(3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))

    def rows(*shape):
        weight = rng.exponential(size=shape) * (rng.random(shape) < 0.7)
        weight[..., rng.integers(shape[-1])] += 0.1
        return weight / weight.sum(-1, keepdims=True)

    move, observation = rows(states, actions, states), rows(states, actions, observations)
    joint = move[..., None] * observation.transpose(1, 0, 2)[None]
    cells = np.nonzero(joint)
    labels = [[f"{kind} {k}" for k in range(n)] for kind, n in (("s", states), ("T", actions), ("?", observations))]
    outcomes = (*(index.astype(np.int64) for index in cells), joint[cells])
    return pomdp_from_arrays(
        "random", float(rng.random()), *labels, rows(states), outcomes, rng.normal(size=(states, actions))
    )


@pytest.mark.slow
@given(models())
@settings(max_examples=100, deadline=None)
def test_random_models_round_trip(tmp_path_factory, form):
    path = tmp_path_factory.mktemp("random") / "a.pomdp"
    write_pomdp(form, path)
    once = read_pomdp(path)
    same(form, once, exactly=False)
    write_pomdp(once, path)
    same(once, read_pomdp(path), exactly=False)


@pytest.mark.parametrize(
    ("spec", "player", "horizon", "grows"),
    [
        ("tiger", 0, 3, False),
        ("po-nim", 0, 4, True),
        ("po-nim", 1, 4, True),
        ("slide-tree", 0, 9, False),
        ("rock-paper-scissors", 1, 2, False),
        ("goofspiel(cards=3)", 0, 3, None),
    ],
)
def test_games_keep_their_value(tmp_path, spec, player, horizon, grows):
    game = make(spec)
    form = forms.pomdp(game, player, {i: Uniform() for i in range(len(game.players)) if i != player})
    write_pomdp(form, tmp_path / "a.pomdp")
    again = read_pomdp(tmp_path / "a.pomdp")
    assert grows is None or (again.size > form.size) == grows  # observations that depend on the state left
    assert value(again, horizon) == pytest.approx(value(form, horizon), abs=1e-12)


def test_a_sight_that_tells_where_one_came_from(tmp_path):
    one, two = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    outcomes = (one, two, np.zeros(4, np.int64), one, np.ones(4))  # to state 0, seeing the state left
    form = pomdp_from_arrays(
        "told", 0.5, ["a", "b"], ["p", "q"], ["from-a", "from-b"], np.array([0.5, 0.5]), outcomes, np.eye(2)
    )
    write_pomdp(form, tmp_path / "a.pomdp")
    again = read_pomdp(tmp_path / "a.pomdp")
    assert again.size == 3
    assert again.names == ("a_from-a", "a_from-b", "b")
    assert value(again, 4) == value(form, 4)


def test_names_are_made_to_fit(tmp_path):
    labels = ["ok", "T", "two words", "two_words", "3rd", ("a", 1), "uniform", "é", ""]
    n = len(labels)
    outcomes = (np.arange(n), np.zeros(n, np.int64), np.arange(n), np.zeros(n, np.int64), np.ones(n))
    start, reward = np.full(n, 1 / n), np.zeros((n, 1))
    write_pomdp(pomdp_from_arrays("x\ny", 0.5, labels, ["go"], ["z"], start, outcomes, reward), tmp_path / "a.pomdp")
    text = (tmp_path / "a.pomdp").read_text()
    assert text.startswith("# x\\ny\n")
    assert "states: ok T_2 two_words_2 two_words s3rd a_1 uniform_2 s s_2\n" in text
    assert "#   a_1: ('a', 1)\n" in text


def test_what_cannot_be_written(tmp_path):
    path = tmp_path / "a.pomdp"
    path.write_text("before")
    with pytest.raises(FormError, match="3 different observations are shown before the first step"):
        write_pomdp(forms.pomdp(make("card-poker(ranks=3)"), 0, {1: Uniform()}), path)
    form = forms.pomdp(make("tiger"))
    form.reward[0] = 2.0
    with pytest.raises(FormError, match="2 is paid before the first step"):
        write_pomdp(form, path)
    assert path.read_text() == "before"
    with pytest.raises(FileError, match="cannot be written"):
        write_pomdp(read(HEAD + REST, tmp_path), tmp_path / "no" / "a.pomdp")


# damage


def test_the_corpus_is_whole():
    assert sorted(EXPECTED) == sorted(path.name for path in BAD.glob("*.pomdp"))
    assert len(EXPECTED) >= 50


@pytest.mark.parametrize("name", EXPECTED)
def test_malformed_files_cost_one_clear_line(name):
    with pytest.raises(FileError) as caught:
        read_pomdp(BAD / name)
    message = str(caught.value)
    assert re.match(EXPECTED[name], message.removeprefix(str(BAD / name))), message
    assert re.fullmatch(r".*:\d+: found .+, expected .+", message)
    assert len(message) <= 500
    assert message.isprintable()


def test_files_that_are_not_there(tmp_path):
    for path in (tmp_path / "none.pomdp", tmp_path):
        with pytest.raises(FileError, match="cannot be read"):
            read_pomdp(path)


HUGE = "discount: 0.9\nstates: 1000000\nactions: 2\nobservations: 1000\n"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x" * 3_000_000, FileError),
        ("T" + " " * 3_000_000, FileError),
        ("discount: " + "9" * 3_000_000, FileError),
        (HUGE + "T: * : * : * 0.0\n" * 50_000, FileError),
        (HUGE + "T: * identity\nO: * uniform\n", LimitError),
        (HUGE + "T: * uniform\nO: * : * : 0 1\n", LimitError),
        (HUGE + "".join(f"T: * : * : {k} 0.0\n" for k in range(5_000)) + "O: * : * : 0 1\n", LimitError),
        (HUGE + "".join(f"T: * : {k} : * {1 / (k + 1)!r}\n" for k in range(5_000)), LimitError),
        (HUGE + "T: 0\n" + "1 " * 100_000, FileError),
    ],
)
def test_hostile_files_are_refused_soon(tmp_path, text, kind):
    began = time.perf_counter()
    with pytest.raises(kind) as caught:
        read(text, tmp_path)
    assert time.perf_counter() - began < 30
    assert len(str(caught.value)) <= 500


def test_limits_can_be_moved(tmp_path):
    with pytest.raises(FileError, match="more than 10 bytes, expected a smaller file; in Python, largest=N raises"):
        read(HEAD + REST, tmp_path, largest=10)
    with pytest.raises(FogboundError, match="limit"):
        read(HEAD + REST, tmp_path, limit=20)


@given(st.integers(0, 2**32), st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_no_damage_escapes(tmp_path_factory, seed, cuts):
    """Bytes changed, dropped or doubled anywhere: a form or a FogboundError, nothing else."""
    rng = np.random.default_rng(seed)
    data = bytearray(
        (HEAD + "start: 0.5 0.25 0.25\nT: go\n0 1 0\n1 0 0\n0 0 1\nT: stay identity\nO: * : * : x 1.0\n").encode()
    )
    for _ in range(cuts):
        at = int(rng.integers(len(data)))
        data[at : at + int(rng.integers(3))] = rng.choice(
            [b"", b":", b" ", b"-", b"*", b"9", b"T", b"\n", b"\xff", b"uniform"]
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(FogboundError):
            read(bytes(data), tmp_path_factory.mktemp("damage"))


@pytest.mark.slow
def test_large_files_are_read_in_time(tmp_path):
    """10,000 states and 10 actions, written sparsely."""
    n, wide = 10_000, 10
    to = np.random.default_rng(0).integers(n, size=(wide, n, 2)).tolist()
    moves = [
        f"T: {a} : {s} : {x} 0.25\nT: {a} : {s} : {y} 0.75"
        for a in range(wide)
        for s, (x, y) in enumerate(to[a])
        if x != y
    ]
    text = f"discount: 0.9\nstates: {n}\nactions: {wide}\nobservations: 100\nT: * : * : * 0\n" + "\n".join(moves)
    text += "\n" + "\n".join(f"T: {a} : {s} : {x} 1.0" for a in range(wide) for s, (x, y) in enumerate(to[a]) if x == y)
    text += "\n" + "\n".join(f"O: * : {s} : {s % 100} 1.0\nR: * : {s} : * : * {s}" for s in range(n))
    began = time.perf_counter()
    form = read(text, tmp_path)
    assert time.perf_counter() - began < 120
    assert form.size == n
    assert len(form.prob) == n + sum(1 + (x != y) for row in to for x, y in row)
    assert form.reward[1:].reshape(n, wide)[123].tolist() == [123.0] * wide


def test_patterns_hold_nothing_that_older_pythons_read_otherwise():
    """Before 3.11.5 a group with alternatives inside, repeated by `++` or `*+`, takes in what it must not."""
    from fogbound.files.cassandra.text import POMDP_GRAMMAR
    from fogbound.files.dpomdp.preamble import GRAMMAR

    for grammar in (POMDP_GRAMMAR, GRAMMAR):
        assert ")++" not in grammar.entry.pattern
        assert ")*+" not in grammar.entry.pattern
