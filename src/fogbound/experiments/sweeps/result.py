"""What comes of a sweep: its rows, and these told as a table, as curves, as CSV, as one page.

Several runs as one curve: at every place the geometric mean of their gaps, with Student's 95 % interval.

Gaps are positive and span powers of ten, so that their logarithms are what is averaged, over runs with different seeds.
A run that has ended keeps its last gap. These are statistics over seeds, never called bounds.

Runs that do not depend on their seed take the same steps, each in its own time. They are one curve over iterations;
over seconds each step stands at the mean of its times, without an interval: a clock's jitter is no sampling error.
"""

from __future__ import annotations

import csv
import io
import math
import os
import textwrap
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from fogbound.arena.match import student
from fogbound.core.atomic import write
from fogbound.core.drawing import PICTURES, Drawing, require_ending
from fogbound.core.errors import SpecError, many, one_of
from fogbound.core.numerals import number
from fogbound.core.registry import located
from fogbound.core.svg import one_above_the_other
from fogbound.draw.chart import duration
from fogbound.draw.gaps import ITERATIONS, SECONDS, GapPoint, gap_curves
from fogbound.experiments.sweeps.plan import RunPoint, SweepPlan, SweepRow, read_row
from fogbound.files.data_frames import data_frame
from fogbound.forms.words import aligned
from fogbound.parallel.journal import JournalContent

CLOSED = 1e-12  # a gap that is less is closed: 0 has no logarithm
SHARED = 4  # every 4th point is shared by curves that were thinned differently
MOST_PLACES = 240  # more cannot be told apart in a picture


def gap_curve(runs: Sequence[Sequence[RunPoint]], over: str) -> tuple[GapPoint, ...]:
    """The curve of several runs over seconds or iterations; none before each of them has a first answer.

    Parameters
    ----------
    runs
        The points of each run.
    over
        ``"seconds"`` or ``"iterations"``.

    Returns
    -------
    tuple of GapPoint

    Examples
    --------
    >>> runs = [[RunPoint(1, None, 1.0), RunPoint(8, None, 0.1)], [RunPoint(2, None, 1.0)]]
    >>> [(point.place, round(point.gap, 4)) for point in gap_curve(runs, "iterations")]
    [(2, 1.0), (8, 0.3162)]
    """
    known = [run for run in runs if run]
    placed = [[_place(point, over) for point in run] for run in known]
    if not known:
        return ()
    if len(known) > 1 and same_steps(known):
        return tuple(GapPoint(place, gap, gap, gap) for place, gap in _mean_times(known, over))
    begins = max(places[0] for places in placed)
    wanted = _spread(sorted({place for places in placed for place in places if place >= begins}))
    curve = []
    for place in wanted:
        gaps = [run[bisect_right(places, place) - 1].gap for run, places in zip(known, placed)]
        curve.append(GapPoint(place, *mean_gap(gaps)))
    return tuple(curve)


def same_steps(runs: Sequence[Sequence[RunPoint]]) -> bool:
    """Whether several runs have the same gap at every iteration that they share: the seed changed nothing.

    Long curves are thinned, so that not all of their iterations are shared; where hardly any are, nothing is known.

    Examples
    --------
    >>> one, other = [RunPoint(1, 0.1, 1.0), RunPoint(2, 0.2, 0.5)], [RunPoint(1, 0.3, 1.0)]
    >>> same_steps([one, other]), same_steps([one, [RunPoint(1, 0.1, 0.9)]])
    (True, False)
    """
    known = [{point.iteration: point.gap for point in run} for run in runs]
    longest = max(known, key=len)
    for gaps in known:
        shared = gaps.keys() & longest.keys()
        if SHARED * len(shared) < len(gaps) or any(gaps[k] != longest[k] for k in shared):
            return False
    return True


def _mean_times(runs: Sequence[Sequence[RunPoint]], over: str) -> list[tuple[float, float]]:
    """Where each step of the same runs stands, and its gap; one that not all came to, no earlier than those before."""
    steps: dict[int, list[RunPoint]] = {}
    for run in runs:
        for point in run:
            steps.setdefault(point.iteration, []).append(point)
    found, reached = list[tuple[float, float]](), 0.0
    for _, points in sorted(steps.items()):
        reached = max(reached, sum(_place(point, over) for point in points) / len(points))
        found.append((reached, points[0].gap))
    kept = set(_spread([place for place, _ in found]))
    return [point for point in found if point[0] in kept]


def mean_gap(gaps: Sequence[float]) -> tuple[float, float, float]:
    """The geometric mean of gaps, and Student's 95 % interval around it; closed where there is one run alone.

    Examples
    --------
    >>> mean_gap([0.25]), mean_gap([0.0, 0.0]), [round(one, 3) for one in mean_gap([0.1, 1.0, 10.0])]
    ((0.25, 0.25, 0.25), (0.0, 0.0, 0.0), [1.0, 0.003, 304.886])
    """
    if min(gaps) == max(gaps):
        return gaps[0], gaps[0], gaps[0]
    logs = np.log(np.maximum(np.asarray(gaps, float), CLOSED))
    low, high = student(logs)
    return math.exp(float(logs.mean())), math.exp(low), math.exp(high)


def _place(point: RunPoint, over: str) -> float:
    return point.iteration if over != SECONDS else point.seconds or 0.0


def _spread(places: Sequence[float]) -> list[float]:
    """As many places as can be told apart, evenly in their logarithms; the first and the last among them."""
    if len(places) <= MOST_PLACES:
        return list(places)
    low, high = max(places[0], 1e-9), places[-1]
    marks = np.geomspace(low, max(low, high), MOST_PLACES).tolist()
    kept = {bisect_right(places, mark * (1 + 1e-12)) - 1 for mark in marks}
    return [places[k] for k in sorted({0, len(places) - 1, *(k for k in kept if k >= 0)})]


COLUMNS = 80
CLAIMED = " (claimed)"  # beside a curve whose gaps are the solver's word
SAMPLES = " (samples)"  # beside a curve whose iterations are samples
BOTH = "both"  # over seconds and over iterations
ENDINGS = (".html", ".csv", *PICTURES)
CELL = ("number", "game", "solver", "until", "seed")
FIGURES = ("value", "lower", "upper", "gap", "iterations", "seconds", "stopped", "certified", "claimed", "failed")


@dataclass(frozen=True)
class SweepGroup:
    """The runs of one game by one solver within the same limits: they differ in their seeds.

    Attributes
    ----------
    game, solver, until
        What they share.
    rows
        One for each seed that was run.
    """

    game: str
    solver: str
    until: str
    rows: tuple[SweepRow, ...]

    @property
    def solved(self) -> tuple[SweepRow, ...]:
        return tuple(row for row in self.rows if not row.failed)

    @property
    def curve_claimed(self) -> bool:
        """Whether the gaps of one of its curves are the solver's word."""
        return any(row.curve_claimed for row in self.solved)

    @property
    def deterministic(self) -> bool:
        """Whether runs with different seeds took the same steps: then there is no interval over seeds."""
        return len(self.solved) > 1 and same_steps([row.curve for row in self.solved])

    @property
    def samples(self) -> bool:
        """Whether an iteration of this solver is one sample of the game instead of all of it."""
        return any(row.samples for row in self.solved)

    def mean(self, over: str) -> float | None:
        """After how many seconds, or iterations, its runs ended on average; None where times are left out."""
        ends = [row.seconds if over == SECONDS else row.iterations for row in self.solved]
        known = [end for end in ends if end is not None]
        return sum(known) / len(known) if known else None

    def curve(self, over: str) -> tuple[GapPoint, ...]:
        """The gap over seconds or iterations, with its interval over seeds."""
        return gap_curve([row.curve for row in self.solved], over)


@dataclass(frozen=True, repr=False)
class SweepResult:
    """The results of a sweep.

    Attributes
    ----------
    plan
        What was to be solved.
    rows
        What the cells came to that were run, in the order of the plan.
    stopped
        ``finished``, or why there are no more: ``interrupted``, ``terminated``, ``cancelled``.
    """

    plan: SweepPlan
    rows: tuple[SweepRow, ...] = field(repr=False)
    stopped: str = "finished"

    @classmethod
    def of(cls, content: JournalContent, stopped: str = "finished") -> SweepResult:
        """The results that a journal holds."""
        plan = SweepPlan.from_about(content.about)
        return cls(plan, tuple(read_row(number, content.rows[number]) for number in sorted(content.rows)), stopped)

    @cached_property
    def groups(self) -> tuple[SweepGroup, ...]:
        """The runs by game, solver and limits."""
        found: dict[tuple[str, str, str], list[SweepRow]] = {}
        for row in self.rows:
            found.setdefault((row.game, row.solver, row.until), []).append(row)
        return tuple(SweepGroup(*names, tuple(rows)) for names, rows in found.items())

    @property
    def failed(self) -> tuple[SweepRow, ...]:
        """The rows that have a reason instead of an answer."""
        return tuple(row for row in self.rows if row.failed)

    def of_game(self, game: str) -> tuple[SweepGroup, ...]:
        return tuple(group for group in self.groups if group.game == game)

    def called(self, group: SweepGroup) -> str:
        """What a group is called beside the others of its game."""
        return group.solver if len(self.plan.stops) == 1 else f"{group.solver}, {group.until}"

    def lines(self, columns: int = COLUMNS) -> list[str]:
        """The results as text: a table for each game no wider than so many columns, then what failed, and why."""
        lines: list[str] = []
        for game in self.plan.games:
            groups = self.of_game(game)
            if groups:
                lines += [*([""] if lines else []), game, *_fitted([HEAD, *map(self.cells, groups)], columns)]
        wrap = partial(textwrap.wrap, width=columns, subsequent_indent="  ", break_long_words=False)
        return [*lines, *(part for line in self._told() for part in wrap(line, break_on_hyphens=False))]

    def cells(self, group: SweepGroup) -> tuple[str, ...]:
        """The row of a table: name, runs, value, gap, its interval, iterations and time."""
        solved = group.solved
        name, runs = self.called(group), _runs(group)
        if not solved:
            return (name, runs, "–", "–", "–", "–", "–")
        gap, around = _gap(group)
        values = [row.value for row in solved if row.value is not None]
        value = number(sum(values) / len(values), 5) if len(values) == len(solved) else "–"
        took = group.mean(SECONDS)
        steps = number(group.mean(ITERATIONS) or 0, 4)
        return name, runs, value, gap, around, steps, "–" if took is None else duration(round(took, 3))

    def _told(self) -> list[str]:
        """What is claimed; what failed, each reason once with its cells; and whether some cells were not run."""
        reasons: dict[tuple[str, str, str], list[int]] = {}
        for row in self.failed:
            reasons.setdefault((row.game, row.solver, row.failed), []).append(row.seed)
        left = len(self.plan) - len(self.rows)
        short = [f"{len(self.rows):,} of {many(len(self.plan), 'cell')} are here, {left:,} are not yet"] if left else []
        claimed = [
            f"claimed: {group.game}, {self.called(group)}: the gaps of its curve are the solver's word; those of the "
            f"table are {'claimed too' if group.solved[0].claimed else 'computed from its profile'}"
            for group in self.groups
            if group.curve_claimed
        ]
        failed = [
            f"failed: {game}, {solver}, {'seed' if len(seeds) == 1 else 'seeds'} {_listed(seeds)}: {reason}"
            for (game, solver, reason), seeds in reasons.items()
        ]
        return [*self._sampled(), *short, *claimed, *failed]

    def _sampled(self) -> list[str]:
        """Whose iterations are not to be compared with the others'."""
        sampled = list(dict.fromkeys(group.solver for group in self.groups if group.samples))
        if not sampled or len(sampled) == len(self.plan.solvers):
            return []
        return [
            f"a step of {' and of '.join(sampled)} is one sample, of the others a pass over the game: compare times"
        ]

    def picture(self, game: str | None = None, over: str = "", title: str | None = "") -> Drawing:
        """The curves of one game: how fast its gaps close, a line for each solver, with intervals over seeds.

        Parameters
        ----------
        game
            Which; the only one unless given.
        over
            ``"seconds"``, ``"iterations"``, which it is where times were left out, or ``"both"``, one above the other.
        title
            The first line of the picture; the game's name unless given, nothing where it is None.

        Returns
        -------
        Drawing
        """
        if game is None and len(self.plan.games) > 1:
            raise SpecError(f"sweep: {len(self.plan.games)} games, expected one for a picture; a page (.html) has all")
        named = game or self.plan.games[0]
        if named not in self.plan.games:
            raise SpecError(f"sweep: has no game {named!r}, expected {one_of(self.plan.games)}")
        over = over or (SECONDS if self.plan.times else ITERATIONS)
        if over in (SECONDS, BOTH) and not self.plan.times:
            raise SpecError(f"sweep: a picture over {over}, but times were left out; expected iterations")
        shown = named if title == "" else title
        if over == BOTH:
            return one_above_the_other([self._curves(named, SECONDS, shown), self._curves(named, ITERATIONS, None)])
        return self._curves(named, over, shown)

    def _curves(self, game: str, over: str, title: str | None) -> Drawing:
        curves: dict[str, Sequence[GapPoint]] = {}
        ends: dict[str, float] = {}
        for group in self.of_game(game):
            marks = [SAMPLES] * (over == ITERATIONS and group.samples) + [CLAIMED] * group.curve_claimed
            name, end = self.called(group) + "".join(marks), group.mean(over)
            if group.solved and end is not None:
                curves[name], ends[name] = group.curve(over), end
        return gap_curves(curves, over=over, title=title, ends=ends)

    def records(self, curves: bool = False) -> list[dict[str, Any]]:
        """The results as plain values: one entry for each cell, or with `curves` for each point of its curve."""
        computed_by = list(dict.fromkeys(name for row in self.rows for name in row.versions))
        found: list[dict[str, Any]] = []
        for row in self.rows:
            cell = {name: getattr(row, name) for name in CELL}
            if curves:
                found += [{**cell, **point._asdict()} for point in row.curve]
            else:
                versions = {name: row.versions.get(name, "") for name in computed_by}
                found.append({**cell, **{name: getattr(row, name) for name in FIGURES}, **versions})
        return found

    def to_pandas(self, curves: bool = False) -> Any:
        """`records` as a pandas.DataFrame; SpecError where pandas is not installed."""
        return data_frame(self.records(curves))

    def to_csv(self, path: str | os.PathLike[str] | None = None, curves: bool = False) -> str:
        """`records` as CSV, written to `path` where one is given; `curves` in long format, a line for each point."""
        text, records = io.StringIO(), self.records(curves)
        rows = csv.DictWriter(text, list(records[0]) if records else CELL, lineterminator="\n")
        rows.writeheader()
        rows.writerows(records)
        if path is not None:
            write(path, text.getvalue().encode())
        return text.getvalue()

    def to_html(self, command: str = "") -> str:
        """One page of tables and curves that needs no script and fetches nothing."""
        return str(located(f"{__package__}.page:page")(self, command))

    def save(self, path: str | os.PathLike[str], command: str = "", over: str = "") -> None:
        """Write a page (.html), the rows (.csv), or the curves of the only game (.svg, .png, .pdf, .tex), by ending.

        `over` is that of `picture`: curves over ``"seconds"``, ``"iterations"`` or ``"both"``; a page has both.
        """
        require_ending(path, *ENDINGS)
        ending = Path(path).suffix
        if ending == ".csv":
            self.to_csv(path)
        elif ending == ".html":
            write(path, self.to_html(command).encode())
        else:
            self.picture(over=over).save(path)

    def __repr__(self) -> str:
        bad = f", {len(self.failed)} failed" if self.failed else ""
        return f"<Sweep of {many(len(self.plan), 'cell')}, {len(self.rows):,} here{bad}, {self.stopped}>"

    def _repr_html_(self) -> str:
        """The tables and curves, for notebooks."""
        return str(located(f"{__package__}.page:sections")(self))


HEAD = ("solver", "runs", "value", "gap", "95 % interval", "steps", "time")


def _runs(group: SweepGroup) -> str:
    return f"{len(group.solved)}" if len(group.solved) == len(group.rows) else f"{len(group.solved)}/{len(group.rows)}"


def _gap(group: SweepGroup) -> tuple[str, str]:
    """The mean gap of runs, and its interval over seeds where seeds matter."""
    solved = group.solved
    gaps = [max(0.0, row.gap) for row in solved if row.gap is not None]
    if len(gaps) < len(solved):
        return "–", "–"
    mean, low, high = mean_gap(gaps)
    return number(mean, 2), f"{number(low, 2)} to {number(high, 2)}" if low < high and not group.deterministic else "–"


def _fitted(rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    """A table of so many columns: each name on a line of its own where it would be wider."""
    lines = aligned(rows, "<>")
    if max(map(len, lines)) <= columns:
        return lines
    below = aligned([row[1:] for row in rows], ">")
    return [line for row, figures in zip(rows, below) for line in (row[0], f"  {figures}")]


def _listed(seeds: Sequence[int]) -> str:
    return ", ".join(map(str, seeds[:5])) + (f" and {len(seeds) - 5} more" if len(seeds) > 5 else "")
