"""Tables of trees whose players forget: one strategy for all that differ only where their player never comes."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from fogbound.files.gambit.efg import read_efg
from fogbound.files.gambit.nfg import equally_likely, reduced_plans, strategic
from fogbound.files.gambit.structure import PERFECT, recall


def forgetful(seed: int) -> str:
    """A random tree of 2 players and chance; sets join nodes of one player with equally many moves, anywhere."""
    rng = random.Random(seed)
    sizes: dict[int, list[int]] = {1: [], 2: []}  # of sets so far
    lines, ends = [], 0

    def node(depth: int) -> None:
        nonlocal ends
        if depth == 0 or (depth < 4 and rng.random() < 0.25):
            ends += 1
            lines.append(f't "" {ends} "" {{ {rng.randint(-3, 3)} {rng.randint(-3, 3)} }}')
            return
        if rng.random() < 0.15:
            lines.append(f'c "" {len(lines) + 1000} "" {{ "l" 1/3 "r" 2/3 }} 0')
            moves = 2
        else:
            player = rng.choice((1, 2))
            known = sizes[player]
            if known and rng.random() < 0.4:
                number = rng.randrange(len(known))
            else:
                known.append(rng.choice((2, 2, 3)))
                number = len(known) - 1
            moves = known[number]
            names = " ".join(f'"{chr(97 + k)}"' for k in range(moves))
            lines.append(f'p "" {player} {number + 1} "" {{ {names} }} 0')
        for _ in range(moves):
            node(depth - 1)

    node(rng.choice((3, 4)))
    return "\n".join(['EFG 2 R "random" { "one" "two" }', '""', *lines, ""])


def reached_by(file, player, choice):
    """The nodes that a full pure strategy of a player does not exclude."""
    found, taken = {0}, [0] * file.size
    for node, up in enumerate(file.parent):
        if up >= 0:
            move, index = taken[up], file.set_of[up]
            taken[up] += 1
            if up in found and (file.sets[index].player != player or choice[index] == move):
                found.add(node)
    return frozenset(found)


def full_plans(file, player):
    own = [k for k, one in enumerate(file.sets) if one.player == player]
    return [dict(zip(own, moves)) for moves in product(*(range(len(file.sets[k].moves)) for k in own))]


def payoffs(file, choice):
    """What two full pure strategies pay, down the tree by the definition."""
    children = file.children()

    def value(node):
        own = file.outcomes[file.outcome[node]][1] if file.outcome[node] else (Fraction(0),) * 2
        index = file.set_of[node]
        if index < 0:
            return own
        if file.sets[index].player < 0:
            parts = [(p, value(below)) for p, below in zip(file.sets[index].chances, children[node])]
        else:
            parts = [(Fraction(1), value(children[node][choice[index]]))]
        return tuple(own[i] + sum((p * v[i] for p, v in parts), Fraction(0)) for i in range(2))

    return value(0)


@pytest.mark.parametrize("seed", range(40))
def test_reduced_strategies_are_the_classes_of_all_strategies(tmp_path, seed):
    path = tmp_path / "forgetful.efg"
    path.write_text(forgetful(seed))
    file = read_efg(path)
    full = [full_plans(file, player) for player in (0, 1)]
    if max(map(len, full)) > 600:
        pytest.skip("too many full strategies to list")
    for player in (0, 1):
        reduced = list(reduced_plans(file, player))
        classes = {reached_by(file, player, plan) for plan in full[player]}
        assert len(reduced) == len(classes)
        own = full[player][0]
        assert {reached_by(file, player, {**own, **plan}) for plan in reduced} == classes
        sizes = [sum(all(one[k] == m for k, m in plan.items()) for one in full[player]) for plan in reduced]
        assert sum(sizes) == len(full[player])  # every full strategy belongs to one
        assert equally_likely(file, player) == (len(set(sizes)) == 1)
    table = strategic(file)
    assert [len(names) for names in table.strategies] == [len(list(reduced_plans(file, i))) for i in (0, 1)]
    rng = random.Random(seed)
    for _ in range(20):
        mine, theirs = (rng.choice(plans) for plans in full)
        places = []
        for player, plan in ((0, mine), (1, theirs)):
            listed = list(reduced_plans(file, player))
            places.append(next(k for k, one in enumerate(listed) if all(plan[h] == m for h, m in one.items())))
        cell = places[0] + len(table.strategies[0]) * places[1]
        assert table.payoffs[cell] == payoffs(file, {**mine, **theirs})


def test_most_of_these_trees_are_of_imperfect_recall(tmp_path):
    path = tmp_path / "forgetful.efg"
    kinds = []
    for seed in range(40):
        path.write_text(forgetful(seed))
        kinds.append(recall(read_efg(path)).kind)
    assert sum(kind != PERFECT for kind in kinds) >= 20


LONG = (
    """EFG 2 R "long" { "one" "two" }
""
"""
    + "\n".join(f'p "" 1 {k + 1} "" {{ "stop" "go" }} 0\nt "" {k + 1} "" {{ {k} 1 }}' for k in range(30))
    + """
p "" 2 1 "" { "l" "r" } 0
p "" 1 31 "" { "l" "r" } 0
t "" 31 "" { 1 0 }
t "" 32 "" { 0 1 }
p "" 1 31 "" { "l" "r" } 0
t "" 33 "" { 0 1 }
t "" 34 "" { 1 0 }
"""
)


def test_a_long_tree_needs_its_reduced_strategies_only(tmp_path):
    """2^31 full strategies: 30 reduced ones stop somewhere, 2 never do."""
    path = tmp_path / "long.efg"
    path.write_text(LONG)
    file = read_efg(path)
    assert len(list(reduced_plans(file, 0))) == 32
    names = strategic(file).strategies[0]
    assert names[0] == "stop" + " *" * 30
    assert names[-2:] == ("go " * 30 + "l", "go " * 30 + "r")
