"""How the value of levels goes up and down, and which player is better off (Figure 3 of document 000)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import mean

from fogbound import arena
from fogbound.games.nim import mover_wins
from fogbound.solvers.level_k.hierarchy import LevelSolution
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d000.nim import FAR, FINE, TOP, WIN, NimLevels, name, nim

OTHERS = (2, 4, 5, 8)  # heaps other than the document's 3


def claims() -> Iterator[Claim]:
    yield _shape()
    yield from _reasons(nim())
    yield _no_worse(nim())
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


def _reasons(three: NimLevels) -> Iterator[Claim]:
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


def _no_worse(three: NimLevels) -> Claim:
    """What the best level's policy would earn from the opponents whom the last one faces."""
    earned = []
    for player in (0, 1):
        level = peak(three.values(player))
        mine, paid = three.policies[player][level], list[float]()
        for yours in three.policies[1 - player][:TOP]:
            met = arena.exact(three.game, (mine, yours) if player == 0 else (yours, mine)).returns
            paid.append(0.0 if met is None else met[player])  # a game that never ends wins nothing
        earned.append((name(level, player), mean(paid), three.values(player)[-1]))
    ours = " and ".join(f"{own:+.2f}, {last:+.2f}" for _, own, last in earned).replace("-", "−")
    who = " and ".join(best for best, _, _ in earned)
    words = f"from levels 0 to {TOP - 1}, equally likely: {who}, whose own priors pay most, then {TOP}_1 and {TOP}_2"
    holds = all(last > own for _, own, last in earned)
    statement = "a falling reward is no worse policy: the prior is harder"
    return Claim(statement, "§ IV", "yes", ours, verdict(holds), words)


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
    lost = [n for n in lower if not mover_wins((n, n), misere=True)]
    holds = all(count > TOP / 2 for n, count in lower.items() if n in lost)
    words = (
        f"with open heaps the first player loses at N = {', '.join(map(str, lost))} alike: that cannot be the reason"
    )
    ours = ", ".join(f"{lower[n]} of {TOP} at N = {n}" for n in (4, 5))
    yield Claim("… because the nim-sum is 0", "§ IV", "yes", ours, verdict(holds), words)


def _first_is_lower(n: int) -> int:
    own = nim(n)
    return sum(first < second - FINE for first, second in zip(own.values(0), own.values(1)))
