"""From what people hand over to policies: specs of solvers, saved solutions, vectors, bots, tables, objects."""

from __future__ import annotations

import inspect
import math
import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

from fogbound import files
from fogbound.core.errors import FogboundError, LimitError, PolicyError, SpecError, Stopped, brief, no_exit, raised
from fogbound.core.game import AnyGame, Game
from fogbound.core.policy import Strategy
from fogbound.core.profile import HasProfile, policy_of
from fogbound.core.registry import suggestion
from fogbound.core.spec import Spec, foreign, parse
from fogbound.driver.limits import nobody
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.solution import Solution
from fogbound.driver.solve import run_solver
from fogbound.driver.solver import AnySolver, Solver
from fogbound.files.models import is_written
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import NOTHING, OTHERS, Form, Question, derive, title
from fogbound.naming.games import GameLike, player_index, problem
from fogbound.naming.limits import limits_apart, why_stopped
from fogbound.naming.own_files import named_in_own_file, own_class
from fogbound.naming.solvers import is_own
from fogbound.naming.solvers import solver as solver_named
from fogbound.policies import FOREIGN_POLICIES
from fogbound.policies.stored import StoredPlanner
from fogbound.policies.uniform import Uniform
from fogbound.solvers import SOLVERS
from fogbound.solvers.fitting import require_enough

PolicyLike: TypeAlias = "str | os.PathLike[str] | HasProfile | Strategy | Mapping[str, Mapping[str, float]]"
# a mapping's keys are invariant, so that dicts by index, by name and by both are named
ByPlayer: TypeAlias = "Mapping[int, PolicyLike] | Mapping[str, PolicyLike] | Mapping[int | str, PolicyLike]"


def _plays(cls: type) -> bool:
    return issubclass(cls, Solver) or all(hasattr(cls, verb) for verb in ("begin", "update", "act"))


def _own_policy(cls: type[Any], path: Path, spec: Spec, played: AnyGame | Form, player: int) -> Strategy:
    """A person's own bot: a class with `begin`, `update` and `act`, which may ask for the `game` and its `player`."""
    seat = {"game": played, "player": player}
    try:
        with no_exit():
            asked = inspect.signature(cls).parameters
            spec = spec.named([key for key in asked if key not in seat])
            strange = next((key for key, _ in spec.parameters if key not in asked), None)
            if strange is not None:
                has = ", ".join(key for key in asked if key not in seat) or "none"
                raise SpecError(f"{path}: {spec.name} has no parameter {strange!r}; it has: {has}")
            made = cls(**{key: told for key, told in seat.items() if key in asked}, **dict(spec.parameters))
    except FogboundError:
        raise
    except Exception as error:
        raise PolicyError(f"{path}: {spec.name} cannot be made: {raised(error)}") from error
    return policy_of(made)


def bound(stored: Strategy, played: AnyGame | Form, player: int, profile: Mapping[int, Strategy]) -> Strategy:
    """A stored policy, ready to play: a value function needs the POMDP that it was made for.

    Parameters
    ----------
    stored
        The policy as a file holds it; one that needs nothing is given back.
    played
        The game or form that it is to be played in.
    player
        Who plays it.
    profile
        How the others play, by player: a POMDP is a game against them.

    Returns
    -------
    Strategy
        A policy that can play.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.api import bound
    >>> bound(fb.policies.Uniform(), fb.game("king-ace"), 0, {})
    Uniform()
    """
    from fogbound.policies import StoredVectors
    from fogbound.policies.stored import StoredBounds

    if isinstance(stored, StoredPlanner):
        return _planner(stored, played, player, profile)
    if isinstance(stored, StoredBounds):
        from fogbound.forms.one_sided.form import OneSided
        from fogbound.solvers.one_sided.play import profile as loose

        return loose.stored_strategy(
            stored, derive(played, OneSided, Question(player if stored.partially_informed else 1 - player))
        )
    if not isinstance(stored, StoredVectors):
        return stored
    others = {i: other for i, other in profile.items() if i != player}
    return stored.on(derive(played, POMDP, Question(player, others)))


def _planner(stored: StoredPlanner, played: AnyGame | Form, player: int, profile: Mapping[int, Strategy]) -> Strategy:
    """The planner that a file names; SpecError where its solver is none."""
    solver = SOLVERS.make(parse(stored.solver))
    if not solver.searches:
        raise SpecError(f"a stored planner names {brief(stored.solver)}, expected a solver that searches as it plays")
    others = {} if solver.form.against == NOTHING else {i: other for i, other in profile.items() if i != player}
    return solver.online(_searched(solver, played, Question(player, others)), player, stored.seed)


def _searched(
    solver: AnySolver, played: AnyGame | Form, question: Question, tell: Callable[[str], None] | None = None
) -> Form:
    """The form that a solver searches as it plays; where that is too large, the best that it takes instead, aloud."""
    found: Form | None = None
    for wanted in (*(solver.without_form if isinstance(played, Game) else ()), solver.form):
        try:
            found = derive(played if found is None else found, wanted, question)
        except LimitError as error:
            if found is None:
                raise
            why = str(error).partition(". ")[0]  # what it advises is done
            said = f"{solver.name} plays without a {solver.form.kind}, by the {found.describe()}: {why}"
            tell(said) if tell else warnings.warn(said, stacklevel=4)
            return found
    assert found is not None
    return found


def policy(
    source: PolicyLike,
    game: GameLike,
    player: int | str = 0,
    seed: int = 0,
    watch: Callable[[TraceEntry], None] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Strategy:
    """The policy that `source` names, or is, for one player of a game.

    Parameters
    ----------
    source
        ``"uniform"``, a solver's spec such as ``"level-k(level=2)"``, a saved solution (``.npz``), vectors over a
        model's states (``.alpha``, ``.policy``), a bot of one's own (``"bot.py:Bot"``, a class with ``begin``,
        ``update`` and ``act``; a `game` and a `player` that it asks for are handed over), another library's bot
        (``"openspiel-bot(mcts)"``), a strategy that is written down (``.csv``, ``.json``, or a dict:
        ``{what is known: {action: probability}}``, in the words of ``solution.table()``), a `Solution`, or a policy. A
        solver is run to a gap of 0.1 % or for a minute; other limits go into its spec: ``"dcfr(gap=1e-4)"``,
        ``"mccfr(seconds=5)"``, ``"cfr-plus(iterations=1000)"``.
    game
        Whatever `fogbound.game` takes.
    player
        By index or name.
    seed
        For solvers that draw.
    watch, tell
        As in `fogbound.solve`, while a solver runs; in the end `tell` is called with what came of it. After Ctrl-C that
        is its best policy so far.

    Returns
    -------
    Strategy
        A policy or mixture, ready to play.

    Raises
    ------
    SpecError
        Nothing has that name, or the solution is of another game or has no policy for this player.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.policy("uniform", "leduc")
    Uniform()
    >>> always = fb.policy({"A": {"raise": 1}, "K": {"raise": 1}}, "king-ace")
    >>> round(fb.evaluation.best_response(fb.game("king-ace"), {0: always}, 1).value, 4)
    0.1667
    """
    played = problem(game)
    index = player_index(player, played)
    if isinstance(source, HasProfile):
        if isinstance(source, Solution):
            from fogbound.naming.solved import require_solved

            require_solved(source, played)
        return stored(source.profile, played, index, "the solution")
    if is_written(source):
        from fogbound.files.strategies import written

        return written(source, played, index)
    if not isinstance(source, str | os.PathLike):
        return policy_of(cast(Strategy, source))
    text = os.fspath(source)
    own = named_in_own_file(text)
    if own:
        path, spec = own
        cls = own_class(path, spec.name, "policy", _plays)
        if not issubclass(cls, Solver):
            return _own_policy(cls, path, spec, played, index)
        named = Spec(f"{path}:{spec.name}", spec.parameters, spec.positional)
        return _solved(named, text, played, index, seed, watch, tell)
    if text == "uniform":
        meaning = uniform_means(played, index)
        if meaning and tell is not None:
            tell(meaning)
        return Uniform()
    if Path(text).suffix in files.VECTORS:
        return files.read_vectors(text, derive(played, POMDP, Question(index)))
    if text.endswith(".npz") or Path(text).is_file():
        return stored(_saved(text, played).profile, played, index, text)
    spec = parse(text)
    if spec.name in FOREIGN_POLICIES:
        return _foreign(spec, played, index, seed)
    return _solved(spec, text, played, index, seed, watch, tell)


def uniform_means(played: AnyGame | Form, player: int) -> str:
    """Which uniform strategy is meant, in words; nothing where there is only one.

    Parameters
    ----------
    played
        The game. Only a tree from a file whose players are absent-minded has two.
    player
        By index.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.naming.policies import uniform_means
    >>> uniform_means(fb.game("leduc"), 0)
    ''
    """
    return played.uniform_means(player) if isinstance(played, Game) else ""


def _foreign(spec: Spec, played: AnyGame | Form, player: int, seed: int) -> Strategy:
    """Another library's bot, in its own words."""
    if not isinstance(played, Game):
        raise SpecError(f"{spec.name} sits at games, and {title(played)} can be solved, not played")
    return FOREIGN_POLICIES.make(spec, nested=foreign).policy(played, player, seed)


def _saved(path: str, played: AnyGame | Form) -> Solution:
    """A saved solution of this game; SpecError where it is of another."""
    solution = files.load(path)
    from fogbound.naming.solved import require_solved

    require_solved(solution, played, path)
    return solution


def with_solution(solver: AnySolver, played: AnyGame | Form) -> AnySolver:
    """A solver with the saved solution that one of its parameters names, loaded; others as they are.

    Parameters
    ----------
    solver
        Any solver.
    played
        The game or form that it is for, of which the solution must be.

    Raises
    ------
    SpecError
        The solution is of another game, or lacks a player.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.naming.policies import with_solution
    >>> with_solution(fb.solver("oos"), fb.game("leduc")) == fb.solver("oos")
    True
    """
    path = solver.names_solution
    if path is None:
        return solver
    profile = _saved(path, played).profile
    return solver.with_solution({i: stored(profile, played, i, path) for i in range(len(played.players))})


def stored(profile: Mapping[int, Strategy], played: AnyGame | Form, player: int, where: str) -> Strategy:
    """The policy that a solution holds for a player, ready to play; `where` says whose it is, should there be none."""
    if player not in profile:
        raise SpecError(f"{where}: has no policy for player {player} ({played.players[player]})")
    return bound(profile[player], played, player, profile)


def _solved(
    spec: Spec,
    text: str,
    played: AnyGame | Form,
    player: int,
    seed: int,
    watch: Callable[[TraceEntry], None] | None,
    tell: Callable[[str], None] | None,
) -> Strategy:
    """What a solver plays when it has come to its limits, or when somebody pressed Ctrl-C."""
    if spec.name not in SOLVERS and not is_own(spec.name):
        near = suggestion(spec.name, ["uniform", *SOLVERS, *FOREIGN_POLICIES])
        raise SpecError(
            f"unknown policy {brief(text)}{near}; expected uniform, a solver's spec, a saved solution (.npz), a bot "
            "(bot.py:Bot) or a strategy (.csv, .json)"
        )
    bare, until = limits_apart(spec)
    solver = with_solution(solver_named(bare), played)
    require_enough(solver, played)
    if solver.form.against == OTHERS and len(played.players) > 1:
        raise SpecError(
            f"{spec.name} answers given opponents: solve it first (fogbound solve --against …, or "
            "fb.solve(…, against=…)), save it, and name the file here"
        )
    if solver.searches:  # thinks at each decision instead of before the game
        if not until.default:
            raise SpecError(f"{spec.name} thinks at each decision, for as long as its own parameters say: {bare}")
        with no_exit():
            return solver.online(_searched(solver, played, Question(player), tell), player, seed)
    with no_exit():
        solution = run_solver(
            solver,
            lambda: derive(played, solver.form, Question(player)),
            RunOptions(until, seed, watch, check_seconds=None, tell=tell or nobody),
        )
    if solution.stopped == "terminated" or player not in solution.profile:
        raise Stopped(solution.stopped, f"{text}: stopped before there was a policy ({solution.stopped})")
    if tell is not None:
        gap = "" if math.isinf(solution.gap) else f" at a gap of {solution.gap:.3g}"
        why = why_stopped(solution, f"{spec.name}(gap=…), {spec.name}(seconds=…)")
        tell(f"{text} for {played.players[player]}: {why} after {solution.seconds:.3g} s{gap}")
    return solution.profile[player]
