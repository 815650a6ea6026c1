"""Reported figures are those of the returned profile: every registered solver, and solvers that claim more."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pytest

import fogbound as fb
from fogbound.api import trust
from fogbound.api.looking import Look
from fogbound.cli.progress import _bounds_line, _bounds_picture
from fogbound.cli.solve import as_json, in_sentences
from fogbound.core.errors import FogboundError
from fogbound.core.policy import kinds
from fogbound.driver.protocol import Context, Evidence, Progress, Until
from fogbound.forms.protocol import derive
from fogbound.solvers import SOLVERS
from fogbound.solvers.search.sampled import ModelledGame
from fogbound.testing import check_solver
from fogbound.web.explore.looked import headline
from fogbound.web.runs.worker import answer_values
from tests.run import solve

SMALL = 1e-14  # a play that is less likely, or paid less of its reward, is not followed any more

# Small games of every form: trees of two and three players, matrices, perfect information, states, POMDPs, teams.
GAMES = (
    "card-poker(ranks=3)",
    "tiger(discount=0.5)",
    "nim(heaps=[2, 2])",
    "random-markov(seed=1, size=3, choices=2, discount=0.5)",
    "random-markov(seed=1, size=3, choices=2, zero_sum=true, discount=0.5)",
    "random-markov(seed=1, size=3, choices=2, seats=1, discount=0.5)",
    "horizon(multi-tiger, 2)",
    "horizon(random-markov(seed=1, size=3, choices=2, discount=1.0), 2)",
    "horizon(random-markov(seed=1, size=3, choices=2, seats=1, discount=1.0), 2)",
    "kuhn(seats=3)",
    "matrix-game(battle-of-the-sexes)",
)
SPECS = {"level-k": "level-k(levels=1)"}  # higher levels of games without end take long
EVERY_SOLVER = pytest.mark.parametrize("name", sorted(SOLVERS))


@dataclass(frozen=True)
class Play:
    """All plays of a game side by side, straight from its rules, with what everybody remembers."""

    game: Any
    policies: tuple[Any, ...]
    total: list[float]

    def arrive(self, outcome: Any, p: float, scale: float, memories: Any, did: Any, into: dict[Any, float]) -> None:
        for i, reward in enumerate(outcome.rewards or ()):
            self.total[i] += p * scale * reward
        after = []
        for i, policy in enumerate(self.policies):
            seen = outcome.observation(i)
            after.append(policy.begin(seen) if memories is None else policy.update(memories[i], did.get(i), seen))
        if self.game.actors(outcome.state):
            key = outcome.state, tuple(after)
            into[key] = into.get(key, 0.0) + p

    def step(self, state: Any, memories: Any, p: float, scale: float, into: dict[Any, float]) -> None:
        actors = self.game.actors(state)
        chosen = [list(self.policies[i].act(memories[i], tuple(self.game.actions(state, i)))) for i in actors]
        for joint in itertools.product(*chosen):
            likely = p * math.prod(q for _, q in joint)
            if likely * scale > SMALL:
                moves = tuple(action for action, _ in joint)
                for outcome, q in self.game.step(state, moves):
                    self.arrive(outcome, likely * q, scale, memories, dict(zip(actors, moves)), into)


def earned(game: Any, profile: dict[int, Any]) -> list[float]:
    """What each player gets when all play as in `profile`."""
    total = [0.0] * len(game.players)
    for types in itertools.product(*(list(kinds(profile[i])) for i in range(len(game.players)))):
        play = Play(game, tuple(kind for kind, _ in types), total)
        plays: dict[Any, float] = {}
        for outcome, p in game.start():
            play.arrive(outcome, p * math.prod(q for _, q in types), 1.0, None, {}, plays)
        scale = 1.0
        while plays:
            following: dict[Any, float] = {}
            for (state, memories), p in plays.items():
                play.step(state, memories, p, scale, following)
            plays, scale = following, scale * game.discount
    return total


def _solved(spec: str, name: str, against: str | None, certify: bool | None) -> fb.Solution:
    solver = SPECS.get(name, name)
    return fb.solve(spec, solver, against=against, certify=certify, iterations=12, seconds=5, seed=1, limit=5_000)


@cache
def answers(name: str) -> list[tuple[Any, Any]]:
    """(game, solution) wherever the solver applies; certified in every other case."""
    certify, found = itertools.cycle((None, False)), []
    for spec in GAMES:
        for against in (None, "uniform"):
            try:
                found.append((fb.game(spec), _solved(spec, name, against, next(certify))))
                break
            except FogboundError:
                continue
    return found


@EVERY_SOLVER
@pytest.mark.one_in(4)
def test_the_value_is_what_the_returned_profile_earns(name):
    met = 0
    for game, found in answers(name):
        met += 1
        if found.provenance["form"] == "average-reward":  # a step in the long run (test_average_reward)
            continue
        if found.value_is == "earned" and "mediator" not in found.details and "guaranteed" not in found.details:
            has = earned(game, found.profile)[found.player]
            assert found.value == pytest.approx(has, abs=1e-9 * max(1.0, abs(has))), (str(game), repr(found))
        elif found.value_is == "earned" and "guaranteed" in found.details:  # a restricted game: against both opponents
            assert earned(game, found.profile)[found.player] == pytest.approx(
                found.details["against_estimate"], abs=1e-9
            )
            half = (found.details["against_estimate"] + found.details["guaranteed"]) / 2
            assert found.value == pytest.approx(half, abs=1e-9)
        elif found.value_is == "guarantee":
            assert found.value == found.lower, repr(found)
            assert found.certified == "both"
        else:
            assert found.value_is in ("earned", "estimate", "search", "claimed"), repr(found)
        assert found.value_is != "claimed" or "value" in found.claimed or math.isnan(found.value)
        slack = 1e-9 * max(1.0, abs(found.value))
        assert math.isnan(found.value) or found.lower - slack <= found.value <= found.upper + slack, repr(found)
    assert met, f"{name}: add a small game that it applies to"


@EVERY_SOLVER
@pytest.mark.one_in(4)
def test_an_estimate_comes_with_its_interval(name):
    for _, found in answers(name):
        if found.value_is in ("estimate", "search"):
            interval = (
                found.details["interval"]
                if "interval" in found.details
                else (found.details["low"], found.details["high"])
            )
            assert interval is None or interval[0] <= found.value <= interval[1]


UNKNOWN_FIGURE = re.compile(r"∞|\binf\b|\bnan\b", re.IGNORECASE)


@EVERY_SOLVER
@pytest.mark.one_in(4)
def test_no_printed_answer_has_infinite_figures(name):
    for game, found in answers(name):
        entry = found.trace[-1]
        for said in (
            in_sentences(found, game),
            repr(found),
            found._repr_html_(),
            trust(found),
            answer_values(found)["kept"],
            _bounds_line(entry),
            _bounds_picture(str(game), list(found.trace), 1.0).plain,
            *map(" ".join, headline(Look(found, game))["facts"]),
        ):
            assert not UNKNOWN_FIGURE.search(said), (name, str(game), said)
        if found.sampled and found.possible:
            assert found.possible[0] <= found.value <= found.possible[1] or math.isnan(found.value)


@pytest.mark.parametrize(
    ("game", "possible"),
    [("tiger", (-2000, 200)), ("kuhn", (-2, 2)), ("po-nim", None), ("king-up", None), ("tiger(discount=1.0)", None)],
)
def test_an_answer_from_samples_tells_what_the_rewards_allow(game, possible):
    found = fb.solve(game, "pomcp(games=1, simulations=1, depth=1, value=rollout)", iterations=1)
    assert (found.sampled, found.possible) == (True, possible and pytest.approx(possible))
    assert (found.lower, found.upper) == (-math.inf, math.inf)  # trivial bounds are no bounds of the answer
    said = "trivial bounds from the reward range" if possible else "no bounds are known"
    for printed in (in_sentences(found, fb.game(game)), repr(found), found._repr_html_()):
        assert said in printed


def test_a_first_game_that_the_time_limit_leaves_is_told_with_what_it_could_still_pay():
    form = derive(fb.game("tiger"), ModelledGame)
    context = Context(np.random.default_rng(0), stopping=lambda: True)
    (left,) = fb.solver("pomcp(games=1)").run(form, context)
    assert "truncated after 0 steps with a return of 0 so far; the rest can add −2e3 to 200" in left.details["shown"]


def test_a_vector_policy_is_reported_at_what_it_earns():
    found = fb.solve("tiger", "pbvi", iterations=10)
    assert found.trace[-1].value < 17
    assert found.value == pytest.approx(19.371368374891, abs=1e-9)
    assert found.lower < 17  # which is what is certified: the vectors promise no more
    assert (found.value_is, found.words[0], found.certified) == ("earned", "earns at least", "both")


def test_a_policy_with_too_many_beliefs_is_reported_by_its_guarantee(monkeypatch):
    monkeypatch.setattr("fogbound.driver.report.BELIEF_POINTS", 3)
    found = fb.solve("tiger", "pbvi", iterations=10)
    assert (found.value_is, found.claimed) == ("guarantee", ())
    assert found.value == found.lower < 17
    assert "value    at least 16.4" in in_sentences(found, fb.game("tiger"))
    later = fb.solve("tiger", "pbvi", iterations=10, certify=False)
    assert (later.value_is, later.claimed) == ("claimed", ("value", "lower", "upper"))


def test_cfr_reports_what_its_profile_earns_and_not_the_middle_of_its_bounds():
    found = fb.solve("leduc", "cfr(sampling=full)", iterations=50)
    exact = fb.evaluate("leduc", found, seconds=0)
    assert found.value == pytest.approx(exact.values[0], abs=1e-12)
    assert abs(found.value - (found.lower + found.upper) / 2) > 1e-3
    assert found.gap == pytest.approx(exact.nash_conv[0], abs=1e-9)
    assert found.exploitability == pytest.approx(found.gap / 2)


# Solvers from outside: each claims an equilibrium worth 0.3, to nine digits, and plays uniformly.


def boasting(form_type: type, evidence: Any = Evidence) -> Any:
    @dataclass(frozen=True)
    class Boast(fb.Solver[Any]):
        name = "boast"
        form: ClassVar[type] = form_type
        finds: ClassVar[str] = "equilibrium"

        def run(self, form, context):
            uniform = {i: fb.policies.Uniform() for i in range(len(form.players))}
            many = (0.3,) * len(form.players)
            yield Progress(0.3, 0.3, 0.3 + 1e-9, lambda: uniform, evidence=evidence, values=many, best=many)

    return Boast()


TREE, MATRIX, STATES = fb.forms.SequenceForm, fb.forms.NormalForm, fb.forms.MarkovGame
CLAIMS = {
    "tree": ("leduc", TREE),
    "tree of three": ("kuhn(seats=3)", TREE),
    "matrix": ("matrix-game(payoffs=[[[3, -3], [0, 0]], [[0, 0], [1, -1]]])", MATRIX),
    "general-sum matrix": ("matrix-game(battle-of-the-sexes)", MATRIX),
    "states": ("random-markov(seed=1)", STATES),
    "zero-sum states": ("random-markov(seed=1, zero_sum=true)", STATES),
    "states of three": ("random-markov(seed=1, seats=3, choices=2)", STATES),
    "perfect information": ("nim(heaps=[1, 2])", fb.forms.Table),
}


@pytest.mark.parametrize("certify", [None, False], ids=["certified", "not certified"])
@pytest.mark.parametrize("case", CLAIMS)
def test_what_a_solver_claims_is_replaced_by_what_its_profile_has(case, certify):
    spec, form = CLAIMS[case]
    found = fb.solve(spec, boasting(form), certify=certify)
    exact = fb.evaluate(spec, *["uniform"] * len(found.profile), seconds=0)
    assert exact.exact
    assert found.claimed == ()
    assert found.value == pytest.approx(exact.values[0], abs=1e-9)
    assert found.upper == pytest.approx(exact.best[0][0], abs=1e-9)
    assert found.gap > 0.1
    regret = max(low for low, _ in exact.regrets)
    assert found.not_equilibrium.startswith("not an equilibrium: regret ")
    if form is not STATES:  # there the regret is the largest of any state
        assert float(found.not_equilibrium.split()[-1]) == pytest.approx(regret, rel=1e-2)
    assert found.not_equilibrium in repr(found)
    assert found.not_equilibrium in found._repr_html_()
    assert found.not_equilibrium in in_sentences(found, fb.game(spec))
    assert found.not_equilibrium[1:] in answer_values(found)["kept"]
    assert as_json(found)["not_equilibrium"] == found.not_equilibrium


@pytest.mark.parametrize("case", CLAIMS)
def test_check_solver_fails_a_solver_that_claims_more_than_its_profile_has(case):
    spec, form = CLAIMS[case]
    with pytest.raises(FogboundError, match="the solver claims the .*, its profile has "):
        check_solver(boasting(form), derive(fb.game(spec), form))


def test_bounds_that_nothing_confirms_are_called_claimed():
    found = fb.solve("card-poker(ranks=3)", boasting(fb.forms.OneSided), certify=False)
    assert found.claimed == ("value", "lower", "upper")
    assert found.value_is == "claimed"
    assert "value and lower and upper claimed by the solver" in repr(found)
    assert "the bounds are claimed by the solver" in fb.api.trust(found)
    assert "the bounds are claimed by the solver" in in_sentences(found, fb.game("card-poker(ranks=3)"))
    assert as_json(found)["claimed"] == ["value", "lower", "upper"]
    assert "as its solver claims" in answer_values(found)["kept"]


def test_the_upper_bound_of_a_reply_stays_a_claim():
    found = fb.solve("tiger", "pbvi", iterations=10, certify=False)
    assert found.claimed == ("upper",)
    assert "upper claimed by the solver" in repr(found)
    assert fb.api.trust(found).startswith("the value is evaluated from the profile; the upper bound is claimed by the")


# One rule on what is called an equilibrium.


@EVERY_SOLVER
@pytest.mark.one_in(4)
def test_no_solver_calls_a_profile_with_regret_an_equilibrium(name):
    if SOLVERS.load(name).finds != "equilibrium":
        pytest.skip("it looks for something else")
    for game, found in answers(name):
        if math.isnan(found.value):
            assert found.not_equilibrium.startswith("not known to be an equilibrium")
            continue
        exact = fb.evaluate(game, found, seconds=0)
        regret = max(low for low, _ in exact.regrets)
        scale = max(1.0, *map(abs, exact.values))
        if regret > 1e-4 * scale:
            assert found.not_equilibrium.startswith("not an equilibrium: regret "), (str(game), repr(found), regret)
        if regret < 1e-9 * scale and found.provenance["form"] != "markov":  # there any state counts
            assert not found.not_equilibrium, (str(game), repr(found), regret)


def test_the_gap_that_was_asked_for_is_allowed():
    for gap, allowed in ((1.0, True), (0.01, False)):
        form = fb.forms.sequence(fb.game("card-poker(ranks=3)"))
        found = solve(fb.solver("cfr(sampling=full)"), form, Until(gap=gap, iterations=5))
        assert bool(found.not_equilibrium) is not allowed


def test_the_rule_does_not_depend_on_a_constant_that_is_added_to_all_payoffs():
    for constant in (0, 10**6):
        payoffs = [[[3 + constant, -3], [constant, 0]], [[constant, 0], [1 + constant, -1]]]
        found = fb.solve(f"matrix-game(payoffs={payoffs})", boasting(MATRIX), iterations=1, certify=False)
        assert found.not_equilibrium.startswith("not an equilibrium: regret ")
