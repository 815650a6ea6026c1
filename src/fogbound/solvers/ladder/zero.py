"""Any policy as a machine: how level 0 of a ladder plays, in the numbers of its seat."""

from __future__ import annotations

import numpy as np

from fogbound.core.errors import PolicyError, brief
from fogbound.core.game import Seen
from fogbound.core.policy import Mixed, Player
from fogbound.forms.table import Table
from fogbound.forms.view import OVER, View
from fogbound.kernels.meeting import MIXED, UNIFORM
from fogbound.policies.controller import Controller
from fogbound.policies.convert import controller as as_controller
from fogbound.policies.uniform import Uniform
from fogbound.solvers.reachable.nodes import Machine


def machine_of(table: Table, view: View, policy: Player) -> Machine:
    """Any policy with finitely many memories as a machine of its seat."""
    if isinstance(policy, Uniform):
        return Machine.uniform(view)
    if isinstance(policy, Mixed):
        raise PolicyError("level 0 is a mixture, expected one policy: its behaviour, or one of its members")
    plain = policy if isinstance(policy, Controller) else as_controller(table, view.seat, policy)
    numbers = {action: k for k, action in enumerate(table.actions)}
    by_sight: dict[Seen, list[int]] = {}
    for z, (seen, menu) in enumerate(view.observations):
        if menu != OVER:
            by_sight.setdefault(seen, []).append(z)
    many = len(view.observations)
    arrows: list[list[tuple[int, int]]] = [[] for _ in plain.choices]
    for (node, action, seen), target in plain.arrows.items():
        if target >= 0:
            own = -1 if action is None else numbers.get(action, -2)
            arrows[node] += [((own + 1) * many + z, target) for z in by_sight.get(seen, []) if own > -2]
    begin = np.full(many, -1, np.int64)
    for seen, node in plain.first.items():
        begin[by_sight.get(seen, [])] = node
    labels, choice, weights = [], [0], list[tuple[int, float]]()
    for dist in plain.choices:
        unknown = [a for a, p in dist or () if p > 0 and a not in numbers]
        if unknown:
            raise PolicyError(f"{table.spec}: level 0 plays {brief(unknown[0])}, which is no action of this game")
        own_choices = [(numbers[a], p) for a, p in dist or () if p > 0]
        labels.append(UNIFORM if not own_choices else own_choices[0][0] if len(own_choices) == 1 else MIXED)
        weights += own_choices if len(own_choices) > 1 else []
        choice.append(len(weights))
    pairs = [pair for listed in arrows for pair in sorted(listed)]
    key, to = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    return Machine(
        np.array(labels, np.int64),
        np.cumsum([0, *map(len, arrows)]),
        key,
        to,
        begin,
        np.array(choice, np.int64),
        np.array([a for a, _ in weights], np.int64),
        np.array([p for _, p in weights], np.float64),
    )
