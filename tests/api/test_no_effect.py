"""Nothing that is said is ignored: a parameter without an effect is refused in one line that says what to leave out."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import fogbound as fb
import fogbound.solvers
from fogbound.cli.main import main
from fogbound.core.errors import FogboundError, FormError, SpecError
from fogbound.forms.protocol import NOTHING
from fogbound.solvers import SOLVERS

LONE = [name for name in SOLVERS if not SOLVERS.load(name).parallel]


@pytest.mark.parametrize("name", LONE)
def test_workers_are_refused_by_solvers_of_one_process(name):
    with pytest.raises(FogboundError, match=f"{name} computes in one process, .*: leave it out; .* serve hisg|solver"):
        fb.solve("kuhn", name, engine=fb.parallel.processes(2))


def test_a_solver_that_hands_work_to_the_engine_says_so():
    folder = Path(fogbound.solvers.__file__).parent
    using = {path for path in folder.rglob("*.py") if "context.engine" in path.read_text()}
    parallel = {Path(inspect.getfile(SOLVERS.load(name))) for name in SOLVERS if SOLVERS.load(name).parallel}
    assert using == parallel


def test_hisg_takes_workers():
    assert SOLVERS.load("hisg").parallel
    assert not SOLVERS.load("isg").parallel


@pytest.mark.parametrize("name", list(SOLVERS))
def test_opponents_are_refused_where_there_are_none(name):
    """In a game of one player, and by a solver whose form knows no opponents."""
    with pytest.raises(FogboundError):
        fb.solve("tiger", name, against="uniform", iterations=1)
    if SOLVERS.load(name).form.against == NOTHING:
        with pytest.raises((FormError, SpecError)):
            fb.solve("kuhn", name, against="uniform", iterations=1)


def test_of_one_player_this_is_said(capsys):
    with pytest.raises(SpecError, match=r"tiger.* has one player, so there is nobody to play against: leave"):
        fb.solve("tiger", "sarsop", against="uniform")
    assert main(["solve", "tiger", "--against", "uniform"]) == 2
    assert capsys.readouterr().err.count("\n") == 1  # one line, and no solver is chosen first
    assert main(["solve", "kuhn", "--with", "cfr-plus", "--workers", "2"]) == 2
    assert "cfr-plus computes in one process" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--deals", "9"], "--deals has no effect without --local: leave --deals out"),
        (["--workers=2"], "--workers has no effect without --local"),
        (["--most-steps", "9"], "--most-steps has no effect without --episodes"),
        (["--episodes", "9", "--seconds", "3"], "--seconds has no effect with --episodes"),
        (["--local", "--episodes", "9"], "--episodes has no effect with --local"),
    ],
)
def test_flags_of_evaluate_that_mean_nothing_together(words, said, capsys):
    assert main(["evaluate", "kuhn", "uniform", *words]) == 2
    assert said in capsys.readouterr().err


def test_parameters_of_evaluate_that_mean_nothing_together():
    with pytest.raises(SpecError, match="most_steps cuts episodes, and none are played"):
        fb.evaluate("kuhn", "uniform", most_steps=9)
    with pytest.raises(SpecError, match="seconds are for bounds on best replies"):
        fb.evaluate("kuhn", "uniform", episodes=9, seconds=3)


def test_learners_and_their_others():
    with pytest.raises(SpecError, match="others= is for observing='belief'"):
        fb.interop.view("kuhn", 0, others="uniform")
    with pytest.raises(SpecError, match="has no other players"):
        fb.interop.view("tiger", 0, observing="belief", others="uniform")
    pytest.importorskip("gymnasium")
    from fogbound.interop.gymnasium import SeatEnv, vector_env

    for made in (SeatEnv, lambda *given, **how: vector_env(given[0], 2, *given[1:], **how)):
        with pytest.raises(SpecError, match="has no other players"):
            made("tiger", against="uniform", observing="observation")
        with pytest.raises(SpecError, match="player-1 learns here, so it cannot be said how it plays"):
            made("kuhn", 0, {0: "uniform", 1: "uniform"}, observing="observation")
        with pytest.raises(FogboundError, match=r"a history of 10,000 steps is more than .*most_steps="):
            made("tiger")


def test_an_evaluation_prints_means_and_intervals():
    exact = str(fb.evaluate("kuhn", "uniform", "uniform"))
    assert "player-1 earns 0.125; best reply 0.5, regret 0.375" in exact
    assert "NashConv 0.916667" in exact
    played = str(fb.evaluate("kuhn", "uniform", "uniform", episodes=50))
    assert "player-1 earns" in played
    assert "(95 % interval " in played


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["sweep", "kuhn", "--with", "cfr-plus", "--over", "seconds"], "--over has no effect without a picture"),
        (["show", "kuhn", "--seed", "3"], "--seed has no effect without --view belief"),
        (["show", "kuhn", "--view", "tree", "--player", "1"], "--player has no effect with --view tree"),
        (["show", "kuhn", "--game", "leduc"], "--game has no effect beside a GAME"),
        (["show", "a.npz", "b.npz", "--view", "gaps", "--player", "1"], "--player has no effect where several"),
        (
            ["match", "tic-tac-toe", "alpha-beta", "alpha-beta", "--workers", "2"],
            "one play decides, so several processes",
        ),
        (["match", "kuhn", "uniform", "uniform", "--workers", "2"], "compiled code plays these games in one process"),
        (["tournament", "kuhn", "uniform", "uniform", "--workers", "2"], "several processes (--workers) has no effect"),
        (["tournament", "kuhn", "uniform", "uniform", "--decided", "wins"], "so --decided has no effect"),
    ],
)
def test_what_would_be_ignored_is_refused(words, told, capsys):
    assert main(words) == 2
    assert told in capsys.readouterr().err
