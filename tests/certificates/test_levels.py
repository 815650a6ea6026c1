"""What a file says of its level 0 must be what its certificate is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

import fogbound as fb
from fogbound import files
from fogbound.certificates.fields import UNIFORM

GAME = "po-nim(n=2)"


@pytest.fixture(scope="module")
def against_a_level():
    """Levels above one that is itself a best reply, not random play."""
    first = fb.solve(GAME, "level-k(levels=1)")
    second = fb.solve(GAME, "level-k(levels=1)", player=1)
    zero = {0: first.profile[0], 1: second.profile[1]}
    return fb.solve(GAME, "level-k(levels=1)", against=zero)


def test_levels_above_given_policies_are_certified(against_a_level):
    assert against_a_level.certified == "both"


def test_a_level_zero_that_is_said_to_play_at_random_is_refuted(against_a_level, tmp_path):
    path = tmp_path / "a.npz"
    files.save(against_a_level, path)
    assert fb.verify(path, GAME)
    for said in ([UNIFORM], []):
        provenance = {**against_a_level.provenance, "against": said}
        files.save(replace(against_a_level, provenance=provenance), path)
        assert "plays uniformly" in fb.verify(path, GAME).refuted


def test_a_level_below_the_highest_is_certified_and_higher_ones_are_claimed(tmp_path):
    found = fb.solve(GAME, "level-k(levels=3, level=2)")
    assert {one["level"] for one in found.details["levels"]} == {1, 2, 3}
    path = tmp_path / "a.npz"
    files.save(found, path)
    assert fb.verify(path, GAME)
    levels = [{**one, "value": one["value"] + 1} if one["level"] == 2 else one for one in found.details["levels"]]
    files.save(replace(found, details={**found.details, "levels": levels}), path)
    assert "for level 2" in fb.verify(path, GAME).refuted
