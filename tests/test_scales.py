"""Everything scales with the rewards: in units a thousand million times larger or smaller it is the same game.

Factors are powers of two, so that floats scale exactly, and what was found must be proportional to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

import fogbound as fb
from fogbound.core import Dist, FormError, Game, GameError, Outcome
from fogbound.games.random_game import RandomGame
from fogbound.transforms.wrapped import Wrapped

LOOPS = RandomGame(seed=1, seats=2, depth=3, width=2, signals=2, loops=True, discount=0.9)


@dataclass(frozen=True)
class InOtherUnits(Wrapped):
    """The same game with every reward multiplied by a factor."""

    factor: float = 1.0
    name = "in-other-units"

    def start(self):
        return self._paid(super().start())

    def step(self, state, joint):
        return self._paid(super().step(state, joint))

    def _paid(self, dist):
        return Dist(
            tuple((replace(o, rewards=tuple(self.factor * each for each in o.rewards)), p) for o, p in dist.pairs)
        )


CASES = [
    ("sequence-lp", "card-poker(ranks=3)", None),
    ("cfr-plus", "card-poker(ranks=3)", None),
    ("mccfr", "card-poker(ranks=3)", None),
    ("belief-mdp", "card-poker(ranks=3)", "uniform"),
    ("belief-search", "tiger", None),
    ("sarsop", "tiger", None),
    ("sarsop", "horizon(game=tiger, steps=3)", None),
    ("pg-hsvi", "patrolling", None),
    ("level-k(level=2)", "king-ace", None),
    ("level-k(level=2)", LOOPS, None),  # its informed bounds do not settle to the last bit, which is paid for
    ("minimax", "slide-tree", None),
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("solver", "spec", "against"), CASES, ids=lambda each: str(each)[:30])
def test_answers_and_certificates_are_proportional(solver, spec, against):
    found = {}
    for factor in (2.0**-30, 1.0, 2.0**30):
        named = fb.solver(solver)
        if hasattr(named, "epsilon"):
            named = replace(named, epsilon=factor * named.epsilon)  # a gap, in units of the reward
        game = InOtherUnits(fb.game(spec), factor)
        solution = fb.solve(game, named, against=against, gap=0.05 * factor, iterations=40)
        assert fb.verify(solution, game), (factor, fb.verify(solution, game).refuted)
        found[factor] = tuple(each / factor for each in (solution.value, solution.lower, solution.upper))
    assert len(set(found.values())) == 1, found


def test_small_rewards_do_not_make_a_game_constant_sum():
    """Sums were compared with an absolute tolerance, so that every game of tiny rewards was zero-sum."""

    class Gift(Game):
        players = ("giver", "taker")

        def start(self):
            return Dist.sure(Outcome(0))

        def actors(self, state):
            return () if state else (0,)

        def actions(self, state, player):
            return ("keep", "give")

        def step(self, state, joint):
            return Dist.sure(Outcome(1, (1e-10, 0.0) if joint == ("keep",) else (0.0, 5e-10)))

    with pytest.raises(FormError, match="zero-sum"):
        fb.solve(Gift(), "minimax")


@pytest.mark.parametrize("size", [1e151, 1e308])
def test_rewards_beyond_all_measure_are_refused_in_a_line(size, tmp_path):
    game = InOtherUnits(fb.game("tiger"), size)
    for solver in ("sarsop", "belief-mdp", "belief-search", "pbvi", "qmdp"):
        with pytest.raises(GameError, match="larger units") as caught:
            fb.solve(game, solver)
        assert "\n" not in str(caught.value)
    file = tmp_path / "large.pomdp"
    text = "discount: 0.9\nvalues: reward\nstates: 1\nactions: 1\nobservations: 1\nstart: uniform\nT: 0\n1\nO: 0\n1\n"
    file.write_text(text + f"R: 0 : 0 : 0 : 0 {size}\n")
    with pytest.raises(GameError, match="larger units"):
        fb.game(file)
