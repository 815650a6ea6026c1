"""Team search against known digits, brute force over joint plans, and the forms of one player."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fogbound as fb
from fogbound import evaluation, forms
from fogbound.core.errors import FormError, LimitError, SpecError
from fogbound.driver.protocol import Until
from fogbound.games import make
from fogbound.solvers import make as make_solver
from fogbound.solvers.teams.team_search import TeamSearch
from fogbound.testing import check_form, check_solver
from fogbound.transforms.horizon import Horizon
from tests.run import solve
from tests.solvers.teams.paid_alike import PaidAlike

KNOWN = [  # game, horizon, value: multi-tiger 7 is published to fewer digits, the others are of earlier exact runs
    ("multi-tiger", 1, -2.0),
    ("multi-tiger", 2, -4.0),
    ("multi-tiger", 3, 5.1908125),
    ("multi-tiger", 4, 4.802755156),
    ("multi-tiger", 5, 7.026450983),
    ("multi-tiger", 6, 10.381625),
    ("multi-tiger", 7, 9.993567656),
    ("multi-tiger(discount=0.9)", 6, 6.301440998),
    ("broadcast-channel", 5, 4.79),
    ("broadcast-channel", 20, 18.313228183),
    ("recycling-robots", 5, 16.486),
    ("recycling-robots", 20, 62.633136095),
]


def best(game, **parameters):
    return solve(TeamSearch(**parameters), forms.posg(game), certified=False)


def brute_force(game):
    """The best of all joint plans, by the matrix of all of them."""
    return float(forms.normal(game, limit=4_000_000).payoff[..., 0].max())


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("spec", "steps", "value"), KNOWN)
def test_known_values(spec, steps, value):
    found = best(Horizon(make(spec), steps))
    assert found.value == pytest.approx(value, abs=6e-7 * max(1.0, abs(value)))
    assert found.gap <= 1e-9 * max(1.0, abs(value))


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "steps", "value"), [
    ("multi-tiger", 9, 15.5724375),
    ("recycling-robots(discount=0.9)", 100, 31.928316584),
])  # fmt: skip
def test_known_values_of_long_games(spec, steps, value):
    found = best(Horizon(make(spec), steps))
    assert found.value == pytest.approx(value, abs=1e-8)
    assert found.gap <= 1e-7


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(40))
def test_two_agents_by_brute_force(seed):
    game = Horizon(make(f"random-posg(seed={seed}, rewards=shared, states={2 + seed % 3})"), 2 + seed % 2)
    found = best(game)
    assert found.value == pytest.approx(brute_force(game), abs=1e-9)
    assert found.upper == pytest.approx(found.value, abs=1e-8)


@pytest.mark.parametrize("seed", range(12))
def test_three_agents_by_brute_force(seed):
    game = Horizon(make(f"random-posg(seed={seed}, seats=3, rewards=shared)"), 2)
    found = best(game)
    assert found.value == pytest.approx(brute_force(game), abs=1e-9)
    assert found.upper == pytest.approx(found.value, abs=1e-8)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("seats", [2, 3])
def test_turns_ends_and_public_signals_by_brute_force(seed, seats):
    """Players who are asked by surprise, who wait, whose legal actions change, who are paid before they move."""
    depth = 2 if seats == 3 else 2 + seed % 2
    game = PaidAlike(
        make(f"random(seed={seed}, seats={seats}, depth={depth}, discount={0.5 if seed % 5 == 0 else 1.0})")
    )
    try:
        value = brute_force(game)
    except LimitError:
        pytest.skip("too many joint plans to try them all")
    found = best(game)
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.upper == pytest.approx(found.value, abs=1e-8)
    assert evaluation.value(game, found.profile)[0] == pytest.approx(found.value, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_a_team_of_one_is_a_pomdp(seed):
    game = Horizon(make(f"random-posg(seed={seed}, seats=1, states=4, actions_=3)"), 4)
    alone = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game)), certified=False)
    assert best(game).value == pytest.approx(alone.value, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_a_team_that_hears_everything_is_one_player(seed):
    """With public observations alone the team knows what its joint agent knows."""
    game = Horizon(PaidAlike(make(f"random-posg(seed={seed}, rewards=shared)"), public=True), 3)
    from fogbound.transforms.team import Team

    joint = Team(game, (0, 1))
    together = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(joint)), certified=False)
    assert 2 * best(game).value == pytest.approx(together.value, abs=1e-9)  # a team is paid the sum


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(6))
def test_what_is_cut_off_widens_the_bounds(seed):
    """Discounted play that goes on: the bounds of a short horizon hold those of a long one."""
    game = make(f"random-posg(seed={seed}, rewards=shared, discount=0.5)")
    short, long = best(game, horizon=3), best(game, horizon=6)
    assert short.lower - 1e-9 <= long.upper
    assert long.lower - 1e-9 <= short.upper
    assert short.details["left_out"] == pytest.approx(0.5**3 * max(0.0, forms.posg(game).reward.max()) / 0.5)
    assert evaluation.value(game, long.profile)[0] == pytest.approx(long.lower, abs=1e-9)


def test_recurring_play_without_a_discount_is_refused():
    with pytest.raises(FormError, match="Cut it, such as horizon"):
        best(make("multi-tiger"))


def test_opponents_are_no_team():
    with pytest.raises(FormError, match="are no team"):
        best(Horizon(make("adversarial-tiger"), 2))


def test_bad_parameters_are_refused():
    for wrong in ("horizon=-1", "effort=0"):
        with pytest.raises(SpecError):
            make_solver(f"team-search({wrong})")


def test_a_team_without_steps_earns_what_the_start_pays():
    assert best(Horizon(make("multi-tiger"), 0)).value == 0.0


@pytest.mark.slow
def test_bounds_hold_at_every_answer():
    entries = list[object]()
    found = solve(
        TeamSearch(effort=1), forms.posg(Horizon(make("multi-tiger"), 7)), certified=False, watch=entries.append
    )
    assert len(entries) > 1
    for entry in entries:
        assert entry.lower <= 9.993567657 + 1e-9 <= entry.upper + 2e-9
    assert found.value == pytest.approx(9.993567656, abs=1e-8)


def test_stopped_at_once_both_bounds_are_there():
    found = solve(TeamSearch(), forms.posg(Horizon(make("multi-tiger"), 8)), Until(iterations=1), certified=False)
    assert -math.inf < found.lower <= 12.2172634835
    assert 12.2172634834 <= found.upper < math.inf
    assert evaluation.value(Horizon(make("multi-tiger"), 8), found.profile)[0] == pytest.approx(found.lower)


def test_each_member_plays_alone():
    """The controllers of the plan, handed out one by one, meet no observation that they have no answer to."""
    game = fb.game("horizon(game=multi-tiger, steps=5)")
    found = fb.solve(game, "team-search")
    played = fb.match(game, [found.policy(0), found.policy(1)], games=200, seed=3)
    assert played is not None
    sizes = [found.policy(player).size for player in (0, 1)]
    assert max(sizes) < 2**5  # histories that know the same are one node


@pytest.mark.slow
def test_the_choice_without_a_solver_is_team_search():
    found = fb.solve("horizon(game=broadcast-channel, steps=4)")
    assert found.provenance["solver"].startswith("team-search")
    assert found.answer == "team"
    assert found.value == pytest.approx(3.89)
    assert "paid alike" in found.provenance["chosen"]


def test_same_seed_same_bits():
    runs = [best(Horizon(make("random-posg(seed=5, rewards=shared, states=4)"), 4)) for _ in range(2)]
    assert np.array_equal([runs[0].lower, runs[0].upper], [runs[1].lower, runs[1].upper])
    assert [entry.upper for entry in runs[0].trace] == [entry.upper for entry in runs[1].trace]


def test_the_form_and_the_solver_keep_their_contracts():
    form = forms.posg(Horizon(make("broadcast-channel"), 3))
    check_form(form)
    assert check_solver(TeamSearch(), form).certified == "both"
