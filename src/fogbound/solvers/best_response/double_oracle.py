"""The double oracle: a small matrix game that grows by best replies until nobody wants another strategy.

McMahan, Gordon and Blum, "Planning in the presence of cost functions controlled by an adversary" (2003). An equilibrium
of the game that is restricted to the strategies so far is found; everybody's best reply to it, among all strategies of
the whole game, is added, unless it is there already. When none is new the equilibrium is one of the whole game. All
that is asked of the game is a best reply, which takes a sweep over its information sets, so games far beyond any
matrix are solved where few strategies matter. Where the sum is constant both bounds hold at every round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.stops import StopReason
from fogbound.evaluation.exploitability import reply_to, sequence_gains
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.equilibrium import EquilibriumSolver, answer
from fogbound.solvers.linear_programs.highs import Cancelled
from fogbound.solvers.linear_programs.sequence_lp import solve_matrix
from fogbound.solvers.markov.backward import Stage

BETTER = 1e-12  # of the largest payoff: a reply that gains no more is not new
NONE_FOUND = "no equilibrium of the last restricted game was found: this is the best answer before it"


@dataclass(frozen=True)
class StrategyOracle(EquilibriumSolver[SequenceForm]):
    """An equilibrium from best replies: a restricted matrix game that grows until nobody wants another strategy.

    Works on the sequence form, any number of players, any sum (McMahan, Gordon and Blum 2003). The restricted game is
    solved by linear programming where two players' payoffs have a constant sum, else by its first pure equilibrium,
    Lemke and Howson's path, or with more players the logit path. One player alone is given its best strategy.
    """

    name = "double-oracle"

    form: ClassVar[type[SequenceForm]] = SequenceForm

    def remembers(self, form: SequenceForm, kept: Kept) -> None:
        for i, plex in enumerate(form.plexes):
            kept.reals(f"strategies_{i}", (None, plex.sequences), low=0.0, high=1.0)

    def run(self, form: SequenceForm, context: Context) -> Iterator[Progress]:
        arrays, payoff = context.arrays, np.zeros((*(0 for _ in form.plexes), len(form.plexes)))
        if "strategies_0" not in arrays:
            uniform = [plex.weights(plex.uniform) for plex in form.plexes]
            arrays |= {f"strategies_{i}": _reply(form, uniform, i)[1][None] for i in range(len(form.plexes))}
        if any(len(arrays[f"strategies_{i}"]) == 0 for i in range(len(form.plexes))):
            raise FormError("double-oracle: a checkpoint without strategies cannot be gone on with")
        best: Progress | None = None
        while True:
            strategies: list[Floats] = [arrays[f"strategies_{i}"] for i in range(len(form.plexes))]
            payoff = _extended(form, strategies, payoff)
            try:
                mixed = _equilibrium(form, payoff, context)
            except Cancelled:
                return
            if mixed is None:
                left = best or self._answer(form, strategies, [_even(part) @ part for part in strategies])
                yield replace(left, details={**left.details, "failed": NONE_FOUND}, unfinished=StopReason.STALLED)
                return
            played = [weights @ part for weights, part in zip(mixed, strategies)]
            progress = self._answer(form, strategies, played)
            best = progress if best is None or progress.distance < best.distance else best
            fresh = _fresh(form, strategies, played)
            over = all(reply is None for reply in fresh)
            yield replace(progress, more=not over and context.gap == 0 and progress.distance > 0)
            if over:
                return
            for i, reply in enumerate(fresh):
                if reply is not None:
                    arrays[f"strategies_{i}"] = np.vstack([strategies[i], reply])

    def _answer(self, form: SequenceForm, strategies: list[Floats], played: list[Floats]) -> Progress:
        behaviours = [plex.behaviour(weights) for plex, weights in zip(form.plexes, played)]
        progress = answer(form, behaviours, iteration=sum(map(len, strategies)))
        said: dict[str, Any] = {
            **progress.details,
            "strategies": [len(part) for part in strategies],
            "shown": "an equilibrium of the strategies that best replies have brought up",
        }
        return replace(progress, details=said)


def _even(strategies: Floats) -> Floats:
    return np.full(len(strategies), 1.0 / len(strategies))


def _reply(form: SequenceForm, played: list[Floats], player: int) -> tuple[float, Floats]:
    """(the value of a best reply, its realisation weights)."""
    found = reply_to(form, sequence_gains(form, played, player), player)
    return found.value, form.plexes[player].weights(found.behaviour)


def _fresh(form: SequenceForm, strategies: list[Floats], played: list[Floats]) -> list[Floats | None]:
    """For each player a best reply that it does not have yet and that gains something."""
    fresh: list[Floats | None] = []
    for i, known in enumerate(strategies):
        value, reply = _reply(form, played, i)
        earned = float(sequence_gains(form, played, i) @ played[i])
        new = value > earned + BETTER * form.largest and not (known == reply).all(axis=1).any()
        fresh.append(reply if new else None)
    return fresh


def _extended(form: SequenceForm, strategies: list[Floats], payoff: Floats) -> Floats:
    """[m0, …, n] the payoffs of all strategies, those that are known being copied."""
    known = payoff.shape[:-1]
    whole = np.zeros((*map(len, strategies), len(strategies)))
    whole[tuple(map(slice, known))] = payoff
    done = np.zeros(whole.shape[:-1], bool)
    done[tuple(map(slice, known))] = True
    at_ends = [part[:, form.ends[:, i]] for i, part in enumerate(strategies)]
    for cell in np.argwhere(~done).tolist():
        check()
        likely = reduce(np.multiply, (part[k] for part, k in zip(at_ends, cell)))
        whole[tuple(cell)] = likely @ form.payoff
    return whole


def _equilibrium(form: SequenceForm, payoff: Floats, context: Context) -> list[Floats] | None:
    """Mixed strategies of the restricted game; None where none was found."""
    if len(form.players) == 2 and form.constant_sum is not None:
        return [part / part.sum() for part in solve_matrix(payoff[..., 0], context)]
    widths = payoff.shape[:-1]
    return Stage(tuple(widths), payoff.reshape(-1, len(widths))).equilibrium()
