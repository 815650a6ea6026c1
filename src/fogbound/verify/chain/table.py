"""The enumerated game (states, rows of outcomes, events), read from its arrays and checked in full."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import exact
from ..arrays import Array, Refused, floats, integers, lines, shape, within

Line = tuple[int, ...]
LegalSets = list[list[Line]]


@dataclass(frozen=True)
class Table:
    """A checked game whose play may cycle."""

    players: int
    discount: Fraction
    actors: list[Line]  # [state] the players that move; () = over
    offered: list[Line]  # [state][k-th actor] which list of legal actions
    legal_sets: LegalSets  # [state][k-th actor] its action labels
    row: list[int]  # [state + 1] its rows: joint actions, last actor fastest; row 0 is the start
    out: list[int]  # [row + 1] its outcomes
    next: list[int]  # [outcome]
    event: list[int]  # [outcome]
    prob: list[float]  # [outcome]
    reward: list[Line]  # [event] each player's reward over `unit`
    unit: int
    observation: list[Line]  # [outcome] what each player observes; a reader of the table may make it more

    def outcomes(self, row: int) -> range:
        """The outcomes of a row."""
        return range(self.out[row], self.out[row + 1])


def read_table(form: Mapping[str, Array]) -> Table:
    """Check every array and build the Table; Refused at the first fault."""
    (players,) = integers(form, "players", 1)
    (discount,) = floats(form, "discount", 1)
    if not 1 <= players <= 1000 or not 0.0 <= discount <= 1.0:
        raise Refused(f"{players} players with discount {discount!r}, expected 1 or more and 0 to 1")
    actors, offered, legal_sets = _movers(form, players)
    row, out = _rows(form, legal_sets, actors)
    count, states, (events, _) = out[-1], len(actors), shape(form, "reward", 2)
    after, event = integers(form, "next", count), integers(form, "event", count)
    within(after, 0, states, "next")
    within(event, 0, events, "event")
    prob = floats(form, "prob", count)
    if min(prob) < 0 or any(max(prob[a:b]) <= 0 for a, b in itertools.pairwise(out)):
        raise Refused("'prob' holds a negative number, or a row of zeros")
    reward, unit = exact(floats(form, "reward", events, players))
    seen = lines(integers(form, "seen", events, players), players, events)
    cut = lines(reward, players, events), unit, [seen[number] for number in event]
    return Table(players, Fraction(discount), actors, offered, legal_sets, row, out, after, event, prob, *cut)


def _movers(form: Mapping[str, Array], players: int) -> tuple[list[Line], list[Line], LegalSets]:
    """Who moves in each state, and from which actions."""
    (states,) = shape(form, "actor_set", 1)
    actor_sets, width = shape(form, "actor_set_players", 2)
    size = shape(form, "legal_actions", 2)
    actors_of = [
        _unpadded(cut) for cut in lines(integers(form, "actor_set_players", actor_sets, width), width, actor_sets)
    ]
    labels = [_unpadded(cut) for cut in lines(integers(form, "legal_actions", *size), size[1], size[0])]
    actor_set = integers(form, "actor_set", states)
    within(actor_set, 0, actor_sets, "actor_set")
    within([mover for cut in actors_of for mover in cut], 0, players, "actor_set_players")
    if any((rank == 0) != (cut == ()) for rank, cut in enumerate(actors_of)):
        raise Refused("'actor_set_players' must be empty in line 0 (play is over) and nowhere else")
    offered, legal_sets = [], []
    for state, cut in enumerate(lines(integers(form, "legal", states, width), width, states)):
        picked = _unpadded(cut, distinct=False)
        within(list(picked), 0, len(labels), "legal")
        if len(picked) != len(actors_of[actor_set[state]]):
            raise Refused(
                f"state {state} has {len(picked)} lists of legal actions for {len(actors_of[actor_set[state]])} actors"
            )
        offered.append(picked)
        legal_sets.append([labels[legal] for legal in picked])
        if () in legal_sets[-1]:
            raise Refused(f"state {state} has an actor without actions")
    return [actors_of[rank] for rank in actor_set], offered, legal_sets


def _rows(form: Mapping[str, Array], legal_sets: LegalSets, actors: list[Line]) -> tuple[list[int], list[int]]:
    """Rows of each state and outcomes of each row: one row for each joint action, none where play is over."""
    row = integers(form, "row", len(legal_sets) + 1)
    out = integers(form, "out", *shape(form, "out", 1))
    if len(out) < 2 or row[0] != 1 or row[-1] != len(out) - 1 or out[0] != 0:
        raise Refused("'row' must run from 1 to the number of rows, and 'out' from 0")
    for state, (a, b) in enumerate(itertools.pairwise(row)):
        expected = math.prod(map(len, legal_sets[state])) if actors[state] else 0
        if b - a != expected:
            raise Refused(f"state {state} has {b - a} rows, expected {expected}")
    if any(a >= b for a, b in itertools.pairwise(out)):
        raise Refused("'out' has a row without outcomes")
    return row, out


def _unpadded(cut: Line, distinct: bool = True) -> Line:
    """A line without the padding of -1 at its end; what is left are ids, and if asked, all different."""
    kept = cut[: cut.index(-1)] if -1 in cut else cut
    if any(pad != -1 for pad in cut[len(kept) :]) or (kept and min(kept) < 0):
        raise Refused(f"{cut[:8]} is not a line of ids padded with -1")
    if distinct and len(set(kept)) != len(kept):
        raise Refused(f"{cut[:8]} names an id twice")
    return kept
