"""A call in a process beside this one: its result, its error, and its end when somebody wants to stop."""

from __future__ import annotations

import pytest

from fogbound.core.cancel import cancelling
from fogbound.core.errors import Stopped
from fogbound.parallel.beside import beside
from fogbound.verify import Refused


class Enough:
    """A token that has been asked often enough."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    @property
    def reason(self) -> str:
        self.looks -= 1
        return "enough" if self.looks < 0 else ""


def test_results_and_errors_come_back():
    assert beside("math", "gcd", 12, 18) == 6
    with pytest.raises(ValueError, match="math domain error|nonnegative"):
        beside("math", "sqrt", -1.0)
    with pytest.raises(Refused, match="version"):
        beside("fogbound.verify", "check", {}, {}, {})


def test_it_ends_when_somebody_wants_to_stop():
    with cancelling(Enough(3)), pytest.raises(Stopped) as caught:
        beside("time", "sleep", 100_000)
    assert caught.value.reason == "enough"


def test_a_process_that_dies_is_said_to_have_died():
    with pytest.raises(RuntimeError, match="without an answer"):
        beside("os", "_exit", 3)
