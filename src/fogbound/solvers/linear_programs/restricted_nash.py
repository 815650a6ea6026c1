"""Exploit an estimated opponent without trusting the estimate: restricted Nash response.

Johanson, Zinkevich and Bowling, "Computing robust counter-strategies" (2007). The opponent plays the estimate
with probability `trust` and anything it likes otherwise. Our part of an equilibrium of this game maximises
trust * (value against the estimate) + (1 - trust) * (worst case), so with any trust no strategy that is as
safe earns more against the estimate. They solve it by CFR; on the sequence form it is one linear program, that
of `sequence_lp` (Koller, Megiddo and von Stengel 1994) with the estimate in the objective.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fogbound.certificates.tree import by_set
from fogbound.core.errors import SpecError
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.driver.solver import ZERO_SUM, Solver
from fogbound.evaluation.exploitability import BestResponse, best_response, expected, sequence_gains
from fogbound.forms.arrays import Floats
from fogbound.policies.tabular import Tabular
from fogbound.solvers.equilibrium import require
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.linear_programs.restricted_game import RestrictedGame
from fogbound.solvers.linear_programs.sequence_lp import constraints


@dataclass(frozen=True)
class RestrictedNash(Solver[RestrictedGame]):
    """The best mix of safe and greedy against an opponent that is believed to play as given, by linear programming.

    Works on a restricted game: a two-player zero-sum game in sequence form, one player's policy believed to be known
    (Johanson, Zinkevich and Bowling 2007). No strategy that is as safe earns more against the belief.

    Parameters
    ----------
    trust
        0: an equilibrium strategy; 1: the best response to what is believed.
    """

    name = "restricted-nash"

    trust: float = 0.5

    form: ClassVar[type[RestrictedGame]] = RestrictedGame
    finds: ClassVar[str] = "safe exploitation"
    preferred: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.trust <= 1:
            raise SpecError(f"restricted-nash: trust is {self.trust}, expected 0 to 1")

    @property
    def certified_terms(self) -> Mapping[str, Any]:
        return {"trust": self.trust}

    def run(self, form: RestrictedGame, context: Context) -> Iterator[Progress]:
        require(ZERO_SUM, form.sequence, "restricted-nash")
        greedy = reply(form, form.fixed)
        first = self._answer(form, greedy.behaviour, greedy.value, {})  # no value is higher: an upper bound
        if first.distance > 0:  # otherwise only `safe` is left to find, and the driver would not wait for it
            yield first
        try:
            mine, free = response(form, self.trust, context)
            nash, _ = (mine, free) if self.trust == 0 else response(form, 0.0, context)
        except highs.Cancelled:
            yield first
            return
        bound = reply(form, mixed(form, free, self.trust)).value
        yield self._answer(form, mine, bound, {"safe": worst_case(form, nash)}, free)

    def _answer(
        self, form: RestrictedGame, mine: Floats, upper: float, details: dict[str, Any], free: Floats | None = None
    ) -> Progress:
        """A strategy with its value in the restricted game, evaluated anew."""
        against, guaranteed = against_fixed(form, mine), worst_case(form, mine)
        value = self.trust * against + (1 - self.trust) * guaranteed

        def profile() -> dict[int, Strategy]:
            played = ((form.player, mine), (form.other, form.fixed))
            return {player: Tabular(form.sequence.decisions, player, b) for player, b in played}

        shown = {"against_estimate": against, "guaranteed": guaranteed, **details}
        theirs = _seated(form, mine, form.fixed if free is None else free)
        proof = Evidence({"free": by_set(form.sequence, theirs), "trust": np.array([self.trust])})
        return Progress(value, value, max(upper, value), profile, shown, evidence=lambda: proof)


def against_fixed(form: RestrictedGame, mine: Floats) -> float:
    """The value of my behaviour against the fixed policy."""
    return float(expected(form.sequence, _seated(form, mine, form.fixed))[form.player])


def worst_case(form: RestrictedGame, mine: Floats) -> float:
    """The value of my behaviour against whoever hurts it most."""
    total = form.sequence.constant_sum or 0.0
    return total - best_response(form.sequence, _seated(form, mine, form.fixed), form.other).value


def reply(form: RestrictedGame, theirs: Floats) -> BestResponse:
    """My best response to a behaviour of the other."""
    plex = form.sequence.plexes[form.player]
    return best_response(form.sequence, _seated(form, plex.uniform, theirs), form.player)


def mixed(form: RestrictedGame, free: Floats, trust: float) -> Floats:
    """The other's behaviour when it plays the fixed policy with probability `trust` and `free` otherwise."""
    plex = form.sequence.plexes[form.other]
    return plex.behaviour(trust * plex.weights(form.fixed) + (1 - trust) * plex.weights(free))


def response(form: RestrictedGame, trust: float, context: Context) -> tuple[Floats, Floats]:
    """Both behaviours at an equilibrium of the restricted game: mine, and the other's where it is free.

    Columns: x (my sequences), then v (one for each set of the other, and for none). Rows: x is a realisation
    plan; v at the set of each sequence q of the other is at most what q leaves me now plus the v right below.
    Maximised: trust * x.A.y_fixed + (1 - trust) * v of the empty set.
    """
    from scipy.sparse import block_array, csr_matrix

    game = form.sequence
    mine, theirs = game.plexes[form.player], game.plexes[form.other]
    payoffs = game.payoff[:, form.player]
    scale = highs.power_of_two(payoffs)
    ends = (game.ends[:, form.other], game.ends[:, form.player])
    payoff = csr_matrix((payoffs / scale, ends), shape=(theirs.sequences, mine.sequences))
    matrix = block_array([[constraints(mine), None], [payoff, -constraints(theirs).T]])
    weights = [plex.weights(b) for plex, b in zip(game.plexes, _seated(form, mine.uniform, form.fixed))]
    value = np.zeros(1 + len(theirs.parent))
    value[0] = 1 - trust
    plan = np.zeros(1 + len(mine.parent))
    plan[0] = 1.0
    solution = highs.maximise(
        np.concatenate([trust / scale * sequence_gains(game, weights, form.player), value]),
        np.concatenate([np.zeros(mine.sequences), np.full(len(value), -np.inf)]),
        np.full(mine.sequences + len(value), np.inf),
        matrix,
        np.concatenate([plan, np.zeros(theirs.sequences)]),
        np.concatenate([plan, np.full(theirs.sequences, np.inf)]),
        stopping=context.stopping,
    )
    free = np.abs(solution.dual[len(plan) :])  # times 1 - trust, which behaviour() divides out
    return mine.behaviour(solution.primal[: mine.sequences]), theirs.behaviour(free)


def _seated(form: RestrictedGame, mine: Floats, theirs: Floats) -> list[Floats]:
    return [mine, theirs] if form.player == 0 else [theirs, mine]
