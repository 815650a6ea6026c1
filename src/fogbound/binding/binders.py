"""One binder for each kind of certificate: what ties its evidence to what a file plays and says.

What the checker is shown is derived from the stored policies wherever that can be done (`Binder.evidence`), and
otherwise compared with them (`Binder.fault`). The other fields of a file are in `fields`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from numpy.typing import NDArray

import fogbound.verify as checker
from fogbound.binding import chain, correlated, levels, markov, one_sided, pomdp, team, tree
from fogbound.binding.held import HeldSolution
from fogbound.binding.stored import claimed
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form

Evidence = Mapping[str, NDArray[Any]]


class Binder(NamedTuple):
    """What the checker is shown of a stored solution, and what of the solution it then does not speak of."""

    form: str  # the kind of form that the certificate is about
    evidence: Callable[[Solution, AnyGame | Form], Evidence]
    fault: Callable[[Solution, AnyGame | Form, checker.Report], str | None]
    derived: bool  # whether the evidence is made of the stored policies, not read beside them
    earned: Callable[[HeldSolution], float | None] | None = None  # evaluates the stored policies, in floats
    everyone: bool = True  # whether it is about the policies of all players


BINDERS: dict[str, Binder] = {  # by kind of certificate
    "zero-sum-tree": Binder("tree", tree.evidence, tree.fault, derived=True, earned=tree.earned),
    "tree-profile": Binder("tree", tree.evidence, tree.fault, derived=True),
    "restricted-tree": Binder("tree", tree.evidence, tree.restricted_fault, derived=True),
    **{kind: Binder("tree", claimed, correlated.fault, derived=False) for kind in correlated.KINDS},
    "zero-sum-memories": Binder("memories", tree.evidence, tree.fault, derived=True, earned=tree.earned),
    "memories-profile": Binder("memories", tree.evidence, tree.fault, derived=True),
    "restricted-memories": Binder("memories", tree.evidence, tree.restricted_fault, derived=True),
    "chain-profile": Binder("table", chain.evidence, chain.fault, derived=True),
    "team": Binder("table", team.evidence, team.fault, derived=True),
    "pomdp": Binder("pomdp", pomdp.evidence, pomdp.fault, derived=False, earned=pomdp.earned),
    "one-sided": Binder("one-sided", one_sided.evidence, one_sided.fault, derived=False, everyone=False),
    "level-k": Binder("table", levels.evidence, levels.fault, derived=False),
    "zero-sum-markov": Binder("markov", markov.evidence, markov.fault, derived=True, earned=markov.earned),
    "markov-profile": Binder("markov", markov.evidence, markov.fault, derived=True),
    "markov-correlated": Binder("markov", claimed, markov.correlated_fault, derived=False),
}


__all__ = ["BINDERS", "Binder"]
