"""Ladders of levels: honest evidence closes, spoilt evidence only widens or is refused, tampering is seen."""

import itertools
import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from fogbound.verify import Array, Refused, check
from fogbound.verify.__main__ import main
from fogbound.verify.levels.bounds import level_intervals
from fogbound.verify.levels.form import Links
from fogbound.verify.pomdp.bounds import interval
from tests.verify.made import header, plain, solution, stored, write
from tests.verify.pomdp_evidence import reachable, upper_evidence
from tests.verify.pomdps import exact_value
from tests.verify.pomdps import form as process_form
from tests.verify.tables import claims, controllers, exact_values, table

ENDING = list(itertools.product([1.0, 0.75], range(4)))


def link(arrays, level, player):
    return Links(arrays).of(level, player)


def layered(seed, layers=3, wide=2):
    """(start, states) of a game that ends after some layers; odd seeds: who is asked, and what, differs in a layer."""
    rng, over, states = random.Random(seed), layers * wide, []

    def row(layer):
        targets = [layer * wide + k for k in range(wide)] if layer < layers else []
        ways = [(rng.choice([0.1, 0.3, 0.5]), to) for to in [*targets, over] if to != over or layer]
        return [(p, to, (rng.randint(-9, 9) / 3, rng.randint(-9, 9) / 3), observations()) for p, to in ways]

    def observations():
        return rng.randrange(2), rng.randrange(2)

    def asked():
        actors = rng.choice([(0,), (1,), (0, 1), (0, 1)])
        return actors, [tuple(rng.sample(range(4), rng.choice([2, 3]))) for _ in actors]

    for layer in range(layers):
        alike = asked()
        for actors, legal_sets in (asked() if seed % 2 else alike for _ in range(wide)):
            states.append((actors, legal_sets, [row(layer + 1) for _ in itertools.product(*legal_sets)]))
    return row(0), [*states, ((), [], [])]


def po_nim(heap):
    """(start, states) of partially observable nim: labels below `heap` take from one's own, others from the hidden."""
    boards = [(a, b, m) for a in range(heap + 1) for b in range(heap + 1) for m in (0, 1) if a + b > 1]
    number, states = {board: k for k, board in enumerate(boards)}, []

    def outcome(board, label):
        mover, heaps = board[2], list(board[:2])
        heaps[mover if label < heap else 1 - mover] -= label % heap + 1
        failed = min(heaps) < 0 or sum(heaps) == 0
        won = not failed and sum(heaps) == 1
        mine, theirs, told = (-1.0, 0.0, 2) if failed else (10.0, -10.0, 1) if won else (0.0, 0.0, 0)
        left = board[:2] if failed else tuple(heaps)
        to = len(boards) if won else number[(*left, 1 - mover)]
        return [(1.0, to, (theirs, mine) if mover else (mine, theirs), tuple(3 * own + told for own in left))]

    for board in boards:
        legal = (*range(board[board[2]]), *range(heap, 2 * heap))
        states.append(((board[2],), [legal], [outcome(board, label) for label in legal]))
    start = [(1.0, number[heap, heap, 0], (0.0, 0.0), (3 * heap, 3 * heap))]
    return start, [*states, ((), [], [])]


def told(game):
    """The same game, with each sight replaced by the observation: the sight and what is asked next."""
    (start, states), form = game, table(2, 1.0, *game)
    numbers, spread = plain(form["legal"]), form["legal_actions"].shape[0] + 2

    def legal(after, player):
        actors = states[after][0]
        return int(numbers[after][actors.index(player)]) if player in actors else -1 if actors else -2

    def heard(row):
        return [(p, to, pay, tuple(seen[s] * spread + legal(to, s) + 2 for s in (0, 1))) for p, to, pay, seen in row]

    return heard(start), [(actors, legal_sets, [heard(row) for row in rows]) for actors, legal_sets, rows in states]


class Automaton:
    """All controllers of a player. Node 0 plays uniformly for ever; what follows a history is one node.

    kinds[k] is a controller (begin, arrow, choice); arrow and choice are the same for all.
    """

    def __init__(self, start, states, player):
        rows = [start, *(row for _, _, rows in states for row in rows)]
        heard = {seen[player] for row in rows for _, _, _, seen in row}
        did = {-1} | {label for _, legal_sets, _ in states for legal in legal_sets for label in legal}
        self.arrow, self.choice, self.futures = {(0, a, z): 0 for a in did for z in heard}, {}, {}
        self.kinds = [(dict.fromkeys(heard, 0), self.arrow, self.choice)]

    def node(self, label, after):
        """The node that does `label` and goes on as `after` says: {observation: node}."""
        node = self.futures.setdefault((label, *sorted(after.items())), len(self.futures) + 1)
        self.arrow |= {(node, label, z): to for z, to in after.items()}
        if label >= 0:
            self.choice[node, label] = 1.0
        return node

    def begin(self, begin):
        self.kinds.append((begin, self.arrow, self.choice))


def odds(weights):
    weights = [Fraction(w) for w in weights]
    return [w / sum(weights) if sum(weights) else Fraction(1, len(weights)) for w in weights]


def facing(game, discount, player, mixture):
    """(model, points): what a player faces in a `told` game, in rationals. mixture: {kind: (weight, controller)}."""
    (start, states), other, place, rows = game, 1 - player, {}, {}
    _, arrow, choice = next(iter(mixture.values()))[1]

    def arrive(way, node):
        _, after, pays, heard = way
        point = (after, node(heard[other])) if states[after][0] else None
        return place.setdefault(point, len(place)) if point else None, heard[player], Fraction(pays[player])

    def gather(ways):
        ways = [(p, *told) for p, told in ways if p]
        return sum(p * pay for p, _, _, pay in ways), [(p, to, z) for p, to, z, _ in ways]

    shares = odds([weight for weight, _ in mixture.values()])
    first = [
        (share * p, arrive(way, begin.__getitem__))
        for share, (_, (begin, _, _)) in zip(shares, mixture.values())
        for p, way in zip(odds([way[0] for way in start]), start)
        if share
    ]
    for point in iter(lambda: next((x for x in place if x not in rows), None), None):
        state, node = point
        actors, legal_sets, table_rows = states[state]
        mine = legal_sets[actors.index(player)] if player in actors else (-1,)
        theirs = legal_sets[actors.index(other)] if other in actors else (-1,)
        mixed = odds([choice.get((node, label), 0) for label in theirs]) if other in actors else [Fraction(1)]
        rows[point] = mine, []
        for label in mine:
            ways = []
            for did, share in zip(theirs, mixed):
                joint = [label if actor == player else did for actor in actors]
                row = table_rows[list(itertools.product(*legal_sets)).index(tuple(joint))]
                for p, way in zip(odds([way[0] for way in row]), row):
                    if share:
                        ways.append((share * p, arrive(way, lambda z, at=(node, did): arrow[*at, z])))
            rows[point][1].append(gather(ways))
    pay, opening = gather(first)
    over = len(place)

    def closed(row):
        return [(p, over if to is None else to, z) for p, to, z in row]

    body = [(labels, [(r, closed(row)) for r, row in own]) for labels, own in (rows[x] for x in place)]
    model = {"discount": discount, "pay": pay, "start": closed(opening), "states": [*body, ((), [])]}
    return model, list(place)


def floating(model, generous=0.0):
    """The same in floats, with something on top of every reward."""
    states = [
        (labels, [(float(r) + generous, [(float(p), t, z) for p, t, z in row]) for r, row in rows])
        for labels, rows in model["states"]
    ]
    start = [(float(p), t, z) for p, t, z in model["start"]]
    return model | {"pay": float(model["pay"]) + generous, "start": start, "states": states}


def best_reply(model, automaton):
    """Where a best reply to a model that ends begins, in the player's automaton."""
    discount = Fraction(model["discount"])

    def split(ways):
        found = {}
        for p, to, z in ways:
            if model["states"][to][0]:
                into = found.setdefault(z, {})
                into[to] = into.get(to, 0) + p
        return found

    def best(belief):
        tried = []
        for place in range(len(model["states"][min(belief)][0])):
            rows = [(p, model["states"][s][1][place]) for s, p in belief.items()]
            later = split([(p * q, to, z) for p, (_, row) in rows for q, to, z in row])
            tried.append((sum(p * r for p, (r, _) in rows) + discount * sum(best(b)[0] for b in later.values()), place))
        return max(tried, key=lambda one: one[0])

    def write(belief):
        place = best(belief)[1]
        rows = [(p, model["states"][s][1][place][1]) for s, p in belief.items()]
        later = split([(p * q, to, z) for p, row in rows for q, to, z in row])
        return automaton.node(model["states"][min(belief)][0][place], {z: write(after) for z, after in later.items()})

    return {z: write(belief) for z, belief in split(model["start"]).items()}


def named(prefix, arrays):
    return {prefix + name: item for name, item in arrays.items()}


class Ladder:
    """A certificate and the truth, put together level by level; `automata` hold the controllers by kind."""

    def __init__(self, game, discount, prior, kinds, replies, generous=0.0, most=1000):
        self.game, self.discount, self.prior, self.kinds = game, discount, prior, kinds
        self.form, self.generous, self.most = table(2, discount, *game), generous, most
        self.told, self.models, self.arrays = told(game), {}, {}
        self.automata = [Automaton(*self.told, player) for player in (0, 1)]
        for level, pair in enumerate(kinds, 1):
            fresh = [facing(self.told, discount, player, self.mixture(level, player)) for player in (0, 1)]
            for player, kind in enumerate(pair):
                self.models[level, player] = fresh[player]
                if replies and kind == len(self.automata[player].kinds):
                    self.automata[player].begin(best_reply(fresh[player][0], self.automata[player]))
        self.write()

    def kind(self, level, player):
        return self.kinds[level - 1][player] if level else 0

    def mixture(self, level, player):
        found = {}
        for below, weight in enumerate(self.prior[level - 1]):
            kind = self.kind(below, 1 - player)
            found[kind] = (found.get(kind, (0, None))[0] + Fraction(weight), self.automata[1 - player].kinds[kind])
        return found

    def write(self):
        height = len(self.kinds)
        rows = [(k, s, self.kind(k, s)) for k in range(1, height + 1) for s in (0, 1)]
        prior = [[*row, *[0.0] * (height - len(row))] for row in self.prior]
        self.arrays = {"levels": stored(rows), "prior": stored(np.array(prior, float))}
        for player, kind in sorted({(s, self.kind(k, s)) for k in range(height + 1) for s in (0, 1)}):
            parts = controllers([self.automata[player].kinds[kind]])
            short = {name.replace("_0", "", 1): item for name, item in parts.items()}
            self.arrays[f"b{player}_{kind}"] = short.pop("begin")
            self.arrays |= named(f"a{player}_", short)
        self.write_pairs()
        for level, player in self.models:
            model, points = self.models[level, player]
            rough = floating(model, self.generous)
            above = upper_evidence(rough, reachable(rough, self.most))
            if self.generous:
                above.pop("steps_left", None)
            mine = above | {"point": stored(np.array(points, int).reshape(-1, 2)), "claim": stored([-1e9, 1e9])}
            self.arrays |= named(f"u{level}_{player}_", mine)
        relink(self.arrays)

    def write_pairs(self):
        pairs, self.worth = [], {}
        for level, player in self.models:
            for other in self.mixture(level, player):
                pair = (other, self.kind(level, player)) if player else (self.kind(level, player), other)
                if pair not in pairs:
                    total, values, steps = exact_values(
                        2, self.discount, *self.told, [self.automata[s].kinds[k] for s, k in enumerate(pair)]
                    )
                    told = {x: [float(v) for v in value] for x, value in values.items()}
                    told = claims(told, 2, {x: float(w) for x, w in steps.items()})
                    self.arrays |= named(f"w{len(pairs)}_", told)
                    self.worth[pair] = total
                    pairs.append(pair)
        self.arrays["pairs"] = stored(pairs)

    def earned(self, level, player):
        """What the rung's own controller is worth, exactly."""
        mixed, own = self.mixture(level, player), self.kind(level, player)
        total = sum(weight for weight, _ in mixed.values())
        return (
            sum(
                weight * self.worth[(other, own) if player else (own, other)][player]
                for other, (weight, _) in mixed.items()
            )
            / total
        )


def relink(arrays):
    """The links as they should be."""
    for name in [name for name in arrays if name.endswith("_claim")]:
        level, player = map(int, name.removeprefix("u").split("_")[:2])
        arrays[f"u{level}_{player}_link"] = Array("|u1", (32,), link(arrays, level, player))


@cache
def ending(discount, seed):
    """Three levels in which level 2 of player 0 plays as level 1 does, and the truth about each."""
    made = Ladder(layered(seed), discount, [[1.0], [1.0, 2.0], [0.5, 0.25, 0.3]], [(1, 1), (1, 2), (2, 3)], True)
    return made, {key: exact_value(model) for key, (model, _) in made.models.items()}


@cache
def nim(heap):
    """Two levels of undiscounted nim; every level plays uniformly here, and nothing says that play ends."""
    return Ladder(po_nim(heap), 1.0, [[1.0], [1.0, 1.0]], [(0, 0), (0, 0)], False, generous=1e-9, most=50 * heap)


def holds(made, best, found):
    return all(
        level_interval.proven[0] <= best[level_interval.level, level_interval.player] <= level_interval.proven[1]
        for level_interval in found
    )


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", ENDING)
def test_honest_evidence_closes(case):
    made, best = ending(*case)
    found = level_intervals(made.form, made.arrays)
    assert [(level_interval.level, level_interval.player) for level_interval in found] == [
        (k, s) for k in (1, 2, 3) for s in (0, 1)
    ]
    assert holds(made, best, found)
    for level_interval in found:
        assert (
            level_interval.proven[0]
            <= made.earned(level_interval.level, level_interval.player)
            <= level_interval.proven[1]
        )
        assert level_interval.proven[1] - best[level_interval.level, level_interval.player] < 1e-10
        if (level_interval.level, level_interval.player) != (2, 0):
            assert best[level_interval.level, level_interval.player] - level_interval.proven[0] < 1e-10


def fork(pays):
    """Seat 1 moves unseen; then one player is asked, player 0 from one of two menus, and all they ever see is 0."""
    first = [(1.0, 1 + k, (0.0, 0.0), (0, 0)) for k in (0, 1)]
    last = [[[(1.0, 3, (float(pay), 0.0), (0, 0))] for pay in row] for row in pays]
    states = [((1,), [(4, 5)], [[(0.5, to, pay, seen), (0.5, to + 3, pay, seen)] for _, to, pay, seen in first])]
    ask = [((0,), [(4, 5)], last[0]), ((0,), [(5, 6)], last[1]), ((), [], []), ((1,), [(4, 5)], last[2])]
    return [(1.0, 0, (0.0, 0.0), (0, 0))], [*states, *ask, ((1,), [(5, 6)], last[3])]


def test_what_a_seat_is_asked_tells_nodes_apart():
    """One sight, but a controller that minds its menu earns more, and the bound allows for that."""
    made = Ladder(fork([(1, 9), (8, 2), (3, 5), (4, 6)]), 1.0, [[1.0], [0.5, 0.5]], [(1, 1), (1, 1)], True)
    best = {key: exact_value(model) for key, (model, _) in made.models.items()}
    found = level_intervals(made.form, made.arrays)
    assert best[1, 0] == Fraction(9 + 8, 4) + Fraction(4 + 5, 4)
    assert (
        [level_interval.proven[0] for level_interval in found[::2]]
        == [best[1, 0], best[2, 0]]
        == [level_interval.proven[1] for level_interval in found[::2]]
    )
    observations = plain(made.arrays["a0_arrow"])
    observations[:, 2] //= made.form["legal_actions"].shape[0] + 2
    arrays = made.arrays | {"a0_arrow": stored(np.unique(observations, axis=0))}
    relink(arrays)
    with pytest.raises(Refused, match="'a0_arrow' answers one question twice"):
        level_intervals(made.form, arrays)


def test_kinds_share_nodes():
    """Kinds overlap in part, begin in the same node for one observation, and still are told apart."""
    mixed, partly = 0, 0
    for case in ENDING:
        made, _ = ending(*case)
        nodes = [reached(made.automata[1], [kind]) for kind in (1, 2, 3)]
        partly += any(one & two and one != two for one, two in itertools.combinations(nodes, 2))
        begins = [set(made.automata[1].kinds[kind][0].items()) for kind in (1, 2, 3)]
        mixed += any(one & two and one != two for one, two in itertools.combinations(begins, 2))
    assert partly >= len(ENDING) / 2
    assert mixed


def test_weights_of_kinds_that_begin_alike_add_up():
    """A kind of its own that begins where another does is that other in all but the name."""
    made = Ladder(layered(2), 0.75, [[1.0], [1.0, 2.0], [0.5, 0.25, 0.3]], [(1, 1), (1, 1), (2, 2)], True)
    levels, pairs = plain(made.arrays["levels"]), plain(made.arrays["pairs"]).tolist()
    levels[3, 2] = 9
    arrays = made.arrays | {"levels": stored(levels), "b1_9": made.arrays["b1_1"]}
    for number, (mine, other) in enumerate(pairs.copy()):
        if other == 1:
            arrays |= {f"w{len(pairs)}_{part}": arrays[f"w{number}_{part}"] for part in ("point", "value", "steps")}
            pairs.append([mine, 9])
    arrays["pairs"] = stored(pairs)
    relink(arrays)
    assert level_intervals(made.form, arrays) == level_intervals(made.form, made.arrays)


def test_level_zero_may_move_by_weights():
    game = layered(7)
    made = Ladder(game, 1.0, [[1.0]], [(0, 0)], False)
    made.automata[1].choice |= {(0, label): 0.1 * (label + 1) for label in range(4)}
    for player in (0, 1):
        made.models[1, player] = facing(made.told, 1.0, player, made.mixture(1, player))
    made.write()
    found = level_intervals(made.form, made.arrays)
    assert holds(made, {key: exact_value(model) for key, (model, _) in made.models.items()}, found)
    assert found[0].proven != level_intervals(*changed(made, "a1_choice_weight", lambda w: 0 * w))[0].proven


@pytest.mark.slow
@pytest.mark.parametrize(("heap", "values"), [(2, ("5", "29/4")), (3, ("47/6", "277/36"))])
def test_nim_that_need_not_end(heap, values):
    """Rosello (document 000): with two objects each, half of what a win pays (figure 1) to the first player."""
    made = nim(heap)
    found = {
        (level_interval.level, level_interval.player): level_interval.proven
        for level_interval in level_intervals(made.form, made.arrays)
    }
    for level, player in itertools.product((1, 2), (0, 1)):  # all believe in uniform play
        value, (low, high) = Fraction(values[player]), found[level, player]
        assert low <= made.earned(level, player) < value <= high < value + Fraction(1, 10**7)


def test_without_steps_every_claim_must_hold():
    """The least fault in a value or a bound is not paid for by steps that nobody counted."""
    made = nim(2)
    assert "u1_0_steps_left" not in made.arrays
    for name in ("u1_0_point_value", "u2_1_point_value", "u1_1_fib"):
        lowered = plain(made.arrays[name])
        lowered[lowered.argmax()] -= 0.5
        with pytest.raises(Refused, match=f"level {name[1]} of player {name[3]}: array 'steps_left' is missing, and"):
            level_intervals(made.form, made.arrays | {name: stored(lowered)})


def stall(pay, quitting):
    """Wait for ever at some pay a step, or quit."""
    rows = [(pay, [(1.0, 0, 0)]), (quitting, [(1.0, 1, 1)])]
    return {"discount": 1.0, "pay": 3.0, "start": [(1.0, 0, 0)], "states": [((4, 5), rows), ((), [])]}


def stalled(value, steps=None):
    """Evidence that no policy earns more than `value` there, and that the one that quits earns -5."""
    above = {"point_start": [0, 1], "point_state": [0], "point_weight": [1.0], "point_value": [value], "root": [0]}
    above |= {"fib": [0.0, value, value], "witness_start": [0, 1, 2], "witness": [0, -1]}
    below = {"node_action": [5], "begin": [[0, 0]], "pair": [[0, 0]], "value": [-5.0], "steps": [1.0]}
    told = above | below | ({} if steps is None else {"steps_left": [steps, 0.0]})
    return {name: stored(values) for name, values in told.items()} | {"arrow": stored(np.zeros((0, 3), int))}


@pytest.mark.parametrize("pay", [0.0, -1.0, -1e-300])
def test_undiscounted_bounds_that_hold_exactly_need_no_steps(pay):
    """No policy that ends earns more than quitting; waiting for ever, which may earn more, does not end."""
    assert interval(process_form(stall(pay, -5.0)), stalled(-5.0)) == (-2, -2)
    assert interval(process_form(stall(pay, -5.0)), stalled(-4.0)) == (-2, -1)
    with pytest.raises(Refused, match="'steps_left' is missing, and claims that are off by 1.0 prove nothing"):
        interval(process_form(stall(pay, -5.0)), stalled(-6.0))
    with pytest.raises(Refused, match="not certified to end"):
        interval(process_form(stall(pay, -5.0)), stalled(-5.0, steps=100.0))


def test_waiting_that_pays_is_never_bounded():
    with pytest.raises(Refused, match="'steps_left' is missing"):
        interval(process_form(stall(1e-300, -5.0)), stalled(1e300))


def changed(made, name, change):
    """(form, certificate) with one array changed, and all links put right again."""
    arrays = made.arrays | {name: stored(change(plain(made.arrays[name])))}
    relink(arrays)
    return made.form, arrays


def flipped(arrays, name, rng):
    """One bit of one array, the other way."""
    data = bytearray(arrays[name].data)
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return arrays | {name: Array(arrays[name].dtype, arrays[name].shape, bytes(data))}


@pytest.mark.slow
@pytest.mark.parametrize("case", [ENDING[0], ENDING[6]])
def test_flipped_bits_never_make_an_interval_untrue(case):
    made, best = ending(*case)
    rng, refused, turns = random.Random(6), [], 100
    names = [name for name in made.arrays if made.arrays[name].data]
    for _ in range(turns):
        name = rng.choice(names)
        try:
            found = level_intervals(made.form, flipped(made.arrays, name, rng))
        except Refused as fault:
            refused.append(str(fault))
            continue
        assert holds(made, best, found), name
    assert turns / 10 < len(refused) < turns
    assert not any("\n" in fault for fault in refused)


@pytest.mark.slow
@pytest.mark.parametrize("case", [ENDING[1], ENDING[5]])
def test_noise_only_widens(case):
    made, best = ending(*case)
    rng, wider = np.random.default_rng(5), 0
    tight = level_intervals(made.form, made.arrays)
    parts = ("fib", "point_value", "point_weight", "value")
    names = [name for name in made.arrays if name.split("_", 1)[-1].split("_", 1)[-1] in parts or name[0] == "w"]
    names = [name for name in names if made.arrays[name].dtype == "<f8" and not name.endswith("steps")]
    for turn in range(40):
        name = names[int(rng.integers(len(names)))]
        cells = plain(made.arrays[name])
        noise = 10.0 ** -(turn % 4) * rng.normal(size=cells.shape)
        found = level_intervals(
            made.form, made.arrays | {name: stored(cells * np.exp(noise) if "weight" in name else cells + noise)}
        )
        assert holds(made, best, found)
        wider += any(a.proven[0] < b.proven[0] or a.proven[1] > b.proven[1] for a, b in zip(found, tight))
    assert wider > 10


def reached(automaton, kinds):
    """The nodes that some kinds can come to."""
    found = {node for kind in kinds for node in automaton.kinds[kind][0].values()}
    while more := {to for (node, _, _), to in automaton.arrow.items() if node in found} - found:
        found |= more
    return found


def test_what_was_replied_to_cannot_be_changed():
    """All that is below a rung is in its link: where kinds of the other player begin, what they do, levels, prior."""
    made, _ = ending(1.0, 0)
    rng = random.Random(1)
    for name in ("b0_0", "b0_1", "b1_0", "b1_1", "b1_2"):
        for _ in range(5):
            with pytest.raises(Refused, match="is not the hash"):
                level_intervals(made.form, flipped(made.arrays, name, rng))
    for player, kinds in enumerate(((0, 1), (0, 1, 2))):
        below = reached(made.automata[player], kinds)
        for name in (f"a{player}_arrow", f"a{player}_choice_key", f"a{player}_choice_weight"):
            lines = plain(made.arrays[name.replace("weight", "key")])
            for number in rng.sample([k for k, line in enumerate(lines) if line[0] in below], 10):
                cells = plain(made.arrays[name])
                cells.reshape(len(lines), -1)[number, -1] += 1
                with pytest.raises(Refused, match=f"'u[123]_{1 - player}_link' is not the hash"):
                    level_intervals(made.form, made.arrays | {name: stored(cells)})
    for level, player in made.models:
        name = f"u{level}_{player}_link"
        with pytest.raises(Refused, match=f"'{name}' is not the hash"):
            level_intervals(made.form, flipped(made.arrays, name, rng))
    with pytest.raises(Refused, match="'u2_0_link' is not the hash"):
        level_intervals(
            made.form, made.arrays | {"prior": stored([[1.0, 0.0, 0.0], [1.0, 2.5, 0.0], [0.5, 0.25, 0.3]])}
        )
    with pytest.raises(Refused, match="'u3_0_link' is not the hash"):
        level_intervals(
            made.form,
            made.arrays | {"levels": stored([(1, 0, 1), (1, 1, 1), (2, 0, 2), (2, 1, 2), (3, 0, 2), (3, 1, 3)])},
        )


def every_link(arrays, levels):
    return {(level, player): link(arrays, level, player) for level in levels for player in (0, 1)}


@pytest.mark.parametrize("seed", [0, 2])
def test_links_do_not_depend_on_what_is_above(seed):
    made, _ = ending(1.0, seed)
    links = every_link(made.arrays, (1, 2))
    shorter = made.arrays | {"levels": stored(plain(made.arrays["levels"])[:4])}
    shorter["prior"] = stored(plain(made.arrays["prior"])[:2, :2])
    for player, kinds in enumerate(((0, 1), (0, 1))):  # nothing but what levels 1 and 2 reply to
        below = reached(made.automata[player], kinds)
        keys = plain(made.arrays[f"a{player}_choice_key"])
        kept = [node in below for node, _, _ in keys]
        arrows = [line for line in plain(made.arrays[f"a{player}_arrow"]) if line[0] in below]
        shorter[f"a{player}_arrow"], shorter[f"a{player}_choice_key"] = stored(arrows), stored(keys[kept])
        shorter[f"a{player}_choice_weight"] = stored(plain(made.arrays[f"a{player}_choice_weight"])[kept])
        assert len(arrows) < len(made.automata[player].arrow)
    assert every_link(without(without(shorter, "b1_2"), "b1_3"), (1, 2)) == links
    assert every_link(made.arrays, (1, 2)) == links
    assert len(set(links.values())) == 4


def test_links_follow_arrows_to_the_end():
    """A change in a node that is two arrows away counts, one that no arrow leads to does not."""
    arrow, key = np.array([(0, -1, 0, 1), (1, 5, 0, 2), (3, 5, 0, 0), (2, 5, 0, 1)]), np.array([(2, 0, 5), (3, 0, 5)])
    arrays = {"levels": stored([(1, 0, 0), (1, 1, 0)]), "prior": stored([[1.0]]), "b1_0": stored([(7, 0)])}
    arrays |= {"a1_arrow": stored(arrow), "a1_choice_key": stored(key), "a1_choice_weight": stored([1.0, 1.0])}
    linked = link(arrays, 1, 0)
    for name, line in (("a1_arrow", 0), ("a1_arrow", 1), ("a1_arrow", 3), ("a1_choice_key", 0)):
        spoilt = plain(arrays[name])
        spoilt[line, 2] += 1
        assert link(arrays | {name: stored(spoilt)}, 1, 0) != linked
    assert link(arrays | {"a1_choice_weight": stored([0.5, 1.0])}, 1, 0) != linked
    assert link(arrays | {"a1_arrow": stored(arrow[[1, 0, 2, 3]])}, 1, 0) != linked
    assert link(arrays | {"b1_0": stored([(8, 0)])}, 1, 0) != linked
    idle = {"a1_arrow": stored(np.delete(arrow, 2, 0)), "a1_choice_key": stored(key[:1])}
    assert link(arrays | idle | {"a1_choice_weight": stored([1.0])}, 1, 0) == linked
    assert link(arrays | {"a1_choice_weight": stored([1.0, 0.5])}, 1, 0) == linked


def test_links_are_for_rungs():
    made, _ = ending(1.0, 1)
    for level, player in ((0, 0), (4, 0), (1, 2)):
        with pytest.raises(Refused, match="expected level 1 to 3 of player 0 to 1"):
            link(made.arrays, level, player)


@pytest.mark.parametrize("row", [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [5e-324, 0.0, 1e300]])
def test_evidence_for_another_prior_is_judged_by_the_one_that_is_stored(row):
    made, _ = ending(0.75, 2)
    form, arrays = changed(made, "prior", lambda prior: np.array([*prior[:2], row]))
    other = Ladder(made.game, 0.75, [*made.prior[:2], row], made.kinds, True)
    best = {key: exact_value(model) for key, (model, _) in other.models.items()}
    assert holds(other, best, level_intervals(other.form, other.arrays))
    assert holds(other, best, level_intervals(form, arrays))


def test_points_that_are_missing_or_wrong():
    made, best = ending(0.75, 1)
    points = plain(made.arrays["u2_0_point"])
    for gone in range(len(points)):
        with pytest.raises(Refused, match=r"level 2 of player 0: 'point' does not list \(|has shape"):
            level_intervals(made.form, made.arrays | {"u2_0_point": stored(np.delete(points, gone, 0))})
    judged = 0
    for one, two in itertools.combinations(range(min(len(points), 12)), 2):  # evidence for the wrong points
        mixed = np.arange(len(points))
        mixed[[one, two]] = two, one
        try:
            found = level_intervals(made.form, made.arrays | {"u2_0_point": stored(points[mixed])})
        except Refused:
            continue
        judged += 1
        assert holds(made, best, found)
    assert judged > 5
    over = len(made.game[1]) - 1
    for wrong, why in (
        ((over, 0), "goes on"),
        ((-2, 0), "goes on"),
        ((len(made.game[1]), 0), "goes on"),
        (points[1], "twice"),
    ):
        spoilt = points.copy()
        spoilt[0] = wrong
        with pytest.raises(Refused, match=why):
            level_intervals(made.form, made.arrays | {"u2_0_point": stored(spoilt)})


def without(arrays, name):
    return {key: item for key, item in arrays.items() if key != name}


def test_missing_pairs_and_pairs_that_are_not_needed():
    made, _ = ending(1.0, 1)
    pairs = plain(made.arrays["pairs"])
    more = made.arrays | {"pairs": stored([*pairs.tolist(), [77, 78]])}
    assert level_intervals(made.form, more) == level_intervals(made.form, made.arrays)
    with pytest.raises(Refused, match="'pairs' lacks kind 1 of player 0 against kind 0 of player 1"):
        level_intervals(made.form, made.arrays | {"pairs": stored(np.where(pairs == [1, 0], [50, 0], pairs))})
    with pytest.raises(Refused, match="'pairs' lists a pair twice"):
        level_intervals(made.form, made.arrays | {"pairs": stored([*pairs.tolist(), pairs[0].tolist()])})
    with pytest.raises(Refused, match="level 1 of player 0: kind 1 of player 0 against kind 0 of player 1: array"):
        level_intervals(made.form, without(made.arrays, "w0_value"))


WRONG = [
    ("levels", [[1, 0, 1]], "'levels' must list"), ("levels", np.zeros((0, 3), int), "'levels' must list"),
    ("levels", [[1, 1, 1], [1, 0, 1]], "'levels' must list"), ("levels", [[1, 0, -1], [1, 1, 0]], "'levels' holds"),
    ("levels", [[1, 0, 1], [1, 1, 99]], "'prior' has shape"), ("levels", [[0, 0, 0]] * 6, "'levels' must list"),
    ("prior", [[1.0, 0.0, 0.0], [1.0, 2.0, 0.1], [0.5, 0.25, 0.3]], "'prior' of level 2 must weigh levels 0 to 1"),
    ("prior", [[1.0, 0.0, 0.0], [1.0, -2.0, 0.0], [0.5, 0.25, 0.3]], "'prior' of level 2"),
    ("prior", [[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.5, 0.25, 0.3]], "'prior' of level 1"),
    ("prior", [[1, 0, 0], [1, 2, 0], [1, 0, 1]], "dtype"),
    ("u1_0_claim", [1.0], "level 1 of player 0: 'claim' has shape"),
    ("u1_0_link", [1, 2], "'u1_0_link' is not the hash"), ("u3_1_fib", [1.0], "level 3 of player 1: 'fib'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "why"), WRONG)
def test_wrong_arrays_are_refused(name, values, why):
    made, _ = ending(1.0, 0)
    with pytest.raises(Refused, match=why):
        level_intervals(made.form, made.arrays | {name: stored(values)})
    with pytest.raises(Refused, match=rf"'({name}|{name[5:]})' is missing"):
        level_intervals(made.form, without(made.arrays, name))


@pytest.mark.parametrize("name", ["b1_2", "a1_arrow", "a1_choice_key", "a1_choice_weight"])
def test_a_missing_controller_is_named(name):
    made, _ = ending(1.0, 0)
    with pytest.raises(Refused, match=f"'{name}' is missing"):
        level_intervals(made.form, without(made.arrays, name))
    with pytest.raises(Refused, match=f"'{name}' is missing"):
        link(without(made.arrays, name), 3, 0)
    assert link(without(made.arrays, name), 3, 1) == link(made.arrays, 3, 1)


@pytest.mark.parametrize("name", ["b1_2", "a1_arrow", "a1_choice_key"])
def test_two_answers_to_one_question_are_refused(name):
    made, _ = ending(1.0, 0)
    arrays = made.arrays | {name: stored(np.repeat(plain(made.arrays[name]), 2, axis=0))}
    if name == "a1_choice_key":
        arrays["a1_choice_weight"] = stored(np.repeat(plain(arrays["a1_choice_weight"]), 2))
    relink(arrays)
    with pytest.raises(Refused, match=f"'{name}' answers one question twice"):
        level_intervals(made.form, arrays)


def test_as_many_weights_as_keys():
    made, _ = ending(1.0, 0)
    arrays = made.arrays | {"a1_choice_weight": stored(plain(made.arrays["a1_choice_weight"])[1:])}
    with pytest.raises(Refused, match="'a1_choice_weight' has shape"):
        link(arrays, 1, 0)


def test_levels_are_for_two():
    row = [(1.0, 1, (1.0,), (0,))]
    form = table(1, 1.0, [(1.0, 0, (0.0,), (0,))], [((0,), [(7,)], [row]), ((), [], [])])
    with pytest.raises(Refused, match="levels of 2 players, expected those of the 1 of the game"):
        level_intervals(form, ending(1.0, 0)[0].arrays)


@pytest.mark.parametrize("player", [0, 1])
def test_the_report(player):
    made, best = ending(1.0, 2)
    report = check(header(made.form, "level-k", player, -1e9, 1e9), made.form, made.arrays)
    assert (report.kind, report.player, report.refuted, report.regret) == ("level-k", player, None, None)
    assert [row[:2] for row in report.levels] == list(best)
    assert all(low <= best[level, who] <= high for level, who, low, high in report.levels)
    assert (3, player, report.lower, report.upper) == report.levels[4 + player]
    assert report.intervals == [row[2:] for row in report.levels[4:]]
    told = header(made.form, "level-k", player, report.lower, report.upper)
    assert check(told, made.form, made.arrays).refuted is None
    above = header(made.form, "level-k", player, report.lower + 1.0, report.upper)
    assert check(above, made.form, made.arrays).refuted.startswith(f"player {player}'s lower bound: claimed")
    with pytest.raises(Refused, match="player 2 of 2"):
        check(header(made.form, "level-k", 2, -1e9, 1e9), made.form, made.arrays)


def test_the_command_line_tells_every_level(tmp_path, capsys):
    made, best = ending(1.0, 2)
    form = write(tmp_path / "form.npz", made.form)
    for spoilt, code in (({}, 0), ({"u2_0_claim": stored([1e8, 1e9])}, 1)):
        told = header(made.form, "level-k", 1, -1e9, 1e9)
        assert main([form, solution(tmp_path / "solution.npz", told, made.arrays | spoilt)]) == code
        first, *levels, about = capsys.readouterr().out.splitlines()
        assert about.startswith("about the evidence in the file")
        assert first.startswith("level-k: player 1: certified interval [")
        assert [line.split(": [")[0] for line in levels[:6]] == [f"level {k} of player {s}" for k, s in best]
        for line, value in zip(levels, best.values()):
            low, high = line.split(": [")[1].rstrip("]").split(", ")
            assert float(low) <= value <= float(high)
        assert [line.split(":")[0] for line in levels[6:]] == ["refuted"] * code


def test_claims_about_a_level_are_refuted_by_name():
    made, _ = ending(1.0, 2)
    told = header(made.form, "level-k", 0, 1e9, 1e9)
    for level, player, low, high in check(told, made.form, made.arrays).levels:
        honest = made.arrays | {f"u{level}_{player}_claim": stored([low, high])}
        assert check(told, made.form, honest).refuted.startswith("player 0's lower bound: claimed 1000000000.0")
        for name, claim in (("lower", [high + 1e-6, high]), ("upper", [low, low - 1e-6])):
            report = check(told, made.form, made.arrays | {f"u{level}_{player}_claim": stored(claim)})
            assert report.refuted.startswith(f"level {level} of player {player}'s {name} bound: claimed")
    two = made.arrays | {"u3_1_claim": stored([1e8, 1e9]), "u2_0_claim": stored([1e8, 1e9])}
    assert check(told, made.form, two).refuted.startswith("level 2 of player 0's lower bound: claimed 100000000.0")
