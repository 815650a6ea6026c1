"""The clock: read at one place, and stopped while something is compiled for the first time."""

from __future__ import annotations

import re
import time
from pathlib import Path

import fogbound
from fogbound.compiled.kernel import kernel
from fogbound.core.compilation import announce, hearing
from fogbound.driver.clock import Clock
from fogbound.driver.protocol import Until
from tests.driver.made import Once, poker
from tests.run import solve

SOURCES = Path(fogbound.__file__).parent
IMPORT = re.compile(r"^\s*(import|from) (time|datetime)\b", re.MULTILINE)
PEOPLE = {"cli", "web"}  # how often a person is told something, and how long one waits, is no limit of a solver


def test_the_time_is_read_at_one_place():
    readers = [path.relative_to(SOURCES) for path in SOURCES.rglob("*.py") if IMPORT.search(path.read_text())]
    assert [str(path) for path in readers if path.parts[0] not in PEOPLE] == ["driver/clock.py"]


def test_a_clock_counts_what_it_is_not_paused_for(monkeypatch):
    now = [5.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    clock = Clock()
    clock.put_forward(100)
    now[0] += 1
    clock.pause(True)
    now[0] += 10
    assert clock.elapsed() == 101
    clock.pause(False)
    assert clock.elapsed() == 101
    now[0] += 2
    assert clock.elapsed() == 103


def compiled_for(seconds):
    announce(True)
    announce(True)  # what it calls
    time.sleep(seconds / 2)
    announce(False)
    time.sleep(seconds / 2)
    announce(False)


def test_a_first_compilation_is_announced_and_takes_nobodys_time():
    told = []
    found = solve(Once(lambda: compiled_for(0.6)), poker(), Until(seconds=0.5), tell=told.append)
    assert found.trace[0].seconds < 0.5
    assert told == ["solving", "compiling", "certifying"]


def test_a_kernel_that_is_compiled_says_so_once():
    @kernel
    def half(number):
        return number / 2

    @kernel
    def quarter(number):
        return half(half(number))

    heard = []
    with hearing(heard.append):
        quarter(3.0)
        quarter(4.0)
    assert heard == [True, False]
