"""Document 004's formulas and sentences, tried on the smallest example, or held against its own tables.

Document 004, section 4.5 and its formulas: rock-paper-scissors, and pseudo-code that does not do what it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import log, sqrt
from statistics import mean
from typing import Literal

import numpy as np

import fogbound as fb
from fogbound import forms
from fogbound.games.king_up.game import KingUp
from fogbound.games.king_up.kernels import LEFT, MOVER
from fogbound_papers.claim import Claim, compare_figure, unchecked_claim, verdict
from fogbound_papers.d004.public_states import public_state_graph
from fogbound_papers.d004.tournaments import PLACE, ROWS

REWARD, VISITS, STEPS = 0.3, 1_000, 4
SMALLER = "king-up(pieces=4, targets=2, height=3, rounds=1)"
SWEEPS = 10_000
GAMES = 60
TREES = ("kuhn(seats=2)", "leduc")
FAIR = 1 / 3
HALVES = (  # the printed half widths, row by row of `ROWS`
    *(0.029, 0.029, 0.028, 0.030, 0.028, 0.028, 0.030, 0.024, 0.024, 0.029, 0.031, 0.025, 0.029, 0.027, 0.031),
    *(0.031, 0.030, 0.024, 0.026, 0.031, 0.029, 0.031, 0.024, 0.029, 0.030, 0.027, 0.020, 0.030, 0.031, 0.020),
    *(0.024, 0.030, 0.031, 0.030, 0.023, 0.031, 0.030, 0.021, 0.027, 0.025, 0.031, 0.028),
)


def claims() -> Iterator[Claim]:
    """In the order of the document."""
    yield unchecked_claim("nobody has made a program for King Up", "section 1.1", "of everybody's programs", "no one")
    yield _ucb()
    yield from _regret()
    yield _algorithm_1()
    yield _applicable()
    best = KingUp()
    most = ((best.height - 1) * (best.targets - 1) + best.top) / best.unit
    yield compare_figure("rewards are between 0 and", "section 4.1", 0.44, most, "22 of 50 points", 1e-12)
    yield _state()
    yield _intervals()
    yield _static()
    yield _smaller()
    yield _equivalent()
    yield unchecked_claim("CFR's ideas could be brought into RL", "section 5.4", "left to the future", "future work")
    yield unchecked_claim(
        "it could serve robots, computing systems or art", "section 5.4", "left to the future", "future work"
    )


def _ucb() -> Claim:
    """Section 2.1.3 adds the bonus to the last upper confidence bound instead of the mean."""
    printed = 0.0
    for visit in range(1, VISITS + 1):
        printed += sqrt(2 * log(VISITS) / visit)
    right = REWARD + sqrt(2 * log(VISITS) / VISITS)
    words = f"an arm that always pays {REWARD:g}: mean and bonus are {right:.2f}; printed, all bonuses add up"
    ours = f"{printed:.0f} after {VISITS:,} visits"
    statement = "UCB(t) = UCB(t − 1) + bonus bounds what an arm pays"
    return Claim(statement, "section 2.1.3", f"{right:.2f}", ours, verdict(abs(printed - right) < 0.01), words)


def _regret() -> Iterator[Claim]:
    """Section 2.4: whose regret is less is chosen, it says; its formula chooses whose is more."""
    values = np.array([1.0, 0.0])
    regret = np.maximum(values - values.mean(), 0)
    policy = regret / regret.sum()
    less = int(policy.argmax()) == int((values - values.mean()).argmin())
    words = f"two actions worth 1 and 0: by its own formula the first, of regret {regret[0]:+g}, is played always"
    ours = "less" if less else "more"
    yield Claim("players choose the action with less regret", "section 2.4", "less", ours, verdict(less), words)
    reach, worth = np.array([0.1, 0.3]), np.array([2.0, 4.0])  # two histories of one information set
    right = float(reach @ worth / reach.sum())
    printed = float((reach / reach.sum()) @ worth / (reach.sum() * right))
    words = "two histories, reached with .1 and .3, where it pays 2 and 4: printed, it is divided by Pr(I) Q(I)"
    statement, ours = "Q(a | I) is the mean over the set's histories", f"{printed:g} instead of {right:g}"
    yield Claim(statement, "section 2.4", f"{right:g}", ours, verdict(abs(printed - right) < 1e-9), words)


def _algorithm_1() -> Claim:
    """Algorithm 1's SIMULATE goes on with ROLLOUT, so that no history below the first action is ever added."""
    printed, meant = (deepest(goes_on) for goes_on in (False, True))
    words = (
        f"longest history in the tree after {VISITS:,} simulations of {STEPS} steps: SIMULATE calls ROLLOUT, which "
        f"adds nothing; calling itself, as Silver and Veness have it and as is built, it comes to {meant}"
    )
    statement, ours = "POMCP's tree grows with simulations", f"{printed} steps deep"
    return Claim(statement, "algorithm 1", "it grows", ours, verdict(printed == meant), words)


def deepest(goes_on: bool) -> int:
    """The length of the longest history that is in the tree, where two actions are tried in turn at every step."""
    tree, visits = set[tuple[int, ...]](), Counter[tuple[int, ...]]()

    def simulate(history: tuple[int, ...]) -> None:
        if len(history) == STEPS:
            return
        if history not in tree:
            tree.add(history)
            return
        visits[history] += 1
        if goes_on:  # else ROLLOUT, which is no part of the tree
            simulate((*history, visits[history] % 2))

    for _ in range(VISITS):
        simulate(())
    return max(map(len, tree))


def _applicable() -> Claim:
    """Section 2.5: "existing techniques, including RL, CFR, and MCTS, are not applicable in King Up"."""
    won = fb.match("king-up", "is-mcts(simulations=100)", "uniform", "uniform", games=GAMES, seed=1).players[0]
    low, high = won.wins_interval
    words = f"IS-MCTS (2012), 100 simulations a move, {GAMES} games against two random players: {low:.2f} to {high:.2f}"
    ours = f"wins {won.wins:.0%}"
    said = "refuted" if low > FAIR else "not reproduced"
    return Claim("existing tree search is not applicable to King Up", "section 2.5", "not", ours, said, words)


def _state() -> Claim:
    """Section 4.1: lists, rejection cards and where pieces are; who moves is not among them."""
    game = fb.game(SMALLER)
    rows = public_state_graph(game).rows
    kept = np.ones(rows.shape[1], bool)
    kept[[MOVER, LEFT]] = False
    unique = len(np.unique(rows[:, kept], axis=0))
    words = (
        f"public states of {SMALLER} that differ in cards or places, of all: who moves and what is left to set count"
    )
    ours = f"{unique:,} of {len(rows):,}"
    statement = "lists, cards and places determine the state"
    return Claim(statement, "section 4.1", "they do", ours, verdict(unique == len(rows)), words)


def _intervals() -> Claim:
    """The printed ± of all 42 winning rates against the normal approximation of section 4.3."""
    rates = [rate for wins, _ in ROWS.values() for rate in wins]
    computed = [1.96 * sqrt(rate * (1 - rate) / 1_000) for rate in rates]
    right = sum(abs(ours - printed) <= 0.0011 for ours, printed in zip(computed, HALVES))
    worst = max(abs(ours - printed) for ours, printed in zip(computed, HALVES))
    words = f"1.96 standard deviations of 1,000 games, to one in the third place; the worst is {worst:.4f} off"
    ours = f"{right} of {len(rates)}"
    return Claim("the intervals are binomial, 95 %", PLACE, "z = 1.96", ours, verdict(right == len(rates)), words)


def _static() -> Claim:
    """Section 5.2: "if there are all static nodes, the procedure will degrade to CFR"."""
    ours = search_exploitability("rm")
    cfr = fb.solve("rock-paper-scissors(biased=true)", "cfr", iterations=SWEEPS).gap / 2
    words = f"biased rock-paper-scissors: RM after a million simulations, CFR after {SWEEPS:,}; RM adds up no regrets"
    shown = f"{ours:.4f} against {cfr:.4f}"
    return Claim(
        "with static nodes alone it is CFR", "section 5.2", "no different", shown, verdict(ours <= 2 * cfr), words
    )


def _smaller() -> Claim:
    """Section 5.2: nodes of the public tree and of the game tree."""
    shown, fewer = [], True
    for spec in TREES:
        tree = forms.tree(fb.game(spec))
        public = {_public(tree, node) for node in range(tree.size) if tree.mover[node] >= 0}
        moves = int((tree.mover >= 0).sum())
        shown.append(f"{spec.split('(')[0]} {len(public)} of {moves:,}")
        fewer = fewer and len(public) < moves
    words = "public histories of all nodes at which somebody moves; what is believed there is kept in them"
    return Claim(
        "a public tree is smaller than CFR's", "section 5.2", "smaller", ", ".join(shown), verdict(fewer), words
    )


def _public(tree: forms.Tree, node: int) -> tuple[object, ...]:
    """What everybody has seen at a node."""
    first, *rest = tree.history(0, int(tree.memory[node, 0]))
    return (first.public, *(seen.public for _, seen in rest))


def _equivalent() -> Claim:
    """Section 5.3: RM "shows equivalent performance", by its own table 4.2."""
    shares: dict[str, list[float]] = {"UCB": [], "RM": []}
    for seating, (wins, _) in ROWS.items():
        if set(seating) == set(shares):
            for name, rate in zip(seating, wins):
                shares[name].append(rate)
    won = {name: mean(rates) for name, rates in shares.items()}
    words = "mean winning rates of the printed rows in which both play, and no others do; a fair share is 0.333"
    ours = f"UCB {won['UCB']:.3f}, RM {won['RM']:.3f}"
    holds = abs(won["UCB"] - won["RM"]) < 0.03  # what 1,000 games leave open
    return Claim("RM shows performance equivalent to UCB's", "section 5.3", "equivalent", ours, verdict(holds), words)


ROUNDS = 20_000
LONG = 1_000_000
Rule = Literal["ucb", "rm", "regret"]
RULES: tuple[Rule, ...] = ("ucb", "rm", "regret")


def generalisation_claims() -> Iterator[Claim]:
    """The value converges by symmetry; what is played does not."""
    found = fb.solve("rock-paper-scissors", f"pomcp-pgt(simulations={ROUNDS})", seed=1)
    words = "UCB; by symmetry, whatever is played"
    statement = "rock-paper-scissors comes to a value of .5 after 20,000 rounds"
    yield compare_figure(statement, "figure 4.14", 0.5, found.value, words, 0.02)
    exploited = {rule: search_exploitability(rule) for rule in RULES}
    words = ", ".join(f"{rule} {value:.4f}" for rule, value in exploited.items())
    yield Claim(
        "its policy reaches Nash equilibrium", "sections 4.5 and 5.3", "it does",
        f"UCB {exploited['ucb']:.3f}, RM {exploited['rm']:.3f} exploitable",
        verdict(max(exploited["ucb"], exploited["rm"]) < 0.005),
        f"where the equilibrium is not uniform (.4, .4, .2), {LONG:,} simulations: exploitability {words}; `regret` is "
        "cumulative regret matching, which the document does not have",
    )  # fmt: skip
    yield _printed_mean()


def search_exploitability(rule: Rule, simulations: int = LONG) -> float:
    """What the best reply earns against the mixture that a search of biased rock-paper-scissors comes to, halved."""
    from fogbound.solvers.search.planner import opening
    from fogbound.solvers.search.pomcp_pgt import POMCPPGT
    from fogbound.solvers.search.sampled import compiled_rules_of
    from fogbound.solvers.search.tree_search import TreeSearch

    game = fb.game("rock-paper-scissors(biased=true)")
    compiled = compiled_rules_of(game)
    form = fb.forms.normal(game)
    state = game.start().pairs[0][0].state
    mixtures = []
    for player in range(2):
        search = TreeSearch(compiled, POMCPPGT(rule=rule).way(), opening(compiled), player, 1)
        search.run(simulations)
        found = search.decision([compiled.action_code(action) for action in game.actions(state, player)])
        mixtures.append(found.policy if rule == "rm" else found.average)
    rows, columns = mixtures
    values = [np.einsum("ij,i,j->", form.payoff[:, :, k], rows, columns) for k in range(2)]
    best = (form.payoff[:, :, 0] @ columns).max(), (rows @ form.payoff[:, :, 1]).max()
    return float(sum(best) - sum(values)) / 2


def _printed_mean() -> Claim:
    """The update of Algorithm 2 as printed, on a reward that is always the same."""
    value, reward = 0.0, 0.3
    for visit in range(1, 1_001):
        value += reward / visit
    return Claim(
        "Q + reward / visit is the expected value", "algorithm 2", "0.3", f"{value:.2f} after 1,000 visits",
        verdict(abs(value - reward) < 0.01),
        "a reward of .3 every time: the printed sum grows without end; (reward - Q) / visit is meant and built",
    )  # fmt: skip
