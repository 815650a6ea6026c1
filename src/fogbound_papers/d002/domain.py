"""Chapter 3 of document 002: how large the game with tickets is, and what removing symmetry removes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from math import factorial

from fogbound.files.osposg.writer import dumps_osposg
from fogbound.games import make
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.town import Town, rounds
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d002.hunts import Hunt
from fogbound_papers.d002.study import Study

TICKETS = (4, 2, 1)  # seven in all; of how many kinds each, the document does not say
ROUGHLY, CLOSELY = 0.05, 0.01


def claims(study: Study) -> Iterator[Claim]:
    states, steps = with_tickets(town(12), TICKETS)
    words = f"3 x 4 nodes, two cops, {', '.join(map(str, TICKETS))} tickets: the division of seven that fits"
    ours, close = f"{states:,}", abs(states / 600_000 - 1) < ROUGHLY
    yield Claim("with tickets: states", "§ 3.1.2", "roughly 600,000", ours, verdict(close), words)
    close = abs(steps / 15e6 - 1) < ROUGHLY
    yield Claim("with tickets: transitions", "§ 3.1.2", "15 million", f"{steps:,}", verdict(close), "of the same game")
    yield _file(study.hunt(12), steps)
    yield from _symmetry(town(18))


def town(number: int) -> Town:
    """The map of a hunt."""
    game = make(f"scotland-yard(map={number})")
    assert isinstance(game, ScotlandYard)
    return game.town


def with_tickets(place: Town, tickets: tuple[int, ...]) -> tuple[int, int]:
    """States and transitions when every cop may have any number of its tickets left, as the document counts them."""
    purses = list(product(*(range(count + 1) for count in tickets)))
    states = steps = 0
    for cops in combinations(range(place.nodes), 2):
        free = [node for node in range(place.nodes) if node not in cops]
        states += len(free) * len(purses) ** 2
        moves = sum(len(rounds(place, (cops, two))) for two in product(purses, repeat=2))
        steps += moves * sum(len(place.ways[node]) for node in free)
    return states, steps


def _file(own: Hunt, steps: int) -> Claim:
    """The size of a file from what a transition takes in ours, with its reward."""
    text = dumps_osposg(own.form)
    each = len(text) / len(own.form.reward)
    words = f"{each:.0f} bytes a transition with its reward in our file of #12; how theirs is written is not told"
    ours = f"{each * steps / 1e9:.1f} GB"
    return Claim("with tickets: the file", "§ 3.1.2", "almost 1 GB", ours, "cannot be checked", words)


def _symmetry(place: Town, cops: int = 3) -> Iterator[Claim]:
    """Cops in a given order, and as a set."""
    sets = list(combinations(range(place.nodes), cops))
    ordered = sum(1 for _ in permutations(range(place.nodes), cops))
    share = ordered / len(sets)
    words = f"#18: places of three cops, {ordered:,} in order and {len(sets):,} as sets"
    holds = share == factorial(cops)
    yield Claim("without symmetry: states", "§ 3.2.2", "1 / n!", f"1 / {share:g}", verdict(holds), words)
    as_tuples = factorial(cops) * sum(_ordered_moves(place, each) for each in sets)
    as_sets = sum(len(place.rounds(each)) for each in sets)
    words = (
        f"#18: {as_tuples:,} joint moves in order, {as_sets:,} as sets; a few more go, since cops that cross come "
        "to the same nodes"
    )
    share = as_tuples / as_sets
    holds = abs(share / factorial(cops) - 1) < CLOSELY
    yield Claim("… and actions", "§ 3.2.2", "1 / n!", f"1 / {share:.3f}", verdict(holds), words)


def _ordered_moves(place: Town, cops: tuple[int, ...]) -> int:
    """How many ways three cops who are told apart can move, no two to one node."""
    goals = product(*(place.neighbours[cop] for cop in cops))
    return sum(len(set(each)) == len(cops) for each in goals)
