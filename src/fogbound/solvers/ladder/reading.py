"""The policies that a ladder's certificate speaks of, read back from its arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FileError
from fogbound.core.policy import Player
from fogbound.forms.table import Table
from fogbound.forms.view import View, view
from fogbound.kernels.meeting import MIXED, UNIFORM
from fogbound.solvers.reachable.controllers import controller_of
from fogbound.solvers.reachable.nodes import Automaton, Machine

Arrays = Mapping[str, NDArray[Any]]


def certified_policies(table: Table, arrays: Arrays) -> dict[tuple[int, int], Player]:
    """By (level, seat), level 0 included: what the certificate says that it plays."""
    try:
        kinds = {(level, seat): kind for level, seat, kind in arrays["levels"].tolist()} | {(0, 0): 0, (0, 1): 0}
        found: dict[tuple[int, int], Player] = {}
        for seat in (0, 1):
            own = view(table, seat)
            automaton = Automaton(own)
            for key, kind in kinds.items():
                if key[1] == seat:
                    built = _machine(table, own, arrays, kind)
                    found[key] = controller_of(automaton, automaton.add(built), table.actions)
        return found
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise FileError(f"the certificate's arrays do not fit together ({type(error).__name__}: {error})") from error


def _machine(table: Table, own: View, arrays: Arrays, kind: int) -> Machine:
    """One kind in the numbers of its seat's view. Node 0 is random play for ever, which needs no arrows."""
    seat, spread = own.seat, len(table.menu_size) + 2
    sights = {seen: number for number, seen in enumerate(table.sights[seat])}
    place = {sights[seen] * spread + menu + 2: z for z, (seen, menu) in enumerate(own.observations)}
    many = len(own.observations)
    chosen: dict[int, dict[int, float]] = {}
    for (node, _, action), p in zip(arrays[f"a{seat}_choice_key"].tolist(), arrays[f"a{seat}_choice_weight"].tolist()):
        chosen.setdefault(node, {})[action] = p
    lines = [line for line in arrays[f"a{seat}_arrow"].tolist() if line[0] and line[3]]
    begins = arrays[f"b{seat}_{kind}"].tolist()
    nodes = sorted({0, *(node for _, node in begins), *(n for line in lines for n in (line[0], line[3])), *chosen})
    number = {node: k for k, node in enumerate(nodes)}
    arrows: list[list[tuple[int, int]]] = [[] for _ in nodes]
    for node, action, seen, after in lines:
        arrows[number[node]].append(((action + 1) * many + place[seen], number[after]))
    labels, choice, weights = [], [0], list[tuple[int, float]]()
    for node in nodes:
        acts = list(chosen.get(node, {}).items())
        labels.append(UNIFORM if not acts else acts[0][0] if len(acts) == 1 else MIXED)
        weights += acts if len(acts) > 1 else []
        choice.append(len(weights))
    begin = np.full(many, -1, np.int64)
    for seen, node in begins:
        begin[place[seen]] = number[node]
    pairs = [pair for listed in arrows for pair in sorted(listed)]
    key, to = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    return Machine(
        np.array(labels, np.int64),
        np.cumsum([0, *map(len, arrows)]),
        key,
        to,
        begin,
        np.array(choice, np.int64),
        np.array([action for action, _ in weights], np.int64),
        np.array([p for _, p in weights], np.float64),
    )
