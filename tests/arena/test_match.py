"""Matches by sampling: the same games whoever plays them, and what there is when somebody presses Ctrl-C."""

import signal

import pytest

import fogbound as fb
from fogbound.arena.match import play_match
from fogbound.policies import Uniform

GAME = fb.game("king-ace")


def played(**more):
    return play_match(GAME, [Uniform(), Uniform()], **more)


@pytest.mark.parametrize("ties", ["split", "first"])
def test_the_result_does_not_depend_on_the_workers(ties):
    assert played(games=130, seed=3, ties=ties, workers=2) == played(games=130, seed=3, ties=ties)


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_returns_the_games_until_then(workers):
    """The signal comes once the first games are in, whoever plays them: they are the result."""

    def press(done):
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs in the background ignores it
    try:
        found = played(games=1_000, seed=5, workers=workers, watch=press)
    finally:
        signal.signal(signal.SIGINT, before)
    assert found.interrupted
    assert 0 < found.games < 1_000
    assert found.players == played(games=found.games, seed=5).players


@pytest.mark.parametrize("workers", [1, 2])
def test_all_games_are_counted(workers):
    counted = []
    played(games=120, workers=workers, watch=counted.append)
    assert counted[-1] == 120
    assert counted == sorted(set(counted))
