"""Answers to a POMDP: the controller that was checked, or the vectors that were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import fogbound.verify as checker
from fogbound import evaluate, forms
from fogbound.binding.held import HeldSolution
from fogbound.binding.stored import OTHER_POLICIES, claimed, question
from fogbound.core.errors import FormError, LimitError, PolicyError
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.pomdp import POMDP, WAIT
from fogbound.forms.protocol import Form, derive
from fogbound.policies import StoredVectors
from fogbound.policies.policy_graph import PolicyGraph

CONTROLLER = ("node_action", "begin", "arrow")
VECTORS = ("vector_action", "vector_start", "vector_state", "vector_value")
MOST_POINTS = 20_000  # pairs of a state and a memory over which a policy is evaluated

evidence = claimed


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:
    """Whether the stored policy is the certificate's controller, or follows the certificate's vectors."""
    form, mine, shown = derive(game, forms.POMDP, question(stored)), stored.profile[report.player], claimed(stored)
    if isinstance(mine, StoredVectors):
        same = all(name in shown for name in VECTORS) and _same_vectors(mine, form, shown)
    else:
        same = all(name in shown for name in CONTROLLER) and _same_controller(mine, form, shown)
    return None if same else OTHER_POLICIES


def earned(held: HeldSolution) -> float | None:
    """What the stored policy earns; None where it remembers too much to be evaluated."""
    form, mine = derive(held.form, forms.POMDP), held.stored.profile[held.report.player]
    try:
        policy = mine.on(form) if isinstance(mine, StoredVectors) else mine
        found: tuple[float, ...] = evaluate.value(form, {form.player: policy}, MOST_POINTS)
    except (FormError, LimitError, PolicyError):
        return None
    return found[0]


def _same_controller(mine: Any, form: POMDP, shown: Mapping[str, Any]) -> bool:
    """Node by node."""
    followed = PolicyGraph(form, *(shown[name] for name in CONTROLLER)).controller()
    return all(getattr(mine, part, None) == getattr(followed, part) for part in ("first", "arrows", "choices"))


def _same_vectors(mine: StoredVectors, form: POMDP, shown: Mapping[str, Any]) -> bool:
    """Bit by bit, in any order; those of steps in which there is nothing to decide are not stored."""
    number = {action: k for k, action in enumerate(form.actions)}
    if mine.size != form.size or any(action not in number for action in mine.actions):
        return False
    action, *rest = (shown[name] for name in VECTORS)
    proven = _vectors(action.tolist(), *rest)
    played = _vectors([number[action] for action in mine.actions], mine.first, mine.states, mine.values)
    return played == {vector for vector in proven if vector[0] != WAIT}


def _vectors(action: Sequence[int], first: Ints, states: Ints, values: Floats) -> set[tuple[int, bytes, bytes]]:
    """Each vector as its action, the states on which it is defined and its values there."""
    found = set()
    for k, (a, b) in enumerate(zip(first[:-1].tolist(), first[1:].tolist())):
        order = states[a:b].argsort(kind="stable")
        own, worth = states[a:b][order].astype("<i8"), values[a:b][order].astype("<f8")
        found.add((action[k], own.tobytes(), worth.tobytes()))
    return found
