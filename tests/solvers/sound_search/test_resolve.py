"""Resolving: against a plain reference, against best replies, against what goes wrong, and as a player."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import FogboundError, FormError, PolicyError, SpecError
from fogbound.solvers.sound_search.layout import Gadget, cut_subgame, resolving_layout
from fogbound.solvers.sound_search.public_states import public_states
from fogbound.solvers.sound_search.resolve import START, ContinualResolving, Resolve, granted
from fogbound.solvers.sound_search.value_function import ProfileValues
from fogbound.testing import check_solver, random_games
from tests.solvers.sound_search.plain import PlainSubgame

KUHN = "card-poker(ranks=3)"
some = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def tree_of(spec):
    return fb.forms.tree(fb.game(spec) if isinstance(spec, str) else spec)


def exploitability(spec, solver):
    return fb.solve(spec, solver, certify=False).gap / 2


def search(tree, me, budget, **given):
    return ContinualResolving(resolving_layout(public_states(tree), me), Resolve(budget, **given))


def held_to_the_reference(tree, me, most=6):
    """Every solve of a player's search, as recursion over nodes with dictionaries has it."""
    made = search(tree, me, 300)
    layout, public = made.layout, made.layout.public
    states = [START, *np.flatnonzero(public.acts[:, me]).tolist()[:most]]
    for state in states:
        if state != START and made.whole(state):
            continue
        found = made.resolved(state)
        next_states = np.flatnonzero(public.acts[:, me] & (layout.previous == state))
        gates = {int(v) for s in next_states for v in public.first_nodes(s)}
        roots = public.first_nodes(state).tolist() if state != START else [0]
        reach, worth = my_range(made, state, roots), None
        if state != START:
            before, column = made.resolved(int(layout.previous[state])), layout.gate_memory.tolist()
            worth = {
                memory: float(before.values[layout.worth_at[column.index(memory)] - before.at])
                for memory in {int(m) for m in tree.memory[roots, 1 - me]}
            }
        reference = PlainSubgame(tree, me, roots, reach, worth, gates)
        for t in range(1, found.sweeps + 1):
            reference.sweep(t)
        if state != START:
            for infoset, behaviour in made.at(state):
                assert behaviour == pytest.approx(reference.played(infoset), abs=1e-7)
        for memory, total in reference.values.items():
            value = found.values[layout.gate_memory.tolist().index(memory) - found.at]
            assert value == pytest.approx(total / reference.weights, abs=1e-9)


def my_range(made, state, roots):
    """By node, with which probability my own play so far leads there."""
    tree, me = made.layout.public.tree, made.layout.me
    reach = {}
    for root in roots:
        memory, reach[root] = int(tree.memory[root, me]), 1.0
        while memory >= 2:
            up = int(tree.memory_up[memory])
            if tree.memory_sequence[memory] != tree.memory_sequence[up]:
                infoset = int(tree.memory_infoset[up])
                reach[root] *= made.behaviour(infoset)[tree.memory_sequence[memory] - tree.set_first[infoset]]
            memory = up
    return reach


def test_a_gate_is_granted_what_the_opponent_had_before_its_last_move():
    """Not where I have moved meanwhile, nor where a card was turned: that splits the value."""
    layout = resolving_layout(public_states(tree_of("leduc")), 1)
    tree, public = layout.public.tree, layout.public
    earlier = 0
    for gate in np.flatnonzero(layout.gate_memory >= 0).tolist():
        source, memory = int(layout.worth_at[gate]), int(layout.gate_memory[gate])
        if source != gate:
            earlier += 1
            before = int(tree.memory_up[memory])
            assert layout.their_state[source] == public.of_memory[before] == public.parent[layout.their_state[gate]]
            assert not public.acts[public.of_memory[before], 1]
            reached = tree.memory[public.first_nodes(int(layout.their_state[gate])), 0]
            assert (reached == memory).sum() == (
                tree.memory[public.first_nodes(int(public.of_memory[before])), 0] == before
            ).sum()
    assert earlier > 100


@pytest.mark.parametrize("me", [0, 1])
@pytest.mark.parametrize("spec", [KUHN, "king-ace", "goofspiel(cards=3)", "liars-dice(sides=2)"])
def test_the_compiled_search_is_the_plain_one(spec, me):
    held_to_the_reference(tree_of(spec), me)


@pytest.mark.slow
@given(random_games(zero_sum=True, most_nodes=200))
@some
def test_of_random_games(game):
    tree = tree_of(game)
    for me in (0, 1):
        held_to_the_reference(tree, me, most=4)
    solved = fb.solve(tree, "resolve(budget=20000)", certify=False)
    assert solved.gap <= 0.02 * max(1.0, tree.largest)


def test_kuhn_and_liars_dice():
    assert exploitability(KUHN, "resolve(budget=10000)") <= 0.0003
    assert exploitability("liars-dice(sides=3)", "resolve(budget=20000)") <= 0.0005


@pytest.mark.slow
def test_leduc_is_better_than_one_solve_from_the_start():
    solution = fb.solve("leduc", "resolve(budget=100000)", certify=False)
    assert solution.gap / 2 <= 0.0045
    assert solution.gap < solution.trace[0].gap  # where nothing was solved again
    assert solution.details["searched"] == solution.details["decisions"] == 186


@pytest.mark.slow
def test_the_opponents_values_are_those_of_the_iterates():
    """Kuhn and liar's dice cannot tell: under the average profile, memories hardly reached carry early junk."""
    assert exploitability("leduc", "resolve(budget=100000, values=average, grant=after)") > 0.03


def test_values_fall_hardly_short_of_the_best_reply():
    """At the gates, from the start: what the opponent is granted against what it could take."""
    layout = resolving_layout(public_states(tree_of("leduc")), 1)
    short = {}
    for kind in ("iterates", "average"):
        game = cut_subgame(layout, 0, Gadget(np.eye(1, layout.my_sequences)[0]), 1 << 60)
        ContinualResolving(layout, Resolve())._sweep(game, 100)
        worth = granted(game, kind, 100 * 101 / 2).copy()
        best = granted(game, "best-reply", 100 * 101 / 2)
        gates = layout.gate_memory >= 0
        short[kind] = float((best - worth)[gates].max())
    assert short["iterates"] < 0.01 < short["average"]


def test_without_the_gadget_it_can_be_exploited_at_any_budget():
    for budget in (10_000, 100_000):
        assert exploitability(KUHN, f"resolve(budget={budget}, unsafe=true)") > 0.05


def test_best_reply_values_are_safe_too():
    assert exploitability(KUHN, "resolve(budget=10000, values=best-reply)") < 0.002


def test_it_is_a_solver_among_solvers(tmp_path):
    check_solver(Resolve(2000), tree_of(KUHN))
    path = tmp_path / "kuhn.npz"
    solution = fb.solve(KUHN, "resolve(budget=2000)")
    assert solution.certificate.checked
    fb.save(solution, path)
    assert fb.verify(path)


def test_a_player_that_thinks_plays_what_the_solver_found():
    tree = tree_of(KUHN)
    solved = fb.solve(tree, Resolve(500))
    for player in (0, 1):
        thinking = copy.deepcopy(fb.policy("resolve(budget=500)", tree, player))
        assert thinking.thinks
        form = fb.forms.sequence(tree)
        expected = fb.evaluation.behaviour(form, player, solved.profile[player])
        assert fb.evaluation.behaviour(form, player, thinking).tolist() == expected.tolist()


def test_it_thinks_only_where_it_is_asked():
    tree = tree_of("leduc")
    made = search(tree, 1, 1000)
    infoset = int(tree.sets_of(1)[-1])
    first = made.behaviour(infoset)
    assert len(made._resolved) <= 6  # the start, and the decisions on the way
    assert search(tree, 1, 1000).behaviour(infoset).tolist() == first.tolist()


def test_match_and_play(capsys):
    assert main(["match", KUHN, "resolve(budget=200)", "uniform", "--games", "20"]) == 0
    assert "resolve(budget=200)" in capsys.readouterr().out


def test_a_limit_that_is_never_met_changes_nothing():
    def never(public, state, ranges):
        raise AssertionError("asked")

    assert exploitability(KUHN, Resolve(300, depth=9, value=never)) == exploitability(KUHN, Resolve(300))


def test_a_value_function_stands_for_the_rest():
    """Where everybody knows the state the values of an equilibrium are those of every range."""
    tree = tree_of("horizon(game=repeated(matrix=uneven), steps=2)")
    form = fb.forms.sequence(tree)
    played = fb.evaluation.behaviours(form, fb.solve(form, "sequence-lp"))
    best, worst = (
        exploitability(tree, Resolve(600, depth=1, value=ProfileValues(tree, profile)))
        for profile in (played, [plex.uniform for plex in form.plexes])
    )
    assert best < 0.01 * tree.largest
    assert best <= worst


def test_profile_values_add_up():
    tree = tree_of("leduc")
    form = fb.forms.sequence(tree)
    uniform = [plex.uniform for plex in form.plexes]
    public = public_states(tree)
    ones = tuple(np.ones(len(public.memories(1, player))) for player in (0, 1))
    values = ProfileValues(tree, uniform)(public, 1, ones)
    assert [v.sum() for v in values] == pytest.approx(fb.evaluation.expected(form, uniform).tolist())


def test_a_value_function_that_answers_something_else():
    with pytest.raises(PolicyError, match="expected 3 numbers, one a memory"):
        fb.solve(KUHN, Resolve(300, depth=1, value=lambda *_: (np.zeros(2), np.zeros(2))))


def nothing(_public, _state, ranges):
    """A value function that knows nothing."""
    return tuple(np.zeros(len(each)) for each in ranges)


@pytest.mark.parametrize(
    ("spec", "budget", "depth"),
    [
        (KUHN, 1000, 1),
        ("liars-dice(sides=2)", 300, 1),
        pytest.param("leduc", 3000, 1, marks=pytest.mark.slow),
        pytest.param("leduc", 3000, 2, marks=pytest.mark.slow),
    ],
)
def test_the_values_of_a_saved_solution_stand_for_the_rest(spec, budget, depth, tmp_path, monkeypatch):
    """With hidden information, too: about as good as without a limit, and far better than a value of nothing."""
    monkeypatch.chdir(tmp_path)
    fb.save(fb.solve(spec, "sequence-lp"), "nash.npz")
    named = fb.solve(spec, f"resolve(budget={budget}, depth={depth}, value=nash.npz)", certify=False)
    found = named.gap / 2
    assert found < 1.1 * exploitability(spec, Resolve(budget))
    assert found < 0.3 * exploitability(spec, Resolve(budget, depth=depth, value=nothing))
    assert fb.solver(named.provenance["solver"]) == Resolve(budget, depth=depth, value="nash.npz")


def test_a_saved_solution_as_a_value_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["solve", KUHN, "--with", "sequence-lp", "-o", "nash.npz"]) == 0
    thinking = "resolve(budget=100, depth=1, value=nash.npz)"
    assert main(["solve", KUHN, "--with", thinking]) == 0
    assert main(["match", KUHN, thinking, "uniform", "--games", "5"]) == 0
    capsys.readouterr()
    for command in (["solve", "leduc", "--with", thinking], ["match", "leduc", thinking, "uniform"]):
        assert main(command) == 2
        assert capsys.readouterr().err.splitlines()[-1].endswith("is a solution of card-poker(ranks=3), not of leduc")
    assert main(["solve", KUHN, "--with", "resolve(depth=1, value=none.npz)"]) == 2
    assert "none.npz" in capsys.readouterr().err


def test_a_solution_of_one_player_is_no_value(tmp_path):
    half = str(tmp_path / "half.npz")
    whole = fb.solve("king-ace", "sequence-lp")
    fb.save(replace(whole, profile={0: whole.profile[0]}, certificate=None), half)
    with pytest.raises(SpecError, match="has no policy for player 1"):
        fb.solve("king-ace", f'resolve(depth=1, value="{half}")')


def test_a_file_that_nobody_loaded():
    with pytest.raises(SpecError, match=r"which fogbound\.solve and fogbound\.policy load"):
        search(tree_of(KUHN), 0, 100, depth=1, value="nash.npz").from_start()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("resolve(budget=0)", "budget is 0"),
        ("resolve(values=last)", "expected iterates, average or best-reply"),
        ("resolve(grant=never)", "expected before or after"),
        ("resolve(depth=1)", "depth= and value= go together"),
        ("resolve(depth=-1)", "depth is -1"),
    ],
)
def test_parameters(spec, said):
    with pytest.raises(SpecError, match=said):
        fb.solver(spec)


@pytest.mark.parametrize("solver", ["resolve", "oos"])
def test_games_it_is_not_for(solver):
    with pytest.raises(FormError, match="zero-sum"):
        fb.solve("horizon(game=multi-tiger, steps=1)", solver)
    with pytest.raises(FogboundError, match="thinks at each decision"):
        fb.policy(f"{solver}(seconds=1)", KUHN)
