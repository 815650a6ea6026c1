"""Pocman: its rules in detail, food drawn late or at the start, the compiled rules, and pictures that tell nothing."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from random import Random

import pytest

import fogbound as fb
from fogbound import evaluation, forms
from fogbound.core import SpecError
from fogbound.games import make
from fogbound.games.pocman.game import ACTIONS, Pocman
from fogbound.games.pocman.mazes import MAZES, NOWHERE, Maze
from fogbound.games.pocman.state import CAUGHT, CLEARED, Food, State, ghost_moves, in_words, meals, senses
from fogbound.solvers.search.pomcp import POMCP
from fogbound.testing import check_compiled_rules

NORTH, EAST, SOUTH, WEST = range(4)
FULL = MAZES["full"]
AWAY = ((FULL.number[0, 18], NOWHERE),)  # a ghost far from everything below


def at(x, y, maze=FULL):
    return maze.number[x, y]


def placed(cell, ghosts=AWAY, power=0, there=1, undrawn=0):
    """A state of the full maze; food in the south-west corner keeps the game going."""
    return State(at(*cell), tuple(ghosts), power, Food(there, undrawn))


def after(state, action, game=None):
    return list((game or Pocman()).step(state, (action,)))


# The maze.


def test_the_published_maze():
    assert (FULL.width, FULL.height, len(FULL.cells), len(FULL.larder)) == (17, 19, 189, 157)
    assert FULL.pills.bit_count() == 4
    for maze in MAZES.values():
        assert all(len(ways) > 1 for ways in maze.open)  # no dead end
        assert {maze.home, *maze.ghosts} <= set(maze.cells)


def test_the_passage_leads_around_and_hides():
    west, east = at(0, 10), at(16, 10)
    assert FULL.ways[west][WEST] == east
    assert FULL.ways[east][EAST] == west
    assert east not in FULL.sight[west]


def test_parameters_are_checked():
    with pytest.raises(SpecError, match="maze is 'huge', expected full, mini, micro, ring"):
        Pocman(maze="huge")
    with pytest.raises(SpecError, match="discount is 0"):
        Pocman(discount=0)


# Ghosts.


def test_a_ghost_that_is_far_goes_anywhere_but_back():
    far = at(8, 0)
    assert ghost_moves(FULL, (at(3, 16), EAST), far, 0) == [
        ((at(3, 17), NORTH), 1 / 3),
        ((at(4, 16), EAST), 1 / 3),
        ((at(3, 15), SOUTH), 1 / 3),
    ]
    assert len(ghost_moves(FULL, (at(3, 16), NOWHERE), far, 0)) == 4


def test_a_ghost_that_is_near_hunts_with_three_quarters():
    found = ghost_moves(FULL, (at(3, 16), NOWHERE), at(7, 16), 0)  # four to the west of him
    assert found[0] == ((at(4, 16), NOWHERE), 0.75)
    assert [p for _, p in found[1:]] == [0.25 / 4] * 4
    assert sum(p for _, p in found) == 1


def test_six_away_is_far():
    assert ghost_moves(FULL, (at(3, 16), NOWHERE), at(9, 16), 0)[0][1] == 0.25
    assert ghost_moves(FULL, (at(3, 16), NOWHERE), at(8, 16), 0)[0][1] == 0.75


def test_a_ghost_flees_from_a_pill_or_stays():
    ghost, pocman = at(4, 16), at(3, 16)
    assert ghost_moves(FULL, (ghost, NOWHERE), pocman, 1) == [((at(5, 16), NOWHERE), 1.0)]
    assert ghost_moves(FULL, (ghost, EAST), pocman, 1) == [((at(5, 16), NOWHERE), 0.75), ((ghost, NOWHERE), 0.25)]
    cornered = ghost_moves(FULL, (at(4, 16), WEST), at(5, 16), 1)
    assert cornered[0] == ((at(3, 16), NOWHERE), 0.75)


def test_a_ghost_that_could_only_come_nearer_stays():
    assert ghost_moves(FULL, (at(4, 16), EAST), at(5, 16), 1)[0] == ((at(4, 16), NOWHERE), 0.75)


# What a step brings.


def test_what_is_paid():
    [(outcome, _)] = after(placed((8, 6), there=1 | FULL.bit[at(7, 6)]), "west")[:1]
    assert outcome.rewards == (9.0,)
    assert outcome.state.food == Food(1, 0)
    assert after(placed((8, 6)), "west")[0][0].rewards == (-1.0,)


def test_a_pill_works_for_fourteen_steps():
    pill = FULL.bit[at(0, 16)]
    outcome = after(placed((1, 16), [(at(16, 0), NOWHERE)], there=1 | pill), "west")[0][0]
    assert (outcome.rewards, outcome.state.power) == ((9.0,), 15)
    for power, paid in ((15, {24.0}), (2, {24.0}), (1, {-101.0})):
        met = after(placed((8, 6), [(at(7, 6), NOWHERE)], power), "west")
        assert {outcome.rewards[0] for outcome, _ in met} == paid


def test_a_ghost_that_is_eaten_goes_home_and_only_the_last_of_several():
    here = (at(7, 6), NOWHERE)
    for outcome, _ in after(placed((8, 6), [here, here], power=9), "west"):
        assert outcome.state.ghosts[1] == (at(8, 10), NOWHERE)
        assert outcome.rewards == (24.0,)


def test_death_is_the_end():
    for outcome, _ in after(placed((8, 6), [(at(7, 6), NOWHERE)]), "west"):
        assert (outcome.state, outcome.rewards, outcome.public) == (CAUGHT, (-101.0,), "caught")
    assert Pocman().actors(CAUGHT) == Pocman().actors(CLEARED) == ()


def test_the_last_food_pays_a_thousand_instead_of_ten():
    outcome = after(placed((8, 6), there=FULL.bit[at(7, 6)]), "west")[0][0]
    assert (outcome.state, outcome.rewards, outcome.public) == (CLEARED, (999.0,), "cleared")


def test_walls_are_not_offered_unless_asked_for():
    state = placed((8, 6))
    assert Pocman().actions(state, 0) == ("east", "west")
    bumping = Pocman(bumps=True)
    assert bumping.actions(state, 0) == ACTIONS
    outcome = after(state, "north", bumping)[0][0]
    assert (outcome.rewards, outcome.state.pocman) == ((-26.0,), state.pocman)


def test_what_is_seen_heard_smelt_and_felt():
    walls = "wall north, wall south"
    game = Pocman()
    seen = senses(FULL, at(6, 6), ((at(13, 6), NOWHERE), (at(5, 7), NOWHERE)))
    assert in_words(seen) == f"ghost east, {walls}, noise"
    assert in_words(senses(FULL, at(6, 6), ((at(3, 7), NOWHERE),))) == walls
    diagonal = FULL.bit[at(7, 5)]
    assert after(placed((5, 6), there=1 | diagonal), "east")[0][0].public == f"{walls}, smell"
    assert after(placed((5, 6)), "east")[0][0].public == walls
    own = after(placed((5, 6), there=1 | FULL.bit[at(6, 6)]), "east")[0][0]  # smelt before it is eaten
    assert own.public == f"{walls}, smell"
    assert [outcome.public for outcome, _ in game.start()] == [None]


# Food drawn late is food drawn at the start.

LINE = Maze(rows=(". .", "# #", "...", "   "), home=(0, 0), ghosts=((2, 0),), reach=0)


def eager(maze, path):
    """How likely each course of smells and meals is when everything is drawn first."""
    found = defaultdict(float)
    for some in product((0, 1), repeat=len(maze.larder)):
        there, course = sum(bit << k for k, bit in enumerate(some)), []
        for cell in path:
            eaten, smelt = there & maze.bit[cell], any(there & bit for bit in maze.near[cell])
            there &= ~eaten
            course.append((smelt, eaten, bool(eaten) and not there))
            if course[-1][2]:
                break
        found[tuple(course)] += 0.5 ** len(some)
    return dict(found)


def late(maze, path):
    """The same by `meals`."""
    going, ended = {(): {Food(0, (1 << len(maze.larder)) - 1): 1.0}}, defaultdict(float)
    for cell in path:
        on = defaultdict(lambda: defaultdict(float))
        for course, foods in going.items():
            for food, p in foods.items():
                for meal, q in meals(maze, food, cell):
                    longer = (*course, (meal.smelt, meal.eaten, meal.last))
                    if meal.last:
                        ended[longer] += p * q
                    else:
                        on[longer][meal.left] += p * q
        going = on
    for course, foods in going.items():
        ended[course] += sum(foods.values())
    return dict(ended)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("maze", [LINE, MAZES["ring"]], ids=["line", "ring"])
def test_late_food_is_distributed_as_early_food(maze, seed):
    rng, path = Random(seed), [maze.number[maze.home]]
    for _ in range(9):
        path.append(maze.ways[path[-1]][rng.choice(maze.open[path[-1]])])
    one, other = eager(maze, path[1:]), late(maze, path[1:])
    assert one == pytest.approx(other, abs=1e-12)
    assert one.keys() == other.keys()


# The compiled rules, and what solvers make of the game.

SPECS = ["pocman(maze=ring)", "pocman(maze=ring, bumps=true)", "pocman(maze=micro)", "pocman(maze=mini)", "pocman"]


@pytest.mark.parametrize("spec", SPECS)
def test_compiled_rules_and_rules_play_alike(spec):
    assert check_compiled_rules(make(spec), plays=1 if spec == "pocman" else 5, seed=3) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("spec", [*SPECS, "pocman(bumps=true)"])
def test_compiled_rules_and_rules_play_alike_in_many_games(spec):
    assert check_compiled_rules(make(spec), plays=12, seed=4) > 50


def test_most_outcomes_are_enough():
    """From the beginning on, where all ghosts are near each other and have forgotten where they came from."""
    for spec in SPECS:
        game, rng = make(spec), Random(1)
        state, most = game.start().sample(rng).state, game.compiled_rules().most_outcomes
        for _ in range(20):
            if state.pocman >= 0:
                outcomes = game.step(state, (rng.choice(game.actions(state, 0)),))
                assert outcomes.fault() is None
                assert len(outcomes) <= most
                state = outcomes.sample(rng).state


def test_the_forms_of_the_ring_agree():
    """The value of a short game is the same by a tree and by beliefs."""
    short = fb.game("horizon(game=pocman(maze=ring), steps=5)")
    form = forms.sequence(short)
    exact = evaluation.best_response(form, [plex.uniform for plex in form.plexes], 0).value
    assert fb.solve(short, "belief-mdp").value == pytest.approx(exact, abs=1e-9)
    pomdp = forms.pomdp(fb.game("pocman(maze=ring)"))
    assert pomdp.size == 2_332


@pytest.mark.slow
def test_the_ring_is_solved_and_searched():
    found = fb.solve("pocman(maze=ring)", "sarsop", gap=5.0, seconds=15)
    low, high = fb.solve("pocman(maze=ring)", "pomcp(simulations=300, games=200)").details["interval"]
    assert low <= found.upper
    assert high >= found.lower - 10  # search loses little


def test_an_answer_says_how_many_observations_were_let_go():
    found = fb.solve("pocman(maze=mini)", "pomcp(simulations=4, particles=4, games=3)")
    assert found.details["observations that no particle could show and that were let go"] > 0
    plenty = fb.solve("pocman(maze=ring)", "pomcp(simulations=4, games=3)")
    assert not any("let go" in key for key in plenty.details)


def test_particles_do_not_run_out():
    """Far too few of them: observations are let go, and there always is a belief to search from."""
    planner, let_go = POMCP(simulations=4, particles=4).policy(make("pocman(maze=mini)"), 0), 0
    games, tracker, beliefs = planner.episodes(), planner._tracker, []
    followed = tracker.update
    tracker.update = lambda *asked: beliefs.append(followed(*asked)) or beliefs[-1]
    for seed in range(6):
        let_go += games.play(str(seed)).let_go
    assert let_go
    assert all(beliefs)


def test_nothing_hidden_shows():
    """Ghosts and food change neither the board nor the picture that Pocman gets; pills and power do."""
    game = Pocman()
    one = placed((8, 6), [(at(0, 18), NOWHERE)], there=FULL.pills)
    other = placed((8, 6), [(at(9, 6), EAST)], there=FULL.pills | 5, undrawn=8)
    assert game.board(one, 0).text() == game.board(other, 0).text()
    assert game.draw(one, 0) == game.draw(other, 0)
    assert game.draw(one) != game.draw(other)
    assert game.draw(one, 0) != game.draw(one._replace(power=3), 0)
