"""Figures of an answer in words: what is known of them, and never an infinite bound.

The command line, Python's `repr`, notebooks and the web app take their words from here.
"""

from __future__ import annotations

import math

from fogbound.core.numerals import number

TRIVIAL = "trivial bounds from the reward range"
UNKNOWN = "no bounds are known"
UNEVALUATED = "not evaluated"
BLANK = "–"  # in a column of figures

Pair = tuple[float, float] | None


def value_words(value: float, interval: Pair = None, digits: int = 6) -> str:
    """A value, with the 95% interval of an estimate.

    Examples
    --------
    >>> value_words(1.5), value_words(1.5, (1.0, 2.0)), value_words(math.nan)
    ('1.5', '1.5 (95% interval 1 to 2)', 'not evaluated')
    """
    if not math.isfinite(value):
        return UNEVALUATED
    if interval is None:
        return number(value, digits)
    low, high = (number(end, min(digits, 6)) for end in interval)
    return f"{number(value, digits)} (95% interval {low} to {high})"


def range_words(lower: float, upper: float, possible: Pair = None, digits: int = 6) -> str:
    """What the bounds say, or, where there are none, what the rewards allow.

    Examples
    --------
    >>> range_words(0.5, 1.0), range_words(-math.inf, 2.0)
    ('0.5 to 1', 'at most 2')
    >>> range_words(-math.inf, math.inf), range_words(-math.inf, math.inf, (-20.0, 200.0))
    ('no bounds are known', '−20 to 200, trivial bounds from the reward range')
    """
    low, high = number(lower, digits), number(upper, digits)
    if math.isfinite(lower) and math.isfinite(upper):
        return f"{low} to {high}"
    if math.isfinite(lower):
        return f"at least {low}"
    if math.isfinite(upper):
        return f"at most {high}"
    if possible is None:
        return UNKNOWN
    return f"{number(possible[0], digits)} to {number(possible[1], digits)}, {TRIVIAL}"


def column(value: float, digits: int = 6) -> str:
    """One figure of a column; a dash where it is not known.

    Examples
    --------
    >>> column(0.25), column(math.inf), column(math.nan)
    ('0.25', '–', '–')
    """
    return number(value, digits) if math.isfinite(value) else BLANK


def gap_words(gap: float) -> str:
    """The gap, as the end of a clause; empty where it is not known.

    Examples
    --------
    >>> gap_words(0.25), gap_words(math.inf)
    (', gap 0.25', '')
    """
    return f", gap {number(gap, 3)}" if math.isfinite(gap) else ""
