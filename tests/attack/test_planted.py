"""The planted bugs are still what they say: `make attack` plants them one by one."""

from __future__ import annotations

import pytest

from tests.attack.planted import BUGS, SOURCE, hunt


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
