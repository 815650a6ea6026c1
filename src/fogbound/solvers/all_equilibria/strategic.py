"""Facts about an equilibrium in the normal form: pure, strict, efficient, risk-dominant, undominated, perfect, proper.

Every fact is decided in exact arithmetic and is True, False, or None where it is not decided:

- *undominated*: no mixed strategy does at least as well against everything and better against something than a
  player's own. For two players that is trembling-hand perfection in the normal form (van Damme 1991, section 3.2); for
  more it is only necessary.
- *regular*: quasi-strict, and the equations of its support determine it: their Jacobian is not singular.
- *perfect*, three and more players: proven where proper is.
- *proper*: proven for completely mixed and for regular equilibria (van Damme 1991, section 2.5), strict ones included.
- *Pareto-efficient among all outcomes*: no lottery over profiles of pure strategies pays all players as much and one of
  them more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from fogbound.core.cancel import check
from fogbound.solvers.all_equilibria.exact_game import ExactGame, Mixed, Profile
from fogbound.solvers.all_equilibria.extreme import determinant_sign
from fogbound.solvers.all_equilibria.rational_lp import Constraint, maximise_exactly

MOST_CELLS = 20_000  # strategies x situations of a linear program for dominance
MOST_FRONTIER = 2_000  # payoffs that no other dominates

Payoffs = tuple[Fraction, ...]
Verdict = bool | None


@dataclass(frozen=True, eq=False)
class Strategic:
    """What is asked of all equilibria of one game; dominance is decided once for each strategy."""

    game: ExactGame
    _known: dict[tuple[int, Mixed], Verdict] = field(default_factory=dict)
    _frontier: list[Payoffs] = field(default_factory=list)

    def replies(self, profile: Profile) -> list[list[int]]:
        """Of each player, its pure best replies to the others."""
        found = []
        for i in range(self.game.players):
            worth = self.game.worth(i, profile)
            best = max(worth)
            found.append([k for k, v in enumerate(worth) if v == best])
        return found

    def strict(self, profile: Profile) -> bool:
        """Whether every player loses by any other strategy."""
        return is_pure(profile) and all(len(part) == 1 for part in self.replies(profile))

    def undominated(self, profile: Profile) -> Verdict:
        """Whether no player's strategy is weakly dominated."""
        verdicts = [self._undominated(i, own) for i, own in enumerate(profile)]
        if False in verdicts:
            return False
        return None if None in verdicts else True

    def _undominated(self, player: int, mixed: Mixed) -> Verdict:
        if (player, mixed) not in self._known:
            rows = np.moveaxis(self.game.payoffs[player], player, 0).reshape(len(mixed), -1)
            self._known[player, mixed] = is_undominated(rows.tolist(), mixed)
        return self._known[player, mixed]

    def perfect(self, profile: Profile) -> Verdict:
        """Whether it is trembling-hand perfect in the normal form."""
        safe = self.undominated(profile)
        if self.game.players == 2 or safe is False:
            return safe
        return True if completely_mixed(profile) or self.regular(profile) else None

    def proper(self, profile: Profile) -> Verdict:
        """Whether it is proper in the normal form, where that is proven."""
        if completely_mixed(profile) or self.regular(profile):
            return True
        return False if self.perfect(profile) is False else None

    def regular(self, profile: Profile) -> bool:
        """Whether all best replies are played and the indifference equations have a regular Jacobian."""
        supports = [[k for k, p in enumerate(own) if p] for own in profile]
        if supports != self.replies(profile):
            return False
        return self.strict(profile) or determinant_sign(_jacobian(self.game, profile, supports)) != 0

    def efficient(self, payoffs: Payoffs) -> Verdict:
        """Whether no lottery over outcomes pays all players as much and one of them more."""
        if not self._frontier:
            self._frontier.extend(frontier(self.game))
        if len(self._frontier) > MOST_FRONTIER:
            return None
        rows: list[Constraint] = [([-u[i] for u in self._frontier], -paid) for i, paid in enumerate(payoffs)]
        best = maximise_exactly([sum(u) for u in self._frontier], [([1] * len(self._frontier), 1)], rows)
        return best is None or best.value == sum(payoffs)


def _jacobian(game: ExactGame, profile: Profile, supports: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """The derivatives of "all strategies of a support pay the same, and probabilities sum to 1"."""
    places = [(i, k) for i, own in enumerate(supports) for k in own]
    rows = []
    for i, k in places:
        row = [Fraction(0)] * len(places) + [Fraction(-int(i == j)) for j in range(game.players)]
        for c, (j, other) in enumerate(places):
            if j != i:
                sure = tuple(Fraction(int(m == other)) for m in range(game.widths[j]))
                row[c] = game.worth(i, (*profile[:j], sure, *profile[j + 1 :]))[k]
        rows.append(row)
    for i in range(game.players):
        rows.append([Fraction(int(i == j)) for j, _ in places] + [Fraction(0)] * game.players)
    return rows


def is_pure(profile: Profile) -> bool:
    return all(max(own) == 1 for own in profile)


def completely_mixed(profile: Profile) -> bool:
    return all(min(own) > 0 for own in profile)


def is_undominated(rows: Sequence[Sequence[int]], mixed: Mixed) -> Verdict:
    """Whether no mixed strategy weakly dominates `mixed`; `rows` [strategies, situations] is what strategies pay."""
    situations = list(zip(*rows))
    own = [sum(p * v for p, v in zip(mixed, column) if p) for column in situations]
    for row in rows:
        if all(v >= o for v, o in zip(row, own)) and any(v > o for v, o in zip(row, own)):
            return False
    if len(rows) * len(situations) > MOST_CELLS:
        return None
    check()
    different = dict.fromkeys(zip(situations, own))
    least: list[Constraint] = [([-v for v in column], -o) for column, o in different]
    best = maximise_exactly([sum(row) for row in rows], [([1] * len(rows), 1)], least)
    return best is not None and best.value == sum(own)


def frontier(game: ExactGame) -> list[Payoffs]:
    """The payoffs of pure profiles that no pure profile dominates, each once."""
    cells = sorted(set(zip(*(own.reshape(-1).tolist() for own in game.payoffs))), reverse=True)
    kept: list[tuple[int, ...]] = []
    for cell in cells:  # whatever dominates a cell stands before it
        check()
        if not any(all(v >= o for v, o in zip(other, cell)) for other in kept):
            kept.append(cell)
        if len(kept) > MOST_FRONTIER:
            break
    return [tuple(Fraction(v, d) for v, d in zip(cell, game.denominators)) for cell in kept]


def efficient_among(payoffs: Payoffs, others: Sequence[Payoffs]) -> bool:
    """Whether none of `others` pays all players as much and one of them more."""
    return not any(other != payoffs and all(o >= p for o, p in zip(other, payoffs)) for other in others)


def risk_dominant(game: ExactGame, strict: Sequence[Profile]) -> Profile | None:
    """Of two strict equilibria of a 2 x 2 game the one with the larger product of deviation losses.

    Harsanyi and Selten (1988). None where the game is another, or the products are equal.
    """
    if game.widths != (2, 2) or len(strict) != 2:
        return None
    products = []
    for profile in strict:
        losses = [max(worth) - min(worth) for worth in (game.worth(i, profile) for i in (0, 1))]
        products.append(losses[0] * losses[1])
    if products[0] == products[1]:
        return None
    return strict[0] if products[0] > products[1] else strict[1]
