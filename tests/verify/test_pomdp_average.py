"""The checker of average rewards: whatever the evidence claims, what is proven is true of small decision processes."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import fogbound as fb
from fogbound.certificates.certificate import plain
from fogbound.verify import Refused
from fogbound.verify.arrays import Reading
from fogbound.verify.pomdp.average import average_interval
from tests.solvers.pomdp.test_average_reward import average, random_model, text


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    """A model whose state is seen, its best average, and the certificate of an answer."""
    T, Z, R = random_model(5, states=3, actions=2, observations=3, seen=True)
    path = tmp_path_factory.mktemp("average") / "seen.pomdp"
    path.write_text(text(T, Z, R))
    choices = (np.array(c) for c in product(range(2), repeat=3))
    best = max(average(T[c, np.arange(3)], R[c, np.arange(3)]) for c in choices)
    return best, fb.solve(str(path), "average-reward", iterations=4, certify=True).certificate


def judged(certificate, **changed) -> tuple[Fraction, Fraction]:
    evidence = {name: array.copy() for name, array in certificate.evidence.items()}
    return average_interval(plain(certificate.form), Reading(plain(evidence | changed)))


def test_the_evidence_of_an_answer_proves_a_narrow_interval(proven):
    best, certificate = proven
    low, high = judged(certificate)
    assert low <= best + 1e-12
    assert high >= best - 1e-12
    assert high - low < 1e-5


@pytest.mark.parametrize("seed", range(8))
def test_false_claims_widen_the_interval_and_never_leave_the_truth_out(proven, seed):
    best, certificate = proven
    rng, shown = np.random.default_rng(seed), certificate.evidence
    noise = {
        name: shown[name] + rng.normal(0, 10.0 ** -(seed % 4), shown[name].shape) for name in ("value", "point_value")
    }
    low, high = judged(certificate, **noise)
    assert low <= best + 1e-12
    assert high >= best - 1e-12
    weight = rng.uniform(0, 1, shown["point_weight"].shape)
    low, high = judged(certificate, point_weight=weight, witness=np.full_like(shown["witness"], -1))
    assert low <= best + 1e-12
    assert high >= best - 1e-12


def test_without_evidence_the_rewards_are_the_bounds(proven):
    best, certificate = proven
    low, high = average_interval(plain(certificate.form), Reading({}))
    assert (low, high) == (
        min(map(Fraction, certificate.form["reward"][1:])),
        max(map(Fraction, certificate.form["reward"][1:])),
    )
    assert low <= best <= high


def test_what_proves_nothing_is_refused(proven):
    _, certificate = proven
    shown = certificate.evidence
    with pytest.raises(Refused, match="fast informed bound"):
        judged(certificate, witness=np.full_like(shown["witness"], -2))
    with pytest.raises(Refused, match="needs a point by itself"):
        judged(certificate, point_state=np.full_like(shown["point_state"], shown["point_state"][0]))
    ended = dict(certificate.form)
    ended["row"] = np.minimum(ended["row"], ended["row"][-2])  # the last state has no actions left
    rows = int(ended["row"][-1])
    ended |= {name: ended[name][:rows] for name in ("action", "reward")}
    ended["out"] = ended["out"][: rows + 1]
    ended |= {name: ended[name][: int(ended["out"][-1])] for name in ("next", "obs", "prob")}
    with pytest.raises(Refused, match="play can end"):
        average_interval(plain(ended), Reading({}))
