"""The exact value interval of a profile of finite-memory controllers, also where play may cycle.

The enumerated game (states, rows of outcomes, events) and one controller a player are read from their arrays and
checked in full; together they make a chain of points. Let R be the points that the profile can reach, P their
transitions (to the end: nothing), r the expected reward, g the discount, V = r + g P V the true values and v the
claimed ones. With e = v - (r + g P v), the error obeys v - V = e + g P (v - V), so v - V is the sum of g^t P^t e over
t.

  g < 1: |v - V| <= rho / (1 - g), where rho is the largest |e|.
  g = 1: let w be the claimed steps to go and sigma the largest 1 + P w - w. If sigma < 1, then
         (I - P) w >= 1 - sigma > 0 on R. So R has no closed part (its stationary distribution m would give
         m w - m P w = 0), play ends, and the expected steps are at most w / (1 - sigma):
         |v - V| <= rho w / (1 - sigma).

The start row pays at g^0 and so does the first step: the profile earns sum p (reward + V(point)) over that row.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from .arithmetic import exact, shares
from .arrays import Array, Refused, every_line, floats, integers, lines, shape, steps_left, within

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
    flat = integers(form, "actor_set_players", actor_sets, width)
    actors_of = [_unpadded(cut) for cut in lines(flat, width, actor_sets)]
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
            actors = f"{len(actors_of[actor_set[state]])} actors"
            raise Refused(f"state {state} has {len(picked)} lists of legal actions for {actors}")
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


IDLE = -1


@dataclass(frozen=True)
class Controller:
    """Nodes are the memory; arrows say where a node goes after the own action (or IDLE) and what the player is told.

    What that is, the table says (`Table.observation`): a bare observation, or more.
    """

    player: int
    begin: dict[int, int]
    arrow: dict[tuple[int, ...], int]
    choice: dict[tuple[int, int], dict[int, float]]  # (node, list of legal actions) -> weight of each action
    known: dict[tuple[int, int], tuple[list[int], int]] = field(default_factory=dict)

    def first(self, seen: int) -> int:
        """The node after the first observation."""
        if seen not in self.begin:
            raise Refused(f"the controller of player {self.player} has no first node for observation {seen}")
        return self.begin[seen]

    def after(self, node: int, action: int, seen: int) -> int:
        """The node after an own action (IDLE = did not act) and an observation."""
        key = (node, action, seen)
        if key not in self.arrow:
            did = "not acting" if action == IDLE else f"action {action}"
            missing = f"arrow from node {node} after {did} and observation {seen}"
            raise Refused(f"the controller of player {self.player} has no {missing}")
        return self.arrow[key]

    def act(self, node: int, legal: int, actions: tuple[int, ...]) -> tuple[list[int], int]:
        """Exact proportions over the legal actions, and their sum; uniform when nothing weighs anything."""
        key = (node, legal)
        if key not in self.known:
            weights = self.choice.get(key, {})
            self.known[key] = shares([weights.get(action, 0.0) for action in actions])
        return self.known[key]


class FreePlayer(Controller):
    """In the place of a controller: a player that moves as it is told (`InducedChain.step`) and has one node."""

    def first(self, _seen: int) -> int:
        return 0

    def after(self, _node: int, _action: int, _seen: int) -> int:
        return 0


def read_controller(certificate: Mapping[str, Array], player: int) -> Controller:
    """The controller of a player, where there is one a player."""
    moves = read_automaton(certificate, player, (f"arrow_{player}", f"choice_{player}_key", f"choice_{player}_weight"))
    return begun(certificate, f"begin_{player}", moves)


def read_automaton(certificate: Mapping[str, Array], player: int, names: tuple[str, str, str]) -> Controller:
    """All but the beginning of a controller, in the three arrays of these names: several may share it."""
    arrows, keys = every_line(certificate, names[0], 4), every_line(certificate, names[1], 3)
    choice: dict[tuple[int, int], dict[int, float]] = {}
    for (node, legal, action), weight in zip(keys, floats(certificate, names[2], len(keys))):
        choice.setdefault((node, legal), {})[action] = weight
    arrow = {cut[:3]: cut[3] for cut in arrows}
    _once(names[0], len(arrow), len(arrows))
    _once(names[1], sum(map(len, choice.values())), len(keys))
    return Controller(player, {}, arrow, choice)


def begun(certificate: Mapping[str, Array], name: str, automaton: Controller) -> Controller:
    """The controller that begins as this array says; what is worked out for a node serves all that share it."""
    starts = every_line(certificate, name, 2)
    begin = {cut[0]: cut[1] for cut in starts}
    _once(name, len(begin), len(starts))
    return replace(automaton, begin=begin)


def _once(name: str, kept: int, given: int) -> None:
    if kept != given:
        raise Refused(f"{name!r} answers one question twice")


Point = tuple[int, ...]  # state, then the node of each player
Move = tuple[int, Point | None, int]  # weight, where to (None = over), outcome


@dataclass(frozen=True)
class InducedChain:
    """A profile of controllers playing a table."""

    table: Table
    controllers: Sequence[Controller]
    known: dict[int, tuple[list[int], int]] = field(default_factory=dict)

    def opening(self) -> tuple[list[Move], int]:
        """The start row: everything that may happen first, with the sum of the weights."""
        parts, total = self._odds(0)
        moves: list[Move] = []
        for part, outcome in zip(parts, self.table.outcomes(0)):
            if part:
                heard = zip(self.controllers, self.table.observation[outcome])
                nodes = (controller.first(observation) for controller, observation in heard)
                moves.append((part, self._point(outcome, nodes), outcome))
        return moves, total

    def step(self, point: Point, forced: tuple[int, int] | None = None) -> tuple[list[Move], int]:
        """Everything that may happen next, with the sum of the weights; `forced`: (a player, the place of its move)."""
        table, state = self.table, point[0]
        chosen: list[tuple[list[int], int]] = []
        for k, legal, actions in zip(table.actors[state], table.offered[state], table.legal_sets[state]):
            if forced is not None and k == forced[0]:
                chosen.append(([int(place == forced[1]) for place in range(len(actions))], 1))
            else:
                chosen.append(self.controllers[k].act(point[1 + k], legal, actions))
        joints = []
        every = itertools.product(*(range(len(parts)) for parts, _ in chosen))
        for row, moves in enumerate(every, table.row[state]):
            weight = math.prod(parts[move] for (parts, _), move in zip(chosen, moves))
            if weight:
                joints.append((weight, row, moves))
        common = math.lcm(*(self._odds(row)[1] for _, row, _ in joints))
        weighed: list[Move] = []
        for weight, row, moves in joints:
            weighed += self._outcomes(point, row, moves, weight * (common // self._odds(row)[1]))
        return weighed, common * math.prod(total for _, total in chosen)

    def _outcomes(self, point: Point, row: int, moves: Point, weight: int) -> Iterable[Move]:
        """The outcomes of one joint action."""
        did = [IDLE] * self.table.players
        for player, actions, move in zip(self.table.actors[point[0]], self.table.legal_sets[point[0]], moves):
            did[player] = actions[move]
        for part, outcome in zip(self._odds(row)[0], self.table.outcomes(row)):
            if part:
                followed = zip(self.controllers, point[1:], did, self.table.observation[outcome])
                nodes = (controller.after(node, action, seen) for controller, node, action, seen in followed)
                yield weight * part, self._point(outcome, nodes), outcome

    def _point(self, outcome: int, nodes: Iterable[int]) -> Point | None:
        """Where an outcome leads; the controllers are not asked once play is over."""
        state = self.table.next[outcome]
        return (state, *nodes) if self.table.actors[state] else None

    def _odds(self, row: int) -> tuple[list[int], int]:
        """A row's exact proportions, worked out once."""
        if row not in self.known:
            self.known[row] = shares([self.table.prob[outcome] for outcome in self.table.outcomes(row)])
        return self.known[row]


MOST_POINTS = 10**6
Figures = list[Fraction]  # one for each player
Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Claim:
    """Claimed values over `unit` and steps over `beat` of the listed points; 0 for all others."""

    value: dict[Point, tuple[int, ...]]
    unit: int
    steps: dict[Point, int]
    beat: int


def intervals(form: Mapping[str, Array], certificate: Mapping[str, Array], limit: int = MOST_POINTS) -> list[Interval]:
    """For each player, an interval that holds the value of the profile."""
    table = read_table(form)
    induced = InducedChain(table, [read_controller(certificate, player) for player in range(table.players)])
    return induced_intervals(induced, certificate, limit)


def induced_intervals(
    induced: InducedChain, certificate: Mapping[str, Array], limit: int = MOST_POINTS
) -> list[Interval]:
    """For each player, an interval that holds what it earns in the product, by the claims 'point', 'value', 'steps'."""
    table = induced.table
    claim = _claim(certificate, table)
    moves, total = induced.opening()
    rho, sigma = _survey(induced, claim, [point for _, point, _ in moves if point], limit)
    reward, later, steps = _expected(table, claim, moves, total)
    if table.discount < 1:
        factor = 1 / (1 - table.discount)
    elif sigma >= 1:
        raise Refused("the play is not certified to end")
    else:
        factor = steps / (1 - sigma)
    middle = [now + then for now, then in zip(reward, later)]
    return [(value - error * factor, value + error * factor) for value, error in zip(middle, rho)]


def _claim(certificate: Mapping[str, Array], table: Table) -> Claim:
    points = every_line(certificate, "point", 1 + table.players)
    count = len(points)
    value, unit = exact(floats(certificate, "value", count, table.players))
    steps, beat = exact(steps_left(certificate, count, table.discount == 1))
    claim = Claim(dict(zip(points, lines(value, table.players, count))), unit, dict(zip(points, steps)), beat)
    if len(claim.value) != count:
        raise Refused("'point' lists a point twice")
    return claim


def _survey(induced: InducedChain, claim: Claim, fresh: list[Point], limit: int) -> tuple[Figures, Fraction]:
    """Visit every reachable point: the largest residual of each player, and the largest 1 + P w - w."""
    table = induced.table
    none = (0,) * table.players
    rho = [Fraction(0)] * table.players
    sigma: Fraction | None = None
    points = dict.fromkeys(fresh)
    fresh = list(points)
    while fresh:
        if len(points) > limit:
            raise Refused(f"more than {limit} points of the product of game and controllers")
        point = fresh.pop()
        moves, total = induced.step(point)
        reward, later, steps = _expected(table, claim, moves, total)
        for player, claimed in enumerate(claim.value.get(point, none)):
            right = reward[player] + table.discount * later[player]
            rho[player] = max(rho[player], abs(Fraction(claimed, claim.unit) - right))
        drift = 1 + steps - Fraction(claim.steps.get(point, 0), claim.beat)
        sigma = drift if sigma is None else max(sigma, drift)
        for _, after, _ in moves:
            if after is not None and after not in points:
                points[after] = None
                fresh.append(after)
    return rho, sigma or Fraction(0)


def _expected(table: Table, claim: Claim, moves: list[Move], total: int) -> tuple[Figures, Figures, Fraction]:
    """Expected over the moves: each player's reward, its claimed value afterwards, the steps claimed then."""
    none = (0,) * table.players
    reward, later, steps = [0] * table.players, [0] * table.players, 0
    for weight, point, outcome in moves:
        for player, amount in enumerate(table.reward[table.event[outcome]]):
            reward[player] += weight * amount
        if point is not None:
            for player, amount in enumerate(claim.value.get(point, none)):
                later[player] += weight * amount
            steps += weight * claim.steps.get(point, 0)
    return (
        [Fraction(amount, total * table.unit) for amount in reward],
        [Fraction(amount, total * claim.unit) for amount in later],
        Fraction(steps, total * claim.beat),
    )
