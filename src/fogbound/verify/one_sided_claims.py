"""The claims of an upper bound on a one-sided game: corners and points, repaired, in integers."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .array import Array
from .fields import floats, integers, shape, within
from .one_sided_form import Fog
from .one_sided_lists import cut, pointers, read_mixtures
from .refused import Refused
from .repair import exact, grid_row

BITS = 50
GRID = 1 << BITS
Belief = dict[int, int]  # state -> weight over GRID


@dataclass(frozen=True)
class Claims:
    """Numbered: one corner for each state, then the points. Values are over `power`, tolls over `beat`."""

    corners: int  # how many
    whole: int  # GRID * GRID * unit: of what follows a step
    power: int
    beat: int
    part: list[int]  # [claim]
    rows: list[dict[int, int]]  # [claim] row -> weight over GRID * GRID
    value: list[int]  # [claim] at least `least`
    toll: list[int]  # [claim]
    covers: list[list[list[tuple[int, int]]]]  # [claim][branch of its partition]; a corner has none
    belief: list[Belief]  # [point]
    root: list[list[tuple[int, int]]]  # [P]
    least: list[Fraction | int]  # [S] over power; least'
    reward: list[int]  # over power


def read_claims(fog: Fog, certificate: Mapping[str, Array]) -> Claims:
    """All claims; Refused at the first fault."""
    states, rewards = len(fog.row) - 1, len(fog.reward)
    (count,) = shape(certificate, "point_value", 1)
    claimed = [*floats(certificate, "corner", states), *floats(certificate, "point_value", count)]
    low = floats(certificate, "least", states) if "least" in certificate else [0.0] * states
    numbers, power = exact([*fog.reward, *low, *claimed])
    reward, low_numbers = numbers[:rewards], numbers[rewards : rewards + states]
    part_of = [part for part in range(fog.parts) for _ in range(fog.first[part], fog.first[part + 1])]
    belief = _beliefs(certificate, count, part_of)
    part = [*part_of, *(part_of[min(own)] for own in belief)]
    wide = [len(fog.branches(part_of[min(own)])) for own in belief]
    covers = [_gridded(one) for one in read_mixtures(certificate, "cover", "point", sum(wide), count)]
    corners = [{state: GRID} for state in range(states)]
    mixtures = [*_mixtures(fog, certificate, "seen", corners), *_mixtures(fog, certificate, "point_row", belief)]
    toll, beat = _tolls(fog, certificate, [*corners, *belief])
    least = _least(fog, reward, low_numbers)
    value = [
        max(claim, math.ceil(Fraction(sum(weight * least[state] for state, weight in own.items())) / GRID))
        for claim, own in zip(numbers[rewards + states :], [*corners, *belief])
    ]
    return Claims(
        *(states, GRID * GRID * fog.unit, power, beat, part, mixtures, value, toll),
        [*([] for _ in corners), *cut(covers, wide)],
        belief,
        [_gridded(one) for one in read_mixtures(certificate, "root", "point", fog.parts, count)],
        least,
        reward,
    )


def _beliefs(certificate: Mapping[str, Array], count: int, part_of: list[int]) -> list[Belief]:
    """Each point's belief; states of no weight are left out."""
    (size,) = shape(certificate, "point_state", 1)
    states, weights = integers(certificate, "point_state", size), floats(certificate, "point_weight", size)
    within(states, 0, len(part_of), "point_state")
    found = []
    for point, (a, b) in enumerate(pointers(certificate, "point_start", count, size)):
        own = states[a:b]
        if len({part_of[state] for state in own}) != 1 or len(set(own)) != len(own):
            raise Refused(f"point {point} needs states of one partition, each of them once")
        found.append(dict(zip(own, grid_row(weights[a:b], BITS))))
    return found


def _mixtures(fog: Fog, certificate: Mapping[str, Array], name: str, beliefs: list[Belief]) -> list[dict[int, int]]:
    """The y of each belief: shares of the rows of each of its states, in order, times the state's weight."""
    tall = [fog.row[state + 1] - fog.row[state] for own in beliefs for state in own]
    shares = iter(cut(floats(certificate, name, sum(tall)), tall))
    found = []
    for own in beliefs:
        weights = {}
        for state, weight in own.items():
            drawn = grid_row(next(shares), BITS)
            weights.update({fog.row[state] + k: weight * share for k, share in enumerate(drawn) if weight * share})
        found.append(weights)
    return found


def _tolls(fog: Fog, certificate: Mapping[str, Array], beliefs: list[Belief]) -> tuple[list[int], int]:
    """The tolls of all claims, as given; else w, rounded up (any toll is as good a start as any other)."""
    if "toll" in certificate:
        found, beat = exact(floats(certificate, "toll", len(beliefs)))
        return [max(0, toll) for toll in found], beat
    waits = [math.ceil(wait * GRID) for wait in fog.wait]
    return [-(-sum(weight * waits[state] for state, weight in own.items()) // GRID) for own in beliefs], GRID


def _least(fog: Fog, reward: list[int], claimed: list[int]) -> list[Fraction | int]:
    """Least, lowered until it holds: by the largest least - (r + g P least), times w.

    Where w is the same everywhere the product may be rounded up, and numbers stay whole.
    """
    rho, rate, below = Fraction(0), fog.discount.numerator, fog.discount.denominator
    owner = [state for state in range(len(claimed)) for _ in range(fog.row[state], fog.row[state + 1])]
    for part in range(fog.parts):
        rows = fog.rows(part)
        for slot in fog.slots(part):
            later = [0] * len(rows)
            for e in range(fog.entry[fog.branch[slot]], fog.entry[fog.branch[slot + 1]]):
                later[fog.source[e] - rows.start] += fog.prob[e] * claimed[fog.to[e]]
            for place, row in enumerate(rows):
                after = Fraction(rate * later[place], below * fog.unit) * fog.over.get((slot, row), 1)
                rho = max(rho, claimed[owner[row]] - reward[fog.pay[slot] + place] - after)
    if fog.discount < 1:
        drop = math.ceil(rho / (1 - fog.discount))
        return [one - drop for one in claimed]
    return [one - rho * wait for one, wait in zip(claimed, fog.wait)]


def _gridded(mixture: list[tuple[int, float]]) -> list[tuple[int, int]]:
    """Weights over GRID, rounded down; what is negative is left out."""
    cut_down = ((point, math.floor(Fraction(weight) * GRID)) for point, weight in mixture)
    return [(point, weight) for point, weight in cut_down if weight > 0]
