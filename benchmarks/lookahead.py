"""What `lookahead` earns, and how long it thinks: 1,000 games with exact beliefs and a hidden state that is drawn.

Beside it stand published figures of DESPOT and POMCP at one second a move (Ye, Somani, Hsu and Lee 2017), quoted
second hand. Equal beliefs are searched once, whoever holds them, so the time is that of a search, in CPU seconds.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import fogbound as fb
from benchmarks.text import aligned
from fogbound.core.policy import Strategy
from fogbound.solvers.search.lookahead import LookaheadPolicy, Looked

GAMES, SEED = 1_000, 1
NODES = (100, 300, 1_000)
QUOTED = {"tag": (-6.23, -7.14), "rock-sample(size=7, rocks=8)": (20.93, 16.80)}  # DESPOT, POMCP


class Timed(LookaheadPolicy):
    """A policy that counts its searches."""

    def look(self, memory: Any, actions: Any) -> Looked | None:
        began = time.thread_time()
        looked = super().look(memory, actions)
        self.__dict__.setdefault("spent", []).append(time.thread_time() - began)
        return looked


def measure(rounds: int) -> dict[str, Any]:  # noqa: ARG001 - a round is 1,000 games: once is enough
    """Each model's figures, ready for JSON."""
    fb.solve("tiger", "lookahead(nodes=10)")  # compiled, or read from the cache
    return {spec: [_played(spec, nodes) for nodes in NODES] for spec in QUOTED}


def _played(spec: str, nodes: int) -> dict[str, Any]:
    form = fb.forms.pomdp(fb.game(spec))
    policy = Timed(form, nodes)
    played = fb.evaluation.simulate(form, _ready(policy), GAMES, np.random.default_rng(SEED))
    spent = policy.__dict__["spent"]
    return {
        "nodes": nodes,
        "mean": played.mean,
        "half": played.sampled[1] - played.mean,
        "milliseconds": 1e3 * sum(spent) / len(spent),
        "searches": len(spent),
    }


def _ready(policy: LookaheadPolicy) -> Strategy:
    """The bounds that it begins with are made before anybody counts."""
    policy._search.plant(0, np.ones(1))
    return policy


def show(results: dict[str, Any]) -> str:
    """A table for people."""
    header = ("lookahead, 1,000 games", "beliefs", "mean, 95 %", "ms a search", "DESPOT, POMCP at 1 s (quoted)")
    rows = [
        (
            spec,
            f"{line['nodes']:,}",
            f"{line['mean']:.2f} ± {line['half']:.2f}",
            f"{line['milliseconds']:.1f}",
            ", ".join(f"{figure:.2f}" for figure in QUOTED[spec]),
        )
        for spec, lines in results.items()
        for line in lines
    ]
    return aligned(header, rows)
