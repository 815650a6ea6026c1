"""What a sweep is to solve: every combination of games, solvers, limits and seeds, in an order that never changes.

The rows of a sweep, read strictly from its journal: each is that of its cell, with numbers where they belong.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise, product
from typing import Any, NamedTuple, Protocol

from fogbound.core.contract import MOST_REWARD
from fogbound.core.errors import SpecError, brief
from fogbound.core.game import AnyGame, Game
from fogbound.core.identity import VERSIONS, Files, Inputs, named_files, packages, read_inputs
from fogbound.core.spec import parse, spec_of
from fogbound.driver.solution import Solution
from fogbound.driver.solver import AnySolver, Solver
from fogbound.forms.identity import game_files
from fogbound.forms.protocol import Form, title
from fogbound.naming.games import GameLike, problem
from fogbound.naming.inputs import policy_files
from fogbound.naming.limits import NAMES, stop_rules
from fogbound.naming.solvers import solver as solver_named
from fogbound.parallel.journal import CheckRow, Row
from fogbound.simulators.simulator import Simulator

DEFAULT = "default"  # the limits where nobody named any
MOST_CELLS = 1_000_000


class SweepCell(NamedTuple):
    """One combination: a game, a solver, limits and a seed."""

    game: str
    solver: str
    until: str
    seed: int


@dataclass(frozen=True)
class SweepPlan:
    """All combinations of a sweep, as plain values: what its journal says that it is about.

    Parameters
    ----------
    games, solvers
        By their specs, or games by their files.
    stops
        The limits, each as people write them: ``"gap=0.001, seconds=10"``; ``"default"`` for those of everybody.
    seeds
        One run each.
    player, against, limit, certify
        As `fogbound.solve` takes them.
    times
        Whether rows say how long things took; without, the same sweep gives the same bytes.
    inputs
        By game, solver and opponent, the files that it is read from, by content; and the versions that compute: others
        are another sweep.
    """

    games: tuple[str, ...]
    solvers: tuple[str, ...]
    stops: tuple[str, ...]
    seeds: tuple[int, ...]
    player: str = "0"
    against: tuple[str, ...] = ()
    limit: int | None = None
    certify: bool | None = None
    times: bool = True
    inputs: Mapping[str, Mapping[str, str]] | None = None

    @property
    def cells(self) -> tuple[SweepCell, ...]:
        """Every combination, in order."""
        return tuple(SweepCell(*cell) for cell in product(self.games, self.solvers, self.stops, self.seeds))

    def __len__(self) -> int:
        return len(self.games) * len(self.solvers) * len(self.stops) * len(self.seeds)

    def about(self) -> dict[str, Any]:
        """The plan as plain values."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @classmethod
    def from_about(cls, about: Mapping[str, Any]) -> SweepPlan:
        """The plan that a journal tells of; ValueError where it tells of none."""
        if set(about) != set(cls.__dataclass_fields__):
            raise ValueError(f"says {', '.join(map(str, about)) or 'nothing'} about its sweep")
        for name in ("games", "solvers", "stops", "against"):
            if not isinstance(about[name], list) or not all(isinstance(one, str) for one in about[name]):
                raise ValueError(f"{name} is {brief(about[name])}, expected a list of texts")
        if not isinstance(about["seeds"], list) or not all(type(seed) is int and seed >= 0 for seed in about["seeds"]):
            raise ValueError(f"seeds is {brief(about['seeds'])}, expected a list of whole numbers")
        read_inputs(about["inputs"])
        if type(about["times"]) is not bool or not isinstance(about["player"], str):
            raise ValueError("times is no truth value, or player no text")
        listed: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in about.items()
        }
        plan = cls(**listed)
        if not 0 < len(plan) <= MOST_CELLS:
            raise ValueError(f"a sweep of {len(plan)} cells, expected 1 to {MOST_CELLS:,}")
        return plan


class Solve(Protocol):
    """What solves a game: `fogbound.solve`, handed in, since it stands above."""

    def __call__(
        self,
        game: GameLike,
        solver: str | AnySolver,
        /,
        *,
        player: int | str,
        against: Sequence[str] | None,
        seed: int,
        limit: int | None,
        certify: bool | None,
        gap: float | str | None = ...,
        seconds: float | None = ...,
        iterations: float | None = ...,
    ) -> Solution: ...


class SweepWork(NamedTuple):
    """What every cell shares: the plan, what solves, and the games and solvers that no text alone makes elsewhere.

    Those are objects, and classes of people's own files: forked processes inherit them, and on Ray they travel.
    """

    plan: SweepPlan
    solve: Solve
    games: Mapping[str, AnyGame | Form]
    solvers: Mapping[str, AnySolver]

    def game(self, text: str) -> GameLike:
        return self.games.get(text, text)

    def solver(self, text: str) -> str | AnySolver:
        return self.solvers.get(text, text)


def make_work(
    games: GameLike | Sequence[GameLike],
    solvers: str | AnySolver | Sequence[str | AnySolver],
    seeds: int | Iterable[int],
    stops: Sequence[Mapping[str, Any]],
    solve: Solve,
    **more: Any,
) -> SweepWork:
    """What a sweep is to do; whatever is named and does not exist is refused now, not in every cell.

    Raises
    ------
    SpecError
        Nothing is named, or what does not exist, or the same twice.
    """
    named = [games] if isinstance(games, str | os.PathLike | Game | Simulator | Form) else list(games)
    played = [_game(one) for one in named]
    listed = [solvers] if isinstance(solvers, str | Solver) else list(solvers)
    solving = [
        (spec_of(one), one, True) if isinstance(one, Solver) else (str(parse(one)), solver_named(one), False)
        for one in listed
    ]
    read = {text: game_files(game) for text, game, _ in played} | {text: policy_files(one) for text, one, _ in solving}
    plan = SweepPlan(
        _once("games", [text for text, _, _ in played]),
        _once("solvers", [text for text, _, _ in solving]),
        _once("stops", [limits_text(stop) for stop in stops] or [DEFAULT]),
        _once("seeds", _seeds(seeds)),
        inputs=_inputs(read, more.get("against", ())),
        **more,
    )
    if len(plan) > MOST_CELLS:
        raise SpecError(f"sweep: {len(plan):,} cells, expected at most {MOST_CELLS:,}")
    own_games = {text: game for text, game, given in played if given or ".py:" in text}
    return SweepWork(plan, solve, own_games, {text: one for text, one, given in solving if given or ".py:" in text})


def _game(source: Any) -> tuple[str, AnyGame | Form, bool]:
    """What a sweep calls a game, the game, and whether it was handed over as an object."""
    made = problem(source)
    return (os.fspath(source), made, False) if isinstance(source, str | os.PathLike) else (title(made), made, True)


def limits_text(limits: Mapping[str, Any]) -> str:
    """Limits as people write them, in one order.

    Examples
    --------
    >>> limits_text({"seconds": 10, "gap": 1e-3}), limits_text({})
    ('gap=0.001, seconds=10', 'default')
    """
    strange = [name for name in limits if name not in NAMES]
    if strange:
        raise SpecError(f"sweep: a limit is called {brief(strange[0])}, expected one of {', '.join(NAMES)}")
    given = {name: limits[name] for name in NAMES if limits.get(name) is not None}
    stop_rules(**given)
    return ", ".join(f"{name}={value}" for name, value in given.items()) or DEFAULT


def all_limits(stops: Sequence[Mapping[str, Any]], **single: float | str | None) -> list[Mapping[str, Any]]:
    """The limits of all runs: several, or the one that stands beside them."""
    given = {name: value for name, value in single.items() if value is not None}
    if given and stops:
        raise SpecError("sweep: limits stand in stops= and beside it, expected one of them")
    return list(stops) or [given]


def read_limits(text: str) -> dict[str, Any]:
    """The limits that a text names: the other way round.

    Examples
    --------
    >>> read_limits("gap=1%, seconds=10")
    {'gap': '1%', 'seconds': 10.0}
    """
    if text.strip() == DEFAULT:
        return {}
    found: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or name not in NAMES or name in found:
            raise SpecError(f"sweep: found the limit {brief(part.strip())}, expected gap=…, seconds=… or iterations=…")
        try:
            found[name] = value if value.endswith("%") else int(value) if name == "iterations" else float(value)
        except ValueError:
            raise SpecError(f"sweep: {name} is {brief(value)}, expected a number") from None
    stop_rules(**found)
    return found


def _once(what: str, listed: Sequence[Any]) -> tuple[Any, ...]:
    if not listed:
        raise SpecError(f"sweep: no {what} are given, expected at least one")
    if len(set(listed)) < len(listed):
        twice = next(one for one in listed if listed.count(one) > 1)
        raise SpecError(f"sweep: {brief(twice)} stands twice among the {what}")
    return tuple(listed)


def _seeds(seeds: int | Iterable[int]) -> list[int]:
    listed = list(range(seeds)) if isinstance(seeds, int) and not isinstance(seeds, bool) else seeds
    if isinstance(listed, bool | str) or not isinstance(listed, Iterable):
        raise SpecError(f"sweep: seeds is {brief(seeds)}, expected how many, or a list of them")
    numbers = list(listed)
    if not all(type(seed) is int and seed >= 0 for seed in numbers):
        raise SpecError(f"sweep: seeds is {brief(numbers)}, expected whole numbers of 0 or more")
    return numbers


def _inputs(games: Mapping[str, Files], named: Sequence[str]) -> Inputs:
    """What a sweep depends on, by content: the files of its games, solvers and opponents, and versions."""
    found = {**games, **{text: named_files(text) for text in named}}
    return {VERSIONS: packages(), **{role: read for role, read in found.items() if read}}


KIND = "sweep"
NUMBER = (int, float, type(None))
WANTED: dict[str, tuple[type, ...]] = {  # what a solved cell says beside its curve
    **dict.fromkeys(("value", "lower", "upper", "gap", "seconds"), NUMBER),
    "iterations": (int,),
    **dict.fromkeys(("form", "form_sha256", "stopped", "certified", "claimed"), (str,)),
    **dict.fromkeys(("curve_claimed", "samples"), (bool,)),
}
SLACK = 1e-6  # of the largest figure: bounds are rounded outwards, values are not
NAMED = (*SweepCell._fields, "versions", "failed")


class RunPoint(NamedTuple):
    """The gap of a run at an iteration, and after how many seconds that was; None where times are left out."""

    iteration: int
    seconds: float | None
    gap: float


@dataclass(frozen=True)
class SweepRow:
    """What one cell came to.

    Attributes
    ----------
    number
        Of the cell in its sweep.
    game, solver, until, seed
        The cell.
    failed
        Why there is no answer; empty where there is one.
    value, lower, upper, gap, iterations, seconds, stopped, certified
        As a solution has them; None where there is no such number.
    claimed
        Which of value, lower and upper are the solver's word alone, by name.
    curve_claimed
        Whether the gaps of the curve are the solver's word, its last one apart.
    samples
        Whether an iteration is one sampled trajectory instead of a pass over the game.
    curve
        The gap as it closed; the last one is `gap`, recomputed from the profile.
    versions
        What computed it.
    """

    number: int
    game: str
    solver: str
    until: str
    seed: int
    failed: str
    value: float | None
    lower: float | None
    upper: float | None
    gap: float | None
    iterations: int | None
    seconds: float | None
    stopped: str
    certified: str
    claimed: str
    curve_claimed: bool
    samples: bool
    curve: tuple[RunPoint, ...]
    versions: Mapping[str, str]


def read_row(number: int, row: Row) -> SweepRow:
    """A row that was checked."""
    named: dict[str, Any] = {name: row[name] for name in (*SweepCell._fields, "failed", "versions")}
    figures: dict[str, Any] = {
        name: row.get(name) for name in ("value", "lower", "upper", "gap", "iterations", "seconds")
    }
    words: dict[str, Any] = {name: row.get(name, "") for name in ("stopped", "certified", "claimed")}
    words |= {name: bool(row.get(name)) for name in ("curve_claimed", "samples")}
    return SweepRow(number, **named, **figures, **words, curve=tuple(RunPoint(*p) for p in row.get("curve", ())))


def check_rows(about: Mapping[str, Any]) -> CheckRow:
    """What holds every row against the plan of its sweep; ValueError where `about` tells of none."""
    plan = SweepPlan.from_about(about)
    cells = plan.cells

    def check(number: int, row: Row) -> None:
        if number >= len(cells):
            raise ValueError(f"cell {number}, expected one of {len(cells)}")
        missing = [name for name in NAMED if name not in row]
        if missing:
            raise ValueError(f"cell {number} says nothing of {missing[0]}")
        found = tuple(row[name] for name in SweepCell._fields)
        if found != cells[number] or type(row["seed"]) is not int:
            raise ValueError(f"cell {number} is {brief(found)}, expected {brief(tuple(cells[number]))}")
        _check_words(number, row)
        if not row["failed"]:
            _check_figures(number, row)
            _check_curve(number, row["curve"], plan.times)

    return check


def _check_words(number: int, row: Row) -> None:
    versions = row["versions"]
    if not isinstance(row["failed"], str):
        raise ValueError(f"cell {number}: failed is {brief(row['failed'])}, expected a reason or nothing")
    if not isinstance(versions, dict) or not all(isinstance(text, str) for text in versions.values()):
        raise ValueError(f"cell {number}: versions is {brief(versions)}, expected texts by name")
    wanted = {*NAMED, *(() if row["failed"] else (*WANTED, "curve"))}
    if set(row) != wanted:
        strange = sorted(set(row) ^ wanted)
        raise ValueError(f"cell {number}: {strange[0]} is missing, or is not expected")


def _check_figures(number: int, row: Row) -> None:
    for name, types in WANTED.items():
        value = row[name]
        if type(value) not in types or (isinstance(value, float) and not abs(value) <= MOST_REWARD):
            raise ValueError(f"cell {number}: {name} is {brief(value)}")
    for name in ("gap", "seconds", "iterations"):
        if row[name] is not None and row[name] < -SLACK:
            raise ValueError(f"cell {number}: {name} is {brief(row[name])}, expected 0 or more")
    if fault := contradiction(row):
        raise ValueError(f"cell {number}: {fault}")


def contradiction(row: Mapping[str, Any]) -> str:
    """How the figures of an answer contradict each other, in words; empty where they do not.

    Examples
    --------
    >>> contradiction({"value": 123, "lower": -0.51, "upper": -0.49, "gap": 0.02})
    'value 123 is not between lower -0.51 and upper -0.49'
    """
    value, lower, upper, gap = (row[name] for name in ("value", "lower", "upper", "gap"))
    slack = SLACK * max([1.0, *(abs(one) for one in (value, lower, upper) if one is not None)])
    low, high = -math.inf if lower is None else lower - slack, math.inf if upper is None else upper + slack
    if low > high:
        return f"lower {lower:g} is above upper {upper:g}"
    if value is not None and not low <= value <= high:
        between = [f"{name} {one:g}" for name, one in (("lower", lower), ("upper", upper)) if one is not None]
        return f"value {value:g} is not between {' and '.join(between)}"
    if gap is not None and lower is not None and upper is not None and upper - lower > gap + slack:
        return f"gap {gap:g} is less than from lower {lower:g} to upper {upper:g}"
    return ""


def _check_curve(number: int, curve: Any, times: bool) -> None:
    if not isinstance(curve, list):
        raise ValueError(f"cell {number}: the curve is {brief(curve)}, expected a list of points")
    for point in curve:
        fits = isinstance(point, list) and len(point) == 3 and type(point[0]) is int and point[0] >= 0
        if not fits or not _figure(point[2]) or not (_figure(point[1]) if times else point[1] is None):
            raise ValueError(f"cell {number}: a point is {brief(point)}, expected iteration, seconds and gap")
    if any(one[0] > other[0] or (times and one[1] > other[1]) for one, other in pairwise(curve)):
        raise ValueError(f"cell {number}: the curve goes back in time")


def _figure(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0
