"""The exact outcome of a match: no game need be played twice to know it.

Where policies are deterministic and chance never intervenes, one play decides. Otherwise expected returns are solved
for over all situations that occur, and the probability of winning by carrying what was paid along.

The rule for cycles is that of `arena.playing`. With discount 1 a play that cycles for ever is a tie of all, and scores
what had been paid when the first situation (state and memories) came back. With a discount the pay of the cycle is
summed to eternity, and the highest return wins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from math import fsum, prod

from fogbound.arena.outcome import VARIES, Exact
from fogbound.arena.playing import MOST_STEPS
from fogbound.arena.sure import SurePlay, sure_play
from fogbound.arena.winning import best_of, highest
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame
from fogbound.core.policy import AnyPolicy, Player, kinds
from fogbound.evaluate.chain import chain
from fogbound.forms.product import MOST_POINTS
from fogbound.forms.table import Table, table


def exact(game: AnyGame, policies: Sequence[Player], most_steps: int = MOST_STEPS, limit: int = MOST_POINTS) -> Exact:
    """What comes of `policies` playing `game`, one a seat; mixtures are averaged over their kinds.

    One play that decides is followed by the rules alone, for at most `most_steps`. Everything else needs the game's
    table: LimitError past `limit` states or situations.
    """
    return outcome(game, policies, cache(lambda: table(game, limit)), most_steps, limit)


def outcome(game: AnyGame, policies: Sequence[Player], form: Callable[[], Table], most_steps: int, limit: int) -> Exact:
    """The same where the table is made elsewhere: `form` is only called when it is needed."""
    if len(policies) != len(game.players):
        raise FormError(f"{game}: {len(policies)} policies for {len(game.players)} players")
    parts: list[tuple[Exact, float]] = []
    for drawn in product(*(kinds(policy) for policy in policies)):
        weight = prod(p for _, p in drawn)
        if weight > 0:
            kept = [kind for kind, _ in drawn]
            play = sure_play(game, kept, most_steps)
            parts.append((_expected(form(), kept, limit) if play is None else _decided(play), weight))
    return parts[0][0] if len(parts) == 1 else _averaged(parts)


def only_play(game: AnyGame, policies: Sequence[Player], most_steps: int = MOST_STEPS) -> Exact | None:
    """The outcome where one play decides, from the rules alone; None where anything is drawn."""
    listed = [[kind for kind, p in kinds(policy) if p > 0] for policy in policies]
    if any(len(some) > 1 for some in listed):
        return None
    play = sure_play(game, [kind for (kind,) in listed], most_steps)
    return None if play is None else _decided(play)


def _decided(play: SurePlay) -> Exact:
    endless = play.ended == "cycle" and play.game.discount == 1
    best = tuple(range(len(play.returns))) if endless else best_of(play.returns)
    lost = tuple(play.lost)
    return Exact(len(lost), tuple(play.returns), Dist.sure(best), play.count, play.ended, play.cycle, True, lost)


def _expected(form: Table, policies: list[AnyPolicy], limit: int) -> Exact:
    """Expected returns where several plays are possible."""
    players = len(policies)
    try:
        solved = chain(form, dict(enumerate(policies)), limit)
    except FormError:  # with discount 1 some play never ends
        return Exact(players, None, None, None, VARIES)
    best = highest(form, policies, limit)
    if form.discount < 1:
        return Exact(players, solved.values, best, None, VARIES)
    first = slice(0, solved.product.out[1])
    steps = float(solved.product.prob[first] @ solved.steps[solved.product.next[first]])
    return Exact(players, solved.values, best, steps, "over")


def _averaged(parts: list[tuple[Exact, float]]) -> Exact:
    """The mean over the kinds that mixtures may turn out to be; unknown where one part is."""
    returns, shares = [part.returns for part, _ in parts], dict[tuple[int, ...], float]()
    weights = [weight for _, weight in parts]
    known = [paid for paid in returns if paid is not None]
    mean = tuple(fsum(w * r for w, r in zip(weights, seat)) for seat in zip(*known))
    for part, weight in parts:
        for seats, p in part.best or ():
            shares[seats] = shares.get(seats, 0.0) + weight * p
    steps = [part.steps for part, _ in parts if part.steps is not None]
    ends = {part.ended for part, _ in parts}
    return Exact(
        parts[0][0].players,
        mean if len(known) == len(parts) else None,
        Dist(tuple(sorted(shares.items()))) if all(part.best is not None for part, _ in parts) else None,
        fsum(w * s for w, s in zip(weights, steps)) if len(steps) == len(parts) else None,
        ends.pop() if len(ends) == 1 else VARIES,
    )
