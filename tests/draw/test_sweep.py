"""Figures over levels and grids of all pairs: well-formed, honest about what is missing, narrow enough."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf, nan

import pytest

from fogbound.arena import ExactOutcome, RoundRobin
from fogbound.arena.episode import Cycle
from fogbound.core import Dist
from fogbound.core.errors import SpecError
from fogbound.core.svg import EMBER_FILL, SEA_FILL
from fogbound.draw import pairs, sweep
from fogbound.draw.chart import looks
from fogbound.draw.matrix.pairs import letter
from tests.draw.made import SVG, checked, words_in


@dataclass(frozen=True)
class Rung:
    level: int
    player: int
    value: float
    lower: float = nan
    upper: float = nan


RUNGS = [Rung(k, s, 7 + s + k / 3, 6.9 + s + k / 3, 7.1 + s + k / 3) for s in (0, 1) for k in range(1, 16)]


def strokes(root, colour):
    return [e for e in root.iter(f"{SVG}path") if e.get("stroke") == colour and e.get("stroke-width") == "2"]


def test_one_line_a_group_through_its_points_in_order():
    root = checked(sweep(RUNGS[::-1], names={0: "first", 1: "second"}, title='<levels> & "values"'))
    assert {"first", "second", "value", "level", "15"} <= set(words_in(root))
    for colour in (SEA_FILL, EMBER_FILL):
        (line,) = [e for e in strokes(root, colour) if e.get("d", "").count("L") > 1]
        spots = [tuple(map(float, spot.split())) for spot in line.get("d", "")[1:].split(" L")]
        assert len(spots) == 15
        assert spots == sorted(spots)
        assert [y for _, y in spots] == sorted((y for _, y in spots), reverse=True)  # rising values go up
    hints = [e.text for e in root.iter(f"{SVG}title")]
    assert "first, 3: 8" in hints


def test_rows_may_be_mappings_and_carry_whiskers():
    rows = [{"n": k, "seconds": 0.1 * k, "lower": 0.05 * k, "upper": 0.2 * k} for k in (1, 2, 5)]
    root = checked(
        sweep(rows, x="n", y="seconds", by="", lower="lower", upper="upper", words=("heap", "time in seconds"))
    )
    assert {"heap", "time in seconds"} <= set(words_in(root))
    whiskers = [e for e in root.iter(f"{SVG}path") if e.get("stroke-width") == "1.2"]
    assert len(whiskers) == 3
    plain = checked(sweep(rows, x="n", y="seconds", by=""))
    assert not [e for e in plain.iter(f"{SVG}path") if e.get("stroke-width") == "1.2"]


def test_what_is_missing_leaves_a_gap():
    rows = [{"level": k, "player": 0, "value": v} for k, v in enumerate([1.0, 2.0, None, 3.0, 4.0, inf])]
    (line,) = [e.get("d", "") for e in strokes(checked(sweep(rows)), SEA_FILL) if e.get("d", "").count("M") > 1]
    assert line.count("M") == 2
    assert line.count("L") == 2


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [Rung(1, 0, nan)],
        [Rung(1, 0, 5.0)],
        [Rung(1, 0, 0.0), Rung(2, 0, 0.0)],
        [Rung(k, s, 10.0 ** (s - 9)) for s in range(20) for k in range(2)],
        [Rung(k * 1000, 0, 1e9 + k) for k in range(300)],
    ],
)
def test_odd_rows_still_make_a_picture(rows):
    checked(sweep(rows, lower="lower", upper="upper"))


def test_a_logarithmic_axis():
    root = checked(sweep([Rung(k, 0, 10.0**-k) for k in range(1, 12)], log=True))
    assert len(list(root.iter(f"{SVG}circle"))) == 12  # eleven points and the key
    with pytest.raises(SpecError, match="expected above 0"):
        sweep([Rung(1, 0, 0.0)], log=True)


def test_wrong_columns_are_named():
    with pytest.raises(SpecError, match="no column 'nodes', expected one of .*value"):
        sweep(RUNGS, y="nodes")
    with pytest.raises(SpecError, match="no column 'x'"):
        sweep([{"player": 0, "value": 1}], x="x")
    with pytest.raises(SpecError, match="expected a number"):
        sweep([{"level": 1, "player": 0, "value": "high"}])
    with pytest.raises(SpecError, match="expected a finite number"):
        sweep([{"level": None, "player": 0, "value": 1.0}])


WON = ExactOutcome(2, (10.0, -12.0), Dist.sure((0,)), 5, "over", None, True)
LOST = ExactOutcome(2, (-11.0, 10.0), Dist.sure((1,)), 4, "over", None, True)
TIED = ExactOutcome(2, (0.0, 0.0), Dist.sure((0, 1)), 9, "over", None, True)
CYCLED = ExactOutcome(2, (-3.0, -1.0), Dist.sure((0, 1)), 9, "cycle", Cycle(3, 6), True)
CHANCE = ExactOutcome(2, (1.5, -2.5), None, 3.25, "over")
NONE = ExactOutcome(2, None, None, None, "varies")
ALL = (WON, LOST, TIED, CYCLED, CHANCE, NONE)


def grid(size: int) -> RoundRobin:
    outcomes = tuple(tuple(ALL[(j + k) % 6] for k in range(size)) for j in range(size))
    return RoundRobin('<game> & "x"', ("first", "second"), outcomes)


def test_letters_and_colours_tell_outcomes_apart():
    assert [letter(met) for met in ALL] == list("WLTCE?")
    names = [f"level {k}" for k in range(6)]
    root = checked(pairs(grid(6), rows=names, columns=names))
    said = words_in(root)
    assert {"W 10", "L −11", "T 0", "C −3", "E 1.5", "?"} <= set(said)
    fills = {e.get("fill") for e in root.iter(f"{SVG}path")}
    assert {SEA_FILL, EMBER_FILL} <= fills
    hints = [e.text or "" for e in root.iter(f"{SVG}title")]
    assert any("cycles from step 3 on, 6 steps long" in hint for hint in hints)
    assert any("has no value" in hint for hint in hints)
    cells = [(e.get("data-row"), e.get("data-column")) for e in root.iter(f"{SVG}g") if e.get("data-row")]
    assert len(set(cells)) == 36


def test_a_cycle_is_nobodys_lead():
    root = checked(pairs(RoundRobin("x", ("a", "b"), ((CYCLED,),))))
    assert not {e.get("fill") for e in root.iter()} & {SEA_FILL, EMBER_FILL}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("width", [40, 72, 100, 200])
@pytest.mark.parametrize("size", [1, 6, 16, 60])
def test_text_is_as_narrow_as_asked(width, size):
    told = pairs(grid(size), width=width).text
    assert max(map(len, told.splitlines())) <= width
    assert all(f" {key}" in told for key in ("W" if size == 1 else "WLTCE?"))
    narrowest = len("first") + sum(2 + len(str(k)) for k in range(size))
    assert ("more columns" in told) == (narrowest > width)
    assert ("The number is" in told) == ("W 10" in told)


def test_names_must_fit_the_policies():
    with pytest.raises(SpecError, match="1 names for 6 rows"):
        pairs(grid(6), rows=["one"])
    with pytest.raises(SpecError, match="2 names for 6 columns"):
        pairs(grid(6), columns=["one", "two"])
    checked(pairs(RoundRobin("nothing", ("a", "b"), ())))
    assert "0 pairs" in pairs(RoundRobin("nothing", ("a", "b"), ())).text


def test_neighbours_of_many_groups_differ_in_colour_dashes_and_shape():
    styles = looks(64)
    assert len(set(styles)) == 64
    for one, two in pairwise(styles[:16]):
        assert one.colour != two.colour
        assert one.shape != two.shape
