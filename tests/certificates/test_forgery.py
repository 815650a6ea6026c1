"""A forged file is refused, refuted, or claims nothing that it does not play; and nothing crashes."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import pytest

import fogbound as fb
from fogbound import archive, files
from fogbound.certificates.fields import CLAIMED, field_of
from fogbound.certificates.kinds import KINDS
from fogbound.core.errors import FogboundError
from fogbound.evaluation.markov import chain_values, from_start
from tests.certificates.forging import HEX, Forgery, alternatives, forge, forgeries, leaves, setting

SHARE = float(os.environ.get("FORGED_SHARE", "0.1"))  # of all forgeries: all of them take over twenty minutes
POKER = "card-poker(ranks=3)"
FAMILIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "equilibrium": (POKER, "sequence-lp", {}),
    "memories": ("horizon(game=adversarial-tiger, steps=4)", "sequence-lp", {}),
    "locks": (
        POKER,
        "sequence-lp",
        {"locks": {"gambler": {"1": {"bet": 1.0}}}, "floors": {"dealer": {"2 · bet": {"call": 0.25}}}},
    ),
    "learnt": (POKER, "cfr-plus", {"iterations": 30}),
    "second player": (POKER, "sequence-lp", {"player": 1}),
    "three players": ("random(seed=4, seats=3)", "cfr(sampling=full)", {"iterations": 20}),
    "reply": (POKER, "belief-mdp", {"against": "uniform"}),
    "profile on memories": ("horizon(game=multi-tiger, steps=3)", "cfr(sampling=full)", {"iterations": 5}),
    "chain": ("tiger", "belief-mdp", {"gap": 0.01}),
    "average": ("tiger", "average-reward", {"gap": 0.01}),
    "restricted": (POKER, "restricted-nash(trust=0.5)", {"against": "uniform"}),
    "restricted on memories": (
        "horizon(game=adversarial-tiger, steps=4)",
        "restricted-nash(trust=0.5)",
        {"against": "uniform"},
    ),
    "controller": ("tiger", "sarsop", {"gap": 1}),
    "vectors": ("tiger", "sarsop(policy=vectors)", {"gap": 1}),
    "points": ("tiger", "pbvi(points=20)", {"iterations": 30}),
    "levels": ("po-nim(n=3)", "level-k(level=2)", {}),
    "levels that repeat": ("po-nim(n=2)", "level-k(level=4, prior=previous)", {"player": 1}),
    "levels of three": ("random(seed=4, seats=3)", "level-k(level=2)", {"player": 2}),
    "one-sided": ("pursuit(columns=3)", "pg-hsvi", {"gap": 20}),
    "subsets": ("pursuit(columns=3)", "hisg", {"iterations": 2}),
    "zero-sum states": ("random-markov(zero_sum=true)", "hoffman-karp", {}),
    "states": ("random-markov(seed=3, seats=3, choices=2)", "markov-nash", {}),
    "recommendations": ("horizon(game=random-markov(seed=2, size=2), steps=2)", "markov-correlated", {}),
    "mediator": ("matrix-game(matrix=aumann)", "correlated", {}),
    "promise": ("matrix-game(matrix=moulin-vial)", "correlated(coarse=true)", {"player": 1}),
    "move by move": ("horizon(game=repeated(matrix=chicken, memory=true), steps=2)", "correlated(extensive=true)", {}),
    "decisions": ("random-markov(seats=1)", "policy-iteration", {}),
    "sampled": ("slide-tree", "mcts", {"iterations": 100}),
    "team": ("horizon(game=multi-tiger, steps=3)", "team-search", {}),
    "team that goes on": ("recycling-robots(discount=0.5)", "team-search(horizon=4)", {"player": 1}),
}
FEW = 20  # forgeries of each family in the quick form


@dataclass(frozen=True)
class Honest:
    """A file as it was written, and what is proven about it."""

    path: Any
    game: Any
    proof: Any
    digest: str


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    made: dict[str, Honest] = {}

    def make(family: str) -> Honest:
        if family not in made:
            spec, solver, options = FAMILIES[family]
            path, game = tmp_path_factory.mktemp("honest") / "a.npz", fb.game(spec)
            fb.solve(game, solver, **options).save(path)
            proof = fb.verify(path, game)
            assert proof, proof.refuted
            made[family] = Honest(path, game, proof, files.policies_digest(files.load(path)))
        return made[family]

    return make


@pytest.mark.slow
def test_every_kind_of_certificate_is_forged(honest):
    assert {honest(family).proof.kind for family in FAMILIES} == KINDS.keys()


def judge(honest: Honest, forgery: Any, path: Any) -> str:
    """Forge the file, and say what becomes of it; AssertionError where it gets away with more than it plays."""
    shutil.copy(honest.path, path)
    try:
        forge(path, forgery)
    except FogboundError:
        return "cannot be written"
    try:
        proof = fb.verify(path, honest.game)
    except FogboundError:
        return "refused"
    if proof.refuted:
        return "refuted"
    stored = files.load(path)
    scale = 1e-6 * max(1.0, abs(proof.lower), abs(proof.upper))
    assert stored.lower <= proof.lower + scale, forgery.where
    assert proof.proves != "both" or stored.upper >= proof.upper - scale, forgery.where
    assert stored.player == proof.player == honest.proof.player, forgery.where
    if files.policies_digest(stored) != honest.digest:  # it plays something else: then that must keep what is proven
        assert played(stored, honest.game, proof) >= proof.lower - scale, forgery.where
    else:
        assert proof.lower <= honest.proof.upper + scale, forgery.where
        assert proof.upper >= honest.proof.lower - scale, forgery.where
    return "true"


def played(stored: Any, game: Any, proof: Any) -> float:
    """What the file's policy surely earns, found without the checker."""
    player = proof.player
    if proof.kind in ("zero-sum-tree", "zero-sum-memories"):
        return -fb.evaluation.best_response(game, stored, 1 - player).value  # these games are zero-sum
    if proof.kind == "zero-sum-markov":
        return -fb.evaluation.markov_values(game, stored).best_values[1 - player]
    if proof.kind == "markov-correlated":  # its policies are parts of what is drawn jointly
        form, joint = fb.forms.markov(game), stored.certificate.evidence["joint"]
        return from_start(form, chain_values(form, joint))[player]
    if "plan" in stored.certificate.evidence:  # likewise
        return fb.evaluation.obedience(fb.policies.recommendations(stored, game=game)).values[player]
    return float(fb.evaluation.value(game, stored)[player])


def drawn(every: list[Forgery], many: int) -> list[Forgery]:
    """So many of them, in their order."""
    chosen = np.random.default_rng(15).choice(len(every), min(many, len(every)), replace=False)
    return [every[k] for k in sorted(chosen)]


def tried(honest: Honest, chosen: list[Any], path: Any) -> dict[str, int]:
    outcomes: dict[str, int] = {}
    for forgery in chosen:
        outcome = judge(honest, forgery, path)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return outcomes


@pytest.fixture(autouse=True)
def nothing_outlives_the_machine(monkeypatch):
    """Forged files are read once: waiting until a disk has each of them takes longer than judging it."""
    monkeypatch.setattr("os.fsync", lambda _: None)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("family", FAMILIES)
def test_some_forgeries_of_every_family(honest, family, tmp_path):
    made = honest(family)
    every = forgeries(made.path)
    chosen = drawn(every, FEW)
    outcomes = tried(made, chosen, tmp_path / "forged.npz")
    assert outcomes.get("refused", 0) + outcomes.get("refuted", 0) > len(chosen) / 3


def paths(path):
    """(dotted path or name of an array, path, what stands there) of every field and array of a file."""
    header, arrays = archive.load(path, "solution")
    header = {key: value for key, value in header.items() if key not in ("fogbound", "schema")}
    for where, value in leaves(header):
        if not isinstance(where[-1], int):  # lists as a whole
            yield ".".join(map(str, where)), where, value
    for name in arrays:
        yield name, None, None


@pytest.mark.one_in(4)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_field_of_a_file_is_in_the_table(honest, family):
    made = honest(family)
    missing = [name for name, _, _ in paths(made.path) if field_of(KINDS[made.proof.kind].fields, name) is None]
    assert missing == []


def other_values(value):
    """What could stand there instead, and is not the same up to rounding."""
    number = isinstance(value, str) and HEX.fullmatch(value)
    for other in alternatives(value):
        if number and np.isclose(float.fromhex(other), float.fromhex(value), rtol=1e-6, atol=1e-6):
            continue
        if other != value:  # a list of one, reversed, is what it was
            yield other


@pytest.mark.one_in(5)
@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_not_claimed_is_noticed_when_it_changes(honest, family, tmp_path):
    """Field by field of the table: any other value is refused or refuted, or `verify` calls the field claimed."""
    made = honest(family)
    for name, where, value in paths(made.path):
        field = field_of(KINDS[made.proof.kind].fields, name)
        if where is None or where[0] in ("policies", "details"):  # `judge` plays what passes
            continue
        if field.how == CLAIMED:
            assert field.word in made.proof.claimed, name
            continue
        for other in other_values(value):
            forgery = Forgery(f"{name} = {other!r}", setting(where, other))
            assert judge(made, forgery, tmp_path / "forged.npz") != "true", forgery.where


def shifted(by):
    """Another value, with the file's own bounds and gap widened around it, and the claim too."""

    def change(header, arrays):
        value = float.fromhex(header["value"]) + by
        lower, upper = (float.fromhex(header[name]) for name in ("lower", "upper"))
        lower, upper = min(lower, value - 1), max(upper, value + 1)
        header |= {"value": value.hex(), "lower": lower.hex(), "upper": upper.hex(), "gap": (upper - lower).hex()}
        if "certificate" in header:
            header["certificate"]["claim"] = {"lower": lower.hex(), "upper": upper.hex()}

    return Forgery(f"the value by {by}, and bounds around it", change)


def only_value(by):
    """Another value beside bounds that hold."""

    def change(header, arrays):
        header["value"] = (float.fromhex(header["value"]) + by).hex()

    return Forgery(f"the value by {by}", change)


def widened(header, arrays):
    lower, upper = (float.fromhex(header[name]) for name in ("lower", "upper"))
    header |= {"lower": (lower - 1).hex(), "upper": (upper + 1).hex(), "gap": (upper - lower + 2).hex()}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_false_value_is_refuted_whatever_its_bounds(honest, family, tmp_path):
    made = honest(family)
    changes = [shifted(by) for by in (-5.0, -1e-3, 1e-3, 5.0)] + [only_value(by) for by in (-1e-3, 1e-3)]
    kind = KINDS[made.proof.kind]
    if kind.proves != "none" and not kind.searched:  # a search's bounds may be wider than what is proven
        changes.append(Forgery("bounds widened", widened))
    for forgery in changes:
        assert judge(made, forgery, tmp_path / "forged.npz") != "true", forgery.where


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_share_of_all_forgeries_of_every_family(honest, family, tmp_path):
    made = honest(family)
    every = forgeries(made.path)
    chosen = drawn(every, ceil(SHARE * len(every)))
    assert tried(made, chosen, tmp_path / "forged.npz").get("true", 0) > 0
