"""One player's side of an environment: numbers of actions, masks, and what it is shown, without extras."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import FormError, LimitError, PolicyError, SpecError
from fogbound.interop import view
from fogbound.interop.views import longest
from tests.interop.relay import Relay

CARD, CHECKED = fb.Observation(None, 2), fb.Observation("check", None)


def test_actions_are_the_players_own():
    assert view("king-ace", 0).actions == ("raise", "check")
    assert view("king-ace", 1).actions == ("call", "fold")


def test_a_mask_says_what_is_legal():
    gambler = view("card-poker(ranks=3)", 0)
    assert gambler.mask(("check", "bet")).tolist() == [1, 1, 0, 0]
    assert gambler.mask(()).tolist() == gambler.mask(("fold", "call"), over=True).tolist() == [0, 0, 0, 0]
    waiting = view("card-poker(ranks=3)", 0, waits=True)
    assert waiting.mask(()).tolist() == [0, 0, 0, 0, 1]
    assert waiting.mask((), over=True).tolist() == [0] * 5


def test_the_last_observation_forgets():
    dealer = view("card-poker(ranks=3)", 1, observing="observation")
    memory = dealer.begin(CARD)
    first = dealer.shown(memory, ())["observation"].tolist()
    assert dealer.encoder.columns.labels[1][first[1]] == 2
    memory = dealer.update(memory, None, CHECKED)
    assert dealer.encoder.columns.labels[0][dealer.shown(memory, ())["observation"][0]] == "check"
    assert dealer.shown(memory, ())["observation"][1] == 0


def test_a_history_keeps_everything():
    dealer = view("card-poker(ranks=3)", 1)
    memory = dealer.update(dealer.begin(CARD), None, CHECKED)
    memory = dealer.update(memory, "bet", fb.Observation("bet", None))
    steps = dealer.encoder.encode(memory, False).reshape(-1, len(dealer.encoder.sizes))
    assert steps[:, 0].tolist()[:3] == [0, 0, dealer.actions.index("bet") + 1]
    assert (steps[:3, 1:] > 0).all()
    assert not steps[3:].any()
    assert len(steps) == 1 + longest(dealer.form)


@pytest.mark.parametrize("observing", ["history", "information-set"])
@pytest.mark.parametrize("game", ["kuhn", "leduc", "liars-dice(sides=2)"])
def test_what_is_shown_tells_exactly_the_information_sets_apart(game, observing):
    """Played many times, equal numbers mean equal knowledge, and the other way round."""
    seat, rules, rng = view(game, 0, observing=observing), fb.game(game), np.random.default_rng(0)
    known = {}
    for _ in range(300):
        outcome = rules.start().sample(rng)
        memory, history = seat.begin(outcome.observation(0)), (outcome.observation(0),)
        while actors := rules.actors(outcome.state):
            legal = [tuple(rules.actions(outcome.state, i)) for i in actors]
            if 0 in actors:
                shown = seat.shown(memory, legal[actors.index(0)])["observation"]
                known.setdefault(np.asarray(shown).tobytes(), set()).add(history)
            joint = tuple(offered[int(rng.random() * len(offered))] for offered in legal)
            outcome = rules.step(outcome.state, joint).sample(rng)
            own = dict(zip(actors, joint)).get(0)
            memory, history = (
                seat.update(memory, own, outcome.observation(0)),
                (*history, (own, outcome.observation(0))),
            )
    assert len(known) > 5
    assert all(len(histories) == 1 for histories in known.values())
    if observing == "information-set":
        numbers = {int(np.frombuffer(key, np.int64)[0]): histories for key, histories in known.items()}
        assert all(histories == {seat.encoder.history(number)} for number, histories in numbers.items())


def test_a_belief_is_bayes_rule():
    tiger = view("tiger", observing="belief")
    memory = tiger.begin(fb.Observation(None, None))
    memory = tiger.update(memory, "listen", fb.Observation("growl-left", None))
    believed = tiger.shown(memory, tiger.actions)["observation"]
    assert {tiger.encoder.label(k): round(float(p), 4) for k, p in enumerate(believed)} == {"left": 0.85, "right": 0.15}


def test_a_belief_against_others_rests_on_how_they_play():
    with pytest.raises(SpecError, match="it must be said how gambler plays"):
        view("card-poker(ranks=3)", 1, observing="belief")
    dealer = view("card-poker(ranks=3)", 1, observing="belief", others=_Bets())
    with pytest.raises(PolicyError, match="has probability 0 if the others play as they are said to"):
        dealer.shown(dealer.update(dealer.begin(CARD), None, CHECKED), ("check", "bet"))


class _Bets:
    def begin(self, observation):
        return None

    def update(self, memory, action, observation):
        return None

    def act(self, memory, actions):
        return fb.Dist.sure("bet" if "bet" in actions else actions[0])


def test_what_cannot_be_is_said_in_one_line():
    with pytest.raises(SpecError, match=r"observing is 'all', expected observation, history, information-set, belief"):
        view("kuhn", observing="all")
    with pytest.raises(FormError, match="histories never end"):
        view("tiger", observing="information-set")
    with pytest.raises(LimitError, match=r"Cut it off \(most_steps=\)"):
        view("tiger", observing="history")
    assert view("tiger", observing="history", most_steps=5).encoder.steps == 5
    with pytest.raises(
        LimitError, match=r"give an encoder of your own and all actions there are: observing=, actions="
    ):
        view("leduc", limit=100)
    with pytest.raises(PolicyError, match=r"none of this game's"):
        view("kuhn").begin(fb.Observation("joker", None))
    tiger, growl = view("tiger", observing="history", most_steps=1), fb.Observation("growl-left", None)
    full = tiger.update(tiger.begin(fb.Observation(None, None)), "listen", growl)
    with pytest.raises(PolicyError, match="a history of more than 1 step, which is all there is room for"):
        tiger.update(full, "listen", growl)


def test_the_longest_play_is_counted():
    assert longest(fb.forms.table(Relay())) == 6
    assert longest(fb.forms.table(fb.game("tiger"))) > 10**12
