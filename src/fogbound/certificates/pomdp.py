"""Answers to a POMDP: the controller that was checked, or the vectors that were, below; points above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound import evaluation
from fogbound.certificates.certificate import Certificate
from fogbound.certificates.exact import ExactKind
from fogbound.certificates.fields import CLAIMED, FileField
from fogbound.certificates.held import OTHER_POLICIES, HeldSolution, question
from fogbound.certificates.wording import REPLY, Wording
from fogbound.core.errors import FormError, LimitError, PolicyError
from fogbound.core.policy import Strategy
from fogbound.forms.arrays import Floats, Ints, ranges
from fogbound.forms.pomdp import POMDP, WAIT
from fogbound.forms.protocol import derive
from fogbound.policies import Controller, StoredVectors
from fogbound.policies.policy_graph import PolicyGraph

POMDP_RATE = 1_000_000  # steps a second
FIB, FIB_ROW = -2, -3  # witnesses that are the fast informed bound: of a belief, or of a whole action
CONTROLLER = ("node_action", "begin", "arrow")
VECTORS = ("vector_action", "vector_start", "vector_state", "vector_value")
MOST_POINTS = 20_000  # pairs of a state and a memory over which a policy is evaluated


class POMDPKind(ExactKind):
    """A controller with its values, or vectors with their successors, below; points above."""

    name = "pomdp"
    wording = Wording(
        "from what the controller of {name} earns to what no policy exceeds",
        "The stored policy of {name} earns {lower} or more; no policy earns more than {upper}.",
    )
    form = POMDP.kind
    rate = POMDP_RATE
    certifies = ("pomdp",)
    derived = False
    answer = REPLY
    searched = True

    def proves_value(self, evidence: Mapping[str, NDArray[Any]]) -> bool:
        """Vectors promise less than the policy may earn that follows the best of them at each belief."""
        return "node_action" in evidence

    @property
    def fields(self) -> tuple[FileField, ...]:
        """The fields of a file; alpha vectors beside the policy are not what is proven."""
        beside = (FileField(name, CLAIMED, word="alpha vectors") for name in ("alpha_vectors", "alpha_vectors/*"))
        return (*super().fields, *beside)

    def work(self, certificate: Certificate) -> float:
        """Steps, as `CheckSteps` counts them."""
        steps, evidence = CheckSteps.of(certificate.form), certificate.evidence
        pairs = sum(len(evidence[name]) for name in ("pair", "vector_state") if name in evidence)
        points = _point_steps(certificate.form, evidence) if "point_state" in evidence else 0.0
        return (steps.fixed if "fib" in evidence else steps.reading) + pairs * steps.pair + points

    def fault(self, held: HeldSolution) -> str | None:
        """Whether the stored policy is the certificate's controller, or follows the certificate's vectors."""
        form, shown = derive(held.form, POMDP, question(held.stored)), held.proof.evidence
        mine = held.stored.profile[held.report.player]
        if isinstance(mine, StoredVectors):
            same = all(name in shown for name in VECTORS) and _same_vectors(mine, form, shown)
        else:
            same = all(name in shown for name in CONTROLLER) and _same_controller(mine, form, shown)
        return None if same else OTHER_POLICIES

    def earned(self, held: HeldSolution) -> float | None:
        """What the stored policy earns; None where it remembers too much to be evaluated."""
        form, mine = derive(held.form, POMDP), held.stored.profile[held.report.player]
        try:
            policy = mine.on(form) if isinstance(mine, StoredVectors) else mine
            found: tuple[float, ...] = evaluation.value(form, {form.player: policy}, MOST_POINTS)
        except (FormError, LimitError, PolicyError):
            return None
        return found[0]


KINDS = (POMDPKind(),)


# Steps of the points' side of a check, fitted to the checker's times on 8 models: within a tenth of each.
OF_STATE, OF_ROW = 4.0, 0.02  # a state of a point, and of a point with one action that the informed bound does for
OF_ACTION, OF_BUILT = 14.0, 2.1  # an action with witnesses; an outcome of its rows, once for all points on these states
OF_TARGET, OF_ENTRY = 0.08, 0.35  # a state of the belief after an observation, and an outcome beyond one a state
OF_WITNESS, OF_CORNER, OF_CLAIM, OF_HELD = 4.9, 0.04, 0.05, 0.15
# a witness; of the belief before it, a state's corner, or its claim for one action (FIB); and a state of the witness


class CheckSteps(NamedTuple):
    """The steps of a check of a POMDP's bounds; a step takes about a microsecond.

    The claims of a plan's pairs are multiplied many at once (`verify.pomdp.plan`).
    """

    reading: float  # the form
    informed: float  # the fast informed bound of all rows
    pair: float  # of a controller's node and a state, or of a vector and a state
    point: float  # of a state of a point, where the informed bound does not do, before its witnesses are known

    @classmethod
    def of(cls, form: Mapping[str, NDArray[Any]]) -> CheckSteps:
        """Counted for a form, on average over its rows."""
        states, rows, outcomes = max(len(form["row"]) - 1, 1), len(form["action"]), len(form["prob"])
        row = np.repeat(np.arange(rows), np.diff(form["out"]))
        seen = np.unique(row * (int(form["obs"].max(initial=0)) + 1) + form["obs"], return_counts=True)[1]
        doubtful = int(seen[seen > 1].sum())  # outcomes whose observation does not tell the state
        informed = 1.5 * rows + 0.5 * outcomes + 1.1 * doubtful * rows / states
        return cls(2 * rows + outcomes, informed, 16.0, (2 * rows + 0.4 * outcomes) / states)

    @property
    def fixed(self) -> float:
        """What no thinning saves."""
        return self.reading + self.informed


def _point_steps(form: Mapping[str, NDArray[Any]], evidence: Mapping[str, NDArray[Any]]) -> float:
    """Steps for all points with their witnesses, when what follows a point is over as many states as the point."""
    start, state, witness = (evidence[name].astype(np.int64) for name in ("point_start", "point_state", "witness"))
    size, lengths, row = np.diff(start), np.diff(evidence["witness_start"]).astype(np.int64), form["row"]
    first = state[start[:-1]]
    actions = (row[first + 1] - row[first]).astype(np.int64)
    slice_of = np.repeat(np.arange(len(lengths)), lengths)  # of each witness, a slice for each point and action
    used = ~np.isin(np.arange(len(lengths)), slice_of[witness == FIB_ROW])
    owner = np.repeat(np.arange(len(size)), actions)  # of each slice
    point = owner[slice_of]
    informed, other = witness == FIB, witness >= 0
    entries, built = _entries(form, start, state, owner, used)
    size_of = size[point[witness != FIB_ROW]]  # of each witness, about the states of the belief that it bounds
    steps = OF_STATE * len(state) + OF_ROW * size[owner[~used]].sum()
    steps += OF_ACTION * used.sum() + OF_BUILT * built + OF_WITNESS * len(size_of)
    steps += OF_TARGET * size_of.sum() + OF_ENTRY * max(entries - size_of.sum(), 0)
    steps += OF_CLAIM * (size * actions)[point[informed]].sum() + OF_HELD * size[witness[other]].sum()
    return float(steps + OF_CORNER * size[point[~informed & (witness != FIB_ROW)]].sum())


def _entries(
    form: Mapping[str, NDArray[Any]], start: Ints, state: Ints, owner: Ints, used: NDArray[np.bool_]
) -> tuple[int, int]:
    """Outcomes of the rows that the slices with witnesses play, of all of them, and of one for each set of states."""
    mine, size = owner[used], np.diff(start)
    place = (np.arange(len(owner)) - np.searchsorted(owner, owner))[used]
    rows = form["row"][state[ranges(start[mine], size[mine])]] + np.repeat(place, size[mine])
    outcomes = np.bincount(
        np.repeat(np.arange(len(mine)), size[mine]), form["out"][rows + 1] - form["out"][rows], len(mine)
    )
    alike: dict[bytes, int] = {}
    sets = (np.sort(state[a:b]).tobytes() for a, b in zip(start[:-1].tolist(), start[1:].tolist()))
    support = np.array([alike.setdefault(own, len(alike)) for own in sets], np.int64)
    _, once = np.unique(np.stack([support[mine], place]), axis=1, return_index=True)
    return int(outcomes.sum()), int(outcomes[once].sum())


def _same_controller(mine: Strategy, form: POMDP, shown: Mapping[str, Any]) -> bool:
    """Node by node."""
    if not isinstance(mine, Controller):
        return False
    followed = PolicyGraph(form, *(shown[name] for name in CONTROLLER)).controller()
    return (mine.first, mine.arrows, mine.choices) == (followed.first, followed.arrows, followed.choices)


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
