"""Games stepped in a batch: steps a CPU second, beside one environment at a time and beside OpenSpiel and pgx.

A step is one decision, chosen at random among the legal actions; choosing is not counted. `GAMES` in the environment:
games side by side. Peers that are not installed are left out.
"""

from __future__ import annotations

import importlib.util
import os
import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from benchmarks import peer
from benchmarks.text import aligned
from fogbound.interop.batch import GameBatch

GAMES = int(os.environ.get("GAMES", "1024"))
STEPS, ALONE = 300, 20_000  # calls of a batch, and decisions of one game at a time, in a round
PAIRS = (
    ("kuhn", "information-set", "kuhn_poker", "kuhn_poker"),
    ("leduc", "information-set", "leduc_poker", "leduc_holdem"),
    ("leduc", "history", "leduc_poker", "leduc_holdem"),
    ("liars-dice(sides=4)", "information-set", "liars_dice(dice_sides=4)", ""),
)
COLUMNS = ("batch", "vector", "one", "openspiel", "pgx")


def measure(rounds: int) -> dict[str, Any]:
    return {"games": GAMES, "rows": [rates(*pair, rounds) for pair in PAIRS]}


def rates(game: str, observing: str, theirs: str, arrays: str, rounds: int) -> dict[str, Any]:
    """Steps a CPU second of each way to play, medians of rounds that take turns."""
    ways = {"batch": turns(game, observing), **seats(game, observing), **openspiel(theirs), **pgx_steps(arrays)}
    for way in ways.values():
        way()  # compiled, or read from the cache
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            found[name].append(way())
    return {"game": game, "observing": observing, **{name: median(listed) for name, listed in found.items()}}


def turns(game: str, observing: str) -> Callable[[], float]:
    """All players, as plain arrays."""
    batch, rng = GameBatch(game, GAMES, observing=observing, seed=0), np.random.default_rng(0)

    def run() -> float:
        spent, mask = 0.0, batch.mask
        for _ in range(STEPS):
            actions = (rng.random(mask.shape) * mask).argmax(axis=1)
            start = time.process_time()
            mask = batch.step(actions)[3]
            spent += time.process_time() - start
        return STEPS * GAMES / spent

    return run


def seats(game: str, observing: str) -> dict[str, Callable[[], float]]:
    """One seat against uniform play: as a vector environment, and one environment at a time."""
    if importlib.util.find_spec("gymnasium") is None:
        return {}
    from fogbound.interop.gymnasium import SeatEnv, vector_env

    several = vector_env(game, GAMES, against="uniform", observing=observing)
    alone, rng = SeatEnv(game, against="uniform", observing=observing), np.random.default_rng(0)
    several.reset(seed=0)

    def vector() -> float:
        spent, mask = 0.0, several.action_masks()
        for _ in range(STEPS):
            actions = (rng.random(mask.shape) * mask).argmax(axis=1)
            start = time.process_time()
            mask = several.step(actions)[0]["action_mask"]
            spent += time.process_time() - start
        return STEPS * GAMES / spent

    def one() -> float:
        spent, over, mask = 0.0, True, np.ones(1)
        for _ in range(ALONE):
            action = 0 if over else int((rng.random(len(mask)) * mask).argmax())
            start = time.process_time()
            if over:
                mask = alone.reset()[0]["action_mask"]
                action = int(mask.argmax())
            shown, _, ended, cut, _ = alone.step(action)
            spent += time.process_time() - start
            mask, over = shown["action_mask"], ended or cut
        return ALONE / spent

    return {"vector": vector, "one": one}


def openspiel(name: str) -> dict[str, Callable[[], float]]:
    """Its states in C++, from Python: apply an action or a chance outcome, information state as a tensor."""
    pyspiel = peer.find()
    if pyspiel is None:
        return {}
    game, draws = pyspiel.load_game(name), random.Random(0)

    def run() -> float:
        state, decisions, start = game.new_initial_state(), 0, time.process_time()
        while decisions < ALONE:
            if state.is_terminal():
                state.returns()
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes())
                state.apply_action(draws.choices(outcomes, weights)[0])
            else:
                state.information_state_tensor()
                state.apply_action(draws.choice(state.legal_actions()))
                decisions += 1
        return ALONE / (time.process_time() - start)

    return {"openspiel": run}


def pgx_steps(name: str) -> dict[str, Callable[[], float]]:
    """pgx (Koyamada et al. 2023), its step mapped over the same number of games; games that are over stay so."""
    if not name or importlib.util.find_spec("pgx") is None:
        return {}
    jax, pgx = importlib.import_module("jax"), importlib.import_module("pgx")

    made = pgx.make(name)
    begin, step = jax.jit(jax.vmap(made.init)), jax.jit(jax.vmap(made.step))
    key = jax.random.PRNGKey(0)

    def run() -> float:
        nonlocal key
        key, used = jax.random.split(key)
        state, spent = begin(jax.random.split(used, GAMES)), 0.0
        for _ in range(STEPS):
            mask = np.asarray(state.legal_action_mask)
            start = time.process_time()
            state = step(state, mask.argmax(axis=1))
            state.rewards.block_until_ready()
            spent += time.process_time() - start
        return STEPS * GAMES / spent

    return {"pgx": run}


def show(results: dict[str, Any]) -> str:
    head = ["game", "observing", *COLUMNS, "batch / one", "vector / one"]
    rows = []
    for row in results["rows"]:
        figures = [f"{row[name]:,.0f}" if name in row else "–" for name in COLUMNS]
        ratios = [f"{row[name] / row['one']:.0f}" if "one" in row else "–" for name in ("batch", "vector")]
        rows.append([row["game"], row["observing"], *figures, *ratios])
    missing = "" if peer.find() else f"\n{peer.INSTALL}"
    return f"{results['games']:,} games at once, steps a CPU second on one core\n{aligned(head, rows)}{missing}"
