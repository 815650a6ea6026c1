"""Games of ours inside OpenSpiel: its C++ CFR+ on our Leduc poker, beside its own Leduc poker, in the same run."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import Any

from benchmarks import peer
from benchmarks.text import aligned
from benchmarks.timing import cpu

ITERATIONS = 10
PAIRS = (("leduc", "leduc_poker"), ("kuhn", "kuhn_poker"), ("liars-dice(sides=4)", "liars_dice(dice_sides=4)"))


def measure(rounds: int) -> dict[str, Any]:
    pyspiel = peer.find()
    if pyspiel is None:
        return {"release": None, "rows": []}
    return {"release": peer.release(), "rows": [rates(pyspiel, *pair, rounds) for pair in PAIRS]}


def rates(pyspiel: Any, ours: str, theirs: str, rounds: int) -> dict[str, Any]:
    """Iterations a CPU second on a game of ours and on OpenSpiel's own."""
    from fogbound.interop.openspiel import to_openspiel

    games = {"ours": to_openspiel(ours), "theirs": pyspiel.load_game(theirs)}
    found: dict[str, list[float]] = {side: [] for side in games}
    for _ in range(rounds):  # in turns, so that a busy moment is everybody's
        for side, game in games.items():
            found[side].append(ITERATIONS / cpu(partial(_iterate, pyspiel.CFRPlusSolver(game)))[0])
    return {"game": ours, "peer": theirs, **{side: median(listed) for side, listed in found.items()}}


def _iterate(solver: Any) -> None:
    for _ in range(ITERATIONS):
        solver.evaluate_and_update_policy()


def show(results: dict[str, Any]) -> str:
    if not results["release"]:
        return f"Games of ours inside OpenSpiel\n{peer.INSTALL}"
    head = ["game", "ours there", "its own", "ratio"]
    rows = [
        [
            f"{row['game']} / {row['peer']}",
            f"{row['ours']:.1f}",
            f"{row['theirs']:.1f}",
            f"{row['ours'] / row['theirs']:.2f}",
        ]
        for row in results["rows"]
    ]
    title = f"OpenSpiel {results['release']}'s C++ CFR+, iterations a CPU second, medians"
    return f"{title}\n{aligned(head, rows)}"
