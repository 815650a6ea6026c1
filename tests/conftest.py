"""Which cases are quick: of a test with many cases `make test` runs some, and `make test-slow` the others.

Random examples are the same in every run, however slow the machine is.
A shell starts background jobs with SIGINT ignored, which child processes inherit: tests of Ctrl-C need it answered.
"""

from __future__ import annotations

import signal
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("same", deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
settings.load_profile("same")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`@pytest.mark.one_in(5)`: of the cases that follow each other the first is quick, the next four are slow."""
    met = Counter[str]()
    for item in items:
        mark = item.get_closest_marker("one_in")
        if mark is None or item.get_closest_marker("slow") is not None:
            continue
        test = item.nodeid.partition("[")[0]
        if met[test] % mark.args[0]:
            item.add_marker(pytest.mark.slow)
        met[test] += 1
