"""The map over a Ray cluster of two nodes on this machine: the same bytes, and what becomes of it when parts go."""

from __future__ import annotations

import os
import pickle
import secrets
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.cancel import Cancel, cancelling
from fogbound.core.errors import FogboundError, SpecError, Stopped
from fogbound.parallel import here, processes, ray
from tests.parallel.jobs import compiled_once, drawn, dying, dying_once, lingering, node_of, patient, surroundings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="the extra is absent: pip install 'fogbound[ray]'"),
]
SECRET = secrets.token_hex(32)
HERE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token", "RAY_USAGE_STATS_ENABLED": "0"}


@contextmanager
def nodes(*cpus):
    """A cluster of this machine, on loopback and with a secret: its head, and other nodes."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**HERE, "RAY_AUTH_TOKEN": os.environ.get("RAY_AUTH_TOKEN", SECRET)}.items():
            patch.setenv(name, value)
        from ray.cluster_utils import Cluster

        made = Cluster(initialize_head=True, head_node_args={"num_cpus": cpus[0], "include_dashboard": False})
        for count in cpus[1:]:
            made.add_node(num_cpus=count)
        yield made
        made.shutdown()


@pytest.fixture(scope="module")
def cluster():
    with nodes(1, 1) as made:
        yield made


@pytest.fixture(scope="module")
def engine(cluster):
    return ray(cluster.address)


def bytes_of(folder, name, engine):
    """A match, a tournament and a sweep: everything they say and write."""
    folder = folder / name
    folder.mkdir()
    game, uniform = fb.game("leduc"), fb.policies.Uniform()
    match = fb.arena.match(game, [uniform] * 2, games=120, seed=5, engine=engine)
    run = {"games": 60, "exact": False, "seed": 5, "engine": engine, "resume": folder / "t.jsonl"}
    tournament = fb.tournament("leduc", "uniform", "cfr-plus(iterations=20)", **run)
    swept = fb.sweep(
        ["kuhn", "tiger"],
        ["cfr", "mccfr"],
        seeds=2,
        iterations=20,
        times=False,
        engine=engine,
        resume=folder / "s.jsonl",
    )
    kept = [(folder / name).read_bytes() for name in ("t.jsonl", "s.jsonl")]
    return [repr(match.players), repr(tournament.entrants), swept.to_html("x"), *kept]


def test_the_same_bytes_whoever_computes(engine, tmp_path):
    """One process, pools of 1, 2 and 7, and a cluster of two nodes."""
    wanted = bytes_of(tmp_path, "here", here)
    for workers in (1, 2, 7):
        assert bytes_of(tmp_path, f"{workers}", processes(workers)) == wanted
    assert bytes_of(tmp_path, "ray", engine) == wanted


def test_kernels_are_not_compiled_again_for_what_was_shared(engine):
    """Arrays arrive as they were: those that may be written, and those that may not; results as well."""
    shared = np.arange(5.0)
    shared_too = np.arange(5.0)
    shared_too.flags.writeable = False
    found = list(engine.map(compiled_once, [np.ones(5), np.full(5, 2.0)], (shared, shared_too)))
    assert [signatures for _, signatures, _ in found] == [1, 1]
    assert all(result.flags.writeable for result, _, _ in found)
    assert [flags for _, _, flags in found] == [(True, False, True)] * 2
    np.testing.assert_array_equal(found[1][0], 2 * shared)


def test_a_killed_worker_loses_nothing_and_one_that_always_kills_is_named(engine, tmp_path):
    kept = {}
    with pytest.raises(SpecError, match="6 is wrong"):  # what a job raises is raised here, after all before it
        list(engine.map(dying_once, range(7), tmp_path, kept.__setitem__))
    assert kept == {k: k * k for k in range(6)}
    with pytest.raises(FogboundError, match="job 2 of 3 was lost with its worker every time"):
        list(engine.map(dying, range(3)))


def test_stopping_keeps_what_is_done(engine, tmp_path):
    """Jobs that run are ended, and what was done before is told."""
    cancel, kept = Cancel(), {}

    def done(number, result):
        kept[number] = result
        cancel.set()

    with cancelling(cancel), pytest.raises(Stopped):
        list(engine.map(patient, [60, 0, 60], tmp_path, done))
    assert kept == {1: 0}


OWN = """
from dataclasses import dataclass
import fogbound as fb
@dataclass(frozen=True)
class Flip(fb.Game):
    players = ("one", "two")
    def start(self):
        return fb.Dist.sure(fb.Outcome("open"))
    def actors(self, state):
        return () if state == "over" else (0, 1)
    def actions(self, state, player):
        return ("heads", "tails")
    def step(self, state, joint):
        won = 1.0 if joint[0] == joint[1] else -1.0
        return fb.Dist.sure(fb.Outcome("over", (won, -won)))
"""


def test_games_of_ones_own_and_compiled_rules_travel(engine, tmp_path, monkeypatch, capsys):
    """A class in a file of one's own goes along; a search in compiled loops finds its machine code anew."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flip.py").write_text(OWN)
    run = ["tournament", "flip.py:Flip", "uniform", "uniform", "--sampled", "--games", "30", "--json"]
    assert main(run) == 0
    alone = capsys.readouterr().out
    assert main([*run, "--ray", engine.address]) == 0
    assert capsys.readouterr().out == alone
    match = {"games": 2, "seed": 3, "most_steps": 40}
    players = ["pomcp-pgt(simulations=20)", "uniform", "uniform"]
    assert fb.match("king-up", *players, engine=engine, **match) == fb.match("king-up", *players, **match)


LOOPBACK = """
from ray._private import services
services.get_node_ip_address = lambda *_: "127.0.0.1"  # where the head listens
from ray.scripts.scripts import main
main()
"""


@contextmanager
def another_node(address, cpus):
    """`ray start`, as somebody would start a node on another machine: a process of its own."""
    words = ["start", f"--address={address}", f"--num-cpus={cpus}", "--node-ip-address=127.0.0.1", "--block"]
    started = subprocess.Popen(
        [sys.executable, "-c", LOOPBACK, *words],
        env={**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield started
    finally:
        kill_all(started)


def kill_all(process):
    """A process and all that it started, at once: a machine that is switched off."""
    found = [process.pid]
    for one in found:
        children = Path(f"/proc/{one}/task").glob("*/children")
        found += [int(child) for listed in children for child in listed.read_text().split()]
    for one in found:
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    process.wait()


def until(true, seconds=40.0):
    """Wait until something holds."""
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.05)


def test_a_node_that_is_killed_in_the_middle_of_its_jobs_loses_nothing(tmp_path):
    """Its jobs run, and are never done there; once it is killed others compute them, to the same bytes."""
    jobs = range(12)
    with nodes(1) as made:
        engine = ray(made.address)
        (spared,) = engine.map(node_of, [0])
        with another_node(made.address, 2) as doomed:

            def kill():
                until(lambda: any(tmp_path.iterdir()))
                kill_all(doomed)

            killer, kept = threading.Thread(target=kill), {}
            killer.start()
            results = list(engine.map(lingering, jobs, (tmp_path, spared), kept.__setitem__))
            killer.join()
    assert any(tmp_path.iterdir()), "no job ran on the node that was killed"
    assert pickle.dumps(results) == pickle.dumps(list(here.map(lingering, jobs, (tmp_path, spared))))
    assert sorted(kept.items()) == list(enumerate(results))


PROGRAM = """
import sys
import fogbound as fb
from fogbound.parallel import ray
from tests.parallel.jobs import patient
for result in ray(sys.argv[1]).map(patient, [0.2] * 2000, None):
    print(result, flush=True)
"""


def test_whoever_is_killed_leaves_nobody_computing(cluster):
    """The process that speaks to Ray goes with the one that asked, and its jobs with it."""
    source = [*sys.path, os.getcwd()]
    asked = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, cluster.address],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(source)},
    )
    asked.stdout.readline()
    (driver,) = Path(f"/proc/{asked.pid}/task/{asked.pid}/children").read_text().split()
    assert b"ray_driver" in Path(f"/proc/{driver}/cmdline").read_bytes()
    asked.send_signal(signal.SIGKILL)
    asked.wait()
    for _ in range(150):
        if not _runs(driver):
            break
        time.sleep(0.2)
    assert not _runs(driver)


def _runs(process):
    """Whether a process is there, and more than a name that nobody asked for yet."""
    status = Path(f"/proc/{process}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


def test_a_cluster_of_this_machine_alone_listens_on_loopback_and_has_a_secret():
    address, mode, token = next(iter(ray(workers=1).map(surroundings, [0])))
    assert address.startswith("127.0.0.1:")
    assert mode == "token"
    assert len(token) == 64
    assert token != os.environ.get("RAY_AUTH_TOKEN")


SLOW = """
import time
import fogbound as fb
class Slow:
    def begin(self, observation):
        return None
    def update(self, memory, action, observation):
        return None
    def act(self, memory, actions):
        time.sleep(0.005)
        return fb.Dist.uniform(actions)
"""
DEALS = 400


@contextmanager
def command(folder, *words):
    """A tournament on the command line, with a journal, in a process of its own; it takes some seconds."""
    (folder / "slow.py").write_text(SLOW)
    asked = ["tournament", "rock-paper-scissors", "slow.py:Slow", "uniform", "--sampled", "--games", f"{DEALS}"]
    started = subprocess.Popen(
        [sys.executable, "-m", "fogbound", *asked, "--resume", "j.jsonl", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, os.getcwd()])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a terminal's group, which Ctrl-C is sent to
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def finished(folder, *words):
    """What such a tournament says when it is over, and its journal."""
    with command(folder, *words) as asked:
        said = asked.communicate(timeout=120)[0]
        assert asked.returncode == 0
    return said, (folder / "j.jsonl").read_bytes()


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The same tournament without a cluster."""
    return finished(tmp_path_factory.mktemp("alone"), "--workers", "2")


def test_ctrl_c_keeps_what_is_done_and_the_same_call_goes_on(engine, tmp_path, alone):
    """A real SIGINT, to all that a terminal would send it to."""
    path = tmp_path / "j.jsonl"
    with command(tmp_path, "--ray", engine.address) as asked:
        until(lambda: lines(path) > 1)
        os.killpg(asked.pid, signal.SIGINT)
        said = asked.communicate(timeout=60)[0]
    assert asked.returncode == 130
    assert "Interrupted: these are the deals until then." in said
    assert 1 < lines(path) < DEALS + 1
    assert finished(tmp_path, "--ray", engine.address) == alone


def test_a_head_that_is_lost_is_told_in_a_line_and_the_journal_goes_on(tmp_path, alone):
    """Ray's own driver would be silent for a minute, and then end the process; a head that is not there it awaits."""
    path = tmp_path / "j.jsonl"
    with nodes(2) as lost:
        address = lost.address
        with command(tmp_path, "--ray", address) as asked:
            until(lambda: lines(path) > 1)
            lost.head_node.kill_gcs_server(check_alive=False)
            lost.head_node.kill_raylet(check_alive=False)
            told = asked.communicate(timeout=60)[1]
        assert asked.returncode == 2
        (line,) = [one for one in told.splitlines() if one.startswith("fogbound: ")]
        assert line == (
            f"fogbound: ray {address}: the head of the cluster, {address}, is lost: what was done until then is kept"
        )
        assert told.rstrip().endswith(line)
        with pytest.raises(FogboundError, match="no head answers"):
            list(ray(address).map(drawn, range(3)))
    assert 1 < lines(path) < DEALS + 1
    assert finished(tmp_path, "--workers", "2") == alone
