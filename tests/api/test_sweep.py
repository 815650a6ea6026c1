"""Sweeps: every cell a row, the same bytes whoever computes, nothing lost, nothing believed."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

import fogbound as fb
from fogbound.api import experiments
from fogbound.cli.main import main
from fogbound.core.errors import FileError, SpecError, Stopped
from fogbound.driver.protocol import Progress, TraceEntry
from fogbound.driver.solve import versions
from fogbound.experiments.sweeps import run as running
from fogbound.experiments.sweeps.plan import RunPoint, limits_text, read_limits
from fogbound.experiments.sweeps.result import _fitted, gap_curve, mean_gap
from fogbound.experiments.sweeps.run import run_cell, thinned_trace
from fogbound.parallel import here
from fogbound.solvers import SOLVERS as SOLVERS_BY_NAME
from fogbound.solvers import make
from fogbound.solvers.regret.minimiser import RegretMinimiser

GAMES, SOLVERS = ["kuhn", "rock-paper-scissors"], ["cfr", "cfr-plus"]


def swept(resume=None, **more):
    return fb.sweep(GAMES, SOLVERS, **{"seeds": 2, "iterations": 20, "times": False, "resume": resume, **more})


def test_every_combination_is_a_row():
    found = swept(iterations=None, stops=[{"iterations": 10}, {"iterations": 20, "gap": 1e-6}])
    assert len(found.rows) == len(found.plan) == 2 * 2 * 2 * 2
    assert [row.number for row in found.rows] == list(range(16))
    assert {row.until for row in found.rows} == {"iterations=10", "gap=1e-06, iterations=20"}
    assert found.rows[0].versions["fogbound"] == fb.__version__
    assert (found.stopped, found.failed) == ("finished", ())
    kuhn = fb.solve("kuhn", "cfr", seed=1, iterations=10)
    row = next(
        row for row in found.rows if (row.game, row.solver, row.until, row.seed) == ("kuhn", "cfr", "iterations=10", 1)
    )
    assert (row.value, row.gap, row.stopped, row.seconds) == (kuhn.value, kuhn.gap, "iterations", None)
    assert row.curve[-1][::2] == (10, kuhn.gap)
    assert not row.curve_claimed


@pytest.mark.parametrize("workers", [2, 7])
def test_the_bytes_do_not_depend_on_who_computes(workers, tmp_path):
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    alone, many = swept(one), swept(other, workers=workers)
    assert one.read_bytes() == other.read_bytes()
    assert alone == many
    assert alone.to_html("x") == many.to_html("x")


def test_shards_merge_to_the_bytes_of_the_whole(tmp_path):
    whole, parts = tmp_path / "whole.jsonl", [tmp_path / f"{k}.jsonl" for k in (1, 2, 3)]
    found = swept(whole)
    shares = [swept(part, shard=f"{k}/3") for k, part in enumerate(parts, 1)]
    assert [len(share.rows) for share in shares] == [3, 3, 2]
    assert "3 of 8 cells are here, 5 are not yet" in shares[0].lines()
    merged = fb.merge(*reversed(parts), into=tmp_path / "merged.jsonl")
    assert (tmp_path / "merged.jsonl").read_bytes() == whole.read_bytes()
    assert fb.api.SweepResult.of(merged) == found
    with pytest.raises(SpecError, match="needs resume="):
        swept(shard="1/2")


def test_a_failing_cell_is_a_row_with_its_reason(tmp_path):
    found = fb.sweep(["kuhn", "tiger"], ["sarsop", "cfr"], iterations=3, resume=tmp_path / "j.jsonl", times=False)
    assert [bool(row.failed) for row in found.rows] == [True, False, False, True]
    assert "against=POLICY" in found.rows[0].failed
    told = "\n".join(found.lines())
    assert "failed: kuhn, sarsop, seed 0: " in told
    assert all(len(line) <= 80 for line in found.lines())
    assert "What failed" in found.to_html()
    again = fb.sweep(["kuhn", "tiger"], ["sarsop", "cfr"], iterations=3, resume=tmp_path / "j.jsonl", times=False)
    assert again == found


OWN = """
from dataclasses import dataclass
import fogbound as fb
@dataclass(frozen=True)
class Broken(fb.Game):
    players = ("one",)
    def start(self):
        raise RuntimeError("no idea")
    def actors(self, state):
        return ()
    def actions(self, state, player):
        return ()
    def step(self, state, joint):
        return None
"""


def test_what_a_games_own_code_raises_is_a_reason(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text(OWN)
    found = fb.sweep([f"{path}:Broken", "tiger"], "sarsop", iterations=2, times=False)
    assert "no idea" in found.rows[0].failed
    assert not found.rows[1].failed
    assert list(found.plan.inputs[f"{path}:Broken"]) == ["broken.py"]


def test_ctrl_c_keeps_what_is_done_and_the_same_call_goes_on(tmp_path, monkeypatch):
    """The signal comes in the middle of a run: that one is no row, those before it are."""
    path, whole = tmp_path / "j.jsonl", tmp_path / "whole.jsonl"
    swept(whole)
    solved = running.run_cell

    def interrupted(plan, number):
        if number == 3:
            signal.raise_signal(signal.SIGINT)
        return solved(plan, number)

    monkeypatch.setattr(running, "run_cell", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        found = swept(path)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (found.stopped, len(found.rows)) == ("interrupted", 3)
    asked = []
    monkeypatch.setattr(running, "run_cell", lambda plan, number: asked.append(number) or solved(plan, number))
    assert swept(path).stopped == "finished"
    assert asked == [3, 4, 5, 6, 7]
    assert path.read_bytes() == whole.read_bytes()


def killing(plan, number):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return run_cell(plan, number)


def test_a_cell_that_takes_its_workers_down_is_a_row_as_well(monkeypatch):
    monkeypatch.setattr(running, "run_cell", killing)
    monkeypatch.setattr("fogbound.parallel.engine.TRIES", 1)
    found = swept(workers=2)
    assert [row.number for row in found.failed] == [2]
    assert "ended its worker every time" in found.failed[0].failed
    assert (len(found.rows), found.stopped) == (8, "finished")


class Backwards:
    """An engine that is done with the last item first: a journal must not mind."""

    sends = False

    def map(self, function, items, shared=None, done=None):
        results = {}
        for number in reversed(range(len(items))):
            results[number] = function(shared, items[number])
            done(number, results[number])
        yield from (results[number] for number in range(len(items)))


def test_rows_that_come_in_another_order_are_settled(tmp_path):
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    assert swept(one, engine=here) == swept(other, engine=Backwards())
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda row: row.update(game="leduc"), "expected"),
        (lambda row: row.update(seed=True), "expected"),
        (lambda row: row.update(gap="small"), "gap is"),
        (lambda row: row.update(gap=True), "gap is"),
        (lambda row: row.update(value=123.0), "value 123 is not between lower"),
        (lambda row: row.update(lower=5.0), "lower 5 is above upper"),
        (lambda row: row.update(upper=-5.0), "is above upper -5"),
        (lambda row: row.update(lower=None, upper=row["value"] - 0.1), "is not between upper"),
        (lambda row: row.update(value=1e308), "value is 1e\\+308"),
        (lambda row: row.update(gap=1e308), "gap is 1e\\+308"),
        (lambda row: row.update(gap=0.0), "gap 0 is less than from lower"),
        (lambda row: row.update(gap=-1.0), "expected 0 or more"),
        (lambda row: row.update(iterations=-1), "expected 0 or more"),
        (lambda row: row.update(iterations=1.5), "iterations is"),
        (lambda row: row.update(number=99), "expected one of 8"),
        (lambda row: row.update(more=1), "not expected"),
        (lambda row: row.update(failed=None), "failed is"),
        (lambda row: row.update(failed="so"), "not expected"),
        (lambda row: row.update(versions="1"), "versions is"),
        (lambda row: row.pop("value"), "value"),
        (lambda row: row.pop("versions"), "says nothing of versions"),
        (lambda row: row.update(curve=[[1, None]]), "a point is"),
        (lambda row: row.update(curve=[[1, None, -2.0]]), "a point is"),
        (lambda row: row.update(curve=[[1, 0.5, 2.0]]), "a point is"),
        (lambda row: row.update(curve=[[2, None, 2.0], [1, None, 2.0]]), "goes back"),
        (lambda row: row.update(curve={}), "expected a list"),
    ],
)
def test_a_forged_row_is_refused_in_a_line(change, words, tmp_path):
    path = tmp_path / "j.jsonl"
    swept(path)
    lines = path.read_text().splitlines()
    row = json.loads(lines[4])
    change(row)
    path.write_text("\n".join([*lines[:4], json.dumps(row), *lines[5:]]) + "\n")
    with pytest.raises(FileError, match=words) as caught:
        swept(path)
    assert "j.jsonl:5: " in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(FileError, match=words):
        fb.merge(path)


@pytest.mark.parametrize("key", ["games", "seeds", "times", "player", "more"])
def test_a_journal_of_no_sweep_is_refused(key, tmp_path):
    path = tmp_path / "j.jsonl"
    swept(path)
    header, *rows = path.read_text().splitlines()
    told = json.loads(header)
    told["about"][key] = 3
    path.write_text("\n".join([json.dumps(told), *rows]) + "\n")
    with pytest.raises(FileError, match="j.jsonl: "):
        fb.merge(path)
    with pytest.raises(FileError, match="of another sweep"):
        swept(path)


def test_another_sweep_is_refused(tmp_path):
    swept(tmp_path / "j.jsonl")
    for more in ({"seeds": 3}, {"iterations": 21}, {"times": True}, {"limit": 100}):
        with pytest.raises(FileError, match="of another sweep"):
            swept(tmp_path / "j.jsonl", **more)


def test_a_file_that_changed_is_another_game(tmp_path):
    model, path = tmp_path / "tiger.pomdp", tmp_path / "j.jsonl"
    fb.convert("tiger", model)
    fb.sweep(model, "sarsop", iterations=2, resume=path)
    model.write_text(model.read_text().replace("100", "101"))
    with pytest.raises(FileError, match="of another sweep: .*tiger.pomdp, an input of .*, has changed"):
        fb.sweep(model, "sarsop", iterations=2, resume=path)


@pytest.mark.parametrize(
    ("games", "solvers", "more", "words"),
    [
        ("kuhhn", "cfr", {}, "unknown game"),
        ("kuhn", "cfrr", {}, "unknown solver"),
        ([], "cfr", {}, "no games"),
        ("kuhn", [], {}, "no solvers"),
        ("kuhn", ["cfr", "cfr"], {}, "stands twice"),
        ("kuhn", "cfr", {"seeds": 0}, "no seeds"),
        ("kuhn", "cfr", {"seeds": [-1]}, "0 or more"),
        ("kuhn", "cfr", {"seeds": "12"}, "expected how many"),
        ("kuhn", "cfr", {"seeds": True}, "expected how many"),
        ("kuhn", "cfr", {"stops": [{"hours": 1}]}, "expected one of gap"),
        ("kuhn", "cfr", {"stops": [{"gap": 1}], "gap": 2}, "one of them"),
        ("kuhn", "cfr", {"gap": -1}, "0 or more"),
        ("kuhn", "cfr", {"seeds": range(2_000_000)}, "at most"),
    ],
)
def test_bad_questions(games, solvers, more, words):
    with pytest.raises(SpecError, match=words):
        fb.sweep(games, solvers, **more)


def test_limits_are_text_and_back():
    for limits in ({}, {"gap": "1%"}, {"gap": 0.001, "seconds": 10.0, "iterations": 5}, {"seconds": 0.5}):
        assert read_limits(limits_text(limits)) == limits
    for text in ("gap", "gap=x", "hours=3", "gap=1, gap=2", "", "iterations=1.5", "gap=-1"):
        with pytest.raises(SpecError):
            read_limits(text)


def test_curves_are_means_over_runs():
    """Geometric means of what each run has reached by then; whoever has ended keeps its last gap."""
    fast = [RunPoint(1, 0.1, 1.0), RunPoint(10, 1.0, 0.01)]
    slow = [RunPoint(2, 0.2, 1.0), RunPoint(20, 4.0, 0.01)]
    over = gap_curve([fast, slow], "seconds")
    assert [point.place for point in over] == [0.2, 1.0, 4.0]
    assert [point.gap for point in over] == pytest.approx([1.0, 0.1, 0.01])
    assert over[0].low == over[0].high == 1.0
    assert over[1].low < 0.1 < over[1].high
    assert [point.place for point in gap_curve([fast, slow], "iterations")] == [2, 10, 20]
    assert gap_curve([], "seconds") == gap_curve([[]], "seconds") == ()
    assert mean_gap([0.0, 1.0])[0] == pytest.approx(1e-6)
    long = [[RunPoint(k, None, 1 / k) for k in range(1, 5000)]]
    curve = gap_curve(long, "iterations")
    assert len(curve) <= 242
    assert (curve[0].place, curve[-1].place) == (1, 4999)


JITTER = [  # the same steps, once fast and once slow
    [RunPoint(1, 0.1, 1e3), RunPoint(2, 0.2, 1e-6), RunPoint(3, 0.3, 1e-7)],
    [RunPoint(1, 0.3, 1e3), RunPoint(2, 6.0, 1e-6)],
]


def test_a_clocks_jitter_is_no_sampling_error():
    """Runs that take the same steps are one curve: each step at the mean of its times, and never an interval."""
    curve = gap_curve(JITTER, "seconds")
    assert [(point.place, point.gap) for point in curve] == [(0.2, 1e3), (pytest.approx(3.1), 1e-6), (3.1, 1e-7)]
    assert all(point.low == point.gap == point.high for point in curve)
    assert [point.place for point in gap_curve(JITTER, "iterations")] == [1, 2, 3]
    other = [JITTER[0], [RunPoint(1, 0.3, 9e2), *JITTER[1][1:]]]
    assert gap_curve(other, "seconds")[0].low < gap_curve(other, "seconds")[0].high


SAMPLING = [name for name in SOLVERS_BY_NAME if isinstance(make(name), RegretMinimiser) and name != "cfr-plus"]


@pytest.mark.parametrize("solver", [*SAMPLING, "cfr(sampling=full)", "mccfr(sampling=outcome)"])
def test_sampling_solvers_say_so_and_only_they_have_an_interval(solver):
    """By registry: runs differ with their seeds exactly where a solver says that its iterations are samples."""
    found = fb.sweep("kuhn", [solver, "cfr-plus"], seeds=3, iterations=40)
    (group, swept), samples = found.groups, make(solver).samples
    assert (group.deterministic, group.samples, swept.samples) == (not samples, samples, False)
    curve = group.curve("seconds")
    assert any(point.low < point.high for point in curve) == samples
    assert (found.cells(group)[4] == "–") == (not samples)
    assert ("(samples)" in found.picture(over="iterations").text) == samples
    assert any("is one sample" in line for line in found.lines()) == samples


def test_the_key_of_a_picture_and_the_table_say_the_same(tmp_path):
    found = fb.sweep("kuhn", ["cfr", "cfr-plus"], seeds=3, iterations=40)
    for over, column in (("seconds", 6), ("iterations", 5)):
        keys = found.picture(over=over).text.splitlines()
        assert [words.endswith(f" after {found.cells(group)[column]}") for words, group in zip(keys, found.groups)] == [
            True,
            True,
        ]
    both = found.picture(over="both")
    assert both.text == found.picture(over="seconds").text + found.picture(over="iterations").text
    assert both.svg.count("<svg") == 1
    found.save(tmp_path / "both.svg", over="both")
    with pytest.raises(SpecError, match="over is 'hours'"):
        found.picture(over="hours")
    for over in ("seconds", "both"):
        with pytest.raises(SpecError, match="times were left out"):
            fb.sweep("kuhn", "cfr", iterations=3, times=False).picture(over=over)


def test_a_cold_start_is_in_no_cells_time(monkeypatch):
    """Each process solves every game by every solver for a moment first, again where that took all of its time."""
    asked, solved = [], fb.solve

    def noting(game, solver, **more):
        cold = len(asked) < 2
        asked.append((game, solver, more.get("seconds"), more.get("iterations")))
        if cold and len(asked) == 1:
            raise Stopped("seconds")
        return solved(game, solver, **more)

    monkeypatch.setattr(experiments, "solve", noting)
    monkeypatch.setattr(running, "_warm", set())
    fb.sweep(["kuhn", "rock-paper-scissors"], "cfr-plus", seeds=2, iterations=5)
    warm = [(game, "cfr-plus", seconds, 20) for game, seconds in (("kuhn", 1.0), ("kuhn", 2.0))]
    assert asked[:4] == [*warm, ("kuhn", "cfr-plus", None, 5), ("kuhn", "cfr-plus", None, 5)]
    assert asked[4][2:] == (1.0, 20)
    assert [more[2:] for more in asked[5:]] == [(None, 5)] * 2


def test_an_answer_that_contradicts_itself_is_a_failed_row(monkeypatch):
    solved = fb.solve
    monkeypatch.setattr(experiments, "solve", lambda *given, **more: replace(solved(*given, **more), value=123.0))
    found = fb.sweep("kuhn", "cfr", iterations=2, times=False)
    assert "contradicts itself: value 123 is not between" in found.rows[0].failed


def test_a_curve_keeps_what_can_be_seen():
    trace = [TraceEntry(k, k / 1000, 0.0, 0.0, 1 / k, 1 / k) for k in range(1, 100_000)]
    kept = thinned_trace(trace)
    assert len(kept) <= 301
    assert (kept[0], kept[-1]) == (trace[0], trace[-1])
    assert thinned_trace([]) == thinned_trace([TraceEntry(1, 0.0, 0.0, 0.0, float("inf"), float("inf"))]) == []


def test_a_sweep_tells_itself(tmp_path):
    found = fb.sweep("kuhn", ["cfr", "cfr-plus"], seeds=3, iterations=30)
    assert all(len(line) <= 80 for line in found.lines())
    assert all(row.seconds > 0 and row.curve[-1].seconds > 0 for row in found.rows)
    assert "6 cells, 6 here" in repr(found)
    rows = list(csv.DictReader(io.StringIO(found.to_csv(tmp_path / "rows.csv"))))
    assert [float(row["gap"]) for row in rows] == [row.gap for row in found.rows]
    assert (tmp_path / "rows.csv").read_text() == found.to_csv()
    assert [{name: row[name] for name in versions()} for row in rows] == [versions()] * 6  # each of them, not one
    page = found.to_html("fogbound sweep <b>")
    assert page.count("<svg") == 3  # over seconds, over iterations, and the mark
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "fogbound sweep &lt;b&gt;" in page
    assert "<svg" in found._repr_html_()
    found.save(tmp_path / "curves.svg")
    assert "fill-opacity" in (tmp_path / "curves.svg").read_text()  # the band of the interval
    with pytest.raises(SpecError, match="expected .html"):
        found.save(tmp_path / "curves.gif")
    with pytest.raises(SpecError, match="has no game"):
        found.picture("leduc")
    with pytest.raises(SpecError, match="expected one for a picture"):
        swept().picture()


def test_long_names_stand_on_lines_of_their_own():
    rows = [("solver", "runs", "gap"), ("mccfr(sampling=outcome)", "3", "0.25")]
    assert _fitted(rows, 80) == ["solver                   runs   gap", "mccfr(sampling=outcome)     3  0.25"]
    assert _fitted(rows, 30) == ["solver", "  runs   gap", "mccfr(sampling=outcome)", "     3  0.25"]


def test_command(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["sweep", "kuhn", "--with", "cfr", "--with", "cfr-plus", "--seeds", "3-5", "--iterations", "20"]
    assert main([*words, "--resume", "j.jsonl", "-o", "page.html", "-o", "rows.csv", "--no-times"]) == 0
    told = capsys.readouterr()
    assert re.search(r"cfr-plus +3 ", told.out)
    assert "wrote page.html" in told.err
    assert main([*words, "--json", "--no-times"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["seed"] for row in rows] == [3, 4, 5] * 2
    for k in (1, 2):
        assert main([*words, "--resume", f"{k}.jsonl", "--shard", f"{k}/2", "--no-times"]) == 0
    assert main(["merge", "2.jsonl", "1.jsonl", "-o", "whole.jsonl", "-o", "merged.csv"]) == 0
    capsys.readouterr()
    assert (tmp_path / "whole.jsonl").read_bytes() == (tmp_path / "j.jsonl").read_bytes()
    assert (tmp_path / "merged.csv").read_bytes() == (tmp_path / "rows.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sweep", "kuhn"], "--with"),
        (["sweep", "kuhn", "--with", "cfr", "--seeds", "0"], "expected how many"),
        (["sweep", "kuhn", "--with", "cfr", "--seeds", "9-3"], "expected how many"),
        (["sweep", "kuhn", "--with", "cfr", "--until", "soon"], "found the limit 'soon'"),
        (["sweep", "kuhn", "--with", "cfr", "-o", "page.doc"], "expected .html"),
        (["sweep", "kuhn", "--with", "cfr", "-o", "nowhere/page.html"], "there is no folder"),
        (["sweep", "kuhn", "--with", "cfr", "--shard", "1/2"], "needs --resume"),
        (["sweep", "kuhn", "--with", "cfr", "--ray", "somewhere"], "write --ray last"),
        (["merge", "nothing.jsonl"], "there is no such file"),
        (["merge", "nothing.jsonl", "-o", "x.npz"], "expected .jsonl"),
        (["sweep", "tiger", "--with", "cfr"], ""),
    ],
)
def test_bad_commands_cost_a_line(words, said, capsys):
    assert main(words) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_whoever_is_interrupted_or_killed_goes_on(number, tmp_path):
    """Ctrl-C reaches the whole group of processes, as a terminal sends it; a kill nobody is told of."""
    words = ["sweep", "leduc", "--with", "mccfr", "--seeds", "12", "--iterations", "3000", "--no-times"]
    command = [sys.executable, "-m", "fogbound", *words, "--workers", "2", "--resume"]
    journal = tmp_path / "cut.jsonl"
    run = subprocess.Popen([*command, str(journal)], stderr=subprocess.PIPE, text=True, start_new_session=True)
    while run.poll() is None and not (journal.exists() and len(journal.read_text().splitlines()) > 2):
        time.sleep(0.02)
    os.killpg(run.pid, number)
    said = run.communicate(timeout=60)[1]
    if number == signal.SIGINT:
        assert (run.returncode, "the same call goes on" in said) == (130, True), said
    assert 1 < len(journal.read_text().splitlines()) < 13
    for path in (journal, tmp_path / "whole.jsonl"):
        assert subprocess.run([*command, str(path)], capture_output=True).returncode == 0
    assert journal.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@dataclass(frozen=True)
class Boast(fb.Solver[fb.forms.SequenceForm]):
    """A solver from outside that plays uniformly, and claims a gap of a billionth."""

    name = "boast"
    form: ClassVar[type[fb.forms.SequenceForm]] = fb.forms.SequenceForm
    finds: ClassVar[str] = "equilibrium"

    def run(self, form, context):
        for _ in range(2):
            yield Progress(0.3, 0.3, 0.3 + 1e-9, lambda: dict.fromkeys((0, 1), fb.policies.Uniform()), more=True)


def test_a_curve_agrees_with_its_table_and_says_what_is_claimed(monkeypatch):
    monkeypatch.setitem(SOLVERS_BY_NAME.places, "boast", f"{__name__}:Boast")
    found = fb.sweep("kuhn", ["boast", "cfr"], seeds=1, iterations=20, times=False)
    boast, cfr = found.rows
    assert boast.gap == pytest.approx(0.9166667, abs=1e-6)
    assert boast.curve[-1].gap == boast.gap
    assert [row.curve_claimed for row in found.rows] == [True, False]
    assert (boast.claimed, cfr.claimed) == ("", "")
    assert [group.curve_claimed for group in found.groups] == [True, False]
    assert "boast (claimed)" in found.picture().svg
    assert "cfr (claimed)" not in found.picture().svg
    told = " ".join(" ".join(found.lines()).split())
    assert "claimed: kuhn, boast: the gaps of its curve are the solver's word" in told
    assert "is marked as claimed" in found.to_html()
