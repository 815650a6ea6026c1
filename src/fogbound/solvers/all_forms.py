"""Every kind of form by name: those of `fogbound.forms`, and those that one family of solvers alone uses."""

from __future__ import annotations

from typing import Any

from fogbound.core.registry import Registry
from fogbound.forms.protocol import FORMS

__all__ = ["ALL_FORMS"]

ALL_FORMS: Registry[Any] = Registry(
    "form",
    {
        **FORMS.places,
        "restricted": "fogbound.solvers.linear_programs.restricted_nash:RestrictedGame",
        "average-reward": "fogbound.solvers.pomdp.average_reward.form:AverageReward",
        "hierarchy": "fogbound.solvers.level_k.form:Hierarchy",
        "sampled": "fogbound.solvers.search.sampled:SampledGame",
        "modelled": "fogbound.solvers.search.sampled:ModelledGame",
    },
)
