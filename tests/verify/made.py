"""Small games made by hand for the checker's tests, with nothing of Fogbound in them."""

import itertools
import json
import random
from collections import deque
from fractions import Fraction

import numpy as np

from fogbound.verify import Array, digest


def stored(values) -> Array:
    """A numpy array (or list) as the checker's Array."""
    values = np.ascontiguousarray(values)
    dtype = {"f": "<f8", "i": "<i8", "u": "|u1"}[values.dtype.kind]
    return Array(dtype, values.shape, values.astype(dtype).tobytes())


def plain(array: Array) -> np.ndarray:
    """The way back."""
    return np.frombuffer(array.data, array.dtype).reshape(array.shape).copy()


def tree(root, expand, players=2):
    """Form arrays, breadth first. expand(state): ('end', pays), ('chance', [(p, state)]) or (player, key, [state])."""
    player, parent, prob, infoset, payoff, names = [], [], [], [], [], {}
    queue = deque([(root, -1, 1.0)])
    while queue:
        state, above, chance = queue.popleft()
        node, told = len(player), expand(state)
        parent.append(above)
        prob.append(chance)
        payoff.append(told[1] if told[0] == "end" else [0.0] * players)
        player.append({"end": -2, "chance": -1}.get(told[0], told[0]))
        infoset.append(names.setdefault(told[:2], len(names)) if player[-1] >= 0 else -1)
        if player[-1] == -1:
            queue.extend((after, node, p) for p, after in told[1])
        elif player[-1] >= 0:
            queue.extend((after, node, 1.0) for after in told[2])
    form = {"player": player, "parent": parent, "prob": np.array(prob, float), "infoset": infoset}
    form |= {"players": [players], "payoff": np.array(payoff, float).reshape(-1, players)}
    return {name: stored(values) for name, values in form.items()}, names


def matrix(pays):
    """A matrix game (row player's pay) as a tree: the column player does not see the row."""

    def expand(line):
        if len(line) == 2:
            return "end", [pays[line[0]][line[1]], -pays[line[0]][line[1]]]
        return len(line), "root", [(*line, k) for k in range(len(pays) if not line else len(pays[0]))]

    return tree((), expand)[0]


def kuhn():
    """Kuhn poker and the names of its information sets, (player, (card, line))."""

    def expand(state):
        cards, line = state
        if not cards:
            return "chance", [(1 / 6, (deal, "")) for deal in itertools.permutations(range(3), 2)]
        if line in ("pp", "bp", "bb", "pbp", "pbb"):
            stake = 2.0 if line.endswith("bb") else 1.0
            won = cards[0] > cards[1] if line[-2:] in ("pp", "bb") else line == "bp"
            return "end", [stake, -stake] if won else [-stake, stake]
        player = len(line) % 2
        return player, (cards[player], line), [(cards, line + move) for move in "pb"]

    return tree(((), ""), expand)


def kuhn_equilibrium(names, alpha=Fraction(1, 3)):
    """Kuhn's own equilibrium: probability of betting (or calling) in each information set."""
    bets = {
        (0, ""): alpha, (1, ""): 0, (2, ""): 3 * alpha,
        (0, "pb"): 0, (1, "pb"): alpha + Fraction(1, 3), (2, "pb"): 1,
        (0, "p"): Fraction(1, 3), (1, "p"): 0, (2, "p"): 1,
        (0, "b"): 0, (1, "b"): Fraction(1, 3), (2, "b"): 1,
    }  # fmt: skip
    return stored([float(p) for _, key in names for p in (1 - bets[key], bets[key])])


def random_tree(seed, players, depth=4, dyadic=True):
    """A random tree with perfect recall: a player knows its own moves and what it happened to see."""
    rng = random.Random(seed)
    widths: dict = {}

    def pay():
        return rng.randint(-8, 8) / 4 if dyadic else rng.uniform(-3, 3)

    def expand(state):
        level, seen = state
        if level == depth or (level > 1 and rng.random() < 0.2):
            return "end", [pay() for _ in range(players)]
        player = rng.randrange(-1, players)
        if player < 0:
            moves = rng.choice([2, 3])
        else:
            moves = widths.setdefault((player, seen[player]), rng.choice([1, 2, 2, 3]))
        shown = [rng.random() < 0.5 for _ in range(players)]
        after = [
            (
                level + 1,
                tuple(seen[k] + (((level, player, m),) if shown[k] or k == player else ()) for k in range(players)),
            )
            for m in range(moves)
        ]
        if player < 0:
            return "chance", [(rng.choice([0.0, 0.25, 0.1, 0.7]) if m else 0.3, s) for m, s in enumerate(after)]
        return player, seen[player], after

    return tree((0, ((),) * players), expand, players)[0]


def widths(form):
    """How many moves each information set has, in the order of their ids."""
    parent, infoset = plain(form["parent"]), plain(form["infoset"])
    found = {}
    for node, name in enumerate(infoset):
        if name >= 0:
            found[name] = int((parent == node).sum())
    return [found[name] for name in sorted(found)]


def header(form, kind, player, lower, upper):
    """A certificate's header."""
    claim = {"lower": float(lower).hex(), "upper": float(upper).hex()}
    return {"version": 1, "kind": kind, "form_sha256": digest(form), "player": player, "claim": claim}


def write(path, arrays):
    """An .npz file as numpy writes it."""
    np.savez(path, **{name: plain(item) for name, item in arrays.items()})
    return str(path)


def solution(path, told, certificate):
    """A solution file with its JSON header."""
    text = json.dumps({"game": "made", "certificate": told}).encode()
    members = {f"certificate/{name}": item for name, item in certificate.items()}
    return write(path, {"header": Array("|u1", (len(text),), text), **members})
