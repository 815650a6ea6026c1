"""Coroutines in a test that is no coroutine."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run_apart(coroutine):
    """What a coroutine returns, run in a thread of its own: a browser's tests may have left a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
