"""Which solvers suit a game, and why the others do not: by the forms that it has, looked at for a moment."""

from __future__ import annotations

from dataclasses import dataclass

from fogbound.api.choosing import choose
from fogbound.core.errors import FogboundError, Stopped
from fogbound.core.game import AnyGame
from fogbound.driver.clock import Clock
from fogbound.driver.limits import Limits, preparing
from fogbound.forms.available import Available, available
from fogbound.forms.protocol import OTHERS
from fogbound.solvers import SOLVERS

STATES, NODES = 50_000, 200_000  # of a game that is only looked at
SECONDS = 3.0
SAMPLES = ("sampled", "modelled")  # forms that every game has


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
    limits = Limits(seconds, Clock())
    forms: list[Available] = []
    chosen, why = "", ""
    try:
        with preparing(limits, "the game was being looked at"):
            forms = available(game, STATES, NODES)
            chosen, why = choose(game, against=False)
    except Stopped:
        why = f"it takes more than {seconds:g} s to look at: name a solver"
    except FogboundError as error:
        why = str(error)
    return Survey(tuple(forms), tuple(_fits(game, {form.form: form for form in forms})), chosen, why)


def _fits(game: AnyGame, forms: dict[str, Available]) -> list[Fit]:
    """Each solver by the form that it works on."""
    listed = []
    for name in SOLVERS:
        form = SOLVERS.load(name).form
        found = forms.get(form.kind)
        if found is None:
            fits, why = True, "the rules themselves" if form.kind in SAMPLES else "not looked at: the game is large"
        elif found.exists:
            fits, why = True, found.words
            if form.against == OTHERS and len(game.players) > 1 and "given" not in why:
                why = f"{why}, once it is said how the others play"
        else:
            fits, why = False, f"no {form.kind} form: {found.words}"
        listed.append(Fit(name, form.kind, fits, why))
    return listed
