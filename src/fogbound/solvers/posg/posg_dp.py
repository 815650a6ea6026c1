"""Dynamic programming for partially observable stochastic games (Hansen, Bernstein and Zilberstein 2004).

From the last step to the first: list every plan that an action and the remaining plans of the next step make (the full
backup), then let the players in turn drop plans that are very weakly dominated, until none is. Before the first step a
matrix game over plans is left. A teaching method: the number of plans grows so fast that few horizons are within reach,
and `sequence-lp` or `team-search` go much further.

Plan q is *very weakly dominated* when at every belief b over (the others' plans × states) some other plan does as well:
when the largest ε with

    Σ_b b (V[q] − V[q']) ≥ ε   for every other plan q'

is not above 0. (The slides of document 003 have the difference the other way round, which asks for one belief at which
*every* other plan is better, and so drops plans that are best elsewhere.) Dropping such plans keeps at least one
equilibrium, and for a team an optimum, but may lose other equilibria.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, LimitError, SpecError, brief
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.arrays import Floats, Ints, Longs
from fogbound.forms.protocol import underlying
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import START, Table
from fogbound.solvers.equilibrium import answer
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.linear_programs.sequence_lp import solve_matrix
from fogbound.solvers.matrix.lemke_howson import follow_path, polytopes

NOBODY = -1  # the list of legal actions of a player who does not move, and the state before the first


@dataclass(frozen=True)
class Plans:
    """One player's plans from one step on: P plans, Z observations.

    Parameters
    ----------
    action : [P]
        The place of the first action among the legal ones.
    after : [P, Z]
        The plan of the next step after each observation; -1 where that cannot be seen.
    legal
        The list of legal actions; NOBODY where the player does not move.
    """

    action: Longs
    after: Longs
    legal: int

    def __len__(self) -> int:
        return len(self.action)

    def only(self, kept: Longs) -> Plans:
        """Those with these numbers."""
        return Plans(self.action[kept], self.after[kept], self.legal)


@dataclass(frozen=True)
class PlanStep:
    """The states in which a step may begin, and what every player may do in all of them alike.

    Parameters
    ----------
    states
        Table states in which somebody moves; (NOBODY,) stands for the moment before the game begins.
    legal : [n]
        Each player's list of legal actions; NOBODY where it does not move.
    """

    states: tuple[int, ...]
    legal: tuple[int, ...]

    def rows(self, game: Table, state: int) -> range:
        """The rows of a state's joint actions, in mixed radix, the last player's action fastest."""
        return range(START, START + 1) if state == NOBODY else range(int(game.row[state]), int(game.row[state + 1]))


def plan_steps(game: Table) -> list[PlanStep]:
    """The steps of a game, the one before it begins first; FormError where legal actions differ within a step."""
    found = [PlanStep((NOBODY,), (NOBODY,) * len(game.players))]
    begun = game.next[: game.out[START + 1]]
    states = np.unique(begun[game.actor_set[begun] != 0])
    while len(states):
        found.append(PlanStep(tuple(states.tolist()), _legal(game, states)))
        outcomes = np.concatenate([np.arange(game.out[game.row[s]], game.out[game.row[s + 1]]) for s in states])
        after = np.unique(game.next[outcomes])
        states = after[game.actor_set[after] != 0]
    return found


def _legal(game: Table, states: Ints) -> tuple[int, ...]:
    listed = []
    for player, name in enumerate(game.players):
        mine = game.actor_set_players[game.actor_set[states]] == player  # [states, W]
        lists = np.where(mine, game.legal[states], NOBODY).max(axis=1)
        unlike = np.flatnonzero(lists != lists[0])
        if len(unlike):
            one, other = game.states[states[0]], game.states[states[unlike[0]]]
            raise FormError(
                f"posg-dp: {game.spec} offers {name} other actions in state {brief(one)} than in {brief(other)} of the "
                "same step; plans need the same in all. sequence-lp has no such limit"
            )
        listed.append(int(lists[0]))
    return tuple(listed)


def all_plans(game: Table, step: PlanStep, player: int, later: int, most: int) -> Plans:
    """Every plan of a player that begins at `step` and goes on with one of `later` plans of the next."""
    legal, shown = step.legal[player], len(game.observations[player])
    size = 1 if legal == NOBODY else int(game.legal_size[legal])
    actions: list[int] = []
    after: list[Longs] = []
    for k in range(size):
        seen = _seen(game, step, player, k)
        made = max(later, 1) ** len(seen)
        if len(actions) + made > most:
            raise LimitError(
                f"posg-dp: {game.spec} has {made:,} plans of {game.players[player]} that begin with one action, over "
                f"the limit of {most:,}. Raise most=, take a shorter horizon, or use sequence-lp or team-search"
            )
        for chosen in itertools.product(range(max(later, 1)), repeat=len(seen)):
            line = np.full(shown, -1)
            line[seen] = chosen
            actions.append(k)
            after.append(line)
    return Plans(np.array(actions), np.array(after).reshape(len(actions), shown), legal)


def _seen(game: Table, step: PlanStep, player: int, place: int) -> list[int]:
    """What the player may see after its own action, whatever the others do."""
    sizes = [1 if legal == NOBODY else int(game.legal_size[legal]) for legal in step.legal]
    found: set[int] = set()
    for state in step.states:
        for joint, row in zip(np.ndindex(*sizes), step.rows(game, state)):
            if joint[player] == place:
                outcomes = slice(game.out[row], game.out[row + 1])
                found.update(game.seen[game.event[outcomes], player].tolist())
    return sorted(found)


def _plan_values(
    game: Table, step: PlanStep, plans: Sequence[Plans], next_step: PlanStep | None, next_worth: Floats
) -> Floats:
    """[plans of 0, plans of 1, …, states, n] what every combination of plans earns each player from each state."""
    number = {state: k for k, state in enumerate(next_step.states)} if next_step else {}
    sizes = [1 if legal == NOBODY else int(game.legal_size[legal]) for legal in step.legal]
    n, discount = len(plans), 1.0 if step.states == (NOBODY,) else game.discount
    total = np.zeros((*map(len, plans), len(step.states), n))
    for joint in np.ndindex(*sizes):
        own = [np.flatnonzero(plan.action == k) for plan, k in zip(plans, joint)]
        place = int(np.ravel_multi_index(joint, sizes))
        for k, state in enumerate(step.states):
            check()
            row = step.rows(game, state)[place]
            here = np.zeros((*map(len, own), n))
            for o in range(int(game.out[row]), int(game.out[row + 1])):
                here += game.prob[o] * game.reward[game.event[o]]
                after = number.get(int(game.next[o]))
                if after is not None:
                    seen = game.seen[game.event[o]]
                    chosen = [plan.after[rows, seen[i]] for i, (plan, rows) in enumerate(zip(plans, own))]
                    here += game.prob[o] * discount * next_worth[..., after, :][np.ix_(*chosen)]
            total[(*np.ix_(*own), np.array(k))] = here
    return total


ADVANTAGE = 1e-9  # of the largest value: less is rounding


def undominated_plans(values: Floats) -> Longs:
    """The numbers of plans such that, at every belief, one of them is best; as few as one finds.

    Lark's filter: a plan that is best somewhere, compared with those found so far, points at a belief; what is best
    there of all is found. Whatever is left at the end is very weakly dominated by those found.

    Parameters
    ----------
    values : [plans, situations]
        What each plan earns in each combination of the others' plans and a state.
    """
    scaled = values / highs.power_of_two(values)
    candidates = dict.fromkeys(range(len(scaled)))
    found = [_best(scaled, np.full(scaled.shape[1], 1.0 / scaled.shape[1]))]
    del candidates[found[0]]
    while candidates:
        check()
        plan = next(iter(candidates))
        margin, belief = witness(scaled, plan, found)
        if margin <= ADVANTAGE:
            del candidates[plan]
            continue
        better = _best(scaled, belief)
        found.append(better if better in candidates else plan)
        del candidates[found[-1]]
    return np.array(sorted(found))


def witness(values: Floats, plan: int, others: list[int]) -> tuple[float, Floats]:
    """(the largest ε, a belief at which `plan` is better than each of `others` by that much)."""
    from scipy.sparse import csr_matrix

    situations = values.shape[1]
    rows = np.hstack([values[plan] - values[others], -np.ones((len(others), 1))])
    solution = highs.maximise(
        np.append(np.zeros(situations), 1.0),
        np.append(np.zeros(situations), -np.inf),
        np.full(situations + 1, np.inf),
        csr_matrix(np.vstack([np.append(np.ones(situations), 0.0), rows])),
        np.append(1.0, np.zeros(len(others))),
        np.append(1.0, np.full(len(others), np.inf)),
    )
    return solution.value, np.maximum(solution.primal[:situations], 0.0)


def _best(values: Floats, belief: Floats) -> int:
    """The best plan at a belief, where several are equally good the one that is best in most situations."""
    earned = values @ belief
    ties = np.flatnonzero(earned >= earned.max() - 1e-12)
    if len(ties) == 1:
        return int(ties[0])
    return int(ties[np.lexsort(values[ties].T)[-1]])


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


def dynamic_programming(game: Table, most: int, keep: Keep = undominated_plans) -> KeptPlans:
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
    listed, n = plan_steps(game), len(game.players)
    plans: list[list[Plans]] = []
    values, counts = np.zeros((1,) * n + (0, n)), []
    for t in range(len(listed) - 1, -1, -1):
        step, later = listed[t], listed[t + 1] if t + 1 < len(listed) else None
        sizes = [len(after) for after in plans[0]] if plans else [0] * n
        new = [all_plans(game, step, i, sizes[i], most) for i in range(n)]
        values = _plan_values(game, step, new, later, values)
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
