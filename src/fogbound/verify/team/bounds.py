"""What no plans of a team earn more than, by claims about occupancies, each of which the checker bounds itself.

An occupancy x is a mass on (a memory of each member, a state); V(x) is the most that plans by memory bring from it on.
V is convex and homogeneous, so

  1. a joint memory that is revealed to all only helps: V(x) <= sum of V(x at j) over the joint memories j;
  2. masses that differ by d in all change V by at most d times the most that can remain (`Team.most`);
  3. a memory that is split at random, independently of all else, changes nothing.

So an occupancy y that some choice leads to is compared with a listed one x: memories are mapped to those of x, split
as y's own weights say, and what still differs is paid for (`Proof._compared`). Nothing is ever taken to be equal.

A listed occupancy is bounded by a tree that splits on the choice of one memory after the other. At its ends either all
have chosen, and what follows is compared with another listed occupancy, or the rest is bounded as a Bayesian game: for
each memory of the last member its best choice, where the others choose anew at every joint memory, whose payoffs are
those of 1. Payoffs may be moved between the joint memories of one memory and one choice of it, in any way that sums to
nothing. Whatever is missing, or makes no sense, is bounded by seeing the state. So every certificate gives a true
bound.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ..arithmetic import exact
from ..arrays import Array, Refused, every_line, floats, integers, lines, pointers, shape, within
from ..chain import Table, read_table
from ..chain import intervals as chain_intervals
from .model import CHANCE, MASS, Memory, Occupancy, Plans, Team, ceiling

BOUNDED = -1  # an end of a tree; -2 - r: compared by reference r; 0 and above: the memory that chooses next
Interval = tuple[Fraction, Fraction]


def intervals(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> list[Interval]:
    """For each player, from what the stored plans earn to what no plans earn more than."""
    table = read_table(form)
    below = chain_intervals(form, certificate)
    above = upper(table, certificate)
    return [(low, max(above, low)) for low, _ in below]


def upper(table: Table, certificate: Mapping[str, Array]) -> Fraction:
    """What no plans earn more than."""
    (horizon,) = integers(certificate, "proof_horizon", 1)
    if horizon < 0 or (horizon and table.discount == 1):
        raise Refused(f"'proof_horizon' is {horizon}, expected 0, or a number of steps in a discounted game")
    team = Team(table, horizon)
    tail = Fraction(0)
    if horizon:
        paid = Fraction(max(0, *map(team.reward, range(1, len(table.out) - 1))), 1 << team.bits)
        tail = table.discount**horizon * paid / (1 - table.discount)
    return Proof(team, read_claims(team, certificate)).value() + tail


@dataclass(frozen=True)
class Claim:
    """One occupancy at a stage, with the way to bound it."""

    stage: int
    plans: bool  # whether choices are plans to the end
    occupancy: Occupancy
    counts: list[int]  # [member] how many memories
    moved: list[float]  # [joint memory, all but the last member, choice]
    tree: list[int]
    revealed: dict[tuple[int, int], int]  # (joint memory, joint choice) -> reference


@dataclass(frozen=True)
class Reference:
    """Which claim an occupancy is compared with, and what its memories become there."""

    claim: int
    to: dict[tuple[int, Memory], int]  # (member, memory)


@dataclass(frozen=True)
class Claims:
    claims: list[Claim] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)


def read_claims(team: Team, certificate: Mapping[str, Array]) -> Claims:
    """All claims and references; Refused where they cannot be read."""
    (count,) = shape(certificate, "claim_stage", 1)
    stages, plans = integers(certificate, "claim_stage", count), integers(certificate, "claim_plans", count)
    within(stages, 0, max(len(team.layers), 1), "claim_stage")
    members = team.table.players
    joints, width = shape(certificate, "joint_memory", 2)
    if width != members:
        raise Refused(f"'joint_memory' is for {width} members, expected {members}")
    memory = lines(integers(certificate, "joint_memory", joints, members), members, joints)
    within([m for line in memory for m in line], 0, max(1, joints), "joint_memory")
    (entries,) = shape(certificate, "entry_state", 1)
    states, weights = integers(certificate, "entry_state", entries), floats(certificate, "entry_mass", entries)
    within(states, 0, max(1, len(team.table.actors)), "entry_state")
    scaled, power = exact(weights)
    masses = [max(0, (m << MASS) // power) for m in scaled]
    of_joint = pointers(certificate, "joint_start", joints, entries)
    (moves,), (nodes,) = shape(certificate, "moved", 1), shape(certificate, "tree", 1)
    moved, tree = floats(certificate, "moved", moves), integers(certificate, "tree", nodes)
    reveal = every_line(certificate, "revealed", 3)
    cuts = zip(
        pointers(certificate, "claim_joint", count, joints),
        pointers(certificate, "claim_moved", count, moves),
        pointers(certificate, "claim_tree", count, nodes),
        pointers(certificate, "claim_revealed", count, len(reveal)),
    )
    claims = []
    for k, ((a, b), (c, d), (e, f), (g, h)) in enumerate(cuts):
        occupancy = Occupancy()
        for j in range(a, b):
            here = occupancy.setdefault(tuple((m,) for m in memory[j]), {})
            for entry in range(*of_joint[j]):
                here[states[entry]] = here.get(states[entry], 0) + masses[entry]
        counts = [1 + max((line[i] for line in memory[a:b]), default=-1) for i in range(members)]
        listed = {(j, x): reference for j, x, reference in reveal[g:h]}
        claims.append(Claim(stages[k], bool(plans[k]), occupancy, counts, moved[c:d], tree[e:f], listed))
    return Claims(claims, _references(certificate, count))


def _references(certificate: Mapping[str, Array], claims: int) -> list[Reference]:
    (count,) = shape(certificate, "reference_claim", 1)
    named, to = integers(certificate, "reference_claim", count), every_line(certificate, "reference_to", 5)
    within(named, 0, max(1, claims), "reference_claim")
    cuts = pointers(certificate, "reference_start", count, len(to))
    return [
        Reference(k, {(i, (c, seen, legal)): m for i, c, seen, legal, m in to[a:b]}) for k, (a, b) in zip(named, cuts)
    ]


class Proof:
    """Claims, each bounded once, and only where something is compared with it."""

    def __init__(self, team: Team, listed: Claims) -> None:
        self.team, self.listed = team, listed
        self.bound: dict[int, int] = {}  # [claim] in 2**-(MASS + bits)

    def value(self) -> Fraction:
        """What no plans earn more than, from the start on."""
        team, table = self.team, self.team.table
        parts, total = team.chances(0)
        start, wrong = Occupancy(), 0
        for part, outcome in zip(parts, table.outcomes(0)):
            state = table.next[outcome]
            if part and table.actors[state]:
                raw = tuple((0, *team.observed(outcome, i)) for i in range(table.players))
                found = start.setdefault(raw, {})
                found[state] = found.get(state, 0) + ((part << MASS + CHANCE) // total)
                wrong += 1
        self._order()
        ahead = self._ahead(0, start, wrong, 0 if self.listed.references else None)
        return (team.reward(0) + Fraction(ahead, 1 << MASS + CHANCE)) / (1 << team.bits)

    def _order(self) -> None:
        """Bound the claims, those of the last stage first, so that whatever is compared with is bounded already."""
        for k in sorted(range(len(self.listed.claims)), key=lambda k: -self.listed.claims[k].stage):
            self.bound[k] = self._bounded(self.listed.claims[k])

    def _seen(self, stage: int, occupancy: Occupancy) -> int:
        """What an occupancy brings if the state is seen from then on.

        A state in which play cannot be at this stage counts as the most that anything can bring.
        """
        best = self.team.best[stage] if stage < len(self.team.best) else {}
        return sum(m * best.get(s, self.team.most) for states in occupancy.values() for s, m in states.items())

    def _ahead(self, stage: int, after: Occupancy, wrong: int, reference: int | None) -> int:
        """What an occupancy in 2**-(MASS + CHANCE) brings from a stage on, by a reference or by seeing the state."""
        if stage >= len(self.team.layers):
            return 0
        bound = self._seen(stage, after)
        if reference is not None and 0 <= reference < len(self.listed.references):
            named = self.listed.references[reference]
            if self.listed.claims[named.claim].stage == stage and named.claim in self.bound:
                bound = min(bound, self._compared(after, named))
        return bound + wrong * self.team.most

    def _compared(self, after: Occupancy, reference: Reference) -> int:
        """The bound of a listed occupancy, scaled, and what the difference costs."""
        claim, members = self.listed.claims[reference.claim], self.team.table.players
        share: list[dict[Memory, int]] = [{} for _ in range(members)]  # of each memory
        joined: list[dict[int, int]] = [{} for _ in range(members)]  # of each that they become
        whose: list[dict[int, list[Memory]]] = [{} for _ in range(members)]
        total = 0
        for joint, states in after.items():
            mass = sum(states.values())
            total += mass
            for i, memory in enumerate(joint):
                share[i][memory] = share[i].get(memory, 0) + mass
        for i in range(members):
            for memory, mass in share[i].items():
                to = reference.to.get((i, memory), -1)
                joined[i][to] = joined[i].get(to, 0) + mass
                whose[i].setdefault(to, []).append(memory)
        known = sum(m for states in claim.occupancy.values() for m in states.values())
        if not known or not total:
            return total * self.team.most
        missed, rounded = total, 0  # mass of `after` that is not met, and of the other that is too much
        for joint, states in claim.occupancy.items():
            groups = [whose[i].get(memory[0], []) for i, memory in enumerate(joint)]
            weight = 1
            for i, memory in enumerate(joint):
                weight *= joined[i].get(memory[0], 0)
            if not weight:
                rounded += ceiling(total * sum(states.values()), known)
                continue
            for raw in itertools.product(*groups):
                part = total
                for i, memory in enumerate(raw):
                    part *= share[i][memory]
                found = after.get(raw, {})
                for state, mass in states.items():
                    expected, here = part * mass // (weight * known), found.get(state, 0)
                    missed -= min(here, expected)
                    rounded += max(0, expected - here) + 1
        return ceiling(total * self.bound[reference.claim], known) + (missed + rounded) * self.team.most

    # One claim.

    def _bounded(self, claim: Claim) -> int:
        """What an occupancy brings at most, in 2**-(MASS + bits)."""
        seen = self._seen(claim.stage, claim.occupancy)
        plans = self.team.plans(claim.stage) if claim.plans and claim.occupancy else None
        if not claim.tree or (claim.plans and plans is None) or not claim.occupancy:
            return seen
        counts = [len(known) for known in plans.action] if plans else self.team.places
        scale = 1 << (MASS + self.team.bits)
        game = StageGame(list(claim.occupancy), counts, self._payoffs(claim, plans), scale)
        game.move(claim.moved)
        return min(seen, self._ends(claim, game, plans is not None))

    def _payoffs(self, claim: Claim, plans: Plans | None) -> list[list[int]]:
        """[joint memory][joint choice] what it brings at most, if it is revealed after the choice."""
        value = plans.value if plans else self.team.seen_all[claim.stage]
        size, payoffs = len(next(iter(value.values()))), []
        alone: tuple[Memory, ...] = ((0,),) * self.team.table.players  # once it is revealed
        for j, states in enumerate(claim.occupancy.values()):
            elsewhere = self.team.most * sum(m for s, m in states.items() if s not in value)
            here = [(m, value[s]) for s, m in states.items() if s in value]
            payoff = [elsewhere + sum(m * v[x] for m, v in here) for x in range(size)]
            for x in () if plans else range(size):
                reference = claim.revealed.get((j, x))
                if reference is not None:
                    choose = {(i, 0): place for i, place in enumerate(self.team.joint[x])}
                    payoff[x] = min(payoff[x], self._step(claim.stage, {alone: states}, choose, reference))
            payoffs.append(payoff)
        return payoffs

    def _step(self, stage: int, occupancy: Occupancy, choose: dict[tuple[int, int], int], reference: int) -> int:
        """What a step brings, and what follows by a reference, in 2**-(MASS + bits)."""
        paid, after, wrong = self.team.follow(stage, occupancy, choose)
        return paid + self.team.discounted(ceiling(self._ahead(stage + 1, after, wrong, reference), 1 << CHANCE))

    def _ends(self, claim: Claim, game: "StageGame", plans: bool) -> int:
        """The most over all ends of a claim's tree: a walk in the order in which the tree is written."""
        places = [(i, c) for i, count in enumerate(claim.counts) for c in range(count)]
        most: int | None = None
        at, waiting = 0, [dict[tuple[int, int], int]()]
        while waiting:
            chosen = waiting.pop()
            node = claim.tree[at] if at < len(claim.tree) else BOUNDED
            at += 1
            if 0 <= node < len(places) and places[node] not in chosen:
                waiting += [{**chosen, places[node]: a} for a in reversed(range(game.counts[places[node][0]]))]
                continue
            bound = game.bound(chosen)
            if node < BOUNDED and len(chosen) == len(places) and not plans:
                bound = min(bound, self._step(claim.stage, claim.occupancy, chosen, -2 - node))
            most = bound if most is None else max(most, bound)
        if most is None:
            raise Refused("a claim about a step in which somebody has nothing to choose from")
        return most


class StageGame:
    """Memories choose; payoffs by joint memory and joint choice, moved as far as that sums to nothing."""

    def __init__(
        self, memory: list[tuple[Memory, ...]], counts: list[int], payoff: list[list[int]], scale: int
    ) -> None:
        self.memory, self.counts = [tuple(m[0] for m in j) for j in memory], counts
        self.payoff, self.scale = payoff, scale
        self.front = list(itertools.product(*map(range, counts[:-1])))
        self.free: list[list[int]] = []
        self._open()

    def _open(self) -> None:
        """[joint memory][choice of the last member] the most that it brings."""
        last = self.counts[-1]
        self.free = [[max(values[b::last]) for b in range(last)] for values in self.payoff]

    def move(self, moved: list[float]) -> None:
        """Move payoffs [joint memory, member but the last, choice]; what the first joint memory of a memory gets is
        what the others give.
        """
        wide = sum(self.counts[:-1])
        if not moved or len(moved) != len(self.payoff) * wide:
            return
        scaled, power = exact(moved)
        shift = lines([m * self.scale // power for m in scaled], wide, len(self.payoff))
        begin, taken = 0, [[0] * len(self.front) for _ in self.payoff]
        for i, count in enumerate(self.counts[:-1]):
            of: dict[int, list[int]] = {}
            for j, joint in enumerate(self.memory):
                of.setdefault(joint[i], []).append(j)
            for first, *rest in of.values():
                own = {j: shift[j][begin : begin + count] for j in rest}
                own[first] = tuple(-sum(shift[j][begin + a] for j in rest) for a in range(count))
                for j, line in own.items():
                    for x, digit in enumerate(self.front):
                        taken[j][x] += line[digit[i]]
            begin += count
        last = self.counts[-1]
        self.payoff = [[value + lot[x // last] for x, value in enumerate(v)] for v, lot in zip(self.payoff, taken)]
        self._open()

    def bound(self, chosen: dict[tuple[int, int], int]) -> int:
        """sum over the last member's memories of the best choice, where open choices differ with the joint memory."""
        last = self.counts[-1]
        stars: dict[int, list[int]] = {}
        for j, joint in enumerate(self.memory):
            star, best = stars.setdefault(joint[-1], [0] * last), self._best(j, joint, chosen)
            for b in range(last):
                star[b] += best[b]
        total = 0
        for memory, star in stars.items():
            choice = chosen.get((len(self.counts) - 1, memory))
            total += max(star) if choice is None else star[choice]
        return total

    def _best(self, j: int, joint: tuple[int, ...], chosen: dict[tuple[int, int], int]) -> list[int]:
        """What a joint memory brings with each choice of the last member, as far as the others have chosen."""
        fixed = [chosen.get((i, c)) for i, c in enumerate(joint[:-1])]
        if all(a is None for a in fixed) and fixed:
            return self.free[j]
        last = self.counts[-1]
        fits = [x for x, digit in enumerate(self.front) if all(a is None or a == d for a, d in zip(fixed, digit))]
        lots = [self.payoff[j][x * last : (x + 1) * last] for x in fits]
        return lots[0] if len(lots) == 1 else [max(column) for column in zip(*lots)]
