"""Games of several players with private observations: equal to the published files, with the values that are known."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound import files, forms
from fogbound.core import SpecError
from fogbound.games import make
from tests import shared
from tests.forms.test_table_from_arrays import meaning

MODELS = shared.MODELS / "dpomdp"
published = pytest.mark.skipif(not MODELS.is_dir(), reason="other people's files lie beside a checkout, never in it")

LEVELS = dict(enumerate((a, b) for a in ("high", "low") for b in ("high", "low")))
SIGNAL = {0: "high", 1: "low"}
CAST = {0: "tiger", 1: "treasure"}, {0: "growl", 1: "silence"}
COMPETING = (
    {0: "tiger-left", 1: "tiger-right"},
    {0: "hear-left", 1: "hear-right", 2: "nothing"},
)


def in_words(form, states=None, signals=None):
    """What the table says, with the game's names for what a file only counts, and rewards rounded as files do."""
    named, shown = states or {}, signals or {}

    def observation(seen):
        return seen._replace(private=shown.get(seen.private, seen.private))

    return {
        (named.get(key[0], key[0]), *key[1:]): {
            (named.get(state, state), tuple(round(r, 9) for r in rewards), tuple(map(observation, seen))): p
            for (state, rewards, seen), p in follows.items()
        }
        for key, follows in meaning(form).items()
    }


@published
@pytest.mark.parametrize(
    ("spec", "file", "states", "signals"),
    [
        ("multi-tiger", "dectiger.dpomdp", None, None),
        ("broadcast-channel", "broadcastChannel.dpomdp", None, None),
        ("broadcast-channel", "mabc.dpomdp", None, None),
        ("recycling-robots(discount=0.9)", "recycling.dpomdp", LEVELS, SIGNAL),
        ("recycling-robots", "recycling_quoted.dpomdp", LEVELS, SIGNAL),
    ],
)
def test_a_game_is_the_published_model(spec, file, states, signals):
    read, game = files.read_table(MODELS / file), forms.table(make(spec))
    assert in_words(read, states, signals) == in_words(game)
    assert read.discount == game.discount


@published
def test_adversarial_tiger_is_the_published_model():
    """The file has one reward, which the second player pays; it is written as if both had it."""
    read = files.read_table(MODELS / "adversarial_tiger.dpomdp")
    opposed = forms.table(fb.game(f"opposed(game={MODELS / 'adversarial_tiger.dpomdp'})"))
    assert in_words(opposed, *CAST) == in_words(forms.table(make("adversarial-tiger")))
    assert (read.reward[:, 0] == read.reward[:, 1]).all()


@published
def test_competitive_tiger_is_the_published_model_but_for_its_mistake():
    """Unless both listen the file's first player hears the wrong side."""
    path = MODELS / "competitive_tiger.dpomdp"
    found = in_words(forms.table(fb.game(f"opposed(game={path})")), *COMPETING)
    expected = in_words(forms.table(make("competitive-tiger")))
    listens_alone = {key for key in expected if key != ("start",) and key[1] in (1, 2, 3)}  # the row of (listen, other)
    assert {key for key in expected if found[key] != expected[key]} == listens_alone


def value(spec, steps):
    return fb.solve(f"horizon(game={spec}, steps={steps})", "sequence-lp").value


VALUES = {  # zero-sum, no discount: from horizon 1 on
    "adversarial-tiger": (-1, -1.6, -2.24, -3.000313043),
    "competitive-tiger": (0, 0, 0),
    "opposed(game=broadcast-channel)": (0.5, 0.779462623, 0.968445449),
    "opposed(game=recycling-robots)": (2, 2.588932806),
}


@pytest.mark.parametrize(
    ("spec", "steps"), [(spec, k + 1) for spec, known in VALUES.items() for k in range(len(known))]
)
def test_known_values(spec, steps):
    assert value(spec, steps) == pytest.approx(VALUES[spec][steps - 1], abs=2e-9)


@published
@pytest.mark.parametrize(("steps", "known"), [(1, 0), (2, -0.130952381), (3, -0.535654596)])
def test_competitive_tiger_as_published(steps, known):
    assert value(f"opposed(game={MODELS / 'competitive_tiger.dpomdp'})", steps) == pytest.approx(known, abs=2e-9)


@pytest.mark.parametrize(
    "spec", ["multi-tiger", "broadcast-channel", "recycling-robots", "random-posg(rewards=shared)"]
)
def test_a_team_shares_its_rewards(spec):
    reward = forms.table(make(spec)).reward
    assert (reward[:, 0] == reward[:, 1]).all()
    assert reward.any()


@pytest.mark.parametrize("spec", ["adversarial-tiger", "competitive-tiger", "random-posg(rewards=opposed)"])
def test_what_one_wins_the_other_loses(spec):
    assert forms.table(make(spec)).constant_sum == 0


def test_the_caregivers_differ():
    reward = forms.table(make("crying-baby")).reward
    assert (reward[:, 0] != reward[:, 1]).any()
    assert reward.min() == -15


@pytest.mark.parametrize(
    "spec",
    [
        "multi-tiger(accuracy=1.5)",
        "multi-tiger(discount=0)",
        "broadcast-channel(fills=[0.5])",
        "broadcast-channel(noise=-1)",
        "broadcast-channel(discount=2)",
        "recycling-robots(discount=0)",
        "adversarial-tiger(discount=0)",
        "competitive-tiger(accuracy=2)",
        "competitive-tiger(discount=0)",
        "crying-baby(cries_sated=2)",
        "crying-baby(discount=0)",
        "random-posg(states=0)",
        "random-posg(rewards=none)",
        "random-posg(rewards=opposed, seats=3)",
        "random-posg(states=1000000, actions_=9)",
        "random-posg(discount=0)",
    ],
)
def test_bad_parameters(spec):
    with pytest.raises(SpecError) as error:
        make(spec)
    assert "\n" not in str(error.value)
