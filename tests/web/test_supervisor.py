"""The contract of a process that computes for the server: start, answer, stop, limits, clean-up."""

import sys

import pytest

from fogbound.web.processes.child import COMMAND
from fogbound.web.processes.supervisor import ChildProcess, Supervisor
from tests.web.waiting import until

ECHO = "import sys\nfor line in sys.stdin: print(line.strip(), flush=True)"
STUBBORN = "import signal, sys, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: time.sleep(9)"
LEAVES = "import sys\nsys.exit(sys.stdin.read().count('\\n'))"


def program(script):
    return (sys.executable, "-c", script)


def test_it_is_given_a_first_line_and_answers_each_of_the_next():
    process = ChildProcess(program(ECHO), {"memory": 3})
    assert process.ask("who?", 30.0) == b'{"memory": 3}\n'
    assert process.ask("what?", 30.0) == b"who?\n"
    process.leave()
    assert process.wait() == 0
    assert process.ask("again?", 30.0) == b"what?\n"  # it said that before it went
    with pytest.raises(TimeoutError):
        process.ask("again?", 30.0)


def test_one_that_does_not_stop_when_its_time_is_over_is_killed(tmp_path):
    process = ChildProcess(program(STUBBORN), {}, printed=tmp_path / "printed", seconds=0.2, patience=0.1)
    assert process.wait() == -9
    assert process.asked_to_stop


def test_those_that_run_leave_when_the_server_closes(tmp_path):
    processes, over = Supervisor(), []
    processes.watch(
        "one", ChildProcess(program(LEAVES), {}, printed=tmp_path / "x"), lambda process: over.append(process.code)
    )
    assert len(processes) == 1
    assert "one" in processes
    processes.close()
    assert over == [1]
    assert len(processes) == 0


def test_a_command_prints_to_its_file_under_its_limits(tmp_path):
    printed = tmp_path / "printed"
    process = ChildProcess(COMMAND, {"words": ["--version"], "memory": 4 * 1024**3}, printed=printed)
    assert process.wait() == 0
    assert printed.read_text().startswith("fogbound ")


@pytest.mark.slow
def test_a_command_ends_when_the_server_is_gone(tmp_path):
    words = ["solve", "leduc", "--with=cfr", "--iterations=100000000"]
    process = ChildProcess(COMMAND, {"words": words}, printed=tmp_path / "printed", log=tmp_path / "log")
    until(lambda: process.age > 2)
    process.leave()
    assert process.wait() is not None
