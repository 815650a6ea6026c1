"""Engines: one ordered map, the same whoever computes, and nobody left behind who still does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from fogbound.core.cancel import Cancel, cancelling, check
from fogbound.core.errors import FogboundError, SpecError, Stopped
from fogbound.parallel import here, processes, rng_of
from fogbound.parallel.journal import RunJournal
from tests.parallel import jobs

ENGINES = [here, processes(1), processes(2), processes(3)]


def _drawn(shared, number):
    return shared, number, rng_of(7, number).random()


@pytest.mark.parametrize("engine", ENGINES, ids=repr)
def test_results_come_in_order_whoever_computes_them(engine):
    assert list(engine.map(_drawn, range(20), "all")) == [_drawn("all", number) for number in range(20)]
    assert list(engine.map(_drawn, [], "none")) == []


def _after_the_first(told, number):
    while number and not told.exists():
        time.sleep(0.01)
    return number


@pytest.mark.parametrize("engine", [here, processes(2)], ids=repr)
def test_a_result_is_told_as_soon_as_it_is_there(engine, tmp_path):
    told = tmp_path / "told"
    with closing(engine.map(_after_the_first, range(4), told)) as results:
        assert next(results) == 0  # the others wait until it was told
        told.touch()
        assert list(results) == [1, 2, 3]


def _endless(path, number):
    if number == 0:
        return number
    (path / f"{number}").touch()
    while True:
        check()
        time.sleep(0.01)


def test_closing_the_map_ends_what_is_still_being_computed(tmp_path):
    results = processes(2).map(_endless, range(5), tmp_path)
    assert next(results) == 0
    while not list(tmp_path.iterdir()):
        time.sleep(0.01)
    results.close()
    assert len(list(tmp_path.iterdir())) < 4  # those that had not begun never did


def test_a_token_around_the_map_ends_waiting(tmp_path):
    cancel = Cancel()
    threading.Timer(0.3, cancel.set).start()
    with cancelling(cancel), pytest.raises(Stopped) as caught:
        list(processes(2).map(_endless, range(5), tmp_path))
    assert caught.value.reason == "cancelled"


def _patient(_shared, number):
    if number == 1:
        os.kill(os.getpid(), signal.SIGINT)
    return number


def test_ctrl_c_is_for_those_who_asked_and_not_for_workers():
    assert list(processes(2).map(_patient, range(4))) == [0, 1, 2, 3]


def _fatal_once(path, job):
    """A job that kills its worker the first time it is tried."""
    mark = path / f"{job}"
    if job == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return job * job


def test_a_killed_worker_loses_nothing(tmp_path):
    assert list(processes(2).map(_fatal_once, range(8), tmp_path)) == [k * k for k in range(8)]


def _fatal(_shared, job):
    if job == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return job


def test_a_job_that_always_kills_is_named():
    with pytest.raises(FogboundError, match="workers"):
        list(processes(2).map(_fatal, range(2)))


def _killed_beside(path, job):
    """Job 1 kills its worker whenever it runs, as soon as the others run; who has been ended so is quick thereafter."""
    if job == 1:
        while not all((path / f"{other}").exists() for other in (0, 2)):
            time.sleep(0.005)
        os.kill(os.getpid(), signal.SIGKILL)
    if not (path / f"{job}").exists():  # the first time it runs until it is ended with the others
        (path / f"{job}").touch()
        threading.Event().wait()
    return job


def test_who_kills_is_named_and_not_who_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr("fogbound.parallel.engine.TRIES", 1)
    with pytest.raises(FogboundError, match="job 2 of 3 ended 1 workers"):
        list(processes(3).map(_killed_beside, range(3), tmp_path))


def _refusing(_shared, number):
    raise SpecError(f"{number} is wrong")


def test_what_a_job_raises_is_raised_here():
    with pytest.raises(SpecError, match="0 is wrong"):
        list(processes(2).map(_refusing, range(3)))


def test_there_is_at_least_one_worker():
    with pytest.raises(SpecError, match="workers is 0"):
        processes(0)


@pytest.mark.parametrize("engine", ENGINES, ids=repr)
def test_what_is_done_is_told_although_an_earlier_item_is_not(engine, tmp_path):
    """Whoever keeps a journal hears of every result, before it is its turn where others computed it."""
    kept = {}
    assert list(engine.map(_drawn, range(9), "all", kept.__setitem__)) == [kept[number] for number in range(9)]


def _late_first(path, number):
    while number == 0 and not (path / "all").exists():
        check()
        time.sleep(0.01)
    return number


def test_what_is_done_is_kept_when_the_first_never_ends(tmp_path):
    cancel, kept = Cancel(), set()

    def done(number, _result):
        kept.add(number)
        if kept == {1, 2, 3}:
            cancel.set()

    with cancelling(cancel), pytest.raises(Stopped):
        list(processes(2).map(_late_first, range(4), tmp_path, done))
    assert kept == {1, 2, 3}


PARENT = """
import sys
from fogbound.parallel import processes
from fogbound.parallel.journal import RunJournal
from tests.parallel.jobs import announced

with RunJournal(sys.argv[1] + "/j.jsonl", "squares", {}, lambda number, row: None):
    list(processes(3).map(announced, [600.0] * 3, sys.argv[1]))
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_their_parent(number, tmp_path):
    """A parent that is killed alone tells nobody; its workers end all the same, and its journal is free at once."""
    (tmp_path / "workers").mkdir()
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], start_new_session=True)
    try:
        while len(workers := list((tmp_path / "workers").iterdir())) < 3 and parent.poll() is None:
            time.sleep(0.02)
        parent.send_signal(number)
        parent.wait(timeout=60)
        with RunJournal(tmp_path / "j.jsonl", "squares", {}, lambda number, row: None):
            pass
        deadline = time.monotonic() + 60
        while (living := [path.name for path in workers if _lives(int(path.name))]) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert (len(workers), living) == (3, [])
    finally:
        with suppress(ProcessLookupError):
            os.killpg(parent.pid, signal.SIGKILL)


def _lives(pid):
    """Whether a process runs; one that has ended and that nobody waits for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_worker_does_not_hold_its_parents_journal(tmp_path):
    """Also while both live: who leaves the journal leaves it to others."""
    (tmp_path / "workers").mkdir()

    def opened():
        return RunJournal(tmp_path / "j.jsonl", "squares", {}, lambda number, row: None)

    with opened():
        turn = processes(2).map(jobs.announced, [0.0, 0.5, 0.5], str(tmp_path))
        next(turn)
        while len(list((tmp_path / "workers").iterdir())) < 2:  # both were forked
            time.sleep(0.01)
    with opened():
        turn.close()
