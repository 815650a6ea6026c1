"""Online outcome sampling: against the printed algorithm, on Kuhn's poker, and as a player."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fogbound as fb
from fogbound.compiled.draws import uniform
from fogbound.core.errors import SpecError
from fogbound.solvers.sound_search.oos import OOS, REMEMBERED, OnlineOutcomeSampling
from tests.solvers.sound_search.plain import PlainSampling

KUHN = "card-poker(ranks=3)"


def on_the_way(search, infoset):
    return [*on_the_way(search, search.before(infoset)), infoset] if infoset >= 0 else []


@pytest.mark.parametrize("spec", [KUHN, "liars-dice(sides=2)", "goofspiel(cards=3)"])
def test_the_compiled_walks_are_the_plain_ones(spec):
    tree = fb.forms.tree(fb.game(spec))
    settings = OOS(walks=40, targeted=0.5)
    search = OnlineOutcomeSampling(tree, settings, seed=7)
    state = np.zeros(1, np.int64)
    reference = PlainSampling(tree, settings.targeted, settings.explore, lambda: uniform(state))
    line = max((on_the_way(search, infoset) for infoset in range(len(tree.set_owner))), key=len)
    assert len(line) > 1
    for number, infoset in enumerate(line):
        state[:] = np.random.SeedSequence([7, infoset]).generate_state(1, np.uint64).view(np.int64)
        for walk in range(settings.walks):
            reference.walk((number * settings.walks + walk) % 2, infoset)
    found = search.statistics(line[-1])
    for infoset, size in enumerate(tree.set_size.tolist()):
        first = int(tree.set_first[infoset] + search.offset[tree.set_owner[infoset]])
        assert found.regret[first : first + size] == pytest.approx(reference.regret[infoset])
        assert found.average[first : first + size] == pytest.approx(reference.average[infoset])


@pytest.mark.parametrize("seed", [0, 1])
def test_kuhn(seed):
    """More walks help, where they do not help IS-MCTS."""
    found = [fb.solve(KUHN, f"oos(walks={walks})", seed=seed, certify=False).gap / 2 for walks in (1_000, 100_000)]
    assert found[1] <= 0.04
    assert found[1] < found[0]


def test_a_player_is_a_function_of_seed_and_history():
    tree = fb.forms.tree(fb.game("liars-dice(sides=3)"))
    assert len(tree.set_owner) > REMEMBERED
    settings = OOS(walks=30)
    forwards, backwards = (OnlineOutcomeSampling(tree, settings, 3) for _ in range(2))
    order = forwards.depth_first()
    assert sorted(order) == list(range(len(tree.set_owner)))
    one = {h: forwards.behaviour(h).tolist() for h in order}
    two = {h: backwards.behaviour(h).tolist() for h in order[::-1]}
    assert one == two
    assert one != {h: OnlineOutcomeSampling(tree, settings, 4).behaviour(h).tolist() for h in order}


def test_play():
    thinking = fb.policy("oos(walks=50)", KUHN, 1, seed=2)
    assert thinking.thinks
    assert fb.match(KUHN, ["uniform", thinking], games=10).games == 10


@pytest.mark.parametrize("spec", ["oos(walks=0)", "oos(targeted=1)", "oos(explore=0)"])
def test_parameters(spec):
    with pytest.raises(SpecError, match="oos: "):
        fb.solver(spec)


def test_without_a_tree_the_answer_is_the_player_itself_and_says_so(tmp_path):
    told = []
    answer = fb.solve("card-poker(ranks=3)", "oos(walks=50)", limit=20, tell=told.append, seed=5)
    assert math.isnan(answer.value)
    assert (answer.lower, answer.upper, answer.certified) == (-math.inf, math.inf, "none")
    assert any("oos plays without a tree, and is not evaluated" in one for one in told)
    assert "not evaluated" in answer.details["shown"]
    answer.save(tmp_path / "player.npz")
    assert fb.policy(tmp_path / "player.npz", "card-poker(ranks=3)") is not None
    assert fb.match("card-poker(ranks=3)", answer, games=4, seed=1).games == 4


def test_where_the_time_is_over_before_there_is_a_tree_the_answer_is_the_player_too():
    told = []
    answer = fb.solve("king-up(seats=2)", "oos(walks=50)", seconds=0.1, tell=told.append)
    assert "not evaluated" in answer.details["shown"]
    assert any("oos plays without a tree, and is not evaluated: " in one for one in told)  # no time, or too many states
