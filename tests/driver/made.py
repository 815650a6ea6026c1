"""Forms to solve, solvers that do nothing but what a test needs, and ways to stop them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fogbound import forms
from fogbound.core.cancel import check
from fogbound.driver.protocol import Evidence, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.protocol import Form
from fogbound.games import make
from fogbound.policies import Uniform


def tiger():
    return forms.belief_mdp(forms.pomdp(make("tiger")))


def poker():
    return forms.sequence(make("king-ace"))


TIMERS: list[threading.Timer] = []


def later(seconds, function, *given):
    """Call it so much later, unless the test is over by then (`conftest`): no signal must reach the next one."""
    TIMERS.append(threading.Timer(seconds, function, given))
    TIMERS[-1].start()


def ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)


def endless():
    """Work that never ends by itself, but looks up now and then."""
    while True:
        check()
        time.sleep(0.005)


def everybody():
    return {0: Uniform(), 1: Uniform()}


@dataclass(frozen=True)
class Wanderer(Solver[Form]):
    """A solver that needs all the driver lends it: random numbers, arrays, time."""

    pause: float = 0.0
    form: ClassVar[type[Form]] = Form
    name: ClassVar[str] = "wanderer"

    def remembers(self, form, kept):
        kept.reals("place", (3,))

    def run(self, form, context) -> Iterator[Progress]:
        place = context.arrays.setdefault("place", np.zeros(3))
        while True:
            place += context.rng.standard_normal(3)
            time.sleep(self.pause)
            width = 100.0 / (1 + abs(float(place[0])))
            yield Progress(float(place.sum()), -width, width, lambda: {0: Uniform()}, {"at": place.tolist()})


class Once(Solver[Form]):
    """A solver with one answer, found by calling something, and evidence, found by calling something else."""

    form = Form
    name = "once"

    def __init__(self, found: Callable[[], object] = lambda: None, shown: Callable[[], object] = lambda: None) -> None:
        self.found, self.shown = found, shown

    def run(self, form, context) -> Iterator[Progress]:
        self.found()

        def evidence():
            self.shown()
            return Evidence()

        yield Progress(0.5, 0.0, 1.0, everybody, evidence=evidence)
