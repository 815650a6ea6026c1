"""The exact outcome of a match: no game need be played twice to know it.

Where policies are deterministic and chance never intervenes, one play decides. Otherwise expected returns are solved
for over all situations that occur, and the probability of winning by carrying what was paid along.

The rule for cycles is that of `arena.episode`. With discount 1 a play that cycles for ever is a tie of all, and scores
what had been paid when the first situation (state and memories) came back. With a discount the reward of the cycle is
summed to eternity, and the highest return wins.

The outcome graph of fixed players, and who ends with the highest return in it, exactly.

`forms.induced` merges outcomes that lead to the same point and keeps their mean reward; here each keeps its own, so
that what was paid can be carried along with the state.

Everybody against everybody: the exact outcome of each pair of policies of a two-player game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import fsum
from typing import Any

import numpy as np

from fogbound.arena.episode import MOST_STEPS, Cycle, DeterministicEpisode, deterministic_play
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, LimitError, SpecError, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import AnyPolicy, Strategy, combinations, kinds
from fogbound.evaluation.chain import chain
from fogbound.forms.induced import MOST_POINTS, Arrival, InducedGame
from fogbound.forms.linear_system import factorised
from fogbound.forms.table import Table, enumerate_table
from fogbound.forms.table_simulator import WAIT, TableSimulator

Edge = tuple[int, int, float]  # the point that follows, the table's event, how likely


class OutcomeGraph:
    """What follows on each point when `policies` play; LimitError past `limit` points."""

    def __init__(self, table: Table, policies: Sequence[Strategy], limit: int) -> None:
        game = InducedGame(TableSimulator(table), dict(enumerate(policies)), limit)
        self.start = _edges(game.start())
        self.after = [_edges(game.after(point, WAIT)) for point in game.points]  # grows while it is walked


def _edges(arrivals: Iterable[Arrival]) -> list[Edge]:
    return [(point.number, event, p) for point, event, p in arrivals]


Best = Dist[tuple[int, ...]]  # the players that share the highest return
Returns = tuple[float, ...]
OVER_POINT = -1  # all ends are one
BEFORE = -1  # where play comes from at the start


def best_of(returns: Sequence[float]) -> tuple[int, ...]:
    """The players that share the highest return."""
    return tuple(i for i, paid in enumerate(returns) if paid == max(returns))


def highest_returns(table: Table, policies: Sequence[Strategy], limit: int) -> Best | None:
    """The players that share the highest return, with their probabilities, where play surely ends.

    None where returns can take infinitely many values (something that is paid can come again and again), or past
    `limit` situations: then this way finds no exact answer, and no other is tried.
    """
    try:
        graph = OutcomeGraph(table, policies, limit)
    except LimitError:
        return None
    if _endless(table, graph):
        return None
    paying = _ReturnGraph(table, graph, limit)
    return paying.shares() if paying.explore() else None


def _endless(table: Table, play: OutcomeGraph) -> bool:
    """Whether rewards can come again: some way back to where one came has one, or takes time that fades them."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    size = len(play.after)
    arrows = [(point, to, event) for point, after in enumerate(play.after) for to, event, _ in after]
    if not arrows:
        return False
    tail, head, event = map(np.array, zip(*arrows))
    graph = csr_matrix((np.ones(len(tail)), (tail, head)), shape=(size, size))
    _, part = connected_components(graph, directed=True, connection="strong")
    counts = (table.reward[event] != 0).any(axis=1) | (table.discount < 1)
    return bool(((part[tail] == part[head]) & counts).any())


class _ReturnGraph:
    """Points together with all that was paid until then (and with the step, where a discount counts steps)."""

    def __init__(self, table: Table, play: OutcomeGraph, limit: int) -> None:
        self.play, self.limit, self.discount = play, limit, table.discount
        self.rewards: list[list[float]] = table.reward.tolist()
        self.number: dict[tuple[int, int, Returns], int] = {}
        self.situations: list[tuple[int, int, Returns]] = []
        self.arrows: list[tuple[int, int, float]] = []

    def explore(self) -> bool:
        """Whether all could be found within the limit."""
        for edge in self.play.start:
            self._arrive(BEFORE, edge, 0, (0.0,) * len(self.rewards[0]), 1.0)
        for k, (point, step, paid) in enumerate(self.situations):  # grows while it is walked
            for edge in self.play.after[point] if point != OVER_POINT else ():
                self._arrive(k, edge, step + 1, paid, self.discount**step)
            if len(self.situations) > self.limit:
                return False
        return True

    def _arrive(self, tail: int, edge: Edge, step: int, paid: Returns, scale: float) -> None:
        point, event, chance = edge
        returns = tuple(before + scale * reward for before, reward in zip(paid, self.rewards[event]))
        lasting = bool(self.play.after[point])
        situation = (point if lasting else OVER_POINT, step if lasting and self.discount < 1 else 0, returns)
        head = self.number.setdefault(situation, len(self.situations))
        if head == len(self.situations):
            self.situations.append(situation)
        self.arrows.append((tail, head, chance))

    def shares(self) -> Best:
        """How likely each end is: v = start + v P counts the visits, and an end is visited at most once."""
        from scipy.sparse import csr_matrix

        size, start = len(self.situations), np.zeros(len(self.situations))
        for tail, head, chance in self.arrows:
            if tail == BEFORE:
                start[head] += chance
        inner = [arrow for arrow in self.arrows if arrow[0] != BEFORE]
        tails, heads, chances = zip(*inner) if inner else ((), (), ())
        moves = csr_matrix((chances, (tails, heads)), shape=(size, size))
        visits = factorised(moves.T).solve(start)
        shares: dict[tuple[int, ...], float] = {}
        for (point, _, returns), share in zip(self.situations, visits.tolist()):
            if point == OVER_POINT:
                best = best_of(returns)
                shares[best] = shares.get(best, 0.0) + share
        return Dist(tuple(sorted(shares.items())))


@dataclass(frozen=True)
class RoundRobin:
    """`outcomes[j][k]` is what comes of the j-th policy in player 0 against the k-th in player 1.

    Attributes
    ----------
    spec
        The spec of the game.
    players
        The names of the two players.
    outcomes
        By the policy of player 0, then that of player 1.
    """

    spec: str
    players: tuple[str, ...]
    outcomes: tuple[tuple[ExactOutcome, ...], ...]

    def table(self) -> list[dict[str, Any]]:
        """One plain row a pair, for JSON."""
        return [
            {"row": j, "column": k, **outcome.plain()}
            for j, row in enumerate(self.outcomes)
            for k, outcome in enumerate(row)
        ]


def round_robin(
    game: AnyGame,
    rows: Sequence[Strategy],
    columns: Sequence[Strategy],
    watch: Callable[[int], None] | None = None,
    most_steps: int = MOST_STEPS,
    limit: int = MOST_POINTS,
) -> RoundRobin:
    """The exact outcome of each of `rows` in player 0 against each of `columns` in player 1.

    The game is enumerated once, and a policy that stands in several places meets each other one once. What is not
    known of a pair is None there; see `exact`.

    Parameters
    ----------
    game
        A game of two players.
    rows, columns
        The policies of player 0 and those of player 1.
    watch
        Called with the number of pairs done, after each.
    most_steps, limit
        As `exact` has them.

    Returns
    -------
    RoundRobin
        One exact outcome a pair; `table()` gives them as plain rows.

    Raises
    ------
    FormError
        Where the game is not for two.
    LimitError
        Where it is larger than `limit`.

    Examples
    --------
    >>> import fogbound as fb
    >>> uniform = fb.policies.Uniform()
    >>> pairs = fb.arena.round_robin(fb.game("king-ace"), [uniform], [uniform])
    >>> round(pairs.outcomes[0][0].returns[0], 6)
    0.25
    """
    if len(game.players) != 2:
        raise FormError(f"{game}: {many(len(game.players), 'player')}, expected 2 for a table of pairs")
    form = cache(lambda: enumerate_table(game, limit))
    known: dict[tuple[int, int], ExactOutcome] = {}
    outcomes: list[tuple[ExactOutcome, ...]] = []
    for row in rows:
        line: list[ExactOutcome] = []
        for column in columns:
            pair = (id(row), id(column))
            if pair not in known:
                known[pair] = outcome(game, (row, column), form, most_steps, limit)
            line.append(known[pair])
            if watch:
                watch(len(outcomes) * len(columns) + len(line))
        outcomes.append(tuple(line))
    return RoundRobin(str(game), tuple(game.players), tuple(outcomes))


VARIES = "varies"


@dataclass(frozen=True)
class ExactOutcome:
    """What comes of a match; None stands for what is not known exactly, never for an estimate.

    Attributes
    ----------
    players
        How many players there are.
    returns
        The expected returns; None where some play of several never ends, which has no value.
    best
        The players that share the highest return, and how likely they do.
    steps
        The expected steps; until the first situation comes back where play cycles.
    ended
        ``over``, ``cycle``, ``faded`` (discounted to nothing) or ``varies``.
    cycle
        The cycle, where one play decides and it cycles.
    one_play
        Whether nothing is drawn: playing more games would show the same.
    lost
        Who met something that its controller was not made for, where one play decides.
    """

    players: int
    returns: tuple[float, ...] | None
    best: Best | None
    steps: float | None
    ended: str
    cycle: Cycle | None = None
    one_play: bool = False
    lost: tuple[bool, ...] = ()

    @property
    def winner(self) -> int | None:
        """The player that surely has the highest return, alone."""
        sole = self.best.support() if self.best is not None else ()
        return sole[0][0] if len(sole) == 1 and len(sole[0]) == 1 else None

    @property
    def tied(self) -> float | None:
        """How likely several share the highest return."""
        return None if self.best is None else fsum(p for seats, p in self.best if len(seats) > 1)

    def wins(self, ties: str = "split") -> tuple[float, ...] | None:
        """How likely each player wins; a tie is shared (split), or goes to the first seat of them (first)."""
        if ties not in ("split", "first"):
            raise SpecError(f"exact: ties is {ties!r}, expected split or first")
        if self.best is None:
            return None
        won = [0.0] * self.players
        for seats, p in self.best:
            for i in seats if ties == "split" else seats[:1]:
                won[i] += p / (len(seats) if ties == "split" else 1)
        return tuple(won)

    def plain(self) -> dict[str, Any]:
        """Lists, numbers and words alone, for JSON."""
        best = None if self.best is None else [{"players": list(seats), "chance": p} for seats, p in self.best]
        return {
            "returns": None if self.returns is None else list(self.returns),
            "winner": self.winner,
            "best": best,
            "ended": self.ended,
            "cycle": None if self.cycle is None else self.cycle._asdict(),
            "steps": self.steps,
            "one_play": self.one_play,
        }


def exact(
    game: AnyGame, policies: Sequence[Strategy], most_steps: int = MOST_STEPS, limit: int = MOST_POINTS
) -> ExactOutcome:
    """What comes of `policies` playing `game`, one a player; mixtures are averaged over their kinds.

    One play that decides is followed by the rules alone. Everything else needs the game's table, and then the
    expected returns are the solution of a linear system over (state, memories), so cycles do no harm.

    Parameters
    ----------
    game
        The rules.
    policies
        One a player, in the players' order.
    most_steps
        For how many steps a play without chance is followed.
    limit
        How many states, and how many pairs of a state and the players' memories, there may be.

    Returns
    -------
    ExactOutcome
        Expected returns, who has the highest return and how likely, and how play ends. What is not known of it, as
        the returns of play that never ends where nothing is discounted, is None.

    Raises
    ------
    LimitError
        Where the game is larger than `limit`, or one play is longer than `most_steps`.

    Examples
    --------
    >>> import fogbound as fb
    >>> result = fb.arena.exact(fb.game("king-ace"), [fb.policies.Uniform()] * 2)
    >>> round(result.returns[0], 6), result.steps
    (0.25, 1.5)
    """
    return outcome(game, policies, cache(lambda: enumerate_table(game, limit)), most_steps, limit)


def outcome(
    game: AnyGame, policies: Sequence[Strategy], form: Callable[[], Table], most_steps: int, limit: int
) -> ExactOutcome:
    """The same where the table is made elsewhere: `form` is only called when it is needed."""
    if len(policies) != len(game.players):
        raise FormError(f"{game}: {many(len(policies), 'policy')} for {many(len(game.players), 'player')}")
    parts: list[tuple[ExactOutcome, float]] = []
    for kept, weight in combinations(policies):
        play = deterministic_play(game, kept, most_steps)
        parts.append((_expected(form(), kept, limit) if play is None else _decided(play), weight))
    return parts[0][0] if len(parts) == 1 else _averaged(parts)


def only_play(game: AnyGame, policies: Sequence[Strategy], most_steps: int = MOST_STEPS) -> ExactOutcome | None:
    """The outcome where one play decides, from the rules alone; None where anything is drawn."""
    listed = [[kind for kind, p in kinds(policy) if p > 0] for policy in policies]
    if any(len(some) > 1 for some in listed):
        return None
    play = deterministic_play(game, [kind for (kind,) in listed], most_steps)
    return None if play is None else _decided(play)


def _decided(play: DeterministicEpisode) -> ExactOutcome:
    endless = play.ended == "cycle" and play.game.discount == 1
    best = tuple(range(len(play.returns))) if endless else best_of(play.returns)
    lost = tuple(play.lost)
    return ExactOutcome(len(lost), tuple(play.returns), Dist.sure(best), play.count, play.ended, play.cycle, True, lost)


def _expected(form: Table, policies: list[AnyPolicy], limit: int) -> ExactOutcome:
    """Expected returns where several plays are possible."""
    players = len(policies)
    try:
        solved = chain(form, dict(enumerate(policies)), limit)
    except FormError:  # with discount 1 some play never ends
        return ExactOutcome(players, None, None, None, VARIES)
    best = highest_returns(form, policies, limit)
    if form.discount < 1:
        return ExactOutcome(players, solved.values, best, None, VARIES)
    first = slice(0, solved.product.out[1])
    steps = float(solved.product.prob[first] @ solved.steps[solved.product.next[first]])
    return ExactOutcome(players, solved.values, best, steps, "over")


def _averaged(parts: list[tuple[ExactOutcome, float]]) -> ExactOutcome:
    """The mean over the kinds that mixtures may turn out to be; unknown where one part is."""
    returns, shares = [part.returns for part, _ in parts], dict[tuple[int, ...], float]()
    weights = [weight for _, weight in parts]
    known = [paid for paid in returns if paid is not None]
    mean = tuple(fsum(w * r for w, r in zip(weights, column)) for column in zip(*known))
    for part, weight in parts:
        for seats, p in part.best or ():
            shares[seats] = shares.get(seats, 0.0) + weight * p
    steps = [part.steps for part, _ in parts if part.steps is not None]
    ends = {part.ended for part, _ in parts}
    return ExactOutcome(
        parts[0][0].players,
        mean if len(known) == len(parts) else None,
        Dist(tuple(sorted(shares.items()))) if all(part.best is not None for part, _ in parts) else None,
        fsum(w * s for w, s in zip(weights, steps)) if len(steps) == len(parts) else None,
        ends.pop() if len(ends) == 1 else VARIES,
    )
