"""Gaps over time: several runs on one logarithmic axis, closed gaps at the foot, nothing invented."""

from __future__ import annotations

from math import inf

import pytest

from fogbound.cli.main import main
from fogbound.core.svg import EMBER_FILL, SEA_FILL
from fogbound.draw import gaps
from fogbound.driver.protocol import TraceEntry
from tests.draw.made import SVG, checked, replied, words_in


def falling(*rows: tuple[float, float]) -> list[TraceEntry]:
    return [TraceEntry(k, t, 0.0, -gap / 2, gap / 2, gap) for k, (t, gap) in enumerate(rows, 1)]


def heights(root, tone: str) -> list[float]:
    (curve,) = [
        e
        for e in root.iter(f"{SVG}path")
        if e.get("stroke") == tone and " L" in e.get("d") and e.get("d").count("L") > 1
    ]
    return [float(spot.split()[1]) for spot in curve.get("d")[1:].split(" L")]


def test_each_factor_of_ten_takes_the_same_room():
    root = checked(gaps({"run": falling((1, 100), (2, 10), (3, 1), (4, 0.1))}))
    one, two, three = sorted(set(heights(root, SEA_FILL)))[:3]
    assert two - one == pytest.approx(three - two, abs=0.2)
    assert {"gap: upper minus lower bound", "time"} <= set(words_in(root))


def test_several_runs_share_the_axes_and_fit_a_column():
    runs = {"quick": falling((0.1, 5), (1, 0.5), (2, 0)), "slow": falling((0.2, 5), (20, 1)), "none": falling((1, inf))}
    picture = gaps(runs, title="Two runs")
    root = checked(picture)
    assert float(root.get("width")) <= 500
    assert words_in(root)[0] == "Two runs"
    assert picture.text == "quick: gap 0 after 2 s\nslow: gap 1 after 20 s\nnone: no gap recorded\n"
    assert max(heights(root, SEA_FILL)) > max(heights(root, EMBER_FILL))  # closed: down to the foot


@pytest.mark.parametrize(
    "rows", [[], [(0.0, inf)], [(0.0, 0.0)], [(1.0, 1.0)], [(1e-7, 1e12), (5e4, 1e-13)], [(1, 1e-300)]]
)
def test_odd_runs_still_make_a_picture(rows):
    checked(gaps({'<run> & "name"' * 9: falling(*rows)}, title="t"))


def test_solutions_are_called_after_their_solvers():
    reply = replied("tiger")
    assert gaps(reply).text.startswith(f"{reply.provenance.get('solver', 'run')}: gap ")
    assert [line.split(":")[0][-2:] for line in gaps([reply, reply]).text.splitlines()] == ["#1", "#2"]


def test_the_command_draws_several_files(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.npz", "b.npz"):
        assert main(["solve", "tiger", "--with", "belief-mdp", "--gap", "1", "-o", name]) == 0
    capsys.readouterr()
    assert main(["show", "a.npz", "b.npz", "--view", "gaps", "-o", "gaps.svg"]) == 0
    said = words_in(checked((tmp_path / "gaps.svg").read_text()))
    assert [word.split(":")[0] for word in said[1:3]] == ["a", "b"]
    assert main(["show", "tiger", "--view", "gaps"]) == 2
    assert "looks at saved solutions" in capsys.readouterr().err
