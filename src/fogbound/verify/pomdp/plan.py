"""Plans below the value: nodes with an action, claims in some states, and the node that follows each observation.

A controller's nodes and alpha vectors are both such plans. What is judged is the largest excess of a claim over one
step ahead, v - (r + g P v), over pairs (node, state). Python multiplies and adds long integers at the speed of memory,
so the claims of many nodes stand side by side in one integer, in a field of fixed width each (Kronecker substitution):
one multiplication by an outcome's weight serves all of them. A field holds a claim less the least claim, which is not
negative, and is wide enough for every sum over a row, so that none runs over into the next.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from operator import mul, or_

from ..arrays import Refused
from .form import POMDP

Bits = int  # a set of states: bit s for state s
Follow = tuple[int, tuple[int, ...], tuple[int, ...]]  # an observation, the states that it may come with, their weights

FEW_NODES = 3  # fewer are judged one by one
FEW_STATES, SPARSE = 8, 4  # and those that claim something in less than a quarter of the states, where these are many
MOST_BITS = 1 << 16  # of the sets of states after all observations, side by side
LACKING = {
    "node": "the controller has no arrow from node {} after observation {}",
    "vector": "vector {} has no successor after observation {}",
}


@dataclass(frozen=True)
class Plan:
    """Nodes of one process, called `kind` in messages: by node, its action's label, its claims, and what follows."""

    pomdp: POMDP
    kind: str
    action: Sequence[int]  # [node]
    value: Sequence[Mapping[int, int]]  # [node] by state
    follows: Sequence[Mapping[int, int]]  # [node] by observation, the next node
    _rows: dict[int, list[Follow]] = field(default_factory=dict, init=False, repr=False)
    _targets: dict[int, "_Targets"] = field(default_factory=dict, init=False, repr=False)

    def row(self, node: int, state: int) -> int:
        """The row that a node plays in a state."""
        own = self.pomdp.labels[state]
        if self.action[node] not in own:
            raise Refused(f"{self.kind} {node} takes action {self.action[node]}, which state {state} does not have")
        return self.pomdp.row[state] + own.index(self.action[node])

    def outcomes(self, row: int) -> list[Follow]:
        """What may follow a row where play goes on, by observation."""
        if row not in self._rows:
            groups: dict[int, tuple[list[int], list[int]]] = {}
            for seen, state, weight in self.pomdp.outcomes[row]:
                if self.pomdp.runs(state):
                    states, weights = groups.setdefault(seen, ([], []))
                    states.append(state)
                    weights.append(weight)
            self._rows[row] = [(seen, tuple(states), tuple(weights)) for seen, (states, weights) in groups.items()]
        return self._rows[row]

    def ahead(self, node: int, states: Sequence[int]) -> Iterator[tuple[int, Bits]]:
        """The nodes that may follow a node in some states, and the states in which they may."""
        targets = self._targets.setdefault(self.action[node], _Targets(len(self.pomdp.labels)))
        for seen, bits in targets.after(self, [self.row(node, state) for state in states]):
            if seen not in self.follows[node]:
                raise Refused(LACKING[self.kind].format(node, seen))
            yield self.follows[node][seen], bits

    def reached(self, opening: Iterable[tuple[int, int]]) -> list[Bits]:
        """[node] the states in which play can come to it from some pairs (node, state), layer by layer."""
        met, fresh = [0] * len(self.action), dict[int, Bits]()
        for node, state in opening:
            fresh[node] = fresh.get(node, 0) | 1 << state
        while fresh:
            layer, fresh = fresh, {}
            for node, states in layer.items():
                new = states & ~met[node]
                met[node] |= new
                for after, bits in self.ahead(node, list(members(new))):
                    if bits & ~met[after]:
                        fresh[after] = fresh.get(after, 0) | bits
        return met


class _Targets:
    """Where the rows of one action lead: the states after each observation, in one set where that is short."""

    def __init__(self, states: int) -> None:
        self.states = states
        self.place: dict[int, int] = {}  # by observation, where its states begin
        self.joined: dict[int, Bits] = {}  # by row

    def after(self, plan: Plan, rows: Sequence[int]) -> list[tuple[int, Bits]]:
        """By observation, the states in which one of these rows may end."""
        for row in rows:
            if row not in self.joined:
                self._add(plan, row)
        if len(self.place) * self.states <= MOST_BITS:
            every = reduce(or_, [self.joined[row] for row in rows], 0)
            whole = (1 << self.states) - 1
            parts = [(seen, every >> place & whole) for seen, place in self.place.items()]
            return [(seen, bits) for seen, bits in parts if bits]
        found: dict[int, Bits] = {}
        for row in rows:
            for seen, states, _ in plan.outcomes(row):
                found[seen] = found.get(seen, 0) | bits_of(states)
        return list(found.items())

    def _add(self, plan: Plan, row: int) -> None:
        joined = 0
        for seen, states, _ in plan.outcomes(row):
            place = self.place.setdefault(seen, len(self.place) * self.states)
            if place <= MOST_BITS:
                joined |= bits_of(states) << place
        self.joined[row] = joined


def members(states: Bits) -> Iterator[int]:
    """The states of a set."""
    while states:
        low = states & -states
        states ^= low
        yield low.bit_length() - 1


def bits_of(states: Iterable[int]) -> Bits:
    """States as a set."""
    bits = 0
    for state in states:
        bits |= 1 << state
    return bits


def largest_excess(plan: Plan, met: Sequence[Bits], reward: Sequence[int], discount: Fraction) -> Fraction | None:
    """The largest v - (r + g P v) over the pairs that are `met`, in the unit of claims and rewards; None without pairs.

    Every pair that may follow one of them must have a claim.
    """
    rate, base = discount.numerator, discount.denominator
    above, below = None, 1  # the largest so far, over base * below
    for row, most in _claims_and_successors(plan, met, rate, base):
        total = plan.pomdp.total[row]
        excess = most - reward[row] * base * total
        if above is None or excess * below > above * total:
            above, below = excess, total
    return None if above is None else Fraction(above, below * base)


def _claims_and_successors(plan: Plan, met: Sequence[Bits], rate: int, base: int) -> Iterator[tuple[int, int]]:
    """Rows with base * total * v - rate * (what follows, over total): the largest of some nodes that play it."""
    states = [list(members(own)) for own in met]
    packing = None
    for group, size in _groups(plan, states):
        wide = [node for node in group if len(states[node]) * SPARSE >= size or size <= FEW_STATES]
        if len(wide) < FEW_NODES:
            wide = []
        else:
            packing = packing or _Packing(plan)
            yield from packing.largest(wide, states, rate, base)
        for node in sorted(set(group) - set(wide)):
            yield from _one_by_one(plan, node, states[node], rate, base)


def _one_by_one(plan: Plan, node: int, states: Sequence[int], rate: int, base: int) -> Iterator[tuple[int, int]]:
    after = {seen: plan.value[follower].__getitem__ for seen, follower in plan.follows[node].items()}
    for state in states:
        row = plan.row(node, state)
        later = 0
        for seen, reached, weights in plan.outcomes(row):
            later += sum(map(mul, weights, map(after[seen], reached)))
        yield row, plan.value[node][state] * base * plan.pomdp.total[row] - rate * later


def _groups(plan: Plan, states: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], int]]:
    """Nodes with one action whose states are connected by those of others, and how many states these are."""
    root: dict[int, int] = {}
    for own in states:
        for state in own:
            first, second = _root(root, own[0]), _root(root, state)
            root[second] = first
    size: dict[int, int] = {}
    for state in root:
        size[_root(root, state)] = size.get(_root(root, state), 0) + 1
    groups: dict[tuple[int, int], list[int]] = {}
    for node, own in enumerate(states):
        if own:
            groups.setdefault((plan.action[node], _root(root, own[0])), []).append(node)
    for (_, first), group in groups.items():
        yield group, size[first]


def _root(root: dict[int, int], state: int) -> int:
    """The state that stands for all that are connected with a state."""
    above = root.setdefault(state, state)
    while above != state:
        root[state] = root[above]
        state, above = above, root[above]
    return state


class _Fields(dict[int, bytes]):
    """By state, a field; zeros where nothing is claimed."""

    def __init__(self, width: int, fields: Mapping[int, bytes] | None = None) -> None:
        super().__init__(fields or {})
        self.zero = bytes(width)

    def __missing__(self, state: int) -> bytes:
        return self.zero


class _Packing:
    """Claims as fields of bytes, all of one width."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.least = min((min(own.values()) for own in plan.value if own), default=0)
        most = max((max(own.values()) for own in plan.value if own), default=0)
        bits = (most - self.least).bit_length() + max(plan.pomdp.total).bit_length()
        self.width = bits // 8 + 1
        self.fields: dict[int, _Fields] = {}

    def largest(
        self, nodes: Sequence[int], states: Sequence[Sequence[int]], rate: int, base: int
    ) -> Iterator[tuple[int, int]]:
        """For each row, base * total * v - rate * (what follows, over total): the largest of these nodes."""
        plan, width, columns = self.plan, self.width, _Columns(self, nodes)
        inside: dict[int, list[int]] = {}
        for place, node in enumerate(nodes):
            for state in states[node]:
                inside.setdefault(state, []).append(place)
        for state, places in inside.items():
            row = plan.row(nodes[places[0]], state)
            packed, mass = columns.expected(row)
            data, scale = packed.to_bytes(width * len(nodes), "little"), base * plan.pomdp.total[row]
            after = [int.from_bytes(data[place * width : (place + 1) * width], "little") for place in places]
            claims = [plan.value[nodes[place]][state] for place in places]
            best = max([scale * claim - rate * later for claim, later in zip(claims, after)])
            yield row, best - rate * self.least * mass

    def of(self, node: int) -> "_Fields":
        """By state, a node's claim less the least one."""
        if node not in self.fields:
            claims, least, width = self.plan.value[node].items(), self.least, self.width
            fields = {state: (claim - least).to_bytes(width, "little") for state, claim in claims}
            self.fields[node] = _Fields(width, fields)
        return self.fields[node]


class _Columns:
    """What the successors of some nodes claim, side by side."""

    def __init__(self, packing: _Packing, nodes: Sequence[int]) -> None:
        self.packing, self.follows = packing, [packing.plan.follows[node] for node in nodes]
        self.after: dict[int, list[_Fields]] = {}  # by observation
        self.known: dict[tuple[int, int], int] = {}

    def expected(self, row: int) -> tuple[int, int]:
        """The weighted sum of what follows a row, and of the weights."""
        total = mass = 0
        for seen, states, weights in self.packing.plan.outcomes(row):
            total += sum([weight * self._column(seen, state) for state, weight in zip(states, weights)])
            mass += sum(weights)
        return total, mass

    def _column(self, seen: int, state: int) -> int:
        """The claims in a state of the nodes that follow an observation."""
        if (seen, state) not in self.known:
            if seen not in self.after:
                empty, of = _Fields(self.packing.width), self.packing.of
                self.after[seen] = [of(own[seen]) if seen in own else empty for own in self.follows]
            claims = b"".join([own[state] for own in self.after[seen]])
            self.known[seen, state] = int.from_bytes(claims, "little")
        return self.known[seen, state]
