"""Random machine-maintenance POMDPs with a discount near 1, as `.pomdp` text.

    python -m benchmarks.maintenance [SEED …]

A machine wears through levels that are not seen (Smallwood and Sondik 1973 have the smallest such model). To
manufacture pays less the more it is worn, and shows a rough measure of the product; to inspect costs and mostly shows
whether the wear is high; to repair takes it back some levels, to replace to the first, at a price. Good play repeats a
short cycle for ever, which is what searches with a discount near 1 find hard. Seeds 0 to 3 are for tuning, 99 was not
looked at while the solver was tuned.
"""

from __future__ import annotations

import sys

import numpy as np

ACTIONS = ("manufacture", "inspect", "repair", "replace")


def maintenance(seed: int, levels: int = 24, discount: float = 0.99999) -> str:
    """The model's text: `levels` states, four actions, two observations."""
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
    lines = [f"discount: {discount!r}", "values: reward", f"states: {levels}", f"actions: {' '.join(ACTIONS)}"]
    lines += ["observations: good bad", f"start: {' '.join(['1.0'] + ['0.0'] * (levels - 1))}", ""]
    for action in ACTIONS:
        lines += [f"T: {action}", *(" ".join(map(repr, row)) for row in moves[action].tolist()), ""]
        bad = 0.5 + sharp[action] * (worn - 0.5)
        lines += [f"O: {action}", *(f"{1 - p!r} {p!r}" for p in bad.tolist()), ""]
        lines += [f"R: {action} : {s} : * : * {r!r}" for s, r in enumerate(paid[action].tolist())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for seed in map(int, sys.argv[1:] or range(4)):
        print(maintenance(seed))
