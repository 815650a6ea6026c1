"""Games whose length depends on what is done, for every family of solvers that normalises rewards, payoffs or values.

Alterations that change no strategy must change values as they should: rewards scaled, shaped by a potential, ends paid
more (without a discount), a constant in every step for ever (with one). A constant in every step until the end makes
another game: there, as everywhere, a profile that is called an equilibrium must be one, by an independent evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from fogbound import evaluation, forms
from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers import make
from tests import naive
from tests.attack.related.relation import Relation
from tests.relations import Scaled
from tests.run import solve
from tests.variable_length import EndsPaid, PaidForEver, PaidPerStep, Shaped, VariableLength, signs

FACTOR, AMOUNT = 3.0, 1.75
CLOSE = 1e-7  # of the largest payoff: what two ways to compute the same may differ by
EXACT, ROUGH = Until(gap=1e-9, iterations=2_000), Until(gap=0.05, iterations=2_000)
Intervals = list[tuple[float, float]]  # for each player that is judged
Shift = list[float]  # what an alteration adds to each player's value


def in_bounds(found: Solution) -> Intervals:
    return [(found.lower, found.upper)]


def by_values(found: Solution) -> Intervals:
    """Of solvers that follow a path, which is the same however rewards are normalised, unless it is lost."""
    if "failed" in found.details:
        return []
    return [(value, value) for value in found.details["values"]]


def by_sum(found: Solution) -> Intervals:
    total = sum(found.details["values"])
    return [(total, total)]


def unjudged(_found: Solution) -> Intervals:
    return []


def markov_regret(game: Any, found: Solution) -> float:
    """The most that anybody can gain in any state, straight from the rules."""
    form = found.profile[0].form  # for the names of its states and actions
    strategies = {
        i: {state: dict(policy.at(s)) for s, state in enumerate(form.states) if form.actions(s, i)}
        for i, policy in found.profile.items()
    }
    value, best = naive.markov(game, form.states, strategies)
    return max(best[state][i] - value[state][i] for state in value for i in range(len(game.players)))


def tree_regret(game: Any, found: Solution) -> float:
    """The most that anybody can gain, by best replies on the tree."""
    return max(evaluation.exploitability(_table(game), found).regrets)


@lru_cache(8)
def _table(game: Any) -> forms.Table:
    return forms.table(game)


@dataclass(frozen=True)
class Family:
    """A solver, the games it takes, and what can be said of its answers to altered games."""

    solver: str
    shape: dict[str, Any] = field(default_factory=dict)
    judged: Callable[[Solution], Intervals] = in_bounds
    regret: Callable[[Any, Solution], float] | None = None  # None: it finds no equilibrium
    until: Until = EXACT
    discounts: tuple[float, ...] = (1.0, 0.75)

    def drawn(self, seed: int) -> VariableLength:
        return VariableLength(seed, **{"discount": self.discounts[seed % len(self.discounts)], **self.shape})

    def solved(self, game: Any) -> Solution:
        solver = make(self.solver)
        table = _table(game)
        form = forms.one_sided(table, 0) if solver.form is OneSided else forms.derive(table, solver.form)
        found = solve(solver, form, self.until, certified=False)
        if self.regret is not None and "failed" not in found.details:
            assert self.regret(game, found) <= CLOSE * _largest(form), f"no equilibrium: {game}"
        return found

    def holds(self, seed: int) -> bool:
        """Whether all alterations of a game change its answer as they should."""
        game = self.drawn(seed)
        plain = self.judged(self.solved(game))
        for altered, factor, shift in alterations(game):
            found, slack = self.judged(self.solved(altered)), CLOSE * _largest(_table(altered))
            if self.judged is by_sum:
                shift = [sum(shift)]
            for (low, high), (lower, upper), more in zip(plain, found, shift):
                assert factor * low + more <= upper + slack, altered
                assert lower <= factor * high + more + slack, altered
        if self.regret is not None:
            self.solved(PaidPerStep(game, AMOUNT))
        return True


def _largest(form: Any) -> float:
    return max(1.0, form.largest)


def alterations(game: VariableLength) -> Iterator[tuple[Any, float, Shift]]:
    """(Another game that is played alike, the factor of its values, what is added to them)."""
    none = [0.0] * len(game.players)
    yield Scaled(game, FACTOR), FACTOR, none
    shaped = Shaped(game, game.seed)
    yield shaped, 1.0, shaped.expected
    per_play = AMOUNT if game.discount == 1 else AMOUNT / (1 - game.discount)
    added = (EndsPaid if game.discount == 1 else PaidForEver)(game, AMOUNT)
    yield added, 1.0, [sign * per_play for sign in signs(game)]


ALONE, HIDDEN = {"sees": ("all",)}, {"sees": ("signals",), "hidden": 2, "choices": 2}
ZERO, MANY = {"pays": "zero"}, {"sees": ("all",) * 3, "choices": 2, "rooms": 2}
TREE = {"sees": ("signals", "signals"), "hidden": 2, "choices": 2, "rooms": 2, "loops": False}
SINGLE = {"ties": False}  # equilibria are isolated, so that rounding cannot choose another of many
BRIEF = {"sees": ("all", "nothing"), "choices": 2, "rooms": 2, "loops": False, **SINGLE}
TEAM = {**TREE, "pays": "alike"}
FAMILIES = {
    "markov-nash": Family("markov-nash", SINGLE, by_values, markov_regret),
    "markov-nash, three players": Family("markov-nash", {**MANY, **SINGLE}, by_values, markov_regret),
    "markov-nash, many equilibria": Family("markov-nash", {}, unjudged, markov_regret),
    "stochastic-nlp": Family("stochastic-nlp(starts=3)", {"rooms": 2, "choices": 2}, unjudged, markov_regret),
    "markov-backward-induction": Family("markov-backward-induction", {"loops": False}, unjudged, markov_regret),
    "markov-backward-induction, three players": Family(
        "markov-backward-induction", {**MANY, "loops": False, "rooms": 3}, unjudged, markov_regret
    ),
    "shapley": Family("shapley", ZERO, in_bounds, markov_regret),
    "hoffman-karp": Family("hoffman-karp", ZERO, in_bounds, markov_regret),
    "value-iteration": Family("value-iteration", ALONE, in_bounds, markov_regret),
    "policy-iteration": Family("policy-iteration", ALONE, in_bounds, markov_regret),
    "quantal-response": Family("quantal-response", BRIEF, by_values, tree_regret),
    "quantal-response of strategies": Family("quantal-response(agent=false)", BRIEF, by_values, tree_regret),
    "lemke-howson": Family("lemke-howson", TREE, unjudged, tree_regret),
    "sequence-lcp": Family("sequence-lcp", TREE, unjudged, tree_regret),
    "support-enumeration": Family("support-enumeration", TREE, unjudged, tree_regret),
    "correlated": Family("correlated", TREE, by_sum),
    "sequence-lp": Family("sequence-lp", {**TREE, **ZERO}, in_bounds, tree_regret),
    "matrix-lp": Family("matrix-lp", {**TREE, **ZERO}, in_bounds, tree_regret),
    "double-oracle": Family("double-oracle", {**TREE, **ZERO}, in_bounds, tree_regret),
    "posg-dp": Family("posg-dp", {**TREE, **ZERO}, in_bounds, tree_regret),
    "cfr-plus": Family("cfr-plus", {**TREE, **ZERO}, in_bounds, until=ROUGH),
    "belief-mdp": Family("belief-mdp", {**HIDDEN, "loops": False}),
    "belief-search": Family("belief-search", {**HIDDEN, "loops": False}, until=ROUGH),
    "sarsop": Family("sarsop", HIDDEN, until=ROUGH),
    "hsvi": Family("hsvi", HIDDEN, until=ROUGH),
    "incremental-pruning": Family("incremental-pruning", {**HIDDEN, "loops": False}, until=ROUGH),
    "pbvi": Family("pbvi(points=20)", HIDDEN, until=Until(gap=0.05, iterations=30)),
    "pg-hsvi": Family("pg-hsvi", {**TREE, **ZERO, "sees": ("signals", "all"), "rooms": 3}, until=ROUGH),
    "pg-hsvi with loops": Family(
        "pg-hsvi", {**TREE, **ZERO, "sees": ("signals", "all"), "loops": True}, until=ROUGH, discounts=(0.5,)
    ),
    "team-search": Family("team-search", TEAM),
}
LENGTHS: dict[str, Relation] = {name: family.holds for name, family in FAMILIES.items()}
