"""A plugin for runs without compilation: `NUMBA_DISABLE_JIT=1 pytest -p tests.compiled.uncompiled …`.

An index out of bounds is an error then, and indices below 0 are too. What takes long uncompiled is cut off: a test that
has used so much of the processor counts as skipped, and what it did until then stayed within its arrays.
"""

from __future__ import annotations

import os
import signal

import pytest

from tests.compiled.guarded import guard_bundles

MOST = 0.3  # seconds of the processor
EVERY = int(os.environ.get("UNCOMPILED_EVERY", "3"))  # tests of which one is run: all of them take over five minutes


def pytest_configure():
    guard_bundles()
    signal.signal(signal.SIGVTALRM, _cut_off)


def pytest_collection_modifyitems(config, items):
    left = [item for k, item in enumerate(items) if k % EVERY]
    config.hook.pytest_deselected(items=left)
    items[:] = items[::EVERY]


class CutOff(Exception):
    """The share of time is used up."""


def _cut_off(*_):
    cut_off.append(True)
    raise CutOff


cut_off: list[bool] = []


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call():
    """Whatever ends a test after it was cut off is that: libraries turn an exception from within into their own."""
    cut_off.clear()
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST)
    try:
        return (yield)
    except IndexError:
        raise
    except Exception as error:
        if cut_off or isinstance(error, CutOff):  # what a fixture met in another test it meets again
            pytest.skip("cut off: it takes long uncompiled")
        raise
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
