"""Mutants: each file that is changed has tests that are to notice it, and they exist."""

from __future__ import annotations

import pytest

from tests.attack import mutants


@pytest.mark.parametrize("file", mutants.FILES)
def test_every_file_has_tests(file):
    named = [test for test in mutants.tests_of(file) if not test.startswith("-")]
    assert named
    assert all((mutants.ROOT / test.partition("::")[0]).is_file() for test in named)
