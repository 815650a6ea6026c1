"""The arrays behind the points of an upper bound: beliefs, cut and repaired, and witnesses, cut and in range."""

import itertools
from collections.abc import Mapping, Sequence

from .array import Array
from .fields import floats, integers, shape, within
from .pomdp_fib import Belief
from .pomdp_form import Process
from .refused import Refused
from .repair import shares

CORNERS, FIB, FIB_ROW = -1, -2, -3  # other witnesses are points


def read_beliefs(process: Process, certificate: Mapping[str, Array], count: int) -> list[Belief]:
    """Each point's belief in the shortest integers; states of no weight are left out."""
    (size,) = shape(certificate, "point_state", 1)
    states, weights = integers(certificate, "point_state", size), floats(certificate, "point_weight", size)
    within(states, 0, len(process.labels), "point_state")
    found = []
    for point, (a, b) in enumerate(itertools.pairwise(_pointers(certificate, "point_start", count, size))):
        own = states[a:b]
        menus = {process.labels[state] for state in own}
        if len(menus) != 1 or () in menus:
            raise Refused(f"point {point} needs states in which play goes on, all with the same list of actions")
        if len(set(own)) != len(own):
            raise Refused(f"point {point} lists a state twice")
        found.append({state: part for state, part in zip(own, shares(weights[a:b])[0]) if part})
    return found


def read_witnesses(certificate: Mapping[str, Array], actions: Sequence[int]) -> list[list[list[int]]]:
    """The witnesses of each point and each of its actions, when the points have so many actions."""
    (size,) = shape(certificate, "witness", 1)
    flat = integers(certificate, "witness", size)
    pointers = _pointers(certificate, "witness_start", sum(actions), size)
    cuts = [flat[a:b] for a, b in itertools.pairwise(pointers)]
    within([witness for cut in cuts if cut != [FIB_ROW] for witness in cut], FIB, len(actions), "witness")
    ends = itertools.accumulate(actions, initial=0)
    return [cuts[a:b] for a, b in itertools.pairwise(ends)]


def _pointers(certificate: Mapping[str, Array], name: str, count: int, size: int) -> list[int]:
    """Where each of `count` slices begins, and the end of the last."""
    found = integers(certificate, name, count + 1)
    if found[0] != 0 or found[-1] != size or any(a > b for a, b in itertools.pairwise(found)):
        raise Refused(f"{name!r} must rise from 0 to {size}")
    return found
