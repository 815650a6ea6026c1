"""Solvers from outside: in a file of one's own, as objects, from installed packages; on every engine alike."""

from __future__ import annotations

import csv
import shutil
import sys
import types
from dataclasses import dataclass
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.__main__ import main
from fogbound.core import registry
from fogbound.core.errors import FileError, SpecError

HEDGE = Path(__file__).parents[2] / "examples" / "hedge.py"
LIMIT = {"iterations": 12}


@dataclass(frozen=True)
class Still(fb.Solver[fb.forms.SequenceForm]):
    """Plays uniformly."""

    noise: float = 0.0
    form = fb.forms.SequenceForm
    finds = "uniform play"

    def run(self, form, context):
        yield fb.Progress(0.0, -1.0, 1.0, lambda: dict.fromkeys((0, 1), fb.policies.Uniform()))


@pytest.fixture
def hedge(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(HEDGE, tmp_path)
    return "hedge.py:Hedge"


def test_a_solver_in_a_file_is_run_like_any_other(hedge, capsys):
    words = ["kuhn", "--with", hedge, "--rate", "0.4", "--json"]
    assert main(["solve", *words, "--iterations", "10", "--checkpoint", "half.npz", "-o", "hedge.npz"]) == 0
    assert main(["solve", *words, "--iterations", "20", "--resume", "half.npz"]) == 0
    assert main(["verify", "kuhn", "hedge.npz"]) == 0
    named = fb.solver(f"{hedge}(rate=0.4)")
    assert (named.name, named.rate, str(named.form.kind)) == (hedge, 0.4, "normal")
    whole = fb.solve("kuhn", named, iterations=20)
    assert (whole.certified, whole.provenance["solver"]) == ("both", f"{hedge}(rate=0.4)")
    assert f'"gap": {whole.gap}' in capsys.readouterr().out
    assert fb.policy(f"{hedge}(iterations=5)", "kuhn")
    assert fb.load("hedge.npz").profile


def test_a_checkpoint_of_another_version_of_the_file_is_refused(hedge, tmp_path):
    fb.solve("kuhn", hedge, checkpoint="half.npz", **LIMIT)
    (tmp_path / "hedge.py").write_text(HEDGE.read_text().replace("0.3", "0.30"))
    with pytest.raises(FileError, match=r"hedge\.py.*changed"):
        fb.solve("kuhn", hedge, resume="half.npz", **LIMIT)


def test_the_example_keeps_the_contract(hedge):
    form = fb.forms.normal(fb.game("kuhn"))
    assert fb.testing.check_solver(fb.solver(hedge), form, fb.Until(iterations=20)).certified == "both"


def test_what_is_resumed_to_another_answer_breaks_the_contract():
    class Forgetful(Still):
        def run(self, form, context):
            for k in range(3):
                yield fb.Progress(0.1 * k, -1.0, 1.0 + k, lambda: dict.fromkeys((0, 1), fb.policies.Uniform()))

    form = fb.forms.sequence(fb.game("kuhn"))
    assert fb.testing.check_solver(Forgetful(), form)  # keeps nothing, so that it begins again

    class Wrong(Forgetful):
        def remembers(self, form, kept):
            kept.integers("done", (1,))

        def run(self, form, context):
            again = "done" in context.arrays
            context.arrays["done"] = context.rng.integers(0, 9, 1)
            for progress in super().run(form, context):
                yield progress
                if again:
                    return

    with pytest.raises(fb.FogboundError, match="resumed, Wrong has the"):
        fb.testing.check_solver(Wrong(), form)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("hedge.py", r"which solver\? Name its class: hedge.py:Hedge"),
        ("hedge.py:Hegde", "did you mean 'Hedge'"),
        ("hedge.py:Hedge(speed=3)", "has no parameter 'speed'"),
        ("none.py:Hedge", "there is no such file"),
    ],
)
def test_what_is_wrong_with_a_named_class_is_said(hedge, named, said):
    with pytest.raises(SpecError, match=said):
        fb.solve("kuhn", named)


def test_what_only_looks_like_a_solver_is_told_to_inherit():
    looks = types.SimpleNamespace(form=fb.forms.SequenceForm, run=lambda form, context: iter(()))
    with pytest.raises(SpecError, match=r"inherits from fogbound\.Solver"):
        fb.solve("kuhn", looks)
    with pytest.raises(SpecError, match=r"expected a solver: Still\(\)"):
        fb.solve("kuhn", Still)
    with pytest.raises(SpecError, match=r"those that can: cfr\(sampling=full\), cfr-plus, dcfr, predictive-cfr, "):
        fb.solve("kuhn", "sequence-lp", start="uniform")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_sweep_takes_objects_and_files(hedge, workers):
    solvers = [Still(noise=0.5), f"{hedge}(rate=0.4)", "cfr-plus"]
    games = ["kuhn", fb.games.make("king-ace")]
    found = fb.sweep(games, solvers, times=False, workers=workers, resume="own.jsonl", **LIMIT)
    assert not found.failed
    assert [group.solver for group in found.groups[:3]] == ["Still(noise=0.5)", f"{hedge}(rate=0.4)", "cfr-plus"]
    again = fb.sweep(games, solvers, times=False, resume="own.jsonl", **LIMIT)
    assert again == found


@pytest.mark.slow
def test_a_sweep_takes_them_on_ray(hedge):
    pytest.importorskip("ray")
    solvers = [Still(), f"{hedge}(rate=0.4)", fb.solver(hedge)]
    here = fb.sweep("kuhn", solvers, times=False, **LIMIT)
    assert fb.sweep("kuhn", solvers, times=False, engine=fb.parallel.ray(workers=2), **LIMIT) == here


def test_rows_and_curves_are_tables(tmp_path, monkeypatch):
    found = fb.sweep("kuhn", ["cfr", Still()], times=False, **LIMIT)
    points = list(csv.DictReader(found.to_csv(curves=True).splitlines()))
    assert [row["solver"] for row in points].count("cfr") == len(found.rows[0].curve)
    assert float(points[-1]["gap"]) == found.rows[-1].gap
    assert [record["gap"] for record in found.records()] == [row.gap for row in found.rows]
    frames = types.SimpleNamespace(DataFrame=lambda rows, columns: (len(rows), columns))
    monkeypatch.setitem(sys.modules, "pandas", frames)
    assert found.to_pandas(curves=True) == (len(points), None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SpecError, match="pip install pandas"):
        found.to_pandas()


ENTRIES = """
[fogbound.solvers]
still = fogbound_outside:Still
cfr = fogbound_outside:Still
broken = fogbound_absent:Solver

[fogbound.games]
own-kuhn = fogbound_outside:Kuhn

[fogbound.formats]
kuhnish = fogbound_outside:read

[fogbound.engines]
slowly = fogbound.parallel.engine:Here
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package with entry points of its own."""
    info = tmp_path / "fogbound_outside-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fogbound-outside\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    outside = types.ModuleType("fogbound_outside")
    outside.Still, outside.Kuhn = type("Still", (Still,), {}), type("Kuhn", (type(fb.game("kuhn")),), {})
    outside.read = lambda path: fb.game(Path(path).read_text())
    monkeypatch.setitem(sys.modules, "fogbound_outside", outside)
    monkeypatch.syspath_prepend(tmp_path)
    registry.installed.cache_clear()
    yield tmp_path
    registry.installed.cache_clear()


def test_installed_packages_add_games_solvers_formats_and_engines(package, monkeypatch, capsys):
    from fogbound.parallel import ENGINES, Here
    from fogbound.solvers import SOLVERS

    assert fb.solve("own-kuhn", "still(noise=0.1)").provenance["solver"] == "still(noise=0.1)"
    assert {"still", "broken"} <= set(SOLVERS)
    assert not issubclass(SOLVERS.load("cfr"), Still)  # ours wins
    assert fb.games()["own-kuhn"].parameters == {"seats": 2}
    (package / "deal.kuhnish").write_text("kuhn")
    assert str(fb.game(package / "deal.kuhnish")) == "kuhn(seats=2)"
    assert isinstance(ENGINES.make("slowly"), Here)
    monkeypatch.chdir(package)
    assert main(["sweep", "deal.kuhnish", "--with", "still", "--engine", "slowly", "--no-times"]) == 0
    assert "still" in capsys.readouterr().out
    with pytest.raises(SpecError, match="'broken' of an installed package, fogbound_absent:Solver: ModuleNotFound"):
        fb.solver("broken")
