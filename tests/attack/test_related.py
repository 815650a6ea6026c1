"""Relations between the answers to altered problems: a few models of each here, many in `make attack`."""

from __future__ import annotations

import pytest

from tests.attack.related import RELATIONS


@pytest.mark.parametrize("name", RELATIONS)
def test_a_relation_holds(name):
    for seed in (0, 1):
        assert RELATIONS[name](seed), f"seed {seed}"
