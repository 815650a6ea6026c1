"""`correlated`: the best that a mediator can recommend, by one linear program (Aumann 1974, 1987).

On the matrix it has one variable a cell: how likely the mediator draws it. A player who is told its strategy must not
gain by another, strategy for strategy; coarsely (Moulin and Vial 1978), one who is told nothing must not gain by any
one strategy. With `extensive` it is the program of `extensive.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import FormError, LimitError, SpecError, brief, many
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.driver.solver import Solver
from fogbound.evaluation.exploitability import Told, obedience
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.normal import NormalForm, count_strategies, shape
from fogbound.forms.protocol import derive
from fogbound.forms.sequence import SequenceForm
from fogbound.policies.recommendations import Recommendations
from fogbound.policies.tabular import Tabular
from fogbound.solvers.correlated.extensive import extensive_form, require_two_without_chance
from fogbound.solvers.equilibrium import answer
from fogbound.solvers.linear_programs import highs

WELFARE = "welfare"
MOST_ENTRIES = 4_000_000  # numbers in the program
DRAWN = 1e-12  # probabilities below are rounding
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
            _require_small(form.spec, tuple(count_strategies(plex) for plex in form.plexes), self.coarse)
        try:
            mediator = (self._by_moves if self.extensive else self._by_strategies)(form, worth, context)
        except highs.Cancelled:
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
        weights = correlated_equilibrium(matrix.payoff, (matrix.payoff @ worth).ravel(), self.coarse, context.stopping)
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


def correlated_equilibrium(
    payoff: Floats, worth: Floats, coarse: bool = False, stopping: Callable[[], bool] | None = None
) -> Floats:
    """[cells] the correlated equilibrium of a matrix [J0, …, n] that is best by `worth` [cells]."""
    from scipy.sparse import csr_matrix, vstack

    scaled = payoff / highs.power_of_two(payoff)
    blocks = [_obedience(scaled[..., i], i, coarse) for i in range(payoff.shape[-1])]
    once: Any = csr_matrix(np.ones((1, worth.size)))
    matrix = vstack([once, *blocks]).tocsr()
    low, high = np.zeros(matrix.shape[0]), np.full(matrix.shape[0], np.inf)
    low[0] = high[0] = 1.0
    cost = worth / highs.power_of_two(worth)
    found = highs.maximise(cost, np.zeros(worth.size), np.ones(worth.size), matrix, low, high, stopping=stopping)
    weights = np.where(found.primal > DRAWN, found.primal, 0.0)
    return np.asarray(weights / weights.sum())


def _entries(widths: tuple[int, ...], coarse: bool) -> int:
    """How many numbers the program has."""
    cells = int(np.prod(widths, dtype=object))
    return sum(cells * (wide if coarse else wide - 1) for wide in widths)


def _require_small(spec: str, widths: tuple[int, ...], coarse: bool) -> None:
    """Refuse a program that would not fit."""
    if _entries(widths, coarse) > MOST_ENTRIES:
        raise LimitError(
            f"correlated: {spec} has {many(shape(list(widths)), 'strategy')}, a program of "
            f"{shape([_entries(widths, coarse)])} numbers, over the limit of {MOST_ENTRIES:,}. For two "
            "players without chance: correlated(extensive=true)"
        )


def _obedience(payoff: Floats, player: int, coarse: bool) -> Any:
    """Rows that must not be negative: what obeying brings more than doing something else instead."""
    from scipy.sparse import csr_matrix

    own = np.moveaxis(payoff, player, 0).reshape(payoff.shape[player], -1)  # [strategies, others' cells]
    places: Longs = np.moveaxis(np.arange(payoff.size).reshape(payoff.shape), player, 0).reshape(own.shape)
    many, rest = own.shape
    more = own[:, None, :] - own[None, :, :]  # [told, does, others' cells]
    told, does = np.indices((many, many))
    keep = np.ones((many, many), bool) if coarse else told != does
    row = does if coarse else told * many + does
    columns = np.broadcast_to(places[:, None, :], more.shape)[keep].ravel()
    rows = np.repeat(row[keep], rest)
    shape = (many if coarse else many * many, payoff.size)
    return csr_matrix((more[keep].ravel(), (rows, columns)), shape=shape)
