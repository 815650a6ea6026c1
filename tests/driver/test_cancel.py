"""Stopping a run: from another thread, while the form is built, while evidence is collected, by Ctrl-C."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core.cancel import Cancel, cancelling
from fogbound.core.errors import FogboundError, Stopped
from fogbound.driver import checkpoint, limits
from fogbound.driver.clock import Clock
from fogbound.driver.protocol import Until
from fogbound.driver.solve import _Checkpointer
from fogbound.solvers import make as make_solver
from tests.counting import Counting
from tests.driver.made import Once, Wanderer, ctrl_c, endless, later, poker, tiger
from tests.run import solve


@pytest.fixture
def short_grace(monkeypatch):
    monkeypatch.setattr(limits, "GRACE", 0.3)


def test_a_token_stops_a_run_from_another_thread():
    cancel = Cancel()
    later(0.15, cancel.set)
    found = solve(Wanderer(0.005), tiger(), Until(seconds=20), cancel=cancel)
    assert found.stopped == "cancelled"
    assert found.seconds < 10
    assert found.profile


def test_a_token_that_is_set_leaves_one_answer():
    cancel = Cancel()
    cancel.set("enough")
    found = solve(Wanderer(), tiger(), cancel=cancel)
    assert (found.stopped, found.iterations) == ("enough", 1)


def test_a_token_around_the_call_stops_it_too():
    cancel = Cancel()
    later(0.15, cancel.set)
    with cancelling(cancel):
        assert solve(Wanderer(0.005), tiger(), Until(seconds=20)).stopped == "cancelled"


def test_threads_solve_at_once_and_only_the_one_that_is_cancelled_stops():
    alone = solve(Wanderer(), tiger(), Until(iterations=60), seed=3)
    cancel = Cancel()
    later(0.1, cancel.set)
    with ThreadPoolExecutor(3) as threads:
        cut = threads.submit(solve, Wanderer(0.005), tiger(), Until(seconds=20), cancel=cancel)
        same = [threads.submit(solve, Wanderer(0.005), tiger(), Until(iterations=60), seed=3) for _ in range(2)]
    assert cut.result().stopped == "cancelled"
    for other in same:
        assert other.result().stopped == "iterations"
        assert [m.value for m in other.result().trace] == [m.value for m in alone.trace]


def test_a_form_may_be_built_by_the_run():
    told = []
    one = solve(make_solver("cfr"), poker, Until(iterations=100), tell=told.append)
    two = solve(make_solver("cfr"), poker(), Until(iterations=100))
    assert (one.value, one.lower, one.upper, one.provenance) == (two.value, two.lower, two.upper, two.provenance)
    assert [word for word in told if word != "compiling"] == ["building", "solving", "certifying"]


def test_building_counts():
    def slow():
        time.sleep(0.3)
        return tiger()

    found = solve(Wanderer(), slow, Until(seconds=0.2))
    assert (found.stopped, found.iterations) == ("seconds", 1)  # there was no time left, but a form
    assert found.trace[0].seconds >= 0.3


@pytest.mark.usefixtures("short_grace")
@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        (lambda cancel: later(0.1, cancel.set), "cancelled"),
        (lambda _: later(0.1, ctrl_c), "interrupted"),
        (lambda _: None, "seconds"),
    ],
)
def test_building_is_stopped_by_whatever_stops_a_run(stop, reason):
    cancel, told = Cancel(), []
    stop(cancel)
    with pytest.raises(Stopped, match="while the form was being built") as caught:
        solve(Wanderer(), endless, Until(seconds=0.5 if reason == "seconds" else 20), cancel=cancel, tell=told.append)
    assert caught.value.reason == reason
    assert ("stopping" in told) == (reason != "seconds")


@pytest.mark.usefixtures("short_grace")
def test_a_game_too_large_to_enumerate_in_time_is_left():
    with pytest.raises(Stopped, match="while the form was being built"):
        solve(make_solver("minimax"), lambda: forms.table(Counting(), limit=10**9), Until(seconds=0.05))


def test_what_a_solver_builds_before_its_first_answer_is_stopped():
    later(0.1, ctrl_c)
    with pytest.raises(Stopped) as caught:
        solve(Once(endless), poker())
    assert caught.value.reason == "interrupted"


def test_ctrl_c_in_a_run_inside_another_stops_both():
    def modelled():
        later(0.1, ctrl_c)
        assert solve(Wanderer(0.005), tiger(), Until(seconds=20)).stopped == "interrupted"
        return tiger()

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(Stopped) as caught:
        solve(Wanderer(), modelled, Until(seconds=20))
    assert caught.value.reason == "interrupted"
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_leaves_at_once():
    later(0.1, ctrl_c)
    later(0.3, ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        solve(Once(lambda: time.sleep(10)), poker())


def twice(number):
    os.kill(os.getpid(), number)
    os.kill(os.getpid(), number)
    endless()


@pytest.mark.parametrize(("number", "reason"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
def test_a_second_signal_leaves_at_once_with_the_answer_that_exists(number, reason):
    found = solve(Once(shown=lambda: twice(number)), poker())
    assert (found.stopped, found.value, found.lower, found.upper) == (reason, 0.5, 0.0, 1.0)
    assert sorted(found.profile) == [0, 1]
    assert found.certified == "none"
    assert found.details["uncertified"] == "not certified: left at once, before anything was proven"


def test_a_second_signal_while_the_answer_improves_keeps_the_one_there_is():
    class Better(Once):
        def run(self, form, context):
            yield from super().run(form, context)
            twice(signal.SIGINT)

    found = solve(Better(shown=endless), poker())
    assert (found.stopped, found.value) == ("interrupted", 0.5)
    assert "left at once" in found.details["uncertified"]


def test_policies_that_take_longer_than_patience_are_left_too():
    class Slow(Once):
        def run(self, form, context):
            for progress in super().run(form, context):
                yield replace(progress, profile=lambda: twice(signal.SIGINT))

    later(0.5, ctrl_c)  # whoever asks again for what takes for ever
    found = solve(Slow(), poker())
    assert (found.stopped, found.profile) == ("interrupted", {})


def test_what_did_not_show_what_it_set_out_to_is_not_finished():
    class Stuck(Once):
        def run(self, form, context):
            for progress in super().run(form, context):
                yield replace(progress, unfinished="memory")

    assert solve(Stuck(), poker()).stopped == "memory"
    assert solve(Once(), poker()).stopped == "finished"


def test_reading_a_game_counts_and_is_stopped(monkeypatch):
    monkeypatch.setattr(limits, "GRACE", 0.05)
    monkeypatch.setattr("fogbound.api.solving.problem", lambda _: endless())
    with pytest.raises(Stopped, match="while the game was being read") as caught:
        fb.solve("leduc", seconds=0.05)
    assert caught.value.reason == "seconds"


def test_stopping_is_said_at_once():
    heard = []

    def deaf():  # a solver that never looks up, and goes on until the word was said
        ctrl_c()
        for _ in range(3_000):
            if "stopping" in heard:
                return
            time.sleep(0.01)
        raise AssertionError("nothing was said for half a minute")

    assert solve(Once(deaf), poker(), tell=heard.append).stopped == "interrupted"
    assert heard.count("stopping") == 1


def test_a_word_that_could_not_be_said_in_a_signal_is_said_later():
    heard = []

    def tell(word):
        if word == "stopping":
            heard.append(word)
            if len(heard) == 1:
                raise RuntimeError("reentrant call inside a writer")

    later(0.1, ctrl_c)
    assert solve(Wanderer(0.005), tiger(), Until(seconds=20), tell=tell).stopped == "interrupted"
    assert heard == ["stopping", "stopping"]


@pytest.mark.usefixtures("short_grace")
def test_evidence_is_given_what_is_left_and_a_little_more():
    began = time.monotonic()
    found = solve(Once(shown=endless), poker(), Until(seconds=0.3))
    assert time.monotonic() - began > 0.33  # 0.3 and an eighth more
    assert found.claimed == ()  # evaluated from the profile, not the 0.5 in [0, 1] that the solver says
    assert (found.value, found.gap) == pytest.approx((0.25, found.upper - found.lower))
    assert (found.certified, found.certificate) == ("none", None)
    assert found.details["uncertified"] == "not yet certified: stopped (seconds) before the evidence was there"


@pytest.mark.usefixtures("short_grace")
@pytest.mark.parametrize(("stop", "reason"), [(Cancel.set, "cancelled"), (lambda _: ctrl_c(), "interrupted")])
def test_evidence_is_cut_off_soon_after_somebody_wants_to_stop(stop, reason):
    cancel, began = Cancel(), time.monotonic()
    later(0.2, stop, cancel)
    found = solve(Once(shown=endless), poker(), cancel=cancel)
    assert time.monotonic() - began > 0.45
    assert found.stopped == reason
    assert f"({reason})" in found.details["uncertified"]


@pytest.mark.usefixtures("short_grace")
def test_evidence_that_came_too_late_to_be_checked_is_kept():
    found = solve(Once(shown=lambda: time.sleep(0.7)), poker(), Until(seconds=0.3))
    assert found.certificate is not None
    assert not found.certificate.checked
    assert "before it was checked" in found.details["uncertified"]
    assert found.certificate.check().lower <= found.certificate.check().upper


def test_time_that_is_up_leaves_time_for_a_certificate():
    found = solve(make_solver("cfr"), poker(), Until(seconds=0.1))
    assert found.certified == "both"
    assert 0 < found.certificate.seconds < 2


def test_a_run_that_is_cut_off_before_its_first_answer_says_why():
    class Silent(Once):
        def run(self, form, context):
            while not context.stopping():
                time.sleep(0.01)
            return iter(())

    with pytest.raises(Stopped, match=r"before the first answer \(seconds\)"):
        solve(Silent(), poker(), Until(seconds=0.1))
    assert issubclass(Stopped, FogboundError)


def test_the_front_door_hands_over_tokens_and_lets_building_count():
    told, cancel = [], Cancel()
    cancel.set()
    with pytest.raises(Stopped, match="while the game was being read"):
        fb.solve("leduc", "cfr", cancel=cancel, tell=told.append)
    assert told == ["stopping"]


def test_what_a_program_takes_to_start_counts_but_not_against_building():
    clock = Clock(before=7.0)
    assert clock.elapsed() >= 7.0
    given = limits.Limits(2.0, clock)
    assert given.reason == "seconds"
    assert not given.for_building().reason  # there is no answer without a form


def test_who_stops_it_may_leave_more_time_for_the_evidence():
    clock, cancel = Clock(), Cancel()
    patient = limits.Limits(10.0, clock, cancel, wrap_up=30.0)
    hasty = limits.Limits(10.0, clock, cancel)
    cancel.set()
    parts = [each.for_evidence() for each in (patient, hasty)]
    clock.put_forward(20.0)
    assert [part.reason for part in parts] == ["", "cancelled"]
    clock.put_forward(20.0)
    assert parts[0].reason == "cancelled"


def test_a_last_checkpoint_takes_nothing_from_the_evidence():
    clock, cancel = Clock(), Cancel()
    given = limits.Limits(1000.0, clock, cancel)
    cancel.set()
    assert given.reason == "cancelled"
    clock.put_forward(20.0)  # writing it
    part = given.for_evidence()
    assert not part.reason
    clock.put_forward(limits.WRAP_UP)
    assert part.reason == "cancelled"


def test_a_run_that_is_told_to_stop_writes_one_checkpoint_and_no_more(tmp_path, monkeypatch):
    cancel, written = Cancel(), []
    monkeypatch.setattr(checkpoint, "save", lambda *_: written.append(bool(cancel.reason)))
    entries = []

    def watch(entry):
        entries.append(entry)
        if len(entries) == 5:
            cancel.set()

    solve(Wanderer(), tiger(), cancel=cancel, watch=watch, checkpoint=tmp_path / "c.npz", every=0)
    assert written.count(True) == 1


def test_checkpoints_take_a_tenth_of_the_time_at_most(tmp_path, monkeypatch):
    clock, written = Clock(), []

    def slow(*_):
        written.append(clock.elapsed())
        clock.put_forward(7.0)

    monkeypatch.setattr(checkpoint, "save", slow)
    keeper = _Checkpointer(tmp_path / "c.npz", 5.0, clock)
    for _ in range(280):
        clock.put_forward(1.0)
        if keeper.due():
            keeper.keep({}, None, [])
    assert len(written) == 4  # after 5 s, then 70 s after the end of the one before
