"""A correlated equilibrium at the table: what is recommended to several players is drawn once for all of them."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import SpecError
from fogbound.core.policy import combinations, kinds
from fogbound.policies import recommendations

AUMANN = "matrix-game(matrix=aumann)"  # half the time both swerve, a quarter of the time each dares


@pytest.fixture
def solution():
    return fb.solve(AUMANN, "correlated")


def earned(solution):
    return solution.details["values"]


@pytest.mark.slow
@pytest.mark.parametrize("plain", [False, True])
def test_a_match_draws_jointly(solution, plain):
    """Both dare in no game, though each dares in a quarter of them: drawn apart, one game in 16 would be that."""
    found = fb.match(AUMANN, solution, games=2_000, seed=1, plain=plain)
    assert found.exact.returns == pytest.approx(earned(solution))
    assert [one.score for one in found.players] == pytest.approx(earned(solution), abs=0.2)
    for seed in range(50):
        assert fb.play_out(AUMANN, solution, seed=seed).returns != (0.0, 0.0)


def test_from_a_file_in_every_seat_and_in_processes(solution, tmp_path, capsys):
    path = str(tmp_path / "aumann.npz")
    solution.save(path)
    found = fb.match(AUMANN, path, path, games=300, seed=1, workers=2, plain=True)
    assert found == fb.match(AUMANN, path, path, games=300, seed=1, plain=True)
    assert main(["match", AUMANN, path, path, "--games", "50"]) == 0
    one, two = earned(solution)
    assert f"Exact expected scores: first {one:g}, second {two:g}." in capsys.readouterr().out


def test_one_part_alone_is_its_own_mixture(solution):
    """Beside somebody whom no mediator tells, a part is what that player does on the whole."""
    part = recommendations(solution, game=fb.game(AUMANN)).parts()[0]
    alone = fb.match(AUMANN, [part, "uniform"], games=100).exact.returns
    assert alone == pytest.approx(fb.evaluation.value(fb.game(AUMANN), [solution.policy(0), fb.policies.Uniform()]))
    assert sum(p for _, p in kinds(part)) == pytest.approx(1)
    assert sum(weight for _, weight in combinations([part, part])) == pytest.approx(1)


def test_who_looks_at_policies_apart_refuses_by_name(solution):
    with pytest.raises(SpecError, match="the solution: a mediator draws for 2 players together"):
        fb.evaluate(AUMANN, solution)
    with pytest.raises(SpecError, match=r"correlated: .* solve it once, save it, and name the file"):
        fb.match(AUMANN, "correlated", "correlated")


def test_three_players_in_a_tree():
    """The draws are plans for the whole game."""
    game = fb.game("selten-horse")
    solution = fb.solve(game, "correlated")
    mediator = recommendations(solution, game=game)
    mean = np.sum([p * np.array(fb.evaluation.value(game, mediator.profile(k))) for k, p in mediator.draws()], axis=0)
    assert fb.match(game, solution, games=10).exact.returns == pytest.approx(mean.tolist())
