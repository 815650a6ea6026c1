"""When a call stops: the limits that people name, the ones for those who name none, and the words for what was met."""

from __future__ import annotations

import math
import numbers
from typing import Any, TypeAlias

from fogbound.core.errors import SpecError, brief
from fogbound.core.registry import parameters
from fogbound.core.spec import Spec, share_of
from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.driver.stops import StopReason, stop_advice, words
from fogbound.naming.solvers import solver_class

Gap: TypeAlias = "float | str | None"

DEFAULT = Until(relative=1e-3, seconds=60.0, default=True)
CLOSED = 1e-9  # a gap that is less beside the bounds is rounding
NAMES = ("gap", "seconds", "iterations")


def stop_rules(gap: Gap = None, seconds: float | None = None, iterations: float | None = None) -> Until:
    """The limits of a call: those that are named and no others; a gap of 0.1 % or a minute where none is.

    Parameters
    ----------
    gap
        A number, or a share of the answer such as ``"1%"``.
    seconds, iterations
        Numbers; infinite for as long as it takes.

    Returns
    -------
    Until
        Limits for the driver.

    Raises
    ------
    SpecError
        One of them is no such number.

    Examples
    --------
    >>> stop_rules(gap="1%").relative, stop_rules(seconds=5).gap, stop_rules().default
    (0.01, 0.0, True)
    """
    if gap is None and seconds is None and iterations is None:
        return DEFAULT
    share = share_of(gap) if isinstance(gap, str) else 0.0
    return Until(
        0.0 if isinstance(gap, str) else _limit("gap", gap, 0.0),
        _limit("seconds", seconds, math.inf),
        _limit("iterations", iterations, math.inf),
        share,
    )


def _limit(name: str, given: float | None, none: float) -> float:
    if given is None:
        return none
    if isinstance(given, bool) or not isinstance(given, numbers.Real) or not given >= 0:
        raise SpecError(f"{name} is {brief(given)}, expected a number of 0 or more, or None for no limit")
    return float(given) if name != "iterations" else given


def limits_apart(spec: Spec) -> tuple[Spec, Until]:
    """A policy's spec without the limits in it, and these: `dcfr(gap=1e-4)`.

    A parameter that the solver has itself stays its own.

    Examples
    --------
    >>> from fogbound.core.spec import parse
    >>> spec, until = limits_apart(parse("cfr(sampling=full, gap=1%)"))
    >>> str(spec), until.relative
    ('cfr(sampling=full)', 0.01)
    """
    own = {parameter.name for parameter in parameters(solver_class(spec.name))}
    limits: dict[str, Any] = {key: value for key, value in spec.parameters if key in NAMES and key not in own}
    rest = tuple((key, value) for key, value in spec.parameters if key not in limits)
    return Spec(spec.name, rest, spec.positional), stop_rules(**limits)


def why_stopped(solution: Solution, change: str = "gap=, seconds=") -> str:
    """Why a run ended, with the limit that was met and, where nobody named one, how to change it.

    Parameters
    ----------
    solution
        The answer.
    change
        What the limits are called where it is said.

    Returns
    -------
    str
        A few words.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.api.why_stopped(fb.solve("king-ace", "cfr", iterations=10))
    'iteration limit'
    """
    until: dict[str, Any] = solution.provenance.get("until", {})
    met, told = solution.stopped, words(solution.stopped)
    if met == StopReason.GAP and solution.gap <= CLOSED * max(abs(solution.lower), abs(solution.upper)):
        return "gap closed"
    limit = ""
    if met == StopReason.GAP and "relative" in until:
        limit = f"{100 * until['relative']:.4g} %"
    elif met == StopReason.SECONDS and "seconds" in until:
        limit = f"{until['seconds']:g} s"
    if until.get("default") and met in (StopReason.GAP, StopReason.SECONDS):
        limit += f", by default; {change} change it"
    if stop_advice(met):
        told += f": {stop_advice(met)};"
    return f"{told} ({limit})" if limit else told
