"""Random machine-maintenance POMDPs with a discount near 1, as `.pomdp` text.

    python -m benchmarks.maintenance [SEED …]                     the models
    python -m benchmarks.maintenance --solve SECONDS [SEED …]     what sarsop certifies, beside the best of all cycles

A machine wears through levels that are not seen (Smallwood and Sondik 1973 have the smallest such model). To
manufacture pays less the more it is worn, and shows a rough measure of the product; to inspect costs and mostly shows
whether the wear is high; to repair takes it back some levels, to replace to the first, at a price. Good play repeats a
short cycle for ever, which is what searches with a discount near 1 find hard. Seeds 0 to 3 are for tuning, 99 was not
looked at while the solver was tuned.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import fogbound as fb

ACTIONS = ("manufacture", "inspect", "repair", "replace")


Model = tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[str, float]]


def machine(seed: int, levels: int = 24) -> Model:
    """By action: transitions [levels, levels], rewards [levels], and how much an observation says."""
    rng = np.random.default_rng(seed)
    wear = np.zeros((levels, levels))
    for s in range(levels):
        steps = rng.dirichlet([6.0, 3.0, 1.0])
        for k, p in enumerate(steps):
            wear[s, min(s + k, levels - 1)] += p
    back = np.zeros((levels, levels))
    for s in range(levels):
        back[s, max(0, s - int(rng.integers(3, 9)))] = 0.9
        back[s, s] += 0.1
    first = np.zeros((levels, levels))
    first[:, 0] = 1.0
    moves = {"manufacture": wear, "inspect": np.eye(levels), "repair": back, "replace": first}
    worn = np.arange(levels) / (levels - 1)
    paid = {
        "manufacture": 1.0 - 1.6 * worn ** float(rng.uniform(0.8, 1.6)),
        "inspect": np.full(levels, -float(rng.uniform(0.05, 0.2))),
        "repair": np.full(levels, -float(rng.uniform(0.4, 1.0))),
        "replace": np.full(levels, -float(rng.uniform(2.0, 4.0))),
    }
    sharp = {"manufacture": 0.2, "inspect": 0.8, "repair": 0.0, "replace": 0.0}
    return moves, paid, sharp


def maintenance(seed: int, levels: int = 24, discount: float = 0.99999) -> str:
    """The model's text: `levels` states, four actions, two observations."""
    moves, paid, sharp = machine(seed, levels)
    worn = np.arange(levels) / (levels - 1)
    lines = [f"discount: {discount!r}", "values: reward", f"states: {levels}", f"actions: {' '.join(ACTIONS)}"]
    lines += ["observations: good bad", f"start: {' '.join(['1.0'] + ['0.0'] * (levels - 1))}", ""]
    for action in ACTIONS:
        lines += [f"T: {action}", *(" ".join(map(repr, row)) for row in moves[action].tolist()), ""]
        bad = 0.5 + sharp[action] * (worn - 0.5)
        lines += [f"O: {action}", *(f"{1 - p!r} {p!r}" for p in bad.tolist()), ""]
        lines += [f"R: {action} : {s} : * : * {r!r}" for s, r in enumerate(paid[action].tolist())]
    return "\n".join(lines) + "\n"


def best_cycle(seed: int, longest: int = 10, discount: float = 0.99999) -> tuple[float, tuple[int, ...]]:
    """The best of all cycles of up to `longest` actions by enumeration: its value from the start, and its actions."""
    moves, paid, _ = machine(seed)
    step = np.array([discount * moves[action] for action in ACTIONS])
    parts = {0: (np.eye(len(step[0]))[None], np.zeros((1, len(step[0]))))}  # by length, of all sequences in order
    best: tuple[float, tuple[int, ...]] = (-np.inf, ())
    for length in range(1, (longest + 1) // 2 + 1):
        after, earned = parts[length - 1]
        reward = np.array([paid[action] for action in ACTIONS])
        totals = reward[:, None] + np.einsum("aij,kj->aki", step, earned)
        parts[length] = (step[:, None] @ after).reshape(-1, *after.shape[1:]), totals.reshape(-1, len(step[0]))
    for length in range(1, longest + 1):
        head, tail = parts[length // 2], parts[length - length // 2]
        for number, (P, r) in enumerate(zip(*head)):
            value = np.linalg.solve(np.eye(len(P)) - P @ tail[0], (r + tail[1] @ P.T)[..., None])[:, 0, 0]
            if value.max() > best[0]:
                sequence = np.unravel_index(number * len(tail[0]) + int(value.argmax()), (len(step),) * length)
                best = float(value.max()), tuple(int(action) for action in sequence)
    return best


def solved(seed: int, seconds: float) -> str:
    """A line of the table: the best cycle, what sarsop finds in that time, whether that is certified."""
    cycle, actions = best_cycle(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "machine.pomdp"
        path.write_text(maintenance(seed))
        found = fb.solve(str(path), "sarsop", seconds=seconds, certify=True)
    named = " ".join(ACTIONS[action] for action in actions)
    figures = f"{cycle:10,.0f}  {found.lower:10,.0f}  {found.upper:10,.0f}  {found.gap:8,.0f}"
    return f"{seed:4}  {figures}  {found.certified}  {found.seconds:5.1f} s  {named}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--solve"]:
        print("seed  best cycle       lower       upper       gap  certified")
        for seed in map(int, sys.argv[3:] or range(4)):
            print(solved(seed, float(sys.argv[2])), flush=True)
    else:
        for seed in map(int, sys.argv[1:] or range(4)):
            print(maintenance(seed))
