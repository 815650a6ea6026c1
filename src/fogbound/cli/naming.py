"""From what people type to games and policies: specs, `my_game.py:MyGame`, saved solutions."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fogbound.core.errors import FogboundError, GameError, SpecError, brief
from fogbound.core.game import AnyGame, Game
from fogbound.core.policy import Strategy
from fogbound.core.registry import build, suggestion
from fogbound.core.spec import Spec, parse
from fogbound.games import GAMES
from fogbound.transforms import TRANSFORMS

_OWN = re.compile(r"(?P<file>.+\.py):(?P<cls>[A-Za-z_]\w*)(?P<rest>\(.*\))?", re.DOTALL)
MODELS = {".pomdp", ".pomdpx", ".osposg"}
LATER = {".efg", ".nfg"}


def game(text: str) -> AnyGame:
    """The game that `text` names: a spec, a model file, or a class in a file of one's own."""
    own = _OWN.fullmatch(text.strip())
    if own:
        return _own_game(Path(own["file"]), own["cls"], parse(own["cls"] + (own["rest"] or "")).parameters)
    if Path(text).suffix in MODELS:
        return model(text)
    if Path(text).suffix in LATER:
        raise SpecError(f"{text}: this version reads no {Path(text).suffix} files yet; give a game's spec")
    return _named(parse(text))


def model(path: str) -> AnyGame:
    """The game that a model file describes: of one player, or of a blind one against one who sees."""
    from fogbound import files
    from fogbound.forms import ModelGame, OneSidedGame

    if Path(path).suffix in files.ONE_SIDED:
        return OneSidedGame(files.read_one_sided(path))
    return ModelGame(files.read_model(path))


def _named(spec: Spec) -> AnyGame:
    if Path(spec.name).suffix in MODELS:  # horizon(game=x.pomdp, steps=3)
        return model(spec.name)
    own = _OWN.fullmatch(spec.name)
    if own:  # a game of one's own inside another: horizon(game=hide.py:Hide, steps=3)
        return _own_game(Path(own["file"]), own["cls"], spec.parameters)
    if spec.name in TRANSFORMS:
        return TRANSFORMS.make(spec, nested=_named)
    if spec.name not in GAMES:
        near = suggestion(spec.name, [*GAMES, *TRANSFORMS])
        raise SpecError(f"unknown game {brief(spec.name)}{near or '; see fogbound games'}")
    return GAMES.make(spec, nested=_named)


def _own_game(path: Path, name: str, given: tuple[tuple[str, Any], ...]) -> AnyGame:
    """Import a person's own file and build the game class called `name` in it."""
    if not path.is_file():
        raise SpecError(f"{path}: there is no such file")
    name_of_module = f"fogbound_game_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    module_spec = importlib.util.spec_from_file_location(name_of_module, path)
    if module_spec is None or module_spec.loader is None:
        raise SpecError(f"{path}: cannot be imported")
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[name_of_module] = module  # dataclasses look their module up; a file called random.py does no harm
    if str(path.parent.resolve()) not in sys.path:
        sys.path.append(str(path.parent.resolve()))  # the file's neighbours can be imported
    try:
        module_spec.loader.exec_module(module)
    except FogboundError:
        raise
    except SyntaxError as error:
        raise SpecError(f"{path}:{error.lineno}: {error.msg}") from error
    except Exception as error:
        raise SpecError(f"{path}: importing it raised {type(error).__name__}: {error}") from error
    cls = getattr(module, name, None)
    if not (isinstance(cls, type) and issubclass(cls, Game)):
        games = [k for k, v in vars(module).items() if isinstance(v, type) and issubclass(v, Game) and v is not Game]
        raise SpecError(
            f"{path}: has no game class {name!r}{suggestion(name, games)}; it has: {', '.join(games) or 'none'}"
        )
    cls.name = f"{path}:{name}"
    try:
        return build(cls, Spec(name, given), _named)
    except TypeError as error:
        raise GameError(f"{path}: {name} cannot be made: {error}") from error


def player(text: str | int, played: AnyGame) -> int:
    """A player by number (from 0) or by name."""
    names = list(played.players)
    if str(text) in names:
        return names.index(str(text))
    if re.fullmatch(r"\d{1,6}", str(text)) and int(text) < len(names):
        return int(text)
    listed = ", ".join(f"{i} ({name})" for i, name in enumerate(names))
    raise SpecError(f"player {brief(text)}, expected one of {listed}")


def _solves(provenance: Mapping[str, Any], played: AnyGame) -> bool:
    """Whether a recipe is about this game. A model file is known by what it says, not by where it lies."""
    from fogbound.driver.provenance import form_digest
    from fogbound.forms import ModelGame, OneSidedGame

    if isinstance(played, ModelGame) and provenance.get("form") == "POMDP":
        return bool(provenance.get("form_sha256") == form_digest(played.form))
    if isinstance(played, OneSidedGame) and provenance.get("form") == "OneSided":
        return bool(provenance.get("form_sha256") == form_digest(played.form))
    return provenance.get("game") == str(played)


def bound(stored: Strategy, played: AnyGame, at: int, profile: Mapping[int, Strategy]) -> Strategy:
    """A stored policy, ready to play: a value function needs the POMDP that it was made for."""
    from fogbound import forms
    from fogbound.policies import StoredVectors
    from fogbound.policies.stored_bounds import StoredBounds

    if isinstance(stored, StoredBounds):
        from fogbound.solvers.one_sided.play import profile as loose

        return loose.stored_strategy(stored, forms.one_sided(played, at if stored.blind else 1 - at))
    if not isinstance(stored, StoredVectors):
        return stored
    return stored.on(forms.pomdp(played, at, {player: other for player, other in profile.items() if player != at}))


def policy(text: str, played: AnyGame, at: int, seed: int = 0) -> Strategy:
    """The policy that `text` names for player `at`: uniform, a saved solution, or a solver's spec."""
    from fogbound import files
    from fogbound.cli.forms import build_form
    from fogbound.driver.solve import solve
    from fogbound.policies import Uniform
    from fogbound.solvers import SOLVERS

    if text == "uniform":
        return Uniform()
    if Path(text).suffix in files.VECTORS:
        from fogbound import forms

        return files.read_vectors(text, forms.pomdp(played, at))
    if text.endswith(".npz") or Path(text).is_file():
        solution = files.load(text)
        stored = solution.provenance.get("game")
        if not _solves(solution.provenance, played):
            now = f", or of another version of {played}" if stored == str(played) else f", not of {played}"
            raise SpecError(f"{text}: is a solution of {stored}{now}")
        if at not in solution.profile:
            raise SpecError(f"{text}: has no policy for player {at} ({played.players[at]})")
        return bound(solution.profile[at], played, at, solution.profile)
    spec = parse(text)
    if spec.name not in SOLVERS:
        near = suggestion(spec.name, ["uniform", *SOLVERS])
        raise SpecError(
            f"unknown policy {brief(text)}{near}; expected uniform, a solver's spec or a saved solution (.npz)"
        )
    solver: Any = SOLVERS.make(spec)
    if solver.form in ("belief", "pomdp") and len(played.players) > 1:
        raise SpecError(
            f"{spec.name} answers given opponents: solve with --against first, save it, and name the file here"
        )
    solution = solve(solver, build_form(solver, played, at, {}), seed=seed, certified=False)
    if solution.stopped in ("interrupted", "terminated"):  # what there is by then is not the policy that was named
        raise KeyboardInterrupt
    return solution.profile[at]
