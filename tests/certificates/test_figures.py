"""Figures that say a little more than is proven: inside the certified interval, where no rounding excuses them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import fogbound as fb
from fogbound import files

CLAIMS = {
    "lower": lambda s, middle: replace(s, lower=middle, value=middle),
    "upper": lambda s, middle: replace(s, upper=middle),
    "lower and gap": lambda s, middle: replace(s, lower=middle, gap=s.upper - middle),
    "upper and gap": lambda s, middle: replace(s, upper=middle, gap=middle - s.lower),
    "value": lambda s, middle: replace(s, value=s.upper + (s.upper - s.lower)),
    "gap": lambda s, middle: replace(s, gap=s.gap / 2),
    "certified lower": lambda s, middle: replace(s, certificate=replace(s.certificate, lower=middle)),
    "certified upper": lambda s, middle: replace(s, certificate=replace(s.certificate, upper=middle)),
}


@pytest.fixture(scope="module")
def rough():
    """A sound answer with wide bounds."""
    found = fb.solve("tiger", "pbvi(points=5)", iterations=3)
    assert found.gap > 0.1
    return found


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_figure_inside_the_proven_interval_is_refuted(rough, claim, tmp_path):
    path = tmp_path / "a.npz"
    files.save(rough, path)
    assert fb.verify(path, "tiger")
    files.save(CLAIMS[claim](rough, (rough.lower + rough.upper) / 2), path)
    assert fb.verify(path, "tiger").refuted
