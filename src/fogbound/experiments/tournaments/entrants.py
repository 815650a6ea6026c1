"""Entrants of a tournament from whatever people hold policies in."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from fogbound.core.errors import SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import TraceEntry
from fogbound.naming.policies import PolicyLike, policy


def entrant_names(entrants: Sequence[PolicyLike], names: Sequence[str] | None) -> list[str]:
    """What the entrants are called: as given, or by their specs, files and classes, all different."""
    if names is None:
        return _apart([_name(one) for one in entrants])
    if len(names) != len(entrants):
        raise SpecError(f"tournament: {len(names)} names are given, expected one for each of {len(entrants)} entrants")
    return list(names)


def entrant(
    one: PolicyLike,
    played: AnyGame,
    seed: int,
    solving: Callable[[TraceEntry], None] | None,
    tell: Callable[[str], None] | None,
) -> Callable[[int], Strategy]:
    """What makes an entrant's policy for a seat."""
    return lambda seat: policy(one, played, seat, seed, solving, tell)


def _name(one: PolicyLike) -> str:
    return os.fspath(one) if isinstance(one, str | os.PathLike) else type(one).__name__.lower()


def _apart(names: list[str]) -> list[str]:
    """Names that differ: who comes a second time is numbered."""
    return [name if names.count(name) == 1 else f"{name} #{names[: k + 1].count(name)}" for k, name in enumerate(names)]


def entrant_text(one: PolicyLike) -> str:
    """The spec or the file of an entrant, by which a journal knows it."""
    if not isinstance(one, str | os.PathLike):
        raise SpecError(
            f"tournament: with resume= entrants are named by specs or files, found {brief(type(one).__name__)}: "
            "save the policy, and name the file"
        )
    return os.fspath(one)
