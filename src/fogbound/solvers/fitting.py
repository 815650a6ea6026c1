"""Which solvers suit a game, and why the others do not: by the forms that it has, looked at for a moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fogbound.core.cancel import check
from fogbound.core.errors import FogboundError, FormError, LimitError, SpecError, Stopped, brief
from fogbound.core.game import AnyGame, Game
from fogbound.core.registry import suggestion
from fogbound.driver.clock import Clock
from fogbound.driver.limits import Limits, preparing
from fogbound.driver.solver import EQUILIBRIUM, AnySolver
from fogbound.forms.protocol import OTHERS, Form
from fogbound.forms.table import Table
from fogbound.solvers import SOLVERS

if TYPE_CHECKING:
    from fogbound.forms.available import Available

STATES, NODES = 50_000, 200_000  # of a game that is only looked at
SECONDS = 3.0
SAMPLES = ("sampled", "modelled")  # forms that every game has
MOMENT = 2.0  # seconds to look at a game of which a solver was named that does not exist
NASH = ("nash", "equilibrium", "ne", "nash-equilibrium")  # what people call what many solvers find
KINDS = ("normal", "sequence", "table", "markov")  # forms of games of which equilibria are found, the simplest first
FEW = 3


@dataclass(frozen=True)
class Fit:
    """A solver beside a game.

    Attributes
    ----------
    solver
        Its name.
    form
        The kind of form that it works on.
    fits
        Whether the game has that form; True as well where it is not known.
    why
        How large the form is, or why there is none.
    """

    solver: str
    form: str
    fits: bool
    why: str


@dataclass(frozen=True)
class Survey:
    """What a look at a game finds.

    Attributes
    ----------
    forms
        Every kind of form, with its size or the reason why there is none; empty where time was up before.
    fits
        Every solver, in the order of `fogbound.solvers`.
    chosen
        The spec of the solver that `fogbound.solve` would take; empty where none can be chosen.
    why
        Why that one, or why none.
    """

    forms: tuple[Available, ...]
    fits: tuple[Fit, ...]
    chosen: str
    why: str


def survey(game: AnyGame, seconds: float = SECONDS) -> Survey:
    """Look at a game: its forms, the solvers that suit it, and the one that would be chosen.

    Parameters
    ----------
    game
        The game.
    seconds
        How long to look; what is not known by then is said to be so.

    Returns
    -------
    Survey
        What was found.

    Examples
    --------
    >>> import fogbound as fb
    >>> found = survey(fb.game("tiger"))
    >>> found.chosen, [fit.why for fit in found.fits if fit.solver == "sequence-lp"][0]
    ('sarsop', 'no sequence form: needs the tree')
    """
    from fogbound.forms.available import available_from, enumerated
    from fogbound.solvers.choosing import choose_solver

    solvers = [SOLVERS.load(name) for name in SOLVERS]  # whose imports are no part of the look
    limits = Limits(seconds, Clock(), grace=0.0)  # a look without a form is still an answer
    forms: list[Available] = []
    chosen, why, refused = "", "", dict[str, str]()
    try:
        with preparing(limits, "the game was being looked at"):
            table = enumerated(game, STATES)
            check()  # compiled rules list all states without asking
            forms = available_from(table, NODES)
            refused = {} if isinstance(table, LimitError) else _refused(table, solvers)
            chosen, why = choose_solver(game, against=False)
    except Stopped:
        why = f"it takes more than {seconds:g} s to look at: name a solver"
    except FogboundError as error:
        why = str(error)
    return Survey(tuple(forms), tuple(_fits(game, {form.form: form for form in forms}, refused)), chosen, why)


def _refused(table: Table, solvers: Sequence[type[AnySolver]]) -> dict[str, str]:
    """Why solvers that need more than a form, such as perfect information, refuse this one."""
    said: dict[Callable[[Table, str], None], str] = {}
    refused = {}
    for solver in solvers:
        name, requires = solver.name, solver.requires
        if requires not in said:
            try:
                requires(table, name)
                said[requires] = ""
            except FormError as error:
                said[requires] = str(error).removeprefix(f"{name}: ")
        if said[requires]:
            refused[name] = said[requires]
    return refused


def _fits(game: AnyGame, forms: dict[str, Available], refused: dict[str, str]) -> list[Fit]:
    """Each solver by the form that it works on."""
    listed = []
    for name in SOLVERS:
        form = SOLVERS.load(name).form
        found = forms.get(form.kind)
        if found is None:
            fits, why = True, "the rules themselves" if form.kind in SAMPLES else "not looked at: the game is large"
        elif name in refused:
            fits, why = False, refused[name]
        elif found.exists:
            fits, why = True, found.words
            if form.against == OTHERS and len(game.players) > 1 and "given" not in why:
                why = f"{why}, once it is said how the others play"
        else:
            fits, why = False, f"no {form.kind} form: {found.words}"
        listed.append(Fit(name, form.kind, fits, why))
    return listed


def require_known(name: str, source: AnyGame | Form) -> None:
    """Refuse a solver that does not exist, with names that are near and suit the game."""
    if name in SOLVERS:
        return
    if isinstance(source, Form):
        SOLVERS.load(name)
    looked = survey(source, MOMENT) if not isinstance(source, Form) else None
    fitting = [fit for fit in looked.fits if fit.fits] if looked and looked.forms else []
    if looked and looked.forms and SOLVERS.meant(name.lower()) in NASH:
        named = _equilibria(looked, len(source.players))
        raise SpecError(f"unknown solver {brief(name)}; equilibria of {source} are found by {', '.join(named)}")
    near = suggestion(name, [fit.solver for fit in fitting]) or suggestion(name, list(SOLVERS))
    raise SpecError(f"unknown solver {brief(name)}{near}")


def require_enough(solver: AnySolver, source: AnyGame | Form) -> None:
    """Refuse a simulator where the solver needs more than samples, with those that do not and go by its criterion."""
    if isinstance(source, Game) and source.only_sampled and not solver.simulators:
        from fogbound.solvers.criteria import solvers_by

        enough = ", ".join(name for name in solvers_by(solver.criterion) if SOLVERS.load(name).simulators)
        instead = f"use {enough}" if enough else f"no solver of the {solver.criterion} reward takes samples"
        article = "an" if solver.form.kind.startswith("a") else "a"
        raise FormError(f"{solver.name} needs {article} {solver.form.kind} form, and {source.only_sampled}; {instead}")


def _equilibria(looked: Survey, players: int) -> list[str]:
    """A few solvers of equilibria that suit a game: the one that would be chosen, then those of its simplest form."""
    finding = [fit for fit in looked.fits if fit.fits and SOLVERS.load(fit.solver).finds == EQUILIBRIUM]
    kind = next((kind for kind in KINDS if any(fit.form == kind for fit in finding)), "")
    chosen = [fit.solver for fit in finding if fit.solver == looked.chosen.partition("(")[0]]
    scopes = {fit.solver: SOLVERS.load(fit.solver).scope for fit in finding if fit.form == kind}
    rest = [name for name, scope in scopes.items() if scope.takes(players) and not scope.constant_sum]
    return list(dict.fromkeys([*chosen, *rest]))[:FEW]
