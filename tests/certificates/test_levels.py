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


def test_a_level_zero_that_is_said_to_play_at_random_is_refuted(against_a_level, tmp_path):
    path = tmp_path / "a.npz"
    files.save(against_a_level, path)
    assert fb.verify(path, GAME)
    for said in ([UNIFORM], []):
        provenance = {**against_a_level.provenance, "against": said}
        files.save(replace(against_a_level, provenance=provenance), path)
        assert "plays uniformly" in fb.verify(path, GAME).refuted
