"""Every kind of proof has words that are true of it: the same in a terminal, in Python and on a page."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.certificates.kinds import KINDS
from fogbound.certificates.statistical import STATISTICAL
from fogbound.certificates.wording import EXACT, bound_words
from fogbound.cli.main import main
from fogbound.driver.telling import kept
from tests.certificates.test_forgery import FAMILIES

NO_MORE = ("no policy", "no plans", "no reply")
UPPER = {"pomdp", "average-reward", "team", "level-k"}  # proofs that no other policy, plan or reply earns more


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_says_what_it_does_not_prove(kind):
    wording = KINDS[kind].wording
    said = " ".join((wording.meaning, wording.told("A", "1", "2"), wording.limits, wording.method))
    assert any(words in said for words in NO_MORE) == (kind in UPPER)
    assert (wording.method == EXACT) == (kind != STATISTICAL)
    assert ("exact" in said) == (kind != STATISTICAL)
    assert ("proof" in wording.method) == (kind == STATISTICAL)  # "no proof"
    assert ("value of the game for A lies between" in said) == kind.startswith("zero-sum-")
    assert bool(wording.limits) == (kind in ("chain-profile", STATISTICAL))


def test_an_upper_bound_that_nothing_proves_is_not_called_one():
    assert bound_words("reply", "both") == ("earns", "no policy earns more than")
    for answer in ("reply", "team", "value", "equilibrium"):
        assert bound_words(answer, "lower")[1] == "claimed upper bound"
        assert "no policy" not in kept(answer, "A", -20.0, -20.0, float("inf"), "lower")
    assert "not proven" in kept("reply", "A", -20.0, -20.0, 0.0, "lower")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("family", FAMILIES)
def test_python_and_terminal_say_the_same(family, tmp_path, capsys):
    spec, solver, options = FAMILIES[family]
    path = tmp_path / "a.npz"
    fb.solve(spec, solver, **options).save(path)
    proof = fb.verify(path, spec)
    assert str(proof) == " ".join(proof.words)
    assert proof.status.endswith("confirms it.")
    assert main(["verify", spec, str(path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for sentence in proof.words[1:]:
        assert sentence.replace("−", "-") in said  # a stream that is no terminal may know only ASCII
    assert f"Claimed by the file, not checked: {', '.join(proof.claimed)}." in said
    assert ("exact arithmetic" in said) == (proof.kind != STATISTICAL)
