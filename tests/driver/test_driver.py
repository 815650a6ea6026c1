"""The driver: why it stops, what it keeps, and that a resumed run is the uninterrupted one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from fogbound import archive, files, forms
from fogbound.core import FileError, FogboundError
from fogbound.driver.protocol import Until
from fogbound.driver.solver import Solver
from fogbound.forms.protocol import Form
from fogbound.games import make
from fogbound.solvers import make as make_solver
from tests.driver.made import Wanderer, tiger
from tests.run import solve


def test_stops_at_the_first_limit_met():
    assert solve(make_solver("belief-mdp"), tiger(), Until(gap=0.1)).stopped == "gap"
    found = solve(make_solver("belief-mdp"), tiger(), Until(iterations=7))
    assert (found.stopped, found.iterations, len(found.trace)) == ("iterations", 7, 7)
    assert solve(Wanderer(0.01), tiger(), Until(seconds=0.1)).stopped == "seconds"
    assert solve(make_solver("sequence-lp"), forms.sequence(make("leduc"))).stopped in ("finished", "gap")


def test_bounds_hold_at_every_moment():
    exact = solve(make_solver("belief-mdp"), tiger(), Until(gap=1e-9)).value
    found = solve(make_solver("belief-mdp"), tiger(), Until(gap=1e-6))
    assert all(m.lower <= exact + 1e-9 and m.upper >= exact - 1e-9 for m in found.trace)
    assert found.lower <= exact <= found.upper + 1e-9


@pytest.mark.parametrize("cut", [0, 9])
def test_what_a_resumed_solver_tells_again_is_in_the_trace_once(tmp_path, cut):
    poker, path = forms.sequence(make("card-poker(ranks=3)")), tmp_path / "c.npz"
    whole = solve(make_solver("cfr-plus"), poker, Until(iterations=40))
    solve(make_solver("cfr-plus"), poker, Until(iterations=whole.trace[cut].iteration), checkpoint=path)
    resumed = solve(make_solver("cfr-plus"), poker, Until(iterations=40), resume=path)
    assert [m.iteration for m in resumed.trace] == [m.iteration for m in whole.trace]


@pytest.mark.parametrize("solver", [make_solver("belief-mdp"), Wanderer()])
def test_resume_is_bit_equal(tmp_path, solver):
    whole = solve(solver, tiger(), Until(iterations=40), seed=5)
    for cut in (1, 13, 39):
        path = tmp_path / f"{cut}.npz"
        solve(solver, tiger(), Until(iterations=cut), seed=5, checkpoint=path, every=0)
        resumed = solve(solver, tiger(), Until(iterations=40), seed=5, resume=path)
        assert [m.value for m in resumed.trace] == [m.value for m in whole.trace]
        assert (resumed.value, resumed.lower, resumed.upper) == (whole.value, whole.lower, whole.upper)
        assert resumed.details == whole.details


def test_a_policys_value_is_no_bound_from_above():
    """Its certificate proves a lower bound; the upper one stays the solver's, and the gap lies between them."""
    found = solve(make_solver("belief-mdp"), tiger(), Until(iterations=5))
    assert found.certified == "lower"
    assert found.upper > found.lower + 1
    assert found.gap == found.upper - found.lower


def test_resume_refuses_another_problem(tmp_path):
    path = tmp_path / "c.npz"
    solve(make_solver("belief-mdp"), tiger(), Until(iterations=3), checkpoint=path)
    other = forms.belief_mdp(forms.pomdp(make("tiger(discount=0.9)")))
    with pytest.raises(FileError, match="is a checkpoint of game"):
        solve(make_solver("belief-mdp"), other, resume=path)
    with pytest.raises(FileError, match="seed"):
        solve(make_solver("belief-mdp"), tiger(), seed=9, resume=path)
    with pytest.raises(FileError, match="no such file"):
        solve(make_solver("belief-mdp"), tiger(), resume=tmp_path / "none.npz")
    files.save(solve(make_solver("belief-mdp"), tiger(), Until(gap=1)), tmp_path / "s.npz")
    with pytest.raises(FileError, match="expected a 'checkpoint' file"):
        solve(make_solver("belief-mdp"), tiger(), resume=tmp_path / "s.npz")


@pytest.mark.parametrize(("number", "word"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
def test_signals_return_the_best_so_far(number, word):
    before = signal.getsignal(number)
    threading.Timer(0.15, os.kill, (os.getpid(), number)).start()
    found = solve(Wanderer(0.005), tiger(), Until(seconds=20))
    assert found.stopped == word
    assert found.seconds < 10
    assert found.profile
    assert signal.getsignal(number) is before


def test_works_outside_the_main_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(solve(make_solver("belief-mdp"), tiger(), Until(gap=1))))
    thread.start()
    thread.join()
    assert found[0].stopped == "gap"


def test_watch_sees_the_trace_and_global_randomness_is_left_alone():
    state = np.random.get_state()[1].tolist()
    seen = []
    found = solve(Wanderer(), tiger(), Until(iterations=5), watch=seen.append)
    assert tuple(seen) == found.trace
    assert np.random.get_state()[1].tolist() == state


def test_a_solver_without_an_answer_is_an_error():
    class Silent(Solver):
        form = Form

        def run(self, form, context):
            return iter(())

    with pytest.raises(FogboundError, match="before the first answer"):
        solve(Silent(), tiger())


@pytest.mark.slow
def test_the_same_provenance_in_another_process_gives_the_same_bits(tmp_path):
    """Whatever the hash seed and the number of threads: one answer, one file (but for the clock)."""
    script = textwrap.dedent("""
        import hashlib, sys
        from fogbound import forms
        from fogbound.files.solution import encode
        from fogbound.games import make
        from fogbound.driver.options import RunOptions
        from fogbound.driver.solve import run_solver
        from fogbound.solvers import make as make_solver
        from fogbound.policies import Uniform
        digest = hashlib.sha256()
        for form, solver in (
            (forms.sequence(make("card-poker(ranks=6)")), "sequence-lp"),
            (forms.normal(make("king-ace")), "matrix-lp"),
            (forms.belief_mdp(forms.pomdp(make("leduc"), 0, {1: Uniform()})), "belief-mdp"),
        ):
            found = run_solver(make_solver(solver), form, RunOptions())
            header, arrays = encode(found)
            for name in sorted(arrays):
                if name != "trace":
                    digest.update(name.encode() + arrays[name].tobytes())
            digest.update(str([m.value.hex() for m in found.trace]).encode())
        print(digest.hexdigest())
    """)
    hashes = set()
    for seed, threads in (("0", "1"), ("1", "2"), ("random", "2")):
        env = {**os.environ, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads, "NUMBA_NUM_THREADS": threads}
        run = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
        hashes.add(run.stdout.strip())
    assert len(hashes) == 1


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(tmp_path):
    with pytest.warns(UserWarning, match="no checkpoint was written") as caught:
        found = solve(Wanderer(), tiger(), Until(iterations=50), checkpoint=tmp_path / "no" / "c.npz", every=0)
    assert found.iterations == 50
    assert len(caught) == 1


def test_checkpoints_are_ordinary_archives(tmp_path):
    path = tmp_path / "c.npz"
    solve(make_solver("belief-mdp"), tiger(), Until(iterations=3), checkpoint=path)
    header, arrays = archive.load(path, "checkpoint")
    assert header["provenance"]["game"].startswith("tiger(")
    assert set(arrays) == {"state/value", "state/swept", "trace"}
    assert [p.name for p in tmp_path.iterdir()] == ["c.npz"]
