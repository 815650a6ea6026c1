"""Hierarchies of levels: the policies, the prior and the figures of every level are those that were checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

import fogbound.verify as checker
from fogbound import forms
from fogbound.binding.opponents import UNIFORM
from fogbound.binding.stored import OTHER_POLICIES, claimed
from fogbound.certify.certificate import UNCHECKED_SLACK
from fogbound.core.errors import brief
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy, kinds
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form, derive
from fogbound.policies import Uniform, equivalent
from fogbound.solvers import SOLVERS
from fogbound.solvers.level_k.fsc import certified_policies
from fogbound.solvers.level_k.priors import weights
from fogbound.solvers.level_k.solver import LevelK

CLOSE = 1e-12  # weights that differ by less are equal

Evidence = Mapping[str, NDArray[Any]]
Policies = Mapping[tuple[int, int], Strategy]  # by level and player

evidence = claimed


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:
    """The first figure, belief or policy that is not the certificate's."""
    arrays = claimed(stored)
    policies = certified_policies(derive(game, forms.Table), arrays)
    return (
        _other_prior(stored, arrays)
        or _other_values(stored, report)
        or _other_zero(stored, game, policies)
        or _other_policies(stored, arrays, policies)
    )


def _other_policies(stored: Solution, arrays: Evidence, policies: Policies) -> str | None:
    """Whether the file would play, or believes in, something else than what its certificate speaks of."""
    top = max(level for level, _ in policies)
    if stored.details.get("level", top) != top:
        return f"the file reports level {brief(stored.details['level'])}, certified is level {top}"
    if not equivalent(stored.profile[stored.player], policies[top, stored.player]):
        return OTHER_POLICIES
    others = [player for level, player in policies if level == top and player != stored.player]
    prior = arrays["prior"][top - 1].tolist()
    same = all(_as_believed(stored.profile[other], other, prior, policies) for other in others)
    return None if same else OTHER_POLICIES


def _as_believed(played: Strategy, player: int, prior: list[float], policies: Policies) -> bool:
    """Whether a stored mixture is what the highest level believes of a player: each level below by its weight."""
    believed = [(policies[level, player], weight) for level, weight in enumerate(prior) if weight > 0]
    listed = kinds(played)
    total = sum(weight for _, weight in listed)
    return len(listed) == len(believed) and all(
        equivalent(mine, theirs) and abs(share / total - weight) <= CLOSE
        for (mine, share), (theirs, weight) in zip(listed, believed)
    )


def _other_zero(stored: Solution, game: AnyGame | Form, policies: Policies) -> str | None:
    """Whether level 0 is said to play at random, which it does where nothing is said, and does not."""
    if set(stored.provenance.get("against") or [UNIFORM]) != {UNIFORM}:
        return None
    for player, name in enumerate(game.players):
        if not equivalent(policies[0, player], Uniform()):
            return f"the file says that level 0 of {name} plays uniformly, that of its certificate does not"
    return None


def _other_prior(stored: Solution, arrays: Evidence) -> str | None:
    """Whether the file names another belief about lower levels."""
    named: Any = SOLVERS.make(str(stored.provenance["solver"]))
    if not isinstance(named, LevelK):
        return f"the file names {stored.provenance['solver']}, its certificate is about a hierarchy of levels"
    for level, row in enumerate(arrays["prior"].tolist(), 1):
        if any(abs(a - b) > CLOSE for a, b in zip(weights(named.prior, named.tau, level), row)):
            return f"the file names the prior {named.prior}, its certificate has {row[:level]} at level {level}"
    return None


def _other_values(stored: Solution, report: checker.Report) -> str | None:
    """Whether the file reports other values of levels."""
    proven = {(level, player): (lower, upper) for level, player, lower, upper in report.levels}
    scale = max((abs(bound) for interval in proven.values() for bound in interval), default=0.0)
    for said in stored.details.get("levels", []):
        lower, upper = proven.get((said.get("level"), said.get("player")), (math.inf, -math.inf))
        value = said.get("value")
        if type(value) is not float or not lower - UNCHECKED_SLACK * scale <= value <= upper + UNCHECKED_SLACK * scale:
            level = brief(said.get("level"))
            return f"the file reports {brief(value)} for level {level}, certified are {lower!r} to {upper!r}"
    return None
