"""Every long loop that builds, reads or checks asks whether to stop: it ends soon after somebody wants it to."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import fogbound as fb
from fogbound import forms
from fogbound.arena.contract import checking_game
from fogbound.core.cancel import cancelling
from fogbound.core.errors import Stopped
from fogbound.files.models import read_model
from fogbound.forms import linear_system
from fogbound.forms.available import available_forms, enumerated
from fogbound.policies.uniform import Uniform
from fogbound.solvers.pomdp import initial_bounds
from fogbound.solvers.pomdp.initial_bounds import model_of, qmdp_bound

MOST_CALLS = 150_000  # of functions between two questions: about a tenth of a second


class Asked:
    """A token that stops at the n-th question, and counts the calls of functions between two questions."""

    def __init__(self, most: int = 10**9) -> None:
        self.most, self.times, self.longest, self.calls = most, 0, 0, 0

    @property
    def reason(self) -> str:
        self.longest, self.calls = max(self.longest, self.calls), 0
        self.times += 1
        return "enough" if self.times >= self.most else ""

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count inside the block: work is measured in calls, since times depend on the machine."""

        def called(_frame: Any, event: str, _more: Any) -> None:
            self.calls += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(called)
        try:
            yield
        finally:
            sys.setprofile(before)
            _ = self.reason


def ring(tmp_path: Path, states: int = 5_000) -> Path:
    """A POMDP file of states in a ring."""
    lines = ["discount: 0.95", "values: reward", f"states: {states}", "actions: 2", "observations: 2"]
    lines += [f"T: {a} : {s} : {(s + 1 + 6 * a) % states} 1.0" for a in range(2) for s in range(states)]
    lines += [f"O: * : {s} : {s % 2} 1.0" for s in range(states)]
    lines += [f"R: 0 : {s} : * : * {s % 13}" for s in range(states)]
    path = tmp_path / "ring.pomdp"
    path.write_text("\n".join(lines) + "\n")
    return path


GOOFSPIEL = "goofspiel(cards=5)"


def looked(_: Path) -> Any:
    game = fb.game(GOOFSPIEL)
    return list(checking_game(game, enumerated(game, 100_000)))


def informed(path: Path) -> Any:
    steps = model_of(read_model(str(path)), "test")
    return steps.fast_informed_bound(qmdp_bound(steps))


WORK = {
    "table": lambda _: forms.table(fb.game(GOOFSPIEL)),
    "tree": lambda _: forms.tree(fb.game(GOOFSPIEL)),
    "sequence": lambda _: forms.sequence(fb.game(GOOFSPIEL)),
    "memories": lambda _: forms.memories(fb.game(GOOFSPIEL)),
    "pomdp": lambda _: forms.pomdp(fb.game(GOOFSPIEL), 0, {1: Uniform()}),
    "knowledge": lambda _: forms.knowledge(forms.table(fb.game(GOOFSPIEL)), 0),
    "available": lambda _: available_forms(fb.game(GOOFSPIEL)),
    "check": looked,
    "reading": lambda path: read_model(str(path)),
    "bounds": informed,
}


@pytest.mark.parametrize("name", [*sorted(WORK.keys() - {"check"}), pytest.param("check", marks=pytest.mark.slow)])
def test_work_that_takes_long_asks_often_whether_to_stop(name, tmp_path):
    path, asked = ring(tmp_path), Asked()
    WORK[name](path)  # whatever is loaded or compiled first
    with cancelling(asked), asked.counting():
        WORK[name](path)
    assert asked.times > 2
    assert asked.longest < MOST_CALLS


@pytest.mark.parametrize("name", sorted(WORK.keys() - {"bounds"}))  # these may be cut short, and are still bounds
def test_work_that_takes_long_is_stopped_wherever_it_is(name, tmp_path):
    path, whole = ring(tmp_path), Asked()
    with cancelling(whole):
        WORK[name](path)
    for share in (0.1, 0.9):
        cut = Asked(1 + int(share * (whole.times - 1)))
        with cancelling(cut), pytest.raises(Stopped):
            WORK[name](path)
        assert cut.times == cut.most


def test_a_bound_that_may_be_cut_short_is(tmp_path):
    steps = model_of(read_model(str(ring(tmp_path, 50))), "test")
    above = qmdp_bound(steps)
    with cancelling(Asked(1)):
        bound, converged = steps.fast_informed_bound(above)
    assert not converged
    assert (bound == above).all()


def test_factors_that_take_long_are_left(monkeypatch):
    over = threading.Event()
    monkeypatch.setattr(linear_system, "AT_ONCE", 0)
    monkeypatch.setattr("scipy.sparse.linalg.splu", lambda _: over.wait(60))
    with cancelling(Asked(3)), pytest.raises(Stopped):
        linear_system.factorised(csr_matrix(np.eye(2) / 2))
    assert not over.is_set()
    over.set()


@pytest.mark.parametrize("at_once", [0, 10])
def test_factors_are_the_same_in_a_thread(at_once, monkeypatch):
    monkeypatch.setattr(linear_system, "AT_ONCE", at_once)
    assert linear_system.factorised(csr_matrix(np.eye(2) / 2)).solve(np.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="singular"):
        linear_system.factorised(csr_matrix(np.eye(2)))


def test_large_discounted_models_are_swept_where_that_converges(monkeypatch, tmp_path):
    steps = model_of(read_model(str(ring(tmp_path, 200))), "test")
    by_factors = qmdp_bound(steps)
    monkeypatch.setattr(initial_bounds, "FEW_DIRECT", 0)
    monkeypatch.setattr(initial_bounds, "factorised", None)
    by_sweeps = qmdp_bound(steps)
    assert by_sweeps == pytest.approx(by_factors, rel=1e-6)
    assert initial_bounds._factorises(50_000, 0.9999)
    assert not initial_bounds._factorises(50_000, 0.95)
