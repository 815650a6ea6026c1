"""What the text of document 000 says about levels in general, and where its words and its figures disagree."""

from __future__ import annotations

from collections.abc import Iterator

from fogbound import arena
from fogbound_papers.claim import Claim, unchecked, verdict
from fogbound_papers.d000.games import FIGURE_2
from fogbound_papers.d000.nim import FINE, TOP, WIN, NimLevels, name, nim


def claims() -> Iterator[Claim]:
    chain = nim(prior="previous")
    yield _without_level_0(chain)
    yield _known_opponent(chain)
    yield _not_for_others(chain)
    yield from _captions(nim())
    yield _own_policy(nim())
    yield from _unchecked()


def _without_level_0(chain: NimLevels) -> Claim:
    """Levels 1 to k - 1, as formula (1) and section III have it, leave level 2 with level 1 alone: the chain."""
    values = [own.hierarchy.solution(2, player).value for own in (chain, nim()) for player in (0, 1)]
    game = chain.played(1, 2)
    holds = game.moves == FIGURE_2
    words = (
        f"level 2 would be worth {values[0]:.4g} and {values[1]:.4g} and Fig. 2's game would go otherwise; "
        f"with level 0, as Algorithm 2 and Figs. 8 and 9 have it, {values[2]:.4f} and {values[3]:.4f}"
    )
    ours = "0 to k − 1" if not holds else "1 to k − 1"
    return Claim("level k believes in levels", "eq. (1)", "1 to k − 1", ours, verdict(holds), words)


def _known_opponent(chain: NimLevels) -> Claim:
    values = [value for player in (0, 1) for value in chain.values(player)[1:]]
    wins = sum(abs(value - WIN) < FINE for value in values)
    words = f"levels 2 to {TOP} of both players when the opponent is known to be of the level just below"
    ours = f"{wins} of {len(values)} win"
    return Claim(
        "a known deterministic opponent is beaten", "§ I, II", "always", ours, verdict(wins == len(values)), words
    )


def _not_for_others(chain: NimLevels) -> Claim:
    """What beats level k - 1 need not be best against level k - 2."""
    paid: dict[str, float] = {}
    for level in range(3, TOP + 1):
        for player in (0, 1):
            mine, yours = chain.policies[player][level], chain.policies[1 - player][level - 2]
            met = arena.exact(chain.game, (mine, yours) if player == 0 else (yours, mine))
            if met.returns is not None:
                paid[name(level, player)] = met.returns[player]
    short = sum(value < WIN - FINE for value in paid.values())
    worst = min(paid, key=paid.__getitem__)
    words = f"replies to level k − 1 alone that get less than r_w from k − 2; {worst} gets {paid[worst]:+.2f}"
    ours = f"{short} of {len(paid)}"
    return Claim(
        "best against k − 1 is not best against k − 2", "§ II", "yes", ours, verdict(short > 0), words.replace("-", "−")
    )


def _captions(own: NimLevels) -> Iterator[Claim]:
    shown, named = own.played(1, 2), own.played(1, 1)
    first_loses = shown.returns[0] < shown.returns[1]
    loser, winner = (name(1, 0), name(2, 1)) if first_loses else (name(2, 1), name(1, 0))
    words = f"a slip of the pen: it goes first, and gets {shown.returns[0]:+g}".replace("-", "−")
    yield Claim(
        "the loser of Fig. 2's game", "Fig. 2", "1_2", loser, verdict(loser == "1_2"), words, figure="000-figure-2"
    )
    lost = named.ended == "over" and named.returns[0] < named.returns[1]
    ending = "is lost" if lost else "never ends" if named.ended == "cycle" else "is not lost"
    words = f"a slip of the pen: 1_1's game against 1_2 {ending}"
    yield Claim(
        "1_1's highlighted game is lost to", "Fig. 6", "1_2", winner, verdict(lost), words, figure="000-figure-6"
    )


def _own_policy(own: NimLevels) -> Claim:
    """Going second is a problem of its own, since what is optimal may differ."""
    both = zip(own.values(0), own.values(1))
    differ = sum(abs(first - second) > FINE for first, second in both)
    words = f"of levels 1 to {TOP} the value differs, so that no policy is best for both"
    statement = "who goes second may need a policy of its own"
    return Claim(statement, "§ III", "may", f"{differ} of {TOP}", verdict(differ > 0), words)


def _unchecked() -> Iterator[Claim]:
    """What is said and cannot be compared with anything."""
    yield unchecked("POMDPs over continuous states are generally harder to solve", "§ III", "of POMDPs in general")
    yield unchecked("controllers frequently grow quickly with the level", "§ III", "of other games, none of them named")
    yield unchecked("N = 3 is the smallest board that is hard to reason about", "§ IV", "hard for whom is not said")
    yield unchecked(
        "that controllers shrink is likely due to deterministic play",
        "§ IV",
        "a guess at a cause; nothing tells it apart",
    )
    yield unchecked("which games have small controllers", "§ V", "left to the future")
    yield unchecked("Stratego and Battleship need other techniques", "§ V", "a guess; ours are far smaller, see below")
    yield unchecked("a prior from games of people", "§ V", "left to the future: no such games are given")
