"""Labels and numbers: short, true, and harmless."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from fogbound.core import Dist, measure, svg
from fogbound.core.game import Observation
from fogbound.core.numerals import chance, decimal, number
from fogbound.forms import words


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1e-17, "0"),
        (-0.0625, "−0.0625"),
        (12.0, "12"),
        (1e-7, "1e−7"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_numbers_have_a_true_minus(value, said):
    assert number(value) == said


def test_signs_chances_and_decimals():
    assert [number(v, sign=True) for v in (2, 0, -2)] == ["+2", "0", "−2"]
    assert [chance(p) for p in (1 / 6, 1.0, 0.123456, 1e-30)] == ["1/6", "1", "0.123", "1e-30"]
    assert [decimal(p) for p in (0, 1e-3, 0.25, 0.9999, 1)] == ["0.00", "<0.01", "0.25", ">0.99", "1.00"]


def test_anything_becomes_text():
    picture = svg.document(10, 10, [svg.text(0, 0, '\x00<&"\ud800')], 'a "label" & <more>')
    root = ElementTree.fromstring(picture.svg)
    assert root.get("aria-label") == 'a "label" & <more>'
    assert root[-1].text == '�<&"�'


def test_words_are_cut_and_set_in_lines():
    assert measure.clip("short", 100) == "short"
    cut = measure.clip("a very long line of words", 60)
    assert cut.endswith("…")
    assert measure.width_of(cut) <= 60
    assert measure.wrap(["one", "two", "three"], 70) == ["one, two,", "three"]
    assert measure.wrap([f"word{k}" for k in range(30)], 60, most=2)[-1] == "… 29 more"
    assert measure.wrap([], 60) == []
    assert measure.width_of("漢") > measure.width_of("a")


def test_knowledge_in_words():
    deal, nothing = Observation(None, 4), Observation(None, None)
    history = (deal, ("check", Observation("check", None)), (None, Observation("bet", None)))
    assert words.history_text(str, history) == "4 · check → bet"
    assert words.history_text(str, (nothing,)) == "at the start"
    assert words.history_text(str, ()) == "at the start"
    assert words.history_text(str, (nothing, ("listen", Observation("growl", None)))) == "listen: growl"
    assert words.history_text(str.upper, (nothing, ("call", Observation(("call", "Js"), None)))) == "CALL Js"
    assert words.history_text(str, (deal, (("own", 1), nothing))) == "4 · own 1"


def test_choices_in_words():
    assert words.choice(str, Dist.of({"bet": 1.0, "check": 0.0})) == "bet"
    assert words.choice(str, Dist.of({"bet": 0.75, "check": 0.25})) == "bet 0.75, check 0.25"
    assert words.choice(str, Dist.uniform(range(9))).endswith("… 3 more")
