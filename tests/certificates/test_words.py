"""The sentences of a verification, one by one, and the names of bounds."""

from __future__ import annotations

import pytest

from fogbound.certificates.kinds import KINDS
from fogbound.certificates.statistical import STATISTICAL
from fogbound.certificates.verification import Verification
from fogbound.certificates.wording import BOUNDS, UNPROVEN, bound_words

THIRD = 0.333333333333
CLAIMED = "Claimed by the file, not checked: seconds, trace."


def told(kind, **more):
    found = {"lower": 1 / 3, "upper": 2 / 3, "claimed": ("seconds", "trace"), **more}
    return Verification("a game", ("Ann", "Bob"), kind, 1, **found).words


def test_a_refuted_answer_says_only_what_refutes_it():
    assert told("tree-profile", refuted="its value is 2", regret=0.1) == ("Refuted: its value is 2.",)


def test_an_exact_proof_says_what_it_proves_how_and_what_is_only_claimed():
    wording = KINDS["zero-sum-tree"].wording
    assert told("zero-sum-tree") == (
        wording.told("Bob", "0.333333333333", "0.666666666667"),
        "This was established in exact arithmetic, from the game and the file alone.",
        CLAIMED,
    )


def test_limits_are_told_where_there_are_any():
    limits = KINDS["chain-profile"].wording.limits
    assert limits
    assert told("chain-profile")[1] == limits
    assert all(sentence for sentence in told("zero-sum-tree"))


def test_a_regret_is_told_of_a_profile_that_is_no_reply():
    regret = "No player gains more than 0.123457 by deviating alone."
    assert regret in told("tree-profile", regret=0.1234567)
    assert regret not in told("tree-profile", regret=0.1234567, against=((0, "uniform play"),))
    assert "It is an answer to uniform play of Ann, as stored." in told("tree-profile", against=((0, "uniform play"),))
    assert not any("deviating" in sentence for sentence in told("tree-profile"))


def test_an_estimate_is_told_with_its_interval_and_what_it_is():
    said = told(STATISTICAL, lower=1 / 3, upper=1 / 3, interval=(-0.25, 0.75), statistical="mean of 20 games")
    assert "-0.25 to 0.75" in said[0].replace("−", "-")
    assert f"The estimate {THIRD} is the mean of 20 games." in said
    assert not any("estimate" in sentence for sentence in told("zero-sum-tree"))


@pytest.mark.parametrize("answer", BOUNDS)
def test_an_upper_bound_is_named_by_what_it_means_only_where_it_is_proven(answer):
    low, high = BOUNDS[answer]
    assert bound_words(answer, "both") == (low, high.format(policy="policy"))
    assert bound_words(answer, "lower") == (low, UNPROVEN)
