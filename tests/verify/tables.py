"""Small games whose play may cycle, as tables, with controllers; and their exact values by elimination."""

import itertools
import random
from fractions import Fraction

import numpy as np

from tests.verify.made import stored

MENUS = 16  # no game here has more menus


def table(players, discount, start, states):
    """Form arrays. states: list of (actors, menus, rows); a row (and start) lists (p, next, pays, observations)."""
    actor_sets, legal_sets, events = [()], [], []
    out, nexts, event, prob = [0], [], [], []

    def add(row):
        for p, after, pays, observations in row:
            if (pays, observations) not in events:
                events.append((pays, observations))
            nexts.append(after)
            event.append(events.index((pays, observations)))
            prob.append(float(p))
        out.append(len(nexts))

    add(start)
    actor_set, legal, row = [], [], [1]
    for actors, offered, rows in states:
        if actors not in actor_sets:
            actor_sets.append(actors)
        actor_set.append(actor_sets.index(actors))
        for labels in offered:
            if labels not in legal_sets:
                legal_sets.append(labels)
        legal.append([legal_sets.index(labels) for labels in offered])
        for outcomes in rows:
            add(outcomes)
        row.append(len(out) - 1)
    width, most = max(map(len, actor_sets)), max(map(len, legal_sets), default=1)
    form = {"players": [players], "discount": [float(discount)], "actor_set": actor_set, "row": row, "out": out}
    form |= {"next": nexts, "event": event, "prob": prob, "seen": [observations for _, observations in events]}
    form |= {"reward": np.array([pays for pays, _ in events], float), "actor_set_players": _padded(actor_sets, width)}
    form |= {"legal": _padded(legal, width), "legal_actions": _padded(legal_sets, most)}
    return {name: stored(values) for name, values in form.items()}


def _padded(rows, width):
    filled = [list(row) + [-1] * (width - len(row)) for row in rows]
    return np.array(filled, int).reshape(len(rows), width)


def controllers(each):
    """Certificate arrays from one (begin, arrow, choice) of dictionaries for each player; choices fit any menu."""
    arrays = {}
    for player, (begin, arrow, choice) in enumerate(each):
        arrays[f"begin_{player}"] = np.array(list(begin.items()), int).reshape(-1, 2)
        arrays[f"arrow_{player}"] = np.array([(*k, v) for k, v in arrow.items()], int).reshape(-1, 4)
        keys = [(node, legal, action) for node, action in choice for legal in range(MENUS)]
        arrays[f"choice_{player}_key"] = np.array(keys, int).reshape(-1, 3)
        arrays[f"choice_{player}_weight"] = np.repeat(np.array(list(choice.values()), float), MENUS)
    return {name: stored(values) for name, values in arrays.items()}


def claims(values, players, steps=None):
    """Certificate arrays from {point: claimed values} and {point: steps}."""
    arrays = {
        "point": np.array(list(values), int).reshape(-1, 1 + players),
        "value": np.array(list(values.values()), float).reshape(-1, players),
        "steps": np.array([(steps or {}).get(point, 0.0) for point in values], float),
    }
    return {name: stored(array) for name, array in arrays.items()}


def random_game(seed, players=2, states=4):
    """Random simultaneous moves, observations, pay, and complete random controllers: (start, states, controllers)."""
    rng = random.Random(seed)
    observations, nodes = 2, 2

    def outcomes(ending):
        row = []
        for _ in range(rng.choice([1, 2, 3])):
            pays = tuple(rng.randint(-4, 4) / 2 for _ in range(players))
            row.append((rng.choice([0.1, 0.3, 0.5]), rng.randrange(states), pays, _sights(rng, players, observations)))
        return [*row, (0.2, states, (1.0,) * players, _sights(rng, players, observations))] if ending else row

    made = []
    for _ in range(states):
        actors = tuple(sorted(rng.sample(range(players), rng.randint(1, players))))
        legal_sets = [tuple(rng.sample(range(4), rng.choice([1, 2, 3]))) for _ in actors]
        made.append((actors, legal_sets, [outcomes(True) for _ in itertools.product(*legal_sets)]))
    made.append(((), [], []))
    each = []
    for _ in range(players):
        begin = {s: rng.randrange(nodes) for s in range(observations)}
        keys = itertools.product(range(nodes), range(-1, 4), range(observations))
        choice = {(n, a): rng.choice([-1.0, 0.0, 0.2, 1.0]) for n in range(nodes) for a in range(4)}
        each.append((begin, {key: rng.randrange(nodes) for key in keys}, choice))
    return outcomes(False), made, each


def _sights(rng, players, observations):
    return tuple(rng.randrange(observations) for _ in range(players))


def exact_values(players, discount, start, states, each):
    """The profile's value, the value of each point and the expected steps, by elimination in fractions."""
    g, moves = Fraction(discount), {}

    def odds(weights):
        weights = [max(Fraction(w), Fraction(0)) for w in weights]
        return [w / sum(weights) if sum(weights) else Fraction(1, len(weights)) for w in weights]

    def follow(row, scale, remember):
        for p, (_, after, pays, observations) in zip(odds([o[0] for o in row]), row):
            if p and scale:
                point = (after, *remember(observations)) if states[after][0] else None
                yield p * scale, point, pays

    first = list(follow(start, Fraction(1), lambda seen: [each[i][0][seen[i]] for i in range(players)]))
    fresh = [point for _, point, _ in first if point]
    while fresh:
        point = fresh.pop()
        if point in moves:
            continue
        actors, legal_sets, rows = states[point[0]]
        mixes = [odds([each[i][2].get((point[1 + i], a), 0) for a in m]) for i, m in zip(actors, legal_sets)]
        found = []
        for row, joint in zip(rows, itertools.product(*(range(len(m)) for m in legal_sets))):
            did = {i: m[k] for i, m, k in zip(actors, legal_sets, joint)}
            scale = Fraction(1)
            for mix, k in zip(mixes, joint):
                scale *= mix[k]
            found += follow(
                row,
                scale,
                lambda seen, at=point, did=did: [
                    each[i][1][at[1 + i], did.get(i, -1), seen[i]] for i in range(players)
                ],
            )
        moves[point] = found
        fresh += [after for _, after, _ in found if after]
    points = list(moves)
    rights = [
        [sum((p * Fraction(pays[i]) for p, _, pays in moves[x]), Fraction(0)) for i in range(players)] for x in points
    ]
    values = _solved(points, moves, g, rights)
    steps = _solved(points, moves, Fraction(1), [[Fraction(1)] for _ in points])
    total = [sum(p * (Fraction(pays[i]) + (values[x][i] if x else 0)) for p, x, pays in first) for i in range(players)]
    return total, values, {x: w[0] for x, w in steps.items()}


def _solved(points, moves, g, rights):
    """Solve x = right + g P x."""
    place = {x: k for k, x in enumerate(points)}
    lines = [[Fraction(k == j) for j in range(len(points))] + right for k, right in enumerate(rights)]
    for x in points:
        for p, after, _ in moves[x]:
            if after:
                lines[place[x]][place[after]] -= g * p
    for k in range(len(lines)):
        pivot = next(j for j in range(k, len(lines)) if lines[j][k])
        lines[k], lines[pivot] = lines[pivot], lines[k]
        lines[k] = [entry / lines[k][k] for entry in lines[k]]
        for j in range(len(lines)):
            if j != k and lines[j][k]:
                lines[j] = [a - lines[j][k] * b for a, b in zip(lines[j], lines[k])]
    return {x: lines[place[x]][len(points) :] for x in points}
