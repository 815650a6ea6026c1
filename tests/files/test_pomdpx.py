"""Factored model files: what is read is what the functions say, what is written reads back, damage costs one line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from benchmarks.rock_sample_pomdpx import rock_sample
from hypothesis import given, settings
from hypothesis import strategies as st

from fogbound import forms
from fogbound.core import FileError, FogboundError, FormError, LimitError
from fogbound.files.pomdpx.reader import read_pomdpx
from fogbound.files.pomdpx.writer import write_pomdpx
from fogbound.files.vectors import read_alpha, read_policyx
from fogbound.games import make
from fogbound.policies import Uniform
from tests import shared

MODELS = shared.MODELS / "pomdp"
MALFORMED = Path(__file__).parent / "malformed" / "pomdpx"
INDEX = json.loads((MALFORMED / "index.json").read_text())


def model(name):
    path = MODELS / name
    if not path.exists():
        pytest.skip(f"no model files of others here: {name}")
    return path


def law(form, row):
    """(next state, observation) -> probability, and the reward, of one row."""
    cells = {}
    for o in range(form.out[row], form.out[row + 1]):
        key = (form.label(int(form.next[o])), form.observations[form.obs[o]][0].private)
        cells[key] = cells.get(key, 0) + float(form.prob[o])
    return cells, float(form.reward[row])


def value(form, horizon):
    """The best expected reward of so many steps, by trying all: independent of how states are numbered."""

    def after(weights):
        by_sight = {}
        for (state, seen), w in weights.items():
            belief = by_sight.setdefault(seen, {})
            belief[state] = belief.get(state, 0) + w
        return list(by_sight.values())

    def best(belief, left):
        offered = {a for s in belief for a in form.action[form.row[s] : form.row[s + 1]].tolist()}
        return max((act(belief, a, left) for a in offered), default=0.0) if left else 0.0

    def act(belief, action, left):
        pay, weights = 0.0, {}
        for s, w in belief.items():
            for r in range(form.row[s], form.row[s + 1]):
                if form.action[r] == action:
                    pay += w * form.reward[r]
                    for o in range(form.out[r], form.out[r + 1]):
                        key = (int(form.next[o]), int(form.obs[o]))
                        weights[key] = weights.get(key, 0) + w * form.prob[o]
        return pay + form.discount * sum(best(later, left - 1) for later in after(weights))

    start = {(int(form.next[o]), int(form.obs[o])): float(form.prob[o]) for o in range(form.out[1])}
    return sum(best(belief, horizon) for belief in after(start))


def same_arrays(one, other, skip=()):
    for name, array in one.arrays().items():
        if name not in skip:
            np.testing.assert_allclose(other.arrays()[name], array, rtol=0, atol=1e-15, err_msg=name)


# A model with everything: two action variables, two hidden ones and one seen, a parent in the same slice, two sights
# of which one depends on the other, two rewards that look ahead, wildcards and overriding.
TABLES = {
    "lamp_1": """<Entry><Instance>* - -</Instance><ProbTable>identity</ProbTable></Entry>
<Entry><Instance>press * -</Instance><ProbTable>0.25 0.75</ProbTable></Entry>
<Entry><Instance>press on off</Instance><ProbTable>1</ProbTable></Entry>
<Entry><Instance>press on on</Instance><ProbTable>0.0</ProbTable></Entry>""",
    "mood_1": """<Entry><Instance>* * * -</Instance><ProbTable>uniform</ProbTable></Entry>
<Entry><Instance>left - on -</Instance><ProbTable>0.5 0.25 0.25 0 1 0 0.125 0.125 0.75</ProbTable></Entry>
<Entry><Instance>- s2 off s1</Instance><ProbTable>0.5 0</ProbTable></Entry>
<Entry><Instance>- s2 off s0</Instance><ProbTable>0.25 0.5</ProbTable></Entry>
<Entry><Instance>left s2 off s2</Instance><ProbTable>0.25</ProbTable></Entry>
<Entry><Instance>right s2 off s2</Instance><ProbTable>0.5</ProbTable></Entry>""",
}
DIAGRAMS = {
    "lamp_1": """<DAG><Node var="push">
<Edge val="press"><Node var="lamp_0"><Edge val="on"><SubDAG type="deterministic" var="lamp_1" val="off"/></Edge>
<Edge val="off"><Node var="lamp_1"><Edge val="off"><Terminal>0.25</Terminal></Edge>
<Edge val="on"><Terminal>0.75</Terminal></Edge></Node></Edge></Node></Edge>
<Edge val="rest"><SubDAG type="persistent" var="lamp_1"/></Edge></Node></DAG>""",
    "mood_1": """<DAG><Node var="lamp_1">
<Edge val="on"><Node var="turn"><Edge val="right"><SubDAG type="uniform" var="mood_1"/></Edge>
<Edge val="left"><Node var="mood_0">
<Edge val="s0"><Node var="mood_1"><Edge val="s0"><Terminal>0.5</Terminal></Edge>
<Edge val="s1"><Terminal>0.25</Terminal></Edge><Edge val="s2"><Terminal>0.25</Terminal></Edge></Node></Edge>
<Edge val="s1"><SubDAG type="deterministic" var="mood_1" val="s1"/></Edge>
<Edge val="s2"><Node var="mood_1"><Edge val="s0"><Terminal>0.125</Terminal></Edge>
<Edge val="s1"><Terminal>0.125</Terminal></Edge><Edge val="s2"><Terminal>0.75</Terminal></Edge></Node></Edge>
</Node></Edge></Node></Edge>
<Edge val="off"><Node var="mood_0"><Edge val="s0"><SubDAG type="template" idref="any"/></Edge>
<Edge val="s1"><SubDAG type="template" idref="any"/></Edge>
<Edge val="s2"><Node var="turn"><Edge val="left"><Node var="mood_1"><Edge val="s0"><Terminal>0.25</Terminal></Edge>
<Edge val="s1"><Terminal>0.5</Terminal></Edge><Edge val="s2"><Terminal>0.25</Terminal></Edge></Node></Edge>
<Edge val="right"><Node var="mood_1"><Edge val="s0"><Terminal>0.5</Terminal></Edge>
<Edge val="s1"><Terminal>0</Terminal></Edge><Edge val="s2"><Terminal>0.5</Terminal></Edge></Node></Edge>
</Node></Edge></Node></Edge></Node></DAG>
<SubDAGTemplate id="any"><SubDAG type="uniform" var="mood_1"/></SubDAGTemplate>""",
}
WHOLE = """<?xml version="1.0"?>
<pomdpx version="1.0"><Description>all there is</Description><Discount>0.9</Discount><Variable>
<StateVar vnamePrev="mood_0" vnameCurr="mood_1"><NumValues>3</NumValues></StateVar>
<StateVar vnamePrev="lamp_0" vnameCurr="lamp_1" fullyObs="true"><ValueEnum>off on</ValueEnum></StateVar>
<ObsVar vname="smell"><NumValues>2</NumValues></ObsVar><ObsVar vname="noise"><ValueEnum>low high</ValueEnum></ObsVar>
<ActionVar vname="push"><ValueEnum>press rest</ValueEnum></ActionVar>
<ActionVar vname="turn"><ValueEnum>left right</ValueEnum></ActionVar>
<RewardVar vname="pay"/><RewardVar vname="fee"/></Variable>
<InitialStateBelief>
<CondProb><Var>mood_0</Var><Parent>lamp_0</Parent><Parameter type="TBL">
<Entry><Instance>- -</Instance><ProbTable>1 0 0 0 0.5 0.5</ProbTable></Entry></Parameter></CondProb>
<CondProb><Var>lamp_0</Var><Parent>null</Parent><Parameter type="TBL">
<Entry><Instance>-</Instance><ProbTable>0.75 0.25</ProbTable></Entry></Parameter></CondProb></InitialStateBelief>
<StateTransitionFunction>
<CondProb><Var>mood_1</Var><Parent>turn mood_0 lamp_1</Parent><Parameter type="KIND">MOOD</Parameter></CondProb>
<CondProb><Var>lamp_1</Var><Parent>push lamp_0</Parent><Parameter type="KIND">LAMP</Parameter></CondProb>
</StateTransitionFunction><ObsFunction>
<CondProb><Var>noise</Var><Parent>smell mood_1</Parent><Parameter type="TBL">
<Entry><Instance>* * *</Instance><ProbTable>0.5</ProbTable></Entry>
<Entry><Instance>o1 s2 -</Instance><ProbTable>0.125 0.875</ProbTable></Entry></Parameter></CondProb>
<CondProb><Var>smell</Var><Parent>push mood_0</Parent><Parameter type="TBL">
<Entry><Instance>* - -</Instance><ProbTable>1 0 0.5 0.5 0 1</ProbTable></Entry></Parameter></CondProb></ObsFunction>
<RewardFunction><Func><Var>pay</Var><Parent>turn mood_0 mood_1 noise</Parent><Parameter type="TBL">
<Entry><Instance>* s1 * high</Instance><ValueTable>4</ValueTable></Entry>
<Entry><Instance>right - s2 high</Instance><ValueTable>1 2 3</ValueTable></Entry></Parameter></Func>
<Func><Var>fee</Var><Parent>push</Parent><Parameter type="TBL">
<Entry><Instance>press</Instance><ValueTable>-0.5</ValueTable></Entry></Parameter></Func></RewardFunction></pomdpx>
"""


def whole(path, kind, parts):
    path.write_text(WHOLE.replace("KIND", kind).replace("MOOD", parts["mood_1"]).replace("LAMP", parts["lamp_1"]))
    return read_pomdpx(path)


def lamp_after(push, lamp):
    if push == "rest":
        return {lamp: 1.0}
    return {"off": 1.0} if lamp == "on" else {"off": 0.25, "on": 0.75}


def mood_after(turn, mood, lamp):
    if lamp == "on" and turn == "left":
        return dict(
            zip(("s0", "s1", "s2"), {"s0": (0.5, 0.25, 0.25), "s1": (0, 1, 0), "s2": (0.125, 0.125, 0.75)}[mood])
        )
    if lamp == "off" and mood == "s2":
        return dict(zip(("s0", "s1", "s2"), (0.25, 0.5, 0.25) if turn == "left" else (0.5, 0, 0.5)))
    return dict.fromkeys(("s0", "s1", "s2"), 1 / 3)


def told(turn, mood, later, noise):
    if turn == "right" and later == "s2" and noise == "high":
        return {"s0": 1, "s1": 2, "s2": 3}[mood]
    return 4 if mood == "s1" and noise == "high" else 0


def by_hand(push, turn, lamp, mood):
    """(next, sight) -> probability, and the reward, of one step of WHOLE, as a person reads it."""
    cells, pay = {}, -0.5 if push == "press" else 0.0
    smells = {"s0": (1, 0), "s1": (0.5, 0.5), "s2": (0, 1)}[mood]
    for (light, p), smell in product(lamp_after(push, lamp).items(), (0, 1)):
        for later, q in mood_after(turn, mood, light).items():
            loud = 0.875 if smell and later == "s2" else 0.5
            for noise, n in (("low", 1 - loud), ("high", loud)):
                chance = p * q * smells[smell] * n
                if chance:
                    cells[(light, later), (light, f"o{smell}", noise)] = chance
                pay += chance * told(turn, mood, later, noise)
    return cells, pay


@pytest.mark.parametrize(("kind", "parts"), [("TBL", TABLES), ("DD", DIAGRAMS)])
def test_every_feature_means_what_a_person_reads(tmp_path, kind, parts):
    form = whole(tmp_path / "a.pomdpx", kind, parts)
    assert form.names == tuple(product(("off", "on"), ("s0", "s1", "s2")))  # what is seen comes first
    assert form.actions == list(product(("press", "rest"), ("left", "right")))
    for s, a in product(range(form.size), range(4)):
        cells, pay = law(form, form.row[s] + a)
        hand, expected = by_hand(*form.actions[a], *form.names[s])
        assert cells == pytest.approx(hand, abs=1e-15)
        assert pay == pytest.approx(expected, abs=1e-14)
    start, _ = law(form, 0)
    assert start == {(("off", "s0"), "off"): 0.75, (("on", "s1"), "on"): 0.125, (("on", "s2"), "on"): 0.125}


def test_uniform_for_one_value_is_its_share(tmp_path):
    one = TABLES["lamp_1"].replace("off</Instance><ProbTable>1<", "off</Instance><ProbTable>uniform<")
    assert one != TABLES["lamp_1"]
    one = one.replace("<ProbTable>0.0<", "<ProbTable>0.5<")
    form = whole(tmp_path / "a.pomdpx", "TBL", {**TABLES, "lamp_1": one})
    cells, _ = law(form, form.row[form.names.index(("on", "s0"))] + form.actions.index(("press", "left")))
    assert sum(p for ((lamp, _), _), p in cells.items() if lamp == "off") == pytest.approx(0.5, abs=1e-15)


@pytest.mark.parametrize("name", ["Tiger", "Hallway"])
def test_siblings_are_the_same_model(name):
    from fogbound.files.cassandra.reader import read_pomdp

    one, other = read_pomdpx(model(f"{name}.pomdpx")), read_pomdp(model(f"{name}.pomdp"))
    for array in ("row", "action", "out", "next", "obs"):
        assert (getattr(one, array) == getattr(other, array)).all(), array
    np.testing.assert_allclose(one.prob, other.prob, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.reward, other.reward, rtol=0, atol=1e-12)
    assert one.discount == other.discount


@pytest.mark.slow
def test_tag_avoid_is_the_game_without_its_errata():
    form, game = read_pomdpx(model("TagAvoid.pomdpx")), forms.pomdp(make("tag(errata=false)"))
    number = {name: i for i, name in enumerate(form.names)}
    cells = [name[0] for name in form.names[::30]]
    targets = [name[1] for name in form.names[:30]]

    def named(state):
        return (cells[state[0]], targets[state[1]])

    assert form.size == game.size == 870
    for s in range(game.size):
        state = game.label(s)
        if state[1] == 29:
            continue
        mine = form.row[number[named(state)]]
        for k, r in enumerate(range(game.row[s], game.row[s + 1])):
            assert game.actions[game.action[r]].replace("tag", "catch") == form.actions[k].lower()
            moved, pay = law(form, mine + k)
            arrived = {}
            for o in range(game.out[r], game.out[r + 1]):
                after, seen = named(game.label(int(game.next[o]))), game.observations[game.obs[o]][0].public
                if after[1] != "tagged":
                    assert (after, (after[0], "yes" if seen == "here" else after[0].replace("S", "O"))) in moved
                arrived[after] = arrived.get(after, 0) + float(game.prob[o])
            summed = {}
            for (after, _), p in moved.items():
                summed[after] = summed.get(after, 0) + p
            assert summed == pytest.approx(arrived, abs=1e-9)
            assert pay == game.reward[r]
    opening = [form.observations[z][0].private for z in form.obs[: form.out[1]]]
    assert set(opening) == set(cells)  # the robot's cell is seen at the start


def same_rocks(form, game, cell, tolerance):
    """Every state and action of a factored RockSample beside the game's; `cell` names a cell."""
    number = {name: i for i, name in enumerate(form.names)}
    for s in range(0, game.size, 7):
        x, y, rocks = game.label(s)
        if x < 0:
            continue
        mine = form.row[number[cell(x, y), *("good" if rock else "bad" for rock in rocks)]]
        for k, r in enumerate(range(game.row[s], game.row[s + 1])):
            moved, pay = law(form, mine + k)
            assert pay == game.reward[r]
            checked = len(moved) > 1
            wanted = {}
            for o in range(game.out[r], game.out[r + 1]):
                nx, ny, left = game.label(int(game.next[o]))
                where = cell(nx, ny) if nx >= 0 else "out"
                rest = tuple("good" if rock else "bad" for rock in (left or rocks))
                public = game.observations[game.obs[o]][0].public
                key = (where, *rest, public if checked else None)
                wanted[key] = wanted.get(key, 0) + float(game.prob[o])
            observation = {"ogood": "good", "obad": "bad"}
            found = {
                (*after, observation.get(seen[1], seen[1]) if checked else None): p
                for (after, seen), p in moved.items()
            }
            found = {("out" if key[0] == "st" else key[0], *key[1:]): p for key, p in found.items()}
            assert found == pytest.approx({key: p for key, p in wanted.items() if p > 0}, abs=tolerance)


@pytest.mark.slow
def test_rock_sample_is_the_game():
    path = model("RockSample_7_8.pomdpx")
    began = time.process_time()
    form = read_pomdpx(path)
    assert time.process_time() - began < 30
    assert (form.size, len(form.actions)) == (12_800, 13)
    same_rocks(form, forms.pomdp(make("rock-sample(size=7,rocks=8)")), lambda x, y: f"s{x}{y}", 1e-6)


def test_the_benchmark_writes_the_game(tmp_path):
    path = tmp_path / "a.pomdpx"
    path.write_text(rock_sample(4, 3, np.random.default_rng(5)))
    places = tuple(divmod(int(k), 4) for k in np.random.default_rng(5).choice(16, 3, replace=False))
    game = make("rock-sample(size=4,rocks=3,seed=1)")
    vars(game)["site"] = (places, 20.0)
    same_rocks(read_pomdpx(path), forms.pomdp(game), lambda x, y: f"x{x}y{y}", 1e-14)


def bits(count, start="1 0"):
    """So many switches; the action flips the first and each next one follows its neighbour: few states are reached."""
    names = range(count)
    states = "".join(
        f"<StateVar vnamePrev='b{i}' vnameCurr='c{i}'><ValueEnum>n y</ValueEnum></StateVar>" for i in names
    )

    def function(var, parent, instance, table):
        entry = f"<Entry><Instance>{instance}</Instance><ProbTable>{table}</ProbTable></Entry>"
        return f"<CondProb><Var>{var}</Var><Parent>{parent}</Parent><Parameter>{entry}</Parameter></CondProb>"

    begin = "".join(function(f"b{i}", "null", "-", start) for i in names)
    step = "".join(function(f"c{i}", f"b{i - 1}" if i else "b0", "- -", "identity" if i else "0 1 1 0") for i in names)
    return (
        f"<pomdpx><Discount>0.5</Discount><Variable>{states}<ActionVar vname='a'><NumValues>1</NumValues></ActionVar>"
        f"<RewardVar vname='r'/></Variable><InitialStateBelief>{begin}</InitialStateBelief><StateTransitionFunction>"
        f"{step}</StateTransitionFunction><RewardFunction><Func><Var>r</Var><Parent>c1</Parent><Parameter><Entry>"
        "<Instance>y</Instance><ValueTable>1</ValueTable></Entry></Parameter></Func></RewardFunction></pomdpx>"
    )


def test_of_many_combinations_only_the_reachable_are_kept(tmp_path):
    path = tmp_path / "a.pomdpx"
    path.write_text(bits(40))
    form = read_pomdpx(path)
    line, states = ("n",) * 40, set()
    while line not in states:
        states.add(line)
        line = ("y" if line[0] == "n" else "n", *line[:-1])
    assert set(form.names) == states
    for s in range(form.size):
        cells, pay = law(form, form.row[s])
        name = form.names[s]
        assert cells == {((("y" if name[0] == "n" else "n"), *name[:-1]), None): 1.0}
        assert pay == (name[0] == "y")
    path.write_text(bits(5))
    assert read_pomdpx(path).size == 32  # few enough: all of them


def test_a_large_identity_costs_its_diagonal_only(tmp_path):
    path = tmp_path / "a.pomdpx"
    large = bits(1, "uniform").replace("<ValueEnum>n y</ValueEnum>", "<NumValues>20000</NumValues>")
    path.write_text(large.replace("0 1 1 0", "identity").replace("c1", "c0").replace("<Instance>y<", "<Instance>s7<"))
    form = read_pomdpx(path)
    assert (form.next[form.out[1] :] == np.arange(20_000)).all()
    assert np.flatnonzero(form.reward).tolist() == [8]


def test_limits_name_the_sizes(tmp_path):
    path = tmp_path / "a.pomdpx"
    path.write_text(bits(40))
    with pytest.raises(LimitError, match=r"11 states .* of 1,099,511,627,776 .* at most 10 states"):
        read_pomdpx(path, limit=10)
    path.write_text(bits(40, "uniform"))
    with pytest.raises(LimitError, match=r"at most 1,000,000 starts"):
        read_pomdpx(path)
    path.write_text(bits(70))
    with pytest.raises(LimitError, match=r"1.18e\+21 combinations"):
        read_pomdpx(path)


@pytest.mark.parametrize(("off", "warned"), [(0, False), (5e-8, False), (5e-6, True)])
def test_rows_are_set_right_and_said_to_be(tmp_path, off, warned):
    path = tmp_path / "a.pomdpx"
    path.write_text((MALFORMED / "row-off.pomdpx").read_text().replace("0.15 0.8<", f"0.15 {0.85 + off!r}<"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        form = read_pomdpx(path)
    assert bool(caught) == warned
    assert not caught or "sound given state_1=tiger-right add up to 1.000005" in str(caught[0].message)
    np.testing.assert_allclose(np.add.reduceat(form.prob, form.out[:-1]), 1, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Tiger", "Hallway", "TagAvoid"])
def test_what_is_written_reads_back(tmp_path, name):
    form = read_pomdpx(model(f"{name}.pomdpx"))
    write_pomdpx(form, tmp_path / "a.pomdpx")
    same_arrays(form, read_pomdpx(tmp_path / "a.pomdpx"))


def random_flat(seed, states, actions, observations, openings, factored):
    """A random model; `factored`: its observations depend on the action and the next state; openings may name
    blocks.
    """
    rng = np.random.default_rng(seed)

    def some(*shape):
        weights = rng.random(shape) * (rng.random(shape) < 0.6)
        weights[..., 0] += 0.1
        return weights / weights.sum(-1, keepdims=True)

    if factored:
        joint = some(states, actions, states)[..., None] * some(actions, states, observations)[None]
    else:
        joint = some(states, actions, states * observations).reshape(states, actions, states, observations)
    cells = np.nonzero(joint)
    first = (["x", "y"], np.arange(states) % 2) if openings and states > 1 else None
    start = np.full(states, 1 / states)
    reward = rng.normal(size=(states, actions))
    labels = [[f"{kind} {i}" for i in range(n)] for kind, n in (("s", states), ("a", actions), ("o", observations))]
    return forms.pomdp_from_arrays("random", 0.9, *labels, start, (*cells, joint[cells]), reward, first)


SMALL = {
    "seed": st.integers(0, 10**6),
    "states": st.integers(1, 5),
    "actions": st.integers(1, 3),
    "observations": st.integers(1, 4),
}


@settings(max_examples=40, deadline=None)
@given(**SMALL)
def test_random_models_read_back(tmp_path_factory, seed, states, actions, observations):
    path = tmp_path_factory.mktemp("x") / "a.pomdpx"
    form = random_flat(seed, states, actions, observations, False, True)
    write_pomdpx(form, path)
    read = read_pomdpx(path)
    same_arrays(form, read, skip=("obs",) if len(form.observations) > len(read.observations) else ())


@settings(max_examples=25, deadline=None)
@given(**SMALL, openings=st.booleans(), factored=st.booleans())
def test_what_is_written_is_worth_the_same(tmp_path_factory, seed, states, actions, observations, openings, factored):
    path = tmp_path_factory.mktemp("x") / "a.pomdpx"
    form = random_flat(seed, states, actions, observations, openings, factored)
    write_pomdpx(form, path)
    assert value(read_pomdpx(path), 3) == pytest.approx(value(form, 3), abs=1e-10)


def in_rooms(seed, room, ways):
    """Rooms that are always seen, `room` of each state; chance leads to `ways` states, whichever room they are in."""
    rng, size = np.random.default_rng(seed), len(room)
    state, action, _ = (index.ravel() for index in np.indices((size, 2, ways)))
    after = np.concatenate([rng.choice(size, ways, replace=False) for _ in range(size * 2)])
    prob = rng.dirichlet(np.ones(ways), size=size * 2).ravel()
    labels = [list(range(size)), ["a", "b"], ["east", "west"]]
    outcomes = (state, action, after, room[after], prob)
    start, reward = np.full(size, 1 / size), rng.normal(size=(size, 2))
    return forms.pomdp_from_arrays("rooms", 0.9, *labels, start, outcomes, reward, (["east", "west"], room))


@pytest.mark.parametrize(
    ("room", "ways", "states"),
    [(np.array([0, 1, 1, 0, 1]), 3, 6), (np.arange(60) // 30, 3, 60), (np.arange(60) // 30, 1, 60)],
)
def test_rooms_become_blocks_of_equal_size(tmp_path, room, ways, states):
    form = in_rooms(3, room, ways)
    write_pomdpx(form, tmp_path / "a.pomdpx")
    read = read_pomdpx(tmp_path / "a.pomdpx")
    assert read.size == states
    assert value(read, 4) == pytest.approx(value(form, 4), abs=1e-12)
    if states == form.size:
        same_arrays(form, read)


@pytest.mark.parametrize("spec", ["tiger", "card-poker(ranks=3)", "po-nim"])
def test_games_are_written_with_their_menus(tmp_path, spec):
    game = make(spec)
    form = forms.pomdp(game, 0, {i: Uniform() for i in range(1, len(game.players))})
    if form.reward[0]:
        pytest.skip("pays before the first step")
    write_pomdpx(form, tmp_path / "a.pomdpx")
    assert value(read_pomdpx(tmp_path / "a.pomdpx"), 3) == pytest.approx(value(form, 3), abs=1e-9)


def test_pay_before_the_first_step_is_refused(tmp_path):
    form = random_flat(1, 2, 1, 1, False, True)
    form.reward[0] = 1.0
    with pytest.raises(FormError, match="1 is paid before the first step"):
        write_pomdpx(form, tmp_path / "a.pomdpx")
    assert not list(tmp_path.iterdir())


def read_any(path, tiger):
    readers = {".alpha": read_alpha, ".policy": read_policyx}
    return readers[path.suffix](path, tiger) if path.suffix in readers else read_pomdpx(path)


def two_states():
    return random_flat(0, 2, 3, 2, False, True)


@pytest.mark.parametrize("name", INDEX)
def test_malformed_files_cost_one_line(name):
    with pytest.raises(FogboundError) as caught:
        read_any(MALFORMED / name, two_states())
    message = str(caught.value)
    assert re.match(re.escape(str(MALFORMED / name)) + INDEX[name], message), message
    assert "\n" not in message
    assert len(message) <= 600


TIGER = (MALFORMED / "row-off.pomdpx").read_text().replace("0.15 0.8<", "0.15 0.85<")


def test_what_the_format_does_not_know_is_passed_over_with_a_warning(tmp_path):
    """A note of another program's: whatever stands in it, what the file says is not less than without it."""
    note = "<Viewer><Zoom>2</Zoom>and <Var>none</Var></Viewer>"
    plain, noted = tmp_path / "plain.pomdpx", tmp_path / "noted.pomdpx"
    plain.write_text(TIGER)
    text = TIGER.replace("<Variable>", f"{note}\n<Variable>").replace("0.95<", f"0.95{note}<")
    noted.write_text(text.replace("<Entry>", f"<Entry>{note}", 1))
    with pytest.warns(UserWarning, match=r"noted.pomdpx:3: <Viewer> is no part of the format.*\(and 2 more") as caught:
        form = read_pomdpx(noted)
    assert len(caught) == 1
    for mine, same in zip(form.arrays().values(), read_pomdpx(plain).arrays().values()):
        np.testing.assert_array_equal(mine, same)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TIGER.replace("Entry>", "entry>"), r":21: found <entry>, .* did you mean 'Entry'\?"),
        (TIGER.replace("<Variable>", "<Func/><Variable>"), r":4: found <Func>, expected <Description> or"),
        (TIGER.replace("<Variable>", "<Aside/>" * 1_001 + "<Variable>"), r":4: found over 1,000 elements"),
    ],
    ids=["a slip", "another's place", "many"],
)
def test_a_slip_is_not_passed_over(tmp_path, text, message):
    (tmp_path / "a.pomdpx").write_text(text)
    with pytest.raises(FileError, match=message):
        read_pomdpx(tmp_path / "a.pomdpx")


def test_every_malformed_file_is_listed():
    assert sorted(path.name for path in MALFORMED.iterdir()) == sorted([*INDEX, "index.json"])
    assert len(INDEX) >= 25


@pytest.mark.parametrize("reader", [read_pomdpx, lambda path: read_alpha(path, two_states())])
def test_what_is_no_file_is_said_to_be_none(tmp_path, reader):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(FileError, match="cannot be read"):
            reader(path)


HOSTILE = """
import resource, sys, time
from pathlib import Path
from fogbound.core import FogboundError
from fogbound.files.pomdpx.reader import read_pomdpx
inherited = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # a child's peak starts from its parent's
for path in sys.argv[1:]:
    began = time.process_time()
    try:
        read_pomdpx(path)
        sys.exit(path + " was read")
    except FogboundError:
        pass
    assert time.process_time() - began < 20, path
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss <= max(512 * 1024, inherited), "memory"
"""


@pytest.mark.slow
def test_damage_costs_little_time_and_memory(tmp_path):
    wide = tmp_path / "wide.pomdpx"
    wide.write_text("<pomdpx>" + "<a/>" * 2_000_000 + "</pomdpx>")
    many = tmp_path / "many.pomdpx"
    many.write_text(bits(40, "uniform"))
    acting = tmp_path / "acting.pomdpx"
    acting.write_text(bits(3).replace("<NumValues>1</NumValues>", "<NumValues>1000000</NumValues>"))
    names = [str(MALFORMED / name) for name in INDEX if name.endswith(".pomdpx")]
    found = subprocess.run(
        [sys.executable, "-c", HOSTILE, *names, str(wide), str(many), str(acting)], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
