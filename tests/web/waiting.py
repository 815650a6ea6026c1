"""Waiting for something to come about, with an end."""

import time


def until(happens, seconds=60.0):
    """What `happens()` gives, once it gives anything; a failure where it never does."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if found := happens():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come about")
