"""`python -m tests.verify.write_records [NAME …]`: make the records anew; `git diff` shows what the checker changed.

Evidence that floats were used for is cut to multiples of 1/64, so that a record is the same on every machine; what
that spoils the checker pays for, which is what the records are about.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import fogbound as fb
from fogbound import forms
from fogbound.certificates.markov import markov_certificate
from fogbound.evaluation.markov import markov_behaviours
from fogbound.solvers.one_sided.evidence.proof import bounds_evidence
from fogbound.verify import Array
from tests.forms.test_one_sided import Chart
from tests.verify.made import kuhn, matrix, plain, random_tree, stored, tree, widths
from tests.verify.pomdp_evidence import plan_of_histories, reachable, upper_evidence
from tests.verify.pomdps import exact_value, layered_model
from tests.verify.pomdps import form as pomdp_form
from tests.verify.records import Case, write
from tests.verify.tables import claims, controllers, exact_values, random_game, table
from tests.verify.test_levels import Ladder, layered, relink
from tests.verify.test_one_sided import bounds_of
from tests.verify.test_pomdp_vectors import as_vectors

Arrays = dict[str, Array]


def cut(arrays: Mapping[str, Any]) -> Arrays:
    """Arrays, floats cut to multiples of 1/64."""
    plained = {name: plain(item) if isinstance(item, Array) else np.asarray(item) for name, item in arrays.items()}
    return {name: stored(a if a.dtype.kind != "f" else np.round(a * 64) / 64) for name, a in plained.items()}


def weights(count: int, seed: int) -> Array:
    """A strategy of odd weights, a negative one and a zero among them."""
    return stored(np.random.default_rng(seed).integers(-1, 7, count) / 8)


def trees(kind: str, form: Arrays, value: str = "", rounded: bool = False) -> Case:
    count = sum(widths(form))
    shown = {"strategy": weights(count, 1)}
    if kind.startswith("restricted"):
        shown |= {"trust": stored([0.375]), "free": weights(count, 2)}
    return Case(kind, 1, form, shown, value, rounded)


def mediated(kind: str, form: Arrays) -> Case:
    """Plans of all players with odd weights, of which two name the same moves to player 0."""
    sizes = widths(form)
    plans = np.random.default_rng(5).integers(0, sizes, (6, len(sizes)))
    mine = np.unique(plain(form["infoset"])[plain(form["player"]) == 0])
    plans[3, mine] = plans[0, mine]
    return Case(kind, 1, form, {"plan": stored(plans), "weight": weights(len(plans), 6)}, places=6)


def looks() -> Arrays:
    """Chance, then player 0, who sees it; player 1 sees the move only, and player 0 answers once more."""

    def expand(line: tuple[int, ...]) -> Any:
        if not line:
            return "chance", [(0.25, (0,)), (0.5, (1,)), (0.0, (2,))]
        if len(line) == 1:
            return 0, line, [(*line, 0), (*line, 1), (*line, 2)]
        if len(line) == 2 and line[1]:
            return 1, line[1], [(*line, 0), (*line, 1)]
        if len(line) == 3 and line[2]:
            return 0, line, [(*line, 0), (*line, 1)]
        paid = sum((k + 2) * (3 * move - 2) for k, move in enumerate(line)) / 4
        return "end", [paid, 0.5 - paid]

    return tree((), expand)[0]


def remembered(kind: str, spec: str, rounded: bool = False) -> Case:
    form = {name: stored(array) for name, array in forms.memories(fb.game(spec)).arrays().items()}
    count = int(plain(form["set_size"]).sum())
    shown = {"strategy": weights(count, 3)}
    if kind.startswith("restricted"):
        shown |= {"trust": stored([0.375]), "free": weights(count, 4)}
    return Case(kind, 1, form, shown, "", rounded)


def chained(seed: int, players: int, discount: float) -> Case:
    start, states, each = random_game(seed, players, states=2)
    _, values, steps = exact_values(players, discount, start, states, each)
    said = {x: [float(v) for v in value] for x, value in values.items()}
    waits = {x: 2 * float(w) for x, w in steps.items()}
    form = table(players, discount, start, states)
    shown = cut({**controllers(each), **claims(said, players, waits)})
    return Case("chain-profile", 0, form, fewer(shown, form))


def fewer(shown: Arrays, form: Arrays) -> Arrays:
    """Choices for the lists of legal actions that there are."""
    legal = form["legal_actions"].shape[0]
    for name in [name for name in shown if name.startswith("choice") and name.endswith("key")]:
        kept = plain(shown[name])[:, 1] < legal
        weight = name.replace("key", "weight")
        shown |= {name: stored(plain(shown[name])[kept]), weight: stored(plain(shown[weight])[kept])}
    return shown


def process(seed: int, discount: float, below: str, above: bool = True, rounded: bool = False) -> Case:
    model = layered_model(np.random.default_rng(seed), discount, layers=2, wide=2)
    low = plan_of_histories(model)
    shown: Arrays = {}
    if below == "controller":
        shown |= low
    if below == "vectors":
        shown |= as_vectors(low)
    if above:
        high = upper_evidence(model, reachable(model, 1000))
        if discount == 1:
            high["steps_left"] = stored(2 * plain(high["steps_left"]))
        shown |= high
    return Case("pomdp", 0, pomdp_form(model), cut(shown), str(exact_value(model)), rounded)


LOST = ("over", "end", 0.125)
STEPS = np.array([22.0, 20.0])  # of its two states


def hidden(discount: float, overfull: bool = False) -> Case:
    """A coin that only one sees, tossed again now and then, until somebody is lucky."""
    ends = (("over", "end", 0.5), ("heads", "same", 0.25), ("tails", "same", 0.25))
    rules = {
        side: {
            (a, b): (2.0 * (a == side[0]) - (b == "call") - 0.25, ends if b == "call" else ((side, b, 0.75), *rest))
            for a in "ht"
            for b in ("call", "wait")
        }
        for side, rest in (("heads", (("tails", "wait", 0.125), LOST)), ("tails", (("heads", "wait", 0.125), LOST)))
    }
    form = forms.one_sided(Chart((("heads", "go", 0.75), ("tails", "go", 0.25)), rules, 0.5))
    bounds = bounds_of(form, 0.05, 4)
    arrays = {name: stored(array) for name, array in form.arrays().items()}
    if overfull:  # all that go on do so too often; where play must end, one that changes sides
        chances = plain(arrays["prob"])
        chances[np.flatnonzero(chances == 0.125)[0]] += float(discount == 1)
        arrays["prob"] = stored(chances * (1 if discount == 1 else 1.25))
    shown = bounds_evidence(bounds).arrays
    if discount == 1:  # claims that were made for another game, and how long this one lasts at most
        shown["steps"] = STEPS[: form.size]
    return Case("one-sided", 0, {**arrays, "discount": stored([discount])}, cut(shown), places=8)


def dealt(discount: float) -> Case:
    """A coin is dealt first, which is all that happens; then one bet, in the dark, and it is over."""
    deal = {("go", "deal"): (0.5, (("heads", "dealt", 0.75), ("tails", "dealt", 0.25)))}
    over = (("over", "end", 1.0),)
    bet = {
        side: {(a, b): (3.0 * (a == side[0]) - 2.0 * (b == "call"), over) for a in "ht" for b in ("call", "wait")}
        for side in ("heads", "tails")
    }
    form = forms.one_sided(Chart((("toss", "sure", 1.0),), {"toss": deal, **bet}, 0.75))
    shown = bounds_evidence(bounds_of(form, 0.01, 4)).arrays
    arrays = {name: stored(array) for name, array in form.arrays().items()} | {"discount": stored([discount])}
    if discount == 1:
        shown["steps"] = np.array([4.0, 2.0, 1.5])[: form.size]
    return Case("one-sided", 0, arrays, cut(shown), "3/4" if discount == 1 else "11/16", places=8)


def markov(spec: str, solver: str, iterations: int = 5) -> Case:
    solution = fb.solve(spec, solver, iterations=iterations)
    form = forms.markov(fb.game(spec))
    proof = markov_certificate(form, markov_behaviours(form, solution), 0)
    return Case(proof.kind.name, 0, cut(form.arrays()), cut(proof.evidence))


def recommended() -> Case:
    form = forms.markov(fb.game("horizon(game=random-markov(seed=2, size=2), steps=2)"))
    solution = fb.solve(form, "markov-correlated")
    return Case("markov-correlated", 1, cut(form.arrays()), cut(solution.certificate.evidence))


def team(spec: str, solver: str = "team-search", places: int = 12) -> Case:
    solution = fb.solve(spec, solver)
    proof = solution.certificate
    masses = stored(np.round(proof.evidence["entry_mass"] * 2**40) / 2**40)  # sums of eighths' products, so exact
    shown = {**cut(proof.evidence), "entry_mass": masses}
    return Case("team", 0, {k: stored(v) for k, v in proof.form.items()}, shown, places=places)


def levels(seed: int, discount: float, layers: int, places: int) -> Case:
    made = Ladder(layered(seed, layers=layers), discount, [[1.0], [1.0, 2.0]], [(1, 1), (1, 2)], True)
    shown = cut(made.arrays)
    for player in (0, 1):
        kept = plain(shown[f"a{player}_choice_key"])[:, 1] < made.form["legal_actions"].shape[0]
        for part in ("key", "weight"):
            shown[f"a{player}_choice_{part}"] = stored(plain(shown[f"a{player}_choice_{part}"])[kept])
    relink(shown)
    return Case("level-k", 0, made.form, shown, places=places)


SMALL_TEAM = "random-posg(seed={seed}, seats={seats}, states=2, signals={signals}, rewards=shared)"
CASES: dict[str, Callable[[], Case]] = {
    "tree matrix": lambda: trees("zero-sum-tree", matrix([[2.0, -1.0], [-1.0, 1.0]]), "-1/5"),
    "tree looks": lambda: trees("zero-sum-tree", looks()),
    "tree rounded": lambda: trees("tree-profile", looks(), rounded=True),
    "tree three": lambda: trees("tree-profile", random_tree(4, 3, depth=3)),
    "tree restricted": lambda: trees("restricted-tree", looks()),
    "tree restricted rounded": lambda: trees("restricted-tree", looks(), rounded=True),
    "tree kuhn": lambda: trees("zero-sum-tree", kuhn()[0], "1/18"),
    "mediated": lambda: mediated("correlated", looks()),
    "mediated coarse": lambda: mediated("coarse-correlated", looks()),
    "mediated move by move": lambda: mediated("extensive-form-correlated", looks()),
    "mediated three": lambda: mediated("extensive-form-correlated", random_tree(4, 3, depth=3)),
    "memories": lambda: remembered("zero-sum-memories", "card-poker(ranks=2)"),
    "memories rounded": lambda: remembered("memories-profile", "card-poker(ranks=2)", rounded=True),
    "memories three": lambda: remembered("memories-profile", "random(seed=8, seats=3, depth=2)"),
    "memories restricted": lambda: remembered("restricted-memories", "card-poker(ranks=2)"),
    "memories restricted rounded": lambda: remembered("restricted-memories", "card-poker(ranks=2)", rounded=True),
    "chain": lambda: chained(1, 2, 0.75),
    "chain that ends": lambda: chained(2, 2, 1.0),
    "chain alone": lambda: chained(3, 1, 1.0),
    "pomdp": lambda: process(1, 0.75, "controller"),
    "pomdp that ends": lambda: process(2, 1.0, "controller"),
    "pomdp vectors": lambda: process(1, 0.75, "vectors"),
    "pomdp vectors that end": lambda: process(3, 1.0, "vectors"),
    "pomdp rounded": lambda: process(4, 0.75, "controller", rounded=True),
    "pomdp below": lambda: process(1, 0.75, "controller", above=False),
    "pomdp above": lambda: process(5, 0.5, ""),
    "one-sided": lambda: hidden(0.5),
    "one-sided that ends": lambda: hidden(1.0),
    "one-sided overfull": lambda: hidden(0.5, overfull=True),
    "one-sided that ends, overfull": lambda: hidden(1.0, overfull=True),
    "one-sided dealt": lambda: dealt(0.75),
    "one-sided dealt that ends": lambda: dealt(1.0),
    "levels": lambda: levels(3, 0.75, 1, 2),
    "levels that end": lambda: levels(2, 1.0, 1, 2),
    "markov zero-sum": lambda: markov("random-markov(seed=1, zero_sum=true, size=2)", "shapley"),
    "markov that ends": lambda: markov(
        "random-markov(seed=2, zero_sum=true, ends=0.5, ragged=true, discount=1, size=3)", "shapley"
    ),
    "markov profile": lambda: markov("random-markov(seed=3, seats=3, choices=2, size=2)", "markov-fictitious-play"),
    "markov profile that ends": lambda: markov(
        "random-markov(seed=4, ends=0.5, discount=1, ragged=true, size=2)", "markov-fictitious-play"
    ),
    "markov correlated": recommended,
    "team": lambda: team(f"horizon(game={SMALL_TEAM.format(seed=3, seats=2, signals=3)}, steps=4)", places=1),
    "team three": lambda: team(f"horizon(game={SMALL_TEAM.format(seed=3, seats=3, signals=2)}, steps=3)", places=1),
    "team discounted": lambda: team(
        "random-posg(seed=0, states=2, signals=3, rewards=shared, discount=0.75)", "team-search(horizon=3)", places=1
    ),
    "team cut off": lambda: team("random-posg(seed=1, rewards=shared, discount=0.5)", "team-search(horizon=2)"),
}


def main(chosen: list[str]) -> None:
    for name in chosen or CASES:
        write(name.replace(",", "").replace(" ", "-"), CASES[name]())


if __name__ == "__main__":
    main(sys.argv[1:])
