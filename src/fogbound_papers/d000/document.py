"""Document 000: Rosello, "Fully-Nested Interactive POMDPs for Partially-Observable Turn-Based Games".

Figures 6 to 9 of document 000: the controllers of levels 1 and 2, as far as captions tell of them.

What the text of document 000 says about levels in general, and where its words and its figures disagree.

What document 000 leaves for others to try: other priors, levels that err, levels read from logs, larger games.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import cast

import numpy as np

import fogbound as fb
from fogbound import arena
from fogbound.games.po_nim import PONim
from fogbound.inference.levels.calibration import calibrate
from fogbound.inference.levels.opponent import candidates
from fogbound.policies import Uniform
from fogbound.solvers.level_k.hierarchy import solve_levels
from fogbound_papers.claim import Claim, unchecked_claim, verdict
from fogbound_papers.d000 import games, levels, solving
from fogbound_papers.d000.figures import draw_all, level_controller
from fogbound_papers.d000.games import FIGURE_2
from fogbound_papers.d000.nim import FINE, NEARLY, TOP, WIN, NimLevels, Situation, name, nim_levels

FIGURES = {6: (1, 0), 7: (1, 1), 8: (2, 0), 9: (2, 1)}  # by number: level and player
CAPTIONS = {6: ("0_2",), 7: ("0_1",), 8: ("0_2", "1_2"), 9: ("0_1", "1_1")}  # whom it is against, equally likely
NO_PICTURE = "our copy of the document has the captions and not the pictures"


def claims(folder: Path | None = None) -> Iterator[Claim]:
    """Every claim of the text and of its figures, and what it leaves open; Figures 1 to 9 go into `folder`."""
    for part in (games.claims, levels.rewards, solving.claims, levels.claims, _controllers, _text, _extensions):
        yield from part()
    if folder is not None:
        draw_all(folder)


def _controllers() -> Iterator[Claim]:
    own = nim_levels()
    yield _opponents(own)
    yield _dummy(own)
    for number, (level, player) in FIGURES.items():
        yield _nodes(own, number, level, player)


def believed_opponents(own: NimLevels, level: int, player: int) -> dict[str, float]:
    """The opponents that a level believes in at the start, and how much."""
    problem = own.process(level, player)
    odds = defaultdict[str, float](float)
    for outcome in range(problem.out[0], problem.out[1]):
        _, levels = cast(Situation, problem.names[int(problem.next[outcome])])
        odds["/".join(name(lower, 1 - player) for lower in levels)] += float(problem.prob[outcome])
    return dict(odds)


def _opponents(own: NimLevels) -> Claim:
    found = {number: believed_opponents(own, *key) for number, key in FIGURES.items()}
    right = [
        number
        for number, odds in found.items()
        if tuple(sorted(odds)) == CAPTIONS[number] and all(abs(p * len(odds) - 1) < FINE for p in odds.values())
    ]
    shown = "; ".join(f"{name(*key)}: {', '.join(sorted(found[number]))}" for number, key in FIGURES.items())
    ours = f"{len(right)} of {len(FIGURES)} captions"
    statement = "whom the controllers are best against, equally likely"
    return Claim(statement, "Figs. 6 to 9", "the captions", ours, verdict(len(right) == len(FIGURES)), shown)


def _dummy(own: NimLevels) -> Claim:
    """Who goes second has nothing to do before the first observation."""
    waits = []
    for number in (7, 9):
        level, player = FIGURES[number]
        problem = own.process(level, player)
        begins = {int(problem.next[outcome]) for outcome in range(problem.out[0], problem.out[1])}
        waits.append(all(problem.row[state + 1] - problem.row[state] == 1 for state in begins))
    words = "1_2 and 2_2: in every state that may be the first there is nothing to choose"
    ours = f"{sum(waits)} of {len(waits)}"
    statement = "going second, the first state is a dummy"
    return Claim(statement, "Figs. 7 and 9", "yes", ours, verdict(all(waits)), words)


def _nodes(own: NimLevels, number: int, level: int, player: int) -> Claim:
    """One line for each node of ours, since the document's picture is not there to be compared."""
    solution = own.hierarchy.solution(level, player)
    told = level_controller(own, level, player).text.splitlines()
    moving = [" ".join(line.split()) for line in told if " take " in line]
    words = f"{NO_PICTURE}; ours move so (my heap, the other's, its level): {'; '.join(moving)}"
    statement = f"{name(level, player)}'s controller, node by node"
    ours = f"{solution.moves} nodes that move"
    figure = f"000-figure-{number}"
    return Claim(statement, f"Fig. {number}", "the picture", ours, "cannot be checked", words, figure=figure)


def _text() -> Iterator[Claim]:
    chain = nim_levels(prior="previous")
    yield _without_level_0(chain)
    yield _known_opponent(chain)
    yield _not_for_others(chain)
    yield from _captions(nim_levels())
    yield _own_policy(nim_levels())
    yield from _unchecked()


def _without_level_0(chain: NimLevels) -> Claim:
    """Levels 1 to k - 1, as formula (1) and section III have it, leave level 2 with level 1 alone: the chain."""
    values = [own.hierarchy.solution(2, player).value for own in (chain, nim_levels()) for player in (0, 1)]
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
    yield unchecked_claim(
        "POMDPs over continuous states are generally harder to solve", "§ III", "of POMDPs in general"
    )
    yield unchecked_claim(
        "controllers frequently grow quickly with the level", "§ III", "of other games, none of them named"
    )
    yield unchecked_claim(
        "N = 3 is the smallest board that is hard to reason about", "§ IV", "hard for whom is not said"
    )
    yield unchecked_claim(
        "that controllers shrink is likely due to deterministic play",
        "§ IV",
        "a guess at a cause; nothing tells it apart",
    )
    yield unchecked_claim("which games have small controllers", "§ V", "left to the future")
    yield unchecked_claim(
        "Stratego and Battleship need other techniques", "§ V", "a guess; ours are far smaller, see below"
    )
    yield unchecked_claim("a prior from games of people", "§ V", "left to the future: no such games are given")


PRECISION = 2.0  # of levels that err
CONVERGED = 1e-4
LOGS, GAMES, KNOWN = 200, 10, 4  # logs, games in each, the highest level in question
LARGER = ("battleship", "stratego")
HIGH = 5


def _extensions() -> Iterator[Claim]:
    yield _poisson()
    yield _erring()
    yield _from_logs()
    yield _larger()


def _poisson() -> Claim:
    """The prior "can easily be changed": a cognitive hierarchy converges instead of falling."""
    both = [nim_levels(prior="poisson").values(player) for player in (0, 1)]
    converged = [next(k for k in range(TOP) if max(v[k:]) - min(v[k:]) < CONVERGED) + 1 for v in both]
    ours = ", ".join(f"{v[-1]:+.4f}" for v in both)
    uniform = ", ".join(f"{nim_levels().values(player)[-1]:+.4f}" for player in (0, 1))
    words = (
        f"level {TOP}, converged to {CONVERGED:g} from levels {converged[0]} and {converged[1]} on; "
        f"uniform, falling: {uniform}"
    )
    return Claim("a Poisson prior of mean 1.5 over levels", "§ V", "–", ours, "not stated", words)


def _erring() -> Claim:
    """Logit levels of precision 2: the value of the best reply to them."""
    game = PONim(discount=sqrt(NEARLY))
    sure, erring = (solve_levels(game, levels=2, precision=p) for p in (float("inf"), PRECISION))
    values = [[solved.solution(2, player).upper for player in (0, 1)] for solved in (sure, erring)]
    holds = all(less < more for more, less in zip(*values))
    ours = ", ".join(f"{v:+.2f}" for v in values[1])
    against = ", ".join(f"{v:+.2f}" for v in values[0])
    words = f"best replies to level 0 or a logit level 1 of precision {PRECISION:g}; to level 0 or 1 {against}"
    return Claim("stochastic levels are harder to beat", "§ V", "may be", ours, verdict(holds), words)


def _from_logs() -> Claim:
    """Levels drawn at random and recognised from what they did."""
    own = nim_levels()
    policies = [own.hierarchy.policy(level, 1, slips=1) for level in range(KNOWN + 1)]
    them = candidates(own.game, 1, policies)
    score = calibrate(own.game, them, Uniform(), np.random.default_rng(0), logs=LOGS, games=GAMES)
    ours = f"{score.right:.0%} right"
    words = (
        f"levels 0 to {KNOWN} of the second player, {LOGS} logs of {GAMES} games against random play, hands slip; "
        f"Brier score {score.brier:.2f}, prior alone {score.prior_brier:.2f}"
    )
    statement, holds = "levels can be learnt from recorded games", score.brier < score.prior_brier
    return Claim(statement, "§ V", "may be", ours, verdict(holds), words)


def _larger() -> Claim:
    hierarchies = [solve_levels(fb.game(spec), levels=HIGH) for spec in LARGER]
    exact = sum(all(solution.converged for solution in solved.solutions) for solved in hierarchies)
    sizes = ", ".join(f"{solved.spec.split('(')[0]} {len(solved.table.states):,}" for solved in hierarchies)
    words = f"solved exactly, levels 1 to {HIGH} of both players, on our default boards; states: {sizes}"
    return Claim(
        "Battleship and Stratego as fully nested", "§ V", "–", f"{exact} of {len(LARGER)}", "not stated", words
    )
