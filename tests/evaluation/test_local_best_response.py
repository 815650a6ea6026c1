"""Local best response: a reply, so never better than the best one; its pure parts beside exact figures."""

from __future__ import annotations

import pickle

import pytest

import fogbound as fb
from fogbound.core.errors import FormError, LimitError, SpecError
from fogbound.core.simulator import RuleSimulator
from fogbound.evaluation.local_best_response import LocalBestResponse, RestOfGame
from fogbound.policies import Mixture, Uniform

RULES = [((), 1), ((), 3), (("check", "call"), 0), (("check", "call"), 1)]


def gains(game, profile, **options):
    """(exact gain of the local reply, exact gain of the best one) of each player."""
    exact, found = fb.evaluation.exploitability(game, profile), []
    for player in range(len(game.players)):
        others = {i: policy for i, policy in enumerate(profile) if i != player}
        reply = LocalBestResponse(game, player, others, **options)
        value = fb.evaluation.expected(game, {**others, player: reply})[player]
        found.append((float(value) - exact.values[player], exact.best[player] - exact.values[player]))
    return found


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "spec", ["card-poker(ranks=3)", "leduc", "liars-dice(sides=3)", "goofspiel(cards=4)", "kuhn(seats=3)"]
)
@pytest.mark.parametrize(("prefer", "answers"), RULES)
def test_it_gains_from_uniform_play_and_never_more_than_the_best_reply(spec, prefer, answers):
    game = fb.game(spec)
    for local, best in gains(game, [Uniform()] * len(game.players), prefer=prefer, answers=answers):
        assert 0 < local <= best + 1e-12


@pytest.mark.one_in(4)
@pytest.mark.parametrize("policy", ["is-mcts(simulations=50)", "pomcp-pgt(rule=rm, simulations=50)"])
@pytest.mark.parametrize("spec", ["card-poker(ranks=3)", "leduc"])
def test_planners_are_exploited_and_not_by_more_than_is_true(spec, policy):
    game = fb.game(spec)
    found = gains(game, [fb.policy(policy, game, player) for player in (0, 1)], prefer=("check", "call"))
    assert all(local <= best + 1e-12 for local, best in found)
    assert sum(local for local, _ in found) > 0.1


def test_nothing_is_gained_from_an_equilibrium():
    game = fb.game("card-poker(ranks=3)")
    solved = fb.solve(game, "sequence-lp")
    assert all(local < 1e-9 for local, _ in gains(game, [solved.policy(0), solved.policy(1)]))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(40))
def test_on_random_games_no_local_reply_beats_the_best_one(seed):
    """Moves at once, chance, three players: whatever the rule of the rest is."""
    game = fb.game(f"random(seed={seed}, seats={2 + seed % 2})")
    profile = [fb.policy("is-mcts(simulations=20)", game, player) for player in range(len(game.players))]
    for options in ({"answers": 0}, {"answers": 2}, {"plays": 3}):
        assert all(local <= best + 1e-9 for local, best in gains(game, profile, **options))


def test_a_mixture_is_followed_as_what_it_is():
    """Whoever is met is one of the two for the whole game: what it did tells which."""
    game = fb.game("card-poker(ranks=3)")
    solved = fb.solve(game, "sequence-lp")
    mixed = Mixture((Uniform(), solved.policy(1)), (0.5, 0.5))
    reply = LocalBestResponse(game, 0, {1: mixed})
    best = fb.solve(game, "belief-mdp", against=mixed).value
    assert fb.evaluation.value(game, {0: reply, 1: mixed})[0] <= best + 1e-9


def test_ranges_follow_bayes_rule():
    """A bet of somebody who bets the king always and nothing else shows the king."""
    game = fb.game("card-poker(ranks=3)")

    class OnlyTheBest(Uniform):
        def begin(self, observation):
            return observation.private

        def update(self, memory, action, observation):
            return memory

        def act(self, memory, actions):
            strong = memory == max(o.private[0] for o, _ in game.start())
            return fb.Dist.sure(actions[-1] if strong else actions[0])

    reply = LocalBestResponse(game, 1, {0: OnlyTheBest()})
    opening = [
        outcome for outcome, _ in game.start() if outcome.private[1] == min(o.private[1] for o, _ in game.start())
    ]
    memory = reply.begin(opening[0].observation(1))
    assert len(memory.points) == 2
    assert sum(memory.weights) == pytest.approx(1 / 3)
    (after, _), *_ = game.step(opening[0].state, (game.actions(opening[0].state, 0)[-1],)).pairs
    assert len(reply.update(memory, None, after.observation(1)).points) == 1


def test_the_rest_is_computed_as_it_is_played():
    game = fb.game("leduc")
    rules, state = RuleSimulator(game), game.start().pairs[0][0].state
    computed, sampled = RestOfGame(rules, 0).worth(state), RestOfGame(rules, 0, plays=4_000).worth(state)
    assert sampled == pytest.approx(computed, abs=0.2)
    called = RestOfGame(rules, 0, prefer=("check", "call"))
    total = sum(p * called.worth(outcome.state) for outcome, p in game.start())
    assert total == pytest.approx(0, abs=1e-12)  # two hands that are shown


def test_what_cannot_be_computed_is_said_in_a_line():
    rules = RuleSimulator(fb.game("leduc"))
    with pytest.raises(LimitError, match="more than 10 states follow.*plays=20"):
        RestOfGame(rules, 0, limit=10).worth(fb.game("leduc").start().pairs[0][0].state)
    game = fb.game("rock-sample")
    with pytest.raises(FormError, match="come back.*plays=20"):
        RestOfGame(RuleSimulator(game), 0).worth(game.start().pairs[0][0].state)
    with pytest.raises(SpecError, match="plays is -1, expected 0 or more"):
        LocalBestResponse(fb.game("leduc"), 0, {1: Uniform()}, plays=-1)
    with pytest.raises(SpecError, match=r"replies to policies of players \[\], expected \[1\]"):
        LocalBestResponse(fb.game("leduc"), 0, {})


def test_it_travels_to_other_processes_without_what_it_has_met():
    game = fb.game("leduc")
    reply = LocalBestResponse(game, 0, {1: Uniform()})
    deal = game.start().pairs[0][0]
    said = reply.act(reply.begin(deal.observation(0)), game.actions(deal.state, 0))
    there = pickle.loads(pickle.dumps(reply))  # noqa: S301  our own
    assert "_worths" not in vars(there)
    assert there.act(there.begin(deal.observation(0)), game.actions(deal.state, 0)).pairs == said.pairs
