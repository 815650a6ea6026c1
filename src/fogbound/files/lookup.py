"""What a solution file names: its solver, its game, and how the policies of its certificate play."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from fogbound.certificates.certificate import Arrays
from fogbound.certificates.held import Beliefs, Lookup, NamedSolver, OneSidedPlay, StoredSolution
from fogbound.core.errors import FileError, SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.files.same_game import solves
from fogbound.files.solution import policies_digest
from fogbound.forms.one_sided.form import OneSided
from fogbound.forms.protocol import Form
from fogbound.forms.table import Table
from fogbound.solvers import SOLVERS


class FileLookup:
    """Fogbound's own solvers and games; what a rare kind of certificate needs is imported when it is asked for."""

    def solver(self, spec: str) -> NamedSolver | None:
        """The solver of this name; None where it is none of Fogbound's."""
        try:
            solver: Any = SOLVERS.make(spec)
        except SpecError:
            return None
        return NamedSolver(
            getattr(solver, "finds", ""),
            (solver.form, *getattr(solver, "without_form", ())),
            getattr(solver, "told", None),
            getattr(solver, "trust", None),
        )

    def beliefs(self, spec: str) -> Beliefs | None:
        """What levels believe, where the solver of this name solves a hierarchy of them; else None."""
        from fogbound.solvers.level_k.priors import weights
        from fogbound.solvers.level_k.solver import LevelK

        solver: Any = SOLVERS.make(spec)
        return partial(weights, solver.prior, solver.tau) if isinstance(solver, LevelK) else None

    def solves(self, provenance: Mapping[str, Any], game: AnyGame | Form) -> bool:
        """Whether a file of this provenance is of this game."""
        return solves(provenance, game)

    def levels(self, table: Table, evidence: Arrays) -> Mapping[tuple[int, int], Strategy]:
        """By level and player, the policies that the evidence of a hierarchy speaks of."""
        from fogbound.solvers.level_k.fsc import certified_policies

        return certified_policies(table, evidence)

    def one_sided(self, form: OneSided) -> OneSidedPlay:
        """How stored bounds are played in a one-sided game."""
        from fogbound.solvers.one_sided.play.profile import stored_strategy
        from fogbound.solvers.one_sided.shaping import shaped_game

        scaled = shaped_game(form)
        return OneSidedPlay(scaled.scale, partial(stored_strategy, form=form, scaled=scaled))

    def digest(self, stored: StoredSolution) -> str:
        """A hash of the policies."""
        return policies_digest(dict(stored.profile))


LOOKUP: Lookup = FileLookup()


def solver_and_form(stored: StoredSolution) -> tuple[Any, type[Form]]:
    """The solver that a file names, and which of its forms it worked on."""
    spec, kind = str(stored.provenance["solver"]), stored.provenance["form"]
    named = LOOKUP.solver(spec)
    if named is None:
        raise FileError(f"names the solver {brief(spec)}, which does not exist")
    for form in named.forms:
        if form.kind == kind:
            return SOLVERS.make(spec), form
    raise FileError(f"says that {spec} solved a {brief(kind)} form, on which it does not work")
