"""From what people hand over to solvers: specs, installed packages, `my_solver.py:Hedge`, objects."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from fogbound.core.errors import FogboundError, SpecError, no_exit, raised
from fogbound.core.registry import build, parameters, said
from fogbound.core.spec import Spec, parse
from fogbound.driver.solver import AnySolver, Solver, require_solver
from fogbound.naming.own_files import OWN_CLASS, own_class
from fogbound.solvers import SOLVERS


def is_own(name: str) -> bool:
    """Whether the name of a spec is that of a class in a file of one's own."""
    return name.endswith(".py") or OWN_CLASS.fullmatch(name) is not None


def solver_class(name: str) -> type[AnySolver]:
    """The class that the name of a spec means: a registered one, or ``my_solver.py:Hedge``."""
    if not is_own(name):
        return SOLVERS.load(name)
    file, _, cls = name.partition(".py")
    found: type[AnySolver] = own_class(Path(f"{file}.py"), cls.removeprefix(":"), "solver", _is_solver)
    found.name = name
    return found


def _is_solver(cls: type) -> bool:
    return issubclass(cls, Solver) and not inspect.isabstract(cls)


def solver(spec: Spec | str | AnySolver, **given: object) -> AnySolver:
    """The solver that a spec such as ``"belief-mdp(ties=split)"`` names, or that is handed over.

    Parameters
    ----------
    spec
        A name of `fogbound.solvers` with parameters in parentheses, a class in a file of one's own
        (``"my_solver.py:Hedge(rate=0.5)"``), or a solver.
    given
        Parameters that no spec can hold, such as functions: ``fb.solver("pomcp", rollout=my_rollout)``.

    Returns
    -------
    Solver
        Ready to be handed to `fogbound.solve`.

    Raises
    ------
    SpecError
        There is no such solver, or it has no such parameter; the message lists what there is.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.solver("belief-mdp(ties=split)").ties
    'split'
    """
    if given:
        return _with(solver(spec), given)
    if not isinstance(spec, str | Spec):
        return require_solver(spec)
    named = parse(spec) if isinstance(spec, str) else spec
    if not is_own(named.name):
        return SOLVERS.make(named)
    cls = solver_class(named.name)
    try:
        with no_exit():
            return build(cls, named, solver)
    except FogboundError:
        raise
    except Exception as error:
        raise SpecError(f"{named.name} cannot be made: {raised(error)}") from error


def _with(found: AnySolver, given: Mapping[str, object]) -> AnySolver:
    """The same solver with other parameters; SpecError where it has none of that name."""
    said(type(found), Spec(found.name, tuple(given.items())))
    made: AnySolver = replace(found, **given)  # type: ignore[type-var]  # solvers are dataclasses
    return made


def starting() -> list[str]:
    """The specs of solvers that can begin from a solution, by default or with one of a parameter's choices.

    Examples
    --------
    >>> starting()[:2]
    ['cfr(sampling=full)', 'cfr-plus']
    """
    found = []
    for name in SOLVERS:
        own = parameters(SOLVERS.load(name))
        if not any(parameter.required for parameter in own):
            specs = [name, *(f"{name}({parameter.name}={one})" for parameter in own for one in parameter.choices)]
            found += [spec for spec in specs if SOLVERS.make(spec).takes_start][:1]
    return found
