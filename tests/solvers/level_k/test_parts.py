"""The parts of a hierarchy: views, automata that hold each future once, slips of the hand, memory, matches of kinds."""

from __future__ import annotations

import numpy as np
import pytest

from fogbound import evaluation, forms
from fogbound.core import Dist
from fogbound.core.errors import FormError, SpecError
from fogbound.core.game import Observation
from fogbound.forms.kernels.induced import MIXED, UNIFORM, WAITS, next_node
from fogbound.forms.player_view import NOT_ASKED, OVER, player_view
from fogbound.games import make
from fogbound.games.random_game import RandomGame
from fogbound.policies import Controller, Trembling, Uniform, controller, equivalent
from fogbound.solvers.level_k.checkpoint import restore_levels, save_level
from fogbound.solvers.level_k.hierarchy import SolvedHierarchy, level_ranges, solve_levels
from fogbound.solvers.level_k.joint import JointAutomata
from fogbound.solvers.pomdp.belief_graph.fsc import FSCUnion, controller_of_kind, fsc_of
from fogbound.solvers.pomdp.belief_graph.graph import BeliefGraph

GAMES = [
    make("po-nim(n=3)"),
    make("card-poker(ranks=3)"),
    *(RandomGame(seed=seed, depth=3, width=3, signals=2) for seed in range(4)),
]
named = pytest.mark.parametrize("game", GAMES, ids=str)


# --- views -----------------------------------------------------------------------------------------------------------


@named
def test_a_view_says_what_is_seen_and_asked(game):
    source = forms.table(game)
    for player in (0, 1):
        own = player_view(source, player)
        for s, state in enumerate(source.states):
            actors = game.actors(state)
            words = {OVER: (), NOT_ASKED: None}.get(int(own.legal[s]), own.legal[s])
            if not actors:
                assert words == ()
            elif player not in actors:
                assert words is None
            else:
                assert source.legal_labels(int(own.legal[s])) == tuple(game.actions(state, player))
        for o, z in enumerate(own.obs.tolist()):
            seen, legal = own.observations[z]
            assert legal == own.legal[source.next[o]]
            assert seen == source.observations[player][source.seen[source.event[o], player]]
        assert len(set(own.observations)) == len(own.observations)


# --- automata --------------------------------------------------------------------------------------------------------


@named
def test_a_policy_put_into_an_automaton_and_taken_out_again(game):
    """Numbers on the way in, words on the way out: the same player, and the same worth."""
    source, found = forms.table(game), solve_levels(game, 2)
    for player in (0, 1):
        own = FSCUnion(player_view(source, player))
        for level in (1, 2):
            policy = found.policy(level, player)
            again = controller_of_kind(own, own.add(fsc_of(source, own.view, policy)), source.actions)
            assert equivalent(policy, again)
            for other in (Uniform(), found.policy(1, 1 - player)):
                try:
                    worth = evaluation.value(source, {player: policy, 1 - player: other})
                except FormError:  # two that never end their game
                    continue
                assert evaluation.value(source, {player: again, 1 - player: other}) == pytest.approx(worth, abs=1e-12)


@named
def test_what_is_added_twice_is_held_once(game):
    source, found = forms.table(game), solve_levels(game, 3)
    own = FSCUnion(player_view(source, 0))
    kinds = [own.add(fsc_of(source, own.view, found.policy(level, 0))) for level in range(4)]
    size = own.size
    before = {kind: own.kinds[kind].copy() for kind in kinds}
    assert [own.add(fsc_of(source, own.view, found.policy(level, 0))) for level in (3, 1, 0, 2)] == [
        kinds[level] for level in (3, 1, 0, 2)
    ]
    assert own.size == size
    assert all((own.kinds[kind] == begin).all() for kind, begin in before.items())


@named
def test_a_kind_that_is_there_never_changes(game):
    """Later levels only add nodes: what the earlier ones do keeps its numbers."""
    found = SolvedHierarchy(forms.table(game))
    kept = []
    for _ in range(4):
        found.solve_next()
        for player, own in enumerate(found.automata):
            nodes = own.nodes
            kept.append((player, own.size, nodes.label.copy(), nodes.arrow_to[: nodes.arrow[own.size]].copy()))
    for player, size, label, to in kept:
        nodes = found.automata[player].nodes
        assert (nodes.label[:size] == label).all()
        assert (nodes.arrow_to[: nodes.arrow[size]] == to).all()
        assert (to < size).all()  # what is older never leads to what is newer


def test_arrows_that_are_missing_lead_to_random_play():
    source = forms.table(make("po-nim(n=3)"))
    own = FSCUnion(player_view(source, 0))
    kind = own.add(fsc_of(source, own.view, Controller({Observation(None, 3): 0}, {}, (Dist.sure(("hidden", 1)),))))
    (node,) = own.reach(kind).tolist()
    assert own.nodes.label[node] == source.actions.index(("hidden", 1))
    keys = range((len(source.actions) + 1) * len(own.view.observations))
    assert {next_node(own.nodes, node, key) for key in keys} == {0}
    assert own.nodes.label[0] == UNIFORM


def test_labels_of_nodes():
    source, found = forms.table(make("po-nim(n=3)")), solve_levels(make("po-nim(n=3)"), 1)
    own = found.automata[1]
    reached = own.reach(found.kind(1, 1))
    labels = own.nodes.label[reached]
    assert WAITS in labels  # the second player waits for the first move
    assert ((labels == WAITS) | (labels >= 0)).all()
    mixed = Controller({Observation(None, 3): 0}, {}, (Dist.uniform([("own", 1), ("hidden", 1)]),))
    assert fsc_of(source, player_view(source, 0), mixed).label.tolist() == [MIXED]


def test_level_zero_that_is_a_level_plays_like_it():
    """The first level is put in as level 0 of another hierarchy, where it is the best reply again."""
    game = RandomGame(seed=1, depth=3, width=3, signals=2)
    other = solve_levels(game, 1, zero={0: solve_levels(game, 1).policy(1, 0)})
    assert equivalent(other.policy(1, 0), other.policy(0, 0))


# --- slips of the hand -----------------------------------------------------------------------------------------------


@named
def test_covering_slips_changes_nothing_without_them(game):
    found = solve_levels(game, 3)
    for solution in found.solutions:
        plain = found.policy(solution.level, solution.player)
        for slips in (1, 2):
            covered = found.policy(solution.level, solution.player, slips)
            assert equivalent(covered, plain)
            assert covered.size >= plain.size


def test_after_a_slip_play_is_best_again():
    """Trembling with a cover loses less than trembling without, and no more than it must."""
    game = make("po-nim(n=3)")
    found = solve_levels(game, 1)
    for player in (0, 1):
        worth = [
            evaluation.value(game, {player: Trembling(found.policy(1, player, slips), 0.2), 1 - player: Uniform()})[
                player
            ]
            for slips in (0, 1, 3)
        ]
        assert worth[0] < worth[1] < worth[2] < found.solution(1, player).value


def test_slips_of_a_logit_level():
    """Every action is one it may take, so a cover changes nothing: neither what it does, nor what it earns."""
    found = solve_levels(make("po-nim(n=2, discount=0.9)"), 1, precision=2.0)
    for player in (0, 1):
        covered = found.policy(1, player, slips=1)
        worth = evaluation.value(found.table, {player: covered, 1 - player: Uniform()})[player]
        assert worth == pytest.approx(found.solution(1, player).value, abs=1e-6)


# --- logit replies ---------------------------------------------------------------------------------------------------


def test_a_logit_choice_by_hand():
    """One move each, at once, against uniform play: shares in proportion to exp(precision x pay)."""
    game = RandomGame(seed=7, depth=1, width=1, actions_=3, signals=1)
    source = forms.table(game)
    for player in (0, 1):
        policy = solve_levels(game, 1, precision=1.5).policy(1, player)
        asked = [choice for choice in policy.choices if choice is not None] if policy != Uniform() else []
        form = forms.pomdp(source, player, {1 - player: Uniform()})
        rows = form.reward[form.row[0] : form.row[1]]
        if len(rows) > 1:
            share = np.exp(1.5 * rows) / np.exp(1.5 * rows).sum()
            assert sorted(p for _, p in asked[0]) == pytest.approx(sorted(share))
            return
    pytest.fail("the game offers no choice")


# --- memory ----------------------------------------------------------------------------------------------------------


@named
def test_remembered_and_recalled(game):
    """A hierarchy that recalls goes on as one that never stopped."""
    source, arrays = forms.table(game), {}
    first = SolvedHierarchy(source)
    for _ in range(2):
        first.solve_next()
        save_level(first, arrays)
    second = SolvedHierarchy(source)
    restore_levels(second, arrays)
    assert second.levels == 2
    for _ in range(2):
        first.solve_next()
        second.solve_next()
    assert [solution.kind for solution in first.solutions] == [solution.kind for solution in second.solutions]
    assert [solution.value for solution in first.solutions] == pytest.approx(
        [solution.value for solution in second.solutions], abs=1e-12
    )
    for level in range(5):
        for player in (0, 1):
            assert equivalent(first.policy(level, player), second.policy(level, player))
    assert [solution.nodes for solution in first.solutions] == [solution.nodes for solution in second.solutions]


def test_what_is_noted_at_a_node_is_a_belief_about_levels():
    found = solve_levels(make("po-nim(n=3)"), 3)
    policy = found.policy(3, 0)
    start = policy.notes[policy.first[Observation(None, 3)]]
    assert [part.split(" level ")[0] for part in start.split("; ")] == ["0.333 (3, 3, 0)"] * 3
    assert sorted(part.split(" level ")[1] for part in start.split("; ")) == ["0", "1", "2"]
    assert all(" level " in note for note in policy.notes)
    assert len(policy.notes) == policy.size


def test_spans():
    assert level_ranges([0, 2, 3, 4, 7]) == "0, 2-4, 7"
    assert level_ranges([]) == "0"


# --- asking for what is not there ------------------------------------------------------------------------------------


def test_levels_and_seats_that_are_not_there():
    found = solve_levels(make("po-nim(n=2)"), 2)
    for level, player in ((3, 0), (-1, 0), (1, 2), (1, -1)):
        with pytest.raises(SpecError, match="expected levels 1 to 2"):
            found.policy(level, player)
    with pytest.raises(SpecError):
        found.solution(0, 0)
    with pytest.raises(FormError, match="3 players"):
        solve_levels(RandomGame(seed=0, seats=3, depth=2, width=2), 1).process(1, 0)
    with pytest.raises(FormError, match="discount"):
        BeliefGraph("x", 0.0, np.zeros(1, bool), str)


def test_kinds_that_are_not_there():
    found = solve_levels(make("po-nim(n=2)"), 2)
    for level in (-1, 3):
        with pytest.raises(SpecError):
            found.kind(level, 0)


@pytest.mark.parametrize("precision", [-1.0, float("nan")])
def test_precision_that_is_none(precision):
    with pytest.raises(SpecError, match="precision"):
        solve_levels(make("po-nim(n=2)"), 1, precision=precision)


# --- two automata against each other ---------------------------------------------------------------------------------


@named
def test_a_match_of_kinds_is_worth_what_exact_evaluation_says(game):
    found = solve_levels(game, 3)
    joint = JointAutomata(found.table, found.automata)
    for one in range(4):
        for two in range(4):
            profile = {0: found.policy(one, 0), 1: found.policy(two, 1)}
            try:
                worth = evaluation.value(found.table, profile)
            except FormError:  # two that never end their game
                continue
            kinds = found.kind(one, 0), found.kind(two, 1)
            match = joint.match(*kinds)
            starts = slice(0, int(found.table.out[1]))
            paid = found.table.prob[starts] @ found.table.reward[found.table.event[starts]]
            places = {tuple(point): k for k, point in enumerate(match.point.tolist())}
            for o in range(int(found.table.out[1])):
                state = int(found.table.next[o])
                begins = [int(own.kinds[k][own.view.obs[o]]) for own, k in zip(found.automata, kinds)]
                if (state, *begins) in places:
                    paid = paid + found.table.prob[o] * match.value[places[(state, *begins)]]
            assert paid == pytest.approx(worth, abs=1e-9)
            assert (match.steps >= 1).all()


def test_a_controller_of_any_policy_is_a_level_zero():
    """Random policies of a random game as level 0, put in as they are and as controllers: the same first level."""
    game = RandomGame(seed=5, depth=3, width=3, signals=2)
    source, found = forms.table(game), solve_levels(game, 2)
    trembling = Trembling(found.policy(2, 1), 0.25)
    one = solve_levels(source, 1, zero={1: trembling})
    two = solve_levels(source, 1, zero={1: controller(source, 1, trembling)})
    assert one.solution(1, 0).value == two.solution(1, 0).value
