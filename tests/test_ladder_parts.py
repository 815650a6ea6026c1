"""The parts of a ladder: views, automata that hold each future once, slips of the hand, memory, matches of kinds."""

from __future__ import annotations

import numpy as np
import pytest

from fogbound import evaluate, forms
from fogbound.core import Dist
from fogbound.core.errors import FormError, SpecError
from fogbound.core.game import Seen
from fogbound.forms.view import NOT_ASKED, OVER, view
from fogbound.games import make
from fogbound.games.random_game import RandomGame
from fogbound.kernels.meeting import MIXED, UNIFORM, WAITS, follow
from fogbound.policies import Controller, Trembling, Uniform, alike, controller
from fogbound.solvers.ladder import climb
from fogbound.solvers.ladder.climb import Climb
from fogbound.solvers.ladder.joint import Joint
from fogbound.solvers.ladder.memory import recall, remember
from fogbound.solvers.ladder.words import spans
from fogbound.solvers.ladder.zero import machine_of
from fogbound.solvers.reachable.controllers import controller_of
from fogbound.solvers.reachable.nodes import Automaton
from fogbound.solvers.reachable.survey import Survey

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
    for seat in (0, 1):
        own = view(source, seat)
        for s, state in enumerate(source.states):
            actors = game.actors(state)
            words = {OVER: (), NOT_ASKED: None}.get(int(own.menu[s]), own.menu[s])
            if not actors:
                assert words == ()
            elif seat not in actors:
                assert words is None
            else:
                assert source.menu_labels(int(own.menu[s])) == tuple(game.actions(state, seat))
        for o, z in enumerate(own.obs.tolist()):
            seen, menu = own.observations[z]
            assert menu == own.menu[source.next[o]]
            assert seen == source.sights[seat][source.seen[source.event[o], seat]]
        assert len(set(own.observations)) == len(own.observations)


# --- automata --------------------------------------------------------------------------------------------------------


@named
def test_a_policy_put_into_an_automaton_and_taken_out_again(game):
    """Numbers on the way in, words on the way out: the same player, and the same worth."""
    source, found = forms.table(game), climb(game, 2)
    for seat in (0, 1):
        own = Automaton(view(source, seat))
        for level in (1, 2):
            policy = found.policy(level, seat)
            again = controller_of(own, own.add(machine_of(source, own.view, policy)), source.actions)
            assert alike(policy, again)
            for other in (Uniform(), found.policy(1, 1 - seat)):
                try:
                    worth = evaluate.value(source, {seat: policy, 1 - seat: other})
                except FormError:  # two that never end their game
                    continue
                assert evaluate.value(source, {seat: again, 1 - seat: other}) == pytest.approx(worth, abs=1e-12)


@named
def test_what_is_added_twice_is_held_once(game):
    source, found = forms.table(game), climb(game, 3)
    own = Automaton(view(source, 0))
    kinds = [own.add(machine_of(source, own.view, found.policy(level, 0))) for level in range(4)]
    size = own.size
    before = {kind: own.kinds[kind].copy() for kind in kinds}
    assert [own.add(machine_of(source, own.view, found.policy(level, 0))) for level in (3, 1, 0, 2)] == [
        kinds[level] for level in (3, 1, 0, 2)
    ]
    assert own.size == size
    assert all((own.kinds[kind] == begin).all() for kind, begin in before.items())


@named
def test_a_kind_that_is_there_never_changes(game):
    """Later levels only add nodes: what the earlier ones do keeps its numbers."""
    found = Climb(forms.table(game))
    kept = []
    for _ in range(4):
        found.rise()
        for seat, own in enumerate(found.automata):
            nodes = own.nodes
            kept.append((seat, own.size, nodes.label.copy(), nodes.arrow_to[: nodes.arrow[own.size]].copy()))
    for seat, size, label, to in kept:
        nodes = found.automata[seat].nodes
        assert (nodes.label[:size] == label).all()
        assert (nodes.arrow_to[: nodes.arrow[size]] == to).all()
        assert (to < size).all()  # what is older never leads to what is newer


def test_arrows_that_are_missing_lead_to_random_play():
    source = forms.table(make("po-nim(n=3)"))
    own = Automaton(view(source, 0))
    kind = own.add(machine_of(source, own.view, Controller({Seen(None, 3): 0}, {}, (Dist.sure(("hidden", 1)),))))
    (node,) = own.reach(kind).tolist()
    assert own.nodes.label[node] == source.actions.index(("hidden", 1))
    keys = range((len(source.actions) + 1) * len(own.view.observations))
    assert {follow(own.nodes, node, key) for key in keys} == {0}
    assert own.nodes.label[0] == UNIFORM


def test_labels_of_nodes():
    source, found = forms.table(make("po-nim(n=3)")), climb(make("po-nim(n=3)"), 1)
    own = found.automata[1]
    reached = own.reach(found.kind(1, 1))
    labels = own.nodes.label[reached]
    assert WAITS in labels  # the second seat waits for the first move
    assert ((labels == WAITS) | (labels >= 0)).all()
    mixed = Controller({Seen(None, 3): 0}, {}, (Dist.uniform([("own", 1), ("hidden", 1)]),))
    assert machine_of(source, view(source, 0), mixed).label.tolist() == [MIXED]


def test_level_zero_that_is_a_level_plays_like_it():
    """The first level is put in as level 0 of another ladder, where it is the best reply again."""
    game = RandomGame(seed=1, depth=3, width=3, signals=2)
    other = climb(game, 1, zero={0: climb(game, 1).policy(1, 0)})
    assert alike(other.policy(1, 0), other.policy(0, 0))


# --- slips of the hand -----------------------------------------------------------------------------------------------


@named
def test_covering_slips_changes_nothing_without_them(game):
    found = climb(game, 3)
    for rung in found.rungs:
        plain = found.policy(rung.level, rung.seat)
        for slips in (1, 2):
            covered = found.policy(rung.level, rung.seat, slips)
            assert alike(covered, plain)
            assert covered.size >= plain.size


def test_after_a_slip_play_is_best_again():
    """Trembling with a cover loses less than trembling without, and no more than it must."""
    game = make("po-nim(n=3)")
    found = climb(game, 1)
    for seat in (0, 1):
        worth = [
            evaluate.value(game, {seat: Trembling(found.policy(1, seat, slips), 0.2), 1 - seat: Uniform()})[seat]
            for slips in (0, 1, 3)
        ]
        assert worth[0] < worth[1] < worth[2] < found.rung(1, seat).value


def test_slips_of_a_logit_level():
    """Every action is one it may take, so a cover changes nothing: neither what it does, nor what it earns."""
    found = climb(make("po-nim(n=2, discount=0.9)"), 1, precision=2.0)
    for seat in (0, 1):
        covered = found.policy(1, seat, slips=1)
        worth = evaluate.value(found.table, {seat: covered, 1 - seat: Uniform()})[seat]
        assert worth == pytest.approx(found.rung(1, seat).value, abs=1e-6)


# --- logit replies ---------------------------------------------------------------------------------------------------


def test_a_logit_choice_by_hand():
    """One move each, at once, against uniform play: shares in proportion to exp(precision x pay)."""
    game = RandomGame(seed=7, depth=1, width=1, actions_=3, signals=1)
    source = forms.table(game)
    for seat in (0, 1):
        policy = climb(game, 1, precision=1.5).policy(1, seat)
        asked = [choice for choice in policy.choices if choice is not None] if policy != Uniform() else []
        form = forms.pomdp(source, seat, {1 - seat: Uniform()})
        rows = form.reward[form.row[0] : form.row[1]]
        if len(rows) > 1:
            share = np.exp(1.5 * rows) / np.exp(1.5 * rows).sum()
            assert sorted(p for _, p in asked[0]) == pytest.approx(sorted(share))
            return
    pytest.fail("the game offers no choice")


# --- memory ----------------------------------------------------------------------------------------------------------


@named
def test_remembered_and_recalled(game):
    """A ladder that recalls goes on as one that never stopped."""
    source, arrays = forms.table(game), {}
    first = Climb(source)
    for _ in range(2):
        first.rise()
        remember(first, arrays)
    second = Climb(source)
    recall(second, arrays)
    assert second.levels == 2
    for _ in range(2):
        first.rise()
        second.rise()
    assert [rung.kind for rung in first.rungs] == [rung.kind for rung in second.rungs]
    assert [rung.value for rung in first.rungs] == pytest.approx([rung.value for rung in second.rungs], abs=1e-12)
    for level in range(5):
        for seat in (0, 1):
            assert alike(first.policy(level, seat), second.policy(level, seat))
    assert [rung.nodes for rung in first.rungs] == [rung.nodes for rung in second.rungs]


def test_what_is_noted_at_a_node_is_a_belief_about_levels():
    found = climb(make("po-nim(n=3)"), 3)
    policy = found.policy(3, 0)
    start = policy.notes[policy.first[Seen(None, 3)]]
    assert [part.split(" level ")[0] for part in start.split("; ")] == ["0.333 (3, 3, 0)"] * 3
    assert sorted(part.split(" level ")[1] for part in start.split("; ")) == ["0", "1", "2"]
    assert all(" level " in note for note in policy.notes)
    assert len(policy.notes) == policy.size


def test_spans():
    assert spans([0, 2, 3, 4, 7]) == "0, 2-4, 7"
    assert spans([]) == "0"


# --- asking for what is not there ------------------------------------------------------------------------------------


def test_levels_and_seats_that_are_not_there():
    found = climb(make("po-nim(n=2)"), 2)
    for level, seat in ((3, 0), (-1, 0), (1, 2), (1, -1)):
        with pytest.raises(SpecError, match="expected levels 1 to 2"):
            found.policy(level, seat)
    with pytest.raises(SpecError):
        found.rung(0, 0)
    with pytest.raises(FormError, match="3 players"):
        climb(RandomGame(seed=0, seats=3, depth=2, width=2), 1).process(1, 0)
    with pytest.raises(FormError, match="discount"):
        Survey("x", 0.0, np.zeros(1, bool), str)


def test_kinds_that_are_not_there():
    found = climb(make("po-nim(n=2)"), 2)
    for level in (-1, 3):
        with pytest.raises(SpecError):
            found.kind(level, 0)


@pytest.mark.parametrize("precision", [-1.0, float("nan")])
def test_precision_that_is_none(precision):
    with pytest.raises(SpecError, match="precision"):
        climb(make("po-nim(n=2)"), 1, precision=precision)


# --- two automata against each other ---------------------------------------------------------------------------------


@named
def test_a_match_of_kinds_is_worth_what_exact_evaluation_says(game):
    found = climb(game, 3)
    joint = Joint(found.table, found.automata)
    for one in range(4):
        for two in range(4):
            profile = {0: found.policy(one, 0), 1: found.policy(two, 1)}
            try:
                worth = evaluate.value(found.table, profile)
            except FormError:  # two that never end their game
                continue
            kinds = found.kind(one, 0), found.kind(two, 1)
            match = joint.match(*kinds)
            starts = slice(0, int(found.table.out[1]))
            paid = found.table.prob[starts] @ found.table.pay[found.table.event[starts]]
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
    source, found = forms.table(game), climb(game, 2)
    trembling = Trembling(found.policy(2, 1), 0.25)
    one = climb(source, 1, zero={1: trembling})
    two = climb(source, 1, zero={1: controller(source, 1, trembling)})
    assert one.rung(1, 0).value == two.rung(1, 0).value
