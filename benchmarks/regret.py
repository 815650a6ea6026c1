"""The CFR family beside OpenSpiel's C++ solvers: iterations a second, time to a gap, one exploitability call."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import peer, timing
from benchmarks.peer import PeerGame
from benchmarks.text import aligned, rate
from fogbound import evaluation, forms
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Context, Until
from fogbound.driver.solve import run_solver
from fogbound.games import make
from fogbound.solvers import make as solver
from fogbound.solvers.regret.minimiser import sequence_layout

GAP = 1e-4  # of exploitability, which is half of ours
GAMES: dict[str, tuple[PeerGame, int, int]] = {  # peer's game; iterations a round: ours, the peer's
    "leduc": (PeerGame("leduc_poker"), 4_000, 10),
    "liars-dice": (PeerGame("liars_dice"), 150, 1),
    "goofspiel(cards=5)": (
        PeerGame("goofspiel", {"num_cards": 5, "imp_info": True, "points_order": "descending"}, simultaneous=True),
        1_500,
        4,
    ),
}
TARGETS = {  # ratio asked for, by (game, row)
    ("leduc", "cfr-plus, iterations/s"): 300,
    ("liars-dice", "cfr-plus, iterations/s"): 150,
    ("leduc", "external sampling, iterations/s"): 4,
    ("liars-dice", "external sampling, iterations/s"): 4,
    ("leduc", "exploitability calls/s"): 300,
    ("leduc", "seconds to exploitability 1e-4, kernel"): 300,
    ("leduc", "seconds to exploitability 1e-4, whole process"): 15,
}
PROCESS = (
    "from fogbound import forms; from fogbound.games import make; from fogbound.driver.solve import run_solver;"
    "from fogbound.driver.options import RunOptions; from fogbound.driver.protocol import Until;"
    "from fogbound.solvers import make as solver;"
    "run_solver(solver('dcfr'), forms.sequence(make('leduc')), RunOptions(Until(gap=2e-4), check_seconds=None))"
)


def measure(rounds: int) -> dict[str, Any]:
    """Rates of both sides, alternating rounds, CPU seconds, medians."""
    pyspiel = peer.find()
    rows = []
    for spec, (theirs, mine, many) in GAMES.items():
        form = forms.sequence(make(spec))
        game = theirs.load(pyspiel) if pyspiel else None
        rows += [
            _iterations(spec, form, pyspiel, game, mine, many, rounds),
            _sampling(spec, form, pyspiel, game, rounds),
        ]
        rows.append(_exploitability(spec, form, pyspiel, game, min(rounds, 3)))
    rows += _to_gap(pyspiel, rounds)
    return {"release": peer.release() if pyspiel else None, "rows": rows}


def _rates(ours: Callable[[], float], theirs: Callable[[], float] | None, rounds: int) -> tuple[float, float | None]:
    """Medians over alternating rounds; each call returns a rate."""
    pairs = [(ours(), theirs() if theirs else None) for _ in range(rounds)]
    peers = [p for _, p in pairs if p is not None]
    return statistics.median(o for o, _ in pairs), statistics.median(peers) if peers else None


def _row(spec: str, what: str, ours: float, theirs: float | None, higher: bool = True) -> dict[str, Any]:
    ratio = None if theirs is None else (ours / theirs if higher else theirs / ours)
    return {
        "game": spec,
        "what": what,
        "ours": ours,
        "peer": theirs,
        "ratio": ratio,
        "target": TARGETS.get((spec, what)),
    }


def _running(spec: str, form: Any, iterations: int) -> Callable[[], float]:
    """Iterations a second of one of our solvers, without the answers in between (the peer gives none)."""
    laid = sequence_layout(form)

    def run() -> float:
        method: Any = solver(spec)
        advance = method.advance(form, laid, Context(np.random.default_rng(0)))
        return iterations / timing.cpu(lambda: advance(iterations))[0]

    return run


def _iterations(spec: str, form: Any, pyspiel: Any, game: Any, mine: int, many: int, rounds: int) -> dict[str, Any]:
    ours = _running("cfr-plus", form, mine)
    ours()  # warm
    theirs = None
    if pyspiel:
        plus = pyspiel.CFRPlusSolver(game)
        theirs = lambda: many / _spent(plus, many)  # noqa: E731
    return _row(spec, "cfr-plus, iterations/s", *_rates(ours, theirs, rounds))


def _sampling(spec: str, form: Any, pyspiel: Any, game: Any, rounds: int) -> dict[str, Any]:
    ours = _running("mccfr", form, 20_000)
    ours()
    theirs = None
    if pyspiel:
        walker = pyspiel.ExternalSamplingMCCFRSolver(game, 1, pyspiel.MCCFRAverageType.SIMPLE)
        theirs = lambda: 2_000 / timing.cpu(lambda: [walker.run_iteration() for _ in range(2_000)])[0]  # noqa: E731
    return _row(spec, "external sampling, iterations/s", *_rates(ours, theirs, rounds))


def _exploitability(spec: str, form: Any, pyspiel: Any, game: Any, rounds: int) -> dict[str, Any]:
    uniform = [plex.uniform for plex in form.plexes]
    evaluation.exploitability(form, uniform)
    ours = lambda: 20 / timing.cpu(lambda: [evaluation.exploitability(form, uniform) for _ in range(20)])[0]  # noqa: E731
    theirs = None
    if pyspiel:
        plus = pyspiel.CFRPlusSolver(game)  # must outlive its policy, which only points into it
        theirs = lambda: 1 / timing.cpu(lambda: pyspiel.nash_conv(game, plus.average_policy()))[0]  # noqa: E731
    return _row(spec, "exploitability calls/s", *_rates(ours, theirs, rounds))


def _to_gap(pyspiel: Any, rounds: int) -> list[dict[str, Any]]:
    """Leduc to exploitability 1e-4: our kernel and our whole process, beside the peer's CFR+ (asked now and then)."""
    form = forms.sequence(make("leduc"))
    options = RunOptions(Until(gap=2 * GAP), check_seconds=None)
    kernel = statistics.median(timing.cpu(lambda: run_solver(solver("dcfr"), form, options))[0] for _ in range(rounds))
    process = statistics.median(timing.wall([sys.executable, "-c", PROCESS]) for _ in range(3))
    theirs = _peer_to_gap(pyspiel) if pyspiel else None
    names = ("seconds to exploitability 1e-4, kernel", "seconds to exploitability 1e-4, whole process")
    return [_row("leduc", name, ours, theirs, higher=False) for name, ours in zip(names, (kernel, process))]


def _spent(plus: Any, many: int) -> float:
    """CPU seconds of so many iterations of the peer's solver."""
    return timing.cpu(lambda: [plus.evaluate_and_update_policy() for _ in range(many)])[0]


def _peer_to_gap(pyspiel: Any) -> float:
    """CPU seconds of the peer's CFR+ iterations until its exploitability is 1e-4; the checks are not counted."""
    game = pyspiel.load_game("leduc_poker")
    plus, spent, done = pyspiel.CFRPlusSolver(game), 0.0, 0
    while True:
        many = max(20, done // 8)
        spent += _spent(plus, many)
        done += many
        if pyspiel.exploitability(game, plus.average_policy()) <= GAP:
            return spent


def show(results: dict[str, Any]) -> str:
    """The table, with ratios and targets."""
    lines = []
    for row in results["rows"]:
        peers = "-" if row["peer"] is None else _figure(row, row["peer"])
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:,.1f}x"
        met = (
            "" if row["ratio"] is None or not row["target"] else ("met" if row["ratio"] >= row["target"] else "NOT met")
        )
        target = f">= {row['target']}x: {met}" if row["target"] else "-"
        lines.append([row["game"], row["what"], _figure(row, row["ours"]), peers, ratio, target])
    name = f"OpenSpiel {results['release']}" if results["release"] else "no peer"
    head = ["game", "what", "Fogbound", name, "ratio", "target"]
    note = "" if results["release"] else f"\n{peer.INSTALL}"
    return (
        "Regret minimisation (CPU seconds, medians of alternating rounds; C++ solvers of the peer)\n"
        + aligned(head, lines)
        + note
    )


def _figure(row: dict[str, Any], value: float) -> str:
    return f"{value:.3g} s" if row["what"].startswith("seconds") else (rate(value) if value >= 1000 else f"{value:.3g}")
