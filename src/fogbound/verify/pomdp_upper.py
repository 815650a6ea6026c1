"""No policy earns more: an upper bound on the value of a partially observable process.

Let V(b) be the best value from a belief b: unnormalised, over running states with one list of actions. As the
supremum of values of policies, each linear in b, it is convex, and V(c b) = c V(b); so V of a sum of beliefs is
at most the sum of their V. With b_z what action a and observation z make of b (one part for each list of
actions; what is over is worth 0), V(b) <= max_a r(b, a) + g sum_z V(b_z).

Tolls. Let w be linear in b, w(s) >= 1 + g sum_s' P(s' | s, a) w(s') for all rows, and w >= 0; so w >= 1.
  g < 1: w = 1 / (1 - g).
  g = 1: let W be the claimed steps and sigma the largest 1 + P_a W - W over all rows. If sigma < 1, the state of
         least W has W (1 - P_a 1) >= 1 - sigma, so W > 0 everywhere; then w = W / (1 - sigma) will do, and
         bounds the expected steps under any policy: play ends, and V is finite.

Fast informed bound. If r + g sum_z max_a' sum_s' P(s', z | s, a) Q(s', a') <= Q(s, a) + rho1, with rho1 >= 0,
then Q' = Q + rho1 w satisfies this with no rho1, since w does not depend on a'. So F'(b) = max_a sum_s b(s)
Q'(s, a) has F'(b) >= max_a r + g sum_z F'(b_z) (a sum of maxima is above a maximum of sums), and what is left
after n steps vanishes, as g < 1 or as play ends: V <= F' = F + rho1 w, where F is what Q says.

Points (b_i, u_i). Let d be the least number >= rho1 with V(b_i) <= u_i + d w(b_i) for all i; it exists, as w >= 1.
What a witness says, X, satisfies V(b) <= X + d w(b): for F that was just shown, and otherwise b is
split into c b_j and single states, where V(s) <= max_a Q(s, a) + rho1 w(s) (or a point claims less),
and w is linear. With rho >= 0 the largest violation of u_i >= r(b_i, a) + g sum_z X_z over points and actions,

  r(b_i, a) + g sum_z V(b_z) <= u_i + rho + d g sum_z w(b_z) <= u_i + rho + d (w(b_i) - 1).

An action with FIB_ROW has V <= u_i + rho1 w(b_i), u_i having been raised to sum_s b(s) Q(s, a). So if d were
above max(rho, rho1), V(b_i) < u_i + d w(b_i) for all i, and d not the least. Hence d <= max(rho, rho1), and the
process is worth at most r_0 + sum_z X_z + max(rho, rho1) w(b_0), over the first observations z.

No discount and no toll. If g = 1 and rho = rho1 = 0, no toll is paid and none is needed. Let U(b) be the least
total price at which b can be put together from parts: any part p at F(p), and c b_j at c u_j. Then U of a sum is
at most the sum of the U, U is at most what any witness says, and U(b) >= -C |b|, where -C is the least of 0 and
all claims. Take any way to put b together, and an action a: r + sum_z U(what follows) is over all parts together
at most the sum over the parts, and there at most F(p), as rho1 = 0 (a part priced at F), or c u_j, as rho = 0 (for
FIB_ROW, as rho1 = 0 and u_j was raised). So r(b, a) + sum_z U(b_z) <= U(b) for every b and a. By induction over n,
what any policy earns in its first n steps, plus U of what is then believed, is expected to be at most
B = r_0 + sum_z X_z; so its first n steps earn at most B + C Pr(play goes on after n steps). Hence no policy with
which play surely ends earns more than B, however long that takes; and one that may go on for ever earns at most
B + C Pr(it does), also in the upper limit. With 'steps_left', play always ends, and B bounds every policy.
"""

from collections.abc import Mapping
from fractions import Fraction

from .array import Array
from .fields import floats, integers, shape, within
from .pomdp_form import Process
from .pomdp_points import read_points
from .pomdp_witness import FIB
from .refused import Refused
from .repair import exact, up

EVIDENCE = (
    *("fib", "point_start", "point_state", "point_weight", "point_value"),
    *("witness_start", "witness", "root", "steps_left"),
)


def upper(process: Process, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the best value is not above (without 'steps_left': of policies with which play surely ends)."""
    toll = _toll(process, certificate)
    points = read_points(process, certificate)
    root = integers(certificate, "root", *shape(certificate, "root", 1))
    within(root, FIB, len(points.belief), "root")
    fib = points.fib
    value = fib.pay[0] + process.discount.denominator * points.follow([(0, 1)], root)
    bound, broken = Fraction(value, fib.scale), max(points.violation(), fib.violation())
    if broken == 0:
        return bound
    if toll is None:
        told = f"claims that are off by {up(broken)!r} prove nothing without discount"
        raise Refused(f"array 'steps_left' is missing, and {told}: give it, or claims that hold exactly")
    return bound + broken * toll


def _toll(process: Process, certificate: Mapping[str, Array]) -> Fraction | None:
    """w at the start: what paying 1 in every step comes to at most; None where nothing is said about that."""
    if process.discount < 1:
        return 1 / (1 - process.discount)
    if "steps_left" not in certificate:
        return None
    claimed, beat = exact(floats(certificate, "steps_left", len(process.labels)))
    wait = [steps if process.runs(state) else 0 for state, steps in enumerate(claimed)]
    expected = [
        Fraction(sum(weight * wait[after] for _, after, weight in outcomes), total * beat)
        for outcomes, total in zip(process.outcomes, process.total)
    ]
    drift = [
        1 + expected[row] - Fraction(steps, beat)
        for state, steps in enumerate(wait)
        for row in range(process.row[state], process.row[state + 1])
    ]
    sigma = max(drift, default=Fraction(0))
    if sigma >= 1:
        raise Refused("play is not certified to end whatever is done")
    return expected[0] / (1 - sigma)
