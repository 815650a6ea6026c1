"""The planted bugs are still what they say: `make attack` plants them one by one."""

from __future__ import annotations

import pytest

from tests.attack.planted import BUGS, SOURCE, hunt
from tests.attack.table import outcomes


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.file)
def test_every_planted_bug_still_has_its_place(bug):
    text = (SOURCE / "fogbound" / bug.file).read_text()
    assert text.count(bug.old) == 1
    compile(text.replace(bug.old, bug.new), bug.file, "exec")


def test_there_are_enough_of_them_and_each_is_another():
    assert len(BUGS) >= 25
    assert len({(bug.file, bug.old) for bug in BUGS}) == len(BUGS)
    assert all(bug.old != bug.new for bug in BUGS)


@pytest.mark.slow
def test_a_bug_in_the_checker_is_found():
    found, said = hunt(BUGS[3])
    assert found, said


def test_only_lines_of_progress_are_counted():
    said = "bringing up nodes...\n..F.s [ 60%]\nE. [100%]\ntests/certificates/test_bound.py::test\n  a.py:1: Warning\n"
    assert outcomes(said) == {".": 4, "F": 1, "s": 1, "E": 1}
