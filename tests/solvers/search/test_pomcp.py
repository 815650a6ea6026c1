"""POMCP on plain rules: best replies by sampling against exact ones, beliefs against Bayes, and lost beliefs."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

from fogbound import forms
from fogbound.arena import match
from fogbound.arena.log import record_until
from fogbound.core import Dist, FormError, Game, GameError, Observation, Outcome, SpecError
from fogbound.evaluation.exploitability import behaviours, best_response, expected
from fogbound.evaluation.particle_filter import NO_BELIEF, RESET, ParticleFilter
from fogbound.forms.bayes_filter import BayesFilter
from fogbound.games import make
from fogbound.games.random_game import RandomGame
from fogbound.policies import Uniform
from fogbound.policies.mixture import Mixture
from fogbound.solvers.search.history import ActionObservationHistory
from fogbound.solvers.search.interactive import REBUILT, SLIPPED, SLIPPING, InducedSimulator, InteractiveSampler
from fogbound.solvers.search.pomcp import POMCP, ModelPlanner
from fogbound.solvers.search.rules_search import RulesSimulator
from tests.solvers.search.sampled_levels import sampled_levels

DARK = Observation(None, None)


@dataclass(frozen=True)
class Always:
    """Plays one action wherever it is legal, the first legal one elsewhere."""

    action: object

    def begin(self, observation):
        return None

    def update(self, memory, action, observation):
        return None

    def act(self, memory, actions):
        return Dist.sure(self.action if self.action in actions else actions[0])


@dataclass(frozen=True)
class Doors(Game):
    """The other hides behind one of `doors` doors and whispers from there; then I open one."""

    doors: int = 40
    loud: bool = False  # the whisper is heard while the other hides
    players = ("seeker", "hider")

    def start(self):
        return Dist.sure(Outcome(("hide", 0)))

    def actors(self, state):
        return {"hide": (1,), "whisper": (0,), "open": (0,), "over": ()}[state[0]]

    def actions(self, state, player):
        return ("listen",) if state[0] == "whisper" else tuple(range(self.doors))

    def step(self, state, joint):
        phase, door = state
        if phase == "hide":
            return Dist.sure(Outcome(("whisper", joint[0]), public=f"door {joint[0]}" if self.loud else None))
        if phase == "whisper":
            return Dist.sure(Outcome(("open", door), public=f"door {door}"))
        pay = 1.0 if joint[0] == door else 0.0
        return Dist.sure(Outcome(("over", 0), (pay, -pay)))


def planner(game, player, others, simulations=1000, seed=0, **fields):
    """POMCP that samples the rules, whatever their size."""
    return POMCP(simulations, **fields).policy(game, player, seed, others, by_rules=True)


def worth(game, player, policy, others):
    """(what `policy` earns exactly, the best anyone can) against `others`."""
    form = forms.sequence(game)
    played = behaviours(form, {**others, player: policy})
    return float(expected(form, played)[player]), best_response(form, played, player).value


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("spec", "loss"),
    [
        ("king-ace", 1e-9),
        ("card-poker(ranks=4)", 1e-9),
        ("goofspiel(cards=3)", 1e-9),  # simultaneous moves
        ("liars-dice(sides=3)", 0.02),
    ],
)
def test_the_reply_to_uniform_play_is_nearly_best(spec, loss):
    game = make(spec)
    for player in range(2):
        others = {1 - player: Uniform()}
        got, best = worth(game, player, planner(game, player, others, 1000), others)
        assert best - loss <= got <= best + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_random_games_with_mixtures_several_opponents_and_simultaneous_moves(seed):
    """In small games beliefs are exact and little is left to luck: the loss is a small part of what is at stake."""
    game = RandomGame(seed, seats=2 + seed % 2, depth=3, width=3, actions_=3)
    others = {
        player: Mixture((Uniform(), Always(game.actions((0, 0), player)[0])), (0.5, 0.5))
        for player in range(1, len(game.players))
    }
    got, best = worth(game, 0, planner(game, 0, others, 2000), others)
    floor, _ = worth(game, 0, Uniform(), others)
    assert floor - 1e-9 <= best
    assert got >= best - 0.1 * max(1.0, best - floor)


@pytest.mark.slow
def test_the_paper_s_game_of_two_objects_is_solved_exactly():
    """N = 2: 1_1 is worth 5 and 1_2 29/4 (document 000): 2,000 games of POMCP's must not lie below."""
    game = make("po-nim(n=2)")
    for player, exact in ((0, 5.0), (1, 7.25)):
        policies = [Uniform(), Uniform()]
        policies[player] = policy = planner(game, player, {1 - player: Uniform()}, 2000)
        low, high = match(game, policies, 2000, most_steps=60).players[player].score_interval
        assert low <= exact <= high
        assert not any(reason in policy.tally for reason in (NO_BELIEF, REBUILT, SLIPPED))


def tiger_worths(accuracy=0.85, discount=0.95, most=40):
    """The exact worth of listening and of opening the likelier door, by how many growls lead: value iteration."""
    right = [1 / (1 + ((1 - accuracy) / accuracy) ** lead) for lead in range(most + 1)]
    value = [0.0] * (most + 1)
    for _ in range(600):
        opening = [10 * p - 100 * (1 - p) + discount * value[0] for p in right]
        listening = []
        for lead, p in enumerate(right):
            more = p * accuracy + (1 - p) * (1 - accuracy)
            beyond = more * value[min(lead + 1, most)] + (1 - more) * value[abs(lead - 1)]
            listening.append(-1 + discount * beyond)
        value = [max(pair) for pair in zip(listening, opening)]
    return listening, opening


@pytest.mark.slow
def test_tiger_loses_little_of_its_exact_value():
    """Of 19.3714 the mean of three games may lose 5 with 1,000 simulations; listening for ever would lose 39.

    The loss of a game is the discounted sum of what each of its decisions gave away, which is known exactly.
    """
    listening, opening = tiger_worths()
    assert listening[0] == pytest.approx(19.3714, abs=1e-3)
    game, rng, losses = make("tiger"), Random(7), []
    policy = POMCP(1000).policy(game, 0)
    for _ in range(3):
        state, memory, lead, loss = "left", policy.begin(DARK), 0, 0.0  # lead: growls from the left more than others
        for step in range(40):
            (chosen,) = policy.act(memory, ("listen", "open-left", "open-right")).support()
            ahead = abs(lead)
            if chosen != "listen":  # the door where fewer growls were
                assert chosen == ("open-right" if lead > 0 else "open-left")
            got = listening[ahead] if chosen == "listen" else opening[ahead]
            loss += 0.95**step * (max(listening[ahead], opening[ahead]) - got)
            outcome = game.step(state, (chosen,)).sample(rng)
            growl = 1 if outcome.public == "growl-left" else -1
            state, lead = outcome.state, lead + growl if chosen == "listen" else 0
            memory = policy.update(memory, chosen, outcome.observation(0))
        losses.append(loss)
    assert sum(losses) / len(losses) < 5.0


def shares(policy, memory):
    """The probability of each interactive state that is believed possible."""
    belief = policy._tracker.belief(memory)
    return dict(zip(belief.states, belief.weights.tolist()))


def test_beliefs_are_bayes_while_they_fit():
    game = make("rock-sample(size=3, rocks=2)")
    form, policy = forms.pomdp(game), planner(game, 0, {})
    bayes = BayesFilter(form)
    memory, seen = policy.begin(DARK), DARK
    belief, _ = bayes.begin(DARK)
    for action in ("check-0", "east", "check-1", "check-0"):
        outcome = game.step(policy._tracker.belief(memory).states[0].state, (action,)).pairs[0][0]
        seen = outcome.observation(0)
        memory, (belief, _) = policy.update(memory, action, seen), bayes.update(belief, action, seen)
        exact = {form.label(s): p for s, p in zip(belief.states.tolist(), belief.weights.tolist())}
        found = {point.state: p for point, p in shares(policy, memory).items()}
        assert {s: round(p, 9) for s, p in found.items()} == {s: round(p, 9) for s, p in exact.items()}


@pytest.mark.parametrize(("spec", "exact"), [("size=2, rocks=1", 13.3119), ("size=3, rocks=2", 15.3305)])
def test_rock_sample_with_informed_leaves(spec, exact):
    """Random play falls off the map; what known rocks are worth is hint enough to find most of what there is."""
    game = make(f"rock-sample({spec})")
    policy = POMCP(1000).policy(game, 0)
    standing = match(game, [policy], 200, most_steps=20).players[0]
    low, high = standing.score_interval
    assert low <= exact  # not better than the best
    assert high >= 0.9 * exact


def test_the_same_seed_plays_the_same_game_whatever_was_asked_before():
    game = make("po-nim(n=3)")
    once, again = (planner(game, 0, {1: Uniform()}, 100, seed=3) for _ in range(2))
    memories = [history(game, once, steps) for steps in (0, 2, 4, 6)]
    forwards = [once.act(m, legal) for m, legal in memories]
    assert forwards == [again.act(m, legal) for m, legal in reversed(memories)][::-1]
    assert match(game, [once, Uniform()], 20, most_steps=30) == match(game, [again, Uniform()], 20, most_steps=30)
    other = planner(game, 0, {1: Uniform()}, 100, seed=4)
    found = [[one.look(m, legal).means.tolist() for m, legal in memories] for one in (once, other)]
    assert found[0] != found[1]


def history(game, policy, steps):
    """What the first player remembers after `steps` failing moves, and what it may do."""
    memory = policy.begin(Observation(None, 3))
    for step in range(steps):
        action = ("own", 3) if step == 0 else ("hidden", 3) if step % 2 == 0 else None
        memory = policy.update(memory, action, Observation("succeeded" if step == 0 else "failed", 0))
    return memory, tuple(game.actions((0 if steps else 3, 3, 0), 0))


def test_processes_do_not_change_the_result():
    game = make("king-ace")
    policies = [planner(game, 0, {1: Uniform()}, 50), Uniform()]
    assert match(game, policies, 120, workers=2).players == match(game, policies, 120).players
    assert pickle.loads(pickle.dumps(policies[0])).simulations == 50  # noqa: S301


def test_memory_is_a_value():
    one = ActionObservationHistory(ActionObservationHistory(None, None, DARK), "a", Observation(1, 2))
    two = ActionObservationHistory(ActionObservationHistory(None, None, DARK), "a", Observation(1, 2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != ActionObservationHistory(ActionObservationHistory(None, None, DARK), "b", Observation(1, 2))
    long = one
    for _ in range(5000):
        long = ActionObservationHistory(long, None, DARK)
    assert pickle.loads(pickle.dumps(long)) == long  # noqa: S301
    assert long.generator(1).random() == pickle.loads(pickle.dumps(long)).generator(1).random()  # noqa: S301


class Sealed:
    """A policy that only passes on what a player may know, and records it."""

    def __init__(self, inner):
        self.inner, self.heard = inner, []

    def begin(self, observation):
        self.heard.append(observation)
        return self.inner.begin(observation)

    def update(self, memory, action, observation):
        self.heard.append((action, observation))
        return self.inner.update(memory, action, observation)

    def act(self, memory, actions):
        return self.inner.act(memory, actions)


def test_nothing_hidden_leaks():
    """Two deals that look the same to the player are the same to the policy: its moves and its beliefs are equal."""
    game = make("leduc")
    policy = planner(game, 0, {1: Uniform()}, 200)
    by_sight = {}
    for outcome, _ in game.start():
        memory = policy.begin(outcome.observation(0))
        move = policy.act(memory, tuple(game.actions(outcome.state, 0)))
        assert by_sight.setdefault(outcome.observation(0), move) == move
        believed = shares(policy, memory)
        assert len(believed) > 1
        assert sum(believed.values()) == pytest.approx(1)
    sealed = Sealed(policy)
    match(game, [sealed, Uniform()], 10)
    assert all(isinstance(word, Observation) or isinstance(word[1], Observation) for word in sealed.heard)


@pytest.mark.slow
def test_rejection_draws_from_the_exact_belief():
    """Too few particles to try everything: on average over many seeds they are where Bayes says."""
    game, others, mean = make("po-nim(n=8)"), {1: Uniform()}, Counter()
    steps = (
        (("own", 2), Observation("succeeded", 6)),
        (None, Observation("failed", 6)),
        (("hidden", 1), Observation("succeeded", 6)),
    )
    steps += ((None, Observation("succeeded", 6)),)
    for seed in range(400):
        few = planner(game, 0, others, particles=3, seed=seed)
        for point, share in shares(few, reached(few, Observation(None, 8), steps)).items():
            mean[point.state] += share / 400
    many = planner(game, 0, others)
    exact = {point.state: share for point, share in shares(many, reached(many, Observation(None, 8), steps)).items()}
    assert len(exact) > 5
    assert sum(abs(mean[state] - exact.get(state, 0.0)) for state in mean | exact) / 2 < 0.08


@pytest.mark.parametrize("spec", ["card-poker(ranks=4)", "goofspiel(cards=3)", "po-nim(n=3)"])
def test_interactive_states_are_filtered_as_the_states_of_the_pomdp_are(spec):
    """One filter, and two ways to step: from the rules with modelled others, and through the form made of both."""
    game, other = make(spec), Uniform()
    table, rng = forms.table(game), np.random.default_rng(0)
    form = forms.pomdp(table, 0, {1: other})
    interactive = ParticleFilter(InteractiveSampler(InducedSimulator(game, 0, {1: other})), 4_000)
    by_form = ParticleFilter(form, 4_000, small=0)
    for steps in range(1, 10):
        (kept,) = record_until(game, [other, other], 1, steps, seed=steps)
        history = kept.histories[0]
        one, two = interactive.begin(history[0], rng), by_form.begin(history[0], rng)
        for action, seen in history[1:]:
            one, two = interactive.update(one, action, seen, rng), by_form.update(two, action, seen, rng)
        assert (one.deprived, two.deprived) == (0, 0)
        mine, theirs = (
            Counter(dict(zip(map(label, p.belief.states.tolist()), p.belief.weights.tolist())))
            for label, p in ((interactive.label, one), (lambda s: table.states[form.product.point[s, 0]], two))
        )
        assert sum(abs(mine[state] - theirs[state]) for state in mine | theirs) / 2 < 0.08
    lost = interactive.update(one, "no such move", DARK, rng)
    assert (lost.deprived, lost.reason) == (1, RESET)


def reached(policy, first, steps):
    """What the policy remembers after these steps."""
    memory = policy.begin(first)
    for action, seen in steps:
        memory = policy.update(memory, action, seen)
    return memory


def test_reinvigoration_finds_what_draws_miss():
    policy = planner(Doors(1000, loud=True), 0, {1: Uniform()}, 100, particles=5)
    found = policy._tracker.belief(reached(policy, DARK, [(None, Observation("door 999", None))]))
    assert [point.state for point in found.states] == [("whisper", 999)]
    assert (found.skipped, policy.tally["reinvigorated"]) == (0, 1)


def test_particles_that_ran_out_are_rebuilt():
    """Forty doors and few particles: drawing misses what was heard, trying everything does not."""
    game = Doors(40)
    policy = planner(game, 0, {1: Uniform()}, 200, particles=5)
    memory = policy.begin(DARK)
    memory = policy.update(memory, None, DARK)  # 40 doors do not fit into 5 particles: most are lost here
    memory = policy.update(memory, "listen", Observation("door 39", None))
    move = policy.act(memory, tuple(range(40)))
    assert move == Dist.sure(39)
    assert policy._tracker.belief(memory).skipped == policy.tally[REBUILT] == 1
    plenty = planner(game, 0, {1: Uniform()}, 200, particles=50)
    memory = plenty.update(plenty.update(plenty.begin(DARK), None, DARK), "listen", Observation("door 39", None))
    assert plenty.act(memory, tuple(range(40))) == Dist.sure(39)
    assert plenty._tracker.belief(memory).skipped == 0


def test_what_the_others_would_never_do_is_counted_and_believed():
    game = Doors(4)
    policy = planner(game, 0, {1: Always(0)}, 200)
    memory = policy.update(policy.update(policy.begin(DARK), None, DARK), "listen", Observation("door 3", None))
    assert policy.act(memory, (0, 1, 2, 3)) == Dist.sure(3)  # it has slipped to where the whisper comes from
    assert policy._tracker.belief(memory).skipped == 1
    assert policy.tally[SLIPPING] == 1
    impossible = policy.update(policy.update(policy.begin(DARK), None, DARK), "listen", Observation("door 99", None))
    assert policy.act(impossible, (0, 1, 2, 3)) == Dist.uniform((0, 1, 2, 3))
    assert policy.tally[NO_BELIEF] >= 1
    assert not len(policy._tracker.belief(impossible))


def test_forgetting_changes_nothing():
    game = make("po-nim(n=3)")
    world = InducedSimulator(game, 0, {1: Uniform()}, most=5)
    policy, frugal = (planner(game, 0, {1: Uniform()}, 200) for _ in range(2))
    frugal.__dict__["simulator"] = RulesSimulator(world)
    for steps in (0, 2, 4):
        memory, legal = history(game, policy, steps)
        assert policy.look(memory, legal).means.tolist() == frugal.look(memory, legal).means.tolist()
    assert len(world.points) > 5
    world.trim()
    assert not world.points


def test_levels_by_sampling():
    """Level 2 models a level 1 as strong as the real one (shrink 1) in the smallest game, and answers it."""
    game = make("king-ace")
    levels = sampled_levels(game, 2, simulations=300, particles=100, shrink=1)
    assert isinstance(levels[0][0], Uniform)
    for player in range(2):
        other = 1 - player
        for k in (1, 2):
            believed = Mixture(tuple(levels[j][other] for j in range(k)), (1 / k,) * k)
            got, best = worth(game, player, levels[k][player], {other: believed})
            assert got == pytest.approx(best, abs=0.05)
    small = sampled_levels(game, 2, simulations=300)[2][0]
    assert [kind.simulations for kind, _ in small.others[1].kinds() if isinstance(kind, ModelPlanner)] == [30]


def test_what_is_refused():
    game = make("king-ace")
    with pytest.raises(FormError, match="policies for players"):
        planner(game, 0, {5: Always("fold")})
    with pytest.raises(SpecError, match="simulations is 0"):
        planner(game, 0, {1: Uniform()}, 0)
    with pytest.raises(SpecError, match="exploration is -1"):
        planner(game, 0, {1: Uniform()}, exploration=-1)
    with pytest.raises(SpecError, match="levels -1"):
        sampled_levels(game, -1)


@dataclass(frozen=True)
class Telltale(Game):
    """Breaks the contract: what I may do depends on a coin that I cannot see."""

    players = ("me",)

    def start(self):
        return Dist.sure(Outcome("first"))

    def actors(self, state):
        return () if state == "over" else (0,)

    def actions(self, state, player):
        return {"first": ("a", "b"), "heads": ("a", "b"), "tails": ("b", "c")}[state]

    def step(self, state, joint):
        return Dist.uniform([Outcome("heads"), Outcome("tails")]) if state == "first" else Dist.sure(Outcome("over"))


def test_a_menu_that_tells_what_is_hidden_is_refused():
    with pytest.raises(GameError, match="after the same observations"):
        planner(Telltale(), 0, {}, 100).act(ActionObservationHistory(None, None, DARK), ("a", "b"))
