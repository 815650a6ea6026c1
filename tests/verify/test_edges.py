"""Where bounds need no evidence, and other edges that damaged records do not come to: exact values by hand."""

from fractions import Fraction

import numpy as np
import pytest

from fogbound.verify import Refused, check
from fogbound.verify.arithmetic import shares
from fogbound.verify.chain import intervals, read_table
from fogbound.verify.markov import read_markov, zero_sum
from fogbound.verify.memories import guarantees, play, read_memories
from fogbound.verify.one_sided import bounds as one_sided
from fogbound.verify.pomdp.bounds import interval
from fogbound.verify.tree import read_tree
from tests.verify.made import header, plain, random_tree, stored, widths
from tests.verify.pomdps import form as pomdp_form
from tests.verify.records import read
from tests.verify.tables import table


@pytest.mark.parametrize(("pays", "found"), [((-1.0, -3.0), (-3, 3)), ((1.0, 3.0), (3, 9)), ((-1.0, 3.0), (1, 9))])
def test_play_that_only_costs_may_end_and_cost_nothing(pays, found):
    """Without evidence: the least (largest) of 0 and the rewards, in every step; the start pays 3."""
    rows = [(pay, [(1.0, 0, 0)]) for pay in pays]
    model = {"discount": 0.5, "pay": 3.0, "start": [(1.0, 0, 0)], "states": [((4, 5), rows), ((), [])]}
    assert interval(pomdp_form(model), {}) == found


def walk(pay: float, discount: float = 0.5, players: int = 2):
    """One state, left at once, in which nobody has a choice; and its end."""
    arrays = {"discount": [discount], "width": [[1] * players, [0] * players], "out": [0, 1], "next": [1]}
    arrays |= {"prob": [1.0], "reward": [[pay] * players], "start": [1.0, 0.0], "paid": [0.25] * players}
    return {name: stored(values) for name, values in arrays.items()}


def claims(below: float, above: float, **more):
    arrays = {"below": [below, 0.0], "above": [above, 0.0], "strategy_0": [1.0], "strategy_1": [1.0], **more}
    return {name: stored(np.array(values, float)) for name, values in arrays.items()}


@pytest.mark.parametrize("pay", [-2.0, -0.25, 0.0, 0.25, 2.0])
def test_bounds_without_evidence_in_a_state(pay):
    """Absurd claims give what the rewards alone say: in each of at most 2 steps the pay, or nothing."""
    low, high = zero_sum(walk(pay), claims(1e6, -1e6), 0)
    assert (low, high) == (Fraction(1, 4) + 2 * min(0, Fraction(pay)), Fraction(1, 4) + 2 * max(0, Fraction(pay)))
    assert zero_sum(walk(pay), claims(pay, pay), 0) == (Fraction(1, 4) + Fraction(pay),) * 2


def test_play_that_ends_needs_steps_above_nothing():
    assert zero_sum(walk(2.0, 1.0), claims(2.0, 2.0, steps=[1.0, 0.0]), 0) == (Fraction(9, 4),) * 2
    for steps in ([0.0, 0.0], [-1.0, 0.0], [0.0, 5.0]):
        with pytest.raises(Refused, match="not certified to end"):
            zero_sum(walk(2.0, 1.0), claims(2.0, 2.0, steps=steps), 0)
    assert read_markov(walk(2.0, 1.0), claims(2.0, 2.0, steps=[0.5, 9.0])).wait == [1, 0]


def test_a_zero_sum_game_has_two_players():
    for form, player in ((walk(1.0), 2), (walk(1.0), -1), (walk(1.0, players=3), 0), (walk(1.0, players=1), 0)):
        with pytest.raises(Refused, match="needs 2 players"):
            zero_sum(form, claims(1.0, 1.0), player)


def test_a_wrong_claim_is_told():
    case, _ = read("one-sided")
    _, violation = one_sided.proven(case.form, case.certificate)
    assert violation > 0


def test_strategies_on_memories_guarantee_something_between_two():
    three, _ = read("memories-three")
    with pytest.raises(Refused, match="needs 2 players, the form has 3"):
        guarantees(play(read_memories(three.form), three.certificate["strategy"]), 0)
    for players in (0, -1, 1001):
        with pytest.raises(Refused, match=f"a game for {players} players"):
            read_memories({**three.form, "players": stored([players])})


def test_a_row_of_a_table_has_outcomes():
    form = table(1, 0.5, [(1.0, 0, (3.0,), (0,))], [((0,), [(7, 8)], [[(1.0, 1, (1.0,), (0,))]] * 2), ((), [], [])])
    assert read_table(form).out == [0, 1, 2, 3]
    for out in ([0, 1, 1, 3], [0, 2, 1, 3], [0, 0, 1, 3]):
        with pytest.raises(Refused, match="row without outcomes"):
            read_table({**form, "out": stored(out)})


def test_points_are_counted_to_their_limit():
    case, _ = read("chain")
    reached = 6
    assert intervals(case.form, case.certificate, reached) == intervals(case.form, case.certificate)
    with pytest.raises(Refused, match=f"more than {reached - 1} points"):
        intervals(case.form, case.certificate, reached - 1)


def test_proportions_are_in_the_shortest_integers():
    assert shares([6.0, 3.0, -1.0, 0.0]) == ([2, 1, 0, 0], 3)
    assert shares([0.75, 0.25]) == ([3, 1], 4)
    assert shares([0.0, -2.0]) == ([1, 1], 2)


@pytest.mark.parametrize("share", [0.0, -0.125, -0.25, -0.5])
def test_a_controller_whose_play_is_not_shown_to_end_proves_nothing(share):
    """Steps that do not fall by 1 a step, or that rise: what is left of a claim could not be paid for by them."""
    case, _ = read("pomdp-that-ends")
    steps = stored(share * plain(case.certificate["steps"]))
    with pytest.raises(Refused, match="not certified to end"):
        interval(case.form, {**case.certificate, "steps": steps})


def test_a_discount_may_be_nothing():
    case, _ = read("one-sided")
    (low, high), _ = one_sided.proven({**case.form, "discount": stored([0.0])}, case.certificate)
    assert low <= high
    for discount in (-0.25, 1.25):
        with pytest.raises(Refused, match="expected 0 to 1"):
            one_sided.proven({**case.form, "discount": stored([discount])}, case.certificate)


@pytest.mark.parametrize(("nodes", "players"), [(0, 2), (1, 0), (1, -1), (1, 1001), (0, 0)])
def test_a_tree_has_a_node_and_one_to_a_thousand_players(nodes, players):
    with pytest.raises(Refused, match=f"a tree of {nodes} nodes for {players} players"):
        read_tree(lone(nodes, players))


@pytest.mark.parametrize("players", [1, 1000])
def test_a_game_that_is_over_at_once_pays_what_its_only_node_pays(players):
    game = read_tree(lone(1, players))
    assert [Fraction(pays[0], game.unit) for pays in game.payoff] == [Fraction(3, 4)] * players


def lone(nodes, players):
    """A tree of ends that nothing leads to."""
    arrays = {"player": [-2] * nodes, "parent": [-1] * nodes, "infoset": [-1] * nodes, "players": [players]}
    shown = {name: stored(np.array(values, np.int64)) for name, values in arrays.items()}
    pays = np.full((nodes, max(players, 0)), 0.75)
    return shown | {"prob": stored(np.ones(nodes)), "payoff": stored(pays)}


def test_a_guarantee_on_a_tree_needs_two_players():
    form = random_tree(4, 3, depth=3)
    shown = {"strategy": stored(np.ones(sum(widths(form))))}
    with pytest.raises(Refused, match="needs 2 players, the form has 3"):
        check(header(form, "zero-sum-tree", 0, -1e9, 1e9), form, shown)


def test_one_policy_is_the_evidence_from_below():
    """Of a controller and vectors each might prove another bound: the file would not say which is played."""
    (one, _), (two, _) = read("pomdp"), read("pomdp-vectors")
    assert one.form.keys() == two.form.keys()
    with pytest.raises(Refused, match="two kinds of evidence for the lower bound"):
        interval(one.form, {**one.certificate, **two.certificate})


def test_without_a_future_only_the_first_step_counts():
    """A discount of 0 is one: the start pays 3, and of two moves the better one is taken."""
    rows = [(pay, [(1.0, 0, 0)]) for pay in (1.0, 2.0)]
    model = {"discount": 0.0, "pay": 3.0, "start": [(1.0, 0, 0)], "states": [((4, 5), rows), ((), [])]}
    low, high = interval(pomdp_form(model), {})
    assert (low, high) == (3, 3 + 2)
    assert zero_sum(walk(2.0, 0.0), claims(2.0, 2.0), 0) == (Fraction(9, 4),) * 2
