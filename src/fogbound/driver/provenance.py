"""The provenance of an answer: everything needed to get it again."""

from __future__ import annotations

import platform
from typing import Any

from fogbound.certificates.wording import EQUILIBRIUM, REPLY, TEAM, VALUE
from fogbound.core.identity import Inputs, packages
from fogbound.core.spec import spec_of
from fogbound.driver.solver import AnySolver
from fogbound.forms.identity import form_digest
from fogbound.forms.protocol import Form


def make_provenance(
    solver: AnySolver, form: Form, seed: int, player: int | None = None, inputs: Inputs | None = None
) -> dict[str, Any]:
    """Everything needed to get the same answer again; `inputs`, the files that it depends on, by content."""
    return {
        "game": form.spec,
        "players": list(form.players),
        "form": form.kind,
        "problem": form.describe(),
        "answer": kind_of_answer(form),
        "solver": spec_of(solver),
        "finds": solver.finds,
        "player": form.player if form.player is not None else player or 0,
        "seed": seed,
        "form_sha256": form_digest(form),
        "inputs": {role: files for role, files in (inputs or {}).items() if files},
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """What computed it: this version, those of what it stands on, and the kind of machine."""
    return {**packages(), "platform": platform.platform(terse=True), "machine": platform.machine()}


def kind_of_answer(form: Form) -> str:
    """What the bounds of an answer on this form mean.

    value
        They hold against anyone: two players of a constant sum, or a blind one against one who sees everything.
    reply
        They are about what is best against what is given: chance, fixed opponents, beliefs about them.
    equilibrium
        They hold for a profile: what it earns, and what a best reply to it would.
    team
        They are about what all players can win together who are paid alike.
    """
    if form.certified_as == "team":
        return TEAM
    if form.kind == "one-sided":
        return VALUE
    if form.player is not None or len(form.players) == 1 or form.certified_as in ("reply", "restricted", "level-k"):
        return REPLY
    return VALUE if form.constant_sum is not None and len(form.players) == 2 else EQUILIBRIUM
