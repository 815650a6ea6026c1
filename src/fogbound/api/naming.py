"""From what people hand over to games, players and policies: specs, files, `my_game.py:MyGame`, objects."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import math
import numbers
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

from fogbound import files
from fogbound.api import strategies
from fogbound.api.stopping import limits_apart, why_stopped
from fogbound.binding.same_game import solves
from fogbound.core.errors import (
    FogboundError,
    FormError,
    GameError,
    LimitError,
    PolicyError,
    SpecError,
    Stopped,
    brief,
    no_exit,
    raised,
)
from fogbound.core.game import AnyGame, Game
from fogbound.core.policy import Strategy
from fogbound.core.profile import HasProfile, policy_of
from fogbound.core.registry import OWN_FILE, build, suggestion
from fogbound.core.spec import Spec, parse
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.solution import Solution
from fogbound.driver.solve import solve
from fogbound.forms.one_sided.form import OneSided
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import NOTHING, OTHERS, Form, Playable, Question, derive
from fogbound.games import FOREIGN, GAMES
from fogbound.policies.foreign import FOREIGN_POLICIES
from fogbound.policies.stored_planner import StoredPlanner
from fogbound.policies.uniform import Uniform
from fogbound.solvers import SOLVERS
from fogbound.transforms import TRANSFORMS

_OWN = re.compile(r"(?P<file>.+\.py):(?P<cls>[A-Za-z_]\w*)(?P<rest>\(.*\)|:.*)?", re.DOTALL)
_AROUND = re.compile(r"[A-Za-z_][\w-]+[(:]")  # another game's name, before that of one's own
MODELS = {*files.MODELS, *files.ONE_SIDED, *files.JOINT, *files.GAMBIT}


GameLike: TypeAlias = "str | os.PathLike[str] | AnyGame | Form"
PolicyLike: TypeAlias = "str | os.PathLike[str] | HasProfile | Strategy | Mapping[str, Mapping[str, float]]"


def game(source: GameLike) -> AnyGame:
    """The game that `source` names or is.

    Parameters
    ----------
    source
        A spec such as ``"po-nim(n=3)"`` or ``"po-nim:n=3"``, the spec of a game made from a game
        (``"horizon(game=tiger, steps=3)"`` or ``"horizon(tiger, 3)"``), a model file (``.pomdp``, ``.pomdpx``,
        ``.osposg``, ``.dpomdp``, ``.posg``, ``.zsposg``, Gambit's ``.efg`` and ``.nfg``), a class in a file of one's
        own (``"my_game.py:MyGame"``), a form that was read from a file, or a game.

    Returns
    -------
    Game

    Raises
    ------
    SpecError
        Nothing has that name, or it has no such parameter.
    FileError
        The file cannot be read as what its ending says.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.game("card-poker(ranks=8)").players
    ('gambler', 'dealer')
    >>> fb.game("horizon(game=tiger, steps=3)").steps == fb.game("horizon(tiger, 3)").steps == 3
    True
    """
    if isinstance(source, Game):
        return source
    if isinstance(source, Playable):
        return source.as_game()
    if not isinstance(source, str | os.PathLike):
        raise SpecError(f"found {brief(source)}, expected a game: a spec, a model file, my_game.py:MyGame or a Game")
    text = os.fspath(source)
    own = _own(text)
    if own:
        return _own_game(*own)
    if Path(text).suffix in MODELS:
        return model(text)
    return _named(parse(text))


def problem(source: GameLike | Form) -> AnyGame | Form:
    """A form as it is, a file that can be solved and not played as its form, all else as the game that it names."""
    if isinstance(source, Form):
        return source
    if isinstance(source, str | os.PathLike) and Path(source).suffix in files.GAMBIT:
        return _gambit(os.fspath(source))
    return game(source)


as_game = game  # under this name where `game` is an argument


def game_named_in_a_file(spec: str) -> AnyGame:
    """The game that a stored solution names. Somebody's own code is run only where a person names it."""
    if ".py:" in spec:
        raise SpecError(f"solves {brief(spec)}: no code is run because a file names it, so that game must be given")
    if Path(spec).suffix in MODELS and not Path(spec).is_file():
        raise SpecError(f"solves {brief(spec)}, and there is no such file; the model must be given")
    return game(spec)


def model(path: str) -> AnyGame:
    """The game that a model file describes: of one player, of several, or of a blind one against one who sees."""
    ending = Path(path).suffix
    if ending in files.GAMBIT:
        opened = _gambit(path)
        if isinstance(opened, Game):
            return opened
        raise FormError(
            f"{path}: its times cannot be aligned, so whoever plays it step by step would learn what the file keeps "
            "secret: it can be solved, not played"
        )
    if ending in files.JOINT:
        return files.read_table(path).as_game()
    form: Playable = files.read_one_sided(path) if ending in files.ONE_SIDED else files.read_model(path)
    return form.as_game()


def _gambit(path: str) -> AnyGame | Form:
    from fogbound.files.gambit import open_gambit

    return open_gambit(path)


def _named(spec: Spec) -> AnyGame:
    if Path(spec.name).suffix in MODELS:  # horizon(game=x.pomdp, steps=3)
        return model(spec.name)
    own = _OWN.fullmatch(spec.name)
    if own:  # a game of one's own inside another: horizon(game=hide.py:Hide, steps=3)
        return _own_game(Path(own["file"]), Spec(own["cls"], spec.parameters, spec.positional))
    if spec.name in TRANSFORMS:
        return TRANSFORMS.make(spec, nested=_named)
    if spec.name in FOREIGN:
        return FOREIGN.make(spec, nested=str)  # a game inside is in its library's own words
    if spec.name not in GAMES:
        near = suggestion(spec.name, [*GAMES, *TRANSFORMS, *FOREIGN, *GAMES.aliases])
        raise SpecError(f"unknown game {brief(spec.name)}{near or '; see fogbound games'}")
    return GAMES.make(spec, nested=_named)


def _own(text: str) -> tuple[Path, Spec] | None:
    """A class in a person's own file and its parameters; None where the text names something else.

    The file of `horizon(game=hide.py:Hide(n=2), steps=3)` is not `horizon(game=hide.py`, unless there is such a file.
    """
    found = _OWN.fullmatch(text.strip())
    if not found or (_AROUND.match(found["file"]) and not Path(found["file"]).is_file()):
        return None
    return Path(found["file"]), parse(found["cls"] + (found["rest"] or ""))


def _own_game(path: Path, spec: Spec) -> AnyGame:
    """Import a person's own file and build the game class that `spec` names in it."""
    name = spec.name
    cls = _own_class(path, name, "game", lambda found: issubclass(found, Game) and found is not Game)
    cls.name = f"{path}:{name}"
    try:
        with no_exit():
            made: AnyGame = build(cls, spec, _named)
            return made
    except FogboundError:
        raise
    except Exception as error:
        raise GameError(f"{path}: {name} cannot be made: {raised(error)}") from error


def _own_policy(path: Path, spec: Spec, played: AnyGame | Form, player: int) -> Strategy:
    """A person's own bot: a class with `begin`, `update` and `act`, which may ask for the `game` and its `player`."""
    verbs = ("begin", "update", "act")
    cls = _own_class(path, spec.name, "policy", lambda found: all(hasattr(found, verb) for verb in verbs))
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


def _own_class(path: Path, name: str, what: str, fits: Callable[[type], bool]) -> Any:
    """A class in a person's own file, which is imported: it must be what is asked for."""
    if not path.is_file():
        raise SpecError(f"{path}: there is no such file")
    name_of_module = f"{OWN_FILE}{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    module_spec = importlib.util.spec_from_file_location(name_of_module, path)
    if module_spec is None or module_spec.loader is None:
        raise SpecError(f"{path}: cannot be imported")
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[name_of_module] = module  # dataclasses look their module up; a file called random.py does no harm
    if str(path.parent.resolve()) not in sys.path:
        sys.path.append(str(path.parent.resolve()))  # the file's neighbours can be imported
    try:
        with no_exit():
            module_spec.loader.exec_module(module)
    except FogboundError:
        raise
    except SyntaxError as error:
        raise SpecError(f"{path}:{error.lineno}: {error.msg}") from error
    except Exception as error:
        raise SpecError(f"{path}: importing it raised {raised(error)}") from error
    cls = getattr(module, name, None)
    if not (isinstance(cls, type) and fits(cls)):
        listed = [
            k for k, v in vars(module).items() if isinstance(v, type) and v.__module__ == name_of_module and fits(v)
        ]
        raise SpecError(
            f"{path}: has no {what} class {name!r}{suggestion(name, listed)}; it has: {', '.join(listed) or 'none'}"
        )
    return cls


def player_index(text: str | int, played: AnyGame | Form) -> int:
    """A player by number (from 0) or by name.

    Parameters
    ----------
    text
        The number or the name.
    played
        The game or form whose player it is.

    Returns
    -------
    int
        The player's number.

    Raises
    ------
    SpecError
        There is no such player.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.api import player_index
    >>> player_index("second", fb.game("king-ace")), player_index(0, fb.game("king-ace"))
    (1, 0)
    """
    names = list(played.players)
    if str(text) in names:
        return names.index(str(text))
    if re.fullmatch(r"\d{1,6}", str(text)) and int(text) < len(names):
        return int(text)
    listed = ", ".join(f"{i} ({name})" for i, name in enumerate(names))
    raise SpecError(f"player {brief(text)}, expected one of {listed}")


def require_seed(seed: object) -> None:
    """Refuse what no generator can be made from."""
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or int(seed) < 0:
        raise SpecError(f"seed is {brief(seed)}, expected a whole number from 0")


def title(played: AnyGame | Form) -> str:
    """The spec of a game, or of the game that a form is of."""
    return played.spec if isinstance(played, Form) else str(played)


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
    from fogbound.policies.stored_bounds import StoredBounds

    if isinstance(stored, StoredPlanner):
        return _planner(stored, played, player, profile)
    if isinstance(stored, StoredBounds):
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
    solver: Any = SOLVERS.make(parse(stored.solver))
    if not hasattr(solver, "online"):
        raise SpecError(f"a stored planner names {brief(stored.solver)}, expected a solver that searches as it plays")
    others = {} if solver.form.against == NOTHING else {i: other for i, other in profile.items() if i != player}
    planner: Strategy = solver.online(_searched(solver, played, Question(player, others)), player, stored.seed)
    return planner


def _searched(
    solver: Any, played: AnyGame | Form, question: Question, tell: Callable[[str], None] | None = None
) -> Form:
    """The form that a solver searches as it plays; where that is too large, the best that it takes instead, aloud."""
    found: Form | None = None
    for wanted in (*(getattr(solver, "without_form", ()) if isinstance(played, Game) else ()), solver.form):
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
    >>> round(fb.evaluate.best_response(fb.game("king-ace"), {0: always}, 1).value, 4)
    0.1667
    """
    played = problem(game)
    index = player_index(player, played)
    if isinstance(source, HasProfile):
        provenance = getattr(source, "provenance", None)  # a solution says of which game it is
        if provenance is not None and not solves(provenance, played):
            raise SpecError(f"this is a solution of {provenance.get('game')}, not of {title(played)}")
        return stored(source.profile, played, index, "the solution")
    if strategies.is_written(source):
        return strategies.written(source, played, index)
    if not isinstance(source, str | os.PathLike):
        return policy_of(cast(Strategy, source))
    text = os.fspath(source)
    own = _own(text)
    if own:
        return _own_policy(*own, played, index)
    if text == "uniform":
        return Uniform()
    if Path(text).suffix in files.VECTORS:
        return files.read_vectors(text, derive(played, POMDP, Question(index)))
    if text.endswith(".npz") or Path(text).is_file():
        return stored(_saved(text, played).profile, played, index, text)
    spec = parse(text)
    if spec.name in FOREIGN_POLICIES:
        return _foreign(spec, played, index, seed)
    return _solved(spec, text, played, index, seed, watch, tell)


def _foreign(spec: Spec, played: AnyGame | Form, player: int, seed: int) -> Strategy:
    """Another library's bot, in its own words."""
    if not isinstance(played, Game):
        raise SpecError(f"{spec.name} sits at games, and {title(played)} can be solved, not played")
    return FOREIGN_POLICIES.make(spec, nested=str).policy(played, player, seed)


def _saved(path: str, played: AnyGame | Form) -> Solution:
    """A saved solution of this game; SpecError where it is of another."""
    solution = files.load(path)
    named = solution.provenance.get("game")
    if not solves(solution.provenance, played):
        now = f", or of another version of {title(played)}" if named == title(played) else f", not of {title(played)}"
        raise SpecError(f"{path}: is a solution of {named}{now}")
    return solution


def with_solution(solver: Any, played: AnyGame | Form) -> Any:
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
    >>> from fogbound.api.naming import with_solution
    >>> with_solution(fb.solver("oos"), fb.game("leduc")) == fb.solver("oos")
    True
    """
    path: str | None = getattr(solver, "names_solution", None)
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
    if spec.name not in SOLVERS:
        near = suggestion(spec.name, ["uniform", *SOLVERS, *FOREIGN_POLICIES])
        raise SpecError(
            f"unknown policy {brief(text)}{near}; expected uniform, a solver's spec, a saved solution (.npz), a bot "
            "(bot.py:Bot) or a strategy (.csv, .json)"
        )
    bare, until = limits_apart(spec)
    solver: Any = with_solution(SOLVERS.make(bare), played)
    if solver.form.against == OTHERS and len(played.players) > 1:
        raise SpecError(
            f"{spec.name} answers given opponents: solve it first (fogbound solve --against …, or "
            "fb.solve(…, against=…)), save it, and name the file here"
        )
    if hasattr(solver, "online"):  # thinks at each decision instead of before the game
        if not until.default:
            raise SpecError(f"{spec.name} thinks at each decision, for as long as its own parameters say: {bare}")
        with no_exit():
            online: Strategy = solver.online(_searched(solver, played, Question(player), tell), player, seed)
        return online
    with no_exit():
        solution = solve(
            solver,
            lambda: derive(played, solver.form, Question(player)),
            until,
            seed,
            watch,
            certified=False,
            tell=tell,
        )
    if solution.stopped == "terminated" or player not in solution.profile:
        raise Stopped(solution.stopped, f"{text}: stopped before there was a policy ({solution.stopped})")
    if tell is not None:
        gap = "" if math.isinf(solution.gap) else f" at a gap of {solution.gap:.3g}"
        why = why_stopped(solution, f"{spec.name}(gap=…), {spec.name}(seconds=…)")
        tell(f"{text} for {played.players[player]}: {why} after {solution.seconds:.3g} s{gap}")
    return solution.profile[player]
