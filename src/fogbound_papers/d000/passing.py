"""Passing the turn (document 000, section IV): free of charge with r_u = 0, and for a penalty."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean

from fogbound.inference.online.opponent_inference import OpponentInference
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d000.matches import lower_pairs, unbeaten
from fogbound_papers.d000.nim import NEARLY, TOP, NimLevels, name, nim

DISCOUNTS = (0.9, 0.95, 0.99, NEARLY, 0.9999, 0.99999)  # a round
PENALTIES = (0.0, -0.01, -0.1, -1.0, -2.0, -5.0)
SURE = 1 - 1e-9
OPENING = ("hidden", 1)


def claims() -> Iterator[Claim]:
    free = {discount: nim(fail=0.0, discount=discount) for discount in DISCOUNTS}
    yield _opening(free)
    yield _beats_all(free)
    yield _one_more(free)
    yield _knowingly(nim())
    yield _suboptimal(nim())
    yield _buys()
    yield _mistaken(free[NEARLY])


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
        f"level k against k − 1 at {NEARLY}; going first k = 2 … {TOP} pass {_listed(firsts)} times, second "
        f"{_listed(seconds)}"
    )
    ours = f"in {one_more[NEARLY]} of {len(counts[NEARLY])} games"
    holds = one_more[NEARLY] == len(counts[NEARLY])
    return Claim("r_u = 0: level k passes once more than k − 1", "§ IV", "always", ours, verdict(holds), words)


def _listed(passes: list[tuple[int, int]]) -> str:
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
        own = nim(fail=penalty, discount=NEARLY)
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
    said = "reproduced" if sure == len(likeliest) else "not reproduced"
    return Claim(statement, "§ IV", "yes", f"{sure} of {len(likeliest)} are sure", said, words)
