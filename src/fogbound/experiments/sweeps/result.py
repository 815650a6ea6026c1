"""What comes of a sweep: its rows, and these told as a table, as curves, as CSV, as one page."""

from __future__ import annotations

import csv
import io
import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from fogbound.core.atomic import write
from fogbound.core.drawing import PICTURES, Drawing, require_ending
from fogbound.core.errors import SpecError, many, one_of
from fogbound.core.numerals import number
from fogbound.core.registry import located
from fogbound.core.svg import one_above_the_other
from fogbound.draw.chart import duration
from fogbound.draw.gaps import ITERATIONS, SECONDS, GapPoint, gap_curves
from fogbound.experiments.sweeps.curves import gap_curve, mean_gap, same_steps
from fogbound.experiments.sweeps.plan import SweepPlan
from fogbound.experiments.sweeps.rows import SweepRow, read_row
from fogbound.files.data_frames import data_frame
from fogbound.forms.words import aligned
from fogbound.parallel.journal import JournalContent

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
        return [*lines, *(part for line in self._told() for part in _wrapped(line, columns))]

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
        """Write a page (.html), the rows (.csv), or the curves of the only game (.svg, .png, .pdf), by how it ends.

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


def _wrapped(line: str, columns: int) -> list[str]:
    return textwrap.wrap(line, columns, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _listed(seeds: Sequence[int]) -> str:
    return ", ".join(map(str, seeds[:5])) + (f" and {len(seeds) - 5} more" if len(seeds) > 5 else "")
