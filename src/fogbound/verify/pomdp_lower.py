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
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .array import Array
from .fields import floats, integers, lines, shape
from .pomdp_form import Process
from .pomdp_plan import Line, Move, Plan, read_plan
from .refused import Refused
from .repair import exact

EVIDENCE = ("node_action", "begin", "arrow", "pair", "value", "steps")


@dataclass(frozen=True)
class Claim:
    """Claimed values over `unit` and steps over `beat` of the listed pairs."""

    value: dict[Line, int]
    unit: int
    steps: dict[Line, int]
    beat: int


def lower(process: Process, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the best value is not below."""
    plan, claim = read_plan(process, certificate), _claim(certificate, process.discount == 1)
    moves = plan.opening()
    rho, sigma = _survey(plan, claim, moves)
    value, steps = _expected(claim, moves, process.total[0])
    if process.discount < 1:
        factor = 1 / (1 - process.discount)
    elif sigma >= 1:
        raise Refused("the controller's play is not certified to end")
    else:
        factor = steps / (1 - sigma)
    return Fraction(process.reward[0]) + value - rho * factor


def _survey(plan: Plan, claim: Claim, opening: list[Move]) -> tuple[Fraction, Fraction]:
    """Visit every pair that can occur: the largest v - (r + g P v), at least 0, and the largest 1 + P w - w."""
    process, rho = plan.process, Fraction(0)
    sigma: Fraction | None = None
    found = {pair: None for _, pair in opening}
    fresh = list(found)
    while fresh:
        pair = fresh.pop()
        row, moves = plan.step(pair)
        value, steps = _expected(claim, moves, process.total[row])
        right = Fraction(process.reward[row]) + process.discount * value
        rho = max(rho, Fraction(_listed(claim.value, pair), claim.unit) - right)
        drift = 1 + steps - Fraction(claim.steps[pair], claim.beat)
        sigma = drift if sigma is None else max(sigma, drift)
        for _, after in moves:
            if after not in found:
                found[after] = None
                fresh.append(after)
    return rho, sigma or Fraction(0)


def _expected(claim: Claim, moves: list[Move], total: int) -> tuple[Fraction, Fraction]:
    """The claimed value and the claimed steps, expected over the moves."""
    value = sum(weight * _listed(claim.value, pair) for weight, pair in moves)
    steps = sum(weight * claim.steps[pair] for weight, pair in moves)
    return Fraction(value, total * claim.unit), Fraction(steps, total * claim.beat)


def _listed(value: dict[Line, int], pair: Line) -> int:
    """The claim about a pair, which must be there: an unlisted pair may be worth anything."""
    if pair not in value:
        raise Refused(f"'pair' does not list node {pair[0]} with state {pair[1]}, which occur together")
    return value[pair]


def _claim(certificate: Mapping[str, Array], undiscounted: bool) -> Claim:
    count, _ = shape(certificate, "pair", 2)
    pairs = lines(integers(certificate, "pair", count, 2), 2, count)
    value, unit = exact(floats(certificate, "value", count))
    steps, beat = exact(floats(certificate, "steps", count)) if undiscounted else ([0] * count, 1)
    claim = Claim(dict(zip(pairs, value)), unit, dict(zip(pairs, steps)), beat)
    if len(claim.value) != count:
        raise Refused("'pair' lists a pair twice")
    return claim
