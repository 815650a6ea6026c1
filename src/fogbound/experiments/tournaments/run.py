"""A tournament played: blocks one after the other, by whoever computes, until there are enough or all is decided.

Entrants of a tournament from whatever people hold policies in.

Between what the return of each player lies, whatever is played: journals and strengths are held against it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from fogbound.arena.episode import MOST_STEPS, SplitStreams, play_episode
from fogbound.arena.match import TIES, Match, cheap_table, decide, expect, job_size, match_results, shared, winners
from fogbound.core.cancel import check
from fogbound.core.errors import FormError, LimitError, SpecError, Stopped, brief
from fogbound.core.game import AnyGame
from fogbound.core.identity import VERSIONS, Inputs, packages
from fogbound.core.policy import Strategy
from fogbound.driver.clock import Clock
from fogbound.driver.protocol import TraceEntry
from fogbound.experiments.tournaments import result
from fogbound.experiments.tournaments.journal import ANY_PAYOFF, Block, block_row, row_block, tournament_journal
from fogbound.experiments.tournaments.result import DECIDED, SCORE, WINS, Results, Tournament, compared_block
from fogbound.experiments.tournaments.sequential import Race, ScoreRace
from fogbound.experiments.tournaments.strength import ALL, Seating, seatings
from fogbound.forms.path_totals import return_ranges
from fogbound.forms.table import Table
from fogbound.naming.policies import PolicyLike, policy
from fogbound.parallel import Engine, processes
from fogbound.parallel.journal import Row, RunJournal
from fogbound.parallel.shards import Shard

CHUNK = 25  # blocks a job where several processes play and no policy thinks
WRITE_EVERY = 1.0  # seconds between two writings of the journal
FEW = 2  # deals before which there is nothing to sum up: one has no interval
ENDED = ("deals", "seconds", DECIDED)  # what is over, and not left early
Field = Sequence[Callable[[int], Strategy]]  # an entrant: its policy for each seat
SoFar = Callable[[Callable[[], Tournament]], None]  # is handed what sums up the deals so far


@dataclass(frozen=True)
class Stop:
    """When a tournament is over, whichever comes first.

    Parameters
    ----------
    deals
        So many deals, each under every seating.
    seconds
        So much time; the block that is played then is finished.
    decided
        When it is known of every pair who has more ``"wins"``, or who has the higher ``"score"``; never where it is
        empty. The test may be looked at after every deal: see `tournaments.sequential`.

    Examples
    --------
    >>> Stop(deals=100, decided="wins")
    Stop(deals=100, seconds=inf, decided='wins')
    """

    deals: int = 1_000
    seconds: float = math.inf
    decided: str = ""


def run_tournament(
    game: AnyGame,
    field: Field,
    names: Sequence[str],
    *,
    stop: Stop | None = None,
    seed: int = 0,
    ties: str = "split",
    rule: str = ALL,
    most_steps: int = MOST_STEPS,
    watch: Callable[[int], None] | None = None,
    standing: SoFar | None = None,
    workers: int = 1,
    engine: Engine | None = None,
    resume: str | os.PathLike[str] | None = None,
    shard: Shard | None = None,
    identities: Sequence[str] | None = None,
    inputs: Inputs | None = None,
    exact: bool = True,
) -> Tournament:
    """Let entrants play the same deals in each other's seats.

    Where the outcome of every seating can be computed cheaply no game is played. Otherwise each deal is played under
    every seating, chance and each seat drawing from streams of their own. The result does not depend on the number of
    `workers`, nor on the engine, nor on how often the tournament was interrupted and gone on with.

    Parameters
    ----------
    game
        The rules.
    field
        For each entrant a function from a seat to its policy there.
    names
        What the entrants are called.
    stop
        How long it goes on; 1,000 deals unless given.
    seed
        Of all deals.
    ties
        ``"split"`` shares a win between those who tie, ``"first"`` gives it to the first seat of them.
    rule
        Whether ``"all"`` seatings are played, or the one ``"given"``.
    most_steps
        At how many steps a game is cut off; it then counts as a tie of all.
    watch
        Called with the number of deals played so far.
    standing
        Called after each deal with a function that sums up what was played so far: not every deal is worth it.
    workers
        How many processes play.
    engine
        Who plays instead, such as `parallel.ray("auto")`.
    resume
        A journal: gone on from where it exists, and kept up as deals are played; none where no game is played.
    shard
        Play only this share of the deals; the result is that of these, and the journals of all shares merge to that of
        the whole tournament.
    identities
        The specs or files by which the journal knows the entrants; their names unless given.
    inputs
        The files of the game and of the entrants, by content: a journal of others is refused.
    exact
        Whether outcomes are computed where that is cheap; otherwise games are played everywhere.

    Returns
    -------
    Tournament

    Raises
    ------
    SpecError
        For unknown rules, fewer than one deal, or a share of what cannot be shared out.
    FileError
        For a journal that is damaged or of another tournament.

    Examples
    --------
    >>> import fogbound as fb
    >>> uniform = fb.policies.Uniform()
    >>> result = tournament(fb.game("king-ace"), [lambda seat: uniform] * 2, ["one", "two"])
    >>> result.exact, result.entrants[0].wins
    (True, 0.5)
    """
    stop = stop or Stop()
    _require_rules(ties, stop)
    deals = [deal for deal in range(stop.deals) if shard is None or shard.has(deal)]
    _require_shareable(shard, deals, stop, resume)
    seated = seatings(len(field), len(game.players), rule)
    tables = _tables(field, seated)
    sum_up = partial(result.tournament_results, str(game), tuple(game.players), names, seated, rule, ties)
    known = _known(game, tables, names, seated, ties, most_steps) if exact else None
    if known is not None:
        sent = (engine or processes(workers)).sends
        _refuse_unused(shard=shard, decided=stop.decided, engine=sent)
        if standing:
            standing(lambda: sum_up(known))
        return sum_up(known)
    played = _Played(game, seated, len(field), ties, stop, len(deals))

    def seen(done: int) -> None:
        if watch:
            watch(done)
        if standing and done >= FEW:
            standing(lambda: sum_up(played.results(names)))

    table = _Table((game, tables, int(seed), most_steps), engine or processes(workers), seen)
    with _journal(resume, game, identities or names, seated, seed, most_steps, inputs or {}) as kept:
        _play_on(played, deals, table, kept)
    return sum_up(played.results(names))


def _refuse_unused(**given: object) -> None:
    """Refuse what only games that are played could have a use for."""
    words = {"engine": "an engine with several processes (--workers)"}
    for name, value in given.items():
        if value:
            raise SpecError(
                f"tournament: outcomes are computed here and no game is played, so {words.get(name, f'{name}=')} has "
                "no effect: leave it out, or play games (--sampled, exact=False in Python)"
            )


def _require_rules(ties: str, stop: Stop) -> None:
    """Refuse ways to count, and ends, that there are not."""
    if ties not in TIES:
        raise SpecError(f"tournament: ties is {ties!r}, expected split or first")
    if stop.deals < 1:
        raise SpecError(f"tournament: {stop.deals} deals, expected at least 1")
    if stop.decided not in ("", WINS, SCORE):
        raise SpecError(f"tournament: decided is {stop.decided!r}, expected wins or score")


def _tables(field: Field, seated: Sequence[Seating]) -> list[tuple[Strategy, ...]]:
    """The policies of each seating by seat; an entrant is made once for every seat that it takes."""
    policies = {(e, i): field[e](i) for e, i in sorted({(e, i) for seating in seated for i, e in enumerate(seating)})}
    return [tuple(policies[e, i] for i, e in enumerate(seating)) for seating in seated]


def _journal(
    path: str | os.PathLike[str] | None,
    game: AnyGame,
    identities: Sequence[str],
    seated: Sequence[Seating],
    seed: int,
    most_steps: int,
    inputs: Inputs,
) -> RunJournal | nullcontext[None]:
    """The journal of a tournament, which says all that its games depend on; none where none is named."""
    if path is None:
        return nullcontext()
    about = {
        "game": str(game),
        "players": list(game.players),
        "entrants": list(identities),
        "seatings": [list(seating) for seating in seated],
        "seed": int(seed),
        "most_steps": int(most_steps),
        "inputs": {VERSIONS: packages(), **{role: files for role, files in inputs.items() if files}},
        "payoffs": payoff_ranges(cheap_table(game), most_steps) or ANY_PAYOFF * len(game.players),
    }
    return tournament_journal(path, about)


def _known(
    game: AnyGame,
    tables: Sequence[tuple[Strategy, ...]],
    names: Sequence[str],
    seated: Sequence[Seating],
    ties: str,
    most_steps: int,
) -> Results | None:
    """Exact results of all seatings; None as soon as one of them has none that is cheap."""
    form, wins, returns, rows = cheap_table(game), [], [], []
    for policies, seating in zip(tables, seated):
        known = decide(game, policies, most_steps) or expect(game, policies, form)
        won = known.wins(ties) if known else None
        if known is None or won is None or known.returns is None:
            return None
        standings = tuple(result.standing(names[e], w, r) for e, w, r in zip(seating, won, known.returns))
        wins.append(won)
        returns.append(known.returns)
        rows.append(Match(0, ties, 0, 0, 0, standings, exact=known))
    ranges = payoff_ranges(form, most_steps)
    return Results(np.array([wins]), np.array([returns]), rows, "exact", largest_lead(ranges) if ranges else None)


def _require_shareable(shard: Shard | None, deals: Sequence[int], stop: Stop, resume: object) -> None:
    """Refuse a share of a tournament whose end depends on deals that others play, or that nobody could merge."""
    if shard is not None and resume is None:
        raise SpecError("tournament: a shard needs resume=, a journal of its own that can be merged with the others'")
    if shard is not None and stop.decided:
        raise SpecError("tournament: decided needs all deals in their order, and a shard has only some of them")
    if not deals:
        raise SpecError(f"tournament: shard {shard} has none of {stop.deals} deals, expected fewer shares than deals")


class _Played:
    """The blocks so far, and whether they are enough."""

    def __init__(
        self, game: AnyGame, seated: Sequence[Seating], entrants: int, ties: str, stop: Stop, deals: int
    ) -> None:
        self.deals = deals
        self.game, self.seated, self.entrants, self.ties, self.stop = game, seated, entrants, ties, stop
        self.blocks: list[Block] = []
        self.wins: list[list[list[float]]] = []  # [block][seating][seat]
        kind = ScoreRace if stop.decided == SCORE else Race
        self.race: Race | ScoreRace = kind(len(list(combinations(range(entrants), 2))))
        self.stopped = ""

    def add(self, block: Block) -> None:
        """One more block, unless it is already over."""
        if self.stopped:
            return
        seats = len(self.game.players)
        won = [shared(winners(self.game, played), seats, self.ties) for played in block]
        self.blocks.append(block)
        self.wins.append(won)
        if self.stop.decided:
            values = won if self.stop.decided == WINS else [played.returns for played in block]
            self.race.add(compared_block(values, self.stop.decided, self.seated, self.entrants))
            self.stopped = DECIDED if self.race.decided() else ""
        if not self.stopped and len(self.blocks) >= self.deals:
            self.stopped = "deals"

    def results(self, names: Sequence[str]) -> Results:
        rows = [
            match_results(self.game, [block[r] for block in self.blocks], self.ties, [names[e] for e in seating])
            for r, seating in enumerate(self.seated)
        ]
        returns = np.array([[played.returns for played in block] for block in self.blocks])
        return Results(np.array(self.wins), returns, rows, self.stopped)


Shared = tuple[AnyGame, Sequence[tuple[Strategy, ...]], int, int]


@dataclass(frozen=True)
class _Table:
    """Where deals are played: what all of them share, who plays, and who is told how many there are."""

    shared_by_all: Shared
    engine: Engine
    seen: Callable[[int], None]


def _play_on(played: _Played, deals: Sequence[int], table: _Table, kept: RunJournal | None) -> None:
    """Play until it is over; what there is when somebody presses Ctrl-C, or workers are lost, is kept.

    Deals are written in their order. Whoever leaves early keeps those as well that were done before their turn, unless
    the end depends on the order: then nobody may know more than those who were not interrupted.
    """
    clock, fresh, written = Clock(), dict[int, Row](), 0.0
    known = dict(kept.rows) if kept else {}
    ahead: dict[int, Row] = {}  # deals that are done before their turn
    blocks = _blocks(table, deals, known, ahead.__setitem__ if kept else None)
    try:
        while not played.stopped:
            deal, block = next(blocks)
            played.add(block)
            if kept and deal not in known:
                fresh[deal] = ahead.pop(deal)
            table.seen(len(played.blocks))
            if not played.stopped and clock.elapsed() >= played.stop.seconds:
                played.stopped = "seconds"
            if kept and clock.elapsed() - written >= WRITE_EVERY:
                kept.add(fresh)
                fresh, written = {}, clock.elapsed()
    except (KeyboardInterrupt, Stopped) as left:
        if not played.blocks:
            raise
        played.stopped = left.reason if isinstance(left, Stopped) else str(left) or "interrupted"
    finally:
        blocks.close()
        if kept:
            early = played.stopped not in ENDED and not played.stop.decided
            kept.add({**fresh, **ahead} if early else fresh)
            kept.settle()


def _blocks(
    table: _Table, deals: Sequence[int], known: Mapping[int, Row], note: Callable[[int, Row], None] | None
) -> Generator[tuple[int, Block], None, None]:
    """The blocks of these deals, in order, whoever plays them; those that a journal knows are not played again.

    Who is to `note` rows is told of every deal as soon as it is done, in whatever order.
    """
    size = job_size((one for seated in table.shared_by_all[1] for one in seated), table.engine, CHUNK)
    left = [deal for deal in deals if deal not in known]
    parts = [left[k : k + size] for k in range(0, len(left), size)]

    def done(number: int, part: list[Block]) -> None:
        for deal, block in zip(parts[number], part):
            if note:
                note(deal, block_row(block))

    played = table.engine.map(_part, parts, table.shared_by_all, done)
    fresh = (block for part in played for block in part)
    try:
        for deal in deals:
            yield deal, row_block(known[deal]) if deal in known else next(fresh)
    finally:
        played.close()


def _part(shared_by_all: Shared, deals: Iterable[int]) -> list[Block]:
    game, tables, seed, most_steps = shared_by_all
    blocks = []
    for deal in deals:
        block: Block = []
        for policies in tables:
            check()
            block.append(play_episode(game, policies, SplitStreams(seed, deal), most_steps))
        blocks.append(block)
    return blocks


def entrant_names(entrants: Sequence[PolicyLike], names: Sequence[str] | None) -> list[str]:
    """What the entrants are called: as given, or by their specs, files and classes, all different."""
    if names is None:
        return _apart([_name(one) for one in entrants])
    if len(names) != len(entrants):
        raise SpecError(f"tournament: {len(names)} names are given, expected one for each of {len(entrants)} entrants")
    return list(names)


def entrant_policy(
    one: PolicyLike,
    played: AnyGame,
    seed: int,
    solving: Callable[[TraceEntry], None] | None,
    tell: Callable[[str], None] | None,
) -> Callable[[int], Strategy]:
    """What makes an entrant's policy for a seat."""
    return lambda seat: policy(one, played, seat, seed, solving, tell)


def _name(one: PolicyLike) -> str:
    return os.fspath(one) if isinstance(one, str | os.PathLike) else type(one).__name__.lower()


def _apart(names: list[str]) -> list[str]:
    """Names that differ: who comes a second time is numbered."""
    return [name if names.count(name) == 1 else f"{name} #{names[: k + 1].count(name)}" for k, name in enumerate(names)]


def entrant_text(one: PolicyLike) -> str:
    """The spec or the file of an entrant, by which a journal knows it."""
    if not isinstance(one, str | os.PathLike):
        raise SpecError(
            f"tournament: with resume= entrants are named by specs or files, found {brief(type(one).__name__)}: "
            "save the policy, and name the file"
        )
    return os.fspath(one)


SLACK = 1e-9  # of the width: sums of rewards are rounded
Ranges = list[list[float]]  # [players] the least and the most


def largest_lead(ranges: Ranges) -> float:
    """How far a player's return can be from the mean of all players' returns, at most.

    Examples
    --------
    >>> largest_lead([[-2.0, 2.0], [-2.0, 2.0]])
    2.0
    """
    low, high = np.array(ranges, float).T
    above, below = (high - high / len(high)), (low - low / len(low))
    most = above - (low.sum() - low) / len(low)
    least = below - (high.sum() - high) / len(high)
    return float(np.abs([most, least]).max())


def payoff_ranges(table: Callable[[], Table], most_steps: int) -> Ranges | None:
    """The least and the most that each player can be paid in one play.

    Parameters
    ----------
    table
        Makes the game's table, or raises LimitError where it is too large.
    most_steps
        At how many steps a play is cut off.

    Returns
    -------
    list
        For each player two numbers, exact where every play ends, a bound where states recur; None where the game
        cannot be enumerated.
    """
    try:
        form = table()
    except (FormError, LimitError):
        return None
    found = return_ranges(form, most_steps)
    if found is None:
        return None
    low, high = found
    slack = SLACK * np.maximum(1.0, high - low)
    ranges: Ranges = np.stack([low - slack, high + slack], axis=1).tolist()
    return ranges
