"""Reading a file checks its policies: what is not valid is refused in one line, whatever the kind of policy."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound import archive, files
from fogbound.cli.main import main
from fogbound.core.dist import Dist
from fogbound.core.errors import FileError, FogboundError, PolicyError
from fogbound.files.stored_policies import POLICIES, pack, unpack
from fogbound.policies import AlphaVectors, Controller, Mixture, StoredVectors, Uniform
from fogbound.policies.mixture import DEEPEST
from fogbound.policies.stored import StoredBounds, StoredPlanner
from tests.certificates.forging import alternatives, leaves, other_arrays, setting

HEARD, START = fb.Observation("growl-left", None), fb.Observation(None, None)


def listener():
    sure = fb.Dist.of({"listen": 0.5, "open-left": 0.5})
    return Controller({START: 0}, {(0, "listen", HEARD): 1, (1, "listen", HEARD): 0}, (sure, fb.Dist.sure("listen")))


def vectors(**changes):
    whole = {
        "size": 2,
        "first": np.array([0, 2, 3]),
        "states": np.array([0, 1, 1]),
        "values": np.array([1.0, 2.0, 3.0]),
    }
    return StoredVectors(**{**whole, "actions": ("listen", "open-left"), **changes})


def points(**changes):
    arrays = {
        "corner": np.array([1.0, 2.0]),
        "point_start": np.array([0, 2]),
        "point_state": np.array([0, 1]),
        "point_weight": np.array([0.5, 0.5]),
        "point_value": np.array([1.5]),
    }
    return StoredBounds(False, {**arrays, **changes})


VALID = {  # one of each kind that a file may hold
    "uniform": Uniform,
    "controller": listener,
    "vectors": vectors,
    "bounds": points,
    "planner": lambda: StoredPlanner("pomcp(simulations=20)", 3),
    "mixture": lambda: Mixture((Uniform(), listener()), (0.25, 0.75)),
}
INVALID = {
    "a value that is no number": lambda: vectors(values=np.array([1.0, np.nan, 3.0])),
    "an infinite value": lambda: vectors(values=np.array([1.0, np.inf, 3.0])),
    "a vector that is defined nowhere": lambda: vectors(first=np.array([0, 3, 3]), states=np.array([0, 1, 0])),
    "a state twice": lambda: vectors(states=np.array([1, 1, 1])),
    "a state too many": lambda: vectors(states=np.array([0, 2, 1])),
    "bounds of another player": lambda: StoredBounds(True, points().arrays),
    "bounds that are no numbers": lambda: points(corner=np.array([np.nan, 0.0])),
    "a belief below 0": lambda: points(point_weight=np.array([-0.5, 1.5])),
    "points of unequal length": lambda: points(point_start=np.array([0, 3])),
    "a planner without a solver": lambda: StoredPlanner("pomcp(", 1),
    "a planner with a strange seed": lambda: StoredPlanner("pomcp", -1),
}


def held(policy):
    """The policy as a file holds it."""
    entry, arrays = pack(policy, "policy/0")
    return copy.deepcopy(entry), {name: array.copy() for name, array in arrays.items()}


def test_every_kind_has_a_sample():
    assert set(VALID) == set(POLICIES)


@pytest.mark.parametrize("kind", POLICIES)
def test_a_valid_policy_is_read(kind):
    entry, arrays = held(VALID[kind]())
    assert entry["kind"] == kind
    assert unpack(entry, arrays, "policy/0").fault() is None


@pytest.mark.parametrize("kind", POLICIES)
def test_a_forged_policy_is_valid_or_refused(kind):
    """Every entry and every array, changed in every way that its type allows."""
    whole, arrays = held(VALID[kind]())
    refused = 0
    changed = [(setting(where, other), None, None) for where, old in leaves(whole) for other in alternatives(old)]
    changed += [(None, name, other) for name, old in arrays.items() for _, other in other_arrays(old)]
    for name, old in arrays.items():
        strange = [np.full_like(old, np.nan)] if old.dtype.kind == "f" else [np.full_like(old, 10**9), old - 1]
        changed += [(None, name, other) for other in (old[:0], np.concatenate([old, old]), *strange)]
    for change, name, other in changed:
        entry, now = held(VALID[kind]())
        if change:
            change(entry, now)
        else:
            now[name] = other
        try:
            policy = unpack(entry, now, "policy/0")
        except FileError:
            refused += 1
        else:
            assert policy.fault() is None
    assert refused or kind == "uniform"


@pytest.mark.parametrize("fault", INVALID)
def test_what_is_not_valid_is_refused(fault):
    policy = INVALID[fault]()
    assert policy.fault()
    with pytest.raises(FileError, match="the stored policy policy/0 is damaged"):
        unpack(*held(policy), "policy/0")


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: Controller({START: 2}, {}, (None,)), "begins at node 2"),
        (lambda: Controller({START: 0}, {(0, None, HEARD): 3}, (None,)), "an arrow from node 0 to 3"),
        (lambda: Controller({START: 0}, {(0, "listen", HEARD): 0}, (None,)), "has no choice"),
        (lambda: Controller({START: 0}, {}, (fb.Dist((("listen", 0.5),)),)), "sum to 0.5"),
        (lambda: AlphaVectors(fb.forms.pomdp(fb.game("tiger")), np.zeros((1, 3)), np.zeros(1, int)), "2 states each"),
        (
            lambda: AlphaVectors(fb.forms.pomdp(fb.game("tiger")), np.full((1, 2), np.nan), np.zeros(1, int)),
            "no number",
        ),
        (lambda: AlphaVectors(fb.forms.pomdp(fb.game("tiger")), np.zeros((1, 2)), np.array([9])), "does not have"),
    ],
)
def test_policies_made_in_python_are_checked(made, told):
    with pytest.raises(PolicyError, match=told):
        made()


@pytest.mark.parametrize("entries", [0, 1])
def test_too_few_vectors_do_not_play(tmp_path, entries):
    """None at all, or one that is not defined on both states: a match refuses, and does not play at random."""
    few = StoredVectors(2, np.arange(entries + 1), np.zeros(entries, int), np.ones(entries), ("listen",) * entries)
    found = fb.solve("tiger", "sarsop(policy=vectors)", iterations=5)
    replace(found, profile={0: few}).save(tmp_path / "few.npz")
    for call in (fb.match, fb.evaluation.value):
        with pytest.raises(PolicyError, match="no vector"):
            call(fb.game("tiger"), fb.policy(str(tmp_path / "few.npz"), "tiger"))


def test_a_node_without_a_choice_moves_only_where_its_controller_says_so():
    waits = Controller({START: 0}, {}, (None,))
    with pytest.raises(PolicyError, match="node 0 has no choice"):
        waits.act(waits.begin(START), ["listen", "open-left"])
    drifts = replace(waits, at_random=True)
    assert drifts.act(drifts.begin(START), ["listen", "open-left"]) == Dist.uniform(["listen", "open-left"])


def test_vectors_that_are_not_defined_here_do_not_move():
    tiger = fb.forms.pomdp(fb.game("tiger"))
    policy = AlphaVectors(tiger, np.array([[1.0, -np.inf]]), np.zeros(1, int))
    with pytest.raises(PolicyError, match="no vector is defined"):
        policy.act(policy.begin(START), list(tiger.actions))


def nested(depth):
    entry = {"kind": "uniform"}
    for _ in range(depth):
        entry = {"kind": "mixture", "weights": [1.0], "members": [entry]}
    return entry


def test_mixtures_inside_each_other_end_somewhere():
    assert unpack(nested(DEEPEST), {}, "policy/0").fault() is None
    for depth in (DEEPEST + 1, 400):
        with pytest.raises(FileError, match="at most 32"):
            unpack(nested(depth), {}, "policy/0")
    deepest = unpack(nested(DEEPEST), {}, "policy/0")
    with pytest.raises(PolicyError, match="at most 32"):
        Mixture((deepest,), (1.0,))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "a.npz"
    fb.solve("card-poker(ranks=3)", "sequence-lp").save(path)
    return path


def rewritten(saved, path, change):
    header, arrays = archive.load(saved, "solution")
    header = {key: value for key, value in header.items() if key not in ("fogbound", "schema")}
    change(header, arrays)
    archive.write(path, archive.dumps("solution", header, arrays))
    return path


def test_a_policy_for_a_player_who_does_not_exist_is_refused(saved, tmp_path, capsys):
    path = rewritten(saved, tmp_path / "b.npz", lambda h, a: h["policies"].update({"7": {"kind": "uniform"}}))
    with pytest.raises(FileError, match="a policy for player 7, expected players from 0 to 1"):
        files.load(path)
    for words in (["verify", "card-poker(ranks=3)", str(path)], ["show", str(path), "--format", "csv"]):
        assert main(words) == 2
        said = capsys.readouterr().err
        assert "player 7" in said
        assert len(said.splitlines()) == 1


@pytest.mark.parametrize("levels", [3, "all", [1], [{}], [{"level": "1", "player": 0, "value": 0.5}], [None]])
def test_levels_that_are_no_levels_are_refused(saved, tmp_path, levels):
    path = rewritten(saved, tmp_path / "b.npz", lambda h, a: h["details"].update(levels=levels))
    with pytest.raises(FileError, match=r"details.levels"):
        files.load(path)


def test_a_policy_that_is_missing_is_no_crash(saved, tmp_path):
    def change(header, arrays):
        del header["policies"]["1"]
        for name in [name for name in arrays if name.startswith("policy/1/")]:
            del arrays[name]

    path = rewritten(saved, tmp_path / "b.npz", change)
    with pytest.raises(FogboundError, match="player 1"):
        fb.verify(path, "card-poker(ranks=3)")
