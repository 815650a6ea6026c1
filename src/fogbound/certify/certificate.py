"""Certificates: what someone else needs to check an answer, and the check itself.

The checker in `fogbound.verify` is independent: it shares no code with the solvers, reads floats as the
exact rationals they are and repairs rather than tolerates, so the interval it returns is true whatever it
is given. Here answers are put into its language.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound import verify
from fogbound.archive import canonical
from fogbound.core.errors import FormError, LimitError
from fogbound.core.policy import Strategy
from fogbound.evaluate.behaviour import behaviours
from fogbound.evaluate.chain import Chain, chain
from fogbound.forms.belief_mdp import BeliefMDP
from fogbound.forms.induced import FixedPlayer, InducedModel
from fogbound.forms.normal import NormalForm
from fogbound.forms.one_sided.form import OneSided
from fogbound.forms.pomdp import POMDP, ModelGame
from fogbound.forms.restricted import RestrictedGame
from fogbound.forms.sequence import SequenceForm, sequence
from fogbound.forms.table import Floats, Table, table
from fogbound.forms.tree import MOST_NODES
from fogbound.policies.hierarchy import Hierarchy

AT_ONCE = 20_000  # trees with at most this many nodes are certified as part of solving ...
POINTS_AT_ONCE = 2_000  # ... and chains with at most this many points
WORK_AT_ONCE = 1_000_000  # ... and POMDPs with about this many products
CELLS_AT_ONCE = 100_000  # ... and one-sided games with this many outcomes and fifty for each claim
ROWS_AT_ONCE = 10_000  # ... and ladders with this many rows in all their processes
VERSION = 1
UNCHECKED_SLACK = 1e-9
WIDEST = float(np.finfo(np.float64).max)

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Certificate:
    """A claim about one form, with the evidence; `checked` once the independent checker has confirmed it."""

    kind: str  # zero-sum-tree, tree-profile, restricted-tree, chain-profile, pomdp, level-k or one-sided
    player: int
    form: Arrays = field(repr=False)  # the form's canonical arrays: what the claim is about
    evidence: Arrays = field(repr=False)
    lower: float = -WIDEST
    upper: float = WIDEST
    checked: bool = False
    seconds: float = 0.0
    stored_sha256: str = ""  # of the form, where only the hash is at hand (read from a file)

    @property
    def proves(self) -> str:
        """Which of the two bounds the evidence speaks about: what a policy is worth bounds only from below."""
        return "lower" if self.kind == "chain-profile" else "both"

    @property
    def form_sha256(self) -> str:
        return self.stored_sha256 or verify.digest(_plain(self.form))

    def header(self) -> dict[str, Any]:
        """The certificate's part of a solution file's header."""
        return {
            "version": VERSION,
            "kind": self.kind,
            "form_sha256": self.form_sha256,
            "player": self.player,
            "claim": {"lower": float(self.lower).hex(), "upper": float(self.upper).hex()},
            "arithmetic": "exact",
            "checked": self.checked,
            "checked_seconds": round(self.seconds, 3),
        }

    def check(self) -> Certificate:
        """Let the independent checker compute the interval that the evidence proves."""
        began = time.monotonic()
        report = verify.check(self.header(), _plain(self.form), _plain(self.evidence))
        spent = time.monotonic() - began
        return replace(self, lower=report.lower, upper=report.upper, checked=True, seconds=spent)

    def claiming(self, lower: float, upper: float) -> Certificate:
        """The same evidence for bounds that are not yet checked, loosened by what floats may have lost."""
        slack = UNCHECKED_SLACK * max(1.0, abs(lower), abs(upper))
        return replace(self, lower=lower - slack, upper=upper + slack, checked=False)


def certify(
    form: Any,
    profile: Mapping[int, Strategy],
    player: int = 0,
    at_once: int = AT_ONCE,
    extra: Mapping[str, NDArray[Any]] | None = None,
) -> Certificate | None:
    """The certificate that suits an answer on `form`: checked at once where that takes about a second.

    None where no kind of certificate exists yet for such an answer.
    """
    certificate = evidence(form, profile, player, extra or {})
    if certificate is None or not _quick(certificate, at_once):
        return certificate
    try:
        return certificate.check()
    except verify.Refused as refusal:  # a finished answer is not thrown away: it is reported as not certified
        warnings.warn(f"{form.spec}: the checker refuses this certificate: {refusal}", stacklevel=2)
        return certificate


def evidence(
    form: Any, profile: Mapping[int, Strategy], player: int = 0, extra: Mapping[str, NDArray[Any]] | None = None
) -> Certificate | None:
    """An unchecked certificate for an answer on `form`; `extra` is what the solver knows beside the profile."""
    if isinstance(form, RestrictedGame) and extra:
        proof = tree_certificate(form.sequence, behaviours(form.sequence, profile), player)
        return replace(proof, kind="restricted-tree", evidence={**proof.evidence, **extra})
    if isinstance(form, POMDP):
        return Certificate("pomdp", player, form.arrays(), dict(extra)) if extra else None
    if isinstance(form, OneSided):
        return Certificate("one-sided", form.blind, form.arrays(), dict(extra)) if extra else None
    if isinstance(form, Hierarchy):
        return Certificate("level-k", player, form.table.arrays(), dict(extra)) if extra else None
    if isinstance(form, NormalForm):
        form = form.sequence
    if isinstance(form, SequenceForm):
        return tree_certificate(form, behaviours(form, profile), player)
    if isinstance(form, Table):
        unrolled = _unrolled(form, MOST_NODES)
        return tree_certificate(unrolled, behaviours(unrolled, profile), player) if unrolled else None
    if isinstance(form, BeliefMDP):
        return _reply_certificate(table_of(form.pomdp), profile, player)
    return None


def table_of(pomdp: POMDP) -> Table:
    """The table that a POMDP was made from, or that of the model it is."""
    return table(ModelGame(pomdp)) if pomdp.product is None else pomdp.product.table


def _unrolled(table: Table, limit: int) -> SequenceForm | None:
    """The sequence form, or None where play can cycle or the tree is larger than `limit`."""
    try:
        return sequence(table, limit)
    except (FormError, LimitError):
        return None


def _reply_certificate(table: Table, profile: Mapping[int, Strategy], player: int) -> Certificate | None:
    """A best reply: on the tree where that is small, else what the policy is worth, where play can cycle."""
    unrolled = _unrolled(table, AT_ONCE)
    if unrolled is not None:
        return tree_certificate(unrolled, behaviours(unrolled, profile), player, reply=True)
    try:
        return chain_certificate(chain(table, profile), player)
    except (FormError, LimitError):
        return None


def tree_certificate(form: SequenceForm, played: Sequence[Floats], player: int, reply: bool = False) -> Certificate:
    """Strategies on a tree: bounds on the value of a zero-sum game, or (`reply`) value and best reply."""
    tree = form.tree
    two = len(tree.players) == 2 and tree.constant_sum is not None
    kind = "zero-sum-tree" if two and not reply else "tree-profile"
    return Certificate(kind, player, tree.arrays(), {"strategy": by_set(form, played)})


def by_set(form: SequenceForm, played: Sequence[Floats]) -> Floats:
    """Behaviours in the order of information sets, all players together: the checker's layout."""
    tree = form.tree
    parts = [
        played[owner][first : first + size]
        for owner, first, size in zip(tree.set_owner.tolist(), tree.set_first.tolist(), tree.set_size.tolist())
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def by_player(form: SequenceForm, strategy: Floats) -> list[Floats]:
    """The checker's layout as behaviours of each player again, divided by their sums."""
    tree, played, at = form.tree, [plex.uniform.copy() for plex in form.plexes], 0
    for owner, first, size in zip(tree.set_owner.tolist(), tree.set_first.tolist(), tree.set_size.tolist()):
        part = np.maximum(strategy[at : at + size], 0.0)
        if part.sum() > 0:
            played[owner][first : first + size] = part / part.sum()
        at += size
    return played


def chain_certificate(solved: Chain, player: int) -> Certificate | None:
    """What finite-memory policies are worth against each other: the value at every (state, memories)."""
    product = solved.product
    if any(len(fixed.types) > 1 for fixed in product.fixed.values()):
        return None  # a mixture draws its type at the start; the checker's controllers cannot
    arrays: Arrays = {
        "point": product.point.astype(np.int64),
        "value": solved.value,
        "steps": solved.steps,
    }
    for index, fixed in product.fixed.items():
        arrays |= _controller_arrays(index, fixed, product)
    return Certificate("chain-profile", player, product.table.arrays(), arrays)


def _controller_arrays(player: int, fixed: FixedPlayer, product: InducedModel) -> Arrays:
    """A fixed player's memories as the checker's controller: starts, arrows, choices by menu and action label."""
    labels = product.table.legal_actions
    choices = {
        (memory, legal, int(labels[legal, move])): p
        for (memory, legal), moves in fixed.acts.items()
        for move, p in moves
    }
    starts = [(seen, memory) for seen, begun in fixed.first.items() for memory, _ in begun]
    arrows = [(*key, target) for key, target in fixed.after.items()]
    return {
        f"begin_{player}": np.array(starts, np.int64).reshape(-1, 2),
        f"arrow_{player}": np.array(arrows, np.int64).reshape(-1, 4),
        f"choice_{player}_key": np.array(list(choices), np.int64).reshape(-1, 3),
        f"choice_{player}_weight": np.array(list(choices.values()), np.float64),
    }


def _quick(certificate: Certificate, at_once: int) -> bool:
    """Whether the check takes about a second."""
    if certificate.kind == "pomdp":
        return _pomdp_work(certificate) <= WORK_AT_ONCE
    if certificate.kind == "one-sided":
        shown = certificate.evidence
        claims = len(shown["node_part"]) + len(shown.get("point_value", ()))
        return len(certificate.form["prob"]) + 50 * claims <= CELLS_AT_ONCE
    if certificate.kind == "level-k":
        return sum(len(a) for name, a in certificate.evidence.items() if name.endswith("fib")) <= ROWS_AT_ONCE
    if "point" in certificate.evidence:
        return len(certificate.evidence["point"]) <= min(at_once, POINTS_AT_ONCE)
    return len(certificate.form["player"]) <= at_once


def _pomdp_work(certificate: Certificate) -> float:
    """About how many products of long integers the check of a POMDP's bounds takes."""
    form, evidence = certificate.form, certificate.evidence
    states, rows, outcomes = len(form["row"]) - 1, len(form["action"]), len(form["prob"])
    wide = rows / max(states, 1)  # actions a state
    many = outcomes / rows  # outcomes an action
    used = float(np.mean(np.diff(evidence["witness_start"]) > 1)) if len(evidence["witness_start"]) > 1 else 0.0
    following = len(evidence["pair"]) * many
    return following + outcomes * wide + len(evidence["point_state"]) * wide * many * used


def _plain(arrays: Mapping[str, NDArray[Any]]) -> dict[str, verify.Array]:
    """Arrays as the checker takes them: a type, a shape and bytes."""
    kept = {name: canonical(array) for name, array in arrays.items()}
    return {name: verify.Array(a.dtype.str, a.shape, a.tobytes()) for name, a in kept.items()}
