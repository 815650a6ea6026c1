"""The kinds of certificates by name; the module of a kind is imported when the kind is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from fogbound.certificates.exact import ExactKind
from fogbound.core.errors import FileError, brief

if TYPE_CHECKING:
    from fogbound.certificates.statistical import StatisticalKind

Names = tuple[str, ...]
TREES = tuple(f"{kind}-{on}" for kind in ("zero-sum", "restricted") for on in ("tree", "memories"))


class KindRegistry(Mapping[str, "ExactKind | StatisticalKind"]):
    """Kinds by name, from modules (module, names of its kinds, what forms they certify are `certified_as`)."""

    def __init__(self, *homes: tuple[str, Names, Names]) -> None:
        self._homes = homes

    def __getitem__(self, name: str) -> ExactKind | StatisticalKind:
        module = next((module for module, names, _ in self._homes if name in names), None)
        if module is None:
            raise KeyError(name)
        return next(kind for kind in self._kinds(module) if kind.name == name)

    def __iter__(self) -> Iterator[str]:
        return (name for _, names, _ in self._homes for name in names)

    def __len__(self) -> int:
        return sum(len(names) for _, names, _ in self._homes)

    def certifying(self, certified_as: str) -> ExactKind | None:
        """The kind that certifies answers on forms that are `certified_as` so; None where nothing is certified."""
        modules = [module for module, _, certified in self._homes if certified_as in certified]
        known = (kind for module in modules for kind in self._kinds(module) if isinstance(kind, ExactKind))
        return next((kind for kind in known if certified_as in kind.certifies), None)

    def _kinds(self, module: str) -> tuple[ExactKind | StatisticalKind, ...]:
        kinds: tuple[ExactKind | StatisticalKind, ...] = import_module(f"{__package__}.{module}").KINDS
        return kinds


KINDS = KindRegistry(
    ("tree", (*TREES, "tree-profile", "memories-profile"), ("tree", "memories", "sequence", "table", "restricted")),
    ("correlated", ("coarse-correlated", "correlated", "extensive-form-correlated"), ()),
    ("chain", ("chain-profile", "team"), ("reply", "team")),
    ("pomdp", ("pomdp",), ("pomdp",)),
    ("average_reward", ("average-reward",), ("average",)),
    ("one_sided", ("one-sided",), ("one-sided",)),
    ("level_k", ("level-k",), ("level-k",)),
    ("markov", ("zero-sum-markov", "markov-profile", "markov-correlated"), ("markov",)),
    ("statistical", ("statistical",), ()),
)


def exact_kind(name: str) -> ExactKind:
    """The kind of certificate of this name; FileError where there is none."""
    kind = KINDS.get(name)
    if not isinstance(kind, ExactKind):
        raise FileError(f"its certificate is of kind {brief(name)}, which nobody knows")
    return kind
