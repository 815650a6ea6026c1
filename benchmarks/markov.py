"""Markov games: zero-sum iterations beside scipy's linear programs and each other; equilibria of general sums."""

from __future__ import annotations

import statistics
from functools import partial
from typing import Any

import numpy as np

import fogbound as fb
from benchmarks import timing
from benchmarks.text import aligned
from fogbound import forms
from fogbound.certificates.markov import markov_certificate
from fogbound.driver.protocol import Context, Progress
from fogbound.evaluation.markov import markov_behaviours
from fogbound.forms.arrays import Floats
from fogbound.forms.markov import MarkovGame
from fogbound.games import make
from fogbound.solvers import make as solver
from fogbound.solvers.markov.zero_sum import ShapleyOperator

STATES, ACTIONS, GAP = 1_000, 5, 1e-6
STAGES = 40  # matrix games that scipy is asked: every one takes as long
SUCCESSORS = 10
GAMES, CERTIFIED = 300, 1e-8
PROGRAMS = 60  # of these games that the nonlinear program is tried on, too
TARGETS = {"random successors": "0.05 s, 1,000 x linprog", "ring": "1 s, 20 x shapley", "general sum": "99 %, 20 ms"}


def measure(rounds: int) -> dict[str, Any]:
    """CPU seconds, best of rounds; every comparison in the same run."""
    for warm in (_shaped(20, "random", 0.9), _shaped(20, "ring", 0.9)):  # compiled before anything is measured
        for name in ("shapley", "hoffman-karp"):
            _solved(warm, name, GAP)
    return {
        "random successors": _random_successors(rounds),
        "ring": _ring(min(rounds, 3)),
        "soccer": _soccer(rounds),
        "general sum": _general_sum(),
    }


def show(results: dict[str, Any]) -> str:
    """Two tables: zero-sum games, then equilibria of general sums."""
    random, ring, soccer = results["random successors"], results["ring"], results["soccer"]
    ratio = f"{random['linprog'] / random['seconds']:,.0f} x"
    beside = f"scipy linprog {random['linprog']:.1f} s (from {STAGES} stages), {ratio}"
    lines = [["shapley, random successors, discount .9", f"{random['seconds']:.4f}", f"{random['sweeps']}", beside]]
    for one in ring:
        slow = f"shapley {one['shapley']:.1f} s, {one['shapley'] / one['seconds']:,.0f} x" if one["shapley"] else ""
        name = f"hoffman-karp, ring, discount {one['discount']:g}"
        lines.append([name, f"{one['seconds']:.3f}", f"{one['rounds']}", slow])
    for name, seconds in soccer["seconds"].items():
        check = f"check of the certificate {soccer['check']:.2f} s"
        lines.append([f"soccer by {name}, to 1e-9", f"{seconds:.3f}", "", check])
    asked = f"asked: {'; '.join(f'{name} {words}' for name, words in TARGETS.items())}"
    zero_sum = aligned(["zero-sum, 1,000 states x 5 x 5, to 1e-6", "CPU s", "rounds", "beside"], lines)
    rows = []
    for name, one in results["general sum"].items():
        times = f"{1e3 * one['median']:.1f} ms", f"{1e3 * one['mean']:.1f} ms"
        rows.append([name, f"{one['games']}", f"{100 * one['share']:.1f} %", *times])
    header = ["general sum, 2-3 players, 2-6 states, 2-4 actions", "games", "certified 1e-8", "median", "mean"]
    return f"{zero_sum}\n\n{aligned(header, rows)}\n{asked}"


def _solved(form: MarkovGame, name: str, gap: float) -> tuple[Progress, int]:
    """The first answer of a solver whose gap is no more, and how many it took."""
    answers: list[Progress] = []
    for progress in solver(name).run(form, Context(np.random.default_rng(0))):
        answers.append(progress)
        if progress.upper - progress.lower <= gap:
            break
    return answers[-1], len(answers)


def _shaped(states: int, kind: str, discount: float, seed: int = 0) -> MarkovGame:
    """Random rewards; random successors, or those beside a state on a ring."""
    from scipy.sparse import csr_matrix

    rng, rows = np.random.default_rng(seed), states * ACTIONS**2
    if kind == "ring":
        here = np.repeat(np.arange(states), ACTIONS**2)
        after, share = np.stack([(here - 1) % states, (here + 1) % states], axis=1), rng.random(rows)
        prob = np.stack([share, 1 - share], axis=1)
    else:
        after, prob = rng.integers(0, states, (rows, SUCCESSORS)), rng.exponential(size=(rows, SUCCESSORS))
        prob /= prob.sum(axis=1, keepdims=True)
    first = np.arange(0, rows * after.shape[1] + 1, after.shape[1])
    moves = csr_matrix((prob.ravel(), after.ravel(), first), shape=(rows, states))
    by_action = [[moves[ACTIONS * a + b :: ACTIONS**2] for b in range(ACTIONS)] for a in range(ACTIONS)]
    return forms.markov(fb.markov_game(by_action, rng.uniform(-1, 1, (states, ACTIONS, ACTIONS)), discount))


def _random_successors(rounds: int) -> dict[str, Any]:
    """Shapley's iteration with our kernel; what scipy's linprog would take for the same stage games."""
    form = _shaped(STATES, "random", 0.9)
    timed = [timing.cpu(lambda: _solved(form, "shapley", GAP)) for _ in range(rounds)]
    sweeps = timed[0][1][1]
    after = ShapleyOperator(form)(np.zeros(form.size))
    each, _ = timing.cpu(lambda: _by_linprog(form, after))
    return {"seconds": min(t for t, _ in timed), "sweeps": sweeps, "linprog": each / STAGES * STATES * sweeps}


def _by_linprog(form: MarkovGame, after: Floats) -> None:
    """Some of the stage games of the first sweep, one linear program each; `after` is what they are worth."""
    from scipy.optimize import linprog

    for state in range(STAGES):
        payoff = form.reward[form.row[state] : form.row[state + 1], 0].reshape(ACTIONS, ACTIONS)
        constraints = np.hstack([-payoff.T, np.ones((ACTIONS, 1))])
        simplex = np.append(np.ones(ACTIONS), 0.0)[None]
        bounds = [(0, None)] * ACTIONS + [(None, None)]
        found = linprog(np.append(np.zeros(ACTIONS), -1.0), constraints, np.zeros(ACTIONS), simplex, [1.0], bounds)
        if abs(-found.fun - after[state]) > 1e-7:
            raise RuntimeError(f"linprog finds {-found.fun}, the kernel {after[state]}")


def _ring(rounds: int) -> list[dict[str, Any]]:
    """The hard case: information travels slowly, and the future counts."""
    lines = []
    for discount in (0.999, 0.9999):
        form = _shaped(STATES, "ring", discount)
        timed = [timing.cpu(partial(_solved, form, "hoffman-karp", GAP)) for _ in range(rounds)]
        slow = timing.cpu(partial(_solved, form, "shapley", GAP))[0] if discount == 0.999 else None
        lines.append(
            {"discount": discount, "seconds": min(t for t, _ in timed), "rounds": timed[0][1][1], "shapley": slow}
        )
    return lines


def _soccer(rounds: int) -> dict[str, Any]:
    """Littman's game to 1e-9, and the exact check of what was found."""
    form = forms.markov(make("soccer"))
    seconds = {}
    for name in ("shapley", "hoffman-karp"):
        timed = [timing.cpu(partial(_solved, form, name, 1e-9)) for _ in range(rounds)]
        seconds[name] = min(t for t, _ in timed)
    proof = markov_certificate(form, markov_behaviours(form, timed[0][1][0].profile()), 0)
    checked = [timing.cpu(proof.check) for _ in range(rounds)]
    return {"seconds": seconds, "check": min(t for t, _ in checked), "width": checked[0][1].upper - checked[0][1].lower}


def _general_sum() -> dict[str, Any]:
    """Random games: how many are solved, certified, and how long solving took."""
    drawn = np.random.default_rng(7)
    kinds = [[int(drawn.integers(a, b)) for a, b in ((2, 4), (2, 7), (2, 5))] for _ in range(GAMES)]
    games = [_general(players, states, actions, seed) for seed, (players, states, actions) in enumerate(kinds)]
    return {
        "markov-nash": _regrets("markov-nash", games),
        "stochastic-nlp": _regrets("stochastic-nlp", games[:PROGRAMS]),
        "stochastic-nlp, two players, two states, two actions": _regrets(
            "stochastic-nlp", [_general(2, 2, 2, seed) for seed in range(PROGRAMS)]
        ),
    }


def _general(players: int, states: int, actions: int, seed: int) -> MarkovGame:
    rng, shape = np.random.default_rng(1_000 + seed), (states, *(actions,) * players)
    transition = rng.exponential(size=(*shape, states))
    transition /= transition.sum(axis=-1, keepdims=True)
    return forms.markov(fb.markov_game(transition, rng.normal(size=(players, *shape)), 0.95))


def _last(name: str, form: MarkovGame) -> Progress:
    """The last answer of a solver that ends by itself."""
    answers: list[Progress] = list(solver(name).run(form, Context(np.random.default_rng(0))))
    return answers[-1]


def _regrets(name: str, games: list[MarkovGame]) -> dict[str, Any]:
    """Solved, timed, and put before the exact checker."""
    seconds, good = [], 0
    for form in games[:1] + games:  # the first once more, for what is compiled
        spent, progress = timing.cpu(partial(_last, name, form))
        seconds.append(spent)
        proof = markov_certificate(form, markov_behaviours(form, progress.profile()), 0).check()
        good += proof.regret is not None and proof.regret <= CERTIFIED
        if len(seconds) == 1:
            good = 0
    return {
        "games": len(games),
        "share": good / len(games),
        "median": statistics.median(seconds[1:]),
        "mean": statistics.mean(seconds[1:]),
    }
