"""The one list of kinds of certificates, made of the modules that define them.

The checker has its own list, since it imports nothing of Fogbound; a test compares the two.
"""

from __future__ import annotations

from fogbound.certificates import chain, correlated, level_k, markov, one_sided, pomdp, statistical, team, tree
from fogbound.certificates.exact import ExactKind
from fogbound.certificates.statistical import StatisticalKind
from fogbound.core.errors import FileError, brief

_MODULES = (tree, correlated, chain, team, pomdp, one_sided, level_k, markov, statistical)

KINDS: dict[str, ExactKind | StatisticalKind] = {kind.name: kind for module in _MODULES for kind in module.KINDS}


def exact_kind(name: str) -> ExactKind:
    """The kind of certificate of this name; FileError where there is none."""
    kind = KINDS.get(name)
    if not isinstance(kind, ExactKind):
        raise FileError(f"its certificate is of kind {brief(name)}, which nobody knows")
    return kind


def certifying(certified_as: str) -> ExactKind | None:
    """The kind that certifies answers on forms that are `certified_as` so; None where nothing is certified."""
    known = (kind for kind in KINDS.values() if isinstance(kind, ExactKind))
    return next((kind for kind in known if certified_as in kind.certifies), None)
