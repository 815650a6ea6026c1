"""`correlated`: the best that a mediator can recommend, by one linear program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import FormError, SpecError, brief
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.driver.solver import Solver
from fogbound.evaluation.exploitability import Told, obedience
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm, count_strategies
from fogbound.forms.protocol import derive
from fogbound.forms.sequence import SequenceForm
from fogbound.policies.recommendations import Recommendations
from fogbound.policies.tabular import Tabular
from fogbound.solvers.correlated.extensive import extensive_form, require_two_without_chance
from fogbound.solvers.correlated.obedience import recommended, require_small
from fogbound.solvers.equilibrium import answer
from fogbound.solvers.linear_programs.highs import Cancelled

WELFARE = "welfare"
TOLD = ("nothing", "strategy", "moves")
MOST_LISTED = 100  # draws that an answer lists in words
MEDIATOR = "policies are each player's own part of what is drawn jointly; fb.policies.recommendations has the draws"


@dataclass(frozen=True)
class Correlated(Solver[SequenceForm]):
    """The correlated equilibrium that is best by an objective: a mediator whom nobody gains by disobeying.

    Works on the matrix of pure strategies (Aumann 1974), any number of players; with `extensive` on pairs of sequences,
    for two players without chance (von Stengel and Forges 2008). Which of the many equilibria is shown is what
    `objective` says, and among equals the linear program's choice. Where two players' payoffs have a constant sum each
    one's own part is an optimal strategy, and the bounds are those of the game's value.

    Parameters
    ----------
    objective
        What the mediator maximises: "welfare", the sum of all payoffs, or what one player gets, by name or number.
    coarse
        Players promise obedience before they are told anything: a coarse correlated equilibrium (Moulin and Vial 1978).
    extensive
        Moves are recommended one by one, where they are to be made: an extensive-form correlated equilibrium.
    """

    name = "correlated"

    objective: str = WELFARE
    coarse: bool = False
    extensive: bool = False

    form: ClassVar[type[SequenceForm]] = SequenceForm
    finds: ClassVar[str] = "correlated equilibrium"

    def __post_init__(self) -> None:
        if self.coarse and self.extensive:
            raise SpecError("correlated: coarse and extensive exclude each other, expected one of them at most")

    @property
    def told(self) -> Told:
        """What a player knows when it decides whether to obey."""
        return "nothing" if self.coarse else "moves" if self.extensive else "strategy"

    @property
    def certified_terms(self) -> Mapping[str, Any]:
        return {"told": self.told}

    def run(self, form: SequenceForm, context: Context) -> Iterator[Progress]:
        worth = self._worth(form)
        if len(form.players) < 2:
            raise FormError(
                f"correlated: {form.spec} has one player, expected two or more: there is nobody to correlate with"
            )
        if self.extensive:
            require_two_without_chance(form)
        else:
            require_small(form.spec, tuple(count_strategies(plex) for plex in form.plexes), self.coarse)
        try:
            mediator = (self._by_moves if self.extensive else self._by_strategies)(form, worth, context)
        except Cancelled:
            yield answer(form, [plex.uniform for plex in form.plexes])
            return
        yield self._answer(form, mediator)

    def _worth(self, form: SequenceForm) -> Floats:
        """[players] what the mediator counts of each player's payoff."""
        names = list(form.players)
        if self.objective == WELFARE and WELFARE not in names:
            return np.ones(len(names))
        if self.objective in names or (self.objective.isdecimal() and int(self.objective) < len(names)):
            chosen = names.index(self.objective) if self.objective in names else int(self.objective)
            return np.asarray(np.eye(len(names))[chosen])
        listed = ", ".join([WELFARE, *names])
        raise SpecError(f"correlated: objective is {brief(self.objective)}, expected one of {listed}")

    def _by_strategies(self, form: SequenceForm, worth: Floats, context: Context) -> Recommendations:
        matrix = derive(form, NormalForm)
        weights = recommended(matrix.payoff, (matrix.payoff @ worth).ravel(), self.coarse, context.stopping)
        cells = np.flatnonzero(weights)
        plan = np.zeros((len(cells), len(form.decisions.set_size)), np.int64)
        for own, rows, plex in zip(np.unravel_index(cells, matrix.payoff.shape[:-1]), matrix.weights, form.plexes):
            for h, first, size in zip(plex.sets, plex.first, plex.size):
                plan[:, h] = rows[own, first : first + size].argmax(axis=1)  # 0 where the strategy never comes
        return Recommendations(form, plan, weights[cells])

    def _by_moves(self, form: SequenceForm, worth: Floats, context: Context) -> Recommendations:
        return extensive_form(form, form.payoff @ worth, context.stopping)[0]

    def _answer(self, form: SequenceForm, mediator: Recommendations) -> Progress:
        measured = obedience(mediator, self.told)
        gain = max(measured.regrets)
        parts = [mediator.part(i) for i in range(len(form.players))]
        said: dict[str, Any] = {
            "values": list(measured.values),
            "gain": gain,
            "shown": self._shown(),
            "draws": len(mediator.weight),
            "recommended": [{"strategies": list(w), "probability": p} for w, p in mediator.rows()[:MOST_LISTED]],
        }
        if form.constant_sum is not None and len(form.players) == 2:  # a mediator changes nobody's value
            return answer(form, parts, said)

        def profile() -> dict[int, Strategy]:
            return {i: Tabular(form.decisions, i, part) for i, part in enumerate(parts)}

        told = np.array([TOLD.index(self.told)])
        evidence = Evidence({"plan": mediator.plan, "weight": mediator.weight, "told": told})
        return Progress(
            *(measured.values[0], measured.values[0], measured.best[0], profile, {**said, "mediator": MEDIATOR}, gain),
            evidence=lambda: evidence,
            values=measured.values,
            best=measured.best,
        )

    def _shown(self) -> str:
        """Which of many equilibria."""
        kind = "coarse " if self.coarse else "extensive-form " if self.extensive else ""
        most = "the largest sum of payoffs" if self.objective == WELFARE else f"the most for {self.objective}"
        return f"of all {kind}correlated equilibria one with {most}"
