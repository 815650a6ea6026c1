"""What a solution shows to the independent checker: one way for each kind of form.

A form says how answers on it are certified (`Form.certified_as`); the table below says what that means. Evidence is
checked at once where that takes about a second, and otherwise kept for `fogbound verify`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from numpy.typing import NDArray

import fogbound.verify as checker
from fogbound.certify import chain, shown, tree
from fogbound.certify.certificate import Certificate
from fogbound.core.cancel import stopping
from fogbound.core.policy import Strategy
from fogbound.forms.protocol import Form

Maker = Callable[[Any, Mapping[int, Strategy], int, Mapping[str, NDArray[Any]]], Certificate | None]

MAKERS: dict[str, Maker] = {  # by Form.certified_as
    "tree": tree.on_tree,
    "table": tree.on_table,
    "restricted": tree.on_restricted,
    "reply": chain.on_reply,
    "pomdp": shown.on_pomdp,
    "one-sided": shown.on_one_sided,
    "level-k": shown.on_levels,
    "nothing": lambda *_: None,
}


class Effort(NamedTuple):
    """How much work a check is, and how much takes about a second."""

    work: Callable[[Certificate], float]
    at_once: float


EFFORTS: dict[str, Effort] = {  # by Certificate.kind
    "zero-sum-tree": Effort(tree.work, tree.AT_ONCE),
    "tree-profile": Effort(tree.work, tree.AT_ONCE),
    "restricted-tree": Effort(tree.work, tree.AT_ONCE),
    "chain-profile": Effort(chain.work, chain.AT_ONCE),
    "pomdp": Effort(shown.pomdp_work, shown.POMDP_AT_ONCE),
    "one-sided": Effort(shown.one_sided_work, shown.ONE_SIDED_AT_ONCE),
    "level-k": Effort(shown.levels_work, shown.LEVELS_AT_ONCE),
}


def certify(
    form: Form,
    profile: Mapping[int, Strategy],
    player: int = 0,
    extra: Mapping[str, NDArray[Any]] | None = None,
    at_once: float = 1.0,
    elapsed: Callable[[], float] = lambda: 0.0,
) -> Certificate | None:
    """The certificate that suits an answer on `form`: checked at once where that takes about a second.

    Parameters
    ----------
    form, profile, player
        The problem, the policies that answer it, and whose value is meant.
    extra
        What the solver knows beside the profile (`Evidence.arrays`).
    at_once
        How much work is done now, in units of what takes about a second; 0 = only collect the evidence.
    elapsed
        The caller's clock, with which the check is timed. A check does not begin where the caller must stop.

    Returns
    -------
    Certificate or None
        None where no kind of certificate exists for such an answer.
    """
    certificate = evidence(form, profile, player, extra)
    if certificate is None:
        return None
    effort = EFFORTS[certificate.kind]
    if effort.work(certificate) > effort.at_once * at_once or stopping():
        return certificate
    try:
        return certificate.check(elapsed)
    except checker.Refused as refusal:  # a finished answer is not thrown away: it is reported as not certified
        warnings.warn(f"{form.spec}: the checker refuses this certificate: {refusal}", stacklevel=2)
        return certificate


def evidence(
    form: Form, profile: Mapping[int, Strategy], player: int = 0, extra: Mapping[str, NDArray[Any]] | None = None
) -> Certificate | None:
    """An unchecked certificate for an answer on `form`; `extra` is what the solver knows beside the profile."""
    return MAKERS[form.certified_as](form, profile, player, extra or {})


__all__ = ["Certificate", "certify", "evidence"]
