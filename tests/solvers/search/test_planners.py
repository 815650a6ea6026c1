"""Planners as people meet them: solved, saved, played, and refused in one line."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import fogbound as fb
from fogbound import archive
from fogbound.cli.main import main
from fogbound.core import Dist, Game, Outcome
from fogbound.core.errors import FileError, PolicyError, SpecError
from fogbound.solvers import make
from fogbound.solvers.search.planner import Planner
from tests.attack.families import differing

PLANNERS = ["is-mcts(simulations=40)", "is-mcts(simulations=40, observer=single)"]
PLANNERS += [f"pomcp-pgt(simulations=40, rule={rule})" for rule in ("ucb", "rm", "regret")]
POKER = "card-poker(ranks=3)"


@pytest.mark.parametrize("spec", PLANNERS)
def test_a_run_is_cut_anywhere_and_gone_on_with_to_the_same(spec, tmp_path):
    path, longer = tmp_path / "run.npz", spec.replace("=40", "=700")
    fb.solve(POKER, longer, iterations=300, checkpoint=path)
    whole = fb.solve(POKER, longer)
    assert set(differing(whole, fb.solve(POKER, longer, resume=path))) <= {"trace"}  # the cut is told there
    assert (whole.lower, whole.upper) == (-np.inf, np.inf)
    assert "no guarantee" in whole.details["statistical"]


@pytest.mark.parametrize("spec", PLANNERS)
def test_matches_are_the_same_whatever_the_workers(spec):
    alone, together = (fb.match(POKER, spec, "uniform", games=6, seed=3, workers=workers) for workers in (1, 2))
    assert alone == together


def first_moves():
    """What a planner plays first, after every deal."""
    game = fb.game("leduc")
    planner = fb.policy("pomcp-pgt(rule=rm, simulations=50)", game)
    return [planner.act(planner.begin(o.observation(0)), game.actions(o.state, 0)).pairs for o, _ in game.start()]


@pytest.mark.slow
def test_another_process_plays_the_same():
    """Hashes of words are salted anew in each process; what is played must not depend on them."""
    program = "from tests.solvers.search.test_planners import first_moves; print(first_moves())"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told.strip() == str(first_moves())


@pytest.mark.parametrize("spec", PLANNERS)
def test_a_saved_planner_plays_as_before(spec, tmp_path):
    path, game = tmp_path / "planner.npz", fb.game("leduc")
    solution = fb.solve("leduc", spec, seed=5)
    fb.save(solution, path)
    loaded = fb.policy(str(path), game, 0)
    for outcome, _ in game.start():
        memory, actions = loaded.begin(outcome.observation(0)), game.actions(outcome.state, 0)
        assert loaded.act(memory, actions) == solution.profile[0].act(memory, actions)


def test_a_stored_planner_is_of_a_solver_that_thinks_and_on_a_game(tmp_path):
    path = tmp_path / "planner.npz"
    fb.save(fb.solve(POKER, PLANNERS[0]), path)
    with pytest.raises(PolicyError, match="not yet on a game"):
        fb.load(path).profile[0].begin(None)
    header, arrays = archive.load(path, "solution")
    for solver, told in (("sarsop", "expected a solver that searches"), ("is-mcts(simulations=0)", "1 or more")):
        header["policies"]["0"]["solver"] = solver
        plain = {key: value for key, value in header.items() if key not in ("fogbound", "schema")}
        archive.write(path, archive.dumps("solution", plain, arrays))
        with pytest.raises((SpecError, FileError), match=told):
            fb.policy(str(path), fb.game(POKER), 0)
    with pytest.raises(PolicyError, match="cannot be saved"):
        Planner(fb.game(POKER), 0).stored()


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("is-mcts(simulations=0)", "is-mcts: simulations is 0, expected 1 or more"),
        ("is-mcts(depth=0)", "is-mcts: depth is 0, expected 1 or more"),
        ("is-mcts(exploration=-1)", "is-mcts: exploration is -1.0, expected a number of 0 or more"),
        ("is-mcts(observer=alone)", "is-mcts: observer is 'alone', expected multiple or single"),
        ("pomcp-pgt(floor=0)", "pomcp-pgt: floor is 0, expected a number above 0"),
        ("pomcp-pgt(share=2)", "pomcp-pgt: share is 2.0, expected a number above 0 and at most 1"),
        ("pomcp-pgt(rule=greedy)", "pomcp-pgt: rule is 'greedy', expected ucb, rm or regret"),
        ("pomcp-pgt(particles=0)", "pomcp-pgt: particles is 0, expected 1 or more"),
    ],
)
def test_what_no_search_can_be_made_with_is_refused(spec, told):
    with pytest.raises(SpecError) as error:
        make(spec)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


class Entrance(Game):
    """Pays at the door, before anybody moves."""

    name = "entrance"
    players = ("guest",)

    def start(self):
        return Dist.of({Outcome("in", (5.0,)): 0.5, Outcome("in", (7.0,)): 0.5})

    def actors(self, state):
        return (0,) if state == "in" else ()

    def actions(self, state, player):
        return ("leave",)

    def step(self, state, joint):
        return Dist.sure(Outcome("out", (1.0,)))


def test_what_the_start_pays_is_counted():
    solution = fb.solve(Entrance(), "is-mcts(simulations=20)")
    assert solution.value == 7.0
    assert solution.details["interval"] == [7.0, 7.0]


def test_from_the_command_line(capsys, monkeypatch, tmp_path):
    path = str(tmp_path / "planner.npz")
    assert main(["solve", POKER, "--with", "is-mcts(simulations=50)", "-o", path]) == 0
    assert "no guarantee" in capsys.readouterr().out
    assert main(["match", POKER, path, "pomcp-pgt(simulations=20)", "--games", "4", "--seed", "1"]) == 0
    assert main(["solve", POKER, "--with", "is-mcts(simulations=0)"]) == 2
    answers = iter(["1"] * 20)
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert main(["play", POKER, "--against", "pomcp-pgt(rule=rm, simulations=20)", "--seed", "1"]) == 0
