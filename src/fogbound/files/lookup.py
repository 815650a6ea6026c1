"""What a solution file names: its solver, its game, and how the policies of its certificate play.

Solvers that only a rare kind of certificate needs are imported when it is met.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from fogbound.certificates.certificate import Arrays
from fogbound.certificates.held import Beliefs, Lookup, NamedSolver, OneSidedPlay, StoredSolution
from fogbound.core.errors import FileError, SpecError, brief
from fogbound.core.policy import Strategy
from fogbound.driver.solver import AnySolver
from fogbound.files.same_game import solves
from fogbound.files.solution import policies_digest
from fogbound.forms.one_sided.form import OneSided
from fogbound.forms.protocol import Form
from fogbound.forms.table import Table
from fogbound.solvers import SOLVERS
from fogbound.solvers.all_forms import ALL_FORMS


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
