"""Passing the turn (document 000, section IV): free of charge with r_u = 0, and for a penalty.

Who beats whom: the games between all levels of both players (document 000, section IV).

How the value of levels goes up and down, and which player is better off (Figure 3 of document 000).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import mean

from fogbound import arena
from fogbound.games.nim import mover_wins
from fogbound.inference.online.opponent_inference import OpponentInference
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d000.nim import FAR, FINE, NEARLY, TOP, WIN, NimLevels, name, nim_levels

DISCOUNTS = (0.9, 0.95, 0.99, NEARLY, 0.9999, 0.99999)  # a round
PENALTIES = (0.0, -0.01, -0.1, -1.0, -2.0, -5.0)
SURE = 1 - 1e-9
OPENING = ("hidden", 1)


def claims() -> Iterator[Claim]:
    """Who passes, and who beats whom."""
    free = {discount: nim_levels(fail=0.0, discount=discount) for discount in DISCOUNTS}
    yield _opening(free)
    yield _beats_all(free)
    yield _one_more(free)
    yield _knowingly(nim_levels())
    yield _suboptimal(nim_levels())
    yield _buys()
    yield _mistaken(free[NEARLY])
    yield _higher_wins(nim_levels())
    yield _endless(nim_levels())


def openings(own: NimLevels) -> int:
    """How many levels of the first player begin by taking one from the hidden heap."""
    return sum(own.played(level, 1).moves[0] == OPENING for level in range(1, TOP + 1))


def _opening(free: dict[float, NimLevels]) -> Claim:
    counts = {discount: openings(own) for discount, own in free.items()}
    others = ", ".join(f"{count} at {d:g}" for d, count in counts.items() if d != NEARLY)
    words = f"levels 1 to {TOP}, discount {NEARLY} a round; {others}"
    ours = f"{counts[NEARLY]} of {TOP}"
    return Claim(
        "r_u = 0: all begin by taking one hidden object", "§ IV", "yes", ours, verdict(counts[NEARLY] == TOP), words
    )


def _beats_all(free: dict[float, NimLevels]) -> Claim:
    lost, games = {discount: unbeaten(own) for discount, own in free.items()}, len(lower_pairs())
    good = ", ".join(f"{d:g}" for d, own in lost.items() if not own)
    bad = "; ".join(f"not at {d:g} ({', '.join(own[:2])}, …)" for d, own in lost.items() if own)
    words = f"both players; so at discounts {good} a round; {bad}"
    ours = f"{games - len(lost[NEARLY])} of {games}"
    return Claim("r_u = 0: level k beats levels 1 to k − 1", "§ IV", "always", ours, verdict(not lost[NEARLY]), words)


def neighbours(own: NimLevels) -> list[tuple[int, int]]:
    """(Passes of the winner, of the loser) in all games of a level against the one just below it."""
    passes = []
    for high in range(2, TOP + 1):
        passes.append(own.played(high, high - 1).passes)
        low, more = own.played(high - 1, high).passes
        passes.append((more, low))
    return passes


def _one_more(free: dict[float, NimLevels]) -> Claim:
    counts = {discount: neighbours(own) for discount, own in free.items()}
    one_more = {d: sum(more == less + 1 for more, less in own) for d, own in counts.items()}
    firsts, seconds = counts[NEARLY][::2], counts[NEARLY][1::2]
    words = (
        f"level k against k − 1 at {NEARLY}; going first k = 2 … {TOP} pass {_passes(firsts)} times, second "
        f"{_passes(seconds)}"
    )
    ours = f"in {one_more[NEARLY]} of {len(counts[NEARLY])} games"
    holds = one_more[NEARLY] == len(counts[NEARLY])
    return Claim("r_u = 0: level k passes once more than k − 1", "§ IV", "always", ours, verdict(holds), words)


def _passes(passes: list[tuple[int, int]]) -> str:
    return " ".join(str(more) for more, _ in passes)


def _knowingly(own: NimLevels) -> Claim:
    """Some pay r_u knowing that they will."""
    games = [own.played(first, second) for _, (first, second) in lower_pairs()]
    passing = sum(any(game.passes) for game in games)
    shown = own.played(1, 2).passes[0]
    words = f"between levels above 0, one of them higher; {shown} such move of 1_1 in Fig. 2's game"
    ours = f"in {passing} of {len(games)} games"
    return Claim("a certain penalty is sometimes worth paying", "§ IV", "yes", ours, verdict(passing > 0), words)


def _suboptimal(own: NimLevels) -> Claim:
    """Back and forth: the game between best replies in which both pass most."""
    games = {(first, second): own.played(first, second) for _, (first, second) in lower_pairs()}
    (first, second), game = max(games.items(), key=lambda item: min(item[1].passes))
    words = f"{name(first, 0)} against {name(second, 1)}, both best replies, at r_u = {own.game.fail:g}".replace(
        "-", "−"
    )
    ours = f"{game.passes[0]} and {game.passes[1]} passes"
    holds = min(game.passes) == 0
    return Claim("r_u < 0: passing back and forth is suboptimal", "§ IV", "yes", ours, verdict(holds), words)


def _buys() -> Claim:
    """What a penalty buys: how often both sides still pass, the dearer it is."""
    both, passes = [], []
    for penalty in PENALTIES:
        own = nim_levels(fail=penalty, discount=NEARLY)
        games = [own.played(first, second).passes for _, (first, second) in lower_pairs()]
        both.append(sum(min(each) > 0 for each in games))
        passes.append(mean(sum(each) for each in games))
    prices = ", ".join(f"{penalty:g}" for penalty in PENALTIES).replace("-", "−")
    words = (
        f"games of {len(lower_pairs())} in which both pass, for r_u = {prices}, {NEARLY} a round; "
        f"passes a game: {', '.join(f'{each:.1f}' for each in passes)}"
    )
    ours = ", ".join(map(str, both))
    return Claim("what the penalty buys: games of passing back and forth", "–", "–", ours, "not stated", words)


def _mistaken(own: NimLevels) -> Claim:
    """ "They incorrectly conclude the level of the opponent and make a move": what the loser believes as it moves."""
    likeliest = []
    for high in range(3, TOP + 1):  # level 1 believes in level 0 alone, whatever happens
        for player in (0, 1):
            loser, low = 1 - player, high - 1
            prior = [1 / low if level < low else 0.0 for level in range(TOP + 1)]
            lived = own.lived((high, low) if player == 0 else (low, high), loser)
            last = max(k for k, step in enumerate(lived) if k and step[0] is not None)
            believed = OpponentInference(own.hierarchy, loser, prior).after(lived[:last], asked=True)
            likeliest.append(float(believed.by_class.max()))
    sure = sum(share >= SURE for share in likeliest)
    words = (
        f"r_u = 0, k = 3 to {TOP} against k − 1, {NEARLY} a round: losers who at their last move are sure of one level "
        f"or of several that play alike, never the winner's; the likeliest has {mean(likeliest):.0%} on average"
    )
    statement = "lower levels lose since they conclude on a wrong level"
    said = verdict(sure == len(likeliest), "not reproduced")
    return Claim(statement, "§ IV", "yes", f"{sure} of {len(likeliest)} are sure", said, words)


Pair = tuple[int, int]  # the level of the first player, that of the second


def lower_pairs() -> list[tuple[int, Pair]]:
    """(The higher one's player, both levels) of all games between levels of which one is higher, level 0 left out."""
    pairs = [(high, low) for high in range(2, TOP + 1) for low in range(1, high)]
    return [(0, pair) for pair in pairs] + [(1, (low, high)) for high, low in pairs]


def unbeaten(own: NimLevels) -> list[str]:
    """The games that the higher level does not win."""
    lost = []
    for player, (first, second) in lower_pairs():
        if own.pairs.outcomes[first][second].winner != player:
            high, low = (first, second) if player == 0 else (second, first)
            lost.append(f"{name(high, player)} against {name(low, 1 - player)}")
    return lost


def _higher_wins(own: NimLevels) -> Claim:
    lost, games = unbeaten(own), len(lower_pairs())
    ours = f"{games - len(lost)} of {games}"
    words = f"all but {', '.join(lost)}" if lost else "all"
    return Claim("r_u = −1: the higher of two levels wins", "–", "–", ours, "not stated", words, figure="000-pairs")


def _endless(own: NimLevels) -> Claim:
    """Levels of the same number may meet too."""
    endless = [
        f"{name(first, 0)} against {name(second, 1)}"
        for first in range(1, TOP + 1)
        for second in range(1, TOP + 1)
        if own.pairs.outcomes[first][second].ended == "cycle"
    ]
    words = f"{', '.join(endless)}; it must be broken off, or scored as a tie"
    ours = f"{len(endless)} of {TOP * TOP}"
    return Claim("r_u = −1: games that never end", "–", "–", ours, "not stated", words)


OTHERS = (2, 4, 5, 8)  # heaps other than the document's 3


def rewards() -> Iterator[Claim]:
    """How the value depends on the level."""
    yield _shape()
    yield from _reasons(nim_levels())
    yield _no_worse(nim_levels())
    yield _other_heaps()
    yield from _first_mover()


def rises_then_falls(values: list[float]) -> bool:
    """Whether the best level lies strictly inside: the mildest reading of a rise at low and a fall at high levels."""
    return 1 < peak(values) < len(values)


def peak(values: list[float]) -> int:
    """The level with the highest value."""
    return max(range(len(values)), key=values.__getitem__) + 1


def _shape() -> Claim:
    both = [nim_levels().values(player) for player in (0, 1)]
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
    missed, peaks = ([sum(paid < WIN - FINE for paid in one.against[1:]) for one in solved] for solved in (last, best))
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


def _other_heaps() -> Claim:
    """ "We also observed this trend for other values of N": which, it does not say, so some must have it.

    Followed farther than Figure 3 goes: larger heaps only rise for long.
    """
    games = {n: nim_levels(n, top=FAR) for n in OTHERS}
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
    own = nim_levels(n)
    return sum(first < second - FINE for first, second in zip(own.values(0), own.values(1)))
