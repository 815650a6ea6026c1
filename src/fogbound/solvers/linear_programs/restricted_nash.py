"""Exploit an estimated opponent without trusting the estimate: restricted Nash response.

Johanson, Zinkevich and Bowling, "Computing robust counter-strategies" (2007). The opponent plays the estimate
with probability `trust` and anything it likes otherwise: the restricted game lies between the POMDP against a fixed
opponent and the game against anyone. Our part of an equilibrium of this game maximises
trust * (value against the estimate) + (1 - trust) * (worst case), so with any trust no strategy that is as
safe earns more against the estimate. They solve it by CFR; on the sequence form it is one linear program, that
of `sequence_lp` (Koller, Megiddo and von Stengel 1994) with the estimate in the objective. Trust is the solver's
parameter, so one form serves the whole curve from safe to greedy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.certificates.tree import by_set
from fogbound.core.errors import FormError, SpecError, many
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.driver.solver import ZERO_SUM, Solver
from fogbound.evaluation.exploitability import BestResponse, behaviour, best_response, expected, sequence_gains
from fogbound.forms.arrays import Floats
from fogbound.forms.protocol import OTHERS, Described, Question
from fogbound.forms.sequence import SequenceForm
from fogbound.policies.tabular import Tabular
from fogbound.solvers.equilibrium import require
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.linear_programs.sequence_lp import optimal_weights

SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class RestrictedGame(Described):
    """A two-player game from `player`, with how the other player is believed to play.

    Parameters
    ----------
    sequence
        The game.
    player
        Whose restricted Nash response is asked for.
    fixed : [sequences of the other]
        The probabilities of the other's moves; entry 0 is unused.
    """

    kind: ClassVar[str] = "restricted"
    made_from: ClassVar[str] = "sequence"
    against: ClassVar[str] = OTHERS
    certified_as: ClassVar[str] = "restricted"

    sequence: SequenceForm = field(repr=False)
    player: int
    fixed: Floats = field(repr=False)  # [sequences of the other]

    def __post_init__(self) -> None:
        if len(self.sequence.plexes) != 2 or self.player not in (0, 1):
            players = len(self.sequence.plexes)
            raise FormError(f"{self.spec}: player {self.player} of {players}, expected one of two players")
        plex = self.sequence.plexes[self.other]
        played = self.fixed[1:]
        fits = self.fixed.shape == (plex.sequences,) and bool((played >= 0).all())
        sums = np.add.reduceat(played, plex.first - 1) if fits and len(plex.first) else np.ones(1)
        if not fits or np.abs(sums - 1).max() > SUM_TOLERANCE:
            name = self.sequence.players[self.other]
            raise FormError(f"{self.spec}: what is believed of {name} is no distribution at each information set")

    @property
    def spec(self) -> str:
        return self.sequence.spec

    @property
    def origin(self) -> SequenceForm:
        return self.sequence

    @property
    def players(self) -> tuple[str, ...]:
        return self.sequence.players

    @property
    def size(self) -> int:
        return self.sequence.size

    @property
    def constant_sum(self) -> float | None:
        return self.sequence.constant_sum

    @property
    def largest(self) -> float:
        return self.sequence.largest

    def describe(self) -> str:
        return f"{self.sequence.describe()}, the other believed in part"

    @classmethod
    def derive(cls, source: SequenceForm, question: Question) -> RestrictedGame:
        if len(source.players) != 2:
            raise FormError(f"{source.spec}: {many(len(source.players), 'player')}, expected 2 for a restricted game")
        other = 1 - question.player
        return cls(source, question.player, behaviour(source, other, question.others[other]))

    @property
    def other(self) -> int:
        return 1 - self.player

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The tree's arrays, who is advised, and what is believed of the other."""
        own = {"player": np.array([self.player], "<i8"), "fixed": self.fixed.astype("<f8")}
        return {**self.sequence.arrays(), **own}


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
        bound = reply(form, _mixture(form, free, self.trust)).value
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


def _mixture(form: RestrictedGame, free: Floats, trust: float) -> Floats:
    """The other's behaviour when it plays the fixed policy with probability `trust` and `free` otherwise."""
    plex = form.sequence.plexes[form.other]
    return plex.behaviour(trust * plex.weights(form.fixed) + (1 - trust) * plex.weights(free))


def response(form: RestrictedGame, trust: float, context: Context) -> tuple[Floats, Floats]:
    """Both behaviours at an equilibrium of the restricted game: mine, and the other's where it is free.

    Maximised: trust * x.A.y_fixed + (1 - trust) * what the other's best reply leaves.
    """
    game, mine, theirs = form.sequence, form.sequence.plexes[form.player], form.sequence.plexes[form.other]
    weights = [plex.weights(b) for plex, b in zip(game.plexes, _seated(form, mine.uniform, form.fixed))]
    gain = trust * sequence_gains(game, weights, form.player)
    x, free, _ = optimal_weights(game, form.player, context.stopping, gain=gain, share=1 - trust)
    return mine.behaviour(x), theirs.behaviour(free)  # which divides 1 - trust out


def _seated(form: RestrictedGame, mine: Floats, theirs: Floats) -> list[Floats]:
    return [mine, theirs] if form.player == 0 else [theirs, mine]
