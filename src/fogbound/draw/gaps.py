"""How fast the gap closes: of several runs, or on average over runs with an interval around each curve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fogbound.core import measure
from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError, one_line
from fogbound.core.numerals import number
from fogbound.draw.chart import Axis, Chart, ChartPanel, Series, decades, duration, looks, span_axis
from fogbound.draw.rendering import draw_chart
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.solution import Solution

NAME, MEANING = "How the gap closes", "gap: upper minus lower bound"
WIDTH, HIGH = 470, 220.0  # of the picture, and of its panel
NAMES = 210.0  # pixels of a run's name
CLOSED = 1e-9  # of the widest gap: less is how floats round, and would take the axis for itself
Runs = Solution | Sequence[Solution] | Mapping[str, Solution | Sequence[TraceEntry]]


def gaps(runs: Runs, *, title: str | None = "", width: int = WIDTH) -> Drawing:
    """Draw the gap between the bounds over time, of one run or of several, on a logarithmic axis.

    Where bounds alone would long lie on each other, this still shows who is faster. A curve goes down to the foot where
    the gap is closed, to what floats can tell: 0 has no place on such an axis. Time is logarithmic where it spans more
    than a factor of twenty.

    Parameters
    ----------
    runs : Solution, or several as a sequence, or a mapping from names to solutions or traces
        Without names they are called after their solvers.
    title : str or None
        The first line of the picture; None for a picture without a heading, on a page that has its own.
    width : int
        How wide it is drawn; text keeps its size.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from fogbound.driver.protocol import TraceEntry
    >>> first, last = TraceEntry(1, 0.5, 0.0, -1.0, 1.0, 2.0), TraceEntry(2, 1.0, 0.2, 0.1, 0.3, 0.2)
    >>> print(gaps({"slow": [first], "quick": [first, last]}).text, end="")
    slow: gap 2 after 500 ms
    quick: gap 0.2 after 1 s
    """
    traces = {
        one_line(name): [entry for entry in trace if entry.gap < math.inf] for name, trace in _named(runs).items()
    }
    said = [_ended(name, trace) for name, trace in traces.items()]
    found = [entry for trace in traces.values() for entry in trace]
    curves = [
        Series([(entry.seconds, entry.gap) for entry in trace], look, steps=True, marked="end", name=words)
        for trace, look, words in zip(traces.values(), looks(len(said)), said)
    ]
    y = gap_axis([entry.gap for entry in found])
    x = span_axis((entry.seconds for entry in found), "time")
    return gap_chart(NAME, said, [ChartPanel(x, y, curves, HIGH)] if y else [], title, width)


def gap_chart(name: str, said: Sequence[str], panels: Sequence[ChartPanel], title: str | None, width: int) -> Drawing:
    """A chart whose key says where each curve ends."""
    rows, sentence = [panels] if panels else [], "; ".join(said) or "nothing was recorded"
    text = "\n".join(said) + "\n" if panels else ""
    return draw_chart(Chart(name, sentence, rows, title, width, key_tells=True, text=text))


def gap_axis(gaps: Sequence[float], around: Sequence[float] = ()) -> Axis | None:
    """Powers of ten around the gaps, one more below where some gap is closed: 0 is drawn at the foot.

    None where there is no gap to draw. `around` are the ends of intervals, which have to fit as well.
    """
    found = [*gaps, *around]
    least = CLOSED * max(found, default=0.0)
    sizes = [gap for gap in found if gap > least]
    return decades(sizes, MEANING, below=any(gap <= least for gap in gaps)) if sizes else None


def _named(runs: Runs) -> dict[str, Sequence[TraceEntry]]:
    """The traces by name; those that share one are numbered."""
    if isinstance(runs, Mapping):
        return {name: run.trace if isinstance(run, Solution) else run for name, run in runs.items()}
    several = [runs] if isinstance(runs, Solution) else runs
    solvers = [str(run.provenance.get("solver", "run")) for run in several]
    names = [name if solvers.count(name) == 1 else f"{name} #{k}" for k, name in enumerate(solvers, 1)]
    return {name: run.trace for name, run in zip(names, several)}


def _ended(name: str, trace: Sequence[TraceEntry]) -> str:
    """Where a run ended, in words."""
    name = measure.clip(name, NAMES)
    if not trace:
        return f"{name}: no gap recorded"
    last = trace[-1]
    return f"{name}: gap {number(last.gap, 3) if last.gap > 0 else '0'} after {duration(last.seconds)}"


CURVE_NAMES = 300.0  # pixels of a curve's name
SECONDS, ITERATIONS = "seconds", "iterations"
BAND = 0.22  # how dense an interval is


class GapPoint(NamedTuple):
    """A point of a curve.

    Parameters
    ----------
    place
        How far along: seconds, or iterations.
    gap
        The gap there.
    low, high
        The interval around it.
    """

    place: float
    gap: float
    low: float
    high: float


def gap_curves(
    curves: Mapping[str, Sequence[GapPoint]],
    *,
    over: str = SECONDS,
    title: str | None = "",
    width: int = WIDTH,
    ends: Mapping[str, float] | None = None,
) -> Drawing:
    """Draw gaps over seconds or iterations, each curve in steps inside the band of its interval.

    Both axes are those of `gaps`: the gap is logarithmic, and so is what lies below it where it spans more than a
    factor of twenty. A curve goes down to the foot where the gap is closed.

    Parameters
    ----------
    curves : mapping from names to points
        Points from left to right; see `GapPoint`.
    over : str
        ``"seconds"`` or ``"iterations"``.
    title : str or None
        The first line of the picture; None for a picture without a heading, on a page that has its own.
    width : int
        How wide it is drawn; text keeps its size.
    ends : mapping from names to numbers, or None
        By name, after how many seconds or iterations the key says that a curve ended: the mean of its runs, where they
        ended at different places. Its last point unless given.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> curve = [GapPoint(1.0, 2.0, 1.5, 2.5), GapPoint(4.0, 0.2, 0.1, 0.4)]
    >>> print(gap_curves({"cfr": curve}, over="iterations").text, end="")
    cfr: gap 0.2 (0.1 to 0.4) after 4
    """
    if over not in (SECONDS, ITERATIONS):
        raise SpecError(f"gap_curves: over is {over!r}, expected seconds or iterations")
    said = [_curve_end(name, curve, over, (ends or {}).get(name)) for name, curve in curves.items()]
    found = [point for curve in curves.values() for point in curve]
    drawn = [
        Series(
            [(point.place, point.gap) for point in curve],
            look,
            steps=True,
            marked="end",
            spans=[(point.place, point.low, point.high) for point in curve] if len(curve) > 1 else [],
            band=BAND,
            name=words,
        )
        for curve, look, words in zip(curves.values(), looks(len(said)), said)
    ]
    places = [point.place for point in found]
    x = span_axis(places, "time") if over == SECONDS else span_axis(places, over, lambda t: number(t, 6))
    y = gap_axis([point.gap for point in found], [end for point in found for end in (point.low, point.high)])
    return gap_chart(f"{NAME}, over {over}", said, [ChartPanel(x, y, drawn, HIGH)] if y else [], title, width)


def _curve_end(name: str, curve: Sequence[GapPoint], over: str, end: float | None) -> str:
    """Where a curve ends, in words."""
    name = measure.clip(one_line(name), CURVE_NAMES)
    if not curve:
        return f"{name}: no gap recorded"
    last = curve[-1]
    around = f" ({number(last.low, 3)} to {number(last.high, 3)})" if last.low < last.high else ""
    at = last.place if end is None else end
    when = duration(round(at, 3)) if over == SECONDS else number(at, 4 if end is not None else 6)
    return (
        f"{name}: gap {number(last.gap, 3) if last.gap > 0 and math.isfinite(last.gap) else '0'}{around} after {when}"
    )
