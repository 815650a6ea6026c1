"""A team's game in whole numbers: steps of occupancies, and what a state brings when everything is seen.

Masses are counted in 2**-MASS, values in 2**-`bits`; what is divided is rounded up, and chances are rounded to
2**-CHANCE with the error told. A member chooses a *place*: the place of an action in its list of legal ones, or its
last one where the list is shorter. So every choice means something in every state, whatever a certificate says, and in
play that can occur it means what the game does.
"""

import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction

from ..arithmetic import shares
from ..arrays import Refused
from ..chain import Table

MASS, CHANCE, DIGITS = 60, 60, 70
MOST_STAGES = 10_000
MOST_PLANS = 128  # of a member, up to which its last steps are one choice ...
MOST_JOINT = 20_000  # ... if there are no more joint plans

Memory = tuple[int, ...]  # of one member: a cluster, then what was seen and what it may do then
Occupancy = dict[tuple[Memory, ...], dict[int, int]]  # joint memory -> state -> mass


def ceiling(above: int, below: int) -> int:
    """above / below, rounded up; below > 0."""
    return -(-above // below)


@dataclass
class Plans:
    """Each member's plans to the end from a stage on, and what joint plans bring from each state."""

    action: list[list[int]]  # [member][plan] the place of its first action
    after: list[list[dict[tuple[int, int], int]]]  # [member][plan] observation -> the plan at the next stage
    value: dict[int, list[int]]  # [state][joint plan]


@dataclass
class Team:
    """A table whose players are paid alike, cut after `horizon` steps (0: where it ends)."""

    table: Table
    horizon: int
    odds: dict[int, tuple[list[int], int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        table = self.table
        if any(len(set(paid)) > 1 for paid in table.reward):
            raise Refused("the players are not paid alike, so they are no team")
        self.legal = [dict(zip(who, offered)) for who, offered in zip(table.actors, table.offered)]
        sizes = [dict(zip(who, map(len, sets))) for who, sets in zip(table.actors, table.legal_sets)]
        self.sizes = [[own.get(member, 1) for member in range(table.players)] for own in sizes]
        self.places = [max(column) for column in zip(*self.sizes)] if self.sizes else [1] * table.players
        self.joint = list(itertools.product(*map(range, self.places)))
        self.largest = max((abs(paid[0]) for paid in table.reward), default=0)
        size = Fraction(self.largest, table.unit)
        small = (size.denominator // max(size.numerator, 1)).bit_length()
        self.bits = max(0, DIGITS + small - (size.numerator // size.denominator).bit_length())
        self.layers = self._layers()
        self.seen_all, self.best = self._seen_all()
        steps = Fraction(len(self.layers))
        if table.discount < 1:
            steps = min(steps, 1 / (1 - table.discount))
        self.most = math.ceil((size * steps) * (1 << self.bits)) + 1  # |what remains|
        self.known: list[Plans | None] = []  # from the last stage on, as far as anybody asked

    def _layers(self) -> list[list[int]]:
        """The states in which play may be after 0, 1, 2, … steps and goes on."""
        table, layers = self.table, list[list[int]]()
        at = {table.next[o] for o in table.outcomes(0) if table.actors[table.next[o]]}
        while at and (not self.horizon or len(layers) < self.horizon):
            if len(layers) >= min(MOST_STAGES, len(table.actors)) and not self.horizon:
                raise Refused("play can come back to where it was, so it is cut nowhere")
            layers.append(sorted(at))
            rows = (row for state in at for row in range(table.row[state], table.row[state + 1]))
            after = {table.next[o] for row in rows for o in table.outcomes(row)}
            at = {state for state in after if table.actors[state]}
        return layers

    def row(self, state: int, places: tuple[int, ...]) -> int:
        """The row of a joint choice."""
        rank = 0
        for member in self.table.actors[state]:
            size = self.sizes[state][member]
            rank = rank * size + min(places[member], size - 1)
        return self.table.row[state] + rank

    def chances(self, row: int) -> tuple[list[int], int]:
        """A row's exact proportions, and their sum."""
        if row not in self.odds:
            self.odds[row] = shares([self.table.prob[o] for o in self.table.outcomes(row)])
        return self.odds[row]

    def observed(self, outcome: int, member: int) -> tuple[int, int]:
        """What a member is told: what it sees, and what it may do then (-1: nothing)."""
        return self.table.observation[outcome][member], self.legal[self.table.next[outcome]].get(member, -1)

    def reward(self, row: int) -> int:
        """What a row pays, rounded up."""
        parts, total = self.chances(row)
        paid = sum(part * self.table.reward[self.table.event[o]][0] for part, o in zip(parts, self.table.outcomes(row)))
        return ceiling(paid << self.bits, total * self.table.unit)

    def discounted(self, value: int) -> int:
        return ceiling(value * self.table.discount.numerator, self.table.discount.denominator)

    def _brings(self, row: int, later: dict[int, int]) -> int:
        """A row's reward and what follows, where a state that is not listed brings nothing."""
        parts, total = self.chances(row)
        ahead = sum(part * later.get(self.table.next[o], 0) for part, o in zip(parts, self.table.outcomes(row)))
        return self.reward(row) + self.discounted(ceiling(ahead, total))

    def _seen_all(self) -> tuple[list[dict[int, list[int]]], list[dict[int, int]]]:
        """[stage][state] what each joint choice brings, and the best, if the state is seen from then on."""
        found: list[dict[int, list[int]]] = []
        best: list[dict[int, int]] = [{}]
        for layer in reversed(self.layers):
            value = {s: [self._brings(self.row(s, places), best[-1]) for places in self.joint] for s in layer}
            found.append(value)
            best.append({s: max(brought) for s, brought in value.items()})
        return found[::-1], best[:0:-1]

    # Plans to the end, for the last stages.

    def plans(self, stage: int) -> Plans | None:
        """All plans from a stage on; None where there are too many."""
        while len(self.layers) - len(self.known) > stage:
            later = self.known[-1] if self.known else None
            if self.known and later is None:
                return None
            self.known.append(self._longer(len(self.layers) - 1 - len(self.known), later))
        return self.known[len(self.layers) - 1 - stage]

    def _longer(self, stage: int, later: Plans | None) -> Plans | None:
        """All plans from a stage on.

        An action, and for every observation that may follow it any plan from the next on.
        """
        action: list[list[int]] = []
        after: list[list[dict[tuple[int, int], int]]] = []
        for member, count in enumerate(self.places):
            if later is None:
                action.append(list(range(count)))
                after.append([{} for _ in range(count)])
                continue
            seen, known = self._following(stage, member), len(later.action[member])
            if sum(known ** len(seen[place]) for place in range(count)) > MOST_PLANS:
                return None
            listed = [
                (place, dict(zip(seen[place], chosen)))
                for place in range(count)
                for chosen in itertools.product(range(known), repeat=len(seen[place]))
            ]
            action.append([place for place, _ in listed])
            after.append([chosen for _, chosen in listed])
        if math.prod(map(len, action)) > MOST_JOINT:
            return None
        plans = Plans(action, after, {})
        plans.value = {state: self._plan_values(state, plans, later) for state in self.layers[stage]}
        return plans

    def _following(self, stage: int, member: int) -> list[list[tuple[int, int]]]:
        """[place] what a member may observe right after, in order."""
        seen: list[set[tuple[int, int]]] = [set() for _ in range(self.places[member])]
        for state in self.layers[stage]:
            for places in self.joint:
                for outcome in self.table.outcomes(self.row(state, places)):
                    if self.table.actors[self.table.next[outcome]]:
                        seen[places[member]].add(self.observed(outcome, member))
        return [sorted(found) for found in seen]

    def _plan_values(self, state: int, plans: Plans, later: Plans | None) -> list[int]:
        values, widths = [], [len(known) for known in later.action] if later else []
        for joint in itertools.product(*(range(len(known)) for known in plans.action)):
            row = self.row(state, tuple(plans.action[i][plan] for i, plan in enumerate(joint)))
            value = self.reward(row)
            if later is not None:
                parts, total = self.chances(row)
                ahead = 0
                for part, outcome in zip(parts, self.table.outcomes(row)):
                    after = self.table.next[outcome]
                    if self.table.actors[after]:
                        place = 0
                        for i, plan in enumerate(joint):
                            place = place * widths[i] + plans.after[i][plan][self.observed(outcome, i)]
                        ahead += part * later.value[after][place]
                value += self.discounted(ceiling(ahead, total))
            values.append(value)
        return values

    # Occupancies.

    def follow(
        self, stage: int, occupancy: Occupancy, choose: dict[tuple[int, int], int]
    ) -> tuple[int, Occupancy, int]:
        """(reward, what follows in 2**-(MASS + CHANCE), how much of that may be rounding); choose[member, cluster].

        A state in which play cannot be at this stage is taken for an end that brings the most that anything can.
        """
        paid, wrong, after = 0, 0, Occupancy()
        possible = self.best[stage]
        for joint, states in occupancy.items():
            places = tuple(choose[i, memory[0]] for i, memory in enumerate(joint))
            for state, mass in states.items():
                if state not in possible:
                    paid += mass * self.most
                    continue
                row = self.row(state, places)
                paid += mass * self.reward(row)
                parts, total = self.chances(row)
                for part, outcome in zip(parts, self.table.outcomes(row)):
                    following = self.table.next[outcome]
                    if part and self.table.actors[following]:
                        raw = tuple((memory[0], *self.observed(outcome, i)) for i, memory in enumerate(joint))
                        found = after.setdefault(raw, {})
                        found[following] = found.get(following, 0) + mass * ((part << CHANCE) // total)
                        wrong += mass
        return paid, after, wrong
