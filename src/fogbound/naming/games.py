"""From what people hand over to games and players: specs, files, `my_game.py:MyGame`, objects."""

from __future__ import annotations

import numbers
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogbound import files
from fogbound.core.errors import FogboundError, FormError, GameError, SpecError, brief, no_exit, one_of, raised
from fogbound.core.game import AnyGame, Game
from fogbound.core.registry import build, from_package, installed, suggestion
from fogbound.core.spec import Spec, foreign, parse
from fogbound.forms.protocol import Form, Playable
from fogbound.games import FOREIGN, GAMES, SIMULATORS
from fogbound.naming.own_files import OWN_CLASS, named_in_own_file, own_class
from fogbound.transforms import TRANSFORMS

MODELS = {*files.MODELS, *files.ONE_SIDED, *files.JOINT, *files.GAMBIT}


if TYPE_CHECKING:
    from fogbound.simulators.simulator import Simulator

Matrices: TypeAlias = NDArray[Any] | tuple[Any, ...] | list[Any]
GameLike: TypeAlias = "str | os.PathLike[str] | AnyGame | Simulator | Form | Matrices"


def game(source: GameLike) -> AnyGame:
    """The game that `source` names or is.

    Parameters
    ----------
    source
        A spec such as ``"po-nim(n=3)"`` or ``"po-nim:n=3"``, the spec of a game made from a game
        (``"horizon(game=tiger, steps=3)"`` or ``"horizon(tiger, 3)"``), a model file (``.pomdp``, ``.pomdpx``,
        ``.osposg``, ``.dpomdp``, ``.posg``, ``.zsposg``, Gambit's ``.efg`` and ``.nfg``), a class in a file of one's
        own (``"my_game.py:MyGame"``), a form that was read from a file, payoff matrices ``(A, B)`` (see
        `matrix_game`), a simulator, or a game.

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
    if isinstance(source, tuple | list | np.ndarray):
        return _matrices(source)
    if not isinstance(source, str | os.PathLike):
        return _simulated(source)
    text = os.fspath(source)
    own = named_in_own_file(text)
    if own:
        return _own_game(*own)
    if Path(text).suffix in MODELS:
        return model(text)
    return game(described) if (described := _described(text)) is not None else _named(parse(text))


def problem(source: GameLike | Form) -> AnyGame | Form:
    """A form as it is, a file that can be solved and not played as its form, all else as the game that it names."""
    if isinstance(source, Form):
        return source
    if isinstance(source, str | os.PathLike) and Path(source).suffix in files.GAMBIT:
        return _gambit(os.fspath(source))
    described = _described(os.fspath(source)) if isinstance(source, str | os.PathLike) else None
    return game(source) if described is None else described


def _matrices(given: Any) -> AnyGame:
    """The game of payoff matrices: several in a tuple or a list, or a single one."""
    from fogbound.naming.strategic import matrix_game

    several = isinstance(given, tuple) or (isinstance(given, list) and isinstance(next(iter(given), None), np.ndarray))
    return matrix_game(*given) if several else matrix_game(given)


def _described(path: str) -> AnyGame | Form | None:
    """What the file holds, by the reader that an installed package has for its ending; None where there is none.

    A reader is an entry point of the group `fogbound.formats`, called as the ending without its dot: a function from
    the path to a game or a form.
    """
    ending = Path(path).suffix
    place = "" if not ending or ending in MODELS else installed("fogbound.formats").get(ending.removeprefix("."), "")
    if not place or not Path(path).is_file():
        return None
    found: AnyGame | Form = from_package("format", ending, place)(path)
    return found


as_game = game  # under this name where `game` is an argument


def game_named_in_a_file(spec: str) -> AnyGame:
    """The game that a stored solution names. Somebody's own code is run only where a person names it."""
    if ".py:" in spec:
        raise SpecError(f"solves {brief(spec)}: no code is run because a file names it, so that game must be given")
    if Path(spec).suffix in MODELS and not Path(spec).is_file():
        raise SpecError(f"solves {brief(spec)}, and there is no such file; the model must be given")
    name = spec.partition("(")[0]
    if name and not Path(name).suffix and name not in {*GAMES, *GAMES.aliases, *TRANSFORMS, *FOREIGN}:
        raise SpecError(f"solves {brief(spec)}, which is no game by name: one made in Python, say; it must be given")
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
    from fogbound.files.gambit.game import open_gambit

    return open_gambit(path)


def _named(spec: Spec) -> AnyGame:
    if Path(spec.name).suffix in MODELS:  # horizon(game=x.pomdp, steps=3)
        return model(spec.name)
    own = OWN_CLASS.fullmatch(spec.name)
    if own:  # a game of one's own inside another: horizon(game=hide.py:Hide, steps=3)
        return _own_game(Path(own["file"]), Spec(own["cls"], spec.parameters, spec.positional))
    if spec.name in TRANSFORMS:
        return TRANSFORMS.make(spec, nested=_named)
    if spec.name in FOREIGN:
        return FOREIGN.make(spec, nested=foreign)  # a game inside is written in its library's syntax
    if spec.name in SIMULATORS:
        return _simulated(SIMULATORS.make(spec))
    if spec.name not in GAMES:
        near = suggestion(spec.name, [*GAMES, *SIMULATORS, *TRANSFORMS, *FOREIGN, *GAMES.aliases])
        raise SpecError(f"unknown game {brief(spec.name)}{near or '; see fogbound games'}")
    return GAMES.make(spec, nested=_named)


def _simulated(source: Any) -> AnyGame:
    """The game of a simulator; what is none names no game at all."""
    from fogbound.simulators.game import SimulatedGame
    from fogbound.simulators.simulator import Simulator

    if isinstance(source, Simulator):
        return SimulatedGame(source)
    raise SpecError(f"found {brief(source)}, expected a game: a spec, a model file, my_game.py:MyGame or a Game")


def _own_game(path: Path, spec: Spec) -> AnyGame:
    """Import a person's own file and build the game class that `spec` names in it."""
    name = spec.name
    cls = own_class(path, name, "game", _is_game)
    cls.name = f"{path}:{name}"
    try:
        with no_exit():
            return game(build(cls, spec, _named))
    except FogboundError:
        raise
    except Exception as error:
        raise GameError(f"{path}: {name} cannot be made: {raised(error)}") from error


def _is_game(cls: type) -> bool:
    from fogbound.simulators.simulator import Simulator

    return issubclass(cls, Game | Simulator) and cls not in (Game, Simulator)


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
    raise SpecError(f"player {brief(text)}, expected {one_of(f'{i} ({name})' for i, name in enumerate(names))}")


def require_seed(seed: object) -> None:
    """Refuse what no generator can be made from."""
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or int(seed) < 0:
        raise SpecError(f"seed is {brief(seed)}, expected a whole number from 0")
