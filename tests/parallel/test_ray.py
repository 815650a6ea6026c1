"""The map over a Ray cluster of two nodes on this machine: the same bytes, and what becomes of it when parts go."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.cancel import Cancel, cancelling
from fogbound.core.errors import FogboundError, SpecError, Stopped
from fogbound.parallel import here, processes, ray
from tests.parallel.jobs import compiled_once, drawn, dying, dying_once, patient, surroundings

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


def test_games_of_ones_own_and_twins_travel(engine, tmp_path, monkeypatch, capsys):
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


def test_a_node_that_is_lost_loses_nothing(cluster, engine, tmp_path):
    """It is killed once its jobs run; others compute them again."""
    node = cluster.add_node(num_cpus=2)
    began = threading.Event()

    def kill():
        began.wait(60)
        cluster.remove_node(node, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    results = []
    for result in engine.map(patient, [0.3] * 24, tmp_path):
        results.append(result)
        began.set()
    killer.join()
    assert results == [0.3] * 24


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


def test_a_head_that_is_lost_is_told_and_the_journal_goes_on(tmp_path):
    """Ray's own driver would be silent for a minute, and then end the process; a head that is not there it awaits."""
    path, run = tmp_path / "j.jsonl", {"games": 4000, "exact": False, "resume": tmp_path / "j.jsonl"}
    with nodes(2) as lost:
        engine = ray(lost.address)

        def watch(deals):
            if deals == 1:
                lost.head_node.kill_gcs_server(check_alive=False)
                lost.head_node.kill_raylet(check_alive=False)

        with pytest.raises(FogboundError, match="head of the cluster|its driver ended"):
            fb.tournament("leduc", "uniform", "uniform", engine=engine, watch=watch, **run)
        with pytest.raises(FogboundError, match="no head answers"):
            list(engine.map(drawn, range(3)))
    kept = len(path.read_text().splitlines()) - 1
    assert 0 < kept < 4000
    again = fb.tournament("leduc", "uniform", "uniform", engine=processes(2), **{**run, "games": kept + 50})
    assert again == fb.tournament("leduc", "uniform", "uniform", games=kept + 50, exact=False)
    assert json.loads(path.read_text().splitlines()[-1])["number"] == kept + 49
