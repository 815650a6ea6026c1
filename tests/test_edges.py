"""Odd games and odd moments: each of these once went wrong, or could."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import pytest

from fogbound import evaluation, files, forms, policies
from fogbound.arena import match, play
from fogbound.cli.main import main
from fogbound.core import Dist, FormError, Game, GameError, LimitError, Observation, Outcome
from fogbound.core.spec import Spec, parse
from fogbound.driver.protocol import Until
from fogbound.games import make
from fogbound.policies import LOST, Controller, Uniform
from fogbound.solvers import make as make_solver
from fogbound.testing import check_game
from tests.run import solve


@dataclass(frozen=True)
class Choice(Game):
    """One player meets one of two public situations; "better" always adds `gain` to `base` or to nothing."""

    base: float = 1e12
    gain: float = 500.0
    players = ("you",)

    def start(self):
        return Dist.uniform([Outcome("rich", public="rich"), Outcome("poor", public="poor")])

    def actors(self, state):
        return () if state == "over" else (0,)

    def actions(self, state, player):
        return ("worse", "better")

    def step(self, state, joint):
        pay = (self.base if state == "rich" else 0.0) + (self.gain if joint == ("better",) else 0.0)
        return Dist.sure(Outcome("over", (pay,)))


@pytest.mark.parametrize(("base", "gain"), [(1e12, 500.0), (0.0, 1e-10), (1e-300, 1e-305)])
def test_large_and_small_pay_do_not_blur_the_best_action(base, gain):
    found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(Choice(base, gain))), certified=False)
    assert {dict(c).popitem()[0] for c in found.profile[0].choices if c} == {"better"}
    assert found.value == evaluation.value(Choice(base, gain), found.profile)[0]


@pytest.mark.parametrize(
    "spec", ["card-poker(ranks=3)", "leduc", "liars-dice(sides=2)", "po-nim", "goofspiel(cards=3)"]
)
def test_one_memory_may_meet_many_menus(spec):
    """Uniform play has a single memory; as a controller it must still know what it is offered."""
    game = make(spec)
    exact = evaluation.value(game, {0: Uniform(), 1: Uniform()})
    for player in (0, 1):
        machine = policies.controller(game, player, Uniform())
        for version in (machine, machine.minimal()):
            assert evaluation.value(game, {player: version, 1 - player: Uniform()}) == pytest.approx(exact)


@dataclass(frozen=True)
class Die(Game):
    """A die of `faces` equal faces, listed one by one although they lead to one state."""

    faces: int = 6
    players = ("one", "two")

    def start(self):
        return Dist.sure(Outcome("roll"))

    def actors(self, state):
        return (0, 1) if state == "roll" else ()

    def actions(self, state, player):
        return ("a", "b")

    def step(self, state, joint):
        gain = 1.0 if joint[0] == joint[1] else -1.0
        return Dist.uniform([Outcome("over", (gain, -gain))] * self.faces)


@pytest.mark.parametrize("faces", [3, 6, 10, 49])
def test_equal_faces_are_one_outcome(faces):
    table = forms.table(Die(faces))
    assert set(table.prob) == {1.0}
    assert solve(make_solver("sequence-lp"), forms.sequence(table)).certified == "both"


@dataclass(frozen=True)
class Sexes(Game):
    """The battle of the sexes, its pay times `scale`: never zero-sum, however small."""

    scale: float = 1.0
    players = ("one", "two")

    def start(self):
        return Dist.sure(Outcome("begin"))

    def actors(self, state):
        return (0, 1) if state == "begin" else ()

    def actions(self, state, player):
        return ("opera", "football")

    def step(self, state, joint):
        pays = {("opera", "opera"): (2, 1), ("football", "football"): (1, 2)}.get(joint, (0, 0))
        return Dist.sure(Outcome("over", tuple(self.scale * p for p in pays)))


@pytest.mark.parametrize("scale", [1.0, 1e-10, 1e10])
def test_no_scale_makes_a_game_zero_sum(scale):
    with pytest.raises(FormError, match="not zero-sum"):
        solve(make_solver("sequence-lp"), forms.sequence(Sexes(scale)))


@dataclass(frozen=True)
class Crowd(Game):
    """Chance picks one of many players, who alone chooses between 1 and 2 for itself."""

    size: int = 34

    def __post_init__(self):
        object.__setattr__(self, "players", tuple(f"p{i}" for i in range(self.size)))

    def start(self):
        return Dist.uniform([Outcome(i, public=i) for i in range(self.size)])

    def actors(self, state):
        return () if state == "over" else (state,)

    def actions(self, state, player):
        return (1, 2, 3)

    def step(self, state, joint):
        return Dist.sure(Outcome("over", tuple(float(joint[0]) if i == state else 0.0 for i in range(self.size))))


def test_many_players_do_not_overflow():
    form = forms.sequence(Crowd())
    assert len(form.ends) == 34 * 3
    uniform = [plex.uniform for plex in form.plexes]
    assert all(evaluation.best_response(form, uniform, i).value == pytest.approx(3 / 34) for i in (0, 17, 33))


@dataclass(frozen=True)
class Wheel(Game):
    """Nobody can do anything, and player 0 is paid 1 by player 1 at every step, for ever."""

    discount: float = 0.9
    players = ("one", "two")

    def start(self):
        return Dist.sure(Outcome(0))

    def actors(self, state):
        return (0,)

    def actions(self, state, player):
        return ("go",)

    def step(self, state, joint):
        return Dist(((Outcome(1 - state, (1.0, -1.0)), 1.0), (Outcome(7), 0.0)))


def test_a_discounted_cycle_is_paid_to_eternity():
    exact = evaluation.value(Wheel(), {0: Uniform(), 1: Uniform()})
    played = play(Wheel(), [Uniform(), Uniform()], np.random.default_rng(0))
    assert played.ended == "cycle"
    assert played.returns == pytest.approx(exact)
    result = match(Wheel(), [Uniform(), Uniform()], games=3)
    assert (result.players[0].wins, result.players[0].score) == (1.0, pytest.approx(10.0))
    endless = match(Wheel(1.0), [Uniform(), Uniform()], games=3)
    assert (endless.cycles, endless.players[0].wins) == (3, 0.5)
    with pytest.raises(FormError, match="never ends"):
        evaluation.value(Wheel(1.0), {0: Uniform(), 1: Uniform()})


def test_value_iteration_settles_where_rounding_would_not_let_it():
    found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(Wheel(0.99), 0, {1: Uniform()})))
    assert found.stopped in ("finished", "gap")
    assert found.value == pytest.approx(100.0)


@dataclass(frozen=True)
class Leak(Game):
    """A cyclic game in which hidden chance decides what may be done."""

    discount: float = 0.9
    players = ("you",)

    def start(self):
        return Dist.uniform([Outcome("x"), Outcome("y")])

    def actors(self, state):
        return (0,)

    def actions(self, state, player):
        return ("a", "b") if state == "x" else ("a", "c")

    def step(self, state, joint):
        return Dist.uniform([Outcome("x"), Outcome("y")])


def test_leaks_are_named_where_there_is_no_tree():
    with pytest.raises(GameError, match="cannot tell"):
        check_game(Leak())
    with pytest.raises(GameError, match="cannot tell"):
        forms.belief_mdp(forms.pomdp(Leak()))


def test_a_loaded_solution_saved_again_still_verifies(tmp_path, capsys):
    one, two = str(tmp_path / "a.npz"), str(tmp_path / "b.npz")
    assert main(["solve", "card-poker(ranks=3)", "-o", one]) == 0
    files.save(files.load(one), two)
    assert main(["verify", "card-poker(ranks=3)", two]) == 0
    assert files.load(one).certified == "none"  # whatever it says of itself


def test_links_and_pipes_survive_a_write(tmp_path):
    found = solve(make_solver("sequence-lp"), forms.sequence(make("king-ace")))
    target, link = tmp_path / "a.npz", tmp_path / "link.npz"
    link.symlink_to(target)
    files.save(found, link)
    assert link.is_symlink()
    assert files.load(target).value == found.value
    old = os.umask(0o077)
    try:
        files.save(found, tmp_path / "private.npz")
    finally:
        os.umask(old)
    assert (tmp_path / "private.npz").stat().st_mode & 0o077 == 0


def test_a_long_line_and_a_lost_arrow_minimise():
    seen = Observation(None, None)
    size = 5_000
    line = Controller({seen: 0}, {(k, None, seen): k + 1 for k in range(size - 1)}, (None,) * size)
    assert line.minimal().size == size
    ring = Controller({seen: 0}, {(k, None, seen): (k + 1) % 50 for k in range(50)}, (Dist.sure("a"),) * 50)
    assert ring.minimal().size == 1
    lost = Controller({seen: 0}, {(0, "a", seen): LOST, (0, None, seen): 1}, (Dist.sure("a"), Dist.sure("b")))
    assert ("a", seen) not in {(a, s) for _, a, s in lost.minimal().arrows}


@pytest.mark.slow
def test_an_lp_cut_short_says_so():
    found = solve(make_solver("sequence-lp"), forms.sequence(make("liars-dice")), Until(seconds=0.3), certified=False)
    assert found.stopped == "seconds"
    assert found.seconds >= 0.3


@dataclass(frozen=True)
class Wide(Game):
    """Three movers with very many actions each."""

    players = ("a", "b", "c")

    def start(self):
        return Dist.sure(Outcome(0))

    def actors(self, state):
        return (0, 1, 2) if state == 0 else ()

    def actions(self, state, player):
        return tuple(range(400))

    def step(self, state, joint):
        return Dist.sure(Outcome(1))


def test_joint_actions_are_counted_before_they_are_listed():
    with pytest.raises(LimitError, match="64,000,000 joint actions"):
        forms.table(Wide(), limit=1_000)


def test_specs_with_quotes_and_constants_round_trip():
    for value in ('say "hi"', "none", "true", None, True, "a b"):
        spec = Spec("x", (("v", value),))
        assert parse(str(spec)) == spec


def test_ones_own_game_inside_another(tmp_path, capsys):
    (tmp_path / "random.py").write_text("from tests.test_edges import Wheel as Own\n")
    spec = f"horizon(game={tmp_path}/random.py:Own, steps=3)"
    assert main(["check", spec]) == 0
    import random

    assert random.random() < 1


def test_the_answer_is_printed_even_if_it_cannot_be_saved(capsys, tmp_path):
    (tmp_path / "x.npz").mkdir()
    assert main(["solve", "king-ace", "-o", str(tmp_path / "x.npz")]) == 2
    out, err = capsys.readouterr()
    assert "value    0 for first" in out
    assert "cannot be written" in err
