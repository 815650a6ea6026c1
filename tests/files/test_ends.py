"""Files without a discount: states from which nothing can be paid any more are the end, however they are written."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import fogbound as fb
from fogbound import files
from fogbound.cli.main import main
from fogbound.core import Dist, FormError, Game, Outcome

HEAD = (
    "discount: 1\nstates: left right {over}\nactions: listen open-left open-right\nobservations: hear-left hear-right\n"
)
REST = """\
T: open-left : left : {first} 1
T: open-left : right : {first} 1
T: open-right : left : {first} 1
T: open-right : right : {first} 1
O: * uniform
O: listen : left
0.85 0.15
O: listen : right
0.15 0.85
R: listen : left : * : * -1
R: listen : right : * : * -1
R: open-left : left : * : * -100
R: open-left : right : * : * 10
R: open-right : left : * : * 10
R: open-right : right : * : * -100
"""
ENDS = {  # names of the states that stand for the end, and how they lead to each other
    "one": ("over", "T: * : over : over 1\n"),
    "round": ("over again", "T: * : over : again 1\nT: * : again : over 1\n"),
    "chance": (
        "over a b",
        "T: * : over\n0 0 0 .5 .5\nT: * : a\n0 0 .25 .25 .5\nT: * : b uniform\nT: * : b\n0 0 0 1 0\n",
    ),
    "on the way": ("over then gone", "T: * : over : then 1\nT: * : then : gone 1\nT: * : gone : gone 1\n"),
}


def tiger(ends: str, leak: float = 0.1) -> str:
    """A tiger whose doors lead to the end, and whose patience ends with a chance of `leak` at each listening."""
    names, moves = ENDS[ends]
    over = len(names.split())
    listening = f"T: listen : left\n{1 - leak} 0 {leak} {'0 ' * (over - 1)}\n"
    listening += f"T: listen : right\n0 {1 - leak} {leak} {'0 ' * (over - 1)}\n"
    start = f"start: 0.5 0.5 {'0 ' * over}\n"
    return HEAD.format(over=names) + start + listening + moves + REST.format(first="over")


@dataclass(frozen=True)
class Impatient(Game[str, str]):
    """The same with an end."""

    players = ("agent",)
    discount = 1.0

    def start(self):
        return Dist.uniform([Outcome("left"), Outcome("right")])

    def actors(self, state):
        return () if state == "over" else (0,)

    def actions(self, state, player):
        return ["listen", "open-left", "open-right"]

    def step(self, state, joint):
        if joint[0] != "listen":
            return Dist.sure(Outcome("over", (-100.0 if joint[0] == f"open-{state}" else 10.0,)))
        other = {"left": "right", "right": "left"}[state]
        heard = {(state, state): 0.85, (state, other): 0.15}
        kept = {Outcome(s, (-1.0,), (), (heard_,)): 0.9 * p for (s, heard_), p in heard.items()}
        return Dist.of({**kept, Outcome("over", (-1.0,)): 0.1})


@pytest.fixture(scope="module")
def worth():
    """What the game with an end is worth."""
    return fb.solve(Impatient(), gap=1e-9)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", [".pomdp", ".pomdpx"])
@pytest.mark.parametrize("ends", ENDS)
def test_a_model_is_worth_what_the_game_is_that_ends(tmp_path, ends, kind, worth):
    path = tmp_path / "model.pomdp"
    path.write_text(tiger(ends))
    if kind == ".pomdpx":
        path = tmp_path / "model.pomdpx"
        discounted = tmp_path / "discounted.pomdp"
        discounted.write_text(tiger(ends).replace("discount: 1", "discount: 0.5"))  # so that no end is found in it
        files.write_model(files.read_model(discounted), path)
        path.write_text(path.read_text().replace("<Discount>0.5<", "<Discount>1.0<"))
    answer = fb.solve(path, gap=1e-9)
    assert answer.certified == "both"
    assert answer.value == pytest.approx(worth.value, abs=1e-9)
    proof = fb.verify(answer)
    assert proof
    assert proof.lower <= worth.upper
    assert worth.lower <= proof.upper
    assert fb.evaluation.value(fb.game(path), answer.profile)[0] == pytest.approx(worth.value, abs=1e-6)
    played = fb.match(path, [answer], games=50)
    assert played.games == 50


def test_every_command_takes_such_a_file(tmp_path, capsys):
    path, saved = str(tmp_path / "model.pomdp"), str(tmp_path / "answer.npz")
    (tmp_path / "model.pomdp").write_text(tiger("round"))
    assert main(["check", path]) == 0
    assert main(["solve", path, "-o", saved]) == 0
    assert main(["verify", path, saved]) == 0
    assert main(["match", path, saved, "--games", "20"]) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_one_who_may_go_on_for_ever_without_a_discount_is_answered(tmp_path):
    """Nothing but its own cost ends the listening: no bounded number of steps, and still an answer."""
    path = tmp_path / "model.pomdp"
    path.write_text(tiger("round", leak=0))
    answer = fb.solve(path)
    same = fb.solve("tiger(resets=false, discount=1)")
    assert answer.provenance["solver"].startswith("belief-search")
    assert "for ever" in answer.provenance["chosen"]
    assert fb.verify(answer)
    assert answer.value == pytest.approx(same.value, abs=1e-9)


def test_a_model_that_never_pays_is_over(tmp_path):
    path = tmp_path / "model.pomdp"
    path.write_text("".join(line + "\n" for line in tiger("one").splitlines() if not line.startswith("R:")))
    answer = fb.solve(path)
    assert (answer.lower, answer.upper) == (0, 0)
    assert fb.verify(answer)


# one hides left or right and may run; the other looks left or right, sees whether that was right, and looks again
ONE_SIDED = """\
{states} 3 2 2 3 {moves} 6 1
left 0
right 0
ran-left 1
ran-right 1
{names}look-left
look-right
stay
run
there
not-there
over
0 1
0 1
0
0
{menus}0 1
0 1
0
0 0 0 0 2 1
0 0 1 0 3 1
0 1 0 1 2 1
0 1 1 1 3 1
1 0 0 1 3 1
1 0 1 1 2 1
1 1 0 0 3 1
1 1 1 0 2 1
2 0 0 2 4 1
2 1 0 2 4 1
3 0 0 2 4 1
3 1 0 2 4 1
{over}0 0 0 2
1 1 1 1
2 0 0 3
2 1 0 -1
3 0 0 -1
3 1 0 2
0 .5 .5
"""


def one_sided(over: int) -> str:
    """Two looks; then `over` states, each leading to the next, are the end."""
    names = "".join(f"end{k} 2\n" for k in range(over))
    moves = "".join(f"{4 + k} 0 0 2 {4 + (k + 1) % over} 1\n" for k in range(over))
    return ONE_SIDED.format(states=4 + over, moves=12 + over, names=names, menus="0\n" * over, over=moves)


def test_a_one_sided_game_ends_where_nothing_is_paid_any_more(tmp_path):
    answers = []
    for over in (1, 3):
        path = tmp_path / f"{over}.osposg"
        path.write_text(one_sided(over))
        answers.append(fb.solve(path, "pg-hsvi(epsilon=1e-7)"))
        assert fb.verify(answers[-1])
        assert fb.match(path, ["uniform", "uniform"], games=20).games == 20
    one, three = answers
    assert (three.lower, three.upper) == (one.lower, one.upper)
    tree = fb.solve(tmp_path / "3.osposg", "sequence-lp")  # the same by another way
    assert one.lower - 1e-9 <= tree.value <= one.upper + 1e-9


# The same in rules that somebody wrote: an author may forget the end, or have none.


@dataclass(frozen=True)
class Restless(Impatient):
    """The tiger again, whose author has no word for the end: play goes round in `rest`, and nothing is paid."""

    rest: tuple[str, ...] = ("over",)

    def actors(self, state):
        return (0,)

    def step(self, state, joint):
        if state not in self.rest:
            return super().step(state, joint)
        after = self.rest[(self.rest.index(state) + (joint[0] != "listen")) % len(self.rest)]
        return Dist.sure(Outcome(after, (0.0,), (), ("left",)))


@pytest.mark.parametrize("rest", [("over",), ("over", "again", "and again")])
def test_rules_without_a_word_for_the_end_are_worth_the_same(rest, worth, tmp_path):
    game = Restless(rest)
    table = fb.forms.table(game)
    assert table.states == ["left", "right", "over"]
    assert table.actor_set.tolist() == [1, 1, 0]
    answer = fb.solve(game, gap=1e-9)
    assert answer.certified == "both"
    assert answer.value == pytest.approx(worth.value, abs=1e-9)
    assert fb.verify(answer, game)
    assert fb.evaluation.value(game, answer.profile)[0] == pytest.approx(worth.value, abs=1e-6)
    assert fb.forms.pomdp(game).ends == fb.forms.pomdp(Impatient()).ends


@dataclass(frozen=True)
class Rounds(Game[str, str]):
    """Two players who go round for ever once somebody has won; or are paid now and then, if `paid`."""

    paid: float = 0.0
    players = ("first", "second")
    discount = 1.0

    def start(self):
        return Dist.sure(Outcome("deal"))

    def actors(self, state):
        return (0, 1) if state == "deal" else (1,)

    def actions(self, state, player):
        return ["heads", "tails"]

    def step(self, state, joint):
        if state == "deal":
            won = 1.0 if joint[0] == joint[1] else -1.0
            return Dist.sure(Outcome("after", (won, -won)))
        return Dist.sure(Outcome({"after": "later", "later": "after"}[state], (self.paid, -self.paid)))


def test_a_game_of_two_that_goes_round_unpaid_has_a_tree():
    answer = fb.solve(Rounds(), "sequence-lp")
    assert answer.value == pytest.approx(0.0)
    assert answer.certified == "both"
    assert fb.forms.table(Rounds()).states == ["deal", "after"]


def test_rules_that_never_pay_are_enumerated_all_the_same():
    @dataclass(frozen=True)
    class Unfinished(Rounds):
        def step(self, state, joint):
            return Dist.sure(Outcome("later" if state == "after" else "after"))

    assert fb.forms.table(Unfinished()).states == ["deal", "after", "later"]


def test_what_goes_round_and_is_paid_is_still_refused():
    assert fb.forms.table(Rounds(0.5)).states == ["deal", "after", "later"]
    with pytest.raises(FormError, match="horizon"):
        fb.solve(Rounds(0.5), "sequence-lp")
