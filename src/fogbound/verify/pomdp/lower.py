"""What a deterministic controller surely earns in a partially observable process: a lower bound on its value.

Let R be the pairs (node, state) that the controller reaches, P their transitions (to the end: nothing), r the
rewards, g the discount, V = r + g P V what the controller earns and v what is claimed. Let e = v - (r + g P v),
and rho >= 0 the largest e. The excess x = v - V obeys x = e + g P x, so x, the sum of g^t P^t e over t, is at
most rho times the sum of g^t P^t 1. Claims that are too low do no harm: only an e above 0 is paid for.

  g < 1: that sum is at most 1 / (1 - g).
  g = 1: let w be the claimed steps and sigma the largest 1 + P w - w. If sigma < 1, then (I - P) w >= 1 - sigma
         on R, so R has no closed part (its stationary distribution m would give m w - m P w = 0), play ends, and
         the sum, the expected number of steps, is at most w / (1 - sigma).

The best value is at least what this one controller earns. It is asked nothing once play is over.

A deterministic finite-memory controller of a partially observable process, and where it leads.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import exact
from ..arrays import Array, Refused, floats, integers, lines, shape, steps_left, within
from .form import POMDP

Line = tuple[int, ...]
Move = tuple[int, Line]  # weight over the row's total, and the pair (node, state) it leads to


@dataclass(frozen=True)
class FiniteStateController:
    """One action for each node, and the node that follows an observation."""

    pomdp: POMDP
    action: list[int]  # [node]
    begin: dict[Line, int]  # (observation,) -> node
    arrow: dict[Line, int]  # (node, observation) -> node

    def opening(self) -> list[Move]:
        """The pairs in which play may start."""
        return self._follow(0, lambda seen: _answer(self.begin, (seen,), f"first node for observation {seen}"))

    def step(self, pair: Line) -> tuple[int, list[Move]]:
        """The row that is played in a pair, and the pairs that may follow."""
        node, state = pair
        own = self.pomdp.labels[state]
        if self.action[node] not in own:
            raise Refused(f"node {node} takes action {self.action[node]}, which state {state} does not have")
        row = self.pomdp.row[state] + own.index(self.action[node])
        lacking = f"arrow from node {node} after observation"
        return row, self._follow(row, lambda seen: _answer(self.arrow, (node, seen), f"{lacking} {seen}"))

    def _follow(self, row: int, node: Callable[[int], int]) -> list[Move]:
        """Where a row leads; the controller is not asked once play is over."""
        outcomes = self.pomdp.outcomes[row]
        return [(weight, (node(seen), state)) for seen, state, weight in outcomes if self.pomdp.runs(state)]


def read_controller(pomdp: POMDP, certificate: Mapping[str, Array]) -> FiniteStateController:
    """The controller; Refused when two entries answer one question, or lead to a node that is not there."""
    action = integers(certificate, "node_action", *shape(certificate, "node_action", 1))
    begin, arrow = _keyed(certificate, "begin", 2), _keyed(certificate, "arrow", 3)
    within([*begin.values()], 0, len(action), "begin")
    within([*arrow.values()], 0, len(action), "arrow")
    return FiniteStateController(pomdp, action, begin, arrow)


def _keyed(certificate: Mapping[str, Array], name: str, width: int) -> dict[Line, int]:
    """Lines whose last entry is the answer to the question before it."""
    count, _ = shape(certificate, name, 2)
    answers = {cut[:-1]: cut[-1] for cut in lines(integers(certificate, name, count, width), width, count)}
    if len(answers) != count:
        raise Refused(f"{name!r} answers one question twice")
    return answers


def _answer(answers: Mapping[Line, int], question: Line, what: str) -> int:
    if question not in answers:
        raise Refused(f"the controller has no {what}")
    return answers[question]


EVIDENCE = ("node_action", "begin", "arrow", "pair", "value", "steps")


@dataclass(frozen=True)
class Claim:
    """Claimed values over `unit` and steps over `beat` of the listed pairs."""

    value: dict[Line, int]
    unit: int
    steps: dict[Line, int]
    beat: int


def lower(pomdp: POMDP, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the best value is not below."""
    controller, claim = read_controller(pomdp, certificate), _claim(certificate, pomdp.discount == 1)
    moves = controller.opening()
    rho, sigma = _survey(controller, claim, moves)
    value, steps = _expected(claim, moves, pomdp.total[0])
    if pomdp.discount < 1:
        factor = 1 / (1 - pomdp.discount)
    elif sigma >= 1:
        raise Refused("the controller's play is not certified to end")
    else:
        factor = steps / (1 - sigma)
    return Fraction(pomdp.reward[0]) + value - rho * factor


def _survey(controller: FiniteStateController, claim: Claim, opening: list[Move]) -> tuple[Fraction, Fraction]:
    """Visit every pair that can occur: the largest v - (r + g P v), at least 0, and the largest 1 + P w - w."""
    pomdp, rho = controller.pomdp, Fraction(0)
    sigma: Fraction | None = None
    met = {pair: None for _, pair in opening}
    fresh = list(met)
    while fresh:
        pair = fresh.pop()
        row, moves = controller.step(pair)
        value, steps = _expected(claim, moves, pomdp.total[row])
        right = Fraction(pomdp.reward[row]) + pomdp.discount * value
        rho = max(rho, Fraction(_listed(claim.value, pair), claim.unit) - right)
        drift = 1 + steps - Fraction(claim.steps[pair], claim.beat)
        sigma = drift if sigma is None else max(sigma, drift)
        for _, after in moves:
            if after not in met:
                met[after] = None
                fresh.append(after)
    return rho, sigma or Fraction(0)


def _expected(claim: Claim, moves: list[Move], total: int) -> tuple[Fraction, Fraction]:
    """The claimed value and the claimed steps, expected over the moves."""
    value = sum(weight * _listed(claim.value, pair) for weight, pair in moves)
    steps = sum(weight * claim.steps[pair] for weight, pair in moves)
    return Fraction(value, total * claim.unit), Fraction(steps, total * claim.beat)


def _listed(value: dict[Line, int], pair: Line) -> int:
    """The claim about a pair, which must be there: an unlisted pair may have any value."""
    if pair not in value:
        raise Refused(f"'pair' does not list node {pair[0]} with state {pair[1]}, which occur together")
    return value[pair]


def _claim(certificate: Mapping[str, Array], undiscounted: bool) -> Claim:
    count, _ = shape(certificate, "pair", 2)
    pairs = lines(integers(certificate, "pair", count, 2), 2, count)
    value, unit = exact(floats(certificate, "value", count))
    steps, beat = exact(steps_left(certificate, count, undiscounted))
    claim = Claim(dict(zip(pairs, value)), unit, dict(zip(pairs, steps)), beat)
    if len(claim.value) != count:
        raise Refused("'pair' lists a pair twice")
    return claim
