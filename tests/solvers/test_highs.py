"""HiGHS as it is installed: what a method that is missing says about getting it."""

from __future__ import annotations

import pytest

from fogbound.solvers.linear_programs import highs


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        ("x86_64", "pip install 'fogbound[hipo]'"),
        ("aarch64", "HiPO has no wheel for this machine (aarch64): use method=ipm"),
        ("arm64", "HiPO has no wheel for this machine (arm64): use method=ipm"),
    ],
)
def test_a_missing_method_says_how_to_get_it_where_that_is_possible(monkeypatch, machine, said):
    class Highs:
        def setOptionValue(self, name, value):
            return value != "hipo"

    class Without:
        class HighsStatus:
            kOk = True

    Without.Highs = Highs
    monkeypatch.setattr(highs.platform, "machine", lambda: machine)
    with pytest.raises(highs.FogboundError) as refused:
        highs._configured(Without, "hipo", 10)
    assert str(refused.value) == f"HiGHS does not take solver = 'hipo'; {said}"
