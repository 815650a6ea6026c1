"""Any policy as an FSC in the numbers of its player's view: level 0, and what a certificate speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FileError, PolicyError, brief
from fogbound.core.game import Observation
from fogbound.core.policy import Mixed, Strategy
from fogbound.forms.player_view import OVER, PlayerView, player_view
from fogbound.forms.table import Table
from fogbound.policies.controller import Controller
from fogbound.policies.controller import controller as as_controller
from fogbound.policies.uniform import Uniform
from fogbound.solvers.pomdp.belief_graph.fsc import FSC, FSCUnion, controller_of

CertificateArrays = Mapping[str, NDArray[Any]]


def certified_policies(table: Table, arrays: CertificateArrays) -> dict[tuple[int, int], Strategy]:
    """By (level, player), level 0 included: what the certificate says that it plays."""
    try:
        everyone = range(len(table.players))
        kinds = {(level, player): kind for level, player, kind in arrays["levels"].tolist()}
        kinds |= {(0, player): 0 for player in everyone}
        policies: dict[tuple[int, int], Strategy] = {}
        for player in everyone:
            own = player_view(table, player)
            automaton, known = FSCUnion(own), dict[int, Strategy]()  # levels that play alike share a policy
            for key, kind in kinds.items():
                if key[1] == player:
                    if kind not in known:
                        built = automaton.add(_fsc_from_certificate(table, own, arrays, kind))
                        known[kind] = controller_of(automaton, built, table.actions)
                    policies[key] = known[kind]
        return policies
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise FileError(f"the certificate's arrays do not fit together ({type(error).__name__}: {error})") from error


def _fsc_from_certificate(table: Table, own: PlayerView, arrays: CertificateArrays, kind: int) -> FSC:
    """One kind in the numbers of its player's view. Node 0 is random play for ever, which needs no arrows."""
    player, width = own.player, len(table.legal_size) + 2
    observations = {seen: number for number, seen in enumerate(table.observations[player])}
    place = {observations[seen] * width + legal + 2: z for z, (seen, legal) in enumerate(own.observations)}
    many = len(own.observations)
    chosen: dict[int, dict[int, float]] = {}
    for (node, _, action), p in zip(
        arrays[f"a{player}_choice_key"].tolist(), arrays[f"a{player}_choice_weight"].tolist()
    ):
        chosen.setdefault(node, {})[action] = p
    lines = [line for line in arrays[f"a{player}_arrow"].tolist() if line[0] and line[3]]
    begins = arrays[f"b{player}_{kind}"].tolist()
    nodes = sorted({0, *(node for _, node in begins), *(n for line in lines for n in (line[0], line[3])), *chosen})
    number = {node: k for k, node in enumerate(nodes)}
    arrows: list[list[tuple[int, int]]] = [[] for _ in nodes]
    for node, action, seen, after in lines:
        arrows[number[node]].append(((action + 1) * many + place[seen], number[after]))
    begin = np.full(many, -1, np.int64)
    for seen, node in begins:
        begin[place[seen]] = number[node]
    return FSC.from_lists([list(chosen.get(node, {}).items()) for node in nodes], arrows, begin)


def fsc_of(table: Table, view: PlayerView, policy: Strategy) -> FSC:
    """Any policy with finitely many memories as an FSC of its player."""
    if isinstance(policy, Uniform):
        return FSC.uniform(view)
    if isinstance(policy, Mixed):
        raise PolicyError("level 0 is a mixture, expected one policy: its behaviour, or one of its members")
    plain = policy if isinstance(policy, Controller) else as_controller(table, view.player, policy)
    numbers = {action: k for k, action in enumerate(table.actions)}
    by_sight: dict[Observation, list[int]] = {}
    for z, (seen, legal) in enumerate(view.observations):
        if legal != OVER:
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
    choices: list[list[tuple[int, float]]] = []
    for dist in plain.choices:
        unknown = [a for a, p in dist or () if p > 0 and a not in numbers]
        if unknown:
            raise PolicyError(f"{table.spec}: level 0 plays {brief(unknown[0])}, which is no action of this game")
        choices.append([(numbers[a], p) for a, p in dist or () if p > 0])
    return FSC.from_lists(choices, arrows, begin)
