"""What a solution file names: its game, its solver, and how the policies of its certificate play.

A solution is of a game by name, and by the content of what the game's rules are read from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from fogbound.certificates.certificate import Arrays
from fogbound.certificates.held import Beliefs, Lookup, NamedSolver, OneSidedPlay, StoredSolution, question
from fogbound.core.errors import FileError, FogboundError, SpecError, Stopped, brief
from fogbound.core.game import AnyGame
from fogbound.core.identity import GAME, difference
from fogbound.core.policy import Strategy
from fogbound.driver.solver import AnySolver
from fogbound.files.stored_policies import policies_digest
from fogbound.forms.identity import form_digest, game_files
from fogbound.forms.protocol import Form, derive
from fogbound.forms.table import Table
from fogbound.games import FOREIGN, GAMES, SIMULATORS
from fogbound.solvers import SOLVERS
from fogbound.solvers.all_forms import ALL_FORMS
from fogbound.transforms import TRANSFORMS

if TYPE_CHECKING:
    from fogbound.forms.one_sided.form import OneSided

_OWN = re.compile(r"[^\s(),=]*\.py:([^\s(),=]*)")  # somebody's own class; imported in Python, it is called without


def solves(provenance: Mapping[str, Any], game: AnyGame | Form) -> bool:
    """Whether a solution is of this game. A file, of a model or of one's own rules, is not known by where it lies."""
    form = game.origin
    if isinstance(form, Form) and provenance.get("form") == form.kind:
        return bool(provenance.get("form_sha256") == form_digest(form))
    named = game.spec if isinstance(game, Form) else str(game)
    return _name(str(provenance.get("game"))) == _name(named)


def of_another_game(stored: StoredSolution, game: AnyGame | Form) -> str:
    """Why a stored solution is not of this game, in words; empty where it is.

    Files are compared by content. Where they differ, the form that was solved is derived anew, as `verify` derives it:
    a comment that was edited changes nothing.

    Parameters
    ----------
    stored
        The solution.
    game
        The game or form that it is to be used with.

    Returns
    -------
    str
    """
    named, called = str(stored.provenance.get("game")), game.spec if isinstance(game, Form) else str(game)
    recorded, now = _recorded(stored), game_files(game)
    model = called in now  # it is called as the file that it was read from
    same = bool(now) and sorted(recorded.values()) == sorted(now.values())
    if same and (model or solves(stored.provenance, game)):
        return ""
    if not model and not solves(stored.provenance, game):
        return f"is a solution of {brief(named)[1:-1]}, not of {called}"
    if not now or _same_form(stored, game):  # Fogbound's own games are known by name
        return ""
    changed = difference({GAME: recorded}, {GAME: now}) if recorded else f"the rules of {called} have changed"
    return f"is a solution of {brief(named)[1:-1]}, not of {called} as it is now: {changed}"


def _recorded(stored: StoredSolution) -> Mapping[str, str]:
    """What the file says that the game was read from."""
    found = stored.provenance.get("inputs", {})
    files = found.get(GAME, {}) if isinstance(found, dict) else {}
    return files if isinstance(files, dict) else {}


def _same_form(stored: StoredSolution, game: AnyGame | Form) -> bool:
    """Whether the game gives the form that was solved, against the opponents that are stored."""
    try:
        form: Form = derive(game, ALL_FORMS.load(str(stored.provenance.get("form"))), question(stored))
        return bool(form_digest(form) == stored.provenance.get("form_sha256"))
    except Stopped:
        raise
    except FogboundError:
        return False


def _name(spec: str) -> tuple[str, list[str]]:
    """A spec without the files that classes lie in; and which of these classes are called as one of Fogbound's is."""
    shipped = (GAMES, SIMULATORS, TRANSFORMS, FOREIGN)
    return _OWN.sub(r"\1", spec), [name for name in _OWN.findall(spec) if any(name in known for known in shipped)]


def _solver(spec: str) -> NamedSolver | None:
    try:
        solver = SOLVERS.make(spec)
    except SpecError:
        return None
    return NamedSolver(solver.finds, solver.forms(), solver.certified_terms)


def _form(kind: str) -> type[Form] | None:
    return ALL_FORMS.load(kind) if kind in ALL_FORMS else None


def _beliefs(spec: str) -> Beliefs | None:
    from fogbound.solvers.level_k.form import prior_weights
    from fogbound.solvers.level_k.solver import LevelK

    solver = SOLVERS.make(spec)
    return partial(prior_weights, solver.prior, solver.tau) if isinstance(solver, LevelK) else None


def _levels(table: Table, evidence: Arrays) -> Mapping[tuple[int, int], Strategy]:
    from fogbound.solvers.pomdp.belief_graph.fsc import certified_policies

    return certified_policies(table, evidence)


def _one_sided(form: OneSided) -> OneSidedPlay:
    from fogbound.solvers.one_sided.play.profile import stored_strategy
    from fogbound.solvers.one_sided.shaping import shaped_game

    scaled = shaped_game(form)
    return OneSidedPlay(scaled.scale, partial(stored_strategy, form=form, scaled=scaled))


LOOKUP = Lookup(_solver, _form, solves, _beliefs, _levels, _one_sided, policies_digest)


def solver_and_form(stored: StoredSolution) -> tuple[AnySolver, type[Form]]:
    """The solver that a file names, and which of its forms it worked on."""
    spec, kind = str(stored.provenance["solver"]), stored.provenance["form"]
    named = _solver(spec)
    if named is None:
        raise FileError(f"names the solver {brief(spec)}, which does not exist")
    for form in named.forms:
        if form.kind == kind:
            return SOLVERS.make(spec), form
    raise FileError(f"says that {spec} solved a {brief(kind)} form, on which it does not work")
