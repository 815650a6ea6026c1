"""Document 004, section 4.5 and its formulas: rock-paper-scissors, and pseudo-code that does not do what it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

import fogbound as fb
from fogbound_papers.claim import Claim, compare, verdict

ROUNDS = 20_000
LONG = 1_000_000
Rule = Literal["ucb", "rm", "regret"]
RULES: tuple[Rule, ...] = ("ucb", "rm", "regret")


def claims() -> Iterator[Claim]:
    """The value converges by symmetry; what is played does not."""
    found = fb.solve("rock-paper-scissors", f"pomcp-pgt(simulations={ROUNDS})", seed=1)
    yield compare("rock-paper-scissors comes to a value of .5 after 20,000 rounds", "figure 4.14", 0.5, found.value,
                  "UCB; by symmetry, whatever is played", 0.02)  # fmt: skip
    exploited = {rule: exploitability(rule) for rule in RULES}
    words = ", ".join(f"{rule} {value:.4f}" for rule, value in exploited.items())
    yield Claim(
        "its policy reaches Nash equilibrium", "sections 4.5 and 5.3", "it does",
        f"UCB {exploited['ucb']:.3f}, RM {exploited['rm']:.3f} exploitable",
        verdict(max(exploited["ucb"], exploited["rm"]) < 0.005),
        f"where the equilibrium is not uniform (.4, .4, .2), {LONG:,} simulations: exploitability {words}; `regret` is "
        "cumulative regret matching, which the document does not have",
    )  # fmt: skip
    yield _printed_mean()


def exploitability(rule: Rule, simulations: int = LONG) -> float:
    """What the best reply earns against the mixture that a search of biased rock-paper-scissors comes to, halved."""
    from fogbound.solvers.search.planner import opening
    from fogbound.solvers.search.pomcp_pgt import POMCPPGT
    from fogbound.solvers.search.sampled import compiled_rules_of
    from fogbound.solvers.search.tree_search import TreeSearch

    game = fb.game("rock-paper-scissors(biased=true)")
    twin = compiled_rules_of(game)
    form = fb.forms.normal(game)
    state = game.start().pairs[0][0].state
    mixtures = []
    for player in range(2):
        search = TreeSearch(twin, POMCPPGT(rule=rule).way(), opening(twin), player, 1)
        search.run(simulations)
        found = search.decision([twin.action_code(action) for action in game.actions(state, player)])
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
