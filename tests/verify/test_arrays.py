"""What the checker reads its evidence with, function by function: limits that are met, passed, and passed by one."""

from __future__ import annotations

import struct
from fractions import Fraction

import pytest

from fogbound.verify import arithmetic
from fogbound.verify.arrays import (
    Array,
    Refused,
    cut,
    every_line,
    floats,
    integers,
    lines,
    pointers,
    read_mixtures,
    shape,
    within,
)


def ints(*numbers, sides=None):
    return Array("<i8", sides or (len(numbers),), struct.pack(f"<{len(numbers)}q", *numbers))


def reals(*numbers):
    return Array("<f8", (len(numbers),), struct.pack(f"<{len(numbers)}d", *numbers))


def test_arrays_are_sound_or_refused():
    assert ints(1, -2, 3).values() == [1, -2, 3]
    assert Array("|u1", (2,), b"\x00\xff").values() == [0, 255]
    assert Array("<f8", (0, 3), b"").values() == []
    for dtype, sides, data in [
        ("<f4", (1,), b"1234"),
        ("<i8", (-1, -1), b"12345678"),
        ("<i8", (1, -1, -1), b"12345678"),
        ("<i8", (1, True), b"12345678"),
        ("<i8", (1.0,), b"12345678"),
        ("<i8", (True,), b"12345678"),
        ("<i8", (2,), b"12345678"),
        ("<f8", (1,), struct.pack("<d", float("nan"))),
        ("<f8", (1,), struct.pack("<d", float("-inf"))),
    ]:
        with pytest.raises(Refused):
            Array(dtype, sides, data)


def test_names_types_and_shapes_are_what_was_asked_for():
    arrays = {"n": ints(1, 2, 3, 4, 5, 6, sides=(3, 2)), "x": reals(0.5)}
    assert shape(arrays, "n", 2) == (3, 2)
    assert integers(arrays, "n", 3, 2) == [1, 2, 3, 4, 5, 6]
    assert floats(arrays, "x", 1) == [0.5]
    assert every_line(arrays, "n", 2) == [(1, 2), (3, 4), (5, 6)]
    assert lines([1, 2, 3, 4], 2, 2) == [(1, 2), (3, 4)]
    assert cut("abcde", [2, 0, 3]) == [["a", "b"], [], ["c", "d", "e"]]
    for wrong in (
        lambda: shape(arrays, "n", 1),
        lambda: shape(arrays, "m", 2),
        lambda: integers(arrays, "n", 2, 3),
        lambda: integers(arrays, "x", 1),
        lambda: floats(arrays, "n", 3, 2),
        lambda: every_line(arrays, "n", 3),
    ):
        with pytest.raises(Refused):
            wrong()


def test_numbers_lie_within_their_limits_both_ends():
    within([], 0, 0, "nothing")
    within([0, 1, 2], 0, 3, "all of them")
    for numbers in ([0, -1, 2], [0, 3, 1], [3], [-1], [-1, 3]):
        with pytest.raises(Refused, match="expected 0 to 2"):
            within(numbers, 0, 3, "name")


def test_slices_rise_from_the_beginning_to_the_end():
    assert pointers({"s": ints(0, 2, 2, 3)}, "s", 3, 3) == [(0, 2), (2, 2), (2, 3)]
    assert pointers({"s": ints(0)}, "s", 0, 0) == []
    for starts in ([1, 2, 2, 3], [0, 2, 2, 2], [0, 2, 1, 3], [0, 2, 2, 4]):
        with pytest.raises(Refused, match="must rise from 0 to 3"):
            pointers({"s": ints(*starts)}, "s", 3, 3)
    with pytest.raises(Refused, match="shape"):
        pointers({"s": ints(0, 3)}, "s", 3, 3)


def test_mixtures_are_lists_of_numbers_with_weights():
    arrays = {"m_start": ints(0, 1, 3), "m_of": ints(2, 0, 1), "m_weight": reals(1.0, 0.25, 0.75)}
    assert read_mixtures(arrays, "m", "of", 2, 3) == [[(2, 1.0)], [(0, 0.25), (1, 0.75)]]
    for change in (
        {"m_of": ints(3, 0, 1)},
        {"m_of": ints(2, -1, 1)},
        {"m_weight": reals(1.0)},
        {"m_start": ints(0, 3)},
    ):
        with pytest.raises(Refused):
            read_mixtures({**arrays, **change}, "m", "of", 2, 3)


def test_weights_become_distributions_whatever_they_are():
    assert arithmetic.exact([0.5, -3.0, 0.0]) == ([1, -6, 0], 2)
    assert arithmetic.exact([]) == ([], 1)
    assert arithmetic.shares([0.5, 0.25, -1.0]) == ([2, 1, 0], 3)
    assert arithmetic.shares([0.0, -1.0]) == ([1, 1], 2)
    assert arithmetic.row([1.0, 3.0]) == [Fraction(1, 4), Fraction(3, 4)]
    assert arithmetic.grid_row([1.0, 1.0, 1.0], bits=2) == [2, 1, 1]
    assert arithmetic.grid_row([0.375, 0.625], bits=3) == [3, 5]
    assert arithmetic.grid_row([1.0, 2.0], bits=3) == [3, 5]
    for wrong in ([], [float("nan")], [float("inf")]):
        with pytest.raises(Refused):
            arithmetic.shares(wrong)


def test_bounds_are_rounded_outward_by_no_more_than_needed():
    third = Fraction(1, 3)
    low, high = arithmetic.down(third), arithmetic.up(third)
    assert Fraction(low) < third < Fraction(high)
    assert high == pytest.approx(low, rel=1e-15)
    assert arithmetic.down(Fraction(1, 2)) == arithmetic.up(Fraction(1, 2)) == 0.5
    huge = Fraction(10) ** 400
    assert arithmetic.down(huge) == 1.7976931348623157e308
    assert arithmetic.up(huge) == float("inf")
    assert arithmetic.down(-huge) == float("-inf")
    assert arithmetic.up(-huge) == -1.7976931348623157e308
