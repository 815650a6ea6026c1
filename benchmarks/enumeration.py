"""From the Python game to the sequence form: how fast, beside OpenSpiel's traversals of the same game.

Fogbound's figure includes everything from the author's four methods to the arrays that solvers run on: states,
nodes, information sets, sequences and payoffs. OpenSpiel's walks keep nothing or the information sets alone; its
games are written in C++. CPU time, warm (kernels loaded), but every round builds the game anew and
empties the caches that its module keeps; rounds alternate between all that is compared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks import peer
from benchmarks.peer import PeerGame
from benchmarks.text import aligned, milliseconds, rate
from benchmarks.timing import Timing, cpu
from benchmarks.whole_history import WholeHistory
from fogbound.core.game import AnyGame
from fogbound.forms.sequence import SequenceForm, sequence
from fogbound.forms.table import enumerate_table
from fogbound.forms.tree import tree
from fogbound.games import make

STAGES = ("table", "tree", "sequence")


@dataclass(frozen=True)
class Row:
    """One line of the benchmark: a game, OpenSpiel's version of it, and what is wanted."""

    name: str
    game: Callable[[], AnyGame]
    peer: PeerGame | None = None
    nodes_per_second: float = 0.0  # wanted; 0 = no target
    seconds: float = 0.0  # wanted; 0 = no target


LEDUC = PeerGame("leduc_poker")
BIDS = PeerGame("goofspiel", {"imp_info": True, "num_cards": 5, "points_order": "descending"}, simultaneous=True)
ROWS = (
    Row("leduc", lambda: make("leduc"), LEDUC, 300_000),
    Row("leduc, whole history", lambda: WholeHistory(make("leduc")), LEDUC, 150_000),
    Row("liars-dice", lambda: make("liars-dice"), PeerGame("liars_dice"), 2_000_000, 0.3),
    Row("goofspiel(cards=5)", lambda: make("goofspiel(cards=5)"), BIDS),
    Row("tic-tac-toe", lambda: make("tic-tac-toe"), PeerGame("tic_tac_toe")),
    Row("card-poker(ranks=8)", lambda: make("card-poker(ranks=8)")),
)


def measure(rounds: int) -> dict[str, Any]:
    """Every row's figures, ready for JSON."""
    pyspiel = peer.find()
    return {
        "peer": f"OpenSpiel {peer.release()}" if pyspiel else None,
        "rounds": rounds,
        "rows": [_row(row, pyspiel, rounds) for row in ROWS],
    }


def _row(row: Row, pyspiel: Any, rounds: int) -> dict[str, Any]:
    game = row.peer.load(pyspiel) if pyspiel and row.peer else None
    walks = peer.walks(pyspiel, game) if game else {}
    _build(row)  # loads the kernels
    builds: list[dict[str, float]] = []
    walked: dict[str, list[float]] = {name: [] for name in walks}
    for _ in range(rounds):
        seconds, states, form = _build(row)
        builds.append(seconds)
        nodes, infosets = form.tree.size, len(form.tree.set_memory)
        del form
        for name, walk in walks.items():
            walked[name].append(cpu(walk)[0])
    took = {stage: Timing.of(build[stage] for build in builds) for stage in builds[0]}
    speed = nodes / took["all"].best
    return {
        "game": row.name,
        "states": states,
        "nodes": nodes,
        "information_sets": infosets,
        "seconds": {stage: vars(timing) for stage, timing in took.items()},
        "nodes_per_second": speed,
        "peers": _peers(game, walked, speed),
        "targets": _targets(row, speed, took["all"].best),
    }


def _build(row: Row) -> tuple[dict[str, float], int, SequenceForm]:
    """CPU seconds of each stage and of all, the number of states, and the sequence form."""
    game = _fresh(row)
    first, states = cpu(lambda: enumerate_table(game))
    second, nodes = cpu(lambda: tree(states))
    third, form = cpu(lambda: sequence(nodes))
    seconds = dict(zip(STAGES, (first, second, third)))
    return seconds | {"all": first + second + third}, states.size, form


def _fresh(row: Row) -> AnyGame:
    """The game newly made, with nothing that an earlier round left in `functools.cache`."""
    game = row.game()
    inner = getattr(game, "game", game)
    for value in vars(sys.modules[type(inner).__module__]).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()
    return game


def _peers(game: Any, walked: dict[str, list[float]], speed: float) -> dict[str, Any]:
    """The peer's figures by walk; `ratio` is Fogbound's speed over the peer's, each by its own count of nodes."""
    if not walked:
        return {}
    nodes = peer.count(game.new_initial_state())  # deals card by card: a few nodes more than Fogbound's tree
    found = {}
    for name, seconds in walked.items():
        timing = Timing.of(seconds)
        theirs = nodes / timing.best
        found[name] = {
            "nodes": nodes,
            "seconds": vars(timing),
            "nodes_per_second": theirs,
            "ratio": speed / theirs,
        }
    return found


def _targets(row: Row, speed: float, seconds: float) -> list[dict[str, Any]]:
    targets = []
    if row.nodes_per_second:
        met = speed >= row.nodes_per_second
        targets.append({"target": f">= {rate(row.nodes_per_second)} nodes/s", "found": rate(speed), "met": met})
    if row.seconds:
        met = seconds < row.seconds
        targets.append({"target": f"< {row.seconds:g} s in all", "found": f"{seconds:.3f} s", "met": met})
    return targets


def show(result: dict[str, Any]) -> str:
    """The figures as text."""
    rows = result["rows"]
    parts = [
        "From the Python game to the sequence form: CPU milliseconds, best of "
        f"{result['rounds']} rounds (the median of all three beside it)",
        _own(rows),
        "",
    ]
    if result["peer"]:
        parts += [f"The same game in {result['peer']}, in the same rounds (ratio = Fogbound's nodes/s over the peer's)"]
        parts += [_beside(rows), ""]
        parts += [f"  {name}: {what}" for name, what in peer.WALKS.items()]
        parts += ["  Fogbound: states, nodes, information sets, sequences and payoffs, from rules written in Python"]
    else:
        parts.append(peer.INSTALL)
    return "\n".join(parts)


def _own(rows: list[dict[str, Any]]) -> str:
    header = ("game", "states", "nodes", *STAGES, "all", "median", "nodes/s", "target")
    lines = []
    for row in rows:
        seconds = row["seconds"]
        best = [milliseconds(seconds[stage]["best"]) for stage in (*STAGES, "all")]
        targets = ", ".join(f"{t['target']}: {'met' if t['met'] else 'NOT met'}" for t in row["targets"])
        median = milliseconds(seconds["all"]["median"])
        counts = (f"{row['states']:,}", f"{row['nodes']:,}")
        lines.append((row["game"], *counts, *best, median, rate(row["nodes_per_second"]), targets or "-"))
    return aligned(header, lines)


def _beside(rows: list[dict[str, Any]]) -> str:
    header = ("game", "Fogbound nodes/s", *(part for name in peer.WALKS for part in (name, "ratio")))
    lines = []
    for row in rows:
        found = [row["peers"].get(name) for name in peer.WALKS]
        cells = [c for f in found for c in ((rate(f["nodes_per_second"]), f"{f['ratio']:.2f}") if f else ("-", "-"))]
        lines.append((row["game"], rate(row["nodes_per_second"]), *cells))
    return aligned(header, lines)
