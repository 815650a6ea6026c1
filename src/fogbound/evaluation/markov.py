"""Ways to play a Markov game, evaluated exactly: values and best replies at every state, so also regret there.

With the others' policies fixed a player faces a Markov decision process; its value is found by policy iteration
(Howard 1960), each step a sparse linear system. A profile is an equilibrium from every state on (Markov perfect)
exactly where no player regrets anything in any state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from fogbound.core.errors import FormError, LimitError, brief
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy, kinds
from fogbound.core.profile import Profile, as_profile
from fogbound.forms.arrays import Floats, Longs, summed
from fogbound.forms.induced import moves as legal_moves
from fogbound.forms.linear_system import factorised
from fogbound.forms.markov import MarkovGame, own_places, require_discounted
from fogbound.forms.protocol import Form, derive
from fogbound.policies.perfect_information import MarkovPolicy

FILLED, MOST_DENSE = 0.002, 3_000  # a matrix of so few states with so many entries is solved dense: its factors fill
ROUNDING = 1e-13  # of the largest value: no action is called better for less
MOST_ROUNDS = 1_000  # of policy iteration, which takes about ten
MOST_PAIRS = 1_000_000  # of a state and what a policy remembers there

Played = Sequence[Floats]  # for each player, the probability of each of its choices


@dataclass(frozen=True, eq=False)
class MarkovValues:
    """What a profile earns in every state, and what a best reply would; from the start: `values`, `best_values`.

    `values`, `best_values` are the same from the start, `regret` is the largest difference in any state.

    Attributes
    ----------
    form
        The Markov game.
    value : [S, n]
        The value of the profile to each player, from each state on.
    best : [S, n]
        The value of each player's best reply, likewise.
    """

    form: MarkovGame = field(repr=False)
    value: Floats = field(repr=False)  # [S, n]
    best: Floats = field(repr=False)  # [S, n]

    @property
    def values(self) -> tuple[float, ...]:
        return from_start(self.form, self.value)

    @property
    def best_values(self) -> tuple[float, ...]:
        return from_start(self.form, self.best)

    @property
    def regret(self) -> float:
        """The most that anybody could gain by deviating, in any state."""
        return float(np.maximum(self.best - self.value, 0.0).max(initial=0.0))


def from_start(form: MarkovGame, value: Floats) -> tuple[float, ...]:
    """[S, n] values of states as each player's value of the game."""
    return tuple((form.paid + form.start @ value).tolist())


def markov_values(game: AnyGame | Form, profile: Profile | Played) -> MarkovValues:
    """Evaluate a profile of a Markov game at every state, and best replies to it.

    Parameters
    ----------
    game
        The game, or a form of it.
    profile
        How every player plays: a solution, a dict by player, a list, or arrays over the choices of each player.

    Returns
    -------
    MarkovValues

    Raises
    ------
    FormError
        It is no Markov game, a policy depends on more than the state, or the game is not discounted and need not end.

    Examples
    --------
    >>> import fogbound as fb
    >>> throws = fb.evaluation.markov_values(fb.game("rock-paper-scissors"), [fb.policies.Uniform()] * 2)
    >>> [round(v, 6) for v in throws.values], round(throws.regret, 6)
    ([0.5, 0.5], 0.0)
    """
    form = derive(game, MarkovGame)
    require_discounted(form, "evaluate")
    played = markov_behaviours(form, profile)
    value = chain_values(form, joint_weights(form, played))
    best = [best_reply(form, played, i, value[:, i])[0] for i in range(len(form.players))]
    return MarkovValues(form, value, np.stack(best, axis=1))


def joint_weights(form: MarkovGame, played: Played, without: int = -1) -> Floats:
    """[R] how likely each row is played in its state; `without` one player, as though it had chosen it."""
    weight = np.ones(len(form.reward))
    for i, probabilities in enumerate(played):
        if i != without:
            weight *= probabilities[form.choice[:, i]]
    return weight


def chain_values(form: MarkovGame, weight: Floats) -> Floats:
    """[S, n] v = r + discount P v, where rows are played as likely as `weight` says."""
    moves = _gathered(form, form.state_of, weight, form.size)
    reward = np.stack([summed(form.state_of, weight * r, form.size) for r in form.reward.T], axis=1)
    return linear_values(moves, reward, form.discount, form.live)


def _gathered(form: MarkovGame, group: Longs, weight: Floats, groups: int) -> Any:
    """[groups, S] what follows the rows of each group, added up by their weights: dense where that is small."""
    if form.dense is not None:
        total = np.zeros((groups, form.size))
        np.add.at(total, group, weight[:, None] * form.dense)
        return total
    from scipy.sparse import csr_matrix

    rows = np.arange(len(group))
    return csr_matrix((weight, (group, rows)), shape=(groups, len(rows))) @ form.moves


def linear_values(moves: Any, reward: Floats, discount: float, live: Any) -> Floats:
    """v = reward + discount moves v in the states where play goes on; 0 elsewhere. Small systems are solved dense."""
    value, size = np.zeros_like(reward), len(reward)
    if isinstance(moves, np.ndarray) or (size <= MOST_DENSE and moves.nnz > FILLED * size * size + 3 * size):
        whole = moves if isinstance(moves, np.ndarray) else moves.toarray()
        inner = whole if live.all() else whole[np.ix_(live, live)]
        value[live] = np.linalg.solve(np.eye(len(inner)) - discount * inner, reward[live])
        return value
    if live.all():
        return np.asarray(factorised(discount * moves).solve(reward))
    kept = np.flatnonzero(live)
    value[kept] = factorised(discount * moves[kept][:, kept]).solve(reward[kept])
    return value


def best_reply(form: MarkovGame, played: Played, player: int, guess: Floats | None = None) -> tuple[Floats, Longs]:
    """([S] the value of a best reply to what the others play, the choice that it makes in each state).

    `guess` [S] may be values to begin from.
    """
    moves, reward = reply_process(form, played, player)
    return optimal(form.first[player], moves, reward, form.discount, guess)


def reply_process(form: MarkovGame, played: Played, player: int) -> tuple[Any, Floats]:
    """The decision process that a player faces: ([choices, S] what follows, [choices] what is paid)."""
    own, weight = form.choice[:, player], joint_weights(form, played, without=player)
    choices = int(form.first[player][-1])
    return _gathered(form, own, weight, choices), summed(own, weight * form.reward[:, player], choices)


def guaranteed(form: MarkovGame, played: Played, player: int, guess: Floats | None = None) -> Floats:
    """[S] what one of two players' way to play guarantees it: the other minimises. `guess` [S] may be values so far."""
    other = 1 - player
    own, weight = form.choice[:, other], joint_weights(form, played, without=other)
    moves, _ = reply_process(form, played, other)
    cost = -summed(own, weight * form.reward[:, player], int(form.first[other][-1]))
    return -optimal(form.first[other], moves, cost, form.discount, None if guess is None else -guess)[0]


def optimal(
    first: Longs, moves: Any, reward: Floats, discount: float, guess: Floats | None = None
) -> tuple[Floats, Longs]:
    """Policy iteration: ([S] the optimal values of a decision process, the action that is best in each state).

    The actions of state s are first[s] to first[s + 1] - 1; a state without any is an end. Begins with what is best
    when `guess` follows.
    """
    size = len(first) - 1
    live = np.diff(first) > 0
    begins, value = first[:-1][live], np.zeros(size)
    if not live.any():
        return value, np.zeros(0, np.int64)
    owner = np.repeat(np.arange(len(begins)), np.diff(first)[live])
    ahead = reward if guess is None else reward + discount * (moves @ guess)
    chosen = _first_best(ahead, begins, owner)
    for _ in range(MOST_ROUNDS):
        rows = np.zeros(size, np.int64)
        rows[live] = chosen
        value = linear_values(moves[rows], np.where(live, reward[rows], 0.0), discount, live)
        ahead = reward + discount * (moves @ value)
        best = np.maximum.reduceat(ahead, begins)
        slack = ROUNDING * max(float(np.abs(value).max()), float(np.abs(reward).max()))
        better = best > ahead[chosen] + slack
        if not better.any():
            break
        chosen = np.where(better, _first_best(ahead, begins, owner), chosen)
    return value, chosen


def _first_best(ahead: Floats, begins: Longs, owner: Longs) -> Longs:
    """The first best action of each state."""
    best = np.maximum.reduceat(ahead, begins)
    hits = np.flatnonzero(ahead >= best[owner])
    return hits[np.searchsorted(owner[hits], np.arange(len(begins)))]


def steps_ahead(form: MarkovGame) -> Floats:
    """[S] the most steps that can be expected to remain, whatever is done: where nothing is discounted."""
    return optimal(form.row, form.moves, np.ones(len(form.reward)), 1.0)[0]


def markov_behaviours(form: MarkovGame, profile: Profile | Played) -> list[Floats]:
    """For each player, the probability of each of its choices under `profile`."""
    if isinstance(profile, Sequence) and all(isinstance(one, np.ndarray) for one in profile):
        return [np.asarray(one, np.float64) for one in profile]
    policies = as_profile(profile, len(form.players))  # type: ignore[arg-type]
    return [markov_behaviour(form, i, policies[i]) for i in range(len(form.players))]


def markov_behaviour(form: MarkovGame, player: int, policy: Strategy) -> Floats:
    """The probability of each choice under a policy; FormError where that depends on more than the state.

    Parameters
    ----------
    form
        The Markov game.
    player
        Whose policy, by index.
    policy
        Any policy whose memory makes no difference once the state is known.

    Returns
    -------
    array
        [choices of the player]

    Examples
    --------
    >>> import fogbound as fb
    >>> form = fb.forms.markov(fb.game("rock-paper-scissors"))
    >>> fb.evaluation.markov_behaviour(form, 0, fb.policies.Uniform()).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    if isinstance(policy, MarkovPolicy) and policy.form is form and policy.player == player:
        return policy.played
    if len(kinds(policy)) > 1:
        raise FormError(f"{form.spec}: {form.players[player]} plays a mixture, which remembers more than the state")
    return _Reading(form, player, next(iter(kinds(policy)))[0]).run()


class _Reading:
    """A walk over all (state, memory) that can occur, whatever everybody does."""

    def __init__(self, form: MarkovGame, player: int, policy: Any) -> None:
        self.form, self.player, self.policy = form, player, policy
        self.table, self.number = form.enumerated
        self.played = np.zeros(int(form.first[player][-1]))
        self.read: dict[int, list[float]] = {}

    def run(self) -> Floats:
        form, after = self.form, self._successors()
        waits = np.flatnonzero(form.live & (form.legal[:, self.player] < 0))
        self.played[form.first[self.player][waits]] = 1.0
        seen_as = self.table.observations[self.player]
        fresh = [(to, self.policy.begin(seen_as[seen])) for _, seen, arrived in after.pop(-1) for to in arrived]
        met = set(fresh)
        while fresh:
            state, memory = fresh.pop()
            offered = self._act(state, memory)
            for place, seen, arrived in after.get(state, ()):
                did = offered[place] if place >= 0 else None
                later = self.policy.update(memory, did, seen_as[seen])
                pairs = [(to, later) for to in arrived if (to, later) not in met]
                met.update(pairs)
                fresh += pairs
            if len(met) > MOST_PAIRS:
                raise LimitError(f"{form.spec}: over {MOST_PAIRS:,} memories, so nobody can say what depends on states")
        return self.played

    def _act(self, state: int, memory: Any) -> tuple[Any, ...]:
        """Note what is played in a state of the table, and return what is offered there."""
        at = int(self.number[state])
        offered = self.form.actions(at, self.player)
        if not offered:
            return offered
        chances = [0.0] * len(offered)
        for place, p in legal_moves(self.policy, memory, offered):
            chances[place] += p
        if self.read.setdefault(at, chances) != chances:
            raise FormError(
                f"{self.form.spec}: {self.form.players[self.player]}'s policy is no Markov policy: in state "
                f"{brief(self.form.states[at])} it depends on what happened before"
            )
        first = self.form.first[self.player]
        self.played[first[at] : first[at + 1]] = chances
        return offered

    def _successors(self) -> dict[int, list[tuple[int, int, list[int]]]]:
        """By state (-1: the start), (own move, what is seen, states that may follow), ends left out."""
        table = self.table
        owner = np.repeat(np.arange(len(table.out) - 1), np.diff(table.out))
        before = np.concatenate([[-1], np.repeat(np.arange(table.size), np.diff(table.row))])[owner]
        columns = (before, own_places(table, self.player)[owner], table.seen[table.event, self.player], table.next)
        going = table.actor_set[table.next] > 0
        lines = np.unique(np.stack(columns, axis=1)[going], axis=0).tolist()
        after: dict[int, list[tuple[int, int, list[int]]]] = {-1: []}
        for (state, place, seen), group in groupby(lines, key=lambda line: tuple(line[:3])):
            after.setdefault(state, []).append((place, seen, [line[3] for line in group]))
        return after
