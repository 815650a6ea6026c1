"""How fast the gap closes: several runs in one picture, on logarithmic axes, no wider than a column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

from fogbound.core.drawing import Drawing
from fogbound.core.errors import one_line
from fogbound.core.numerals import number
from fogbound.draw import measure, svg
from fogbound.draw.chart import Scale, duration, empty, foot, grid, polyline, stairs, time_marks, time_scale
from fogbound.draw.key import LINE_HEIGHT, key, stroke
from fogbound.draw.svg import EMBER_FILL, FOG_6, INK_3, LAMP_FILL, MARGIN, SEA_FILL
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.solution import Solution

NAME = "How the gap closes"
WIDTH, HIGH, BOTTOM = 470, 220, 62  # the picture, its plot, and what stands below that
MOST_MARKS = 6
NAMES = 210.0  # pixels of a run's name
CLOSED = 1e-9  # of the widest gap: less is how floats round, and would take the axis for itself
STROKES = [(tone, dashes) for dashes, tone in product(("", "7 5", "2 4"), (SEA_FILL, EMBER_FILL, LAMP_FILL, FOG_6))]
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
    found = [entry.gap for trace in traces.values() for entry in trace]
    least = CLOSED * max(found, default=0.0)
    sizes = [gap for gap in found if gap > least]
    if not sizes:
        return empty(NAME, one_line(title or ""), "; ".join(said) or "nothing was recorded")
    powers = _powers(min(sizes), max(sizes), closed=len(sizes) < len(found))
    names = [number(10.0**k, 3) for k in powers]
    left, right = MARGIN + max(map(measure.width_of, names)) + 10, width - MARGIN - 8.0
    entries = [stroke(words, tone, 2.2, dashes) for words, (tone, dashes) in zip(said, _strokes(said))]
    head, wide = ("", 0.0) if title is None else svg.heading(one_line(title) or NAME)
    legend = key(
        entries, MARGIN, MARGIN + (38 if head else 4), 0.0
    )  # a line each: what they ended at is compared from the top down
    top = legend.y + LINE_HEIGHT + 18
    y = Scale(10.0 ** powers[0], 10.0 ** powers[-1], top + HIGH, top, log=True)
    x = time_scale([entry.seconds for trace in traces.values() for entry in trace], left, right)
    body = [head, legend.body, svg.text(MARGIN, top - 14, "gap: upper minus lower bound", INK_3)]
    body += [*grid([10.0**k for k in powers], names, y, left, right), *foot(time_marks(x), y.start)]
    body.append(svg.text((left + right) / 2, y.start + 42, "time", INK_3, 12, "middle"))
    for trace, (tone, dashes) in zip(traces.values(), _strokes(said)):
        points = [(x(entry.seconds), y(entry.gap) if entry.gap > least else y.start) for entry in trace]
        if len(points) > 1:
            body.append(svg.path(polyline(stairs(points)), tone, 2.2, dashes=dashes))
        body += [svg.dot(*points[-1], 4, tone)] if points else []
    return svg.document(max(wide, width), y.start + BOTTOM, body, f"{NAME}: {'; '.join(said)}.", "\n".join(said) + "\n")


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


def _powers(low: float, high: float, closed: bool) -> list[int]:
    """Powers of ten that hold all, as few as can be told apart; one more below where some gap is closed."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    first -= closed
    every = max(1, math.ceil((last - first) / MOST_MARKS))
    return list(range(min(first, last - 1), last + every, every))


def _strokes(runs: Sequence[object]) -> list[tuple[str, str]]:
    return [STROKES[k % len(STROKES)] for k in range(len(runs))]
