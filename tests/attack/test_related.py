"""Relations between the answers to altered problems: a few models of each here, many in `make attack`."""

from __future__ import annotations

import pytest

from tests.attack.related import LENGTHS, RELATIONS


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", RELATIONS)
def test_a_relation_holds(name, seed):
    assert RELATIONS[name](seed)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", LENGTHS)
def test_games_of_variable_length_are_solved_alike_however_they_are_normalised(name, seed):
    assert LENGTHS[name](seed)
