"""Honest evidence for the checker's tests, made by naive float code: controllers, and points with witnesses."""

import numpy as np

from tests.verify.made import stored
from tests.verify.pomdp_vectors import vectors
from tests.verify.pomdps import CORNERS, FIB, FIB_ROW, actions, parts, spread


def every_row(model):
    """(state, place, reward, outcomes) of each row but the start's."""
    return [(s, k, *row) for s, (_, rows) in enumerate(model["states"]) for k, row in enumerate(rows)]


def opening(model):
    return spread([(1.0, model["start"])])


def arrays(**named):
    return {name: stored(values) for name, values in named.items()}


def plan(model, places, arrow, begin):
    """Lower evidence: nodes that take the action at `places`, worth what a linear system says at every state."""
    size, g = len(model["states"]), model["discount"]
    pair = {(n, s): n * size + s for n in range(len(places)) for s in range(size)}
    matrix, reward = np.eye(len(pair)), np.zeros(len(pair))
    for (n, s), k in pair.items():
        reward[k], outcomes = model["states"][s][1][places[n]]
        for z, after in spread([(1.0, outcomes)]).items():
            for t, p in after.items():
                matrix[k, pair[arrow[n, z], t]] -= g * p
    return arrays(
        node_action=[model["states"][0][0][place] for place in places],
        begin=list(begin.items()),
        arrow=[(*key, node) for key, node in arrow.items()],
        pair=list(pair),
        value=np.linalg.solve(matrix, reward),
    )


def plan_of_vectors(model):
    """(value of the model, lower evidence): one node for each vector."""
    found, how, before = vectors(model)
    near = [int(abs(found - vector).max(axis=1).argmin()) for vector in before]
    arrow = {(n, z): near[after] for n, (_, both) in enumerate(how) for z, after in enumerate(both)}
    begin, value = {}, model["pay"]
    for z, belief in opening(model).items():
        worth = found @ [belief.get(s, 0.0) for s in range(found.shape[1])]
        begin[z] = int(worth.argmax())
        value += worth.max()
    return value, plan(model, [place for place, _ in how], arrow, begin)


def plan_of_histories(model):
    """Lower evidence for a model that ends and whose observations tell the actions: a node for each history."""
    told = {name: [] for name in ("node_action", "begin", "arrow", "pair", "value", "steps")}
    g = model["discount"]

    def best(belief):
        """(worth, place, {observation: what is believed then}) of the best action."""
        found = []
        for place, (reward, seen) in enumerate(actions(model, belief)):
            later = {z: part for z, after in seen.items() for part in parts(model, after)}
            found.append((reward + g * sum(best(part)[0] for part in later.values()), place, later))
        return max(found, key=lambda one: one[0])

    def write(belief):
        """(node, value of each state, steps of each state)."""
        _, place, later = best(belief)
        node, values, steps = len(told["node_action"]), {}, {}
        told["node_action"].append(model["states"][next(iter(belief))][0][place])
        below = {z: write(part) for z, part in later.items()}
        told["arrow"] += [(node, z, after) for z, (after, _, _) in below.items()]
        for s in belief:
            reward, outcomes = model["states"][s][1][place]
            next_ones = [
                (p, below[z], t)
                for z, after in spread([(1.0, outcomes)]).items()
                if z in below
                for t, p in after.items()
            ]
            values[s] = reward + g * sum(p * worth[t] for p, (_, worth, _), t in next_ones)
            steps[s] = 1 + sum(p * wait[t] for p, (_, _, wait), t in next_ones)
            told["pair"].append((node, s))
        told["value"] += values.values()
        told["steps"] += steps.values()
        return node, values, steps

    for z, belief in opening(model).items():
        told["begin"] += [(z, write(part)[0]) for part in parts(model, belief)]
    lines = {
        name: np.array(told[name], int).reshape(-1, width) for name, width in (("begin", 2), ("arrow", 3), ("pair", 2))
    }
    return arrays(**told | lines | {name: np.array(told[name], float) for name in ("value", "steps")})


def reachable(model, most):
    """Beliefs met from the start, nearest first: each with one list of actions, and different from the others."""
    found, fresh = {}, [part for belief in opening(model).values() for part in parts(model, belief)]
    while fresh and len(found) < most:
        part = fresh.pop(0)
        total = sum(part.values())
        belief = {s: p / total for s, p in part.items()}
        key = tuple(sorted((s, round(p, 12)) for s, p in belief.items()))
        if total > 1e-300 and key not in found:
            found[key] = belief
            fresh += [q for _, seen in actions(model, belief) for after in seen.values() for q in parts(model, after)]
    return list(found.values())


def informed(model):
    """{(state, place): Q} of the fast informed bound."""
    rows, g = every_row(model), model["discount"]
    high = max(abs(reward) for _, _, reward, _ in rows)
    q = {(s, k): high / (1 - g) if g < 1 else high * len(rows) for s, k, _, _ in rows}
    for _ in range(3000):
        old = q
        q = {
            (s, k): r + g * sum(most(model, old, after) for after in spread([(1.0, outcomes)]).values())
            for s, k, r, outcomes in rows
        }
        if max(abs(q[key] - old[key]) for key in q) < 1e-13:
            break
    return q


def most(model, q, belief):
    """The largest sum of Q, list of actions by list of actions."""
    total = 0.0
    for part in parts(model, belief):
        places = range(len(model["states"][next(iter(part))][0]))
        total += max(sum(p * q[s, k] for s, p in part.items()) for k in places)
    return total


def upper_evidence(model, beliefs):
    """Points on the beliefs, with values that follow from each other, and the witnesses that say how."""
    size, g, q = len(model["states"]), model["discount"], informed(model)
    dense = np.array([[belief.get(s, 0.0) for s in range(size)] for belief in beliefs]).reshape(-1, size)
    top = np.array([max((q[s, k] for k in range(len(model["states"][s][0]))), default=0.0) for s in range(size)])

    def figures(after):
        """(by FIB, the states, share of each point) of what follows."""
        vector = np.array([after.get(s, 0.0) if model["states"][s][0] else 0.0 for s in range(size)])
        ratio = np.divide(vector, dense, out=np.full(dense.shape, np.inf), where=dense > 0)
        return most(model, q, after), vector, ratio.min(axis=1, initial=np.inf)

    def bounds(figure, values):
        (fib, vector, share), corner = figure, top.copy()
        for i, belief in enumerate(beliefs):
            if len(belief) == 1:
                corner[[*belief]] = np.minimum(corner[[*belief]], values[i])
        return np.array([fib, vector @ corner, *(vector @ corner + share * (values - dense @ corner))])

    rows = []  # (point, reward, direct bound, figures by observation)
    for i, belief in enumerate(beliefs):
        for k, (reward, seen) in enumerate(actions(model, belief)):
            direct = sum(p * q[s, k] for s, p in belief.items())
            rows.append((i, reward, direct, [figures(after) for after in seen.values()]))
    values = np.array([most(model, q, belief) for belief in beliefs])
    for _ in range(600):
        fresh = np.full(len(beliefs), -np.inf)
        for i, reward, direct, seen in rows:
            backed = reward + g * sum(bounds(figure, values).min() for figure in seen)
            fresh[i] = max(fresh[i], min(direct, backed))
        moved, values = abs(fresh - values).max(initial=0.0), fresh
        if moved < 1e-13:
            break
    slices = []
    for _, reward, direct, seen in rows:
        backed = reward + g * sum(bounds(figure, values).min() for figure in seen)
        slices.append([FIB_ROW] if direct < backed else [choice(bounds(figure, values)) for figure in seen])
    root = [figures(after) for after in opening(model).values()]
    waits = {"steps_left": stored(longest(model))} if g == 1 else {}
    return waits | arrays(
        fib=[0.0, *(q[s, k] for s, k, _, _ in every_row(model))],
        point_start=np.cumsum([0, *map(len, beliefs)]),
        point_state=np.array([s for belief in beliefs for s in belief], int),
        point_weight=np.array([p for belief in beliefs for p in belief.values()], float),
        point_value=values,
        witness_start=np.cumsum([0, *map(len, slices)]),
        witness=np.array([w for cut in slices for w in cut], int),
        root=[choice(bounds(figure, values)) for figure in root],
    )


def choice(bounds):
    """The witness of the least bound."""
    return int((FIB, CORNERS, *range(len(bounds) - 2))[int(bounds.argmin())])


def longest(model):
    """[state] the most steps that can be expected, for models that end soon."""
    steps = np.zeros(len(model["states"]))
    for _ in range(len(steps) + 1):
        old = steps.copy()
        for s, (_, rows) in enumerate(model["states"]):
            ways = [spread([(1.0, outcomes)]).values() for _, outcomes in rows]
            steps[s] = max((1 + sum(p * old[t] for a in way for t, p in a.items()) for way in ways), default=0.0)
    return steps
