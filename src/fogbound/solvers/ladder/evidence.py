"""The proof of a ladder: every level's worth from below and from above, chained to the levels it stands on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound import verify
from fogbound.archive import canonical
from fogbound.core.errors import FormError
from fogbound.forms.view import OVER
from fogbound.kernels.meeting import POINTS
from fogbound.progress import Evidence
from fogbound.solvers.ladder.climb import Climb, Rung
from fogbound.solvers.ladder.duel import Duel
from fogbound.solvers.ladder.joint import Joint
from fogbound.solvers.ladder.process import reached
from fogbound.solvers.reachable.proof import upper_evidence

Arrays = dict[str, NDArray[Any]]
MOST_LEVELS = 60  # a chain of more takes longer to prove than to find
SLACK = 1e-9  # of a claim that the checker has not seen yet, as a share of its size


def evidence(climb: Climb, top: Rung) -> Evidence:
    """What the checker needs to certify all levels up to that of `top`; nothing where there is no such proof."""
    figures = (top.value, top.upper)
    if not all(isinstance(side, Duel) for side in climb.sides):
        return Evidence.missing("levels are certified between two players only", *figures)
    if top.level > MOST_LEVELS:
        return Evidence.missing(f"{top.level} levels are more than the {MOST_LEVELS} that are certified", *figures)
    rungs = [rung for rung in climb.rungs if rung.level <= top.level]
    arrays: Arrays = {
        "levels": np.array([(r.level, r.seat, r.kind) for r in rungs], np.int64),
        "prior": np.array([(*climb.weights(k), *(0.0,) * (top.level - k)) for k in range(1, top.level + 1)]),
    }
    joint = Joint(climb.table, climb.automata)
    try:
        arrays |= _pairs(climb, joint, rungs)
    except FormError:
        return Evidence({}, *figures)
    for seat in (0, 1):
        arrays |= _automaton(climb, joint, seat, top.level)
    uppers = {}
    for rung in rungs:
        proof = _above(climb, rung)
        if proof is None:
            return Evidence({}, *figures)
        arrays |= proof[0]
        uppers[rung.level, rung.seat] = proof[1]
    for rung in rungs:
        name = f"u{rung.level}_{rung.seat}_link"
        arrays[name] = np.frombuffer(verify.link(_plain(arrays), rung.level, rung.seat), np.uint8)
    return Evidence(arrays, top.value, max(uppers[top.level, top.seat], top.value))


def _automaton(climb: Climb, joint: Joint, seat: int, level: int) -> Arrays:
    """Where each kind of a seat begins, and all that its nodes can be made to do in the processes and pairs."""
    own, told = climb.automata[seat], joint.told[seat]
    first = int(climb.table.out[1])
    arrays: Arrays = {}
    for kind in sorted(set(climb.kinds[seat][: level + 1])):
        begins = {int(told[o]): int(own.kinds[kind][own.view.obs[o]]) for o in range(first)}
        arrays[f"b{seat}_{kind}"] = np.array(sorted(begins.items()), np.int64).reshape(-1, 2)
    side = climb.sides[1 - seat]
    pairs, count = side.meeting.pairs, int(side.meeting.count[POINTS])  # type: ignore[union-attr]
    for state, node in zip(pairs.state[:count].tolist(), pairs.node[:count].tolist()):
        if own.view.menu[state] != OVER:
            for _, label, _ in joint.acts(seat, node, state):
                for o in _outcomes(climb, seat, state, label):
                    joint.after(seat, node, label, o)
    arrows, choices = joint.arrows[seat], joint.choices[seat]
    keys = sorted(arrows)
    arrays[f"a{seat}_arrow"] = np.array([(*key, arrows[key]) for key in keys], np.int64).reshape(-1, 4)
    arrays[f"a{seat}_choice_key"] = np.array(sorted(choices), np.int64).reshape(-1, 3)
    arrays[f"a{seat}_choice_weight"] = np.array([choices[key] for key in sorted(choices)], np.float64)
    return arrays


def _outcomes(climb: Climb, seat: int, state: int, label: int) -> list[int]:
    """The outcomes of a state in which a seat does `label` (or waits) and the other anything."""
    table, menus = climb.table, [int(own.view.menu[state]) for own in climb.automata]
    sizes = [int(table.menu_size[m]) if m >= 0 else 1 for m in menus]
    found: list[int] = []
    for place in range(sizes[0] * sizes[1]):
        mine = (place // sizes[1], place % sizes[1])[seat]
        if menus[seat] < 0 or table.menu_actions[menus[seat], mine] == label:
            row = int(table.row[state]) + place
            found += range(table.out[row], table.out[row + 1])
    return found


def _pairs(climb: Climb, joint: Joint, rungs: list[Rung]) -> Arrays:
    """The worth of every kind against every kind that it believes in, each pair once."""
    wanted = dict[tuple[int, int], None]()
    for rung in rungs:
        for kind, weight in zip(climb.kinds[1 - rung.seat], climb.weights(rung.level)):
            if weight > 0:
                wanted.setdefault((rung.kind, kind) if rung.seat == 0 else (kind, rung.kind))
    arrays: Arrays = {"pairs": np.array(list(wanted), np.int64).reshape(-1, 2)}
    for number, kinds in enumerate(wanted):
        match = joint.match(*kinds)
        arrays |= {f"w{number}_point": match.point, f"w{number}_value": match.value, f"w{number}_steps": match.steps}
    return arrays


def _above(climb: Climb, rung: Rung) -> tuple[Arrays, float] | None:
    """What no reply of a rung exceeds, over the states of its problem in which play goes on."""
    side, reply = climb.sides[rung.seat], climb.reply(rung)
    if not isinstance(side, Duel):
        return None
    pairs, over = side.meeting.pairs, climb.table.crew == 0
    met = reached(side.meeting, reply.asked.problem)
    kept = met[~over[pairs.state[met]]]
    proof = upper_evidence(reply.asked.survey, reply.asked.problem, kept)
    if proof is None:
        return None
    arrays, upper = proof
    name = f"u{rung.level}_{rung.seat}_"
    slack = SLACK * max(1.0, abs(rung.value), abs(upper))
    arrays["point"] = np.stack([pairs.state[kept], pairs.node[kept]], axis=1)
    arrays["claim"] = np.array([rung.value - slack, max(upper, rung.value) + slack])
    return {name + part: array for part, array in arrays.items()}, upper


def _plain(arrays: Arrays) -> dict[str, verify.Array]:
    kept = {name: canonical(array) for name, array in arrays.items()}
    return {name: verify.Array(a.dtype.str, a.shape, a.tobytes()) for name, a in kept.items()}
