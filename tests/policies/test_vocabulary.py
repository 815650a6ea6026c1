"""What a policy is told in one's own loop: plain words are understood, and what the game never shows is refused."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound import Dist, Observation
from fogbound.core import PolicyError
from fogbound.policies import LOST, Controller

MODEL = """discount: 0.95
values: reward
states: left right
actions: listen open-left open-right
observations: growl-left growl-right
start: uniform
T: listen
identity
T: open-left
uniform
T: open-right
uniform
O: *
uniform
O: listen
0.85 0.15
0.15 0.85
R: listen : * : * : * -1
R: open-left : left : * : * -100
R: open-left : right : * : * 10
R: open-right : left : * : * 10
R: open-right : right : * : * -100
"""
NOTHING, HEARD, UNHEARD = Observation(None, None), "growl-left", "grol-left"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Tiger as a file, whose observations are private; those of the game are public."""
    file = tmp_path_factory.mktemp("models") / "tiger.pomdp"
    file.write_text(MODEL)
    return file


def policies(game, tmp_path):
    """By name, ways to play tiger: a controller, vectors, and a controller out of a file."""
    solution = fb.solve(game, "sarsop", gap=1.0)
    fb.save(solution, tmp_path / "tiger.npz")
    yield "controller", solution.policy(0)
    yield "loaded", fb.load(tmp_path / "tiger.npz").policy(0)
    yield "vectors", fb.solve(game, "qmdp", iterations=5).policy(0)
    yield "belief-mdp", fb.solve(fb.game("horizon(game=tiger, steps=3)"), "belief-mdp").policy(0)
    yield "tabular", fb.solve(fb.game("horizon(game=tiger, steps=3)"), "cfr-plus", iterations=50).policy(0)


@pytest.mark.parametrize("private", [False, True])
def test_an_observation_may_be_told_in_any_of_its_words(private, model, tmp_path):
    for name, policy in policies(model if private else "tiger", tmp_path):
        start = policy.begin(NOTHING)
        told = [Observation("growl-left", None), Observation(None, "growl-left"), "growl-left"]
        after = {policy.update(start, "listen", each) for each in told}
        assert len(after) == 1, name
        assert after != {LOST}, name
        twice = policy.update(after.pop(), "listen", "growl-left")
        assert policy.act(twice, ("listen", "open-left", "open-right")) != Dist.uniform(
            ("listen", "open-left", "open-right")
        ), name


@pytest.mark.parametrize("private", [False, True])
def test_what_the_game_never_shows_is_refused_by_name(private, model, tmp_path):
    for _, policy in policies(model if private else "tiger", tmp_path):
        start = policy.begin(NOTHING)
        for strange in (UNHEARD, Observation(UNHEARD, None), Observation(None, UNHEARD)):
            with pytest.raises(PolicyError, match=r"grol-left.*growl-left"):
                policy.update(start, "listen", strange)
        with pytest.raises(PolicyError, match="grol-left"):
            policy.begin(UNHEARD)
        with pytest.raises(PolicyError, match=r"lisen.*listen"):
            policy.update(start, "lisen", "growl-left")


def test_what_may_mean_two_things_is_asked_back():
    both = {Observation("bell", None): 0, Observation(None, "bell"): 1}
    listener = Controller(both, {}, (Dist.sure("left"), Dist.sure("right")))
    assert listener.begin(Observation(None, "bell")) == 1
    with pytest.raises(PolicyError, match="say which"):
        listener.begin("bell")


def test_what_the_game_may_show_and_the_policy_has_no_answer_to_leaves_it_lost():
    """A best reply says nothing about what its opponent never does; that is no mistake of whoever tells it."""
    game = fb.game("king-ace")
    reply = fb.solve(game, "belief-mdp", player=1, against=fb.policies.controller(game, 0, _Raises())).policy(1)
    dealt = reply.begin(Observation(None, "K"))
    assert reply.update(dealt, None, "raise") != LOST
    assert reply.update(dealt, None, "check") == LOST  # which this opponent never does
    assert reply.act(LOST, ("call", "fold")) == Dist.uniform(("call", "fold"))
    assert fb.match(game, [fb.policies.Uniform(), reply], games=20).games == 20


class _Raises:
    """Always raises, whatever the card."""

    def begin(self, observation):
        return None

    def update(self, memory, action, observation):
        return None

    def act(self, memory, actions):
        return Dist.sure("raise")


def test_a_controller_written_by_hand_knows_the_words_of_its_arrows_only():
    """It used to play on at random, whatever it was shown."""
    bell, whistle = Observation("bell", None), Observation("whistle", None)
    listener = Controller({NOTHING: 0}, {(0, "stay", bell): 0}, (Dist.sure("stay"),))
    assert listener.update(listener.begin(NOTHING), "go", bell) == LOST  # a word that it knows, where it has no arrow
    with pytest.raises(PolicyError, match="whistle"):
        listener.begin(whistle)
    with pytest.raises(PolicyError, match="whistle"):
        listener.update(0, "stay", whistle)
    assert Controller({}, {}, ()).begin(whistle) == LOST  # without any words it plays at random, and says so
