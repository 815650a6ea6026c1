"""A ladder of levels, read from its arrays: who is on which rung, and what each rung believes of the other seat.

All controllers of a seat are one automaton (a{seat}_arrow, a{seat}_choice_key, a{seat}_choice_weight), as they often
agree from some point on: a kind of controller is where it begins (b{seat}_{kind}), and may share any node with others.
Level 0 of a seat is its kind 0. Level k of a seat believes that the other seat plays one of its levels 0 to k - 1,
drawn before the first step by weights. Equal levels share a kind, and their weights add up. The prior says what the
certificate is about, so unlike evidence it is never repaired: it is right, or Refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .array import Array
from .controller import Controller, begun, read_automaton
from .fields import every_line, floats, within
from .refused import Refused
from .repair import shares

MOST_KINDS = 10_000


@dataclass(frozen=True)
class Ladder:
    """Levels 1 to `height` of two seats."""

    height: int
    kind: dict[tuple[int, int], int]  # (level, seat), level 0 too
    prior: list[list[int]]  # [level - 1] exact proportions of the levels below
    automata: list[Controller]  # [seat] what its kinds share
    controllers: dict[tuple[int, int], Controller]  # (seat, kind)

    def believed(self, level: int, seat: int) -> dict[int, int]:
        """The kinds of the other seat that this level believes in, with their weights."""
        found: dict[int, int] = {}
        for below, part in enumerate(self.prior[level - 1]):
            if part:
                kind = self.kind[below, 1 - seat]
                found[kind] = found.get(kind, 0) + part
        return found


def read_ladder(certificate: Mapping[str, Array]) -> Ladder:
    """Check 'levels' and 'prior', and read both automata and where each kind that is on the ladder begins."""
    kind = read_kinds(certificate)
    height = max(level for level, _ in kind)
    flat = floats(certificate, "prior", height, height)
    prior = [_proportions(flat[k * height : (k + 1) * height], k + 1) for k in range(height)]
    automata = [read_automaton(certificate, seat, automaton_names(seat)) for seat in (0, 1)]
    used = sorted({(seat, number) for (_, seat), number in kind.items()})
    controllers = {
        (seat, number): begun(certificate, begin_name(seat, number), automata[seat]) for seat, number in used
    }
    return Ladder(height, kind, prior, automata, controllers)


def read_kinds(certificate: Mapping[str, Array]) -> dict[tuple[int, int], int]:
    """The kind of each (level, seat), from level 0, which is of kind 0, upward."""
    rows = every_line(certificate, "levels", 3)
    expected = [(level, seat) for level in range(1, len(rows) // 2 + 1) for seat in (0, 1)]
    if not rows or [row[:2] for row in rows] != expected:
        raise Refused("'levels' must list (1, 0), (1, 1), (2, 0), (2, 1) and so on: each level of both seats, once")
    within([row[2] for row in rows], 0, MOST_KINDS, "levels")
    return {(0, 0): 0, (0, 1): 0} | {(level, seat): number for level, seat, number in rows}


def _proportions(row: list[float], level: int) -> list[int]:
    """What a level believes: weights of the levels below it, and of no others."""
    if min(row) < 0 or max(row[:level]) <= 0 or any(row[level:]):
        raise Refused(f"'prior' of level {level} must weigh levels 0 to {level - 1}, none below 0, and no others")
    return shares(row[:level])[0]


def automaton_names(seat: int) -> tuple[str, str, str]:
    """The arrays of a seat's automaton."""
    return f"a{seat}_arrow", f"a{seat}_choice_key", f"a{seat}_choice_weight"


def begin_name(seat: int, kind: int) -> str:
    """The array that says where a kind begins."""
    return f"b{seat}_{kind}"
