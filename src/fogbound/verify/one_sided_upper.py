"""What the blind player of a one-sided game never has: an upper bound on its value.

Let V(b), for b >= 0 over the states of a partition, be the supremum over the blind player's strategies of sum_s b(s)
v(s), v being what the strategy guarantees in each state. So V is convex, V(c b) = c V(b), and V of a sum is at most
the sum of the V. Let y weigh the rows so that those of each state sum to b(s), and let b_z be what a slot a and a
branch z make of y. The other player may draw its first action by y and then reply as best it can, so

  V(b) <= max_a [ r(y, a) + g sum_z V(b_z) ].                                                                    (1)

Least. If least(s) <= r + g P least for every slot and row, less rho0, no strategies bring less than least' = least -
rho0 w. So a v of any strategy is at least least', and V(b + e) >= V(b) + least'(e) for e >= 0.

Claims. Claim i says V(b_i) <= u_i, with a y_i: corners (single states) first, then points. After each slot and branch
a cover is given: weights c_j >= 0 of claims. With tau = b_z, the rest r = tau - sum_j c_j b_j, what is missing (r+) is
put on corners, and what is too much (r-) is worth at least least':

  V(tau) <= sum_j c_j V(b_j) + sum_s r+(s) V(s) - least'(r-) .                                                   (2)

Call the right-hand side with claims in place of V the price X, and let rho be the largest r(y_i, a) + g sum_z X_z -
u_i. Claims below least'(b_i) are raised to it first.

Tolls. Let t_i >= 0 be given (else w(b_i)), and sigma be the largest 1 + g sum_z [ sum_j c_j t_j + sum_s r+(s) t_s ] -
t_i, over claims and slots. If sigma < 1, t' = t / (1 - sigma) has the same with 1 for sigma, so t' >= 1. Let d be the
least number >= 0 with V(b_i) <= u_i + d t'_i for all i. By (1) and (2), V(b_i) <= u_i + rho + d (t'_i - 1), so if d
were above rho >= 0 it would not be the least. Hence V(start) <= X + rho sum [ c_j t'_j + r+(s) t'_s ], of the start's
cover.

No toll. If rho <= 0 none is needed. Let U(b) be the least price of a cover of b; U of a sum is at most the sum. Take a
cover of b at price X: it is of b' = b + r- = sum c_j b_j + r+. With y' the same sum of the y_i, r(y', a) + g sum_z
U(b'_z) <= X + least'(r-), as rho <= 0. Give up the share of y' that lies on r-, z: that takes r(z, a) off the pay and
lets the covers be too large by what z leads to, together at least least'(r-), by what least' is. So for every b there
is a y with max_a [ r(y, a) + g sum_z U(b_z) ] <= U(b). If V <= U + d w, (1) gives V <= U + d (w - 1) <= U + d q w,
where q = 1 - 1 / max w < 1. Such a d exists, since no claim and so no U is below least'; hence V <= U.

Beliefs, the y and the weights of covers are brought to a grid first; no claim is believed.
"""

from collections.abc import Mapping
from fractions import Fraction

from .array import Array
from .one_sided_claims import Claims, read_claims
from .one_sided_cover import Price, cover
from .one_sided_form import Fog

EVIDENCE = (
    *("corner", "seen", "least", "toll", "point_start", "point_state", "point_weight", "point_value", "point_row"),
    *("cover_start", "cover_point", "cover_weight", "root_start", "root_point", "root_weight"),
)


def upper(fog: Fog, certificate: Mapping[str, Array]) -> Fraction | None:
    """A number that the value is not above, less what is paid at the start; None where the evidence proves nothing."""
    claims = read_claims(fog, certificate)
    below = fog.discount.denominator
    broken, drift = _survey(fog, claims)
    rho, sigma = (
        Fraction(broken, claims.whole * claims.power * below),
        Fraction(drift, claims.whole * claims.beat * below),
    )
    price = Price(0, 0)
    for part, root in enumerate(claims.root):
        tau = {
            state: fog.start[state] * claims.whole
            for state in range(fog.first[part], fog.first[part + 1])
            if state in fog.start
        }
        if tau:
            price += cover(claims, part, tau, root)
    bound = Fraction(price.value, claims.whole * claims.power)
    if rho <= 0:
        return bound
    return bound + rho * Fraction(price.toll, claims.whole * claims.beat) / (1 - sigma) if sigma < 1 else None


def _survey(fog: Fog, claims: Claims) -> tuple[Fraction | int, Fraction | int]:
    """The largest price - claim and the largest 1 + tolls - toll over all claims and slots."""
    worst: Fraction | int | None = None
    drift: Fraction | int | None = None
    rate, below = fog.discount.numerator, fog.discount.denominator
    for number, own in enumerate(claims.rows):
        part, covers = claims.part[number], claims.covers[number]
        base, first_branch = fog.rows(part).start, fog.branches(part).start
        for slot in fog.slots(part):
            pays = sum(weight * claims.reward[fog.pay[slot] + row - base] for row, weight in own.items())
            price = Price(0, 0)
            for branch in range(fog.branch[slot], fog.branch[slot + 1]):
                tau = _after(fog, own, slot, branch)
                if tau:
                    chosen = covers[branch - first_branch] if covers else []
                    price += cover(claims, fog.target[branch], tau, chosen)
            excess = pays * fog.unit * below + rate * price.value - claims.value[number] * claims.whole * below
            longer = (claims.beat - claims.toll[number]) * claims.whole * below + rate * price.toll
            worst = excess if worst is None else max(worst, excess)
            drift = longer if drift is None else max(drift, longer)
    return worst or 0, drift or 0


def _after(fog: Fog, own: Mapping[int, int], slot: int, branch: int) -> dict[int, Fraction | int]:
    """b_z, over GRID * GRID * unit."""
    tau: dict[int, Fraction | int] = {}
    leads = fog.leads[branch]
    for row, weight in own.items():
        full = fog.over.get((slot, row), 1)
        for e in leads.get(row, ()):
            if fog.prob[e]:
                tau[fog.to[e]] = tau.get(fog.to[e], 0) + weight * fog.prob[e] * full
    return tau
