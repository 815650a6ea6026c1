"""Passing the turn (document 000, section IV): free of charge with r_u = 0, and for a penalty."""

from __future__ import annotations

from collections.abc import Iterator

from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d000.matches import lower_pairs, unbeaten
from fogbound_papers.d000.nim import NEARLY, TOP, Nim, name, nim

DISCOUNTS = (0.9, 0.95, 0.99, NEARLY, 0.9999, 0.99999)  # a round
OPENING = ("hidden", 1)


def claims() -> Iterator[Claim]:
    free = {discount: nim(fail=0.0, discount=discount) for discount in DISCOUNTS}
    yield _opening(free)
    yield _beats_all(free)
    yield _one_more(free)
    yield _knowingly(nim())
    yield _suboptimal(nim())


def openings(own: Nim) -> int:
    """How many levels of the first player begin by taking one from the hidden heap."""
    return sum(own.played(level, 1).moves[0] == OPENING for level in range(1, TOP + 1))


def _opening(free: dict[float, Nim]) -> Claim:
    counts = {discount: openings(own) for discount, own in free.items()}
    others = ", ".join(f"{count} at {d:g}" for d, count in counts.items() if d != NEARLY)
    words = f"levels 1 to {TOP}, discount {NEARLY} a round; {others}"
    ours = f"{counts[NEARLY]} of {TOP}"
    return Claim(
        "r_u = 0: all begin by taking one hidden object", "§ IV", "yes", ours, verdict(counts[NEARLY] == TOP), words
    )


def _beats_all(free: dict[float, Nim]) -> Claim:
    lost, games = {discount: unbeaten(own) for discount, own in free.items()}, len(lower_pairs())
    good = ", ".join(f"{d:g}" for d, own in lost.items() if not own)
    bad = "; ".join(f"not at {d:g} ({', '.join(own[:2])}, …)" for d, own in lost.items() if own)
    words = f"both players; so at discounts {good} a round; {bad}"
    ours = f"{games - len(lost[NEARLY])} of {games}"
    return Claim("r_u = 0: level k beats levels 1 to k − 1", "§ IV", "always", ours, verdict(not lost[NEARLY]), words)


def neighbours(own: Nim) -> list[tuple[int, int]]:
    """(Passes of the winner, of the loser) in all games of a level against the one just below it."""
    passes = []
    for high in range(2, TOP + 1):
        passes.append(own.played(high, high - 1).passes)
        low, more = own.played(high - 1, high).passes
        passes.append((more, low))
    return passes


def _one_more(free: dict[float, Nim]) -> Claim:
    counts = {discount: neighbours(own) for discount, own in free.items()}
    one_more = {d: sum(more == less + 1 for more, less in own) for d, own in counts.items()}
    firsts, seconds = counts[NEARLY][::2], counts[NEARLY][1::2]
    words = (
        f"level k against k − 1 at {NEARLY}; going first k = 2 … {TOP} pass {_listed(firsts)} times, second "
        f"{_listed(seconds)}"
    )
    ours = f"in {one_more[NEARLY]} of {len(counts[NEARLY])} games"
    holds = one_more[NEARLY] == len(counts[NEARLY])
    return Claim("r_u = 0: level k passes once more than k − 1", "§ IV", "always", ours, verdict(holds), words)


def _listed(passes: list[tuple[int, int]]) -> str:
    return " ".join(str(more) for more, _ in passes)


def _knowingly(own: Nim) -> Claim:
    """Some pay r_u knowing that they will."""
    games = [own.played(first, second) for _, (first, second) in lower_pairs()]
    passing = sum(any(game.passes) for game in games)
    shown = own.played(1, 2).passes[0]
    words = f"between levels above 0, one of them higher; {shown} such move of 1_1 in Fig. 2's game"
    ours = f"in {passing} of {len(games)} games"
    return Claim("a certain penalty is sometimes worth paying", "§ IV", "yes", ours, verdict(passing > 0), words)


def _suboptimal(own: Nim) -> Claim:
    """Back and forth: the game between best replies in which both pass most."""
    games = {(first, second): own.played(first, second) for _, (first, second) in lower_pairs()}
    (first, second), game = max(games.items(), key=lambda item: min(item[1].passes))
    words = f"{name(first, 0)} against {name(second, 1)}, both best replies, at r_u = {own.game.fail:g}".replace(
        "-", "−"
    )
    ours = f"{game.passes[0]} and {game.passes[1]} passes"
    holds = min(game.passes) == 0
    return Claim("r_u < 0: passing back and forth is suboptimal", "§ IV", "yes", ours, verdict(holds), words)
