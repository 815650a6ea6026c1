"""Subgame perfection and sequential rationality in trees, against all completions of pure strategies."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from itertools import count, product

import pytest

import fogbound as fb

PLAYERS = ("one", "two")


def random_tree(rng, depth, stages, number, payoff):
    """Nested lists for `fb.tree`: decisions, lotteries and, with `stages`, simultaneous moves."""
    kind = rng.random()
    if depth == 0 or (depth < 3 and kind < 0.2):
        return [payoff(), payoff()]

    def below():
        return random_tree(rng, depth - 1, stages, number, payoff)

    if kind < 0.35:
        return ["chance", {"a": (Fraction(1, 3), below()), "b": (Fraction(2, 3), below())}]
    name = f"set {next(number)}"
    if stages and kind < 0.6:
        unseen = f"set {next(number)}"
        second = [
            ["two", unseen, {"c": below() if k else [payoff(), payoff()], "d": [payoff(), payoff()]}] for k in (0, 1)
        ]
        return ["one", name, dict(zip("ab", second))]
    return [rng.choice(PLAYERS), name, {move: below() for move in "ab"}]


def sets_in(node):
    """By information set: the player, and its moves."""
    if not isinstance(node[-1], dict):
        return {}
    below = [child[1] if node[0] == "chance" else child for child in node[-1].values()]
    own = {} if node[0] == "chance" else {node[1]: (node[0], tuple(node[2]))}
    return own | {name: one for child in below for name, one in sets_in(child).items()}


def nodes_of(node):
    """All nodes from one on."""
    found = [node]
    if isinstance(node[-1], dict):
        for child in node[-1].values():
            found += nodes_of(child[1] if node[0] == "chance" else child)
    return found


def subgames(root):
    """The nodes at which no information set is entered from elsewhere."""
    everywhere = [n[1] for n in nodes_of(root) if isinstance(n[-1], dict) and n[0] != "chance"]
    found = []
    for node in nodes_of(root):
        inside = [n[1] for n in nodes_of(node) if isinstance(n[-1], dict) and n[0] != "chance"]
        if inside and all(inside.count(name) == everywhere.count(name) for name in inside):
            found.append(node)
    return found


def paid(node, plays):
    """What a pure behaviour strategy profile pays from a node on."""
    if not isinstance(node[-1], dict):
        return node
    if node[0] == "chance":
        parts = [(p, paid(child, plays)) for p, child in node[1].values()]
        return [sum(p * part[i] for p, part in parts) for i in (0, 1)]
    return paid(node[2][plays[node[1]]], plays)


def is_subgame_perfect(root, plays):
    for node in subgames(root):
        have, own = paid(node, plays), sets_in(node)
        for i, player in enumerate(PLAYERS):
            names = [name for name, (owner, _) in own.items() if owner == player]
            for moves in product(*(own[name][1] for name in names)):
                if paid(node, plays | dict(zip(names, moves)))[i] > have[i]:
                    return False
    return True


def completions(root, one):
    """All complete pure profiles that play what a pure equilibrium says."""
    said = {name: next(iter(moves)) for own in one.behaviour.values() for name, moves in own.items()}
    known = {re.findall(r"set \d+", name)[-1]: move for name, move in said.items()}
    sets = sets_in(root)
    silent = [name for name in sets if name not in known]
    assert known.keys() <= sets.keys()
    for moves in product(*(sets[name][1] for name in silent)):
        yield known | dict(zip(silent, moves))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", range(25))
def test_without_ties_only_backward_induction_is_subgame_perfect(seed):
    rng, number = random.Random(f"plain {seed}"), count()
    values = iter(rng.sample(range(1000), 400))
    root = random_tree(rng, 3, False, number, lambda: next(values))
    if len(sets_in(root)) < 2 or {owner for owner, _ in sets_in(root).values()} != set(PLAYERS):
        pytest.skip("one player moves")
    for one in fb.equilibria(fb.tree(root, players=PLAYERS)):
        if one.has("pure"):
            perfect = any(is_subgame_perfect(root, plays) for plays in completions(root, one))
            assert one.labels["subgame-perfect"] is perfect
            assert one.labels["sequential"] is perfect


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", range(40))
def test_subgame_perfection_with_ties_and_simultaneous_moves(seed):
    rng, number = random.Random(f"stages {seed}"), count()
    root = random_tree(rng, 3, True, number, lambda: rng.randint(0, 3))
    if {owner for owner, _ in sets_in(root).values()} != set(PLAYERS) or len(sets_in(root)) > 9:
        pytest.skip("one player moves, or the tree is large")
    answer = fb.equilibria(fb.tree(root, players=PLAYERS))
    if answer.proper_subgames is None:
        return
    for one in answer:
        if one.has("pure"):
            perfect = any(is_subgame_perfect(root, plays) for plays in completions(root, one))
            assert not perfect or one.has("subgame-perfect")
            assert one.labels["subgame-perfect"] is not False or not perfect
        assert not one.has("sequential") or one.has("subgame-perfect")
        assert not one.has("proper") or one.labels["sequential"] is not False


def test_a_threat_that_is_not_credible():
    """Selten's chain store: fighting entry is an equilibrium, and not subgame-perfect."""
    store = [
        "entrant",
        "start",
        {"stay out": [1, 5], "enter": ["store", "entered", {"share": [2, 2], "fight": [0, 0]}]},
    ]
    answer = fb.equilibria(fb.tree(store, players=("entrant", "store")))
    assert answer.proper_subgames == 1
    credible = {one.payoffs: one.labels["subgame-perfect"] for one in answer if one.has("pure")}
    assert credible == {(1, 5): False, (2, 2): True}
    assert all(one.labels["sequential"] == one.labels["subgame-perfect"] for one in answer)


def test_subgame_perfection_may_lie_between_extreme_equilibria():
    """One stays out; if it entered, only the mixed equilibrium of matching pennies would follow, which is no vertex."""
    pennies = [["two", "guess", {"c": ends[0], "d": ends[1]}] for ends in ([[2, 0], [0, 2]], [[0, 2], [2, 0]])]
    root = ["one", "start", {"out": [3, 3], "in": ["one", "hide", dict(zip("ab", pennies))]}]
    answer = fb.equilibria(fb.tree(root, players=PLAYERS))
    assert [one.labels["subgame-perfect"] for one in answer] == [False, False]
    assert "inside" in str(answer)
    assert len(answer.notes) == 1


def test_a_silent_player_may_need_to_mix():
    """Both are silent in the same matching pennies when one may end the game before; or one is, and must mix."""
    ends = ([[2, 0], [0, 2]], [[0, 2], [2, 0]])
    pennies = ["two", "hide", {m: ["one", "guess", {"c": e[0], "d": e[1]}] for m, e in zip("ab", ends)}]
    root = ["one", "start", {"out": [3, 3], "in": ["two", "stay", {"end": [0, 1], "play": pennies}]}]
    answer = fb.equilibria(fb.tree(root, players=PLAYERS))
    ended = [one for one in answer if "end" in one.behaviour["two"].get("stay", {})]
    assert ended
    assert all(one.has("subgame-perfect") for one in ended)


def test_selten_horse():
    """Three players: down-across-left is no sequential and, since each moves once, no perfect equilibrium."""
    answer = fb.equilibria("selten-horse")
    down = next(one for one in answer if one.has("pure") and "down" in one.strategies[0])
    assert [down.labels[label] for label in ("sequential", "trembling-hand perfect", "proper")] == [False] * 3
    across = next(one for one in answer if one.has("pure") and "across" in one.strategies[0])
    assert across.has("sequential")
    assert across.beliefs[0].player == "third"
    assert not answer.complete


def test_three_players():
    answer = fb.equilibria("matrix-game(matrix=mckelvey-mclennan)")
    assert len(answer) == 9
    assert not answer.complete
    assert "there may be others" in answer.statement
    assert all(one.regret == 0 and one.has("proper") for one in answer)
    assert answer.components == ()
