"""Dynamic programming for partially observable stochastic games (Hansen, Bernstein and Zilberstein 2004).

From the last step to the first: list every plan that an action and kept plans of the next step make, then let the
players in turn forget plans that are very weakly dominated, until none is. Before the first step what is left is a
matrix game over plans. A teaching method: the number of plans grows so fast that few horizons are within reach, and
`sequence-lp` or `team-search` go much further; it is here because it answers the same question by another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import FormError, SpecError
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.protocol import underlying
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Table
from fogbound.solvers.equilibrium import answer
from fogbound.solvers.linear_programs.sequence_lp import solve_matrix
from fogbound.solvers.matrix.lemke_howson import follow_path, polytopes
from fogbound.solvers.posg.dominance import undominated
from fogbound.solvers.posg.plans import NOBODY, Plans, all_plans, steps, worth

Keep = Callable[[Floats], Longs]


@dataclass(frozen=True)
class PosgDP(Solver[SequenceForm]):
    """An equilibrium of a partially observable stochastic game, by dynamic programming over plans.

    Finite horizon (`horizon(game, steps)`), legal actions that do not differ within a step. Two players, zero-sum or
    not, or a team of any number. Very weakly dominated plans are forgotten: at least one equilibrium is kept, others
    may be lost; for a team an optimum is kept. See Hansen, Bernstein and Zilberstein (2004).

    Parameters
    ----------
    most
        How many plans of one player may be listed in one step.
    """

    name = "posg-dp"

    most: int = 3_000

    form: ClassVar[type[SequenceForm]] = SequenceForm
    finds: ClassVar[str] = "equilibrium"

    def __post_init__(self) -> None:
        if self.most < 1:
            raise SpecError(f"posg-dp: most is {self.most}, expected 1 or more")

    def run(self, form: SequenceForm, context: Context) -> Iterator[Progress]:
        game = underlying(form, Table)
        _require_answerable(form, game)
        trivial = not any(len(plex.sets) for plex in form.plexes)
        if trivial or not _team(game.reward):  # nobody's regret says how far a team is from its best
            yield answer(form, [plex.uniform for plex in form.plexes], {}, iteration=1)
        if trivial:
            return
        made = dynamic_programming(game, self.most)
        mixed = _matrix_game(made.worth, form, context)
        if mixed is None:
            return
        played = [
            plex.behaviour(_realised(form, made.plans, player, weights))
            for player, (plex, weights) in enumerate(zip(form.plexes, mixed))
        ]
        yield answer(form, played, {"plans": made.counts}, iteration=2)


@dataclass(frozen=True)
class KeptPlans:
    """What dynamic programming leaves.

    Parameters
    ----------
    plans
        By step, the one before the game begins first, and by player.
    worth : [plans of 0, plans of 1, …, n]
        What each combination of the first step's plans earns.
    counts
        By step from the last one on and by player: how many plans were listed, how many kept.
    """

    plans: list[list[Plans]]
    worth: Floats
    counts: list[dict[str, Any]]


def dynamic_programming(game: Table, most: int, keep: Keep = undominated) -> KeptPlans:
    """List plans and forget the dominated ones, from the last step to the moment before the first.

    Parameters
    ----------
    game
        The table of a game that ends.
    most
        How many plans of one player may be listed in one step.
    keep
        Which plans stay, given what each earns in each situation ([plans, situations]).
    """
    listed, n = steps(game), len(game.players)
    plans: list[list[Plans]] = []
    values, counts = np.zeros((1,) * n + (0, n)), []
    for t in range(len(listed) - 1, -1, -1):
        step, later = listed[t], listed[t + 1] if t + 1 < len(listed) else None
        sizes = [len(after) for after in plans[0]] if plans else [0] * n
        new = [all_plans(game, step, i, sizes[i], most) for i in range(n)]
        values = worth(game, step, new, later, values)
        first = step.states == (NOBODY,)
        kept, values = (new, values) if first else _forget(new, values, keep)
        counts.append({"listed": [len(p) for p in new], "kept": [len(p) for p in kept]})
        plans.insert(0, kept)
    return KeptPlans(plans, values[..., 0, :], counts[:-1])


def _forget(plans: list[Plans], values: Floats, keep: Keep) -> tuple[list[Plans], Floats]:
    """The players in turn forget dominated plans until nobody can."""
    quiet, player, n = 0, 0, len(plans)
    while quiet < n:
        own = np.moveaxis(values[..., player], player, 0).reshape(len(plans[player]), -1)
        kept = keep(own)
        quiet = quiet + 1 if len(kept) == len(own) else 1
        plans = [plan.only(kept) if i == player else plan for i, plan in enumerate(plans)]
        values = np.take(values, kept, axis=player)
        player = (player + 1) % n
    return plans, values


def _matrix_game(payoff: Floats, form: SequenceForm, context: Context) -> list[Floats] | None:
    """Each player's weights of its plans at an equilibrium of what is left; None where it was stopped."""
    n = payoff.shape[-1]
    if _team(payoff):
        best = np.unravel_index(int(payoff[..., 0].argmax()), payoff.shape[:-1])
        return [np.eye(payoff.shape[i])[k] for i, k in enumerate(best)]
    if form.constant_sum is not None and n == 2:
        return list(solve_matrix(payoff[..., 0], context))
    pair = polytopes(payoff)
    return None if follow_path(pair, 0, context.stopping) is None else [tableau.mixed() for tableau in pair]


def _team(reward: Floats) -> bool:
    return bool((reward == reward[..., :1]).all())


def _require_answerable(form: SequenceForm, game: Table) -> None:
    n = len(form.players)
    if n != 2 and not _team(game.reward):
        raise FormError(
            f"posg-dp: {form.spec} has {n} players with different rewards, expected two players or a team. "
            "For more: cfr, which reports regret"
        )


def _realised(form: SequenceForm, plans: Sequence[Sequence[Plans]], player: int, weights: Floats) -> Floats:
    """[sequences] the realisation weights of a mixture of plans."""
    known, total = form.decisions, np.zeros(form.plexes[player].sequences)
    total[0] = 1.0
    for first in np.flatnonzero(weights > 0).tolist():
        at: dict[int, tuple[int, int]] = {player: (0, first)}  # memory -> step, plan
        for m in range(len(form.players), len(known.memory_up)):
            before = at.get(int(known.memory_up[m]))
            if before is None:
                continue
            step, number = before
            plan = plans[step][player]
            own, seen = divmod(int(known.memory_code[m]), len(known.observations[player]))
            after = int(plan.after[number, seen])
            if after < 0 or step + 1 == len(plans) or own != _label(form, plan, number):
                continue
            at[m] = (step + 1, after)
            infoset = int(known.memory_infoset[m])
            if infoset >= 0:
                total[int(known.set_first[infoset]) + int(plans[step + 1][player].action[after])] += weights[first]
    return total


def _label(form: SequenceForm, plan: Plans, number: int) -> int:
    """1 + the label of a plan's first action; 0 where the player does not move."""
    if plan.legal == NOBODY:
        return 0
    table = underlying(form, Table)
    return 1 + int(table.legal_actions[plan.legal, plan.action[number]])
