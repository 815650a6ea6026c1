"""The table of what was tried: what pytest said, counted."""

import pytest

from tests.attack.table import counted

PASSED = "bringing up nodes...\n....s... [100%]\n1.5 s. All fine.\n"


@pytest.mark.parametrize(
    ("code", "said", "tried", "right"),
    [
        (0, PASSED, 7, 7),
        (1, "..F.E [100%]\n", 5, 3),
        (-15, "...... [ 40%]\n", 7, 6),  # ended from outside: all went well until then, and that is no result
        (2, "", 1, 0),
    ],
)
def test_a_run_that_did_not_end_by_itself_is_not_right(code, said, tried, right):
    row = counted("forged", code, said, "no such file")
    assert (row.tried, row.right) == (tried, right)
    assert bool(row.remarks) == (code != 0)
