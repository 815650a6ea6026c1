"""One equilibrium of a two-player game tree of any sum, by Lemke's algorithm on the sequence-form LCP.

Koller, Megiddo and von Stengel, "Efficient computation of equilibria for extensive two-person games" (1996). A strategy
is a *realization plan* x >= 0 with Ex = e over the player's sequences (y with Fy = f for the second player), payoffs
are x'Ay and x'By, and the dual of a best reply has one value p (q) for each information set. An equilibrium is a
solution of the linear complementarity problem

    Ex = e    r = E'p - Ay + d z0 >= 0    x >= 0    x'r = 0
    Fy = f    s = F'q - B'x + d z0 >= 0    y >= 0    y's = 0

with z0 = 0, where d is the covering vector. Lemke's algorithm begins with z0 large, and pivots the complement of the
variable that left until z0 leaves. The ratio test is lexicographic, so that degenerate games cannot cycle; pivots are
exact in integers (`solvers/matrix/exact.py`).

Departures from the paper:

- The paper writes the free p as p' - p'' and the equations as pairs of inequalities. Here one block pivot on the
  sequences of a pure starting plan eliminates p, q and the equations, as in von Stengel, van den Elzen and Talman
  (2002): x and y are realization plans all along the path, and the tableau has one row for each sequence.
- d is 0 at the sequences of the starting plans and the player's largest payoff elsewhere, instead of 1 everywhere. For
  large z0 the starting plans are then the only solution, and scaling a player's payoffs changes no pivot. Since plans
  are bounded there is no other ray, and payoffs need not be made negative: a ray with z0 constant would need E'p >= 0
  with e'p = 0, hence p = 0.
- A long path is given up for that of another start, and resumed when those are long, too (`attempts`).
- Above `MOST_EXACT` sequences pivots are floats; the final basis is then solved anew from the first tableau.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import LimitError, SpecError, many
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Scope
from fogbound.driver.stops import StopReason
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import SequenceForm, Treeplex
from fogbound.solvers.complementarity.rational_payoffs import Objects, RationalPayoffs, rational_payoffs
from fogbound.solvers.equilibrium import EquilibriumSolver, answer
from fogbound.solvers.linear_programs.highs import power_of_two
from fogbound.solvers.matrix import exact

MOST_EXACT = 300  # sequences of both players together; above, pivots are floats
MOST_SEQUENCES = 4_000  # of the float tableau, which has a row and a column for each
TINY = 1e-10  # what counts as zero in a float tableau, for payoffs of at most 1
FEWEST_PIVOTS = 100  # of the first attempt from a start
MOST_PIVOTS = 10_000  # of an attempt in floats: rounding might go round in circles
GOOD = 1e-9  # regret, relative to the largest payoff, that needs no second try
TELL = 100  # pivots between two answers
LOST = "the path was lost in rounding: this is the best profile that was met"


@dataclass(frozen=True)
class SequenceLCP(EquilibriumSolver[SequenceForm]):
    """One equilibrium of a two-player game tree of any sum, chance included: Lemke's algorithm on the sequence form.

    The linear complementarity problem is as large as the tree, not as the set of pure strategies (Koller, Megiddo and
    von Stengel 1996). Up to 300 sequences of both players together pivots are exact, and the equilibrium is told in
    fractions, its regret exactly 0; up to 4,000 pivots are floats, and the regret is that of the profile found. The
    path can be exponentially long: where it takes more pivots than there are sequences the other starts are tried, then
    all again with twice as many.

    Parameters
    ----------
    start
        Which move, counted from 0 and cyclically, the starting plans make at every information set, at first. Other
        starts may lead to other equilibria.
    """

    name = "sequence-lcp"

    start: int = 0

    scope: ClassVar[Scope] = Scope(2, 2)
    form: ClassVar[type[SequenceForm]] = SequenceForm

    def __post_init__(self) -> None:
        if self.start < 0:
            raise SpecError(f"sequence-lcp: start is {self.start}, expected 0 or more")

    def run(self, form: SequenceForm, context: Context) -> Iterator[Progress]:
        self.require(form, "sequence-lcp")
        require_small(form)
        game = rational_payoffs(form) if form.size <= MOST_EXACT else None
        best = answer(form, [plex.uniform for plex in form.plexes], iteration=1)
        yield replace(best, more=context.gap == 0)
        done = 1
        for start, budget in attempts(form, self.start, endless=game is not None):
            tableau = lcp(form, start, game)
            for pivots in lemke(tableau):
                if context.stopping():
                    yield replace(best, iteration=done + pivots)
                    return
                if pivots >= budget:
                    break
                if not pivots % TELL:
                    best = min(best, _floats(form, tableau.plans()), key=_regret)
                    yield replace(best, iteration=done + pivots, more=context.gap == 0)
            done += tableau.pivots
            if tableau.z0 in tableau.basis:
                continue
            found = replace(_answer(form, tableau, game, start), iteration=done)
            if found.distance <= GOOD * power_of_two(form.payoff):
                yield found
                return
            best = min(best, found, key=_regret)
        said = {**best.details, "failed": LOST}
        yield replace(best, iteration=done, details=said, unfinished=StopReason.STALLED)


def attempts(form: SequenceForm, first: int, endless: bool) -> Iterator[tuple[int, int]]:
    """Starts, and how many pivots each may take: all in turn, then again with twice as many."""
    starts = max((int(plex.size.max(initial=1)) for plex in form.plexes), default=1)
    budget = max(form.size, FEWEST_PIVOTS)
    while endless or budget <= MOST_PIVOTS:
        yield from ((first + k, budget) for k in range(starts))
        budget *= 2


def _regret(progress: Progress) -> float:
    return progress.distance


def require_small(form: SequenceForm) -> None:
    """Refuse a game whose tableau would be too large."""
    if form.size > MOST_SEQUENCES:
        raise LimitError(
            f"sequence-lcp: {form.spec} has {many(form.size, 'sequence')}, over the limit of {MOST_SEQUENCES:,}. "
            "Use double-oracle, or cfr-plus, which reports regret"
        )


@dataclass
class LemkeTableau:
    """`basic + table @ nonbasic = right-hand side`, the last column; z0 has the column before it at first.

    With n sequences, the two empty ones left out, variable k is the weight of sequence k, variable n + k its slack (r
    or s), and variable 2n is z0.
    """

    table: Any  # [n, n + 2] integers over `last`, or floats
    basis: list[int]  # [n] the variable of each row
    columns: list[int]  # [n + 1] the variable of each column
    sizes: tuple[int, int]  # sequences of each player, the empty one left out
    exact: bool
    last: int = 1  # the last pivot of an exact tableau, which divides all its entries
    pivots: int = 0
    first: list[int] = field(init=False)  # the first basis, whose columns break ties
    given: Any = field(init=False)  # a float tableau as it was at first

    def __post_init__(self) -> None:
        self.first, self.given = list(self.basis), None if self.exact else self.table.copy()

    @property
    def z0(self) -> int:
        return 2 * len(self.basis)

    def complement(self, variable: int) -> int:
        """r_k of x_k, and x_k of r_k."""
        n = len(self.basis)
        return variable - n if variable >= n else variable + n

    def begin(self) -> int | None:
        """Bring z0 into the basis; the variable that leaves, or None where the starting plans are an equilibrium."""
        right, cover = self.table[:, -1], self.table[:, -2]
        short = self._least([k for k, value in enumerate(right) if value < 0], right, -cover)
        return self.exchange(short[-1], len(self.columns) - 1) if short else None

    def enter(self, variable: int) -> int:
        """Bring a variable into the basis; the variable that leaves."""
        column = self.columns.index(variable)
        return self.exchange(self._leaving(column), column)

    def exchange(self, row: int, column: int) -> int:
        """Pivot: the row's variable leaves the basis, the column's enters."""
        entering, pivot = self.table[:, column].copy(), self.table[row, column]
        if self.exact:
            self._eliminate(row, column, entering)
        else:
            self.table[row] /= pivot
            entering[row] = 0.0
            self.table -= np.outer(entering, self.table[row])
            self.table[:, column] = -entering / pivot
            self.table[row, column] = 1.0 / pivot
        self.basis[row], self.columns[column] = self.columns[column], self.basis[row]
        self.pivots += 1
        return self.columns[column]

    def _eliminate(self, row: int, column: int, entering: Objects) -> None:
        """Integer pivoting; the column of the variable that leaves, `last` on its row, takes the entering one's."""
        pivot, last = entering[row], self.last
        if pivot == last:  # as in most pivots of a tree: other rows stay as they are
            rows = [k for k in np.flatnonzero(entering) if k != row]
            self.table[rows] -= np.outer(entering[rows], self.table[row]) // last
        else:
            self.table = exact.pivot(self.table, row, column, last)
        self.table[:, column] = -entering
        self.table[row, column] = last
        if pivot < 0:
            self.table = -self.table
        self.last = abs(pivot)

    def _leaving(self, column: int) -> int:
        """The row of the lexicographically least ratio, z0's where it is among those of the least ratio."""
        entering, tiny = self.table[:, column], 0 if self.exact else TINY
        rows = self._least([k for k, entry in enumerate(entering) if entry > tiny], self.table[:, -1], entering)
        if not rows:
            raise ArithmeticError  # rounding has made the tableau look unbounded
        for row in rows:
            if self.basis[row] == self.z0:
                return row
        place = {variable: k for k, variable in enumerate(self.columns)}
        for variable in self.first:
            if len(rows) == 1:
                break
            if variable in place:
                rows = self._least(rows, self.table[:, place[variable]], entering)
            else:  # a unit vector: positive on its own row alone
                rows = [k for k in rows if self.basis[k] != variable] or rows
        return rows[0]

    def _least(self, rows: list[int], above: Any, below: Any) -> list[int]:
        """The rows of the least ratio above[k] / below[k]."""
        if not self.exact:
            ratios = above[rows] / below[rows]
            return [rows[k] for k in np.flatnonzero(ratios <= ratios.min(initial=np.inf) + TINY)]
        least: list[int] = []
        for k in rows:
            order = above[k] * below[least[0]] - above[least[0]] * below[k] if least else 0
            if order == 0:
                least.append(k)
            elif order < 0:
                least = [k]
        return least

    def plans(self) -> list[list[Any]]:
        """Realization weights of both players, by sequence: Fractions, or floats."""
        weight: list[Any] = [0] * len(self.basis)
        for variable, value in zip(self.basis, self._basic_solution()):
            if variable < len(weight):
                weight[variable] = Fraction(value, self.last) if self.exact else float(value)
        x, _ = self.sizes
        one = Fraction(1) if self.exact else 1.0
        return [[one, *weight[:x]], [one, *weight[x:]]]

    def _basic_solution(self) -> Any:
        """The values of the basis; of floats without z0, solved anew from the first tableau."""
        if self.exact or self.z0 in self.basis:
            return self.table[:, -1]
        own = dict(zip(self.first, np.eye(len(self.basis))))
        columns = {v: self.given[:, k] for k, v in enumerate([*map(self.complement, self.first), self.z0])}
        matrix = np.stack([{**own, **columns}[variable] for variable in self.basis], axis=1)
        return np.linalg.solve(matrix, self.given[:, -1])


def lemke(tableau: LemkeTableau) -> Iterator[int]:
    """Complementary pivots from the starting plans until z0 leaves; how many so far, after each."""
    left = tableau.begin()
    while left is not None and left != tableau.z0:
        yield tableau.pivots
        try:
            left = tableau.enter(tableau.complement(left))
        except ArithmeticError:
            return


def lcp(form: SequenceForm, start: int, game: RationalPayoffs | None) -> LemkeTableau:
    """The first tableau, p and q eliminated: x = c + K u with u the weights off the starting plan c, so that EK = 0.

    For u >= 0 and each sequence of u, r = K'(E'p - Ay) + d z0 = -K'A(c + K v) + d z0 + (slacks of the starting plan).
    """
    payoffs = [_matrix(form, i) if game is None else game.integers(i) for i in range(2)]
    kind = payoffs[0][0].dtype
    plans = [starting_plan(plex, start, kind) for plex in form.plexes]
    m, n = (plex.sequences - 1 for plex in form.plexes)
    blocks = slice(0, m), slice(m, m + n)
    table, basis = np.zeros((m + n, m + n + 2), kind), np.arange(m + n)
    for own, other in ((0, 1), (1, 0)):
        (payoff, unit), (c, k, played) = payoffs[own], plans[own]
        gain = gains_beyond(form.plexes[own], start, payoff.T if own else payoff)
        gain = gains_beyond(form.plexes[other], start, gain.T).T  # K'AK; in the column of the empty sequence K'Ac
        at, free = blocks[own], ~played[1:]
        table[at, at] = k[1:, 1:].T - k[1:, 1:]
        table[at, blocks[other]] = np.where(free[:, None] & ~plans[other][2][1:], gain[1:, 1:], 0)
        table[at][free, -2] = -unit
        table[at, -1] = np.where(free, -gain[1:, 0], c[1:])
        basis[at] += np.where(free, m + n, 0)
    columns = (basis + m + n) % (2 * (m + n)) if m + n else basis
    return LemkeTableau(table, basis.tolist(), [*columns.tolist(), 2 * (m + n)], (m, n), game is not None)


def _matrix(form: SequenceForm, player: int) -> tuple[Floats, float]:
    """[S0, S1] the player's payoffs divided by the largest, which then is 1."""
    matrix = np.zeros([plex.sequences for plex in form.plexes])
    largest = float(np.abs(form.payoff[:, player]).max(initial=0.0)) or 1.0
    matrix[form.ends[:, 0], form.ends[:, 1]] = form.payoff[:, player] / largest
    return matrix, 1.0


def starting_plan(plex: Treeplex, start: int, kind: Any) -> tuple[Any, Any, Any]:
    """(c, K off the unit rows, whether a sequence is one of the starting moves): weights are c + K u.

    The starting move of a set has what its parent sequence has and the other moves leave.
    """
    c, k = np.zeros(plex.sequences, kind), np.zeros((plex.sequences, plex.sequences), kind)
    played = np.zeros(plex.sequences, bool)
    c[0], played[0] = 1, True
    for parent, first, size in zip(plex.parent.tolist(), plex.first.tolist(), plex.size.tolist()):
        chosen = first + start % size
        played[chosen], c[chosen] = True, c[parent]
        k[chosen] = k[parent]
        k[chosen, parent] += 0 if played[parent] else 1
        k[chosen, first : first + size] -= 1
        k[chosen, chosen] = 0
    return c, k, played


def gains_beyond(plex: Treeplex, start: int, payoff: Any) -> Any:
    """K'A for rows A: what each sequence earns beyond the starting move of its set; in row 0, c'A."""
    gain = payoff.copy()
    for h in range(len(plex.parent) - 1, -1, -1):
        first, size = int(plex.first[h]), int(plex.size[h])
        chosen = gain[first + start % size].copy()
        gain[plex.parent[h]] += chosen
        gain[first : first + size] -= chosen
    return gain


def _floats(form: SequenceForm, plans: list[list[Any]]) -> Progress:
    """The answer that realization plans stand for."""
    return answer(form, [plex.behaviour(np.array(plan, float)) for plex, plan in zip(form.plexes, plans)])


def _answer(form: SequenceForm, tableau: LemkeTableau, game: RationalPayoffs | None, start: int) -> Progress:
    """The end of the path: in exact arithmetic with its plans, values and regrets in fractions."""
    plans = tableau.plans()
    progress = replace(_floats(form, plans), iteration=tableau.pivots + 1)
    said: dict[str, Any] = {"start": start, "pivots": tableau.pivots, "arithmetic": "exact" if game else "float"}
    if game is not None:
        values, regrets = game.regrets(plans)
        told = {"values": values, "regrets": regrets, "realization_plans": plans}
        said["fractions"] = {name: _told(entries) for name, entries in told.items()}
    said["shown"] = f"the equilibrium at the end of Lemke's path from start {start}; other starts may lead to others"
    return replace(progress, details={**progress.details, **said})


def _told(entries: Any) -> Any:
    return [_told(entry) for entry in entries] if isinstance(entries, list) else str(entries)
