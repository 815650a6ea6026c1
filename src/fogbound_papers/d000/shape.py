"""How the value of levels goes up and down, and which player is better off (Figure 3 of document 000)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from fogbound.solvers.level_k.hierarchy import LevelSolution
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d000.nim import FAR, FINE, TOP, WIN, Nim, name, nim

OTHERS = (2, 4, 5, 8)  # heaps other than the document's 3


def claims() -> Iterator[Claim]:
    yield _shape()
    yield from _reasons(nim())
    yield _other_heaps()
    yield from _first_mover()


def rises_then_falls(values: list[float]) -> bool:
    """Whether the best level lies strictly inside: the mildest reading of a rise at low and a fall at high levels."""
    return 1 < peak(values) < len(values)


def peak(values: list[float]) -> int:
    """The level with the highest value."""
    return max(range(len(values)), key=values.__getitem__) + 1


def _shape() -> Claim:
    both = [nim().values(player) for player in (0, 1)]
    ours = " and ".join(f"{max(v):.4f} at {name(peak(v), player)}" for player, v in enumerate(both))
    ends = " and ".join(f"{v[0]:.4f} → {v[-1]:.4f}" for v in both)
    words = f"levels 1 to {TOP}: {ends}; {turns(both[0])} and {turns(both[1])} turns on the way"
    holds = all(rises_then_falls(v) for v in both)
    return Claim(
        *("the value rises at low levels and falls at high ones", "Fig. 3", "yes", ours, verdict(holds), words),
        figure="000-figure-3",
        command='fogbound solve "po-nim(n=3)" --with level-k --levels 15',
    )


def _reasons(three: Nim) -> Iterator[Claim]:
    best = [three.hierarchy.solution(peak(three.values(player)), player) for player in (0, 1)]
    last = [three.hierarchy.solution(TOP, player) for player in (0, 1)]
    hard = all(solution.against[0] < min(solution.against[1:]) for solution in best)
    ours = ", ".join(f"{solution.against[0]:+.2f}" for solution in best)
    who = " and ".join(name(solution.level, solution.player) for solution in best)
    words = f"{who} against level 0; against every other level at least {min(min(r.against[1:]) for r in best):+g}"
    yield Claim("it rises because level 0 is hardest to beat", "§ IV", "yes", ours, verdict(hard), words)
    missed, peaks = ([_short_of_a_win(solution) for solution in solutions] for solutions in (last, best))
    worst = ", ".join(f"{min(solution.against[1:]):+g}".replace("-", "−") for solution in last)
    words = f"levels that yield {TOP}_1, {TOP}_2 less than r_w (worst {worst}); to {who} {peaks[0]} and {peaks[1]}"
    holds = all(missed) and not any(peaks)
    ours = " and ".join(f"{count} of {TOP - 1}" for count in missed)
    yield Claim("it falls because one policy no longer suits all", "§ IV", "yes", ours, verdict(holds), words)


def _short_of_a_win(solution: LevelSolution) -> int:
    """Against how many levels above 0 a level earns less than a clean win, which their best reply would."""
    return sum(paid < WIN - FINE for paid in solution.against[1:])


def _other_heaps() -> Claim:
    """ "We also observed this trend for other values of N": which, it does not say, so some must have it.

    Followed farther than Figure 3 goes: larger heaps only rise for long.
    """
    games = {n: nim(n, top=FAR) for n in OTHERS}
    holding = [n for n, own in games.items() if all(rises_then_falls(own.values(player)) for player in (0, 1))]
    tops = "; ".join(f"N = {n}: {peak(own.values(0))}, {peak(own.values(1))}" for n, own in games.items())
    up_and_down = turns(games[2].values(0))
    without = ", ".join(str(n) for n in OTHERS if n not in holding)
    ours = f"at N = {', '.join(map(str, holding))}" if holding else "at none"
    words = (
        f"which N is not said; so read, the best level is neither the first nor the last of {FAR}, which fails at "
        f"N = {without}: the best are {tops}; at N = 2 the first player turns {up_and_down} times"
    )
    return Claim("this trend is there at other N too", "§ IV", "yes", ours, verdict(bool(holding)), words)


def turns(values: list[float]) -> int:
    """How often a sequence changes its direction."""
    steps = [b > a for a, b in pairwise(values) if abs(b - a) > FINE]
    return sum(a != b for a, b in pairwise(steps))


def _first_mover() -> Iterator[Claim]:
    lower = {n: _first_is_lower(n) for n in (3, 4, 5)}
    words = f"of levels 1 to {TOP}"
    holds = lower[3] > TOP / 2
    yield Claim("going first is generally worth less", "§ IV", "yes", f"{lower[3]} of {TOP}", verdict(holds), words)
    lost = [n for n in lower if not first_wins(n, n)]
    holds = all(count > TOP / 2 for n, count in lower.items() if n in lost)
    words = (
        f"with open heaps the first player loses at N = {', '.join(map(str, lost))} alike: that cannot be the reason"
    )
    ours = ", ".join(f"{lower[n]} of {TOP} at N = {n}" for n in (4, 5))
    yield Claim("… because the nim-sum is 0", "§ IV", "yes", ours, verdict(holds), words)


def _first_is_lower(n: int) -> int:
    own = nim(n)
    return sum(first < second - FINE for first, second in zip(own.values(0), own.values(1)))


@cache
def first_wins(mine: int, yours: int) -> bool:
    """Nim with both heaps open: whether whoever moves now can be the one to leave a single object."""
    moves = {(mine - k, yours) for k in range(1, mine + 1)} | {(mine, yours - k) for k in range(1, yours + 1)}
    return any(a + b == 1 or (a + b > 1 and not first_wins(a, b)) for a, b in moves)
