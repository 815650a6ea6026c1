"""The solver that is chosen where nobody names one: it runs, ends, and no applicable solver is more accurate."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import pytest

import fogbound as fb
from fogbound.api import choose_solver
from fogbound.core.errors import FogboundError, FormError, LimitError, Stopped
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.normal import count_strategies, entries
from fogbound.forms.protocol import Form, Question, derive
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Table
from fogbound.games import GAMES
from fogbound.naming.games import problem
from fogbound.solvers import SOLVERS
from fogbound.solvers.equilibrium import EquilibriumSolver, solvers_for
from fogbound.transforms import TRANSFORMS
from fogbound.transforms.horizon import Horizon
from fogbound.transforms.restrict import Restrict
from fogbound.transforms.subgame import ProperSubgame, StartAt
from fogbound.transforms.team import Opposed, Team
from fogbound.transforms.turn_based import TurnBased
from tests import shared

GAMBIT = sorted(shared.MODELS.glob("gambit/*.[en]fg"))
ENDINGS = {*fb.files.MODELS, *fb.files.JOINT, *fb.files.ONE_SIDED}
MODELS = sorted(path for path in shared.MODELS.glob("*/*.*") if path.suffix in ENDINGS)
MOST_STATES = 3_000  # of a game of which each transform is tried
SMALL = 4_000  # entries of a matrix: games on which solvers are compared
CLOSE = 1e-9  # of the payoffs: regrets that differ by less are rounding
SECONDS = 2.0


def start_of(game: AnyGame) -> object:
    return next(iter(game.start()))[0].state


TRANSFORMED: dict[str, Callable[[AnyGame], AnyGame]] = {
    "horizon": lambda game: Horizon(game, 2),
    "turn-based": TurnBased,
    "start-at": lambda game: StartAt(game, start_of(game)),
    "subgame": ProperSubgame,
    "restrict": lambda game: Restrict(game, lambda state, player: game.actions(state, player)[:2]),
    "team": lambda game: Team(game, (0, 1)),
    "opposed": Opposed,
}
ONE_FORGETS = """\
EFG 2 R "the absent-minded driver" { "driver" }
""
p "" 1 1 "" { "exit" "go on" } 0
t "" 1 "" { 0 }
p "" 1 1 "" { "exit" "go on" } 0
t "" 2 "" { 4 }
t "" 3 "" { 1 }
"""
ONE_CROSSED = """\
EFG 2 R "one player, two orders" { "solo" }
""
c "" 1 "" { "first" 1/2 "second" 1/2 } 0
p "" 1 1 "A" { "u" "d" } 0
t "" 1 "" { 1 }
t "" 2 "" { 3 }
p "" 1 2 "B" { "l" "r" } 0
t "" 3 "" { 2 }
t "" 1 "" { 1 }
"""
NOBODY = 'EFG 2 R "nothing to do" { "A" "B" "C" }\n""\nt "" 1 "" { 1, 2, 3 }\n'
AUCTION = """
from dataclasses import dataclass

from fogbound.core import Dist, Game, Outcome


@dataclass(frozen=True)
class Auction(Game):
    values: int = 4
    players = ("first", "second")

    def start(self):
        worth = range(self.values)
        return Dist.uniform([Outcome((a, b), (0.0, 0.0), None, (a, b)) for a in worth for b in worth])

    def actors(self, state):
        return (0, 1) if state else ()

    def actions(self, state, player):
        return tuple(range(self.values))

    def step(self, state, joint):
        best = max(joint)
        share = 1 / joint.count(best)
        paid = tuple(share * (worth - bid) if bid == best else 0.0 for worth, bid in zip(state, joint))
        return Dist.sure(Outcome((), paid))
"""
OWN = {"one_forgets.efg": ONE_FORGETS, "one_crossed.efg": ONE_CROSSED, "nobody.efg": NOBODY, "auction.py": AUCTION}


def by_default(source: AnyGame | Form, seconds: float = SECONDS) -> Solution | None:
    """The default's answer; None where no solver suits, which is said before one is chosen."""
    try:
        chosen, _ = choose_solver(source, against=False)
    except (FormError, LimitError):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fb.solve(source, chosen, seconds=seconds, gap="0.1%", certify=False)
    except Stopped:
        return None  # it runs; there was no time for a first answer


def require_best(source: AnyGame | Form) -> None:
    """No solver of equilibria whose scope it is leaves a smaller gap than the default does."""
    form = small_form(source)
    answer = by_default(source, seconds=60.0) if form is not None else None
    if answer is None or form is None or answer.provenance["finds"] != "equilibrium":
        return
    for name in solvers_for(form):
        try:
            other = fb.solve(source, name, seconds=SECONDS, iterations=200, certify=False)
        except FogboundError:
            continue  # too large for it, or it needs what this source cannot give
        assert answer.gap <= other.gap + CLOSE * max(1.0, form.largest), (answer.provenance["solver"], name, other.gap)


def small_form(source: AnyGame | Form) -> SequenceForm | None:
    try:
        form = derive(source, SequenceForm, Question(limit=MOST_STATES))
    except (FormError, LimitError):
        return None
    return form if entries([count_strategies(plex) for plex in form.plexes]) <= SMALL else None


@pytest.fixture(params=OWN)
def own(request, tmp_path):
    path = tmp_path / request.param
    path.write_text(OWN[request.param])
    return problem(f"{path}:Auction" if path.suffix == ".py" else path)


def test_the_default_takes_files_of_our_own(own):
    answer = by_default(own)
    assert answer is not None
    assert answer.gap <= CLOSE * 4
    require_best(own)


def test_values_of_small_general_sum_games_are_exact(tmp_path):
    (tmp_path / "auction.py").write_text(AUCTION)
    assert fb.solve(f"{tmp_path}/auction.py:Auction").value == pytest.approx(0.625, abs=1e-12)
    if GAMBIT:
        cube = fb.solve(shared.MODELS / "gambit" / "2x2x2.nfg")
        assert cube.gap == pytest.approx(0.0, abs=1e-12)
        assert cube.certified == "both"


@pytest.mark.one_in(8)
@pytest.mark.parametrize("path", shared.cases(GAMBIT), ids=lambda path: path.name if path else "none")
def test_the_default_is_the_most_accurate_on_gambits_files(path):
    if path is None:
        pytest.skip("no models beside the checkout")
    source = problem(path)
    answer = by_default(source, seconds=60.0)  # the default limit
    assert answer is not None
    assert answer.gap <= CLOSE * max(1.0, problem_size(source))
    require_best(source)


def problem_size(source: AnyGame | Form) -> float:
    return derive(source, SequenceForm).largest


@pytest.mark.one_in(12)
@pytest.mark.parametrize("path", MODELS or [None], ids=lambda path: path.name if path else "none")
def test_the_default_takes_model_files(path):
    if path is None:
        pytest.skip("no models beside the checkout")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = problem(path)
    by_default(source)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", [*GAMES])
def test_the_default_takes_shipped_games(name):
    source = fb.game(name)
    by_default(source)
    if is_small(source):
        require_best(source)


def is_small(game: AnyGame) -> bool:
    try:
        derive(game, Table, Question(limit=MOST_STATES))
    except LimitError:
        return False
    return True


@pytest.mark.one_in(12)
@pytest.mark.parametrize("transform", [*TRANSFORMS])
@pytest.mark.parametrize("name", [*GAMES])
def test_the_default_takes_transforms_of_shipped_games(name, transform):
    game = fb.game(name)
    if not is_small(game):
        pytest.skip("too large to try every transform of it")
    try:
        made = TRANSFORMED[transform](game)
        small = is_small(made)
    except FogboundError as error:
        pytest.skip(f"does not apply: {error}")
    if not small:
        pytest.skip("too large")
    by_default(made, seconds=1.0)


def test_every_solver_of_equilibria_declares_its_scope():
    """What a refusal names is taken from the scopes, so none may be missing."""
    apart = {"posg-dp"}  # which needs two players or a team
    for name in SOLVERS:
        cls = SOLVERS.load(name)
        if cls.finds == "equilibrium" and cls.form.kind in ("tree", "sequence", "normal") and name not in apart:
            assert issubclass(cls, EquilibriumSolver), name


@dataclass(frozen=True)
class Shared(fb.Game):
    """One after the other says how much both get: in the open, and not zero-sum."""

    players = ("one", "other")

    def start(self):
        return fb.Dist.sure(fb.Outcome(()))

    def actors(self, state):
        return (len(state),) if len(state) < 2 else ()

    def actions(self, state, player):
        return (1, 2)

    def step(self, state, joint):
        paid = float(joint[0])
        return fb.Dist.sure(fb.Outcome((*state, joint[0]), (paid, paid), joint[0]))


OTHER_FORMS = {"table", "markov"}  # of solvers of equilibria that do not work on the tree or what is made of it


@pytest.mark.parametrize("name", [name for name in SOLVERS if SOLVERS.load(name).form.kind in OTHER_FORMS])
def test_solvers_of_zero_sum_games_declare_that_they_are(name):
    """By what they do: one that refuses a game of two because its payoffs do not add up has that in its scope."""
    cls = SOLVERS.load(name)
    if cls.finds != "equilibrium":
        pytest.skip("finds no equilibrium")
    source = fb.game("random-markov(size=2, choices=2)") if cls.form.kind == "markov" else Shared()
    try:
        fb.solve(source, name, iterations=1, seconds=5, certify=False)
        refused = False
    except FormError as error:
        refused = "zero-sum" in str(error)
    assert refused == cls.scope.constant_sum


@pytest.mark.parametrize("spec", ["tiger", "king-ace", "matrix-game", "kuhn(seats=3)", "selten-horse"])
@pytest.mark.parametrize("name", [name for name in SOLVERS if issubclass(SOLVERS.load(name), EquilibriumSolver)])
def test_a_refusal_names_solvers_that_take_the_game(name, spec):
    source = fb.game("horizon(tiger, 2)" if spec == "tiger" else spec)
    form = derive(source, SequenceForm)
    takes = solvers_for(form)
    if name in takes:
        return
    with pytest.raises(FogboundError) as refused:
        fb.solve(source, name, certify=False)
    if isinstance(refused.value, FormError):
        assert f"that take it: {', '.join(takes)}" in str(refused.value)
    for other in takes[-1:]:
        assert fb.solve(source, other, iterations=2, certify=False).profile
