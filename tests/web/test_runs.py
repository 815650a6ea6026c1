"""Runs belong to the server: how many at once, who waits, and who dies."""

import json
import os
import signal
import sys
from dataclasses import replace

import pytest

from fogbound.core.errors import SpecError
from fogbound.web.refusal import Refusal
from fogbound.web.runs.folder import Asked, RunFolder
from fogbound.web.runs.store import MOST_DEATHS, Runs
from fogbound.web.runs.worker import Trace
from fogbound.web.settings import Settings
from tests.web.waiting import until

# A run that does nothing until it is told to: it leaves when its input ends, and has the last word when it is stopped.
IDLE = """
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
with (folder / "began").open("a") as file: file.write("x")
sys.stdin.readline()
if sys.stdin.readline().strip() == "stop": (folder / "over.json").write_text(json.dumps({"state": "kept", "gap": 0.5}))
"""
KUHN = Asked("kuhn", "cfr")


@pytest.fixture
def runs(tmp_path):
    made = store(tmp_path)
    made.open()
    yield made
    made.close()


def store(folder, resolve=lambda asked: {"game": asked.game, "against": ""}, script=IDLE, **settings):
    wanted = replace(Settings(folder=folder, workers=2, queue=4), **settings)
    return Runs(wanted, resolve, (sys.executable, "-c", script))


def states(runs):
    return sorted(row.state for row in runs.rows())


def began(runs, run):
    file = runs.get(run).path / "began"
    return until(lambda: file.exists() and len(file.read_text()))


def test_so_many_compute_the_rest_wait_in_sight_and_more_are_refused(runs):
    ids = [runs.submit(KUHN) for _ in range(6)]
    assert states(runs) == ["queued"] * 4 + ["running"] * 2
    assert [runs.before(runs.get(run)) for run in ids[2:]] == [0, 1, 2, 3]
    with pytest.raises(Refusal, match="4 waiting") as refusal:
        runs.submit(KUHN)
    assert refusal.value.status == 429
    assert len(list(runs.folder.glob("*/run.json"))) == 6


def test_a_hundred_at_once_start_no_more_processes_than_there_may_be(runs):
    taken = 0
    for _ in range(100):
        try:
            runs.submit(KUHN)
            taken += 1
        except Refusal:
            continue
    assert taken == 6
    assert states(runs).count("running") == 2


def test_when_one_is_over_the_next_begins_in_order(runs):
    ids = [runs.submit(KUHN) for _ in range(4)]
    runs.stop(runs.get(ids[0]))
    until(lambda: runs.state(runs.get(ids[0])) == "kept")
    until(lambda: runs.state(runs.get(ids[2])) == "running")
    assert runs.state(runs.get(ids[3])) == "queued"
    row = next(row for row in runs.rows() if row.id == ids[0])
    assert (row.state, row.gap) == ("kept", 0.5)


def test_one_that_waits_can_be_stopped_and_discarded(runs):
    ids = [runs.submit(KUHN) for _ in range(4)]
    runs.stop(runs.get(ids[2]))
    assert runs.get(ids[2]).over()["why"] == "stopped before it began"
    runs.discard(runs.get(ids[3]))
    with pytest.raises(Refusal):
        runs.get(ids[3])


def test_one_that_computes_can_be_discarded(runs):
    run = runs.submit(KUHN)
    began(runs, run)
    runs.discard(runs.get(run))
    until(lambda: not (runs.folder / run).exists())
    assert runs.rows() == []


def test_a_worker_that_is_killed_is_started_again_and_not_for_ever(runs):
    run = runs.submit(KUHN)
    for death in range(MOST_DEATHS):
        until(lambda again=death + 1: began(runs, run) >= again)
        until(lambda: run in runs.processes)
        os.kill(runs.processes.get(run).pid, signal.SIGKILL)
    until(lambda: runs.state(runs.get(run)) == "failed")
    assert runs.get(run).over()["why"] == "its process died 3 times (signal 9)"


def test_a_server_that_ends_leaves_runs_that_the_next_one_goes_on_with(tmp_path):
    first = store(tmp_path)
    first.open()
    ids = [first.submit(KUHN) for _ in range(3)]
    for run in ids[:2]:
        began(first, run)
    pids = [first.processes.get(run).pid for run in ids[:2]]
    first.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    second = store(tmp_path)
    second.open()
    assert [second.state(second.get(run)) for run in ids] == ["running", "running", "queued"]
    second.close()


def test_what_cannot_be_resolved_any_more_says_why(tmp_path):
    def gone(_asked):
        raise SpecError("that game is no longer on the command line")

    runs = store(tmp_path, gone)
    runs.open()
    run = runs.submit(KUHN)
    assert "no longer" in runs.get(run).over()["why"]
    runs.close()


def test_the_next_server_lists_what_the_folders_say(tmp_path):
    runs = store(tmp_path)
    runs.open()
    ids = {runs.submit(KUHN) for _ in range(3)}
    runs.close()
    again = store(tmp_path)
    again.open()
    assert {row.id for row in again.rows()} == ids
    again.close()


@pytest.mark.parametrize("text", ["", "[]", "null", '{"game": 3, "what": 1}', "{" * 10_000, "\0"])
def test_damaged_files_of_a_run_are_no_run(tmp_path, text):
    runs = store(tmp_path)
    folder = runs.folder / ("0" * 32)
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(text)
    runs.open()
    assert runs.rows() == []
    with pytest.raises(Refusal):
        runs.get("0" * 32)
    runs.close()


def test_a_resumed_trace_takes_back_what_is_done_anew(tmp_path):
    from fogbound.driver.protocol import TraceEntry

    folder = RunFolder(tmp_path)
    folder.trace.write_text("".join(json.dumps([k, float(k), 0, 0, 1, 1]) + "\n" for k in range(1, 9)) + '[9, "torn')
    trace = Trace(folder.trace)
    trace.watch(TraceEntry(5, 5.0, 0.0, 0.0, 1.0, 1.0))
    trace.close()
    assert [entry.iteration for entry in folder.entries()] == [1, 2, 3, 4, 5]


def test_the_newest_line_of_a_trace_is_always_written(tmp_path):
    from fogbound.driver.protocol import TraceEntry

    trace = Trace(tmp_path / "trace.jsonl")
    for k in range(1, 2001):
        trace.watch(TraceEntry(k, k / 1000, 0.0, -float("inf"), 1.0, 1.0))
    trace.close()
    entries = RunFolder(tmp_path).entries()
    assert entries[-1].iteration == 2000
    assert entries[-1].lower == -float("inf")
    assert len(entries) < 2000


def test_one_that_was_stopped_by_hand_can_go_on(runs):
    run = runs.submit(KUHN)
    began(runs, run)
    runs.stop(runs.get(run))
    until(lambda: runs.state(runs.get(run)) == "kept")
    with pytest.raises(Refusal, match="cannot go on"):
        runs.go_on(runs.get(run))  # nobody says that it was stopped by hand, and there is no checkpoint
    runs.get(run).end(state="kept", stopped="interrupted")
    runs.get(run).checkpoint.touch()
    runs.go_on(runs.get(run))
    until(lambda: began(runs, run) == 2)
    with pytest.raises(Refusal):
        runs.go_on(runs.get(run))
    assert states(runs) == ["running"]
