"""No test leaves a signal behind for the next one."""

import pytest

from tests.driver.made import TIMERS


@pytest.fixture(autouse=True)
def _no_timer_outlives_its_test():
    yield
    while TIMERS:
        timer = TIMERS.pop()
        timer.cancel()
        timer.join()
